//! NEON, which every 64-bit ARM has, and its dot product instruction where there is one.

use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected as has;

use super::{Kernels, scalar};

pub fn runnable() -> Vec<Kernels> {
    let neon =
        Kernels { name: "neon", dot: dot_neon, l2: l2_neon, dot_i8: dot_i8_neon, bias_i8: scalar::no_bias };
    let mut found = vec![neon];
    if has!("dotprod") {
        found.insert(0, Kernels { name: "neondot", dot_i8: dot_i8_sdot, ..neon });
    }
    found
}

unsafe fn dot_neon(a: *const f32, b: *const f32, n: usize) -> f32 {
    unsafe {
        let mut sums = [vdupq_n_f32(0.0); 4];
        let mut at = 0;
        while at + 16 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.add(at + lane * 4), b.add(at + lane * 4));
                *sum = vfmaq_f32(*sum, vld1q_f32(a), vld1q_f32(b));
            }
            at += 16;
        }
        let all = vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3]));
        vaddvq_f32(all) + scalar::dot(a.add(at), b.add(at), n - at)
    }
}

unsafe fn l2_neon(a: *const f32, b: *const f32, n: usize) -> f32 {
    unsafe {
        let mut sums = [vdupq_n_f32(0.0); 4];
        let mut at = 0;
        while at + 16 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.add(at + lane * 4), b.add(at + lane * 4));
                let apart = vsubq_f32(vld1q_f32(a), vld1q_f32(b));
                *sum = vfmaq_f32(*sum, apart, apart);
            }
            at += 16;
        }
        let all = vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3]));
        vaddvq_f32(all) + scalar::l2(a.add(at), b.add(at), n - at)
    }
}

/// Products of two bytes fit into 16 bits, and are added pairwise into 32.
unsafe fn dot_i8_neon(query: *const i8, _bias: i32, row: *const i8, n: usize) -> i32 {
    unsafe {
        let mut sums = [vdupq_n_s32(0); 2];
        let mut at = 0;
        while at < n {
            let (query, row) = (vld1q_s8(query.add(at)), vld1q_s8(row.add(at)));
            sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(query), vget_low_s8(row)));
            sums[1] = vpadalq_s16(sums[1], vmull_high_s8(query, row));
            at += 16;
        }
        vaddvq_s32(vaddq_s32(sums[0], sums[1]))
    }
}

/// The instruction is written out because its intrinsic is not stable yet.
#[target_feature(enable = "dotprod")]
unsafe fn dot_i8_sdot(query: *const i8, _bias: i32, row: *const i8, n: usize) -> i32 {
    unsafe {
        let mut sums = [vdupq_n_s32(0); 4];
        let mut at = 0;
        while at < n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (query, row) = (vld1q_s8(query.add(at + lane * 16)), vld1q_s8(row.add(at + lane * 16)));
                std::arch::asm!(
                    "sdot {sum:v}.4s, {query:v}.16b, {row:v}.16b",
                    sum = inout(vreg) *sum,
                    query = in(vreg) query,
                    row = in(vreg) row,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            at += 64;
        }
        vaddvq_s32(vaddq_s32(vaddq_s32(sums[0], sums[1]), vaddq_s32(sums[2], sums[3])))
    }
}
