//! Metrics and the kernels behind them. A distance is smaller for nearer vectors; a score is its negative.

use std::ffi::CStr;

use super::shim::{self, Kernel};
use crate::args::Arg;
use crate::errors::{Failure, Outcome};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The dot product of vectors that are brought to unit length on the way in.
    Cosine,
    InnerProduct,
    L2,
}

impl Metric {
    pub fn read(arg: &Arg) -> Outcome<Self> {
        match arg.text("metric")?.as_str() {
            "cosine" => Ok(Metric::Cosine),
            "ip" => Ok(Metric::InnerProduct),
            "l2" => Ok(Metric::L2),
            other => {
                Err(Failure::argument(format!("metric: expected 'cosine', 'ip' or 'l2', got '{other}'")))
            }
        }
    }

    /// Number of `enum sluice_metric`.
    pub fn shim_number(self) -> i32 {
        i32::from(self == Metric::L2)
    }

    pub fn distance(self) -> Distance {
        match self {
            Metric::L2 => Distance { kernel: unsafe { shim::sluice_kernel_l2() }, sign: 1.0 },
            _ => Distance { kernel: unsafe { shim::sluice_kernel_dot() }, sign: -1.0 },
        }
    }

    /// Brings rows into the form in which they are stored and compared. A zero vector has no direction and stays:
    /// its similarity to everything is 0.
    pub fn prepare(self, rows: &mut [f32], dims: usize) {
        if self != Metric::Cosine {
            return;
        }
        for row in rows.chunks_exact_mut(dims) {
            let norm = squared_length(row).sqrt();
            if norm > 0.0 {
                let scale = 1.0 / norm;
                row.iter_mut().for_each(|x| *x = (f64::from(*x) * scale) as f32);
            }
        }
    }
}

#[derive(Clone, Copy)]
pub struct Distance {
    kernel: Kernel,
    sign: f32,
}

impl Distance {
    #[inline]
    pub fn between(self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len());
        // + 0.0 turns -0 into 0, which sorts and prints as people expect.
        unsafe { (self.kernel)(a.as_ptr(), b.as_ptr(), a.len()) * self.sign + 0.0 }
    }
}

/// In double precision: the squares of small numbers would vanish. Eight sums, so that the compiler may use vectors.
pub fn squared_length(row: &[f32]) -> f64 {
    let (lanes, rest) = row.as_chunks::<8>();
    let mut sums = [0.0f64; 8];
    for lane in lanes {
        for (sum, value) in sums.iter_mut().zip(lane) {
            *sum += f64::from(*value) * f64::from(*value);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>()
}

pub fn kernel_name() -> String {
    unsafe { CStr::from_ptr(shim::sluice_kernel_name()) }.to_string_lossy().into_owned()
}
