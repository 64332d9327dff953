//! Exports the programs' host models of kernels, which softgpu finds by name with `dlsym`; and makes what `hsa_count` is linked
//! to, so that it names AMD's runtime as a library that it needs.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-rdynamic");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where"));
    make_stub(&folder);
    println!("cargo::rustc-link-search=native={}", folder.display());
}

/// A library of the runtime's name, with the one function that `hsa_count` takes from it: the real one is not needed to build. Its
/// file has another name, so that nothing finds it in the runtime's place.
fn make_stub(folder: &Path) {
    let source = folder.join("stub.c");
    std::fs::write(&source, "int hsa_init(void) { return 1; }\n").expect("the folder is ours");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(compiler)
        .args(["-shared", "-nostdlib", "-Wl,-soname,libhsa-runtime64.so.1", "-o"])
        .arg(folder.join("libhsa_count_stub.so"))
        .arg(&source)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the C compiler that links is needed");
}
