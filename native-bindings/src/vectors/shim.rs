//! Declarations of `shim/hnsw.h` and `shim/kernels.h`. What they promise is written there.

use std::ffi::{c_char, c_int, c_void};

pub const ERROR_BYTES: usize = 256;

#[repr(C)]
pub struct RawGraph {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub count: u64,
    pub capacity: u64,
    pub bytes_per_element: u64,
    pub label_offset: u64,
    pub data_offset: u64,
    pub m: u64,
    pub max_m: u64,
    pub max_m0: u64,
    pub ef_construction: u64,
    pub bytes_per_level: u64,
    pub max_level: i32,
    pub entry: u32,
}

#[repr(C)]
pub struct RawFilter {
    pub bits: *const u8,
    pub bytes: usize,
    pub also: Option<unsafe extern "C" fn(*const c_void, u32) -> bool>,
    pub context: *const c_void,
}

pub type Kernel = unsafe extern "C" fn(*const f32, *const f32, usize) -> f32;

unsafe extern "C" {
    pub fn sluice_kernel_dot() -> Kernel;
    pub fn sluice_kernel_l2() -> Kernel;
    pub fn sluice_kernel_name() -> *const c_char;

    pub fn sluice_hnsw_new(
        dims: usize,
        metric: c_int,
        m: usize,
        ef_construction: usize,
        capacity: usize,
        error: *mut c_char,
    ) -> *mut RawGraph;
    pub fn sluice_hnsw_free(graph: *mut RawGraph);
    pub fn sluice_hnsw_reserve(graph: *mut RawGraph, capacity: usize, error: *mut c_char) -> c_int;
    pub fn sluice_hnsw_insert(
        graph: *mut RawGraph,
        label: u32,
        level: c_int,
        vector: *const f32,
        error: *mut c_char,
    ) -> c_int;
    pub fn sluice_hnsw_append_duplicate(
        graph: *mut RawGraph,
        label: u32,
        original: u32,
        error: *mut c_char,
    ) -> i64;
    pub fn sluice_hnsw_search(
        graph: *const RawGraph,
        query: *const f32,
        ef: usize,
        filter: *const RawFilter,
        ids: *mut u32,
        distances: *mut f32,
        error: *mut c_char,
    ) -> i64;
    pub fn sluice_hnsw_find(graph: *const RawGraph, label: u32) -> i64;
    pub fn sluice_hnsw_describe(graph: *const RawGraph) -> Shape;
    pub fn sluice_hnsw_elements(graph: *const RawGraph) -> *mut u8;
    pub fn sluice_hnsw_upper_bytes(graph: *const RawGraph, id: u32) -> usize;
    pub fn sluice_hnsw_upper(graph: *const RawGraph, id: u32) -> *const u8;
    pub fn sluice_hnsw_restore_upper(
        graph: *mut RawGraph,
        id: u32,
        bytes: usize,
        error: *mut c_char,
    ) -> *mut u8;
    pub fn sluice_hnsw_restore_finish(
        graph: *mut RawGraph,
        count: usize,
        max_level: i32,
        entry: u32,
        error: *mut c_char,
    ) -> c_int;
}
