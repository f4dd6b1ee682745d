//! What questions to the filter index are answered with, as JavaScript gets it.

use napi_derive::napi;

use super::facets::FacetValue;
use super::snapshot::Count;
use crate::results::{F64s, U8s, U32s};

/// `unknown` holds a field that no document has, and then the rest is empty.
#[napi(object, object_from_js = false)]
pub struct Selection {
    pub unknown: Vec<String>,
    #[napi(ts_type = "Uint8Array")]
    pub bits: U8s,
    pub count: u32,
}

#[napi(object, object_from_js = false)]
pub struct Counted {
    pub unknown: Vec<String>,
    pub documents: u32,
    pub chunks: u32,
}

#[napi(object, object_from_js = false)]
pub struct Listed {
    pub unknown: Vec<String>,
    pub ids: Vec<String>,
}

/// Row i is a value of kind `kinds[i]`: 0 null, 1 false, 2 true, 3 the next of `numbers`, 4 the next of `texts`.
#[napi(object, object_from_js = false)]
pub struct FacetRows {
    pub unknown: Vec<String>,
    #[napi(ts_type = "Uint8Array")]
    pub kinds: U8s,
    #[napi(ts_type = "Float64Array")]
    pub numbers: F64s,
    pub texts: Vec<String>,
    #[napi(ts_type = "Uint32Array")]
    pub documents: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub chunks: U32s,
    pub distinct: u32,
}

impl FacetRows {
    pub fn of(unknown: Vec<String>, values: Vec<(FacetValue, Count)>, distinct: u32) -> Self {
        let (mut kinds, mut numbers, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (value, _) in &values {
            kinds.push(match value {
                FacetValue::Null => 0,
                FacetValue::Boolean(false) => 1,
                FacetValue::Boolean(true) => 2,
                FacetValue::Number(number) => {
                    numbers.push(*number);
                    3
                }
                FacetValue::Text(text) => {
                    texts.push(String::from_utf8_lossy(text).into_owned());
                    4
                }
            });
        }
        FacetRows {
            unknown,
            kinds: U8s(kinds),
            numbers: F64s(numbers),
            texts,
            documents: U32s(values.iter().map(|(_, count)| count.documents).collect()),
            chunks: U32s(values.iter().map(|(_, count)| count.chunks).collect()),
            distinct,
        }
    }
}
