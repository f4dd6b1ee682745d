//! Columns: rows a fixed number of bytes apart, in blocks that never move. A graph in memory grows by adding blocks,
//! so nothing is copied, and what other threads read stays where it is; a mapped file is one block.
//!
//! ```text
//! id ─┬─ id >> shift ─→ block 0 │ block 1 │ …
//!     └─ id & mask ───→ row inside it
//! ```

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::AtomicU32;

use super::spill::{Mapped, Spill};
use crate::errors::{Code, Failure, Outcome};

const LINE_BYTES: usize = 64;
/// Blocks of this size and more start at one of the system's large pages, and ask for them.
const LARGE_PAGE_BYTES: usize = 2 << 20;
/// Rows that may go into a file stay in memory up to here: its pages are small ones, and building a graph over them takes
/// about an eighth longer.
const KEPT_BYTES: usize = 64 << 20;
/// Ids are below 2^31, so one block holds all.
const ONE_BLOCK: u32 = 31;

/// Where new blocks of a column go.
#[derive(Clone, Copy)]
pub enum Room {
    Memory,
    /// Rows that are better kept out of the process's own memory, where there is a file for them.
    File,
}

/// Where the rows of one column lie. Does not own them: see [`Blocks`].
pub struct Column {
    starts: Vec<*mut u8>,
    shift: u32,
    stride: usize,
}

// Rows are plain numbers; whoever writes to them sees to it that nobody reads them meanwhile, or uses atomics.
unsafe impl Send for Column {}
unsafe impl Sync for Column {}

impl Column {
    pub fn growing(shift: u32, stride: usize) -> Self {
        Self { starts: Vec::new(), shift, stride }
    }

    /// All rows one after another, from `start` on.
    pub fn at(start: *const u8, stride: usize) -> Self {
        Self { starts: vec![start.cast_mut()], shift: ONE_BLOCK, stride }
    }

    /// Words one after another, more of them than there may be ids.
    pub fn words(start: *const u8) -> Self {
        Self {
            starts: vec![start.cast_mut(), start.cast_mut().wrapping_add(4 << ONE_BLOCK)],
            shift: ONE_BLOCK,
            stride: 4,
        }
    }

    #[inline(always)]
    pub fn row(&self, id: u32) -> *mut u8 {
        let within = (id & ((1 << self.shift) - 1)) as usize;
        self.starts[(id >> self.shift) as usize].wrapping_add(within * self.stride)
    }

    /// # Safety
    /// The row must exist and hold `count` numbers from its start on.
    #[inline(always)]
    pub unsafe fn numbers<'a>(&self, id: u32, count: usize) -> &'a [AtomicU32] {
        unsafe { std::slice::from_raw_parts(self.row(id).cast(), count) }
    }

    /// The first number of a row.
    ///
    /// # Safety
    /// As of [`Column::numbers`].
    #[inline(always)]
    pub unsafe fn number<'a>(&self, id: u32) -> &'a AtomicU32 {
        unsafe { &*self.row(id).cast::<AtomicU32>() }
    }

    /// Adds blocks until `rows` rows fit, in the memory that suits them.
    pub fn grow(&mut self, rows: usize, blocks: &mut Blocks, room: Room) -> Outcome<()> {
        while self.starts.len() << self.shift < rows {
            let bytes = self.stride << self.shift;
            self.starts.push(match room {
                Room::Memory => blocks.add(bytes)?,
                Room::File => blocks.add_spilling(bytes)?,
            });
        }
        Ok(())
    }
}

/// Owns the blocks of some columns. They are zeroed, and take memory page by page as they are written.
#[derive(Default)]
pub struct Blocks {
    held: Vec<(*mut u8, Layout)>,
    mapped: Vec<Mapped>,
    spill: Option<Spill>,
    /// Bytes of what may go into the file and is in memory.
    kept: usize,
}

unsafe impl Send for Blocks {}
unsafe impl Sync for Blocks {}

impl Blocks {
    pub fn spilling(spill: Option<Spill>) -> Self {
        Self { held: Vec::new(), mapped: Vec::new(), spill, kept: 0 }
    }

    /// Behind the first few in the file, as long as there is one with room.
    fn add_spilling(&mut self, bytes: usize) -> Outcome<*mut u8> {
        if self.kept + bytes <= KEPT_BYTES {
            self.kept += bytes;
            return self.add(bytes);
        }
        if let Some(mapped) = self.spill.as_mut().and_then(|spill| spill.add(bytes)) {
            let start = mapped.start;
            self.mapped.push(mapped);
            return Ok(start);
        }
        self.spill = None;
        self.add(bytes)
    }

    fn add(&mut self, bytes: usize) -> Outcome<*mut u8> {
        // The first blocks stay on small pages: most graphs of tests and small indexes never fill a large one.
        let large = bytes >= LARGE_PAGE_BYTES && self.held.len() > 16;
        let align = if large { LARGE_PAGE_BYTES } else { LINE_BYTES };
        // Asking the allocator to align would make it write the zeros, and so take all the memory at once.
        let layout = Layout::from_size_align(bytes + align, size_of::<usize>())
            .map_err(|_| Failure::new(Code::Failed, "the graph is too large for this machine"))?;
        let held = unsafe { alloc_zeroed(layout) };
        if held.is_null() {
            let reason = format!("there is no memory for {bytes} more bytes of the graph");
            return Err(Failure::new(Code::Failed, reason));
        }
        self.held.push((held, layout));
        let start = held.wrapping_add(held.align_offset(align));
        // A walk jumps all over this memory; with small pages most jumps would also miss the TLB.
        #[cfg(target_os = "linux")]
        if large {
            unsafe { libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        Ok(start)
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for (start, layout) in &self.held {
            unsafe { dealloc(*start, *layout) };
        }
    }
}
