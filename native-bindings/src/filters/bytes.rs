//! Little-endian columns in bytes. Reading needs no alignment and never reads past the end.

use crate::errors::{Failure, Outcome};

pub fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub fn put_u32s(out: &mut Vec<u8>, numbers: &[u32]) {
    out.reserve(size_of_val(numbers));
    numbers.iter().for_each(|number| put_u32(out, *number));
}

pub fn put_u64s(out: &mut Vec<u8>, numbers: impl Iterator<Item = u64>) {
    numbers.for_each(|number| put_u64(out, number));
}

pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub fn bytes(&mut self, count: usize) -> Outcome<&'a [u8]> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| Failure::corrupt("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    /// `count` items of `N` bytes.
    pub fn array<const N: usize>(&mut self, count: usize) -> Outcome<&'a [[u8; N]]> {
        let bytes = count.checked_mul(N).ok_or_else(|| Failure::corrupt("it is too large"))?;
        Ok(self.bytes(bytes)?.as_chunks::<N>().0)
    }

    pub fn u32(&mut self) -> Outcome<u32> {
        Ok(u32::from_le_bytes(self.array::<4>(1)?[0]))
    }

    pub fn u64(&mut self) -> Outcome<u64> {
        Ok(u64::from_le_bytes(self.array::<8>(1)?[0]))
    }

    pub fn size(&mut self) -> Outcome<usize> {
        usize::try_from(self.u64()?).map_err(|_| Failure::corrupt("it is too large"))
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
