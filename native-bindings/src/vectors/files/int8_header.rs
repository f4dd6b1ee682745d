//! The header of an int8 graph file: a page of its own.
//!
//! ```text
//! magic 8 │ 24 numbers of 8 bytes, see `Header` │ note │ zeros … │ CRC-32 of the block sums │ CRC-32 of the page
//! ```

use super::super::graph::{Entry, Graph, MAX_EF, MAX_ELEMENTS, MAX_LEVELS, MAX_M, Shape};
use super::super::metric::Metric;
use super::super::space::{Precision, Space};
use super::Description;
use super::sums::BLOCK_BYTES;
use crate::errors::{Failure, Outcome};

pub const HEADER_BYTES: usize = 4096;
pub const MAX_NOTE_BYTES: usize = 2048;
const MAGIC: [u8; 8] = *b"SluiceG8";
const VERSION: u64 = 1;
const NO_ENTRY: u64 = u64::MAX;
const NUMBERS: usize = 20;
const NOTE_AT: usize = 8 + NUMBERS * 8;

pub fn is_int8(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

/// Where the sections start. Each starts a cache line, vectors a page; the sums of their blocks come last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub vectors: usize,
    pub numbers: usize,
    pub labels: usize,
    pub links: usize,
    pub upper_at: usize,
    pub upper: usize,
    pub sums: usize,
    pub end: usize,
}

pub struct Header {
    pub space: Space,
    pub shape: Shape,
    pub count: usize,
    pub entry: Option<Entry>,
    pub upper_words: usize,
    pub note: String,
}

impl Header {
    pub fn of(graph: &Graph, note: &str) -> Self {
        Self {
            space: graph.space,
            shape: graph.shape,
            count: graph.len(),
            entry: graph.entry,
            upper_words: graph.upper_words,
            note: note.to_owned(),
        }
    }

    pub fn layout(&self) -> Layout {
        let after = |start: usize, bytes: usize| (start + bytes).next_multiple_of(64);
        let vectors = HEADER_BYTES;
        let numbers = after(vectors, self.count * self.space.row_bytes);
        let labels = after(numbers, self.count * self.space.number_bytes());
        let links = after(labels, self.count * 4);
        let upper_at = after(links, self.count * (self.shape.m * 2 + 1) * 4);
        let upper = after(upper_at, self.count * 4);
        let sums = after(upper, self.upper_words * 4);
        let blocks = (sums - HEADER_BYTES).div_ceil(BLOCK_BYTES);
        Layout { vectors, numbers, labels, links, upper_at, upper, sums, end: sums + blocks * 4 }
    }

    pub fn to_bytes(&self, sum_of_sums: u32) -> [u8; HEADER_BYTES] {
        let layout = self.layout();
        let numbers: [u64; NUMBERS] = [
            VERSION,
            8,
            u64::from(self.space.metric.number()),
            self.space.dims as u64,
            self.shape.m as u64,
            self.shape.ef_construction as u64,
            self.shape.seed,
            self.count as u64,
            self.entry.map_or(NO_ENTRY, |entry| u64::from(entry.id)),
            self.entry.map_or(0, |entry| u64::from(entry.level)),
            self.upper_words as u64,
            layout.vectors as u64,
            layout.numbers as u64,
            layout.labels as u64,
            layout.links as u64,
            layout.upper_at as u64,
            layout.upper as u64,
            layout.sums as u64,
            layout.end as u64,
            self.note.len() as u64,
        ];
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        for (place, number) in bytes[8..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes[NOTE_AT..NOTE_AT + self.note.len()].copy_from_slice(self.note.as_bytes());
        bytes[HEADER_BYTES - 8..HEADER_BYTES - 4].copy_from_slice(&sum_of_sums.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..HEADER_BYTES - 4]);
        bytes[HEADER_BYTES - 4..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The header and the sum of the sums. Everything that can be known from this page alone is checked.
    pub fn read(page: &[u8]) -> Outcome<(Self, u32)> {
        let Some(page) = page.first_chunk::<HEADER_BYTES>() else {
            return Err(Failure::corrupt(format!("it ends at byte {}, inside its header", page.len())));
        };
        let (words, _) = page[8..].as_chunks::<8>();
        let number = |at: usize| u64::from_le_bytes(words[at]);
        if number(0) != VERSION {
            return Err(Failure::corrupt(format!(
                "its header is of version {}, expected {VERSION}",
                number(0)
            )));
        }
        let sum_at = |at: usize| u32::from_le_bytes([page[at], page[at + 1], page[at + 2], page[at + 3]]);
        if crc32fast::hash(&page[..HEADER_BYTES - 4]) != sum_at(HEADER_BYTES - 4) {
            return Err(Failure::corrupt("the checksum of its header (bytes 0 to 4,096) does not fit"));
        }
        let header = Self::from_numbers(&number, page)
            .ok_or_else(|| Failure::corrupt("its header (bytes 0 to 4,096) contradicts itself"))?;
        Ok((header, sum_at(HEADER_BYTES - 8)))
    }

    fn from_numbers(number: &impl Fn(usize) -> u64, page: &[u8]) -> Option<Self> {
        let within = |at: usize, most: u64| Some(number(at)).filter(|number| *number <= most);
        let metric = Metric::of_number(within(2, 2)? as u32)?;
        let dims = within(3, u64::from(super::super::vector_graph::MAX_DIMS))?.max(1) as usize;
        let shape = Shape {
            m: within(4, u64::from(MAX_M))?.max(2) as usize,
            ef_construction: within(5, u64::from(MAX_EF))? as usize,
            seed: number(6),
        };
        let count = within(7, MAX_ELEMENTS as u64)? as usize;
        let entry = match number(8) {
            NO_ENTRY if count == 0 => None,
            id if id < count as u64 => {
                Some(Entry { id: id as u32, level: within(9, u64::from(MAX_LEVELS))? as u32 })
            }
            _ => return None,
        };
        let note = page.get(NOTE_AT..NOTE_AT + within(19, MAX_NOTE_BYTES as u64)? as usize)?;
        let header = Self {
            space: Space::new(dims, metric, Precision::Int8),
            shape,
            count,
            entry,
            upper_words: within(10, u64::from(u32::MAX))? as usize,
            note: String::from_utf8(note.to_vec()).ok()?,
        };
        let layout = header.layout();
        let Layout { vectors, numbers, labels, links, upper_at, upper, sums, end } = layout;
        let places = [vectors, numbers, labels, links, upper_at, upper, sums, end];
        let as_written = places.iter().enumerate().all(|(at, place)| number(11 + at) == *place as u64);
        (number(1) == 8 && as_written).then_some(header)
    }
}

pub fn describe(page: &[u8]) -> Outcome<Description> {
    let (header, _) = Header::read(page)?;
    Ok(Description {
        precision: Precision::Int8,
        dims: header.space.dims,
        metric: Some(header.space.metric),
        m: header.shape.m,
        ef_construction: header.shape.ef_construction,
        count: header.count,
        note: header.note,
    })
}
