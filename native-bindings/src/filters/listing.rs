//! The documents that pass a filter, in the order of their ids: the one order that lasts over commits, because a
//! document keeps its id while its key and its labels change.

use super::bits::DocSet;
use super::builder::DOCUMENT_FIELDS;
use super::column::Column;
use super::filter::Filter;
use super::snapshot::Snapshot;
use crate::errors::Outcome;

/// Up to `limit` ids after `after`, by code points.
pub fn list(snapshot: &Snapshot, filter: &Filter, after: Option<&str>, limit: usize) -> Outcome<Vec<String>> {
    let passing = snapshot.passing(filter)?;
    let mut walks = Vec::new();
    for (part, set) in &passing {
        for column in part.segment.columns_named(DOCUMENT_FIELDS[0])? {
            let at = after.map_or(0, |after| column.string_where(0, |id| id <= after.as_bytes()));
            walks.push(Walk { column, set, at });
        }
    }
    let mut ids = Vec::new();
    for walk in &mut walks {
        walk.advance()?;
    }
    while ids.len() < limit {
        let next = walks.iter_mut().filter(|walk| walk.id().is_some()).min_by(|a, b| a.id().cmp(&b.id()));
        let Some(walk) = next else { break };
        ids.push(String::from_utf8_lossy(walk.id().unwrap_or_default()).into_owned());
        walk.at += 1;
        walk.advance()?;
    }
    Ok(ids)
}

/// A segment's ids, at the next one that passes.
struct Walk<'a> {
    column: Column<'a>,
    set: &'a DocSet,
    at: usize,
}

impl Walk<'_> {
    fn id(&self) -> Option<&[u8]> {
        (self.at < self.column.strings()).then(|| self.column.string(self.at))
    }

    fn advance(&mut self) -> Outcome<()> {
        while self.at < self.column.strings() {
            let mut passes = false;
            self.column.string_docs.for_each(self.at, self.set, |_| passes = true)?;
            if passes {
                break;
            }
            self.at += 1;
        }
        Ok(())
    }
}
