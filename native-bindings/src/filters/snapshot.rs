//! What a reader sees: segments, and which of their documents are alive at its generation. Never changed, only replaced.

use std::sync::Arc;

use super::bits::{DocSet, bits_of};
use super::evaluate::evaluate;
use super::filter::Filter;
use super::segment::Segment;
use crate::errors::{Failure, Outcome};

#[derive(Default, Clone)]
pub struct Snapshot {
    pub parts: Vec<Arc<Part>>,
}

pub struct Part {
    pub segment: Arc<Segment>,
    pub alive: DocSet,
}

/// Bits by label, and how many are set.
pub struct LabelBits {
    pub bytes: Vec<u8>,
    pub count: u32,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub documents: u32,
    pub chunks: u32,
}

impl Snapshot {
    /// The same segments with other documents alive.
    pub fn with_alive(&self, change: impl Fn(&Segment, &mut DocSet) -> Outcome<()>) -> Outcome<Self> {
        let parts = self.parts.iter().map(|part| {
            let mut alive = part.alive.clone();
            change(&part.segment, &mut alive)?;
            Ok(Arc::new(Part { segment: Arc::clone(&part.segment), alive }))
        });
        Ok(Self { parts: parts.collect::<Outcome<_>>()? })
    }

    /// A field that the filter names and no living document has.
    pub fn unknown_field(&self, filter: &Filter) -> Outcome<Option<String>> {
        let mut unknown = None;
        filter.for_each_field(&mut |field| {
            if unknown.is_none() && !self.knows(field)? {
                unknown = Some(field.to_owned());
            }
            Ok(())
        })?;
        Ok(unknown)
    }

    pub fn knows(&self, field: &str) -> Outcome<bool> {
        if super::builder::DOCUMENT_FIELDS.contains(&field) {
            return Ok(true);
        }
        for part in &self.parts {
            if part.segment.has_field(field, &part.alive)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Names of the fields that living documents have, sorted.
    pub fn fields(&self) -> Outcome<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for part in &self.parts {
            for name in part.segment.names() {
                if part.segment.has_field(name, &part.alive)? {
                    names.push(name.clone());
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Each part with the living documents that pass.
    pub fn passing(&self, filter: &Filter) -> Outcome<Vec<(&Part, DocSet)>> {
        self.parts
            .iter()
            .map(|part| {
                let mut set = evaluate(filter, &part.segment)?;
                set.intersect(&part.alive);
                Ok((part.as_ref(), set))
            })
            .collect()
    }

    /// The chunks of the documents that pass. Versions of a document may share labels, so bits are counted, not chunks.
    pub fn labels(&self, filter: &Filter, max_label: u32) -> Outcome<LabelBits> {
        let mut words = vec![0u64; (max_label as usize >> 6) + 1];
        for (part, set) in self.passing(filter)? {
            part.mark(&set, max_label, &mut words)?;
        }
        let count = words.iter().map(|word| word.count_ones()).sum();
        let mut bytes: Vec<u8> = Vec::with_capacity(words.len() * 8);
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.truncate((max_label as usize >> 3) + 1);
        Ok(LabelBits { bytes, count })
    }

    pub fn count(&self, filter: &Filter) -> Outcome<Count> {
        let mut total = Count::default();
        for (part, set) in self.passing(filter)? {
            let rows = part.segment.rows()?;
            total.documents += set.count() as u32;
            for (block, word) in set.words().iter().enumerate() {
                for bit in bits_of(*word) {
                    total.chunks += rows.chunk_count(block << 6 | bit as usize);
                }
            }
        }
        Ok(total)
    }
}

impl Part {
    /// Sets the labels of the documents. Neighbours whose labels follow each other are set in one go.
    fn mark(&self, set: &DocSet, max_label: u32, words: &mut [u64]) -> Outcome<()> {
        let rows = self.segment.rows()?;
        for (block, word) in set.words().iter().enumerate() {
            let is_gapless = self.segment.is_gapless(block);
            let mut rest = *word;
            while rest != 0 {
                let from = rest.trailing_zeros();
                let run = if is_gapless { (rest >> from).trailing_ones() } else { 1 };
                rest &= u64::MAX.checked_shl(from + run).unwrap_or(0);
                let (first, last) = (block << 6 | from as usize, block << 6 | (from + run - 1) as usize);
                let end = rows.first_label(last) as usize + rows.chunk_count(last) as usize;
                if end > max_label as usize + 1 {
                    return Err(Failure::corrupt(format!(
                        "a document has labels past the last, {max_label}"
                    )));
                }
                set_range(words, rows.first_label(first) as usize, end);
            }
        }
        Ok(())
    }
}

/// Sets the bits [from, to).
#[inline]
fn set_range(words: &mut [u64], from: usize, to: usize) {
    if from >= to {
        return;
    }
    let (first, last) = (from >> 6, (to - 1) >> 6);
    let head = u64::MAX << (from & 63);
    let tail = u64::MAX >> (63 - ((to - 1) & 63));
    if first == last {
        words[first] |= head & tail;
        return;
    }
    words[first] |= head;
    words[first + 1..last].fill(u64::MAX);
    words[last] |= tail;
}
