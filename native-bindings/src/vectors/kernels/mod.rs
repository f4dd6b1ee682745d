//! The arithmetic of distances, in as many versions as there are instruction sets, and the choice between them.
//!
//! Floats may differ in their last bits from version to version; dot products of bytes are whole numbers and equal in
//! all of them. Rows of bytes are padded with zeros to a multiple of [`BYTE_BLOCK`], so that no version needs a tail.

mod scalar;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// Rows of bytes are a multiple of this long: the widest register, which is a cache line as well.
pub const BYTE_BLOCK: usize = 64;

/// Both rows hold so many numbers.
pub type FloatKernel = unsafe fn(*const f32, *const f32, usize) -> f32;
/// Query, its bias, row, and the length of both in bytes, a multiple of [`BYTE_BLOCK`].
pub type ByteKernel = unsafe fn(*const i8, i32, *const i8, usize) -> i32;
/// What the byte kernel has to take off again for this query: see `x86::dot_i8_vnni`.
pub type BiasKernel = unsafe fn(*const i8, usize) -> i32;

#[derive(Clone, Copy)]
pub struct Kernels {
    pub name: &'static str,
    pub dot: FloatKernel,
    pub l2: FloatKernel,
    pub dot_i8: ByteKernel,
    pub bias_i8: BiasKernel,
}

const SCALAR: Kernels = Kernels {
    name: "scalar",
    dot: scalar::dot,
    l2: scalar::l2,
    dot_i8: scalar::dot_i8,
    bias_i8: scalar::no_bias,
};

/// Those that this CPU can run, best first.
fn runnable() -> Vec<Kernels> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    found.extend(x86::runnable());
    #[cfg(target_arch = "aarch64")]
    found.extend(neon::runnable());
    found.push(SCALAR);
    found
}

/// The best of this CPU. SLUICE_KERNEL names another one to use, so that people can compare what their CPU gives, and
/// tests reach each of them; a name that this CPU cannot run is passed over.
pub fn kernels() -> &'static Kernels {
    static CHOSEN: OnceLock<Kernels> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let forced = std::env::var("SLUICE_KERNEL").unwrap_or_default();
        let found = runnable();
        *found.iter().find(|kernels| kernels.name == forced).unwrap_or(&found[0])
    })
}

/// Names of what this CPU can run, best first.
pub fn names() -> Vec<&'static str> {
    runnable().iter().map(|kernels| kernels.name).collect()
}

/// Asks for a cache line before it is needed. Any address is allowed.
#[inline(always)]
pub fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}
