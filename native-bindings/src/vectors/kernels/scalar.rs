//! Plain loops: what every other version is held against, and what runs where there is none.

use std::slice::from_raw_parts;

pub unsafe fn dot(a: *const f32, b: *const f32, n: usize) -> f32 {
    let (a, b) = unsafe { (from_raw_parts(a, n), from_raw_parts(b, n)) };
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub unsafe fn l2(a: *const f32, b: *const f32, n: usize) -> f32 {
    let (a, b) = unsafe { (from_raw_parts(a, n), from_raw_parts(b, n)) };
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

pub unsafe fn dot_i8(query: *const i8, _bias: i32, row: *const i8, n: usize) -> i32 {
    let (query, row) = unsafe { (from_raw_parts(query, n), from_raw_parts(row, n)) };
    query.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

pub unsafe fn no_bias(_query: *const i8, _n: usize) -> i32 {
    0
}
