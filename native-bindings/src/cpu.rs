//! What the CPU dispatch found.

use napi_derive::napi;

#[napi(object, object_from_js = false)]
pub struct Cpu {
    pub arch: String,
    pub features: Vec<String>,
    pub kernel: String,
}

#[napi]
pub fn cpu() -> Cpu {
    Cpu {
        arch: std::env::consts::ARCH.to_owned(),
        features: features().into_iter().map(str::to_owned).collect(),
        kernel: crate::vectors::kernels().name.to_owned(),
    }
}

/// The distance kernels that this CPU can run, best first: names for SLUICE_KERNEL.
#[napi(ts_return_type = "string[]")]
pub fn kernel_names() -> Vec<String> {
    crate::vectors::kernel_names().into_iter().map(str::to_owned).collect()
}

/// CPU time of the calling thread in milliseconds, for measuring how long a piece of work really held it: wall clock
/// counts the time in which other threads had the core. None where the system does not tell.
#[napi]
pub fn thread_cpu_ms() -> Option<f64> {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call only writes to the struct that it is given.
        let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } != 0;
        (!failed).then(|| time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6)
    }
    #[cfg(not(unix))]
    None
}

/// Those that distance kernels and model runtimes care about.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as has;
    [
        ("avx2", has!("avx2")),
        ("fma", has!("fma")),
        ("f16c", has!("f16c")),
        ("avx512f", has!("avx512f")),
        ("avx512bw", has!("avx512bw")),
        ("avx512vnni", has!("avx512vnni")),
        ("avx512bf16", has!("avx512bf16")),
    ]
    .into_iter()
    .filter_map(|(name, found)| found.then_some(name))
    .collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    [("neon", has!("neon")), ("dotprod", has!("dotprod")), ("i8mm", has!("i8mm")), ("sve", has!("sve"))]
        .into_iter()
        .filter_map(|(name, found)| found.then_some(name))
        .collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}
