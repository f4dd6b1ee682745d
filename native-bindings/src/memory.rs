//! Memory that was freed but is still held.

use napi_derive::napi;

/// Gives what was freed back to the system, where the allocator keeps it. Takes milliseconds: for worker threads.
#[napi]
pub fn release_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}
