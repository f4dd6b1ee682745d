//! The only place that reads arguments from JavaScript.
//!
//! napi-rs would convert typed arrays by itself, but a mismatch would then carry its code instead of ours, and its
//! conversions ask for the array buffer of a view. Here every argument arrives unconverted as an [`Arg`] and is
//! checked and copied by one function a type. Copies are deliberate: a view may lie on a SharedArrayBuffer that
//! another thread is changing, and memory that is checked (UTF-8, offsets) must not change after the check.

use std::ptr;
use std::slice;

use napi::bindgen_prelude::{FromNapiValue, TypeName, ValidateNapiValue};
use napi::{ValueType, sys};

use crate::errors::{Failure, Outcome};
use crate::vectors::squared_length;

/// An argument as it came, only valid during the call.
pub struct Arg {
    env: sys::napi_env,
    value: sys::napi_value,
}

impl FromNapiValue for Arg {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        Ok(Self { env, value })
    }
}

impl TypeName for Arg {
    fn type_name() -> &'static str {
        "Arg"
    }

    fn value_type() -> ValueType {
        ValueType::Unknown
    }
}

impl ValidateNapiValue for Arg {
    unsafe fn validate(_env: sys::napi_env, _value: sys::napi_value) -> napi::Result<sys::napi_value> {
        Ok(ptr::null_mut())
    }
}

impl Arg {
    pub fn u32s(&self, name: &str) -> Outcome<Vec<u32>> {
        self.copy(name, sys::TypedarrayType::uint32_array, "Uint32Array")
    }

    pub fn f32s(&self, name: &str) -> Outcome<Vec<f32>> {
        self.copy(name, sys::TypedarrayType::float32_array, "Float32Array")
    }

    pub fn f64s(&self, name: &str) -> Outcome<Vec<f64>> {
        self.copy(name, sys::TypedarrayType::float64_array, "Float64Array")
    }

    pub fn bytes(&self, name: &str) -> Outcome<Vec<u8>> {
        self.copy(name, sys::TypedarrayType::uint8_array, "Uint8Array")
    }

    /// A bitset by label, or none for `null` and `undefined`.
    pub fn bitset(&self, name: &str) -> Outcome<Option<Bitset>> {
        match self.kind() {
            ValueType::Null | ValueType::Undefined => Ok(None),
            _ => Ok(Some(Bitset { bytes: self.bytes(name)? })),
        }
    }

    /// A whole number in a range.
    pub fn count(&self, name: &str, range: std::ops::RangeInclusive<u32>) -> Outcome<usize> {
        let mut number = 0.0;
        let status = unsafe { sys::napi_get_value_double(self.env, self.value, &mut number) };
        let (low, high) = (f64::from(*range.start()), f64::from(*range.end()));
        if status != sys::Status::napi_ok || number.fract() != 0.0 || !(low..=high).contains(&number) {
            let given = if status == sys::Status::napi_ok { number.to_string() } else { self.describe() };
            return Err(Failure::argument(format!(
                "{name}: expected a whole number from {low} to {high}, got {given}"
            )));
        }
        Ok(number as usize)
    }

    /// A whole number that a double holds exactly.
    pub fn whole(&self, name: &str) -> Outcome<u64> {
        let mut number = -1.0;
        unsafe { sys::napi_get_value_double(self.env, self.value, &mut number) };
        if number.fract() != 0.0 || !(0.0..=(1u64 << 53) as f64).contains(&number) {
            return Err(Failure::argument(format!(
                "{name}: expected a whole number, got {}",
                self.describe()
            )));
        }
        Ok(number as u64)
    }

    /// A string, or none for `null` and `undefined`.
    pub fn optional_text(&self, name: &str) -> Outcome<Option<String>> {
        match self.kind() {
            ValueType::Null | ValueType::Undefined => Ok(None),
            _ => self.text(name).map(Some),
        }
    }

    /// A string; a lone surrogate arrives as U+FFFD, which is as long in UTF-16.
    pub fn text(&self, name: &str) -> Outcome<String> {
        let mut length = 0;
        let status =
            unsafe { sys::napi_get_value_string_utf8(self.env, self.value, ptr::null_mut(), 0, &mut length) };
        if status != sys::Status::napi_ok {
            return Err(Failure::argument(format!("{name}: expected a string, got {}", self.describe())));
        }
        let mut buffer = vec![0u8; length + 1];
        let status = unsafe {
            sys::napi_get_value_string_utf8(
                self.env,
                self.value,
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &mut length,
            )
        };
        if status != sys::Status::napi_ok {
            return Err(Failure::argument(format!("{name}: the string could not be read")));
        }
        buffer.truncate(length);
        String::from_utf8(buffer)
            .map_err(|_| Failure::argument(format!("{name}: the string is not valid UTF-8")))
    }

    pub fn flag(&self, name: &str) -> Outcome<bool> {
        let mut flag = false;
        match unsafe { sys::napi_get_value_bool(self.env, self.value, &mut flag) } {
            sys::Status::napi_ok => Ok(flag),
            _ => Err(Failure::argument(format!("{name}: expected a boolean, got {}", self.describe()))),
        }
    }

    fn copy<T: Copy>(&self, name: &str, wanted: sys::napi_typedarray_type, class: &str) -> Outcome<Vec<T>> {
        let view = self.view(name, class)?;
        if view.kind != wanted {
            return Err(Failure::argument(format!("{name}: expected a {class}, got {}", self.describe())));
        }
        if view.length == 0 {
            return Ok(Vec::new());
        }
        // The data pointer already counts the byteOffset in, and V8 keeps typed arrays aligned to their element.
        Ok(unsafe { slice::from_raw_parts(view.data.cast::<T>(), view.length) }.to_vec())
    }

    fn view(&self, name: &str, class: &str) -> Outcome<View> {
        let mut is_typed_array = false;
        unsafe { sys::napi_is_typedarray(self.env, self.value, &mut is_typed_array) };
        if !is_typed_array {
            return Err(Failure::argument(format!("{name}: expected a {class}, got {}", self.describe())));
        }
        let mut view = View { kind: 0, length: 0, data: ptr::null_mut() };
        let mut buffer = ptr::null_mut();
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                self.value,
                &mut view.kind,
                &mut view.length,
                &mut view.data,
                &mut buffer,
                ptr::null_mut(),
            )
        };
        // A detached array reports a length of 0 and would pass for an empty one.
        let mut detached = false;
        if view.length == 0 {
            unsafe { sys::napi_is_detached_arraybuffer(self.env, buffer, &mut detached) };
        }
        if status != sys::Status::napi_ok || detached {
            return Err(Failure::argument(format!("{name}: the {class} is detached")));
        }
        Ok(view)
    }

    fn kind(&self) -> ValueType {
        let mut kind = 0;
        unsafe { sys::napi_typeof(self.env, self.value, &mut kind) };
        ValueType::from(kind)
    }

    /// What JavaScript calls the value: for error messages.
    fn describe(&self) -> String {
        let mut view = View { kind: 0, length: 0, data: ptr::null_mut() };
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                self.value,
                &mut view.kind,
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        if status != sys::Status::napi_ok {
            return format!("{:?}", self.kind()).to_lowercase();
        }
        const NAMES: [&str; 11] = [
            "Int8Array",
            "Uint8Array",
            "Uint8ClampedArray",
            "Int16Array",
            "Uint16Array",
            "Int32Array",
            "Uint32Array",
            "Float32Array",
            "Float64Array",
            "BigInt64Array",
            "BigUint64Array",
        ];
        NAMES.get(view.kind as usize).copied().unwrap_or("typed array").to_owned()
    }
}

struct View {
    kind: sys::napi_typedarray_type,
    length: usize,
    data: *mut std::ffi::c_void,
}

/// Allowed labels: bit `label & 7` of byte `label >> 3`. Labels past the end are not allowed.
pub struct Bitset {
    bytes: Vec<u8>,
}

impl Bitset {
    #[inline]
    pub fn contains(&self, label: u32) -> bool {
        self.bytes.get((label >> 3) as usize).is_some_and(|byte| byte >> (label & 7) & 1 == 1)
    }

    /// The bits of 64 labels, `first` in the lowest.
    pub fn word_at(&self, first: u32) -> u64 {
        let at = (first >> 3) as usize;
        let shift = first & 7;
        let Some(bytes) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<9>()) else {
            return (0..64).fold(0, |word, bit| {
                word | u64::from(first.checked_add(bit).is_some_and(|label| self.contains(label))) << bit
            });
        };
        let low = u64::from_le_bytes(*bytes.first_chunk().expect("nine bytes hold eight"));
        if shift == 0 { low } else { low >> shift | u64::from(bytes[8]) << (64 - shift) }
    }

    pub fn count(&self) -> usize {
        let (words, rest) = self.bytes.as_chunks::<8>();
        words.iter().map(|word| u64::from_ne_bytes(*word).count_ones() as usize).sum::<usize>()
            + rest.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
    }

    /// Allowed labels up to `last`.
    pub fn count_up_to(&self, last: u32) -> usize {
        let whole = (last as usize + 1) >> 3;
        let Some(part) = self.bytes.get(whole) else { return self.count() };
        let (words, rest) = self.bytes[..whole].as_chunks::<8>();
        words.iter().map(|word| u64::from_ne_bytes(*word).count_ones() as usize).sum::<usize>()
            + rest.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
            + (part & ((1u8 << (last.wrapping_add(1) & 7)) - 1)).count_ones() as usize
    }

    /// Up to `most` of the first `count` allowed labels, evenly spread by rank.
    pub fn spread(&self, count: usize, most: usize) -> Vec<u32> {
        let wanted = most.min(count);
        let mut found = Vec::with_capacity(wanted);
        let mut rank = 0;
        for (at, byte) in self.bytes.iter().enumerate() {
            let mut rest = *byte;
            let after = rank + rest.count_ones() as usize;
            while found.len() < wanted && found.len() * count / wanted < after {
                for _ in rank..found.len() * count / wanted {
                    rest &= rest - 1;
                    rank += 1;
                }
                found.push((at as u32) << 3 | rest.trailing_zeros());
            }
            if found.len() == wanted {
                break;
            }
            rank = after;
        }
        found
    }

    /// Allowed labels in ascending order.
    pub fn labels(&self) -> impl Iterator<Item = u32> + '_ {
        self.bytes.iter().enumerate().filter(|(_, byte)| **byte != 0).flat_map(|(at, byte)| {
            (0..8u32).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| (at as u32) << 3 | bit)
        })
    }
}

/// A column of texts: see TextColumn. Checked once, then every row is a `&str` for free.
pub struct TextRows {
    text: String,
    offsets: Vec<u32>,
}

impl TextRows {
    pub fn read(bytes: &Arg, offsets: &Arg) -> Outcome<Self> {
        let bytes = bytes.bytes("bytes")?;
        let offsets = offsets.u32s("offsets")?;
        if offsets.first() != Some(&0) {
            return Err(Failure::argument("offsets: expected rows + 1 positions that start at 0"));
        }
        if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(Failure::argument(format!("offsets: row {row} ends before it starts")));
        }
        let end = offsets[offsets.len() - 1] as usize;
        if end != bytes.len() {
            return Err(Failure::argument(format!(
                "offsets: the last one is {end}, expected the {} bytes of the column",
                bytes.len()
            )));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::argument(format!("bytes: not valid UTF-8 at byte {at}"))
        })?;
        if let Some(row) = offsets.iter().position(|at| !text.is_char_boundary(*at as usize)) {
            return Err(Failure::argument(format!("offsets: entry {row} lies inside a character")));
        }
        Ok(Self { text, offsets })
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.offsets.windows(2).map(|pair| &self.text[pair[0] as usize..pair[1] as usize])
    }
}

/// Labels with a vector each, flattened.
pub fn labelled_vectors(labels: &Arg, vectors: &Arg, dims: usize) -> Outcome<(Vec<u32>, Vec<f32>)> {
    let labels = labels.u32s("labels")?;
    let vectors = vectors.f32s("vectors")?;
    if vectors.len() != labels.len() * dims {
        return Err(Failure::argument(format!(
            "vectors: expected {} labels × {dims} dims, got {} numbers",
            labels.len(),
            vectors.len()
        )));
    }
    Ok((labels, vectors))
}

/// Any number of query rows.
pub fn query_vectors(queries: &Arg, dims: usize, name: &str) -> Outcome<Vec<f32>> {
    let queries = queries.f32s(name)?;
    if !queries.len().is_multiple_of(dims) {
        return Err(Failure::argument(format!(
            "{name}: expected rows of {dims} dims, got {} numbers",
            queries.len()
        )));
    }
    Ok(queries)
}

/// Squared lengths up to this keep every dot product and squared distance finite.
pub const MAX_SQUARED_LENGTH: f64 = f32::MAX as f64 / 4.0;

/// NaN would poison every comparison of a search, and so would an infinite distance: they stop here. Apart from the
/// readers above because it takes a pass over all numbers, which the pool can do.
pub fn check_finite(rows: &[f32], dims: usize, name: &str) -> Outcome<()> {
    for (row, values) in rows.chunks_exact(dims).enumerate() {
        let squares = squared_length(values);
        if squares <= MAX_SQUARED_LENGTH {
            continue;
        }
        return Err(Failure::argument(match values.iter().position(|value| !value.is_finite()) {
            Some(at) => format!("{name}: row {row} holds {} at dimension {at}", values[at]),
            None => format!("{name}: row {row} is too long, its length is {:e}", squares.sqrt()),
        }));
    }
    Ok(())
}
