//! The folder of a keyword index, with every byte checked before tantivy sees it.
//!
//! tantivy ends each of its files with a footer that holds a CRC-32, but never compares it by itself, and a damaged file
//! may end the process or lose hits. Its two small JSON files have no checksum at all: here they get a last line with one.
//! A file is read whole the first time that this process opens it; after that a look at its size and time is enough,
//! because tantivy never changes a file.
//!
//! ```text
//! meta.json      JSON of tantivy │ "crc32 " 8 hex digits "\n"
//! <uuid>.<kind>  body │ footer, JSON: {"version":{…},"crc":n} │ length of the footer u32 │ 1337 u32
//! ```

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tantivy::HasLen;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::footer::Footer;
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, FileSlice, Lock, WatchCallback, WatchHandle, WritePtr,
};

use super::durable_directory::DurableDirectory;

/// Length of the footer, and tantivy's mark.
const FOOTER_END_BYTES: usize = 8;

const CRC_LABEL: &[u8] = b"crc32 ";
const CRC_LINE_BYTES: usize = CRC_LABEL.len() + 8 + 1;
/// Files of an index that is open count by the hundred; more means that they belong to indexes long closed.
const MOST_KNOWN_FILES: usize = 10_000;

#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

/// Files whose bytes this process has checked.
static SOUND: Mutex<Option<HashMap<PathBuf, Stamp>>> = Mutex::new(None);

#[derive(Clone, Debug)]
pub struct CheckedDirectory {
    files: DurableDirectory,
    root: PathBuf,
}

impl CheckedDirectory {
    pub fn open(root: &Path) -> tantivy::Result<Self> {
        Ok(Self { files: DurableDirectory::open(root)?, root: root.to_owned() })
    }

    /// Reads a file whole, whether it was checked before or not.
    pub fn check_anew(&self, path: &Path) -> Result<(), OpenReadError> {
        with_sound(|sound| sound.remove(&self.root.join(path)));
        self.get_file_handle(path).map(drop)
    }

    fn check(&self, path: &Path, handle: &Arc<dyn FileHandle>) -> Result<(), OpenReadError> {
        let full = self.root.join(path);
        let stamp = std::fs::metadata(&full)
            .map(|found| Stamp { bytes: found.len(), modified: found.modified().ok() })
            .map_err(|error| self.failed(path, error))?;
        if with_sound(|sound| sound.get(&full) == Some(&stamp)) {
            return Ok(());
        }
        // tantivy hands out what it has mapped already, also where another file lies under that name now.
        if handle.len() as u64 != stamp.bytes {
            return Err(self.failed(path, damaged("it is cut off, or another one has taken its place")));
        }
        compare(FileSlice::new(Arc::clone(handle))).map_err(|error| self.failed(path, error))?;
        with_sound(|sound| {
            if sound.len() >= MOST_KNOWN_FILES {
                sound.clear();
            }
            sound.insert(full, stamp)
        });
        Ok(())
    }

    /// An error with the whole path, because people have to find the file.
    fn failed(&self, path: &Path, error: io::Error) -> OpenReadError {
        let full = self.root.join(path);
        match error.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(full),
            _ => OpenReadError::wrap_io_error(error, full),
        }
    }

    fn located(&self, error: OpenReadError) -> OpenReadError {
        match error {
            OpenReadError::FileDoesNotExist(path) => OpenReadError::FileDoesNotExist(self.root.join(path)),
            OpenReadError::IoError { io_error, filepath } => {
                OpenReadError::IoError { io_error, filepath: self.root.join(filepath) }
            }
            other => other,
        }
    }
}

fn with_sound<T>(work: impl FnOnce(&mut HashMap<PathBuf, Stamp>) -> T) -> T {
    let mut sound = SOUND.lock().unwrap_or_else(PoisonError::into_inner);
    work(sound.get_or_insert_default())
}

fn damaged(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

fn compare(file: FileSlice) -> io::Result<()> {
    // tantivy reads them without asking whether they are there.
    if file.len() < FOOTER_END_BYTES {
        return Err(damaged("it is cut off"));
    }
    let (footer, body) = Footer::extract_footer(file).map_err(|error| damaged(error.to_string()))?;
    if crc32fast::hash(body.read_bytes()?.as_slice()) == footer.crc {
        return Ok(());
    }
    Err(damaged("its bytes are not those that were written"))
}

/// Takes the line with the checksum off. Files that were written before there was one have none; a damaged line stays,
/// and is no JSON.
fn strip(mut data: Vec<u8>) -> io::Result<Vec<u8>> {
    let body = data.len().saturating_sub(CRC_LINE_BYTES);
    let line = &data[body..];
    if line.starts_with(CRC_LABEL) {
        if line != crc_line(&data[..body]) {
            return Err(damaged("its bytes are not those that were written"));
        }
        data.truncate(body);
    }
    Ok(data)
}

fn crc_line(body: &[u8]) -> Vec<u8> {
    format!("crc32 {:08x}\n", crc32fast::hash(body)).into_bytes()
}

impl Directory for CheckedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let handle = self.files.get_file_handle(path).map_err(|error| self.located(error))?;
        self.check(path, &handle)?;
        Ok(handle)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        with_sound(|sound| sound.remove(&self.root.join(path)));
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let data = match self.files.atomic_read(path) {
            // tantivy asks for its files in turn, and takes the word of this error for an index that is new.
            Err(OpenReadError::FileDoesNotExist(path)) => return Err(OpenReadError::FileDoesNotExist(path)),
            read => read.map_err(|error| self.located(error))?,
        };
        strip(data).map_err(|error| self.failed(path, error))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, &[data, &crc_line(data)].concat())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
