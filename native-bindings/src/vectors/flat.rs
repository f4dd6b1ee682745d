//! Flat rows, scanned exactly: the vectors that are newer than the published graph, and the twin that tells how good
//! the graph is.
//!
//! Rows lie in immutable segments behind an `Arc`. A search takes the list of them when it is called and never meets a
//! row half-written; an append adds a segment, and small ones are merged like digits of a counter, so each row is
//! copied a logarithmic number of times and never more than one full segment at once.

use std::collections::HashSet;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::Hits;
use super::distance::Metric;
use super::top::{Near, scan_in_parallel};
use crate::args::{Arg, Bitset, check_finite, labelled_vectors, query_vectors};
use crate::errors::{Code, Failure};
use crate::pool;
use crate::results::{F32s, U32s};

const SEGMENT_FLOATS: usize = 1 << 20;
/// A thread costs about as much as scanning this many floats.
const FLOATS_A_THREAD: usize = 1 << 20;

#[napi]
pub struct FlatVectors {
    dims: usize,
    metric: Metric,
    segments: Vec<Arc<Segment>>,
    labels: HashSet<u32>,
}

struct Segment {
    labels: Vec<u32>,
    rows: Vec<f32>,
}

#[napi]
impl FlatVectors {
    #[napi(factory, ts_args_type = "dims: number, metric: 'cosine' | 'ip' | 'l2'")]
    pub fn create(dims: Arg, metric: Arg) -> napi::Result<Self, Code> {
        let dims = dims.count("dims", 1..=super::graph::MAX_DIMS)?;
        let metric = Metric::read(&metric)?;
        Ok(Self { dims, metric, segments: Vec::new(), labels: HashSet::new() })
    }

    #[napi(getter)]
    pub fn size(&self) -> u32 {
        self.labels.len() as u32
    }

    #[napi(getter)]
    pub fn dims(&self) -> u32 {
        self.dims as u32
    }

    #[napi(ts_args_type = "labels: Uint32Array, vectors: Float32Array")]
    pub fn append(&mut self, labels: Arg, vectors: Arg) -> napi::Result<(), Code> {
        let (labels, mut vectors) = labelled_vectors(&labels, &vectors, self.dims)?;
        check_finite(&vectors, self.dims, "vectors")?;
        self.claim(&labels)?;
        self.metric.prepare(&mut vectors, self.dims);
        let rows_a_segment = (SEGMENT_FLOATS / self.dims).max(1);
        for (labels, rows) in labels.chunks(rows_a_segment).zip(vectors.chunks(rows_a_segment * self.dims)) {
            self.segments.push(Arc::new(Segment { labels: labels.to_vec(), rows: rows.to_vec() }));
            self.merge_small(rows_a_segment);
        }
        Ok(())
    }

    #[napi(
        ts_args_type = "query: Float32Array, k: number, threads: number, allow: Uint8Array | null",
        ts_return_type = "Promise<{ labels: Uint32Array; scores: Float32Array }>"
    )]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: Arg,
        k: Arg,
        threads: Arg,
        allow: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let mut query = query_vectors(&query, self.dims, "query")?;
        if query.len() != self.dims {
            return Err(Failure::argument(format!(
                "query: expected {} numbers, got {}",
                self.dims,
                query.len()
            )))?;
        }
        check_finite(&query, self.dims, "query")?;
        let k = k.count("k", 0..=u32::MAX)?;
        let threads = threads.count("threads", 1..=super::graph::MAX_THREADS)?;
        let allow = allow.bitset("allow")?;
        let (segments, metric) = (self.segments.clone(), self.metric);
        metric.prepare(&mut query, self.dims);
        pool::promise(
            env,
            move || Ok(search(&segments, metric, &query, k, threads, allow.as_ref())),
            |found| Hits {
                labels: U32s(found.iter().map(|near| near.label).collect()),
                scores: F32s(found.iter().map(|near| -near.distance + 0.0).collect()),
            },
        )
    }
}

impl FlatVectors {
    /// Takes the labels, all or none.
    fn claim(&mut self, labels: &[u32]) -> Result<(), Failure> {
        self.labels.reserve(labels.len());
        for (at, label) in labels.iter().enumerate() {
            if !self.labels.insert(*label) {
                for label in &labels[..at] {
                    self.labels.remove(label);
                }
                return Err(Failure::argument(format!("labels: {label} is already in")));
            }
        }
        Ok(())
    }

    fn merge_small(&mut self, rows_a_segment: usize) {
        while let [.., before, last] = self.segments.as_slice() {
            let rows = before.labels.len() + last.labels.len();
            if last.labels.len() < before.labels.len() || rows > rows_a_segment {
                return;
            }
            let merged = Segment {
                labels: [before.labels.as_slice(), &last.labels].concat(),
                rows: [before.rows.as_slice(), &last.rows].concat(),
            };
            self.segments.truncate(self.segments.len() - 2);
            self.segments.push(Arc::new(merged));
        }
    }
}

fn search(
    segments: &[Arc<Segment>],
    metric: Metric,
    query: &[f32],
    k: usize,
    threads: usize,
    allow: Option<&Bitset>,
) -> Vec<Near> {
    if k == 0 {
        return Vec::new();
    }
    let distance = metric.distance();
    let floats: usize = segments.iter().map(|segment| segment.rows.len()).sum();
    let threads = threads.min(floats / FLOATS_A_THREAD + 1);
    scan_in_parallel(segments.len(), threads, k, |part, top| {
        for segment in &segments[part] {
            for (label, row) in segment.labels.iter().zip(segment.rows.chunks_exact(query.len())) {
                if allow.is_none_or(|allow| allow.contains(*label)) {
                    top.offer(Near { distance: distance.between(query, row), label: *label });
                }
            }
        }
    })
}
