//! Documents by key: which documents hold the key with a number. Few are a list, many a bitmap; the lists of all keys lie
//! one after the other, so that a range of keys is one piece.
//!
//! ```text
//! keys │ listed │ dense │ ends: keys × u32 │ documents: listed × u32 │ dense keys: dense × u32 │ bitmaps: dense × words
//! ```

use super::bits::{DocSet, bits_of};
use super::bytes::{Cursor, put_u32s, put_u64};
use crate::errors::{Failure, Outcome};

pub struct PostingsBuilder {
    words: usize,
    ends: Vec<u32>,
    listed: Vec<u32>,
    dense: Vec<u32>,
    bitmaps: Vec<u8>,
}

impl PostingsBuilder {
    /// `documents`: in the whole segment.
    pub fn new(documents: usize) -> Self {
        let words = documents.div_ceil(64);
        Self { words, ends: Vec::new(), listed: Vec::new(), dense: Vec::new(), bitmaps: Vec::new() }
    }

    /// The documents of the next key, none twice.
    pub fn push(&mut self, docs: &[u32]) -> Outcome<()> {
        if size_of_val(docs) > self.words * size_of::<u64>() {
            let mut set = vec![0u64; self.words];
            for doc in docs {
                set[(doc >> 6) as usize] |= 1 << (doc & 63);
            }
            self.dense.push(self.ends.len() as u32);
            self.bitmaps.extend(set.iter().flat_map(|word| word.to_le_bytes()));
        } else {
            self.listed.extend_from_slice(docs);
        }
        let end = u32::try_from(self.listed.len());
        self.ends.push(end.map_err(|_| Failure::argument("rows: a field has over 4 billion elements"))?);
        Ok(())
    }

    pub fn write(self, out: &mut Vec<u8>) {
        put_u64(out, self.ends.len() as u64);
        put_u64(out, self.listed.len() as u64);
        put_u64(out, self.dense.len() as u64);
        put_u32s(out, &self.ends);
        put_u32s(out, &self.listed);
        put_u32s(out, &self.dense);
        out.extend_from_slice(&self.bitmaps);
    }
}

pub struct Postings<'a> {
    words: usize,
    ends: &'a [[u8; 4]],
    listed: &'a [[u8; 4]],
    dense: &'a [[u8; 4]],
    bitmaps: &'a [[u8; 8]],
}

impl<'a> Postings<'a> {
    pub fn read(cursor: &mut Cursor<'a>, documents: usize) -> Outcome<Self> {
        let words = documents.div_ceil(64);
        let (keys, listed, dense) = (cursor.size()?, cursor.size()?, cursor.size()?);
        Ok(Self {
            words,
            ends: cursor.array(keys)?,
            listed: cursor.array(listed)?,
            dense: cursor.array(dense)?,
            bitmaps: cursor
                .array(dense.checked_mul(words).ok_or_else(|| Failure::corrupt("it is too large"))?)?,
        })
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds the documents of the keys [from, to).
    pub fn insert(&self, from: usize, to: usize, set: &mut DocSet) -> Outcome<()> {
        for doc in self.listed(from, to)? {
            set.insert(u32::from_le_bytes(*doc));
        }
        let first = self.dense.partition_point(|key| (u32::from_le_bytes(*key) as usize) < from);
        let last = self.dense.partition_point(|key| (u32::from_le_bytes(*key) as usize) < to);
        for at in first..last {
            set.insert_bitmap(self.bitmap(at));
        }
        Ok(())
    }

    /// Calls `each` with the documents of a key that are in the set, ascending.
    pub fn for_each(&self, key: usize, set: &DocSet, mut each: impl FnMut(u32)) -> Outcome<()> {
        for doc in self.listed(key, key + 1)? {
            let doc = u32::from_le_bytes(*doc);
            if set.contains(doc) {
                each(doc);
            }
        }
        if let Ok(at) = self.dense.binary_search_by_key(&key, |key| u32::from_le_bytes(*key) as usize) {
            for (word, (bytes, allowed)) in self.bitmap(at).iter().zip(set.words()).enumerate() {
                for bit in bits_of(u64::from_le_bytes(*bytes) & allowed) {
                    each((word as u32) << 6 | bit);
                }
            }
        }
        Ok(())
    }

    fn listed(&self, from: usize, to: usize) -> Outcome<&'a [[u8; 4]]> {
        let end = |key: usize| self.ends.get(key).map(|end| u32::from_le_bytes(*end) as usize);
        let start = if from == 0 { Some(0) } else { end(from - 1) };
        let end = if to == 0 { Some(0) } else { end(to - 1) };
        let range = start.zip(end).and_then(|(start, end)| self.listed.get(start..end));
        range.ok_or_else(|| Failure::corrupt("its lists contradict each other"))
    }

    fn bitmap(&self, at: usize) -> &'a [[u8; 8]] {
        &self.bitmaps[at * self.words..(at + 1) * self.words]
    }
}
