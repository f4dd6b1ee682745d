//! Graphs in files. int8 graphs have a format of their own, which is searched where it lies; float32 graphs have
//! hnswlib's, which other programs read too and which can be searched where it lies as well.
//!
//! Nothing of a file is trusted: it is checked whole when it is opened, and see `graph` for what happens if its bytes
//! change later. Only cutting a file short while it is mapped ends the process, as with every map: Sluice never writes to
//! a file that has its final name, it replaces it.

mod hnswlib;
mod hnswlib_header;
mod int8;
mod int8_header;
mod sums;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use memmap2::Mmap;

use super::graph::Graph;
use super::metric::Metric;
use super::space::Precision;
use crate::durable::replace;
use crate::errors::{Failure, Outcome};

pub use int8_header::MAX_NOTE_BYTES;

/// What a file says about itself in its header.
pub struct Description {
    pub precision: Precision,
    pub dims: usize,
    /// hnswlib's files do not say.
    pub metric: Option<Metric>,
    pub m: usize,
    pub ef_construction: usize,
    pub count: usize,
    pub note: String,
}

/// The target is the old file or the new one, never a part. Durable when it returns. hnswlib's format has no place for
/// the note.
pub fn save(graph: &Graph, path: &Path, note: &str) -> Outcome<()> {
    let what = "write the graph to";
    replace(path, what, |file| {
        match graph.space.precision {
            Precision::Int8 => int8::write(graph, note, file),
            Precision::Float32 => hnswlib::write(graph, file),
        }
        .map_err(|error| Failure::io(what, path, &error))
    })
}

/// Maps a file and checks it, on some threads.
pub fn open(path: &Path, dims: usize, metric: Metric, threads: usize) -> Outcome<Graph> {
    let opened = || -> std::io::Result<Mmap> {
        let file = File::open(path)?;
        // SAFETY: others may change the file; `graph` says how what it reads is held against that.
        unsafe { Mmap::map(&file) }
    };
    let file = opened().map_err(|error| Failure::io("open the graph", path, &error))?;
    let graph = match int8_header::is_int8(&file) {
        true => int8::open(file, dims, metric, threads),
        false => hnswlib::open(file, dims, metric),
    };
    graph.map_err(|failure| located(path, failure))
}

pub fn describe(path: &Path) -> Outcome<Description> {
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(int8_header::HEADER_BYTES as u64).read_to_end(&mut start))
        .map_err(|error| Failure::io("open the graph", path, &error))?;
    let description = match int8_header::is_int8(&start) {
        true => int8_header::describe(&start),
        false => hnswlib_header::describe(&start),
    };
    description.map_err(|failure| located(path, failure))
}

fn located(path: &Path, mut failure: Failure) -> Failure {
    failure.message = format!("the graph in {} cannot be loaded: {}", path.display(), failure.message);
    failure
}
