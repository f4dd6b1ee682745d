//! The values of a field among the documents that pass a filter, each with how many hold it.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::bits::DocSet;
use super::column::{Column, State};
use super::filter::Filter;
use super::postings::Postings;
use super::segment::Rows;
use super::snapshot::{Count, Snapshot};
use crate::errors::Outcome;

/// In this order where counts are equal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FacetValue {
    Null,
    Boolean(bool),
    /// The bits of a double, made to sort like it.
    Number(u64),
    Text(Vec<u8>),
}

pub struct Facets {
    /// Most documents first, then by value.
    pub values: Vec<(FacetValue, Count)>,
    /// How many values there are.
    pub distinct: u32,
}

pub fn facets(snapshot: &Snapshot, field: &str, filter: &Filter, limit: usize) -> Outcome<Facets> {
    let mut counts = Counts::default();
    let passing = snapshot.passing(filter)?;
    let is_alone = passing.len() == 1;
    for (part, mut set) in passing {
        let rows = part.segment.rows()?;
        let columns = part.segment.columns_named(field)?;
        let is_alone = is_alone && columns.len() == 1;
        for (at, column) in columns.iter().enumerate() {
            count_column(column, &set, &rows, is_alone, &mut counts)?;
            if at + 1 < columns.len() {
                // A document is asked at the first path that it has.
                let mut present = DocSet::none(part.segment.len());
                column.states.insert(State::Present as usize, State::Present as usize + 1, &mut present)?;
                set.subtract(&present);
            }
        }
    }
    Ok(counts.into_facets(limit))
}

fn count_column(
    column: &Column,
    set: &DocSet,
    rows: &Rows,
    is_alone: bool,
    counts: &mut Counts,
) -> Outcome<()> {
    let mut take =
        |postings: &Postings, keys: std::ops::Range<usize>, value: &dyn Fn(usize) -> FacetValue| {
            for key in keys {
                let mut count = Count::default();
                postings.for_each(key, set, |doc| {
                    count.documents += 1;
                    count.chunks += rows.chunk_count(doc as usize);
                })?;
                if count.documents > 0 {
                    counts.add(value(key), count, is_alone);
                }
            }
            Ok(())
        };
    take(&column.states, State::Null as usize..State::True as usize + 1, &|key| match key {
        1 => FacetValue::Null,
        key => FacetValue::Boolean(key == State::True as usize),
    })?;
    take(&column.number_docs, 0..column.numbers(), &|key| FacetValue::of_number(column.number(key)))?;
    take(&column.string_docs, 0..column.strings(), &|key| FacetValue::Text(column.string(key).to_vec()))
}

/// Values of a single column come once each; those of several columns must be put together.
#[derive(Default)]
struct Counts {
    listed: Vec<(FacetValue, Count)>,
    joined: HashMap<FacetValue, Count>,
}

impl Counts {
    fn add(&mut self, value: FacetValue, count: Count, is_alone: bool) {
        if is_alone {
            self.listed.push((value, count));
            return;
        }
        let total = self.joined.entry(value).or_default();
        total.documents += count.documents;
        total.chunks += count.chunks;
    }

    fn into_facets(self, limit: usize) -> Facets {
        let mut values = self.listed;
        values.extend(self.joined);
        let distinct = values.len() as u32;
        let order = |a: &(FacetValue, Count), b: &(FacetValue, Count)| -> Ordering {
            b.1.documents.cmp(&a.1.documents).then_with(|| a.0.cmp(&b.0))
        };
        if limit < values.len() {
            values.select_nth_unstable_by(limit, order);
            values.truncate(limit);
        }
        values.sort_unstable_by(order);
        Facets { values, distinct }
    }
}

const SIGN: u64 = 1 << 63;

impl FacetValue {
    fn of_number(number: f64) -> Self {
        let bits = number.to_bits();
        FacetValue::Number(if bits & SIGN == 0 { bits | SIGN } else { !bits })
    }

    pub fn number_of(sortable: u64) -> f64 {
        f64::from_bits(if sortable & SIGN == 0 { !sortable } else { sortable & !SIGN })
    }
}
