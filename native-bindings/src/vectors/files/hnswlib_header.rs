//! The header of hnswlib's files, field by field, 96 bytes.
//!
//! The format has no place for a checksum, but the level factor 1/ln(M) is a double of which six digits matter: its
//! lower half carries a CRC-32 of all the rest. Files that hnswlib wrote have the plain factor there and go without.

use super::super::graph::{Graph, MAX_EF, MAX_ELEMENTS, MAX_M};
use super::super::space::Precision;
use super::Description;
use crate::errors::{Failure, Outcome};

pub const HEADER_BYTES: usize = 96;
pub const NO_ENTRY: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub struct Header {
    ground_offset: u64,
    capacity: u64,
    pub count: u64,
    pub bytes_per_element: u64,
    pub label_offset: u64,
    pub data_offset: u64,
    pub max_level: i32,
    pub entry: u32,
    max_m: u64,
    max_m0: u64,
    pub m: u64,
    level_factor: u64,
    pub ef_construction: u64,
}

impl Header {
    pub fn of(graph: &Graph) -> Self {
        let m = graph.shape.m as u64;
        let data_offset = graph.list_words(0) as u64 * 4;
        let label_offset = data_offset + graph.space.row_bytes as u64;
        Self {
            ground_offset: 0,
            // What a reader allocates at least.
            capacity: graph.len() as u64,
            count: graph.len() as u64,
            bytes_per_element: label_offset + 8,
            label_offset,
            data_offset,
            max_level: graph.entry.map_or(-1, |entry| entry.level as i32),
            entry: graph.entry.map_or(NO_ENTRY, |entry| entry.id),
            max_m: m,
            max_m0: m * 2,
            m,
            level_factor: plain_factor(m),
            ef_construction: graph.shape.ef_construction as u64,
        }
    }

    pub fn to_bytes(self) -> [u8; HEADER_BYTES] {
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

    pub fn from_bytes(bytes: &[u8]) -> Outcome<Self> {
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(Failure::corrupt(format!("it ends at byte {}, inside its header", bytes.len())));
        };
        let (words, _) = bytes.as_chunks::<8>();
        let number = |at: usize| u64::from_le_bytes(words[at]);
        let header = Self {
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
        };
        match header.consistent() {
            true => Ok(header),
            false => Err(Failure::corrupt("its header (bytes 0 to 96) contradicts itself")),
        }
    }

    /// The header as the checksum sees it.
    pub fn without_checksum(mut self) -> Self {
        self.level_factor &= !0xFFFF_FFFF;
        self
    }

    pub fn with_checksum(mut self, checksum: u32) -> Self {
        self.level_factor = self.level_factor & !0xFFFF_FFFF | u64::from(checksum);
        self
    }

    /// None in files that hnswlib wrote.
    pub fn checksum(&self) -> Option<u32> {
        (self.level_factor != plain_factor(self.m)).then_some(self.level_factor as u32)
    }

    pub fn dims(&self) -> usize {
        ((self.label_offset - self.data_offset) / 4) as usize
    }

    fn consistent(&self) -> bool {
        self.ground_offset == 0
            && (2..=u64::from(MAX_M)).contains(&self.m)
            && self.max_m == self.m
            && self.max_m0 == self.m * 2
            && self.data_offset == self.max_m0 * 4 + 4
            && self.label_offset > self.data_offset
            && (self.label_offset - self.data_offset).is_multiple_of(4)
            && self.label_offset.checked_add(8) == Some(self.bytes_per_element)
            && self.bytes_per_element < 1 << 20
            && (self.m..=u64::from(MAX_EF)).contains(&self.ef_construction)
            && self.count <= MAX_ELEMENTS as u64
            && self.count <= self.capacity
            && self.level_factor >> 32 == plain_factor(self.m) >> 32
    }
}

fn plain_factor(m: u64) -> u64 {
    (1.0 / (m as f64).ln()).to_bits()
}

pub fn describe(start: &[u8]) -> Outcome<Description> {
    let header = Header::from_bytes(start)?;
    Ok(Description {
        precision: Precision::Float32,
        dims: header.dims(),
        metric: None,
        m: header.m as usize,
        ef_construction: header.ef_construction as usize,
        count: header.count as usize,
        note: String::new(),
    })
}
