//! The nearest k of a stream of candidates, in a bounded heap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Ordered nearest first; equal distances by ascending label.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    pub distance: f32,
    pub label: u32,
}

impl Near {
    /// A similarity: greater is nearer, and never -0.
    pub fn score(&self) -> f32 {
        0.0 - self.distance
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.label.cmp(&other.label))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Near {}

pub struct Top {
    k: usize,
    heap: BinaryHeap<Near>,
}

impl Top {
    pub fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }

    #[inline]
    pub fn offer(&mut self, near: Near) {
        if self.heap.len() < self.k {
            self.heap.push(near);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && near < *worst
        {
            *worst = near;
        }
    }

    pub fn merge(mut self, other: Top) -> Self {
        other.heap.into_iter().for_each(|near| self.offer(near));
        self
    }

    pub fn into_sorted(self) -> Vec<Near> {
        self.heap.into_sorted_vec()
    }
}

/// Splits `0..items` into even parts, runs them on up to `threads` threads (the calling one included), and merges.
pub fn scan_in_parallel(
    items: usize,
    threads: usize,
    k: usize,
    scan: impl Fn(std::ops::Range<usize>, &mut Top) + Sync,
) -> Vec<Near> {
    let part = |range| {
        let mut top = Top::new(k);
        scan(range, &mut top);
        top
    };
    let threads = threads.clamp(1, items.max(1));
    let bounds: Vec<usize> = (0..=threads).map(|at| items * at / threads).collect();
    if threads == 1 {
        return part(0..items).into_sorted();
    }
    std::thread::scope(|scope| {
        let part = &part;
        let others: Vec<_> = bounds[1..]
            .windows(2)
            .map(|pair| (pair[0], pair[1]))
            .map(|(from, to)| scope.spawn(move || part(from..to)))
            .collect();
        let mut top = part(0..bounds[1]);
        for other in others {
            match other.join() {
                Ok(found) => top = top.merge(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        top.into_sorted()
    })
}
