//! AVX2 with FMA, AVX-512, and AVX-512 with VNNI.

use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

use super::{Kernels, scalar};

pub fn runnable() -> Vec<Kernels> {
    let avx2 = has!("avx2") && has!("fma");
    let avx512 = avx2 && has!("avx512f");
    let vnni = avx512 && has!("avx512bw") && has!("avx512vnni");
    let mut found = Vec::new();
    if vnni {
        found.push(Kernels {
            name: "avx512vnni",
            dot: dot_avx512,
            l2: l2_avx512,
            dot_i8: dot_i8_vnni,
            bias_i8: bias_i8_vnni,
        });
    }
    if avx512 {
        found.push(Kernels {
            name: "avx512",
            dot: dot_avx512,
            l2: l2_avx512,
            dot_i8: dot_i8_avx2,
            bias_i8: scalar::no_bias,
        });
    }
    if avx2 {
        found.push(Kernels {
            name: "avx2",
            dot: dot_avx2,
            l2: l2_avx2,
            dot_i8: dot_i8_avx2,
            bias_i8: scalar::no_bias,
        });
    }
    found
}

#[target_feature(enable = "avx2,fma")]
unsafe fn sum_avx2(lanes: __m256) -> f32 {
    let halves = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
    let pairs = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
    _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps::<1>(pairs, pairs)))
}

#[target_feature(enable = "avx2,fma")]
unsafe fn dot_avx2(a: *const f32, b: *const f32, n: usize) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 4];
    let mut at = 0;
    unsafe {
        while at + 32 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.add(at + lane * 8), b.add(at + lane * 8));
                *sum = _mm256_fmadd_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b), *sum);
            }
            at += 32;
        }
        while at + 8 <= n {
            sums[0] = _mm256_fmadd_ps(_mm256_loadu_ps(a.add(at)), _mm256_loadu_ps(b.add(at)), sums[0]);
            at += 8;
        }
        let all = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
        sum_avx2(all) + scalar::dot(a.add(at), b.add(at), n - at)
    }
}

#[target_feature(enable = "avx2,fma")]
unsafe fn l2_avx2(a: *const f32, b: *const f32, n: usize) -> f32 {
    let mut sums = [_mm256_setzero_ps(); 4];
    let mut at = 0;
    unsafe {
        while at + 32 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.add(at + lane * 8), b.add(at + lane * 8));
                let apart = _mm256_sub_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b));
                *sum = _mm256_fmadd_ps(apart, apart, *sum);
            }
            at += 32;
        }
        while at + 8 <= n {
            let apart = _mm256_sub_ps(_mm256_loadu_ps(a.add(at)), _mm256_loadu_ps(b.add(at)));
            sums[0] = _mm256_fmadd_ps(apart, apart, sums[0]);
            at += 8;
        }
        let all = _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
        sum_avx2(all) + scalar::l2(a.add(at), b.add(at), n - at)
    }
}

/// maddubs multiplies unsigned by signed bytes, so the sign of the query goes over to the row. Quantised bytes lie in
/// -127..=127: two products fit into 16 bits.
#[target_feature(enable = "avx2")]
unsafe fn dot_i8_avx2(query: *const i8, _bias: i32, row: *const i8, n: usize) -> i32 {
    let ones = _mm256_set1_epi16(1);
    let mut sums = [_mm256_setzero_si256(); 2];
    let mut at = 0;
    while at < n {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let (query, row) = unsafe {
                (
                    _mm256_loadu_si256(query.add(at + lane * 32).cast()),
                    _mm256_loadu_si256(row.add(at + lane * 32).cast()),
                )
            };
            let products = _mm256_maddubs_epi16(_mm256_abs_epi8(query), _mm256_sign_epi8(row, query));
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(products, ones));
        }
        at += 64;
    }
    let all = _mm256_add_epi32(sums[0], sums[1]);
    let halves = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    let pairs = _mm_add_epi32(halves, _mm_shuffle_epi32::<0b01_00_11_10>(halves));
    _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs)))
}

/// The lanes from `at` on that exist.
#[target_feature(enable = "avx512f")]
fn rest_mask(at: usize, n: usize) -> __mmask16 {
    if n - at >= 16 { 0xFFFF } else { (1 << (n - at)) - 1 }
}

#[target_feature(enable = "avx512f")]
unsafe fn dot_avx512(a: *const f32, b: *const f32, n: usize) -> f32 {
    let mut sums = [_mm512_setzero_ps(); 4];
    let mut at = 0;
    unsafe {
        while at + 64 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.add(at + lane * 16), b.add(at + lane * 16));
                *sum = _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b), *sum);
            }
            at += 64;
        }
        while at < n {
            let mask = rest_mask(at, n);
            let (a, b) = (_mm512_maskz_loadu_ps(mask, a.add(at)), _mm512_maskz_loadu_ps(mask, b.add(at)));
            sums[0] = _mm512_fmadd_ps(a, b, sums[0]);
            at += 16;
        }
    }
    _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])))
}

#[target_feature(enable = "avx512f")]
unsafe fn l2_avx512(a: *const f32, b: *const f32, n: usize) -> f32 {
    let mut sums = [_mm512_setzero_ps(); 4];
    let mut at = 0;
    unsafe {
        while at + 64 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let (a, b) = (a.add(at + lane * 16), b.add(at + lane * 16));
                let apart = _mm512_sub_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b));
                *sum = _mm512_fmadd_ps(apart, apart, *sum);
            }
            at += 64;
        }
        while at < n {
            let mask = rest_mask(at, n);
            let (a, b) = (_mm512_maskz_loadu_ps(mask, a.add(at)), _mm512_maskz_loadu_ps(mask, b.add(at)));
            let apart = _mm512_sub_ps(a, b);
            sums[0] = _mm512_fmadd_ps(apart, apart, sums[0]);
            at += 16;
        }
    }
    _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])))
}

/// dpbusd multiplies unsigned by signed bytes. The row is made unsigned by adding 128, which adds 128 times the sum of
/// the query to the result: that is the bias, and it is the same for every row.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn dot_i8_vnni(query: *const i8, bias: i32, row: *const i8, n: usize) -> i32 {
    let flip = _mm512_set1_epi8(-128);
    let mut sums = [_mm512_setzero_si512(); 2];
    let mut at = 0;
    unsafe {
        while at + 128 <= n {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let row = _mm512_loadu_si512(row.add(at + lane * 64).cast());
                let query = _mm512_loadu_si512(query.add(at + lane * 64).cast());
                *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(row, flip), query);
            }
            at += 128;
        }
        if at < n {
            let row = _mm512_loadu_si512(row.add(at).cast());
            let query = _mm512_loadu_si512(query.add(at).cast());
            sums[0] = _mm512_dpbusd_epi32(sums[0], _mm512_xor_si512(row, flip), query);
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])).wrapping_sub(bias)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn bias_i8_vnni(query: *const i8, n: usize) -> i32 {
    let ones = _mm512_set1_epi8(1);
    let mut sum = _mm512_setzero_si512();
    let mut at = 0;
    while at < n {
        sum = _mm512_dpbusd_epi32(sum, ones, unsafe { _mm512_loadu_si512(query.add(at).cast()) });
        at += 64;
    }
    _mm512_reduce_add_epi32(sum).wrapping_mul(128)
}
