//! The shim as a Rust type. Ids are hnswlib's own, dense from 0; labels are the callers'.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};

use super::distance::Metric;
use super::shim::{self, ERROR_BYTES, RawFilter, RawGraph, Shape};
use crate::errors::{Code, Failure, Outcome};

/// hnswlib counts elements as `int` in places.
pub const MAX_ELEMENTS: usize = i32::MAX as usize;

pub struct Hnsw {
    raw: *mut RawGraph,
    dims: usize,
    metric: Metric,
    /// Label by id: filters read these in a row, and in the elements they would lie a vector apart.
    labels: Vec<u32>,
}

// The shim says which calls may run together: `&self` ones may, and `insert` says so itself.
unsafe impl Send for Hnsw {}
unsafe impl Sync for Hnsw {}

impl Drop for Hnsw {
    fn drop(&mut self) {
        unsafe { shim::sluice_hnsw_free(self.raw) }
    }
}

impl Hnsw {
    pub fn new(
        dims: usize,
        metric: Metric,
        m: usize,
        ef_construction: usize,
        capacity: usize,
    ) -> Outcome<Self> {
        let error = Message::default();
        let raw = unsafe {
            shim::sluice_hnsw_new(
                dims,
                metric.shim_number(),
                m,
                ef_construction,
                capacity.max(1),
                error.pointer(),
            )
        };
        if raw.is_null() {
            return Err(error.failure());
        }
        Ok(Self { raw, dims, metric, labels: Vec::new() })
    }

    pub fn dims(&self) -> usize {
        self.dims
    }

    pub fn metric(&self) -> Metric {
        self.metric
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn shape(&self) -> Shape {
        unsafe { shim::sluice_hnsw_describe(self.raw) }
    }

    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    pub fn find(&self, label: u32) -> Option<u32> {
        u32::try_from(unsafe { shim::sluice_hnsw_find(self.raw, label) }).ok()
    }

    /// Vectors of all elements, by id.
    pub fn rows(&self) -> Rows<'_> {
        let shape = self.shape();
        Rows {
            elements: self.elements(&shape, self.len()),
            stride: shape.bytes_per_element as usize,
            data_offset: shape.data_offset as usize,
            dims: self.dims,
        }
    }

    /// Makes room, growing by half, so that many small batches cost no more copies than one big one.
    pub fn reserve(&mut self, more: usize) -> Outcome<()> {
        let needed = self.len() + more;
        if needed > MAX_ELEMENTS {
            return Err(Failure::argument(format!("labels: a graph holds at most {MAX_ELEMENTS} vectors")));
        }
        let capacity = self.shape().capacity as usize;
        if needed <= capacity {
            return Ok(());
        }
        let capacity = needed.max(capacity + capacity / 2).clamp(1024, MAX_ELEMENTS);
        let error = Message::default();
        error.check(unsafe { shim::sluice_hnsw_reserve(self.raw, capacity, error.pointer()) }.into())?;
        Ok(())
    }

    /// May run on many threads at once if the graph is not empty, but not together with any other call. Room must be
    /// reserved. The element counts once [`Hnsw::take_in`] has run.
    pub fn insert(&self, label: u32, level: i32, row: &[f32]) -> Outcome<()> {
        assert_eq!(row.len(), self.dims);
        let error = Message::default();
        error.check(
            unsafe { shim::sluice_hnsw_insert(self.raw, label, level, row.as_ptr(), error.pointer()) }.into(),
        )?;
        Ok(())
    }

    /// Reads the labels of elements that were inserted or restored.
    pub fn take_in(&mut self) -> Outcome<()> {
        let shape = self.shape();
        let count = shape.count as usize;
        let elements = self.elements(&shape, count);
        let new = elements.chunks_exact(shape.bytes_per_element as usize).skip(self.labels.len());
        let labels = new
            .map(|element| {
                let bytes = element[shape.label_offset as usize..].first_chunk::<8>();
                bytes.and_then(|bytes| u32::try_from(u64::from_ne_bytes(*bytes)).ok())
            })
            .collect::<Option<Vec<u32>>>()
            .ok_or_else(|| Failure::corrupt("a label of the graph is over 32 bits"))?;
        self.labels.extend(labels);
        Ok(())
    }

    /// Adds an element with the vector of `original`, reachable only through it. See `duplicates`.
    pub fn append_duplicate(&mut self, label: u32, original: u32) -> Outcome<u32> {
        let error = Message::default();
        let id = unsafe { shim::sluice_hnsw_append_duplicate(self.raw, label, original, error.pointer()) };
        let id = error.check(id)? as u32;
        self.labels.push(label);
        Ok(id)
    }

    /// Walks the graph and fills `ids` and `distances`, whose length is ef, nearest first. Returns how many.
    pub fn walk(
        &self,
        query: &[f32],
        filter: Option<&RawFilter>,
        ids: &mut [u32],
        distances: &mut [f32],
    ) -> Outcome<usize> {
        assert_eq!(query.len(), self.dims);
        assert_eq!(ids.len(), distances.len());
        let error = Message::default();
        let found = unsafe {
            shim::sluice_hnsw_search(
                self.raw,
                query.as_ptr(),
                ids.len(),
                filter.map_or(std::ptr::null(), std::ptr::from_ref),
                ids.as_mut_ptr(),
                distances.as_mut_ptr(),
                error.pointer(),
            )
        };
        Ok(error.check(found)? as usize)
    }

    /// The first `count` elements as hnswlib lays them out: links of the ground level, vector, label.
    pub fn elements(&self, shape: &Shape, count: usize) -> &[u8] {
        assert!(count as u64 <= shape.capacity);
        let bytes = count * shape.bytes_per_element as usize;
        unsafe { std::slice::from_raw_parts(shim::sluice_hnsw_elements(self.raw), bytes) }
    }

    /// For loading: room for `count` elements, to be filled before [`Hnsw::restore_finish`].
    pub fn elements_mut(&mut self, shape: &Shape, count: usize) -> &mut [u8] {
        assert!(count as u64 <= shape.capacity);
        let bytes = count * shape.bytes_per_element as usize;
        unsafe { std::slice::from_raw_parts_mut(shim::sluice_hnsw_elements(self.raw), bytes) }
    }

    /// Links of an element above the ground level; empty for most.
    pub fn upper(&self, id: u32) -> &[u8] {
        assert!((id as usize) < self.shape().count as usize);
        let bytes = unsafe { shim::sluice_hnsw_upper_bytes(self.raw, id) };
        if bytes == 0 {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(shim::sluice_hnsw_upper(self.raw, id), bytes) }
    }

    /// For loading: room for the upper links of an element.
    pub fn restore_upper(&mut self, id: u32, bytes: usize) -> Outcome<&mut [u8]> {
        assert!(u64::from(id) < self.shape().capacity);
        let error = Message::default();
        let links = unsafe { shim::sluice_hnsw_restore_upper(self.raw, id, bytes, error.pointer()) };
        if links.is_null() {
            return Err(error.failure());
        }
        Ok(unsafe { std::slice::from_raw_parts_mut(links, bytes) })
    }

    /// For loading: all elements are in and were checked. Fails if two have one label.
    pub fn restore_finish(&mut self, count: usize, max_level: i32, entry: u32) -> Outcome<()> {
        assert!(count as u64 <= self.shape().capacity);
        let error = Message::default();
        let status =
            unsafe { shim::sluice_hnsw_restore_finish(self.raw, count, max_level, entry, error.pointer()) };
        error.check(status.into()).map_err(|failure| Failure::corrupt(failure.message))?;
        self.take_in()
    }
}

/// Vectors, a fixed number of bytes apart.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    elements: &'a [u8],
    stride: usize,
    data_offset: usize,
    dims: usize,
}

impl<'a> Rows<'a> {
    #[inline]
    pub fn get(self, id: u32) -> &'a [f32] {
        let start = id as usize * self.stride + self.data_offset;
        let bytes = &self.elements[start..start + self.dims * size_of::<f32>()];
        // Links are 32-bit numbers and labels 64-bit ones, so vectors are aligned to 4 bytes.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), self.dims) }
    }
}

/// Where the shim writes why a call failed.
struct Message(UnsafeCell<[c_char; ERROR_BYTES]>);

impl Default for Message {
    fn default() -> Self {
        Self(UnsafeCell::new([0; ERROR_BYTES]))
    }
}

impl Message {
    fn pointer(&self) -> *mut c_char {
        self.0.get().cast()
    }

    fn check(&self, status: i64) -> Outcome<i64> {
        if status < 0 { Err(self.failure()) } else { Ok(status) }
    }

    fn failure(&self) -> Failure {
        let reason = unsafe { CStr::from_ptr(self.pointer()) }.to_string_lossy();
        Failure::new(Code::Failed, format!("the graph failed: {reason}"))
    }
}
