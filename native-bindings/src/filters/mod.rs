//! Filters: which documents hold what at which metadata path, as sorted columns with posting lists, so that any filter
//! over a million documents is answered in milliseconds. What a filter means is written down in `docs/filters.md`.
//!
//!  - [`builder`], [`serialize`], [`segment`]: rows → columns → bytes → a segment in a file or in memory
//!  - [`column`], [`postings`], [`bits`], [`bytes`], [`intern`]: what segments are made of
//!  - [`filter`], [`evaluate`], [`facets`], [`listing`], [`snapshot`]: asking them
//!  - [`json`], [`date`], [`path`]: reading metadata
//!  - [`index`], [`answers`], [`writer`]: the reader's and the writer's side, as JavaScript sees them

mod answers;
mod bits;
mod builder;
mod bytes;
mod column;
mod date;
mod evaluate;
mod facets;
mod filter;
mod index;
mod intern;
mod json;
mod listing;
mod path;
mod postings;
mod segment;
mod serialize;
mod snapshot;
mod writer;
