//! The values of a field among the documents that pass a filter, each with how many hold it. The columns of all segments
//! are walked side by side in the order of their values; only what is returned becomes a value of its own.

use std::cmp::Ordering;

use super::bits::DocSet;
use super::column::{Column, State};
use super::filter::Filter;
use super::postings::Postings;
use super::segment::Rows;
use super::snapshot::{Count, Snapshot};
use crate::errors::Outcome;

pub enum FacetValue {
    Null,
    Boolean(bool),
    Number(f64),
    Text(Vec<u8>),
}

pub struct Facets {
    /// Most documents first; equal ones by value: null, booleans, numbers, strings.
    pub values: Vec<(FacetValue, Count)>,
    /// How many values there are.
    pub distinct: u32,
}

/// A column, and the documents that are asked there.
struct Source<'a> {
    column: Column<'a>,
    set: DocSet,
    rows: Rows<'a>,
}

/// Where a value lies: in a column of a source, at a key.
#[derive(Clone, Copy)]
enum Place {
    State(State),
    Number { source: usize, key: usize },
    Text { source: usize, key: usize },
}

pub fn facets(snapshot: &Snapshot, field: &str, filter: &Filter, limit: usize) -> Outcome<Facets> {
    let passing = snapshot.passing(filter)?;
    let mut sources = Vec::new();
    for (part, mut set) in passing {
        for column in part.segment.columns_named(field)? {
            let mut present = DocSet::none(part.segment.len());
            column.states.insert(State::Present as usize, State::Present as usize + 1, &mut present)?;
            sources.push(Source { column, set: set.clone(), rows: part.segment.rows()? });
            // A document is asked at the first path that it has.
            set.subtract(&present);
        }
    }
    let mut found = count_values(&sources)?;
    let distinct = found.len() as u32;
    // What was found first is the smaller value.
    let order = |a: &(usize, Place, Count), b: &(usize, Place, Count)| {
        b.2.documents.cmp(&a.2.documents).then(a.0.cmp(&b.0))
    };
    if limit < found.len() {
        found.select_nth_unstable_by(limit, order);
        found.truncate(limit);
    }
    found.sort_unstable_by(order);
    let values = found.into_iter().map(|(_, place, count)| (place.value(&sources), count)).collect();
    Ok(Facets { values, distinct })
}

/// Every value that some document holds, in the order of values, with its number in it.
fn count_values(sources: &[Source]) -> Outcome<Vec<(usize, Place, Count)>> {
    let mut found = Vec::new();
    let mut add = |place: Place, count: Count| {
        if count.documents > 0 {
            found.push((found.len(), place, count));
        }
    };
    for state in [State::Null, State::False, State::True] {
        let mut count = Count::default();
        for source in sources {
            source.count(&source.column.states, state as usize, &mut count)?;
        }
        add(Place::State(state), count);
    }
    let number = |source: usize, key: usize| sources[source].column.number(key);
    let lengths = sources.iter().map(|source| source.column.numbers()).collect();
    for_each_key(
        lengths,
        |a, b| number(a.0, a.1).total_cmp(&number(b.0, b.1)),
        |equal| {
            let mut count = Count::default();
            for (source, key) in equal {
                let source = &sources[*source];
                source.count(&source.column.number_docs, *key, &mut count)?;
            }
            add(Place::Number { source: equal[0].0, key: equal[0].1 }, count);
            Ok(())
        },
    )?;
    let string = |source: usize, key: usize| sources[source].column.string(key);
    let lengths = sources.iter().map(|source| source.column.strings()).collect();
    for_each_key(
        lengths,
        |a, b| string(a.0, a.1).cmp(string(b.0, b.1)),
        |equal| {
            let mut count = Count::default();
            for (source, key) in equal {
                let source = &sources[*source];
                source.count(&source.column.string_docs, *key, &mut count)?;
            }
            add(Place::Text { source: equal[0].0, key: equal[0].1 }, count);
            Ok(())
        },
    )?;
    Ok(found)
}

/// Merges sorted lists: calls `each` with the places (list, index) of equal keys, smallest first.
fn for_each_key(
    lengths: Vec<usize>,
    compare: impl Fn((usize, usize), (usize, usize)) -> Ordering,
    mut each: impl FnMut(&[(usize, usize)]) -> Outcome<()>,
) -> Outcome<()> {
    let mut next = vec![0; lengths.len()];
    let mut equal: Vec<(usize, usize)> = Vec::with_capacity(lengths.len());
    loop {
        equal.clear();
        for list in 0..lengths.len() {
            if next[list] == lengths[list] {
                continue;
            }
            let place = (list, next[list]);
            match equal.first().map_or(Ordering::Less, |first| compare(place, *first)) {
                Ordering::Less => {
                    equal.clear();
                    equal.push(place);
                }
                Ordering::Equal => equal.push(place),
                Ordering::Greater => {}
            }
        }
        if equal.is_empty() {
            return Ok(());
        }
        each(&equal)?;
        equal.iter().for_each(|(list, _)| next[*list] += 1);
    }
}

impl Source<'_> {
    fn count(&self, postings: &Postings, key: usize, count: &mut Count) -> Outcome<()> {
        postings.for_each(key, &self.set, |doc| {
            count.documents += 1;
            count.chunks += self.rows.chunk_count(doc as usize);
        })
    }
}

impl Place {
    fn value(self, sources: &[Source]) -> FacetValue {
        match self {
            Place::State(State::True) => FacetValue::Boolean(true),
            Place::State(State::False) => FacetValue::Boolean(false),
            Place::State(_) => FacetValue::Null,
            Place::Number { source, key } => FacetValue::Number(sources[source].column.number(key)),
            Place::Text { source, key } => FacetValue::Text(sources[source].column.string(key).to_vec()),
        }
    }
}
