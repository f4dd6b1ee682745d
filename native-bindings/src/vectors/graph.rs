//! The graph as JavaScript sees it. Inserts have it for themselves, searches and saves share it; whatever a call does
//! to the graph happens on the pool, in the order of the calls as far as inserts and saves go.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::distance::Metric;
use super::duplicates::{Duplicates, hash, same};
use super::file;
use super::hnsw::Hnsw;
use super::search::{Request, on_threads, search};
use super::top::Near;
use crate::args::{Arg, check_finite, labelled_vectors, query_vectors};
use crate::errors::{Code, Failure, Outcome};
use crate::pool::{self, Lane};
use crate::results::{F32s, U32s};

pub const MAX_DIMS: u32 = 65_536;
pub const MAX_THREADS: u32 = 256;
/// Result places of one call, queries × k.
const MAX_RESULTS: usize = 1 << 28;
/// For graphs that were loaded: the file does not keep the seed.
const LOADED_SEED: u64 = 100;

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

#[napi]
pub struct VectorGraph {
    dims: usize,
    size: Arc<AtomicUsize>,
    state: Arc<RwLock<State>>,
    changes: Lane,
}

struct State {
    graph: Hnsw,
    duplicates: Duplicates,
    seed: u64,
    /// An insert failed halfway: links may be missing, so nothing is answered or saved any more.
    broken: bool,
}

#[napi]
impl VectorGraph {
    #[napi(
        factory,
        ts_args_type = "dims: number, metric: 'cosine' | 'ip' | 'l2', m: number, efConstruction: number, seed: number"
    )]
    pub fn create(
        dims: Arg,
        metric: Arg,
        m: Arg,
        ef_construction: Arg,
        seed: Arg,
    ) -> napi::Result<Self, Code> {
        let dims = dims.count("dims", 1..=MAX_DIMS)?;
        let metric = Metric::read(&metric)?;
        let m = m.count("m", 2..=file::MAX_M)?;
        let ef_construction = ef_construction.count("efConstruction", 1..=file::MAX_EF)?;
        let seed = seed.count("seed", 0..=u32::MAX)? as u64;
        let graph = Hnsw::new(dims, metric, m, ef_construction, 0)?;
        Ok(Self::from_state(State { graph, duplicates: Duplicates::default(), seed, broken: false }))
    }

    #[napi(
        ts_args_type = "path: string, dims: number, metric: 'cosine' | 'ip' | 'l2'",
        ts_return_type = "Promise<VectorGraph>"
    )]
    pub fn load<'env>(env: &'env Env, path: Arg, dims: Arg, metric: Arg) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let dims = dims.count("dims", 1..=MAX_DIMS)?;
        let metric = Metric::read(&metric)?;
        pool::promise(
            env,
            move || {
                let graph = file::load(&path, dims, metric)?;
                let duplicates = Duplicates::find_in(&graph);
                Ok(State { graph, duplicates, seed: LOADED_SEED, broken: false })
            },
            Self::from_state,
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
        let (state, size) = (Arc::clone(&self.state), Arc::clone(&self.size));
        self.changes.promise(
            env,
            move || {
                check_finite(&vectors, dims, "vectors")?;
                let mut state = state.write().map_err(|_| Failure::poisoned())?;
                state.usable()?;
                state.graph.metric().prepare(&mut vectors, state.graph.dims());
                state.insert(&labels, &vectors, threads)?;
                size.store(state.graph.len(), Ordering::Release);
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
        let mut request = Request {
            queries: query_vectors(&queries, self.dims, "queries")?,
            k: k.count("k", 0..=u32::MAX)?,
            ef: ef.count("ef", 0..=u32::MAX)?,
            threads: threads.count("threads", 1..=MAX_THREADS)?,
            allow: allow.bitset("allow")?,
        };
        let k = request.k;
        if (request.queries.len() / self.dims).saturating_mul(k) > MAX_RESULTS {
            return Err(Failure::argument(format!("k: queries × k is over {MAX_RESULTS}")))?;
        }
        let (state, dims) = (Arc::clone(&self.state), self.dims);
        pool::promise(
            env,
            move || {
                check_finite(&request.queries, dims, "queries")?;
                let state = state.read().map_err(|_| Failure::poisoned())?;
                state.usable()?;
                state.graph.metric().prepare(&mut request.queries, state.graph.dims());
                search(&state.graph, &state.duplicates, &request)
            },
            move |found| GraphHits::from_rows(&found, k),
        )
    }

    #[napi(ts_args_type = "path: string", ts_return_type = "Promise<void>")]
    pub fn save<'env>(&self, env: &'env Env, path: Arg) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let state = Arc::clone(&self.state);
        self.changes.promise(
            env,
            move || {
                let state = state.read().map_err(|_| Failure::poisoned())?;
                state.usable()?;
                file::save(&state.graph, &path)
            },
            |()| (),
        )
    }

    fn from_state(state: State) -> Self {
        Self {
            dims: state.graph.dims(),
            size: Arc::new(AtomicUsize::new(state.graph.len())),
            state: Arc::new(RwLock::new(state)),
            changes: Lane::default(),
        }
    }
}

impl GraphHits {
    fn from_rows(rows: &[Vec<Near>], k: usize) -> Self {
        let mut labels = vec![0; rows.len() * k];
        let mut scores = vec![0.0; rows.len() * k];
        for (row, hits) in rows.iter().enumerate() {
            for (at, near) in hits.iter().enumerate() {
                labels[row * k + at] = near.label;
                scores[row * k + at] = -near.distance + 0.0;
            }
        }
        let counts = rows.iter().map(|hits| hits.len() as u32).collect();
        Self { labels: U32s(labels), scores: F32s(scores), counts: U32s(counts) }
    }
}

impl State {
    fn usable(&self) -> Outcome<()> {
        if self.broken {
            return Err(Failure::new(Code::Failed, "an earlier insert failed halfway; load the graph again"));
        }
        Ok(())
    }

    /// All of the batch or, where the arguments are wrong, nothing.
    fn insert(&mut self, labels: &[u32], vectors: &[f32], threads: usize) -> Outcome<()> {
        let mut batch = HashSet::with_capacity(labels.len());
        for label in labels {
            if self.graph.find(*label).is_some() || !batch.insert(*label) {
                return Err(Failure::argument(format!("labels: {label} is already in")));
            }
        }
        self.graph.reserve(labels.len())?;
        self.broken = true;
        let plan = self.plan(labels, vectors);
        self.insert_originals(&plan.originals, threads)?;
        for (row, hash) in plan.originals {
            let id = self.graph.find(row.label).ok_or_else(|| lost(row.label))?;
            self.duplicates.add_original(hash, id);
        }
        for (label, original) in plan.duplicates {
            let id = self.graph.find(original).ok_or_else(|| lost(original))?;
            self.graph.append_duplicate(label, id)?;
            self.duplicates.add_duplicate(original, label);
        }
        self.broken = false;
        Ok(())
    }

    /// Sorts the batch into vectors that are new and vectors that are in already or came earlier in the batch.
    fn plan<'a>(&self, labels: &[u32], vectors: &'a [f32]) -> Plan<'a> {
        let stored = self.graph.rows();
        let mut plan = Plan { originals: Vec::with_capacity(labels.len()), duplicates: Vec::new() };
        let mut earlier: HashMap<u64, Row<'a>> = HashMap::with_capacity(labels.len());
        for (label, vector) in labels.iter().zip(vectors.chunks_exact(self.graph.dims())) {
            let row = Row { label: *label, vector };
            let hash = hash(vector);
            if let Some(id) = self.duplicates.original(hash, vector, stored) {
                plan.duplicates.push((row.label, self.graph.labels()[id as usize]));
                continue;
            }
            match earlier.get(&hash) {
                Some(first) if same(first.vector, vector) => {
                    plan.duplicates.push((row.label, first.label));
                }
                _ => {
                    earlier.insert(hash, row);
                    plan.originals.push((row, hash));
                }
            }
        }
        plan
    }

    fn insert_originals(&mut self, rows: &[(Row, u64)], threads: usize) -> Outcome<()> {
        let level_factor = 1.0 / (self.graph.shape().m as f64).ln();
        let insert = |(row, _): &(Row, u64)| {
            let level = level(self.seed, row.label, level_factor);
            self.graph.insert(row.label, level, row.vector)
        };
        let mut rest = rows;
        // hnswlib sets its entry point without a lock while there is none.
        if self.graph.len() == 0
            && let [first, others @ ..] = rows
        {
            insert(first)?;
            rest = others;
        }
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(row) = rest.get(next.fetch_add(1, Ordering::Relaxed)) {
                insert(row)?;
            }
            Ok(())
        };
        let done: Outcome<Vec<()>> = on_threads(threads.min(rest.len()).max(1), work).into_iter().collect();
        done?;
        self.graph.take_in()
    }
}

#[derive(Clone, Copy)]
struct Row<'a> {
    label: u32,
    vector: &'a [f32],
}

struct Plan<'a> {
    /// With their hashes.
    originals: Vec<(Row<'a>, u64)>,
    /// Label, and the label of the original, which may be of the same batch.
    duplicates: Vec<(u32, u32)>,
}

fn lost(label: u32) -> Failure {
    Failure::new(Code::Failed, format!("the graph lost label {label}, this is a bug"))
}

/// Level of an element: geometric like hnswlib's, but drawn from the seed and the label, so that it does not depend on
/// which thread comes first.
fn level(seed: u64, label: u32, factor: f64) -> i32 {
    let mut x = (seed << 32 | u64::from(label)).wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    let uniform = ((x >> 11) + 1) as f64 / (1u64 << 53) as f64;
    (-uniform.ln() * factor) as i32
}
