//! Whether the files of a keyword index are those that were written.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tantivy::Index;
use tantivy::directory::Directory;
use tantivy::directory::error::OpenReadError;
use tantivy::index::{IndexMeta, SegmentComponent};

use super::directory::CheckedDirectory;
use super::reader::{live_labels, open_snapshot};
use super::schema;
use crate::args::Arg;
use crate::errors::{Code, Failure, Outcome};
use crate::pool;
use crate::results::U32s;

/// Reading ahead is bound by memory and disk; more threads gained nothing.
const THREADS: usize = 2;

/// A check that meets this many commits in a row gives up.
const TRIES: usize = 20;

/// What a look at every byte found.
#[napi(object, object_from_js = false)]
pub struct KeywordCheck {
    pub files: u32,
    pub bytes: f64,
    /// In sentences that name the file.
    pub problems: Vec<String>,
    pub payload: String,
    /// Of the documents that are not deleted, ascending; empty where there are problems.
    #[napi(ts_type = "Uint32Array")]
    pub labels: U32s,
}

/// Reads every file of the newest commit.
#[napi(ts_args_type = "path: string", ts_return_type = "Promise<NativeKeywordCheck>")]
pub fn check_keyword_index(env: &Env, path: Arg) -> napi::Result<Object<'_>, Code> {
    let path = PathBuf::from(path.text("path")?);
    pool::promise(env, move || check(&path), |check| check)
}

/// A writer may merge and remove files while they are looked at: then what it left is looked at again.
fn check(path: &Path) -> Outcome<KeywordCheck> {
    let files_now =
        || schema::open(path).ok().and_then(|(index, _)| index.load_metas().ok()).map(|meta| files_of(&meta));
    for _ in 0..TRIES {
        let before = files_now();
        let found = check_once(path)?;
        if found.problems.is_empty() || before == files_now() {
            return Ok(found);
        }
    }
    Err(Failure::new(Code::Failed, "the keyword index changed during every try to check it"))
}

fn check_once(path: &Path) -> Outcome<KeywordCheck> {
    let mut found = KeywordCheck {
        files: 2,
        bytes: 0.0,
        problems: Vec::new(),
        payload: String::new(),
        labels: U32s(Vec::new()),
    };
    let index = match schema::open(path) {
        Ok((index, _)) => index,
        Err(failure) => return Ok(with_problem(found, failure)),
    };
    let meta = match index.load_metas() {
        Ok(meta) => meta,
        Err(error) => return Ok(with_problem(found, error.into())),
    };
    let directory = CheckedDirectory::open(path)?;
    for file in files_of(&meta) {
        found.files += 1;
        found.bytes += std::fs::metadata(path.join(&file)).map_or(0.0, |found| found.len() as f64);
        if let Err(error) = directory.check_anew(&file) {
            found.problems.push(Failure::from(&error).message);
        }
    }
    found.payload = meta.payload.unwrap_or_default();
    if !found.problems.is_empty() {
        return Ok(found);
    }
    match open_snapshot(path) {
        Ok(snapshot) => {
            let mut labels: Vec<u32> = live_labels(&snapshot.searcher, &snapshot.segments).collect();
            labels.sort_unstable();
            Ok(KeywordCheck { labels: U32s(labels), payload: snapshot.payload, ..found })
        }
        Err(failure) => Ok(with_problem(found, failure)),
    }
}

fn with_problem(mut found: KeywordCheck, failure: Failure) -> KeywordCheck {
    found.problems.push(failure.message);
    found
}

pub fn files_of(meta: &IndexMeta) -> Vec<PathBuf> {
    use SegmentComponent::{Delete, FastFields, FieldNorms, Positions, Postings, Store, Terms};
    let always = [Postings, Positions, FastFields, FieldNorms, Terms, Store];
    meta.segments
        .iter()
        .flat_map(|segment| {
            let deletes = segment.has_deletes().then_some(Delete);
            always.clone().into_iter().chain(deletes).map(|component| segment.relative_path(component))
        })
        .collect()
}

/// Checks the files of a commit on two threads, so that opening them one after another finds that done. tantivy opens
/// some of them only when they are asked for, and a commit that lacks one of those must not count as whole.
///
/// Returns what is wrong with the first file that is; one that has vanished may belong to a commit that was overtaken.
pub fn read_ahead(index: &Index, meta: &IndexMeta) -> Result<(), OpenReadError> {
    let files = files_of(meta);
    let next = AtomicUsize::new(0);
    let check = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            index.directory().get_file_handle(file)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..THREADS).map(|_| scope.spawn(check)).collect();
        others.into_iter().fold(check(), |found, other| {
            let theirs = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            found.and(theirs)
        })
    })
}
