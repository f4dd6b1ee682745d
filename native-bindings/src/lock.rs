//! An advisory lock of the operating system on a file: it ends with the process, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use napi_derive::napi;

use crate::args::Arg;
use crate::errors::{Code, Failure, Outcome};

/// Holds the lock until `release` is called, the object is collected or the process ends. The file is opened with
/// close-on-exec, so that a child process does not inherit it.
#[napi]
pub struct FileLock {
    file: Option<File>,
}

#[napi]
impl FileLock {
    #[napi]
    pub fn release(&mut self) {
        // Closing is what unlocks: it cannot fail halfway.
        self.file = None;
    }
}

#[napi(ts_args_type = "path: string")]
pub fn try_lock_file(path: Arg) -> napi::Result<Option<FileLock>, Code> {
    let path = path.text("path")?;
    Ok(try_lock(Path::new(&path))?.map(|file| FileLock { file: Some(file) }))
}

/// A lock that any number of holders share, on a file that exists: it only has to be readable. None if it is missing,
/// or locked by a holder that does not share.
#[napi(ts_args_type = "path: string")]
pub fn try_share_file(path: Arg) -> napi::Result<Option<FileLock>, Code> {
    let path = path.text("path")?;
    Ok(try_share(Path::new(&path))?.map(|file| FileLock { file: Some(file) }))
}

fn try_share(path: &Path) -> Outcome<Option<File>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::io("open the lock file", path, &error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(Failure::io("lock", path, &error)),
    }
}

fn try_lock(path: &Path) -> Outcome<Option<File>> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| Failure::io("open the lock file", path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(Failure::io("lock", path, &error)),
    }
}
