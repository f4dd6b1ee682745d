//! Checksums by block, so that many threads can check a file at once.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use crc32fast::Hasher;

use super::super::threads::on_threads;

pub const BLOCK_BYTES: usize = 4 << 20;

/// A writer that sums what passes through, a block at a time.
pub struct Summed<W> {
    pub inner: W,
    pub written: usize,
    sums: Vec<u32>,
    current: Hasher,
}

impl<W: Write> Summed<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, written: 0, sums: Vec::new(), current: Hasher::new() }
    }

    /// Zeros up to a place.
    pub fn pad_to(&mut self, place: usize) -> io::Result<()> {
        let missing = place - self.written;
        self.write_all(&vec![0; missing])
    }

    /// The sums of all blocks, the last one shorter.
    pub fn finish(mut self) -> (W, Vec<u32>) {
        if !self.written.is_multiple_of(BLOCK_BYTES) {
            self.sums.push(self.current.finalize());
        }
        (self.inner, self.sums)
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = BLOCK_BYTES - self.written % BLOCK_BYTES;
        let written = self.inner.write(&bytes[..bytes.len().min(room)])?;
        self.current.update(&bytes[..written]);
        self.written += written;
        if written > 0 && self.written.is_multiple_of(BLOCK_BYTES) {
            self.sums.push(std::mem::take(&mut self.current).finalize());
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The first block whose sum is not the expected one.
pub fn first_wrong(bytes: &[u8], sums: &[u32], threads: usize) -> Option<usize> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = None;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(block), Some(sum)) = (bytes.chunks(BLOCK_BYTES).nth(at), sums.get(at)) else {
                return wrong;
            };
            if crc32fast::hash(block) != *sum {
                wrong = Some(wrong.unwrap_or(at));
            }
        }
    };
    on_threads(threads.min(sums.len()).max(1), work).into_iter().flatten().min()
}
