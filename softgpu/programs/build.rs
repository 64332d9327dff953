//! Exports the programs' host models of kernels, which softgpu finds by name with `dlsym`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-rdynamic");
}
