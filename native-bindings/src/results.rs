//! Arrays on their way back to JavaScript, copied into buffers of V8. An external buffer would save the copy, but Node
//! marks those untransferable, and results travel between workers.

use std::ptr;

use napi::bindgen_prelude::{ToNapiValue, TypeName};
use napi::{Status, ValueType, sys};

pub struct U32s(pub Vec<u32>);
pub struct F32s(pub Vec<f32>);
pub struct F64s(pub Vec<f64>);
pub struct U8s(pub Vec<u8>);

macro_rules! typed_array_result {
    ($name:ident, $kind:ident, $class:literal) => {
        impl ToNapiValue for $name {
            unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
                unsafe { copy_out(env, &value.0, sys::TypedarrayType::$kind) }
            }
        }

        impl TypeName for $name {
            fn type_name() -> &'static str {
                $class
            }

            fn value_type() -> ValueType {
                ValueType::Object
            }
        }
    };
}

typed_array_result!(U32s, uint32_array, "Uint32Array");
typed_array_result!(F32s, float32_array, "Float32Array");
typed_array_result!(F64s, float64_array, "Float64Array");
typed_array_result!(U8s, uint8_array, "Uint8Array");

unsafe fn copy_out<T: Copy>(
    env: sys::napi_env,
    values: &[T],
    kind: sys::napi_typedarray_type,
) -> napi::Result<sys::napi_value> {
    let (mut data, mut buffer, mut array) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    unsafe {
        check(sys::napi_create_arraybuffer(env, size_of_val(values), &mut data, &mut buffer))?;
        if !values.is_empty() {
            ptr::copy_nonoverlapping(values.as_ptr(), data.cast(), values.len());
        }
        check(sys::napi_create_typedarray(env, kind, values.len(), buffer, 0, &mut array))?;
    }
    Ok(array)
}

fn check(status: sys::napi_status) -> napi::Result<()> {
    match status {
        sys::Status::napi_ok => Ok(()),
        other => Err(napi::Error::new(Status::from(other), "cannot make a result array")),
    }
}
