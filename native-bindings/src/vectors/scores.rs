//! Exact scores of a few rows: what a search over quantised vectors is sorted by in the end.

use napi_derive::napi;

use super::metric::Metric;
use super::space::{Precision, Row, Space};
use super::vector_graph::MAX_DIMS;
use crate::args::{Arg, check_finite, query_vectors};
use crate::errors::{Code, Failure};
use crate::results::F32s;

/// The score of each row against the query, by the arithmetic of float32 searches. Synchronous, for some hundred rows.
#[napi(
    ts_args_type = "query: Float32Array, rows: Float32Array, metric: 'cosine' | 'ip' | 'l2'",
    ts_return_type = "Float32Array"
)]
pub fn score_rows(query: Arg, rows: Arg, metric: Arg) -> napi::Result<F32s, Code> {
    let mut query = query.f32s("query")?;
    let dims = query.len();
    if !(1..=MAX_DIMS as usize).contains(&dims) {
        return Err(Failure::argument(format!("query: expected 1 to {MAX_DIMS} numbers, got {dims}")))?;
    }
    let mut rows = query_vectors(&rows, dims, "rows")?;
    let metric = Metric::read(&metric)?;
    check_finite(&query, dims, "query")?;
    check_finite(&rows, dims, "rows")?;
    metric.prepare(&mut query, dims);
    metric.prepare(&mut rows, dims);
    let space = Space::new(dims, metric, Precision::Float32);
    let own = space.encode(&query);
    let asked = space.query(own.row());
    let score = |row: &[f32]| 0.0 - space.distance(&asked, Row::of_floats(row));
    Ok(F32s(rows.chunks_exact(dims).map(score).collect()))
}
