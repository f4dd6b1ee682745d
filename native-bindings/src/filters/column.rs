//! One column of a segment: the values at a path, sorted, with the documents that hold them.
//!
//! ```text
//! strings: count │ bytes │ ends: count × u64 │ UTF-8      documents by string
//! numbers: count │ count × f64                            documents by number
//! dates:   count │ count × i64, milliseconds              documents by date: strings that are dates, once more
//!                                                         documents by state: present, null, false, true
//! ```
//! Strings are sorted by their bytes, which is the order of code points.

use super::builder::ColumnBuilder;
use super::bytes::{Cursor, put_u64, put_u64s};
use super::date::parse_date;
use super::postings::{Postings, PostingsBuilder};
use crate::errors::{Failure, Outcome};

/// Keys of the documents by state.
#[derive(Clone, Copy)]
pub enum State {
    Present,
    Null,
    False,
    True,
}

/// A view into the bytes of a segment: made for each use, in the time of a dozen slices.
pub struct Column<'a> {
    string_ends: &'a [[u8; 8]],
    string_bytes: &'a [u8],
    pub string_docs: Postings<'a>,
    numbers: &'a [[u8; 8]],
    pub number_docs: Postings<'a>,
    dates: &'a [[u8; 8]],
    pub date_docs: Postings<'a>,
    pub states: Postings<'a>,
}

impl<'a> Column<'a> {
    pub fn read(bytes: &'a [u8], documents: usize) -> Outcome<Self> {
        let mut cursor = Cursor::new(bytes);
        let (strings, text) = (cursor.size()?, cursor.size()?);
        let (string_ends, string_bytes) = (cursor.array(strings)?, cursor.bytes(text)?);
        let string_docs = Postings::read(&mut cursor, documents)?;
        let count = cursor.size()?;
        let numbers = cursor.array(count)?;
        let number_docs = Postings::read(&mut cursor, documents)?;
        let count = cursor.size()?;
        let dates = cursor.array(count)?;
        let date_docs = Postings::read(&mut cursor, documents)?;
        let states = Postings::read(&mut cursor, documents)?;
        let consistent = cursor.is_empty()
            && string_docs.len() == string_ends.len()
            && number_docs.len() == numbers.len()
            && date_docs.len() == dates.len()
            && states.len() == 4;
        if !consistent {
            return Err(Failure::corrupt("a column contradicts itself"));
        }
        Ok(Self { string_ends, string_bytes, string_docs, numbers, number_docs, dates, date_docs, states })
    }

    pub fn strings(&self) -> usize {
        self.string_ends.len()
    }

    pub fn numbers(&self) -> usize {
        self.numbers.len()
    }

    pub fn string(&self, at: usize) -> &'a [u8] {
        let end = |at: usize| u64::from_le_bytes(self.string_ends[at]) as usize;
        let start = if at == 0 { 0 } else { end(at - 1) };
        &self.string_bytes[start..end(at)]
    }

    pub fn number(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.numbers[at])
    }

    /// The first string from `from` on for which `is_before` does not hold; it holds for a beginning of them.
    pub fn string_where(&self, from: usize, is_before: impl Fn(&[u8]) -> bool) -> usize {
        bisect(from, self.strings(), |at| is_before(self.string(at)))
    }

    pub fn number_where(&self, is_before: impl Fn(f64) -> bool) -> usize {
        self.numbers.partition_point(|bytes| is_before(f64::from_le_bytes(*bytes)))
    }

    pub fn date_where(&self, is_before: impl Fn(i64) -> bool) -> usize {
        self.dates.partition_point(|bytes| is_before(i64::from_le_bytes(*bytes)))
    }
}

fn bisect(mut from: usize, mut to: usize, is_before: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from + (to - from) / 2;
        if is_before(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

impl ColumnBuilder {
    /// The bytes of the column, in a segment of so many documents.
    pub fn into_bytes(mut self, documents: usize) -> Outcome<Vec<u8>> {
        let mut out = Vec::new();
        let sorted = self.strings.sorted();
        put_u64(&mut out, sorted.len() as u64);
        put_u64(&mut out, sorted.iter().map(|number| self.strings.get(*number).len() as u64).sum());
        let mut end = 0;
        put_u64s(
            &mut out,
            sorted.iter().map(|number| {
                end += self.strings.get(*number).len() as u64;
                end
            }),
        );
        sorted.iter().for_each(|number| out.extend_from_slice(self.strings.get(*number)));
        let dates = self.dates();
        write_strings(&sorted, std::mem::take(&mut self.string_docs), documents, &mut out)?;
        drop((sorted, std::mem::take(&mut self.strings)));
        let bits = |number: &f64| number.to_bits();
        write_keyed(std::mem::take(&mut self.numbers), f64::total_cmp, bits, documents, &mut out)?;
        write_keyed(dates, i64::cmp, |ms| *ms as u64, documents, &mut out)?;
        let mut states = PostingsBuilder::new(documents);
        for docs in [&self.present, &self.nulls, &self.falses, &self.trues] {
            states.push(docs)?;
        }
        states.write(&mut out);
        Ok(out)
    }

    fn dates(&self) -> Vec<(i64, u32)> {
        let moments: Vec<Option<i64>> =
            (0..self.strings.len() as u32).map(|number| parse_date(self.strings.get(number))).collect();
        if moments.iter().all(Option::is_none) {
            return Vec::new();
        }
        let moment = |(number, doc): &(u32, u32)| moments[*number as usize].map(|ms| (ms, *doc));
        self.string_docs.iter().filter_map(moment).collect()
    }
}

/// Sorts (string, document) by the rank of the string, by counting; documents ascend already.
fn write_strings(sorted: &[u32], pairs: Vec<(u32, u32)>, documents: usize, out: &mut Vec<u8>) -> Outcome<()> {
    let mut ranks = vec![0u32; sorted.len()];
    for (rank, number) in sorted.iter().enumerate() {
        ranks[*number as usize] = rank as u32;
    }
    let mut starts = vec![0usize; sorted.len() + 1];
    for (number, _) in &pairs {
        starts[ranks[*number as usize] as usize + 1] += 1;
    }
    for rank in 0..sorted.len() {
        starts[rank + 1] += starts[rank];
    }
    let mut docs = vec![0u32; pairs.len()];
    let mut next = starts.clone();
    for (number, doc) in pairs {
        let place = &mut next[ranks[number as usize] as usize];
        docs[*place] = doc;
        *place += 1;
    }
    let mut postings = PostingsBuilder::new(documents);
    for range in starts.windows(2) {
        postings.push(&docs[range[0]..range[1]])?;
    }
    postings.write(out);
    Ok(())
}

/// Sorts (key, document), then writes the distinct keys and the documents of each.
fn write_keyed<K: Copy + PartialEq>(
    mut pairs: Vec<(K, u32)>,
    compare: impl Fn(&K, &K) -> std::cmp::Ordering,
    bits: impl Fn(&K) -> u64,
    documents: usize,
    out: &mut Vec<u8>,
) -> Outcome<()> {
    pairs.sort_unstable_by(|a, b| compare(&a.0, &b.0).then(a.1.cmp(&b.1)));
    pairs.dedup();
    let mut postings = PostingsBuilder::new(documents);
    let mut keys = Vec::new();
    let mut docs = Vec::new();
    for group in pairs.chunk_by(|a, b| a.0 == b.0) {
        keys.push(bits(&group[0].0));
        docs.clear();
        docs.extend(group.iter().map(|(_, doc)| *doc));
        postings.push(&docs)?;
    }
    put_u64(out, keys.len() as u64);
    put_u64s(out, keys.into_iter());
    postings.write(out);
    Ok(())
}
