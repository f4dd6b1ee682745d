//! The growing graph as JavaScript sees it. Inserts have it for themselves, searches and saves share it; whatever a
//! call does to the graph happens on the pool, in the order of the calls as far as inserts and saves go.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::files;
use super::graph::{Graph, MAX_EF, MAX_M, Shape};
use super::metric::Metric;
use super::search::{Request, search};
use super::space::{Precision, Space};
use super::spill::Spill;
use super::top::Near;
use crate::args::{Arg, check_finite, labelled_vectors, query_vectors};
use crate::errors::{Code, Failure, Outcome};
use crate::pool::{self, Lane};
use crate::results::{F32s, U32s};

pub const MAX_DIMS: u32 = 65_536;
pub const MAX_THREADS: u32 = 256;
/// Result places of one call, queries × k.
const MAX_RESULTS: usize = 1 << 28;

/// Up to k hits a query, at `labels[query * k ..]`; `counts` says how many.
#[napi(object, object_from_js = false)]
pub struct GraphHits {
    #[napi(ts_type = "Uint32Array")]
    pub labels: U32s,
    #[napi(ts_type = "Float32Array")]
    pub scores: F32s,
    #[napi(ts_type = "Uint32Array")]
    pub counts: U32s,
}

fn spill_in(folder: Option<String>) -> Option<Spill> {
    folder.map(|folder| Spill::in_folder(PathBuf::from(folder)))
}

#[napi]
pub struct VectorGraph {
    dims: usize,
    size: Arc<AtomicUsize>,
    graph: Arc<RwLock<Graph>>,
    changes: Lane,
}

#[napi]
impl VectorGraph {
    #[napi(
        factory,
        ts_args_type = "dims: number, metric: 'cosine' | 'ip' | 'l2', precision: 'int8' | 'float32', m: number, efConstruction: number, seed: number, spillFolder?: string | null"
    )]
    pub fn create(
        dims: Arg,
        metric: Arg,
        precision: Arg,
        m: Arg,
        ef_construction: Arg,
        seed: Arg,
        spill_folder: Arg,
    ) -> napi::Result<Self, Code> {
        let dims = dims.count("dims", 1..=MAX_DIMS)?;
        let space = Space::new(dims, Metric::read(&metric)?, Precision::read(&precision)?);
        let m = m.count("m", 2..=MAX_M)?;
        let ef_construction = ef_construction.count("efConstruction", 1..=MAX_EF)?.max(m);
        let seed = seed.count("seed", 0..=u32::MAX)? as u64;
        let spill = spill_in(spill_folder.optional_text("spillFolder")?);
        Ok(Self::from_graph(Graph::growing(space, Shape { m, ef_construction, seed }, spill)))
    }

    #[napi(
        ts_args_type = "path: string, dims: number, metric: 'cosine' | 'ip' | 'l2', threads: number, spillFolder?: string | null",
        ts_return_type = "Promise<VectorGraph>"
    )]
    pub fn load<'env>(
        env: &'env Env,
        path: Arg,
        dims: Arg,
        metric: Arg,
        threads: Arg,
        spill_folder: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let dims = dims.count("dims", 1..=MAX_DIMS)?;
        let metric = Metric::read(&metric)?;
        let threads = threads.count("threads", 1..=MAX_THREADS)?;
        let folder = spill_folder.optional_text("spillFolder")?;
        pool::promise(
            env,
            move || Graph::copied(&files::open(&path, dims, metric, threads)?, spill_in(folder)),
            Self::from_graph,
        )
    }

    #[napi(getter)]
    pub fn size(&self) -> u32 {
        self.size.load(Ordering::Acquire) as u32
    }

    #[napi(getter)]
    pub fn dims(&self) -> u32 {
        self.dims as u32
    }

    #[napi(
        ts_args_type = "labels: Uint32Array, vectors: Float32Array, threads: number",
        ts_return_type = "Promise<void>"
    )]
    pub fn insert<'env>(
        &self,
        env: &'env Env,
        labels: Arg,
        vectors: Arg,
        threads: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let (labels, mut vectors) = labelled_vectors(&labels, &vectors, self.dims)?;
        let dims = self.dims;
        let threads = threads.count("threads", 1..=MAX_THREADS)?;
        let (graph, size) = (Arc::clone(&self.graph), Arc::clone(&self.size));
        self.changes.promise(
            env,
            move || {
                check_finite(&vectors, dims, "vectors")?;
                let mut graph = graph.write().map_err(|_| Failure::poisoned())?;
                check_new(&graph, &labels)?;
                graph.space.metric.prepare(&mut vectors, dims);
                graph.insert(&labels, &vectors, threads)?;
                size.store(graph.len(), Ordering::Release);
                Ok(())
            },
            |()| (),
        )
    }

    #[napi(
        ts_args_type = "queries: Float32Array, k: number, ef: number, threads: number, allow: Uint8Array | null",
        ts_return_type = "Promise<GraphHits>"
    )]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        queries: Arg,
        k: Arg,
        ef: Arg,
        threads: Arg,
        allow: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let mut request = read_request(self.dims, &queries, &k, &ef, &threads, &allow)?;
        let (graph, dims, k) = (Arc::clone(&self.graph), self.dims, request.k);
        pool::promise(
            env,
            move || {
                check_finite(&request.queries, dims, "queries")?;
                let graph = graph.read().map_err(|_| Failure::poisoned())?;
                Ok(search(&graph, &mut request))
            },
            move |found| GraphHits::from_rows(&found, k),
        )
    }

    #[napi(ts_args_type = "path: string, note: string", ts_return_type = "Promise<void>")]
    pub fn save<'env>(&self, env: &'env Env, path: Arg, note: Arg) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let note = note.text("note")?;
        if note.len() > files::MAX_NOTE_BYTES {
            let most = files::MAX_NOTE_BYTES;
            return Err(Failure::argument(format!("note: expected up to {most} bytes, got {}", note.len())))?;
        }
        let graph = Arc::clone(&self.graph);
        self.changes.promise(
            env,
            move || {
                let graph = graph.read().map_err(|_| Failure::poisoned())?;
                files::save(&graph, &path, &note)
            },
            |()| (),
        )
    }

    fn from_graph(graph: Graph) -> Self {
        Self {
            dims: graph.space.dims,
            size: Arc::new(AtomicUsize::new(graph.len())),
            graph: Arc::new(RwLock::new(graph)),
            changes: Lane::default(),
        }
    }
}

pub fn read_request(
    dims: usize,
    queries: &Arg,
    k: &Arg,
    ef: &Arg,
    threads: &Arg,
    allow: &Arg,
) -> Outcome<Request> {
    let request = Request {
        queries: query_vectors(queries, dims, "queries")?,
        k: k.count("k", 0..=u32::MAX)?,
        ef: ef.count("ef", 0..=u32::MAX)?,
        threads: threads.count("threads", 1..=MAX_THREADS)?,
        allow: allow.bitset("allow")?,
    };
    if (request.queries.len() / dims).saturating_mul(request.k) > MAX_RESULTS {
        return Err(Failure::argument(format!("k: queries × k is over {MAX_RESULTS}")));
    }
    Ok(request)
}

/// All labels of a batch are new, or nothing of it is taken.
fn check_new(graph: &Graph, labels: &[u32]) -> Outcome<()> {
    let newest = graph.len().checked_sub(1).map(|id| graph.label(id as u32));
    let ascending = labels.is_sorted_by(|a, b| a < b);
    if ascending && graph.ascending() && labels.first().is_none_or(|first| newest.is_none_or(|n| n < *first))
    {
        return Ok(());
    }
    let mut batch = HashSet::with_capacity(labels.len());
    for label in labels {
        if graph.find(*label).is_some() || !batch.insert(*label) {
            return Err(Failure::argument(format!("labels: {label} is already in")));
        }
    }
    Ok(())
}

impl GraphHits {
    pub fn from_rows(rows: &[Vec<Near>], k: usize) -> Self {
        let mut labels = vec![0; rows.len() * k];
        let mut scores = vec![0.0; rows.len() * k];
        for (row, hits) in rows.iter().enumerate() {
            for (at, near) in hits.iter().enumerate() {
                labels[row * k + at] = near.label;
                scores[row * k + at] = near.score();
            }
        }
        let counts = rows.iter().map(|hits| hits.len() as u32).collect();
        Self { labels: U32s(labels), scores: F32s(scores), counts: U32s(counts) }
    }
}
