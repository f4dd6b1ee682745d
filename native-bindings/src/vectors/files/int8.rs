//! The file of an int8 graph: the columns one after another, as they lie in memory.
//!
//! ```text
//! header 4,096 │ vectors │ numbers │ labels │ links │ upper_at │ upper │ a CRC-32 for each 4 MiB after the header
//! ```

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use memmap2::Mmap;

use super::super::column::Column;
use super::super::duplicates::Duplicates;
use super::super::graph::{Columns, Graph, Memory};
use super::super::metric::Metric;
use super::int8_header::{HEADER_BYTES, Header, Layout};
use super::sums::{BLOCK_BYTES, Summed, first_wrong};
use crate::errors::{Failure, Outcome};

pub fn write(graph: &Graph, note: &str, file: &mut File) -> io::Result<()> {
    let header = Header::of(graph, note);
    let layout = header.layout();
    file.write_all(&[0; HEADER_BYTES])?;
    let mut output = Summed::new(BufWriter::with_capacity(1 << 20, &mut *file));
    for (place, section) in sections(graph, &layout) {
        output.pad_to(place - HEADER_BYTES)?;
        section(&mut output)?;
    }
    output.pad_to(layout.sums - HEADER_BYTES)?;
    let (mut output, sums) = output.finish();
    let sums: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    output.write_all(&sums)?;
    output.flush()?;
    drop(output);
    file.rewind()?;
    file.write_all(&header.to_bytes(crc32fast::hash(&sums)))
}

type Section<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

fn sections<'a>(graph: &'a Graph, layout: &Layout) -> [(usize, Section<'a>); 6] {
    let size = graph.len() as u32;
    let columns = &graph.columns;
    let numbers = graph.space.number_bytes() / 4;
    let each_row = move |column: &'a Column, words: usize| -> Section<'a> {
        Box::new(move |output| {
            (0..size).try_for_each(|id| write_words(unsafe { column.numbers(id, words) }, output))
        })
    };
    [
        (
            layout.vectors,
            Box::new(move |output| (0..size).try_for_each(|id| output.write_all(graph.row(id).bytes))),
        ),
        (layout.numbers, each_row(&columns.numbers, numbers)),
        (layout.labels, each_row(&columns.labels, 1)),
        (layout.links, each_row(&columns.links, graph.list_words(0))),
        (layout.upper_at, each_row(&columns.upper_at, 1)),
        (
            layout.upper,
            Box::new(move |output| {
                (0..graph.upper_words).try_for_each(|word| {
                    write_words(unsafe { columns.upper.numbers(word as u32, 1) }, output)
                })
            }),
        ),
    ]
}

fn write_words(words: &[AtomicU32], output: &mut dyn Write) -> io::Result<()> {
    words.iter().try_for_each(|word| output.write_all(&word.load(Ordering::Relaxed).to_le_bytes()))
}

pub fn open(file: Mmap, dims: usize, metric: Metric, threads: usize) -> Outcome<Graph> {
    let (header, sum_of_sums) = Header::read(&file)?;
    if (header.space.dims, header.space.metric) != (dims, metric) {
        return Err(Failure::argument(format!(
            "dims: the file holds {} vectors of {}, expected {} ones of {dims}",
            header.space.metric.name(),
            header.space.dims,
            metric.name()
        )));
    }
    let layout = header.layout();
    if file.len() != layout.end {
        return Err(Failure::corrupt(format!("it has {} bytes, expected {}", file.len(), layout.end)));
    }
    let table = &file[layout.sums..layout.end];
    if crc32fast::hash(table) != sum_of_sums {
        return Err(Failure::corrupt(format!("the checksums from byte {} on are damaged", layout.sums)));
    }
    let (sums, _) = table.as_chunks::<4>();
    let sums: Vec<u32> = sums.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
    if let Some(block) = first_wrong(&file[HEADER_BYTES..layout.sums], &sums, threads) {
        let from = HEADER_BYTES + block * BLOCK_BYTES;
        let to = (from + BLOCK_BYTES).min(layout.sums);
        return Err(Failure::corrupt(format!("the checksum of its bytes {from} to {to} does not fit")));
    }
    assemble(file, &header, &layout)
}

fn assemble(file: Mmap, header: &Header, layout: &Layout) -> Outcome<Graph> {
    let start = file.as_ptr();
    let column = |place: usize, stride: usize| Column::at(start.wrapping_add(place), stride);
    let columns = Columns {
        vectors: column(layout.vectors, header.space.row_bytes),
        numbers: column(layout.numbers, header.space.number_bytes()),
        labels: column(layout.labels, 4),
        links: column(layout.links, (header.shape.m * 2 + 1) * 4),
        upper_at: column(layout.upper_at, 4),
        upper: Column::words(start.wrapping_add(layout.upper)),
    };
    let mut graph = Graph::assemble(header.space, header.shape, columns, Memory::File(file, Vec::new()));
    graph.count = header.count;
    graph.upper_words = header.upper_words;
    graph.entry = header.entry;
    if graph.entry.is_some_and(|entry| graph.level(entry.id) != entry.level) {
        return Err(Failure::corrupt("its entry point is on another level than its header says"));
    }
    if !graph.note_labels(0, header.count) {
        return Err(Failure::corrupt("two of its vectors have one label"));
    }
    graph.duplicates = Duplicates::find_in(&graph);
    Ok(graph)
}
