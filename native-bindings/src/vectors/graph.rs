//! A graph: vectors, labels and links by id. Ids are dense from 0 in the order of insertion, labels are the callers'.
//! The same type stands for a graph in memory, which grows, and for a mapped file, which is only read.
//!
//! ```text
//! links     by id: count, then up to 2M ids            ground level
//! upper_at  by id: word of `upper` + 1, or 0           0 for the most, which are on the ground level alone
//! upper     words: bytes of what follows, then a list of count and up to M ids for each level from 1 on
//! ```
//!
//! Links are read without a lock while others write them: each number is atomic, a list only ever holds ids that exist,
//! and one that is half rewritten costs a neighbour, not a crash. Whatever is read as an id is compared with the number
//! of vectors before it is used, so a file that somebody changes under a reader does no more harm than that.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use memmap2::Mmap;

use super::column::{Blocks, Column};
use super::duplicates::Duplicates;
use super::kernels::prefetch;
use super::labels::Labels;
use super::scratch::Scratch;
use super::space::{Query, Row, Space};

/// Ids and their marks share a word in places.
pub const MAX_ELEMENTS: usize = i32::MAX as usize;
/// M of 2 gives a level over this once in 2^53 elements.
pub const MAX_LEVELS: u32 = 64;
pub const MAX_M: u32 = 1024;
pub const MAX_EF: u32 = 1_000_000;

/// The count of a list fills its lower half. The top bit is the lock of whoever changes the lists of this id.
const COUNT_MASK: u32 = 0xFFFF;
pub const LOCK: u32 = 1 << 31;

/// How a graph was asked to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub m: usize,
    pub ef_construction: usize,
    pub seed: u64,
}

/// Where walks start: an id on the highest level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: u32,
    pub level: u32,
}

pub struct Columns {
    pub vectors: Column,
    pub numbers: Column,
    pub labels: Column,
    pub links: Column,
    pub upper_at: Column,
    pub upper: Column,
}

/// What keeps the columns alive; nobody asks it anything else.
#[allow(dead_code)]
pub enum Memory {
    Blocks(Blocks),
    /// With columns that the file does not hold.
    File(Mmap, Vec<u32>),
}

pub struct Graph {
    pub space: Space,
    pub shape: Shape,
    pub columns: Columns,
    pub memory: Memory,
    pub count: usize,
    pub upper_words: usize,
    pub entry: Option<Entry>,
    pub labels: Labels,
    pub duplicates: Duplicates,
    scratches: Mutex<Vec<Scratch>>,
}

impl Graph {
    pub fn assemble(space: Space, shape: Shape, columns: Columns, memory: Memory) -> Self {
        Self {
            space,
            shape,
            columns,
            memory,
            count: 0,
            upper_words: 0,
            entry: None,
            labels: Labels::default(),
            duplicates: Duplicates::default(),
            scratches: Mutex::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Links that fit into a list of this level.
    pub fn max_links(&self, level: u32) -> usize {
        if level == 0 { self.shape.m * 2 } else { self.shape.m }
    }

    /// Words of a list of this level, the count included.
    pub fn list_words(&self, level: u32) -> usize {
        self.max_links(level) + 1
    }

    #[inline(always)]
    pub fn label(&self, id: u32) -> u32 {
        unsafe { self.columns.labels.number(id).load(Ordering::Relaxed) }
    }

    #[inline(always)]
    pub fn row(&self, id: u32) -> Row<'_> {
        let bytes = unsafe { std::slice::from_raw_parts(self.columns.vectors.row(id), self.space.row_bytes) };
        let numbers = unsafe { self.columns.numbers.numbers(id, self.space.number_bytes() / 4) };
        let number = |at: usize| numbers.get(at).map(|bits| f32::from_bits(bits.load(Ordering::Relaxed)));
        Row { bytes, scale: number(0).unwrap_or(1.0), square: number(1).unwrap_or(0.0) }
    }

    #[inline(always)]
    pub fn distance(&self, query: &Query, id: u32) -> f32 {
        self.space.distance(query, self.row(id))
    }

    #[inline(always)]
    pub fn prefetch_row(&self, id: u32) {
        self.space.prefetch(self.columns.vectors.row(id));
        prefetch(self.columns.numbers.row(id));
    }

    #[inline(always)]
    pub fn prefetch_links(&self, id: u32) {
        let list = self.columns.links.row(id);
        for line in 0..(self.list_words(0) * 4).div_ceil(64).min(4) {
            prefetch(list.wrapping_add(line * 64));
        }
    }

    /// A whole list, the count first. On levels above its own an id has an empty one.
    #[inline(always)]
    pub fn list(&self, id: u32, level: u32) -> &[AtomicU32] {
        if level == 0 {
            return unsafe { self.columns.links.numbers(id, self.list_words(0)) };
        }
        let at = unsafe { self.columns.upper_at.number(id).load(Ordering::Relaxed) } as usize;
        let words = self.list_words(level);
        let start = at + (level as usize - 1) * words;
        if at == 0 || level > self.level(id) || start + words > self.upper_words {
            return &[];
        }
        unsafe { self.columns.upper.numbers(start as u32, words) }
    }

    pub fn level(&self, id: u32) -> u32 {
        let at = unsafe { self.columns.upper_at.number(id).load(Ordering::Relaxed) } as usize;
        if at == 0 || at > self.upper_words {
            return 0;
        }
        let bytes = unsafe { self.columns.upper.number(at as u32 - 1).load(Ordering::Relaxed) };
        bytes / (4 * self.list_words(1) as u32)
    }

    /// Ids that a list holds, each of which exists.
    #[inline(always)]
    pub fn links(&self, id: u32, level: u32) -> impl Iterator<Item = u32> + '_ {
        let list = self.list(id, level);
        let count = list.first().map_or(0, |count| count_of(count)).min(list.len().saturating_sub(1));
        let links = if count == 0 { &[] } else { &list[1..=count] };
        let size = self.count as u32;
        links.iter().map(|link| link.load(Ordering::Relaxed)).filter(move |link| *link < size)
    }

    pub fn take_scratch(&self) -> Scratch {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub fn give_back(&self, scratch: Scratch) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }
}

/// The number of links in a list, without marks.
#[inline(always)]
pub fn count_of(word: &AtomicU32) -> usize {
    (word.load(Ordering::Acquire) & COUNT_MASK) as usize
}
