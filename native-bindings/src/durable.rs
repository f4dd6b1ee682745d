//! Making files survive a power cut.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::errors::{Failure, Outcome};

/// Syncs the entries of a folder, so that a rename in it is durable. Windows has no such call and needs none.
pub fn sync_folder(path: &Path) -> Outcome<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| Failure::io("sync the folder", path, &error))
}

/// Writes a temporary file next to the target and renames it: the target is the old file or the new one, never a part.
/// Durable when it returns.
///
/// `what` begins the message of a failure: `write the graph to`.
pub fn replace(path: &Path, what: &str, write: impl FnOnce(&mut File) -> Outcome<()>) -> Outcome<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}-{number}.tmp", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let failed = |error: std::io::Error| Failure::io(what, path, &error);
    let replaced = File::create(&temporary).map_err(failed).and_then(|mut file| {
        write(&mut file)?;
        file.flush()
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&temporary, path))
            .map_err(failed)
    });
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
        return replaced;
    }
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}
