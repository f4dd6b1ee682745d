//! A graph in a file, mapped and only read: many readers share its pages, and none of it takes memory of its own.

use std::path::PathBuf;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::files;
use super::graph::Graph;
use super::metric::Metric;
use super::search::search;
use super::vector_graph::{GraphHits, MAX_DIMS, MAX_THREADS, read_request};
use crate::args::{Arg, check_finite};
use crate::errors::Code;
use crate::pool;

#[napi]
pub struct GraphSnapshot {
    graph: Arc<Graph>,
}

/// What a graph file says about itself.
#[napi(object, object_from_js = false)]
pub struct GraphFile {
    #[napi(ts_type = "'int8' | 'float32'")]
    pub precision: &'static str,
    pub dims: u32,
    #[napi(ts_type = "'cosine' | 'ip' | 'l2' | undefined")]
    pub metric: Option<&'static str>,
    pub m: u32,
    pub ef_construction: u32,
    pub count: u32,
    pub note: String,
}

#[napi]
impl GraphSnapshot {
    #[napi(
        ts_args_type = "path: string, dims: number, metric: 'cosine' | 'ip' | 'l2', threads: number",
        ts_return_type = "Promise<GraphSnapshot>"
    )]
    pub fn open<'env>(
        env: &'env Env,
        path: Arg,
        dims: Arg,
        metric: Arg,
        threads: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let dims = dims.count("dims", 1..=MAX_DIMS)?;
        let metric = Metric::read(&metric)?;
        let threads = threads.count("threads", 1..=MAX_THREADS)?;
        pool::promise(
            env,
            move || files::open(&path, dims, metric, threads),
            |graph| Self { graph: Arc::new(graph) },
        )
    }

    /// Reads and checks the header alone. Synchronous: it is a page.
    #[napi(ts_args_type = "path: string", ts_return_type = "GraphFile")]
    pub fn describe(path: Arg) -> napi::Result<GraphFile, Code> {
        let found = files::describe(&PathBuf::from(path.text("path")?))?;
        Ok(GraphFile {
            precision: found.precision.name(),
            dims: found.dims as u32,
            metric: found.metric.map(Metric::name),
            m: found.m as u32,
            ef_construction: found.ef_construction as u32,
            count: found.count as u32,
            note: found.note,
        })
    }

    #[napi(getter)]
    pub fn size(&self) -> u32 {
        self.graph.len() as u32
    }

    #[napi(getter)]
    pub fn dims(&self) -> u32 {
        self.graph.space.dims as u32
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
        let dims = self.graph.space.dims;
        let mut request = read_request(dims, &queries, &k, &ef, &threads, &allow)?;
        let (graph, k) = (Arc::clone(&self.graph), request.k);
        pool::promise(
            env,
            move || {
                check_finite(&request.queries, dims, "queries")?;
                Ok(search(&graph, &mut request))
            },
            move |found| GraphHits::from_rows(&found, k),
        )
    }
}
