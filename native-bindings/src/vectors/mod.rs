//! Vectors: an approximate graph that is kept in a file, and flat rows that are scanned exactly. Both answer which
//! labels lie nearest to a query, take a filter as bits by label, and give up to k hits whenever k allowed ones exist.

mod distance;
mod duplicates;
mod file;
mod flat;
mod graph;
mod hnsw;
mod search;
mod shim;
mod top;

use napi_derive::napi;

use crate::results::{F32s, U32s};

pub use distance::{kernel_name, squared_length};

/// Best first.
#[napi(object, object_from_js = false)]
pub struct Hits {
    #[napi(ts_type = "Uint32Array")]
    pub labels: U32s,
    #[napi(ts_type = "Float32Array")]
    pub scores: F32s,
}
