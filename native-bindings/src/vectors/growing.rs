//! Graphs in memory: new ones, and copies of opened ones, which may then grow on.

use std::sync::atomic::Ordering;

use super::column::{Blocks, Column, Room};
use super::graph::{Columns, Graph, Memory, Shape};
use super::insert::{UPPER_BLOCK_SHIFT, UPPER_BLOCK_WORDS};
use super::space::Space;
use super::spill::Spill;
use crate::errors::{Code, Failure, Outcome};

/// Bytes of vectors in a block, about: small enough that little of the last one is unused.
const BLOCK_BYTES: usize = 8 << 20;

impl Graph {
    /// An empty graph, whose vectors go into `spill` where there is one.
    pub fn growing(space: Space, shape: Shape, spill: Option<Spill>) -> Self {
        let shift = (BLOCK_BYTES / space.row_bytes).max(1).ilog2().clamp(6, 14);
        let columns = Columns {
            vectors: Column::growing(shift, space.row_bytes),
            numbers: Column::growing(shift, space.number_bytes()),
            labels: Column::growing(shift, 4),
            links: Column::growing(shift, (shape.m * 2 + 1) * 4),
            upper_at: Column::growing(shift, 4),
            upper: Column::growing(UPPER_BLOCK_SHIFT, 4),
        };
        Self::assemble(space, shape, columns, Memory::Blocks(Blocks::spilling(spill)))
    }

    /// The same graph in memory of its own, or with its vectors in a file of its own.
    pub fn copied(source: &Graph, spill: Option<Spill>) -> Outcome<Self> {
        let mut graph = Self::growing(source.space, source.shape, spill);
        let size = source.len() as u32;
        let levels: Vec<u32> = (0..size).map(|id| source.level(id)).collect();
        graph.make_room(&levels)?;
        for id in 0..size {
            graph.store(id, source.label(id), source.row(id));
            for level in 0..=levels[id as usize] {
                for (to, from) in graph.list(id, level).iter().zip(source.list(id, level)) {
                    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            }
        }
        graph.count = source.len();
        graph.entry = source.entry;
        if !graph.note_labels(0, source.len()) {
            return Err(Failure::corrupt("two elements have one label"));
        }
        graph.duplicates = super::duplicates::Duplicates::find_in(&graph);
        Ok(graph)
    }

    /// Makes room for new rows on these levels. A failure leaves the graph as it was.
    pub fn make_room(&mut self, levels: &[u32]) -> Outcome<()> {
        let rows = self.count + levels.len();
        let mut words = self.upper_words;
        let starts: Vec<usize> = levels.iter().map(|level| self.upper_place(*level, &mut words)).collect();
        if words > u32::MAX as usize {
            return Err(Failure::new(Code::Failed, "the graph has too many links above the ground level"));
        }
        let Memory::Blocks(blocks) = &mut self.memory else {
            return Err(Failure::new(Code::Failed, "a mapped graph cannot grow, this is a bug"));
        };
        let Columns { vectors, numbers, labels, links, upper_at, upper } = &mut self.columns;
        vectors.grow(rows, blocks, Room::File)?;
        for column in [numbers, labels, links, upper_at] {
            column.grow(rows, blocks, Room::Memory)?;
        }
        upper.grow(words, blocks, Room::Memory)?;
        self.upper_words = words;
        let bytes_a_level = self.list_words(1) as u32 * 4;
        for (at, (start, level)) in
            starts.iter().zip(levels).enumerate().filter(|(_, (_, level))| **level > 0)
        {
            let at = unsafe { self.columns.upper_at.number((self.count + at) as u32) };
            let bytes = unsafe { self.columns.upper.number(*start as u32) };
            bytes.store(level * bytes_a_level, Ordering::Relaxed);
            at.store(*start as u32 + 1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Where the upper lists of an id start, if `words` are in use; none lies across two blocks.
    fn upper_place(&self, level: u32, words: &mut usize) -> usize {
        if level == 0 {
            return 0;
        }
        let needed = 1 + level as usize * self.list_words(1);
        if *words / UPPER_BLOCK_WORDS != (*words + needed - 1) / UPPER_BLOCK_WORDS {
            *words = words.next_multiple_of(UPPER_BLOCK_WORDS);
        }
        let start = *words;
        *words += needed;
        start
    }
}
