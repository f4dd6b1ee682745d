//! CPU time of a thread, read by another: on a machine under load a parse may get a tenth of a core, and who waits for
//! it by the wall clock would give up real code.

use std::sync::atomic::{AtomicI32, Ordering};

/// Set by the thread that it measures; zero is the clock of no thread.
#[derive(Default)]
pub struct ThreadClock(AtomicI32);

impl ThreadClock {
    /// Measures the calling thread from now on.
    #[cfg(target_os = "linux")]
    pub fn start(&self) {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: the call only writes the number of a clock of the thread that runs it.
        if unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) } == 0 {
            self.0.store(clock, Ordering::Release);
        }
    }

    /// None before the start, after the thread's end, and where the system does not tell.
    #[cfg(target_os = "linux")]
    pub fn ms(&self) -> Option<f64> {
        let clock = self.0.load(Ordering::Acquire);
        if clock == 0 {
            return None;
        }
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call only writes to the struct that it is given, and refuses the clock of a thread that has ended.
        let failed = unsafe { libc::clock_gettime(clock, &mut time) } != 0;
        (!failed).then(|| time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn start(&self) {
        self.0.store(0, Ordering::Release);
    }

    #[cfg(not(target_os = "linux"))]
    pub fn ms(&self) -> Option<f64> {
        None
    }
}
