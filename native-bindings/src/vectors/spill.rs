//! Memory in a file that has no name: the vectors of a graph that is being built. Each is written once and read often, so
//! its pages are kept as long as there is room, and where there is none the system writes them out instead of ending the
//! process, which is all that it can do with memory of our own. What is left of a graph then is its links.

use std::path::PathBuf;

/// A file in a folder, without a name from the beginning: it goes with the process, however that ends. Made when it is
/// first needed.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub struct Spill {
    folder: PathBuf,
    file: Option<std::fs::File>,
    bytes: u64,
}

/// So many times what the file takes has to be free.
#[cfg(target_os = "linux")]
const ROOM: u64 = 5;

/// A part of the file, mapped; it outlives the [`Spill`].
pub struct Mapped {
    pub start: *mut u8,
    #[cfg(target_os = "linux")]
    bytes: usize,
}

impl Spill {
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder, file: None, bytes: 0 }
    }
}

#[cfg(target_os = "linux")]
impl Spill {
    /// Zeroed, and there for sure: a page for which the disk has no room would end the process when it is written.
    /// Nothing where the file system makes no such files, or little room: memory of our own does as well, and the file
    /// that is made of the graph in the end needs room beside this one.
    pub fn add(&mut self, bytes: usize) -> Option<Mapped> {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::OpenOptionsExt;
        if self.file.is_none() {
            let mut options = std::fs::OpenOptions::new();
            options.read(true).write(true).custom_flags(libc::O_TMPFILE).mode(0o600);
            self.file = options.open(&self.folder).ok();
        }
        let (fd, at) = (self.file.as_ref()?.as_raw_fd(), self.bytes as libc::off_t);
        if free_bytes(fd)? < ROOM * (self.bytes + bytes as u64) {
            return None;
        }
        if unsafe { libc::posix_fallocate(fd, at, bytes as libc::off_t) } != 0 {
            return None;
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_SHARED, fd, at) };
        if start == libc::MAP_FAILED {
            return None;
        }
        self.bytes += bytes as u64;
        Some(Mapped { start: start.cast(), bytes })
    }
}

/// Of the disk that a file is on.
#[cfg(target_os = "linux")]
fn free_bytes(fd: std::os::fd::RawFd) -> Option<u64> {
    let mut disk = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    if unsafe { libc::fstatvfs(fd, disk.as_mut_ptr()) } != 0 {
        return None;
    }
    let disk = unsafe { disk.assume_init() };
    Some(disk.f_bavail as u64 * disk.f_frsize as u64)
}

#[cfg(target_os = "linux")]
impl Drop for Mapped {
    fn drop(&mut self) {
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

/// Other systems have no files without a name, or no way to be sure of the room for one.
#[cfg(not(target_os = "linux"))]
impl Spill {
    pub fn add(&mut self, _bytes: usize) -> Option<Mapped> {
        None
    }
}
