//! Building a graph: Malkov and Yashunin's insertion, on many threads. Each vector looks for its neighbours on the
//! levels that it lies on, links to those that the heuristic chooses, and is linked back.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::graph::{Entry, Graph, LOCK, MAX_ELEMENTS, MAX_LEVELS, count_of};
use super::scratch::Scratch;
use super::space::{Query, Row};
use super::threads::on_threads;
use crate::errors::{Code, Failure, Outcome};

/// Tries before a waiting thread lets others run: there may be more threads than cores.
const SPINS: u32 = 100;
const NO_ENTRY: u64 = u64::MAX;

/// What the threads of one batch share beside the graph.
struct Batch<'a> {
    graph: &'a Graph,
    /// Level and id of the entry, as one number.
    entry: AtomicU64,
    /// Held by whoever raises the entry.
    raising: Mutex<()>,
    /// Original and copy.
    copies: Mutex<Vec<(u32, u32)>>,
}

impl Graph {
    /// Adds vectors that went through `Metric::prepare`. The labels are new: the caller has checked that.
    pub fn insert(&mut self, labels: &[u32], vectors: &[f32], threads: usize) -> Outcome<()> {
        let first = self.count;
        let end = first + labels.len();
        if end > MAX_ELEMENTS {
            return Err(Failure::argument(format!("labels: a graph holds at most {MAX_ELEMENTS} vectors")));
        }
        let factor = 1.0 / (self.shape.m as f64).ln();
        let levels: Vec<u32> = labels.iter().map(|label| level(self.shape.seed, *label, factor)).collect();
        self.make_room(&levels)?;
        for (at, vector) in vectors.chunks_exact(self.space.dims).enumerate() {
            let own = self.space.encode(vector);
            self.store((first + at) as u32, labels[at], own.row());
        }
        self.count = end;
        if !self.note_labels(first, end) {
            return Err(Failure::new(Code::Failed, "the graph holds a label twice, this is a bug"));
        }
        self.link(first as u32..end as u32, threads);
        Ok(())
    }

    /// Writes the row of an id for which there is room.
    pub fn store(&self, id: u32, label: u32, row: Row) {
        assert_eq!(row.bytes.len(), self.space.row_bytes);
        unsafe {
            self.columns.vectors.row(id).copy_from_nonoverlapping(row.bytes.as_ptr(), row.bytes.len());
            self.columns.labels.number(id).store(label, Ordering::Relaxed);
            let numbers = self.columns.numbers.numbers(id, self.space.number_bytes() / 4);
            for (place, number) in numbers.iter().zip([row.scale, row.square]) {
                place.store(number.to_bits(), Ordering::Relaxed);
            }
        }
    }

    fn link(&mut self, ids: std::ops::Range<u32>, threads: usize) {
        let batch = Batch {
            graph: self,
            entry: AtomicU64::new(self.entry.map_or(NO_ENTRY, pack)),
            raising: Mutex::default(),
            copies: Mutex::default(),
        };
        let next = AtomicUsize::new(ids.start as usize);
        let work = || {
            let mut scratch = batch.graph.take_scratch();
            loop {
                let id = next.fetch_add(1, Ordering::Relaxed);
                if id >= ids.end as usize {
                    break;
                }
                batch.link(id as u32, &mut scratch);
            }
            batch.graph.give_back(scratch);
        };
        on_threads(threads.min(ids.len()).max(1), work);
        let entry = batch.entry.into_inner();
        let mut copies = batch.copies.into_inner().unwrap_or_default();
        copies.sort_unstable();
        self.entry = unpack(entry);
        for (original, copy) in copies {
            self.duplicates.add(original, copy);
        }
    }

    /// The candidates, nearest first, that no chosen one is nearer to than the vector itself is: links into every
    /// direction, not only into the nearest cluster.
    fn choose(&self, candidates: &[(f32, u32)], most: usize, chosen: &mut Vec<(f32, u32)>) {
        chosen.clear();
        if candidates.len() < most {
            chosen.extend_from_slice(candidates);
            return;
        }
        for (distance, id) in candidates {
            if chosen.len() >= most {
                return;
            }
            let query = self.space.query(self.row(*id));
            if chosen.iter().all(|(_, other)| self.distance(&query, *other) >= *distance) {
                chosen.push((*distance, *id));
            }
        }
    }
}

impl Batch<'_> {
    fn link(&self, id: u32, scratch: &mut Scratch) {
        let graph = self.graph;
        let level = graph.level(id);
        let mut raising = None;
        let mut entry = unpack(self.entry.load(Ordering::Acquire));
        if entry.is_none_or(|entry| level > entry.level) {
            raising = Some(self.raising.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
            entry = unpack(self.entry.load(Ordering::Acquire));
        }
        let Some(entry) = entry else {
            self.entry.store(pack(Entry { id, level }), Ordering::Release);
            return;
        };
        if level <= entry.level {
            raising = None;
        }
        let query = graph.space.query(graph.row(id));
        let top = level.min(entry.level);
        let mut from = graph.descend(&query, entry, top);
        let mut links: [Vec<(f32, u32)>; 1 + MAX_LEVELS as usize] = [const { Vec::new() }; 65];
        for at in (0..=top).rev() {
            graph.walk(&query, from, graph.shape.ef_construction, at, scratch);
            scratch.candidates.clear();
            scratch.candidates.extend(scratch.nearest.iter().filter(|(_, other)| *other != id));
            let Some(nearest) = scratch.candidates.first() else { continue };
            from = *nearest;
            if at == 0
                && let Some(original) = self.original(&query, &scratch.candidates)
            {
                self.copy(id, original);
                return;
            }
            graph.choose(&scratch.candidates, graph.shape.m, &mut scratch.chosen);
            links[at as usize].extend_from_slice(&scratch.chosen);
        }
        for (at, links) in links.iter().enumerate().take(top as usize + 1) {
            write(graph.list(id, at as u32), links);
        }
        for (at, links) in links.iter().enumerate().take(top as usize + 1) {
            for (distance, other) in links {
                self.link_back(*other, (*distance, id), at as u32, scratch);
            }
        }
        if raising.is_some() {
            self.entry.store(pack(Entry { id, level }), Ordering::Release);
        }
    }

    /// A candidate with the same row.
    fn original(&self, query: &Query, candidates: &[(f32, u32)]) -> Option<u32> {
        let same = |(_, id): &&(f32, u32)| self.graph.row(*id).same(&query.row);
        candidates.iter().find(same).map(|(_, id)| *id)
    }

    /// Makes a vector a copy: see `duplicates`.
    fn copy(&self, id: u32, original: u32) {
        unsafe { self.graph.columns.upper_at.number(id).store(0, Ordering::Relaxed) };
        write(self.graph.list(id, 0), &[(0.0, original)]);
        self.copies.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((original, id));
    }

    /// Adds a link, or chooses anew where the list is full.
    fn link_back(&self, id: u32, new: (f32, u32), level: u32, scratch: &mut Scratch) {
        let graph = self.graph;
        let list = graph.list(id, level);
        let Some(most) = list.len().checked_sub(1) else { return };
        let held = Held::of(graph, id);
        let count = count_of(&list[0]);
        if count < most {
            list[count + 1].store(new.1, Ordering::Relaxed);
            set_count(&list[0], count + 1);
            return;
        }
        let query = graph.space.query(graph.row(id));
        let Scratch { candidates, chosen, .. } = scratch;
        candidates.clear();
        candidates.push(new);
        for link in &list[1..=count] {
            graph.prefetch_row(link.load(Ordering::Relaxed));
        }
        for link in &list[1..=count] {
            let link = link.load(Ordering::Relaxed);
            candidates.push((graph.distance(&query, link), link));
        }
        candidates.sort_unstable_by(|(a, left), (b, right)| a.total_cmp(b).then(left.cmp(right)));
        graph.choose(candidates, most, chosen);
        write(list, chosen);
        drop(held);
    }
}

/// Words of a block of upper lists; the longest lists of one id fit into it.
pub const UPPER_BLOCK_WORDS: usize = 1 << UPPER_BLOCK_SHIFT;
pub const UPPER_BLOCK_SHIFT: u32 = 18;

/// Writes a whole list. The count is set last and keeps its marks.
fn write(list: &[AtomicU32], links: &[(f32, u32)]) {
    let Some((count, places)) = list.split_first() else { return };
    for (place, (_, link)) in places.iter().zip(links) {
        place.store(*link, Ordering::Relaxed);
    }
    set_count(count, links.len().min(places.len()));
}

/// Only whoever holds the lock, or made the list, sets a count, so the marks do not change meanwhile; but others may be
/// trying to take the lock, which sets its mark again.
fn set_count(word: &AtomicU32, count: usize) {
    let marks = word.load(Ordering::Relaxed) & LOCK;
    word.store(marks | count as u32, Ordering::Release);
}

/// The lock of an id, for all its lists.
struct Held<'a> {
    word: &'a AtomicU32,
}

impl<'a> Held<'a> {
    fn of(graph: &'a Graph, id: u32) -> Self {
        let word = &graph.list(id, 0)[0];
        let mut spins = 0;
        while word.fetch_or(LOCK, Ordering::Acquire) & LOCK != 0 {
            spins += 1;
            if spins < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        Self { word }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.word.fetch_and(!LOCK, Ordering::Release);
    }
}

fn pack(entry: Entry) -> u64 {
    u64::from(entry.level) << 32 | u64::from(entry.id)
}

fn unpack(entry: u64) -> Option<Entry> {
    (entry != NO_ENTRY).then_some(Entry { id: entry as u32, level: (entry >> 32) as u32 })
}

/// Level of an element: geometric like hnswlib's, but drawn from the seed and the label, so that it does not depend on
/// which thread comes first.
fn level(seed: u64, label: u32, factor: f64) -> u32 {
    let mut x = (seed << 32 | u64::from(label)).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    let uniform = ((x >> 11) + 1) as f64 / (1u64 << 53) as f64;
    ((-uniform.ln() * factor) as u32).min(MAX_LEVELS)
}
