//! The file of a float32 graph: hnswlib's own format, so that hnswlib-node opens it, and we open what it wrote.
//!
//! ```text
//! header 96 │ elements: count × (links, vector, label 8) │ count × (bytes 4, upper links)
//! ```

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use crc32fast::Hasher;
use memmap2::Mmap;

use super::super::column::Column;
use super::super::duplicates::Duplicates;
use super::super::graph::{Columns, Entry, Graph, MAX_LEVELS, Memory, Shape};
use super::super::metric::{Metric, squared_length};
use super::super::space::{Precision, Space};
use super::hnswlib_header::{HEADER_BYTES, Header, NO_ENTRY};
use crate::args::MAX_SQUARED_LENGTH;
use crate::errors::{Failure, Outcome};

/// The file does not keep the seed.
const OPENED_SEED: u64 = 100;

pub fn write(graph: &Graph, file: &mut File) -> io::Result<()> {
    let header = Header::of(graph);
    let mut output = Summed { inner: BufWriter::with_capacity(1 << 20, file), sum: Hasher::new() };
    output.write_all(&header.without_checksum().to_bytes())?;
    let size = graph.len() as u32;
    for id in 0..size {
        write_words(graph.list(id, 0), &mut output)?;
        output.write_all(graph.row(id).bytes)?;
        output.write_all(&u64::from(graph.label(id)).to_le_bytes())?;
    }
    for id in 0..size {
        let level = graph.level(id);
        output.write_all(&(level * graph.list_words(1) as u32 * 4).to_le_bytes())?;
        (1..=level).try_for_each(|level| write_words(graph.list(id, level), &mut output))?;
    }
    let Summed { mut inner, sum } = output;
    inner.rewind()?;
    inner.write_all(&header.with_checksum(sum.finalize()).to_bytes())?;
    inner.flush()
}

fn write_words(words: &[AtomicU32], output: &mut impl Write) -> io::Result<()> {
    words.iter().try_for_each(|word| output.write_all(&word.load(Ordering::Relaxed).to_le_bytes()))
}

pub fn open(file: Mmap, dims: usize, metric: Metric) -> Outcome<Graph> {
    let header = Header::from_bytes(&file)?;
    if header.dims() != dims {
        return Err(Failure::argument(format!(
            "dims: the file holds vectors of {}, expected {dims}",
            header.dims()
        )));
    }
    let count = header.count as usize;
    let upper_at = HEADER_BYTES + count * header.bytes_per_element as usize;
    // The smallest file with so many elements.
    let smallest = upper_at + count * 4;
    if file.len() < smallest {
        let bytes = file.len();
        return Err(Failure::corrupt(format!("{count} elements need {smallest} bytes, it has {bytes}")));
    }
    let starts = upper_starts(&file[upper_at..], count, header.m as usize)?;
    if let Some(sum) = header.checksum() {
        let mut found = Hasher::new();
        found.update(&header.without_checksum().to_bytes());
        found.update(&file[HEADER_BYTES..]);
        if found.finalize() != sum {
            let bytes = file.len();
            return Err(Failure::corrupt(format!("the checksum of its {bytes} bytes does not fit")));
        }
    }
    check_labels(&file, &header, count)?;
    let mut graph = assemble(file, &header, metric, starts, upper_at);
    check_entry(&header, &graph)?;
    for id in 0..count as u32 {
        check_links(&graph, id)?;
        check_vector(&graph, id)?;
    }
    if !graph.note_labels(0, count) {
        return Err(Failure::corrupt("two elements have one label"));
    }
    graph.entry = (header.entry != NO_ENTRY)
        .then_some(Entry { id: header.entry, level: header.max_level.max(0) as u32 });
    graph.duplicates = Duplicates::find_in(&graph);
    Ok(graph)
}

fn assemble(file: Mmap, header: &Header, metric: Metric, starts: Vec<u32>, upper_at: usize) -> Graph {
    let space = Space::new(header.dims(), metric, Precision::Float32);
    let shape =
        Shape { m: header.m as usize, ef_construction: header.ef_construction as usize, seed: OPENED_SEED };
    let upper_words = (file.len() - upper_at) / 4;
    let stride = header.bytes_per_element as usize;
    let start = file.as_ptr();
    let column = |offset: u64| Column::at(start.wrapping_add(HEADER_BYTES + offset as usize), stride);
    let columns = Columns {
        vectors: column(header.data_offset),
        numbers: column(header.data_offset),
        labels: column(header.label_offset),
        links: column(0),
        upper_at: Column::at(starts.as_ptr().cast(), 4),
        upper: Column::words(start.wrapping_add(upper_at)),
    };
    let mut graph = Graph::assemble(space, shape, columns, Memory::File(file, starts));
    graph.count = header.count as usize;
    graph.upper_words = upper_words;
    graph
}

/// For each element the word after the one where its upper links start, or 0 if it has none.
fn upper_starts(bytes: &[u8], count: usize, m: usize) -> Outcome<Vec<u32>> {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut starts = vec![0; count];
    let mut at = 0;
    for (id, start) in starts.iter_mut().enumerate() {
        let Some(word) = words.get(at) else { return Err(Failure::corrupt("it ends too early")) };
        let bytes = u32::from_le_bytes(*word) as usize;
        let bytes_a_level = (m + 1) * 4;
        if !bytes.is_multiple_of(bytes_a_level) || bytes / bytes_a_level > MAX_LEVELS as usize {
            return Err(Failure::corrupt(format!("element {id} has {bytes} bytes of upper links")));
        }
        if bytes > 0 {
            *start = u32::try_from(at + 1).map_err(|_| Failure::corrupt("it has too many upper links"))?;
        }
        at += 1 + bytes / 4;
    }
    match at == words.len() && rest.is_empty() {
        true => Ok(starts),
        false if at > words.len() => Err(Failure::corrupt("it ends too early")),
        false => Err(Failure::corrupt("it goes on after its last element")),
    }
}

fn check_labels(file: &[u8], header: &Header, count: usize) -> Outcome<()> {
    let elements = file[HEADER_BYTES..].chunks_exact(header.bytes_per_element as usize).take(count);
    for (id, element) in elements.enumerate() {
        if element[header.label_offset as usize + 4..] != [0; 4] {
            return Err(Failure::corrupt(format!("the label of element {id} is over 32 bits")));
        }
    }
    Ok(())
}

/// The bytes above a count hold hnswlib's delete mark, which Sluice never sets.
fn check_links(graph: &Graph, id: u32) -> Outcome<()> {
    for level in 0..=graph.level(id) {
        let Some((count, places)) = graph.list(id, level).split_first() else { continue };
        let count = count.load(Ordering::Relaxed) as usize;
        if count > places.len() {
            return Err(Failure::corrupt(format!("element {id} has {count} links on level {level}")));
        }
        for link in &places[..count] {
            let link = link.load(Ordering::Relaxed);
            if link == id || link as usize >= graph.len() || graph.level(link) < level {
                return Err(Failure::corrupt(format!("element {id} links to {link} on level {level}")));
            }
        }
    }
    Ok(())
}

fn check_entry(header: &Header, graph: &Graph) -> Outcome<()> {
    let right = match (0..graph.len() as u32).map(|id| graph.level(id)).max() {
        None => header.max_level == -1 && header.entry == NO_ENTRY,
        Some(highest) => {
            header.max_level == highest as i32
                && (header.entry as usize) < graph.len()
                && graph.level(header.entry) == highest
        }
    };
    if right { Ok(()) } else { Err(Failure::corrupt("its entry point is not on its highest level")) }
}

fn check_vector(graph: &Graph, id: u32) -> Outcome<()> {
    let bytes = graph.row(id).bytes;
    let values: &[f32] = unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), graph.space.dims) };
    let squares = squared_length(values);
    let unit = squares == 0.0 || (squares - 1.0).abs() < 1e-3;
    if squares.is_nan() || squares > MAX_SQUARED_LENGTH || graph.space.metric == Metric::Cosine && !unit {
        let length = squares.sqrt();
        return Err(Failure::corrupt(format!("the vector of element {id} has a length of {length}")));
    }
    Ok(())
}

/// A writer that sums what passes through.
struct Summed<W> {
    inner: W,
    sum: Hasher,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
