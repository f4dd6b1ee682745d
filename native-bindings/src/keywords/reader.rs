//! Snapshots of a keyword index. A search runs on the snapshot that was current when it was called, so a refresh never
//! changes results midway, and the payload is always the one of the searched commit.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tantivy::index::SegmentId;
use tantivy::{Index, IndexReader, ReloadPolicy, Searcher};

use super::check;
use super::schema::{self, Fields};
use super::search;
use crate::args::Arg;
use crate::errors::{Code, Failure, Outcome, guarded};
use crate::pool::{self, Lane};
use crate::results::{F32s, U32s};
use crate::vectors::Hits;

/// A refresh that meets this many commits in a row gives up; a writer commits far slower than a reader reads a file.
const REFRESH_TRIES: usize = 100;

#[napi]
pub struct KeywordReader {
    refreshes: Lane,
    source: Arc<Mutex<Source>>,
    /// None once closed.
    current: Arc<RwLock<Option<Arc<Snapshot>>>>,
}

/// Where snapshots come from; only refreshes touch it, one at a time.
struct Source {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

/// One commit, opened.
pub struct Snapshot {
    pub searcher: Searcher,
    pub fields: Fields,
    pub payload: String,
    pub segments: Vec<Arc<SegmentLabels>>,
    documents: u32,
    label_sum: u32,
}

/// The labels of a segment's documents, decoded once: filters and ties ask for them all the time.
pub struct SegmentLabels {
    id: SegmentId,
    /// Label by document.
    pub labels: Vec<u32>,
    /// Whether labels rise with documents, so that a label can be found by bisection.
    pub ascending: bool,
}

#[napi]
impl KeywordReader {
    #[napi(factory, ts_args_type = "path: string")]
    pub fn open(path: Arg) -> napi::Result<Self, Code> {
        let path = PathBuf::from(path.text("path")?);
        Ok(guarded(|| {
            let source = Source::open(&path)?;
            let snapshot = source.snapshot(None)?;
            Ok(Self {
                refreshes: Lane::default(),
                source: Arc::new(Mutex::new(source)),
                current: Arc::new(RwLock::new(Some(Arc::new(snapshot)))),
            })
        })?)
    }

    #[napi(getter)]
    pub fn payload(&self) -> napi::Result<String, Code> {
        Ok(current(&self.current)?.payload.clone())
    }

    /// Documents of the commit that are not deleted.
    #[napi(getter)]
    pub fn documents(&self) -> napi::Result<u32, Code> {
        Ok(current(&self.current)?.documents)
    }

    /// Sum of their labels, modulo 2^32.
    #[napi(getter)]
    pub fn label_sum(&self) -> napi::Result<u32, Code> {
        Ok(current(&self.current)?.label_sum)
    }

    #[napi(ts_return_type = "Promise<void>")]
    pub fn refresh<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        let (source, slot) = (Arc::clone(&self.source), Arc::clone(&self.current));
        self.refreshes.promise(
            env,
            move || {
                let before = current(&slot)?;
                let source = source.lock().map_err(|_| Failure::poisoned())?;
                let after = Arc::new(source.snapshot(Some(&before))?);
                let mut slot = slot.write().map_err(|_| Failure::poisoned())?;
                // Closed meanwhile: stays closed.
                if slot.is_some() {
                    *slot = Some(after);
                }
                Ok(())
            },
            |()| (),
        )
    }

    #[napi(
        ts_args_type = "query: string, k: number, allow: Uint8Array | null",
        ts_return_type = "Promise<{ labels: Uint32Array; scores: Float32Array }>"
    )]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: Arg,
        k: Arg,
        allow: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let query = query.text("query")?;
        let k = k.count("k", 0..=u32::MAX)?;
        let allow = allow.bitset("allow")?;
        let snapshot = current(&self.current);
        pool::promise(
            env,
            move || search::search(&*snapshot?, &query, k, allow.as_ref()),
            |hits| Hits {
                labels: U32s(hits.iter().map(|hit| hit.label).collect()),
                scores: F32s(hits.iter().map(|hit| hit.score).collect()),
            },
        )
    }

    #[napi(ts_return_type = "Promise<void>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        let slot = Arc::clone(&self.current);
        self.refreshes.promise(
            env,
            move || {
                *slot.write().map_err(|_| Failure::poisoned())? = None;
                Ok(())
            },
            |()| (),
        )
    }
}

/// The newest commit, opened once.
pub fn open_snapshot(path: &Path) -> Outcome<Snapshot> {
    Source::open(path)?.snapshot(None)
}

fn current(slot: &RwLock<Option<Arc<Snapshot>>>) -> Outcome<Arc<Snapshot>> {
    slot.read().map_err(|_| Failure::poisoned())?.clone().ok_or_else(|| Failure::closed("keyword reader"))
}

impl Source {
    fn open(path: &Path) -> Outcome<Self> {
        let (index, fields) = schema::open(path)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { index, reader, fields })
    }

    /// Opens the newest commit. tantivy does not say which commit a searcher shows, so the meta file is read before
    /// and after: if both agree on the commit, the searcher made in between shows it. A merge leaves the commit what it
    /// is, and takes files away: what is wrong with a file counts only where none has changed.
    fn snapshot(&self, before: Option<&Snapshot>) -> Outcome<Snapshot> {
        for _ in 0..REFRESH_TRIES {
            let meta = self.index.load_metas()?;
            let whole = check::read_ahead(&self.index, &meta);
            if let Err(error) = &whole
                && check::files_of(&meta) == check::files_of(&self.index.load_metas()?)
            {
                return Err(Failure::from(error));
            }
            self.reader.reload()?;
            let again = self.index.load_metas()?;
            if whole.is_ok() && meta.opstamp == again.opstamp && meta.payload == again.payload {
                let searcher = self.reader.searcher();
                let segments = segment_labels(&searcher, before)?;
                let payload = meta.payload.unwrap_or_default();
                let (mut documents, mut label_sum) = (0u32, 0u32);
                for label in live_labels(&searcher, &segments) {
                    documents += 1;
                    label_sum = label_sum.wrapping_add(label);
                }
                return Ok(Snapshot {
                    searcher,
                    fields: self.fields,
                    payload,
                    segments,
                    documents,
                    label_sum,
                });
            }
        }
        Err(Failure::new(Code::Failed, "the keyword index changed during every try to open it"))
    }
}

/// Labels of the documents that are not deleted.
pub fn live_labels(searcher: &Searcher, segments: &[Arc<SegmentLabels>]) -> impl Iterator<Item = u32> {
    searcher.segment_readers().iter().zip(segments).flat_map(|(reader, segment)| {
        (0u32..).zip(&segment.labels).filter_map(|(doc, label)| (!reader.is_deleted(doc)).then_some(*label))
    })
}

/// Labels of every segment, in the order of the searcher; segments of the snapshot before are taken over.
fn segment_labels(searcher: &Searcher, before: Option<&Snapshot>) -> Outcome<Vec<Arc<SegmentLabels>>> {
    let known =
        |id: SegmentId| before.and_then(|snapshot| snapshot.segments.iter().find(|known| known.id == id));
    searcher
        .segment_readers()
        .iter()
        .map(|segment| {
            if let Some(known) = known(segment.segment_id()) {
                return Ok(Arc::clone(known));
            }
            let column = segment.fast_fields().u64("label")?;
            let labels: Vec<u32> = (0..segment.max_doc())
                .map(|doc| column.first(doc).and_then(|label| u32::try_from(label).ok()))
                .collect::<Option<_>>()
                .ok_or_else(|| Failure::corrupt("a document of the keyword index has no label"))?;
            let ascending = labels.is_sorted();
            Ok(Arc::new(SegmentLabels { id: segment.segment_id(), labels, ascending }))
        })
        .collect()
}
