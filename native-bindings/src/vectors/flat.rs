//! Flat rows, scanned whole: the vectors that are newer than the published graph, and the twin that tells how good
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
use super::metric::Metric;
use super::space::{OwnRow, Precision, Row, Space};
use super::top::{Near, scan_in_parallel};
use super::vector_graph::{MAX_DIMS, MAX_THREADS};
use crate::args::{Arg, Bitset, check_finite, labelled_vectors, query_vectors};
use crate::errors::{Code, Failure};
use crate::pool;

const SEGMENT_BYTES: usize = 4 << 20;
/// A thread costs about as much as scanning this many bytes.
const BYTES_A_THREAD: usize = 4 << 20;

#[napi]
pub struct FlatVectors {
    space: Space,
    segments: Vec<Arc<Segment>>,
    labels: HashSet<u32>,
}

/// Rows as in `space`, one after another. Words, because rows start where floats may start.
#[derive(Default)]
struct Segment {
    labels: Vec<u32>,
    rows: Vec<u32>,
    numbers: Vec<[f32; 2]>,
}

#[napi]
impl FlatVectors {
    #[napi(
        factory,
        ts_args_type = "dims: number, metric: 'cosine' | 'ip' | 'l2', precision: 'int8' | 'float32'"
    )]
    pub fn create(dims: Arg, metric: Arg, precision: Arg) -> napi::Result<Self, Code> {
        let dims = dims.count("dims", 1..=MAX_DIMS)?;
        let space = Space::new(dims, Metric::read(&metric)?, Precision::read(&precision)?);
        Ok(Self { space, segments: Vec::new(), labels: HashSet::new() })
    }

    #[napi(getter)]
    pub fn size(&self) -> u32 {
        self.labels.len() as u32
    }

    #[napi(getter)]
    pub fn dims(&self) -> u32 {
        self.space.dims as u32
    }

    #[napi(ts_args_type = "labels: Uint32Array, vectors: Float32Array")]
    pub fn append(&mut self, labels: Arg, vectors: Arg) -> napi::Result<(), Code> {
        let dims = self.space.dims;
        let (labels, mut vectors) = labelled_vectors(&labels, &vectors, dims)?;
        check_finite(&vectors, dims, "vectors")?;
        self.claim(&labels)?;
        self.space.metric.prepare(&mut vectors, dims);
        let rows_a_segment = (SEGMENT_BYTES / self.space.row_bytes).max(1);
        for (labels, rows) in labels.chunks(rows_a_segment).zip(vectors.chunks(rows_a_segment * dims)) {
            let mut segment = Segment { labels: labels.to_vec(), ..Segment::default() };
            for vector in rows.chunks_exact(dims) {
                segment.push(&self.space.encode(vector));
            }
            self.segments.push(Arc::new(segment));
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
        let dims = self.space.dims;
        let mut query = query_vectors(&query, dims, "query")?;
        if query.len() != dims {
            return Err(Failure::argument(format!("query: expected {dims} numbers, got {}", query.len())))?;
        }
        check_finite(&query, dims, "query")?;
        let k = k.count("k", 0..=u32::MAX)?;
        let threads = threads.count("threads", 1..=MAX_THREADS)?;
        let allow = allow.bitset("allow")?;
        let (segments, space) = (self.segments.clone(), self.space);
        space.metric.prepare(&mut query, dims);
        pool::promise(
            env,
            move || Ok(search(&segments, space, &query, k, threads, allow.as_ref())),
            |found| Hits::of(&found),
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
                numbers: [before.numbers.as_slice(), &last.numbers].concat(),
            };
            self.segments.truncate(self.segments.len() - 2);
            self.segments.push(Arc::new(merged));
        }
    }
}

impl Segment {
    fn push(&mut self, own: &OwnRow) {
        self.rows.extend_from_slice(own.words());
        self.numbers.push([own.scale, own.square]);
    }

    fn row(&self, at: usize, space: Space) -> Row<'_> {
        let words = &self.rows[at * space.row_bytes / 4..(at + 1) * space.row_bytes / 4];
        let bytes = unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), space.row_bytes) };
        let [scale, square] = self.numbers[at];
        Row { bytes, scale, square }
    }
}

fn search(
    segments: &[Arc<Segment>],
    space: Space,
    query: &[f32],
    k: usize,
    threads: usize,
    allow: Option<&Bitset>,
) -> Vec<Near> {
    if k == 0 {
        return Vec::new();
    }
    let own = space.encode(query);
    let query = space.query(own.row());
    let rows: usize = segments.iter().map(|segment| segment.labels.len()).sum();
    let threads = threads.min(rows * space.row_bytes / BYTES_A_THREAD + 1);
    scan_in_parallel(segments.len(), threads, k, |part, top| {
        for segment in &segments[part] {
            for (at, label) in segment.labels.iter().enumerate() {
                if allow.is_none_or(|allow| allow.contains(*label)) {
                    top.offer(Near {
                        distance: space.distance(&query, segment.row(at, space)),
                        label: *label,
                    });
                }
            }
        }
    })
}
