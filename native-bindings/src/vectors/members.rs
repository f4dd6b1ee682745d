//! Which nodes a filter allows, as bits by id. A walk asks this of every neighbour of every neighbour: by label it would
//! wait for the column of labels each time, and look for copies in a map.

use super::graph::Graph;
use super::labels::Labels;
use crate::args::Bitset;

pub struct Members {
    words: Vec<u64>,
}

impl Members {
    /// A node is in if its own label is allowed or that of a copy.
    pub fn find(graph: &Graph, allow: &Bitset) -> Self {
        let size = graph.len();
        let mut words = vec![0u64; size.div_ceil(64)];
        let contiguous = matches!(graph.labels, Labels::Ascending);
        for (at, word) in words.iter_mut().enumerate() {
            let from = at * 64;
            let to = (from + 64).min(size);
            let (first, last) = (graph.label(from as u32), graph.label(to as u32 - 1));
            if contiguous && to - from == 64 && last - first == 63 {
                *word = allow.word_at(first);
                continue;
            }
            for id in from..to {
                *word |= u64::from(allow.contains(graph.label(id as u32))) << (id - from);
            }
        }
        for (original, copies) in graph.duplicates.groups() {
            if copies.iter().any(|copy| allow.contains(graph.label(*copy))) {
                words[original as usize >> 6] |= 1 << (original & 63);
            }
        }
        Self { words }
    }

    #[inline(always)]
    pub fn contains(&self, id: u32) -> bool {
        self.words[id as usize >> 6] >> (id & 63) & 1 == 1
    }
}
