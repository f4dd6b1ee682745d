//! tantivy's folder, with three things that it lacks. A merge renames the new meta file into place and then deletes the
//! segments that it no longer names; only a sync in between keeps a power cut from leaving the old meta file without
//! its segments. Its temporary files have names of chance, which stay when the process is killed, and may be read by
//! their owner only. And a reader locks by opening a file for writing, which cannot be done where nothing may be written.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

pub const META_FILE: &str = "meta.json";

#[derive(Clone, Debug)]
pub struct DurableDirectory {
    inner: MmapDirectory,
    root: PathBuf,
}

impl DurableDirectory {
    pub fn open(root: &Path) -> Result<Self, OpenDirectoryError> {
        Ok(Self { inner: MmapDirectory::open(root)?, root: root.to_owned() })
    }

    /// An open file can be locked whatever it was opened for. No lock file: nobody has ever written here.
    fn lock_unwritable(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let file = match File::open(self.root.join(&lock.filepath)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(DirectoryLock::from(Box::new(())));
            }
            Err(error) => return Err(LockError::IoError(Arc::new(error))),
        };
        if lock.is_blocking {
            file.lock().map_err(|error| LockError::IoError(Arc::new(error)))?;
        } else {
            file.try_lock().map_err(|_| LockError::LockBusy)?;
        }
        Ok(DirectoryLock::from(Box::new(file)))
    }
}

impl Directory for DurableDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let temporary = self.root.join(format!(".{}.tmp", path.display()));
        let mut file = File::create(&temporary)?;
        file.write_all(data)?;
        file.sync_data()?;
        drop(file);
        fs::rename(&temporary, self.root.join(path))?;
        if path == Path::new(META_FILE) { self.inner.sync_directory() } else { Ok(()) }
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.inner.acquire_lock(lock) {
            Err(LockError::IoError(error)) if unwritable(&error) => self.lock_unwritable(lock),
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

fn unwritable(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied)
}
