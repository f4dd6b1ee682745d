//! Searching a graph. Which plan is cheapest depends on how many vectors the filter allows:
//!  - scan: compares every allowed vector. For few of them, and for small graphs. Exact.
//!  - walk: the plain walk, a little broader the more the filter forbids, and the filter tested at its end. For filters
//!    that allow the most.
//!  - walk among the allowed: between the two. Visits allowed nodes alone and looks through forbidden ones.
//!
//! Where a walk finds too few the next plan stands in, the scan at last, so that k allowed vectors are always found if
//! they exist.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::graph::{Entry, Graph};
use super::labels::Labels;
use super::members::Members;
use super::scratch::Scratch;
use super::space::Query;
use super::threads::on_threads;
use super::top::{Near, scan_in_parallel};
use crate::args::Bitset;

/// So few vectors are always scanned.
const ALWAYS_SCAN: usize = 2048;
/// Scanning so many vectors costs about as much as each of the ef candidates of a plain walk, and of one among the
/// allowed.
const SCANNED_A_CANDIDATE: f64 = 32.0;
const SCANNED_AN_ALLOWED_CANDIDATE: f64 = 64.0;
/// A filter that allows this share of the vectors is tested at the end of a plain walk.
const BROAD_SHARE: f64 = 0.25;
/// Before a walk among the allowed, a plain one of this part of ef looks at how many of the query's own neighbours are
/// allowed. Where they are AWAY times fewer than elsewhere, what is allowed lies scattered at a distance, and the walk is
/// made BROADER.
const PROBE_PART: usize = 2;
const AWAY: f64 = 2.0;
const BROADER: usize = 4;
/// Allowed nodes, spread over all labels, where a walk among the allowed starts.
const SEEDS: usize = 16;
/// A thread costs about as much as scanning this many bytes.
const BYTES_A_THREAD: usize = 1 << 21;
/// Rows that a scan asks for in advance.
const AHEAD: usize = 4;

pub struct Request {
    pub queries: Vec<f32>,
    pub k: usize,
    pub ef: usize,
    pub threads: usize,
    pub allow: Option<Bitset>,
}

/// What one call needs to know of the graph and the filter, for all its queries.
struct Search<'a> {
    graph: &'a Graph,
    request: &'a Request,
    ef: usize,
    /// At most so many vectors are allowed.
    possible: usize,
    allowed: OnceLock<Vec<u32>>,
    seeds: OnceLock<Vec<u32>>,
    members: OnceLock<Members>,
}

/// Hits of each query, nearest first.
pub fn search(graph: &Graph, request: &mut Request) -> Vec<Vec<Near>> {
    graph.space.metric.prepare(&mut request.queries, graph.space.dims);
    let queries: Vec<&[f32]> = request.queries.chunks_exact(graph.space.dims).collect();
    let Some(entry) = graph.entry.filter(|_| request.k > 0) else { return vec![Vec::new(); queries.len()] };
    let possible = possible(graph, request.allow.as_ref());
    let ef = request.ef.max(request.k).min(graph.len());
    let (allowed, seeds, members) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
    let search = Search { graph, request, ef, possible, allowed, seeds, members };
    let scan = possible <= ALWAYS_SCAN || possible as f64 <= search.worth_a_walk(ef);
    for_each(&queries, request.threads, |vector, threads| {
        let own = graph.space.encode(vector);
        let query = graph.space.query(own.row());
        if scan { search.scan(&query, threads) } else { search.walk(&query, entry, threads) }
    })
}

/// How many of the labels up to the last one of the graph are allowed: more than there are, where some are missing.
fn possible(graph: &Graph, allow: Option<&Bitset>) -> usize {
    let Some(allow) = allow else { return graph.len() };
    let last = match graph.labels {
        Labels::Ascending => graph.len().checked_sub(1).map_or(0, |id| graph.label(id as u32)),
        Labels::Any(_) => u32::MAX,
    };
    allow.count_up_to(last).min(graph.len())
}

impl Search<'_> {
    /// Share of the vectors that are allowed.
    fn share(&self) -> f64 {
        self.possible as f64 / self.graph.len() as f64
    }

    /// How many vectors can be scanned in the time of a walk.
    fn worth_a_walk(&self, ef: usize) -> f64 {
        match self.share() {
            share if share >= BROAD_SHARE => ef as f64 / share * SCANNED_A_CANDIDATE,
            _ => ef as f64 * SCANNED_AN_ALLOWED_CANDIDATE,
        }
    }

    fn walk(&self, query: &Query, entry: Entry, threads: usize) -> Vec<Near> {
        let graph = self.graph;
        let mut scratch = graph.take_scratch();
        let from = graph.descend(query, entry, 0);
        let share = self.share();
        let mut hits = Vec::new();
        let mut enough = false;
        if share >= BROAD_SHARE {
            let ef = (self.ef as f64 / share).ceil() as usize;
            graph.walk(query, from, ef.min(graph.len()), 0, &mut scratch);
            hits = self.hits(&scratch);
            enough = hits.len() >= self.request.k.min(self.possible);
        }
        if let Some(allow) = self.request.allow.as_ref().filter(|_| !enough) {
            graph.walk(query, from, (self.ef / PROBE_PART).max(1), 0, &mut scratch);
            let probed = scratch.nearest.len() as f64;
            let near = scratch.nearest.iter().map(|(_, id)| id);
            let members = self.members(allow);
            let mut seeds: Vec<u32> = near.filter(|id| members.contains(*id)).collect();
            let away = seeds.len() as f64 * AWAY < probed * share;
            // Looking through the forbidden ones, a walk meets more at each step, so fewer steps do.
            let ef = if away { self.ef * BROADER } else { self.request.k.max(self.ef / 2) };
            if self.possible as f64 <= ef as f64 * SCANNED_AN_ALLOWED_CANDIDATE {
                graph.give_back(scratch);
                return self.scan(query, threads);
            }
            seeds.extend(self.seeds(allow));
            graph.walk_allowed(query, from.1, &seeds, ef, members, &mut scratch);
            hits = self.hits(&scratch);
        }
        graph.give_back(scratch);
        if hits.len() < self.request.k.min(self.possible)
            && hits.len() < self.request.k.min(self.allowed().len())
        {
            return self.scan(query, threads);
        }
        hits
    }

    /// Allowed labels of the nodes that a walk found, copies included.
    fn hits(&self, scratch: &Scratch) -> Vec<Near> {
        let (graph, allow) = (self.graph, self.request.allow.as_ref());
        let mut hits = Vec::with_capacity(scratch.nearest.len());
        for (distance, id) in scratch.nearest.iter() {
            for id in std::iter::once(id).chain(graph.duplicates.of(id).iter().copied()) {
                let label = graph.label(id);
                if allow.is_none_or(|allow| allow.contains(label)) {
                    hits.push(Near { distance, label });
                }
            }
        }
        hits.sort_unstable();
        // A copy that became a node of its own is met twice.
        hits.dedup();
        hits.truncate(self.request.k);
        hits
    }

    fn scan(&self, query: &Query, threads: usize) -> Vec<Near> {
        let (graph, ids) = (self.graph, self.allowed());
        let threads = threads.min(ids.len() * graph.space.row_bytes / BYTES_A_THREAD + 1);
        scan_in_parallel(ids.len(), threads, self.request.k, |part, top| {
            for at in part {
                if let Some(ahead) = ids.get(at + AHEAD) {
                    graph.prefetch_row(*ahead);
                }
                let distance = graph.distance(query, ids[at]);
                top.offer(Near { distance, label: graph.label(ids[at]) });
            }
        })
    }

    /// Ids of the allowed vectors, found when first needed.
    fn allowed(&self) -> &[u32] {
        self.allowed.get_or_init(|| match &self.request.allow {
            None => (0..self.graph.len() as u32).collect(),
            Some(allow) => self.graph.allowed(allow),
        })
    }

    fn members(&self, allow: &Bitset) -> &Members {
        self.members.get_or_init(|| Members::find(self.graph, allow))
    }

    fn seeds(&self, allow: &Bitset) -> &[u32] {
        self.seeds.get_or_init(|| {
            let labels = allow.spread(self.possible, SEEDS);
            labels.into_iter().filter_map(|label| self.graph.find(label)).collect()
        })
    }
}

/// Runs the queries on up to `threads` threads. A lone query gets all of them for itself.
fn for_each(
    queries: &[&[f32]],
    threads: usize,
    run: impl Fn(&[f32], usize) -> Vec<Near> + Sync,
) -> Vec<Vec<Near>> {
    let workers = threads.min(queries.len());
    if workers <= 1 {
        return queries.iter().map(|query| run(query, threads)).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match queries.get(at) {
                Some(query) => done.push((at, run(query, 1))),
                None => return done,
            }
        }
    };
    let mut results = vec![Vec::new(); queries.len()];
    for (at, hits) in on_threads(workers, take).into_iter().flatten() {
        results[at] = hits;
    }
    results
}
