//! Compiles the C++ shim over hnswlib's headers, which come from the hnswlib-node package.

use std::path::{Path, PathBuf};

fn main() {
    napi_build::setup();
    let headers = hnswlib_headers();
    let shim = ["src/shim/hnsw.cc", "src/shim/kernels.cc"];
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .include("src/shim")
        .include(&headers)
        .files(shim)
        .flag_if_supported("-fvisibility=hidden")
        // GCC warns about its own AVX-512 header.
        .flag_if_supported("-Wno-uninitialized")
        // hnswlib keeps unused parameters and mixes signed and unsigned.
        .warnings(false)
        .flag_if_supported("/EHsc")
        .compile("sluice_shim");
    for file in shim.iter().chain(&["src/shim/hnsw.h", "src/shim/kernels.h"]) {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-changed={}", headers.display());
    println!("cargo:rerun-if-env-changed=SLUICE_HNSWLIB_INCLUDE");
}

/// From scripts/build-native.mjs, or where npm usually puts them.
fn hnswlib_headers() -> PathBuf {
    let folder = std::env::var_os("SLUICE_HNSWLIB_INCLUDE")
        .map_or_else(|| Path::new("../node_modules/hnswlib-node/src/hnswlib").to_owned(), PathBuf::from);
    assert!(
        folder.join("hnswalg.h").exists(),
        "hnswlib's headers are not in {}: run npm install, or set SLUICE_HNSWLIB_INCLUDE",
        folder.display()
    );
    folder
}
