//! Vectors: approximate graphs, in memory while they grow and in mapped files when they are searched, and flat rows that
//! are scanned whole. All answer which labels lie nearest to a query, take a filter as bits by label, and give up to k
//! hits whenever k allowed ones exist.
//!
//!  - [`kernels`], [`metric`], [`space`]: numbers, what near means, and how a vector is kept
//!  - [`column`], [`graph`], [`labels`], [`duplicates`]: what a graph is made of
//!  - [`growing`], [`spill`], [`insert`]: building one; [`walk`], [`scratch`], [`search`]: asking it; [`files`]: keeping it
//!  - [`vector_graph`], [`graph_snapshot`], [`flat`], [`scores`]: what JavaScript sees

mod column;
mod duplicates;
mod files;
mod flat;
mod graph;
mod graph_snapshot;
mod growing;
mod insert;
mod kernels;
mod labels;
mod members;
mod metric;
mod scores;
mod scratch;
mod search;
mod space;
mod spill;
mod threads;
mod top;
mod vector_graph;
mod walk;

use napi_derive::napi;

use crate::results::{F32s, U32s};
use top::Near;

pub use kernels::{kernels, names as kernel_names};
pub use metric::squared_length;

#[cfg(target_endian = "big")]
compile_error!("the files of graphs are little-endian and are read as they lie");

/// Best first.
#[napi(object, object_from_js = false)]
pub struct Hits {
    #[napi(ts_type = "Uint32Array")]
    pub labels: U32s,
    #[napi(ts_type = "Float32Array")]
    pub scores: F32s,
}

impl Hits {
    fn of(found: &[Near]) -> Self {
        Self {
            labels: U32s(found.iter().map(|near| near.label).collect()),
            scores: F32s(found.iter().map(|near| near.score()).collect()),
        }
    }
}
