//! Making files survive a power cut.

use std::fs::File;
use std::path::Path;

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
