//! What "near" means. A distance is smaller for nearer vectors; a score is its negative.

use crate::args::Arg;
use crate::errors::{Failure, Outcome};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// The dot product of vectors that are brought to unit length on the way in.
    Cosine,
    InnerProduct,
    L2,
}

const NAMES: [(Metric, &str); 3] =
    [(Metric::Cosine, "cosine"), (Metric::InnerProduct, "ip"), (Metric::L2, "l2")];

impl Metric {
    pub fn read(arg: &Arg) -> Outcome<Self> {
        let given = arg.text("metric")?;
        let found = NAMES.iter().find(|(_, name)| *name == given);
        found.map(|(metric, _)| *metric).ok_or_else(|| {
            Failure::argument(format!("metric: expected 'cosine', 'ip' or 'l2', got '{given}'"))
        })
    }

    pub fn name(self) -> &'static str {
        NAMES[self.number() as usize].1
    }

    /// Its number in files.
    pub fn number(self) -> u32 {
        match self {
            Metric::Cosine => 0,
            Metric::InnerProduct => 1,
            Metric::L2 => 2,
        }
    }

    pub fn of_number(number: u32) -> Option<Self> {
        NAMES.get(number as usize).map(|(metric, _)| *metric)
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
