//! Equal vectors are one node of the graph.
//!
//! hnswlib links a node to its nearest neighbours, so a thousand copies of one vector link only to each other: walks
//! that enter the cluster never leave it, and what lies behind is lost. Here the first of equal vectors, the original,
//! is a node, and the others are elements that no walk visits: their only link leads to the original. They lie in the
//! file like any element, so hnswlib still opens it, and a load finds them again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::hnsw::{Hnsw, Rows};

type ByHash = HashMap<u64, u32, BuildHasherDefault<Already>>;

#[derive(Default)]
pub struct Duplicates {
    /// Id of the original by the hash of its vector.
    originals: ByHash,
    /// Labels of the duplicates by the label of the original.
    groups: HashMap<u32, Vec<u32>>,
}

impl Duplicates {
    /// Id of the original with this vector.
    pub fn original(&self, hash: u64, row: &[f32], rows: Rows) -> Option<u32> {
        self.originals.get(&hash).copied().filter(|id| same(rows.get(*id), row))
    }

    /// Two different vectors with one hash: the later one just has no duplicates found.
    pub fn add_original(&mut self, hash: u64, id: u32) {
        self.originals.entry(hash).or_insert(id);
    }

    pub fn add_duplicate(&mut self, original: u32, duplicate: u32) {
        self.groups.entry(original).or_default().push(duplicate);
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Labels of the duplicates of a label.
    pub fn of(&self, original: u32) -> &[u32] {
        self.groups.get(&original).map_or(&[], Vec::as_slice)
    }

    /// Finds the duplicates of a loaded graph by what [`Hnsw::append_duplicate`] makes of them.
    pub fn find_in(graph: &Hnsw) -> Self {
        let mut found = Self::default();
        let shape = graph.shape();
        let rows = graph.rows();
        let elements = graph.elements(&shape, graph.len());
        for (id, element) in (0..).zip(elements.chunks_exact(shape.bytes_per_element as usize)) {
            let only_link = match read_u32s(element) {
                (1, link) if link < id && graph.upper(id).is_empty() => Some(link),
                _ => None,
            };
            match only_link.filter(|link| same(rows.get(*link), rows.get(id))) {
                Some(original) => {
                    let labels = graph.labels();
                    found.add_duplicate(labels[original as usize], labels[id as usize]);
                }
                None => found.add_original(hash(rows.get(id)), id),
            }
        }
        found
    }
}

/// Number of links and the first one.
fn read_u32s(element: &[u8]) -> (u32, u32) {
    let number =
        |at: usize| u32::from_ne_bytes([element[at], element[at + 1], element[at + 2], element[at + 3]]);
    (number(0), number(4))
}

/// Equal bit by bit.
pub fn same(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

pub fn hash(row: &[f32]) -> u64 {
    row.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    })
}

/// Keys of the map are hashes already.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("keys are u64")
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
