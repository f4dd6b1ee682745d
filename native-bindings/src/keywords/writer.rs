//! The one writer of a keyword index. Calls run in their order on a lane of the pool; tantivy's own threads index.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{IndexWriter, TantivyDocument, Term};

use super::schema::{Fields, open_or_create};
use crate::args::{Arg, TextRows};
use crate::durable::sync_folder;
use crate::errors::{Code, Failure, Outcome, guarded};
use crate::pool::{self, Lane};

/// tantivy refuses less a thread.
const MIN_BYTES_A_THREAD: usize = 15_000_000;
const MAX_BYTES_A_THREAD: usize = 4_000_000_000;

/// Merging starts at this many segments of about equal size: few enough for searches, rare enough for bulk loads.
const MERGE_SEGMENTS: usize = 6;
/// Segments that are deleted to this share are rewritten even alone.
const MERGE_DELETED_SHARE: f32 = 0.3;

/// Labels have 32 bits.
const NO_LABEL: u64 = u64::MAX;

#[napi]
pub struct KeywordWriter {
    lane: Lane,
    open: Arc<Mutex<Option<OpenWriter>>>,
}

struct OpenWriter {
    writer: IndexWriter,
    fields: Fields,
}

#[napi]
impl KeywordWriter {
    /// Opens the index, or makes one. `memory_bytes` is shared by the indexing threads; a full buffer becomes a
    /// segment. The folder is locked against other writers.
    #[napi(factory, ts_args_type = "path: string, threads: number, memoryBytes: number")]
    pub fn open(path: Arg, threads: Arg, memory_bytes: Arg) -> napi::Result<Self, Code> {
        let path = PathBuf::from(path.text("path")?);
        let threads = threads.count("threads", 1..=64)?;
        let memory_bytes = memory_bytes.count("memoryBytes", 0..=u32::MAX)?;
        let open = guarded(|| OpenWriter::open(&path, threads, memory_bytes))?;
        Ok(Self { lane: Lane::default(), open: Arc::new(Mutex::new(Some(open))) })
    }

    #[napi(
        ts_args_type = "labels: Uint32Array, bytes: Uint8Array, offsets: Uint32Array",
        ts_return_type = "Promise<void>"
    )]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        labels: Arg,
        bytes: Arg,
        offsets: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let labels = labels.u32s("labels")?;
        let rows = TextRows::read(&bytes, &offsets)?;
        if labels.len() != rows.len() {
            return Err(Failure::argument(format!(
                "labels: expected {} rows, got {}",
                rows.len(),
                labels.len()
            )))?;
        }
        self.with_writer(env, move |open| open.add(&labels, &rows))
    }

    #[napi(ts_args_type = "labels: Uint32Array", ts_return_type = "Promise<void>")]
    pub fn remove<'env>(&self, env: &'env Env, labels: Arg) -> napi::Result<Object<'env>, Code> {
        let labels = labels.u32s("labels")?;
        self.with_writer(env, move |open| {
            open.remove(&labels);
            Ok(())
        })
    }

    #[napi(ts_args_type = "payload: string", ts_return_type = "Promise<void>")]
    pub fn commit<'env>(&self, env: &'env Env, payload: Arg) -> napi::Result<Object<'env>, Code> {
        let payload = payload.text("payload")?;
        self.with_writer(env, move |open| open.commit(&payload))
    }

    /// Leaves out of the next commit all that is committed; what was added since the last one must not exist. Until
    /// `merge`, segments are not merged on the way.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn clear<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        self.with_writer(env, |open| open.clear())
    }

    /// Makes one segment of what is committed, durably, and removes the files that no commit needs any more. Readers
    /// keep what they have open.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn merge<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        self.with_writer(env, |open| open.merge())
    }

    /// Waits for merges, then frees the lock. What was not committed is dropped. Closing twice is fine.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>, Code> {
        let open = Arc::clone(&self.open);
        self.lane.promise(
            env,
            move || match open.lock().map_err(|_| Failure::poisoned())?.take() {
                Some(open) => Ok(open.writer.wait_merging_threads()?),
                None => Ok(()),
            },
            |()| (),
        )
    }

    fn with_writer<'env>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&mut OpenWriter) -> Outcome<()> + Send + 'static,
    ) -> napi::Result<Object<'env>, Code> {
        let open = Arc::clone(&self.open);
        self.lane.promise(
            env,
            move || {
                let mut open = open.lock().map_err(|_| Failure::poisoned())?;
                work(open.as_mut().ok_or_else(|| Failure::closed("keyword writer"))?)
            },
            |()| (),
        )
    }
}

impl Drop for KeywordWriter {
    /// A writer that was not closed still has threads to join; the JavaScript thread does not wait for them.
    fn drop(&mut self) {
        let open = Arc::clone(&self.open);
        pool::run(move || drop(open.lock().map(|mut open| open.take())));
    }
}

fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGE_SEGMENTS);
    policy.set_del_docs_ratio_before_merge(MERGE_DELETED_SHARE);
    policy
}

impl OpenWriter {
    fn open(path: &Path, threads: usize, memory_bytes: usize) -> Outcome<Self> {
        let (index, fields) = open_or_create(path)?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread((memory_bytes / threads).clamp(MIN_BYTES_A_THREAD, MAX_BYTES_A_THREAD))
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(merge_policy()));
        // A process killed between writing a file of deletes and the meta file leaves an orphan, and the commit that
        // comes to the same name fails for ever.
        writer.garbage_collect_files().wait()?;
        remove_orphans(path, &index.directory().list_managed_files())?;
        // The first removal after opening gets the operation number of the last commit, and a merge that runs beside
        // it skips it: the removed document comes back. No document has this label, so this one may be lost.
        writer.delete_term(Term::from_field_u64(fields.label, NO_LABEL));
        sync_folder(path)?;
        Ok(Self { writer, fields })
    }

    fn add(&mut self, labels: &[u32], rows: &TextRows) -> Outcome<()> {
        for (label, text) in labels.iter().zip(rows.iter()) {
            let mut document = TantivyDocument::new();
            document.add_u64(self.fields.label, u64::from(*label));
            document.add_text(self.fields.text, text);
            self.writer.add_document(document)?;
        }
        Ok(())
    }

    fn remove(&mut self, labels: &[u32]) {
        for label in labels {
            self.writer.delete_term(Term::from_field_u64(self.fields.label, u64::from(*label)));
        }
    }

    fn commit(&mut self, payload: &str) -> Outcome<()> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(payload);
        prepared.commit()?;
        Ok(())
    }

    fn clear(&mut self) -> Outcome<()> {
        self.writer.set_merge_policy(Box::new(NoMergePolicy));
        self.writer.delete_all_documents()?;
        Ok(())
    }

    fn merge(&mut self) -> Outcome<()> {
        let segments = self.writer.index().searchable_segment_ids()?;
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
        }
        self.writer.garbage_collect_files().wait()?;
        self.writer.set_merge_policy(Box::new(merge_policy()));
        Ok(())
    }
}

/// Deletes segment files that tantivy does not know to be its own, because their entry in the list of managed files was
/// lost with the power. The caller is the only writer.
fn remove_orphans(path: &Path, managed: &HashSet<PathBuf>) -> Outcome<()> {
    let failed = |error: &std::io::Error| Failure::io("tidy up", path, error);
    for entry in std::fs::read_dir(path).map_err(|error| failed(&error))? {
        let name = entry.map_err(|error| failed(&error))?.file_name();
        if is_segment_file(&name.to_string_lossy()) && !managed.contains(Path::new(&name)) {
            std::fs::remove_file(path.join(&name)).map_err(|error| failed(&error))?;
        }
    }
    Ok(())
}

/// Segments are named by a UUID without hyphens.
fn is_segment_file(name: &str) -> bool {
    name.split('.').next().is_some_and(|stem| stem.len() == 32 && stem.bytes().all(|b| b.is_ascii_hexdigit()))
}
