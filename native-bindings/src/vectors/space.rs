//! How vectors are kept and compared: metric and precision together.
//!
//! ```text
//! float32  row: dims × f32                     numbers: none
//! int8     row: dims × i8, zeros up to 64·n    numbers: scale f32 │ for l2 also the squared length f32
//! ```
//!
//! A quantised value is round(x / scale) with scale = max |x| / 127. Comparing two quantised rows costs one whole-number
//! dot product and two multiplications; the error is that of the rounding alone.

use super::kernels::{BYTE_BLOCK, Kernels, kernels, prefetch};
use super::metric::Metric;
use crate::args::Arg;
use crate::errors::{Failure, Outcome};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Int8,
    Float32,
}

impl Precision {
    pub fn read(arg: &Arg) -> Outcome<Self> {
        match arg.text("precision")?.as_str() {
            "int8" => Ok(Precision::Int8),
            "float32" => Ok(Precision::Float32),
            other => {
                Err(Failure::argument(format!("precision: expected 'int8' or 'float32', got '{other}'")))
            }
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Precision::Int8 => "int8",
            Precision::Float32 => "float32",
        }
    }
}

/// A stored vector. The bytes are those of `f32`s or of `i8`s.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub bytes: &'a [u8],
    pub scale: f32,
    /// Squared length; only kept for int8 and l2.
    pub square: f32,
}

impl<'a> Row<'a> {
    /// A float32 row that lies elsewhere.
    pub fn of_floats(values: &'a [f32]) -> Self {
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) };
        Self { bytes, scale: 1.0, square: 0.0 }
    }

    /// Equal bit by bit.
    pub fn same(&self, other: &Row) -> bool {
        self.scale.to_bits() == other.scale.to_bits() && self.bytes == other.bytes
    }
}

/// A row that many others are compared with.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    pub row: Row<'a>,
    bias: i32,
}

/// A row that lies nowhere else: a query, or a vector on its way in. Its bytes start where floats may start.
pub struct OwnRow {
    words: Vec<u32>,
    bytes: usize,
    pub scale: f32,
    pub square: f32,
}

impl OwnRow {
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub fn row(&self) -> Row<'_> {
        let bytes = unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes) };
        Row { bytes, scale: self.scale, square: self.square }
    }
}

#[derive(Clone, Copy)]
pub struct Space {
    pub dims: usize,
    pub metric: Metric,
    pub precision: Precision,
    /// Bytes of a row.
    pub row_bytes: usize,
    kernels: &'static Kernels,
}

impl Space {
    pub fn new(dims: usize, metric: Metric, precision: Precision) -> Self {
        let row_bytes = match precision {
            Precision::Float32 => dims * size_of::<f32>(),
            Precision::Int8 => dims.next_multiple_of(BYTE_BLOCK),
        };
        Self { dims, metric, precision, row_bytes, kernels: kernels() }
    }

    /// Bytes of the numbers beside a row.
    pub fn number_bytes(&self) -> usize {
        match (self.precision, self.metric) {
            (Precision::Float32, _) => 0,
            (Precision::Int8, Metric::L2) => 8,
            (Precision::Int8, _) => 4,
        }
    }

    /// The stored form of a vector that went through [`Metric::prepare`].
    pub fn encode(&self, vector: &[f32]) -> OwnRow {
        assert_eq!(vector.len(), self.dims);
        let bytes = self.row_bytes;
        let mut own = OwnRow { words: vec![0; bytes.div_ceil(4)], bytes, scale: 1.0, square: 0.0 };
        match self.precision {
            Precision::Float32 => {
                own.words.iter_mut().zip(vector).for_each(|(word, value)| *word = value.to_bits());
            }
            Precision::Int8 => {
                let codes: &mut [i8] =
                    unsafe { std::slice::from_raw_parts_mut(own.words.as_mut_ptr().cast(), bytes) };
                own.scale = quantise(vector, codes);
                if self.metric == Metric::L2 {
                    let squares = unsafe { self.dot_i8(&self.query(own.row()), own.row().bytes) };
                    own.square = own.scale * own.scale * squares;
                }
            }
        }
        own
    }

    pub fn query<'a>(&self, row: Row<'a>) -> Query<'a> {
        let bias = match self.precision {
            Precision::Float32 => 0,
            Precision::Int8 => unsafe { (self.kernels.bias_i8)(row.bytes.as_ptr().cast(), row.bytes.len()) },
        };
        Query { row, bias }
    }

    #[inline]
    pub fn distance(&self, query: &Query, row: Row) -> f32 {
        assert_eq!(query.row.bytes.len(), row.bytes.len());
        // + 0.0 turns -0 into 0, which sorts and prints as people expect.
        match self.precision {
            Precision::Float32 => {
                let (a, b) = (query.row.bytes.as_ptr().cast(), row.bytes.as_ptr().cast());
                match self.metric {
                    Metric::L2 => unsafe { (self.kernels.l2)(a, b, self.dims) },
                    _ => unsafe { 0.0 - (self.kernels.dot)(a, b, self.dims) },
                }
            }
            Precision::Int8 => {
                let dot = unsafe { self.dot_i8(query, row.bytes) };
                let scales = query.row.scale * row.scale;
                match self.metric {
                    // The doubles keep huge lengths finite; equal rows are exactly 0 apart.
                    Metric::L2 => {
                        let squares = f64::from(query.row.square) + f64::from(row.square);
                        let apart = squares - 2.0 * f64::from(scales * dot);
                        apart.max(0.0).min(f64::from(f32::MAX)) as f32
                    }
                    _ => 0.0 - scales * dot,
                }
            }
        }
    }

    #[inline]
    unsafe fn dot_i8(&self, query: &Query, row: &[u8]) -> f32 {
        let bytes = query.row.bytes;
        unsafe {
            (self.kernels.dot_i8)(bytes.as_ptr().cast(), query.bias, row.as_ptr().cast(), bytes.len()) as f32
        }
    }

    #[inline]
    pub fn prefetch(&self, row: *const u8) {
        let mut at = 0;
        while at < self.row_bytes {
            prefetch(row.wrapping_add(at));
            at += 64;
        }
    }
}

/// Fills `codes` from the front and returns the scale. Ratios are taken in double precision, so that tiny and huge
/// vectors keep their direction.
fn quantise(vector: &[f32], codes: &mut [i8]) -> f32 {
    let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let factor = 127.0 / f64::from(largest);
    for (code, value) in codes.iter_mut().zip(vector) {
        *code = (f64::from(*value) * factor).round_ties_even() as i8;
    }
    (f64::from(largest) / 127.0) as f32
}
