//! The filter index as JavaScript sees it. Changes run one after the other; each makes a new snapshot, and a query runs
//! on the one that was current when it was called.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::answers::{Counted, FacetRows, Listed, Selection};
use super::bits::DocSet;
use super::builder::SegmentBuilder;
use super::facets::facets;
use super::filter::Filter;
use super::listing::list;
use super::segment::Segment;
use super::serialize::{Identity, write};
use super::snapshot::{Part, Snapshot};
use super::writer::{add_rows, keys_of, read_rows};
use crate::args::Arg;
use crate::errors::{Code, Failure, Outcome};
use crate::pool::{self, Lane};
use crate::results::{U8s, U32s};

#[napi]
pub struct FilterIndex {
    changes: Lane,
    /// Rows that the next `seal` makes a segment of.
    rows: Arc<Mutex<SegmentBuilder>>,
    current: Arc<RwLock<Arc<Snapshot>>>,
}

#[napi]
impl FilterIndex {
    #[napi(factory)]
    pub fn create() -> Self {
        Self {
            changes: Lane::default(),
            rows: Arc::default(),
            current: Arc::new(RwLock::new(Arc::new(Snapshot::default()))),
        }
    }

    /// Documents of each segment, dead ones included.
    #[napi(getter, ts_return_type = "Uint32Array")]
    pub fn segments(&self) -> napi::Result<U32s, Code> {
        Ok(U32s(self.now()?.parts.iter().map(|part| part.segment.len() as u32).collect()))
    }

    /// Highest key in the segments; 0 without any.
    #[napi(getter)]
    pub fn last_key(&self) -> napi::Result<f64, Code> {
        let mut last = 0;
        for part in &self.now()?.parts {
            last = last.max(part.segment.last_key()?);
        }
        Ok(last as f64)
    }

    /// Puts the segment of a file in the place of all others. Documents born after generation `at` stay out.
    #[napi(
        ts_args_type = "path: string, index: string, generation: number, at: number",
        ts_return_type = "Promise<void>"
    )]
    pub fn open<'env>(
        &self,
        env: &'env Env,
        path: Arg,
        index: Arg,
        generation: Arg,
        at: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let identity = Identity { index: index.text("index")?, generation: generation.whole("generation")? };
        let at = at.whole("at")?;
        self.change(env, move |_, _| {
            let segment = Segment::open_file(&path, &identity).map_err(|mut failure| {
                failure.message =
                    format!("the filter file {} is damaged: {}", path.display(), failure.message);
                failure
            })?;
            let mut alive = DocSet::all(segment.len());
            for (doc, born) in segment.rows()?.born.iter().enumerate() {
                if u64::from_le_bytes(*born) > at {
                    alive.remove(doc as u32);
                }
            }
            Ok(Snapshot { parts: vec![Arc::new(Part { segment: Arc::new(segment), alive })] })
        })
    }

    /// Rows of the segment that `seal` will make. `rows`: key, generation of birth, first label and chunk count of each
    /// document, keys ascending; the column holds five texts a document: id, source, title, format, metadata as JSON.
    #[napi(
        ts_args_type = "rows: Float64Array, bytes: Uint8Array, offsets: Uint32Array",
        ts_return_type = "Promise<void>"
    )]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        rows: Arg,
        bytes: Arg,
        offsets: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let (numbers, texts) = read_rows(&rows, &bytes, &offsets)?;
        let builder = Arc::clone(&self.rows);
        self.changes.promise(
            env,
            move || {
                let mut builder = builder.lock().map_err(|_| Failure::poisoned())?;
                add_rows(&mut builder, &numbers, &texts).inspect_err(|_| *builder = SegmentBuilder::default())
            },
            |()| (),
        )
    }

    /// Makes a segment of the rows that were added; none, if there are none.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn seal<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        self.change(env, |snapshot, builder| {
            let builder = std::mem::take(builder);
            let mut next = snapshot.clone();
            if builder.len() > 0 {
                let mut bytes = Cursor::new(Vec::new());
                write(builder, &mut bytes, &Identity { index: String::new(), generation: 0 })?;
                let segment = Segment::in_memory(bytes.into_inner())?;
                let alive = DocSet::all(segment.len());
                next.parts.push(Arc::new(Part { segment: Arc::new(segment), alive }));
            }
            Ok(next)
        })
    }

    /// Drops the segments after the first `count`.
    #[napi(ts_args_type = "count: number", ts_return_type = "Promise<void>")]
    pub fn keep<'env>(&self, env: &'env Env, count: Arg) -> napi::Result<Object<'env>, Code> {
        let count = count.count("count", 0..=u32::MAX)?;
        self.change(env, move |snapshot, _| {
            let mut next = snapshot.clone();
            next.parts.truncate(count);
            Ok(next)
        })
    }

    /// Documents that have died, by key; unknown keys are fine.
    #[napi(ts_args_type = "keys: Float64Array", ts_return_type = "Promise<void>")]
    pub fn remove<'env>(&self, env: &'env Env, keys: Arg) -> napi::Result<Object<'env>, Code> {
        let keys = keys_of(&keys)?;
        self.change(env, move |snapshot, _| {
            if keys.is_empty() {
                return Ok(snapshot.clone());
            }
            snapshot.with_alive(|segment, alive| {
                let rows = segment.rows()?;
                keys.iter().filter_map(|key| rows.find(*key)).for_each(|doc| alive.remove(doc));
                Ok(())
            })
        })
    }

    /// All documents that are alive, by key: every other one of the segments is dead.
    #[napi(ts_args_type = "keys: Float64Array", ts_return_type = "Promise<void>")]
    pub fn retain<'env>(&self, env: &'env Env, keys: Arg) -> napi::Result<Object<'env>, Code> {
        let keys = keys_of(&keys)?;
        self.change(env, move |snapshot, _| {
            snapshot.with_alive(|segment, alive| {
                let rows = segment.rows()?;
                let mut named = DocSet::none(segment.len());
                keys.iter().filter_map(|key| rows.find(*key)).for_each(|doc| named.insert(doc));
                alive.intersect(&named);
                Ok(())
            })
        })
    }

    /// Labels of the living documents that pass. `filter` is a FilterNode as JSON, or '' for all.
    #[napi(
        ts_args_type = "filter: string, maxLabel: number",
        ts_return_type = "Promise<{ unknown: string[]; bits: Uint8Array; count: number }>"
    )]
    pub fn select<'env>(
        &self,
        env: &'env Env,
        filter: Arg,
        max_label: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let filter = filter.text("filter")?;
        let max_label = max_label.count("maxLabel", 0..=u32::MAX)? as u32;
        let snapshot = self.now()?;
        pool::promise(
            env,
            move || {
                let filter = Filter::parse(&filter)?;
                match snapshot.unknown_field(&filter)? {
                    Some(field) => Ok((vec![field], Vec::new(), 0)),
                    None => snapshot.labels(&filter, max_label).map(|set| (vec![], set.bytes, set.count)),
                }
            },
            |(unknown, bytes, count)| Selection { unknown, bits: U8s(bytes), count },
        )
    }

    #[napi(
        ts_args_type = "filter: string",
        ts_return_type = "Promise<{ unknown: string[]; documents: number; chunks: number }>"
    )]
    pub fn count<'env>(&self, env: &'env Env, filter: Arg) -> napi::Result<Object<'env>, Code> {
        let filter = filter.text("filter")?;
        let snapshot = self.now()?;
        pool::promise(
            env,
            move || {
                let filter = Filter::parse(&filter)?;
                let unknown = snapshot.unknown_field(&filter)?;
                let count = if unknown.is_none() { snapshot.count(&filter)? } else { Default::default() };
                Ok((unknown.into_iter().collect(), count))
            },
            |(unknown, count)| Counted { unknown, documents: count.documents, chunks: count.chunks },
        )
    }

    /// The values of a field among the documents that pass: most documents first, equal ones by value.
    #[napi(
        ts_args_type = "field: string, filter: string, limit: number",
        ts_return_type = "Promise<FacetRows>"
    )]
    pub fn facets<'env>(
        &self,
        env: &'env Env,
        field: Arg,
        filter: Arg,
        limit: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let (field, filter) = (field.text("field")?, filter.text("filter")?);
        let limit = limit.count("limit", 0..=u32::MAX)?;
        let snapshot = self.now()?;
        pool::promise(
            env,
            move || {
                let filter = Filter::parse(&filter)?;
                let unknown = match snapshot.knows(&field)? {
                    true => snapshot.unknown_field(&filter)?,
                    false => Some(field.clone()),
                };
                if unknown.is_some() {
                    return Ok((unknown.into_iter().collect(), Vec::new(), 0));
                }
                let found = facets(&snapshot, &field, &filter, limit)?;
                Ok((Vec::new(), found.values, found.distinct))
            },
            |(unknown, values, distinct)| FacetRows::of(unknown, values, distinct),
        )
    }

    /// Up to `limit` ids of documents that pass, in the order of code points, after the given one.
    #[napi(
        ts_args_type = "filter: string, after: string | null, limit: number",
        ts_return_type = "Promise<{ unknown: string[]; ids: string[] }>"
    )]
    pub fn list<'env>(
        &self,
        env: &'env Env,
        filter: Arg,
        after: Arg,
        limit: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let filter = filter.text("filter")?;
        let after = after.optional_text("after")?;
        let limit = limit.count("limit", 0..=u32::MAX)?;
        let snapshot = self.now()?;
        pool::promise(
            env,
            move || {
                let filter = Filter::parse(&filter)?;
                match snapshot.unknown_field(&filter)? {
                    Some(field) => Ok((vec![field], Vec::new())),
                    None => list(&snapshot, &filter, after.as_deref(), limit).map(|ids| (vec![], ids)),
                }
            },
            |(unknown, ids)| Listed { unknown, ids },
        )
    }

    /// Names of the fields that living documents have, sorted by code points.
    #[napi(ts_return_type = "Promise<string[]>")]
    pub fn fields<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        let snapshot = self.now()?;
        pool::promise(env, move || snapshot.fields(), |names| names)
    }

    fn now(&self) -> Outcome<Arc<Snapshot>> {
        Ok(Arc::clone(&*self.current.read().map_err(|_| Failure::poisoned())?))
    }

    fn change<'env>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&Snapshot, &mut SegmentBuilder) -> Outcome<Snapshot> + Send + 'static,
    ) -> napi::Result<Object<'env>, Code> {
        let (rows, current) = (Arc::clone(&self.rows), Arc::clone(&self.current));
        self.changes.promise(
            env,
            move || {
                let before = Arc::clone(&*current.read().map_err(|_| Failure::poisoned())?);
                let after = work(&before, &mut *rows.lock().map_err(|_| Failure::poisoned())?)?;
                *current.write().map_err(|_| Failure::poisoned())? = Arc::new(after);
                Ok(())
            },
            |()| (),
        )
    }
}
