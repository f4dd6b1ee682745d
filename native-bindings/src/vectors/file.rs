//! The graph's file: hnswlib's own format, so that hnswlib-node opens it.
//!
//! ```text
//! header 96 bytes │ elements: count × (links, vector, label) │ count × (u32 bytes, upper links)
//! ```
//!
//! hnswlib trusts what it reads, so nothing of a file reaches it unchecked: every size is held against the length of
//! the file, every link against the number of elements, every vector against its metric. The format has no place for
//! a checksum, but the level factor 1/ln(M) is a double of which six digits matter: its lower half carries a CRC-32 of
//! all the rest. Files that hnswlib wrote have the plain factor there and go without.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crc32fast::Hasher;

use super::distance::Metric;
use super::hnsw::{Hnsw, MAX_ELEMENTS};
use super::shim::Shape;
use crate::args::MAX_SQUARED_LENGTH;
use crate::durable::sync_folder;
use crate::errors::{Failure, Outcome};

pub const MAX_M: u32 = 1024;
pub const MAX_EF: u32 = 1_000_000;

const HEADER_BYTES: usize = 96;
const NO_ENTRY: u32 = u32::MAX;
/// M of 2 gives a level over this once in 2^53 elements.
const MAX_LEVELS: usize = 64;

/// As hnswlib writes it, field by field.
#[derive(Clone, Copy)]
struct Header {
    ground_offset: u64,
    capacity: u64,
    count: u64,
    bytes_per_element: u64,
    label_offset: u64,
    data_offset: u64,
    max_level: i32,
    entry: u32,
    max_m: u64,
    max_m0: u64,
    m: u64,
    level_factor: u64,
    ef_construction: u64,
}

impl Header {
    fn of(shape: &Shape) -> Self {
        Self {
            ground_offset: 0,
            // What a reader allocates at least.
            capacity: shape.count,
            count: shape.count,
            bytes_per_element: shape.bytes_per_element,
            label_offset: shape.label_offset,
            data_offset: shape.data_offset,
            max_level: shape.max_level,
            entry: shape.entry,
            max_m: shape.max_m,
            max_m0: shape.max_m0,
            m: shape.m,
            level_factor: plain_factor(shape.m),
            ef_construction: shape.ef_construction,
        }
    }

    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let levels = u64::from(self.max_level as u32) | u64::from(self.entry) << 32;
        let numbers = [
            self.ground_offset,
            self.capacity,
            self.count,
            self.bytes_per_element,
            self.label_offset,
            self.data_offset,
            levels,
            self.max_m,
            self.max_m0,
            self.m,
            self.level_factor,
            self.ef_construction,
        ];
        let mut bytes = [0; HEADER_BYTES];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Self {
        let (words, _) = bytes.as_chunks::<8>();
        let number = |at: usize| u64::from_le_bytes(words[at]);
        Self {
            ground_offset: number(0),
            capacity: number(1),
            count: number(2),
            bytes_per_element: number(3),
            label_offset: number(4),
            data_offset: number(5),
            max_level: number(6) as u32 as i32,
            entry: (number(6) >> 32) as u32,
            max_m: number(7),
            max_m0: number(8),
            m: number(9),
            level_factor: number(10),
            ef_construction: number(11),
        }
    }

    /// The header as the checksum sees it.
    fn without_checksum(mut self) -> Self {
        self.level_factor &= !0xFFFF_FFFF;
        self
    }

    fn with_checksum(mut self, checksum: u32) -> Self {
        self.level_factor = self.level_factor & !0xFFFF_FFFF | u64::from(checksum);
        self
    }

    /// Everything that can be known from the header alone.
    fn check(&self, dims: usize) -> Outcome<()> {
        let m_is_known = (2..=u64::from(MAX_M)).contains(&self.m);
        let consistent = self.ground_offset == 0
            && m_is_known
            && self.max_m == self.m
            && self.max_m0 == self.m * 2
            && self.data_offset == self.max_m0 * 4 + 4
            && self.label_offset > self.data_offset
            && (self.label_offset - self.data_offset).is_multiple_of(4)
            && self.label_offset.checked_add(8) == Some(self.bytes_per_element)
            && (self.m..=u64::from(MAX_EF)).contains(&self.ef_construction)
            && self.count <= MAX_ELEMENTS as u64
            && self.count <= self.capacity
            && self.level_factor >> 32 == plain_factor(self.m) >> 32;
        if !consistent {
            return Err(Failure::corrupt("its header contradicts itself"));
        }
        let found = (self.label_offset - self.data_offset) / 4;
        if found != dims as u64 {
            return Err(Failure::argument(format!(
                "dims: the file holds vectors of {found}, expected {dims}"
            )));
        }
        Ok(())
    }
}

fn plain_factor(m: u64) -> u64 {
    (1.0 / (m as f64).ln()).to_bits()
}

/// Writes a temporary file next to the target and renames it: the target is the old file or the new one, never a part.
pub fn save(graph: &Hnsw, path: &Path) -> Outcome<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}-{number}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let saved = write(graph, &temporary).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = saved {
        let _ = fs::remove_file(&temporary);
        return Err(Failure::io("write the graph to", path, &error));
    }
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

fn write(graph: &Hnsw, path: &Path) -> io::Result<()> {
    let shape = graph.shape();
    let header = Header::of(&shape);
    let file = File::create(path)?;
    let mut output = Summed { inner: BufWriter::with_capacity(1 << 20, file), sum: Hasher::new() };
    output.write_all(&header.without_checksum().to_bytes())?;
    output.write_all(graph.elements(&shape, graph.len()))?;
    for id in 0..graph.len() as u32 {
        let upper = graph.upper(id);
        output.write_all(&(upper.len() as u32).to_le_bytes())?;
        output.write_all(upper)?;
    }
    let mut file = output.inner.into_inner()?;
    file.rewind()?;
    file.write_all(&header.with_checksum(output.sum.finalize()).to_bytes())?;
    file.sync_all()
}

/// Reads, checks everything, and only then lets hnswlib have it.
pub fn load(path: &Path, dims: usize, metric: Metric) -> Outcome<Hnsw> {
    let file = File::open(path).map_err(|error| Failure::io("open the graph", path, &error))?;
    let bytes = file.metadata().map_err(|error| Failure::io("open the graph", path, &error))?.len();
    let input = Summed { inner: BufReader::with_capacity(1 << 20, file), sum: Hasher::new() };
    read(input, bytes, dims, metric).map_err(|mut failure| {
        failure.message = format!("the graph in {} cannot be loaded: {}", path.display(), failure.message);
        failure
    })
}

fn read<R: Read>(mut input: Summed<R>, file_bytes: u64, dims: usize, metric: Metric) -> Outcome<Hnsw> {
    let mut bytes = [0; HEADER_BYTES];
    input.inner.read_exact(&mut bytes).map_err(unreadable)?;
    let header = Header::from_bytes(&bytes);
    header.check(dims)?;
    input.sum.update(&header.without_checksum().to_bytes());
    let count = header.count as usize;
    // The smallest file with so many elements; sizes are at most 2^31 · 2^19 and do not overflow.
    let smallest = HEADER_BYTES as u64 + header.count * (header.bytes_per_element + 4);
    if file_bytes < smallest {
        return Err(Failure::corrupt(format!("{count} elements need {smallest} bytes, it has {file_bytes}")));
    }

    let mut graph = Hnsw::new(dims, metric, header.m as usize, header.ef_construction as usize, count)?;
    let shape = graph.shape();
    input.read_exact(graph.elements_mut(&shape, count)).map_err(unreadable)?;
    let levels = read_upper(&mut input, &mut graph, &shape, count)?;
    if input.inner.read(&mut [0]).map_err(unreadable)? != 0 {
        return Err(Failure::corrupt("it goes on after its last element"));
    }
    let checksum = input.sum.finalize();
    if header.level_factor != plain_factor(header.m) && header.level_factor as u32 != checksum {
        return Err(Failure::corrupt("its checksum does not fit its content"));
    }
    check_links(&graph, &shape, &levels)?;
    check_entry(&header, &levels)?;
    check_vectors(&graph, &shape, count, metric)?;
    graph.restore_finish(count, header.max_level, header.entry)?;
    Ok(graph)
}

/// Reads the links above the ground level; returns the level of each element.
fn read_upper(input: &mut impl Read, graph: &mut Hnsw, shape: &Shape, count: usize) -> Outcome<Vec<u8>> {
    let bytes_per_level = shape.bytes_per_level as usize;
    let mut levels = vec![0; count];
    for (id, level) in levels.iter_mut().enumerate() {
        let mut bytes = [0; 4];
        input.read_exact(&mut bytes).map_err(unreadable)?;
        let bytes = u32::from_le_bytes(bytes) as usize;
        if bytes == 0 {
            continue;
        }
        if !bytes.is_multiple_of(bytes_per_level) || bytes / bytes_per_level > MAX_LEVELS {
            return Err(Failure::corrupt(format!("element {id} has {bytes} bytes of upper links")));
        }
        *level = (bytes / bytes_per_level) as u8;
        input.read_exact(graph.restore_upper(id as u32, bytes)?).map_err(unreadable)?;
    }
    Ok(levels)
}

fn check_links(graph: &Hnsw, shape: &Shape, levels: &[u8]) -> Outcome<()> {
    let elements = graph.elements(shape, levels.len());
    for (id, element) in elements.chunks_exact(shape.bytes_per_element as usize).enumerate() {
        check_list(element, shape.max_m0, id, 0, levels)?;
        for level in 0..levels[id] {
            let list = &graph.upper(id as u32)[level as usize * shape.bytes_per_level as usize..];
            check_list(list, shape.max_m, id, level + 1, levels)?;
        }
    }
    Ok(())
}

/// One list of links: how many, then the ids. The bytes above the count hold hnswlib's delete mark, which Sluice never
/// sets.
fn check_list(list: &[u8], most: u64, id: usize, level: u8, levels: &[u8]) -> Outcome<()> {
    let (words, _) = list.as_chunks::<4>();
    let count = u32::from_le_bytes(words[0]);
    if u64::from(count) > most {
        return Err(Failure::corrupt(format!("element {id} has {count} links on level {level}")));
    }
    for link in &words[1..=count as usize] {
        let link = u32::from_le_bytes(*link) as usize;
        if link == id || levels.get(link).is_none_or(|reached| *reached < level) {
            return Err(Failure::corrupt(format!("element {id} links to {link} on level {level}")));
        }
    }
    Ok(())
}

fn check_entry(header: &Header, levels: &[u8]) -> Outcome<()> {
    let right = match levels.iter().max() {
        None => header.max_level == -1 && header.entry == NO_ENTRY,
        Some(highest) => {
            header.max_level == i32::from(*highest) && levels.get(header.entry as usize) == Some(highest)
        }
    };
    if right { Ok(()) } else { Err(Failure::corrupt("its entry point is not on its highest level")) }
}

fn check_vectors(graph: &Hnsw, shape: &Shape, count: usize, metric: Metric) -> Outcome<()> {
    let elements = graph.elements(shape, count);
    let vector = shape.data_offset as usize..shape.label_offset as usize;
    for (id, element) in elements.chunks_exact(shape.bytes_per_element as usize).enumerate() {
        let (values, _) = element[vector.clone()].as_chunks::<4>();
        let squares: f64 = values.iter().map(|value| f64::from(f32::from_le_bytes(*value)).powi(2)).sum();
        let unit = squares == 0.0 || (squares - 1.0).abs() < 1e-3;
        if squares.is_nan() || squares > MAX_SQUARED_LENGTH || metric == Metric::Cosine && !unit {
            return Err(Failure::corrupt(format!(
                "the vector of element {id} has a length of {}",
                squares.sqrt()
            )));
        }
    }
    Ok(())
}

fn unreadable(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Failure::corrupt("it ends too early"),
        _ => Failure::new(crate::errors::Code::Failed, error.to_string()),
    }
}

/// A reader or writer that sums what passes through.
struct Summed<T> {
    inner: T,
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

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}
