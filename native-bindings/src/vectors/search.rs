//! Searching a graph. Two plans, and the second stands in where the first falls short, so that k allowed vectors are
//! always found if they exist:
//!  - walk: hnswlib's greedy search, the filter tested on the way. Approximate.
//!  - scan: every allowed vector. Exact, and faster for small graphs and narrow filters: a walk under a filter visits
//!    about ef / selectivity nodes, each somewhere else in memory.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::duplicates::Duplicates;
use super::hnsw::Hnsw;
use super::shim::RawFilter;
use super::top::{Near, scan_in_parallel};
use crate::args::Bitset;
use crate::errors::Outcome;

/// So few vectors are always scanned.
const ALWAYS_SCAN: usize = 2048;
/// Vectors that a walk visits for each of its ef candidates, without a filter.
const VISITS_A_CANDIDATE: f64 = 16.0;
/// Looking a label up costs about as much as testing so many labels in a row.
const TESTS_A_LOOKUP: usize = 64;
/// A thread costs about as much as scanning this many floats.
const FLOATS_A_THREAD: usize = 1 << 19;

pub struct Request {
    pub queries: Vec<f32>,
    pub k: usize,
    pub ef: usize,
    pub threads: usize,
    pub allow: Option<Bitset>,
}

/// What one call needs to know of the graph and the filter, for all its queries.
struct Search<'a> {
    graph: &'a Hnsw,
    duplicates: &'a Duplicates,
    request: &'a Request,
    ef: usize,
    allowed: OnceLock<Vec<u32>>,
}

/// Hits of each query, nearest first.
pub fn search(graph: &Hnsw, duplicates: &Duplicates, request: &Request) -> Outcome<Vec<Vec<Near>>> {
    let queries: Vec<&[f32]> = request.queries.chunks_exact(graph.dims()).collect();
    if request.k == 0 || graph.len() == 0 {
        return Ok(vec![Vec::new(); queries.len()]);
    }
    let ef = request.ef.max(request.k).min(graph.len());
    let possible = request.allow.as_ref().map_or(graph.len(), Bitset::count).min(graph.len());
    let scan = possible <= scan_limit(graph.len(), ef);
    let search = Search { graph, duplicates, request, ef, allowed: OnceLock::new() };
    for_each(&queries, request.threads, |query, threads| {
        if scan { Ok(search.scan(query, threads)) } else { search.walk(query, threads) }
    })
}

/// Where a scan of the allowed vectors becomes dearer than a walk: at a² = 16 · ef · n, since the walk visits
/// 16 · ef · n / a of them.
fn scan_limit(size: usize, ef: usize) -> usize {
    let limit = (VISITS_A_CANDIDATE * ef as f64 * size as f64).sqrt();
    (limit as usize).max(ALWAYS_SCAN)
}

impl Search<'_> {
    fn walk(&self, query: &[f32], threads: usize) -> Outcome<Vec<Near>> {
        let mut ids = vec![0; self.ef];
        let mut distances = vec![0.0; self.ef];
        let members = self.request.allow.as_ref().map(|allow| Members { allow, duplicates: self.duplicates });
        let filter = members.as_ref().map(Members::filter);
        let found = self.graph.walk(query, filter.as_ref(), &mut ids, &mut distances)?;
        let mut hits = Vec::with_capacity(found);
        for (id, distance) in ids[..found].iter().zip(&distances[..found]) {
            let original = self.graph.labels()[*id as usize];
            for label in std::iter::once(original).chain(self.duplicates.of(original).iter().copied()) {
                if self.request.allow.as_ref().is_none_or(|allow| allow.contains(label)) {
                    hits.push(Near { distance: *distance + 0.0, label });
                }
            }
        }
        hits.sort_unstable();
        // A graph that hnswlib itself built may link duplicates, which are then met twice.
        hits.dedup();
        hits.truncate(self.request.k);
        // A walk ends early only where links lead no further: a larger ef would not help.
        if hits.len() < self.request.k.min(self.allowed().len()) {
            return Ok(self.scan(query, threads));
        }
        Ok(hits)
    }

    fn scan(&self, query: &[f32], threads: usize) -> Vec<Near> {
        let (rows, labels, ids) = (self.graph.rows(), self.graph.labels(), self.allowed());
        let distance = self.graph.metric().distance();
        let threads = threads.min(ids.len() * query.len() / FLOATS_A_THREAD + 1);
        scan_in_parallel(ids.len(), threads, self.request.k, |part, top| {
            for id in &ids[part] {
                let distance = distance.between(query, rows.get(*id));
                top.offer(Near { distance, label: labels[*id as usize] });
            }
        })
    }

    /// Ids of the allowed vectors, found when first needed.
    fn allowed(&self) -> &[u32] {
        self.allowed.get_or_init(|| {
            let labels = self.graph.labels();
            let Some(allow) = &self.request.allow else {
                return (0..labels.len() as u32).collect();
            };
            if allow.count().saturating_mul(TESTS_A_LOOKUP) < labels.len() {
                return allow.labels().filter_map(|label| self.graph.find(label)).collect();
            }
            (0..).zip(labels).filter(|(_, label)| allow.contains(**label)).map(|(id, _)| id).collect()
        })
    }
}

/// The filter of a walk: an original is let through if it or any of its duplicates is allowed.
struct Members<'a> {
    allow: &'a Bitset,
    duplicates: &'a Duplicates,
}

impl Members<'_> {
    /// Borrows `self` behind C's back: it must outlive the walk.
    fn filter(&self) -> RawFilter {
        let bits = self.allow.bytes();
        RawFilter {
            bits: bits.as_ptr(),
            bytes: bits.len(),
            also: (!self.duplicates.is_empty()).then_some(Self::any_duplicate),
            context: std::ptr::from_ref(self).cast(),
        }
    }

    /// Nothing in here panics, which would end the process.
    unsafe extern "C" fn any_duplicate(context: *const c_void, label: u32) -> bool {
        let members = unsafe { &*context.cast::<Self>() };
        members.duplicates.of(label).iter().any(|duplicate| members.allow.contains(*duplicate))
    }
}

/// Runs the queries on up to `threads` threads. A lone query gets all of them for itself.
fn for_each(
    queries: &[&[f32]],
    threads: usize,
    run: impl Fn(&[f32], usize) -> Outcome<Vec<Near>> + Sync,
) -> Outcome<Vec<Vec<Near>>> {
    let workers = threads.min(queries.len());
    if workers <= 1 {
        return queries.iter().map(|query| run(query, threads)).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || -> Outcome<Vec<(usize, Vec<Near>)>> {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match queries.get(at) {
                Some(query) => done.push((at, run(query, 1)?)),
                None => return Ok(done),
            }
        }
    };
    let mut results = vec![Vec::new(); queries.len()];
    for part in on_threads(workers, take) {
        part?.into_iter().for_each(|(at, hits)| results[at] = hits);
    }
    Ok(results)
}

/// Runs the same work on some threads, the calling one included. A panic goes on to the caller.
pub fn on_threads<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
