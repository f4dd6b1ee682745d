//! A filter over one segment: the set of documents for which it holds, dead ones included. Each condition is a few
//! bisections and then as many bits as it has elements; sets are combined a word at a time.

use super::bits::DocSet;
use super::column::{Column, State};
use super::filter::{Bound, Comparison, Filter, Test, Values};
use super::postings::Postings;
use super::segment::Segment;
use crate::errors::Outcome;

pub fn evaluate(filter: &Filter, segment: &Segment) -> Outcome<DocSet> {
    match filter {
        Filter::All(nodes) => {
            let mut set = DocSet::all(segment.len());
            for node in nodes {
                set.intersect(&evaluate(node, segment)?);
                if set.is_empty() {
                    break;
                }
            }
            Ok(set)
        }
        Filter::Any(nodes) => {
            let mut set = DocSet::none(segment.len());
            for node in nodes {
                set.unite(&evaluate(node, segment)?);
            }
            Ok(set)
        }
        Filter::Not(node) => {
            let mut set = evaluate(node, segment)?;
            set.invert();
            Ok(set)
        }
        Filter::Field { field, test, .. } => {
            evaluate_field(&segment.columns_named(field)?, test, segment.len())
        }
    }
}

/// Where a name means several paths, a document is asked at the first of them that it has.
fn evaluate_field(columns: &[Column], test: &Test, documents: usize) -> Outcome<DocSet> {
    if let Test::Exists(wanted) = test {
        let mut set = DocSet::none(documents);
        for column in columns {
            insert_state(column, State::Present, &mut set)?;
        }
        if !wanted {
            set.invert();
        }
        return Ok(set);
    }
    let mut found = DocSet::none(documents);
    let mut asked = None;
    for (at, column) in columns.iter().enumerate() {
        let mut set = evaluate_test(column, test, documents)?;
        if let Some(asked) = &asked {
            set.subtract(asked);
        }
        if at == 0 {
            found = set;
        } else {
            found.unite(&set);
        }
        if at + 1 < columns.len() {
            insert_state(column, State::Present, asked.get_or_insert_with(|| DocSet::none(documents)))?;
        }
    }
    Ok(found)
}

fn evaluate_test(column: &Column, test: &Test, documents: usize) -> Outcome<DocSet> {
    let mut set = DocSet::none(documents);
    match test {
        Test::Exists(_) => insert_state(column, State::Present, &mut set)?,
        Test::In(values) => insert_any(column, values, &mut set)?,
        Test::Contains(values) => return contains_all(column, values, documents),
        Test::Prefix(prefix) => {
            let prefix = prefix.as_bytes();
            let from = column.string_where(0, |string| string < prefix);
            let to = column.string_where(from, |string| string.starts_with(prefix));
            column.string_docs.insert(from, to, &mut set)?;
        }
        Test::Compare(comparison, bound) => {
            let (docs, below, up_to) = place(column, bound);
            let (from, to) = match comparison {
                Comparison::Greater => (up_to, docs.len()),
                Comparison::AtLeast => (below, docs.len()),
                Comparison::Less => (0, below),
                Comparison::AtMost => (0, up_to),
            };
            docs.insert(from, to, &mut set)?;
        }
    }
    Ok(set)
}

/// The keys that a bound compares with, how many are below it, and how many are not above it.
fn place<'c, 'a>(column: &'c Column<'a>, bound: &Bound) -> (&'c Postings<'a>, usize, usize) {
    match bound {
        Bound::Number(bound) => (
            &column.number_docs,
            column.number_where(|number| number < *bound),
            column.number_where(|number| number <= *bound),
        ),
        Bound::Date(bound) => {
            (&column.date_docs, column.date_where(|ms| ms < *bound), column.date_where(|ms| ms <= *bound))
        }
        Bound::Text(bound) => {
            let bound = bound.as_bytes();
            let below = column.string_where(0, |string| string < bound);
            (&column.string_docs, below, column.string_where(below, |string| string <= bound))
        }
    }
}

fn insert_any(column: &Column, values: &Values, set: &mut DocSet) -> Outcome<()> {
    let mut from = 0;
    for wanted in &values.strings {
        from = next_string(column, from, wanted.as_bytes());
        if from < column.strings() && column.string(from) == wanted.as_bytes() {
            column.string_docs.insert(from, from + 1, set)?;
        }
    }
    for wanted in &values.numbers {
        let at = column.number_where(|number| number < *wanted);
        if at < column.numbers() && column.number(at) == *wanted {
            column.number_docs.insert(at, at + 1, set)?;
        }
    }
    for (wanted, state) in
        [(values.has_null, State::Null), (values.has_false, State::False), (values.has_true, State::True)]
    {
        if wanted {
            insert_state(column, state, set)?;
        }
    }
    Ok(())
}

/// The first string from `from` on that is not below `wanted`. Wanted strings come sorted, so the next is often near:
/// the step doubles until it is passed.
fn next_string(column: &Column, from: usize, wanted: &[u8]) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step < column.strings() && column.string(low + step) < wanted {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(column.strings());
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if column.string(middle) < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn contains_all(column: &Column, values: &Values, documents: usize) -> Outcome<DocSet> {
    let mut set = DocSet::none(documents);
    insert_state(column, State::Present, &mut set)?;
    for one in values.one_by_one() {
        if set.is_empty() {
            break;
        }
        let mut holders = DocSet::none(documents);
        insert_any(column, &one, &mut holders)?;
        set.intersect(&holders);
    }
    Ok(set)
}

fn insert_state(column: &Column, state: State, set: &mut DocSet) -> Outcome<()> {
    column.states.insert(state as usize, state as usize + 1, set)
}

impl Values {
    fn one_by_one(&self) -> impl Iterator<Item = Values> {
        let strings =
            self.strings.iter().map(|one| Values { strings: vec![one.clone()], ..Values::default() });
        let numbers = self.numbers.iter().map(|one| Values { numbers: vec![*one], ..Values::default() });
        let others = [
            Values { has_null: self.has_null, ..Values::default() },
            Values { has_false: self.has_false, ..Values::default() },
            Values { has_true: self.has_true, ..Values::default() },
        ];
        let others = others.into_iter().filter(|one| one.has_null || one.has_false || one.has_true);
        strings.chain(numbers).chain(others)
    }
}
