//! Gives the shared library the name that programs look for at their start (`cargo xtask capi` lays it out under it), and keeps it
//! loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // The number is that of the interface: RINGFENCE_ABI_VERSION.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libringfence.so.1");
        // Its threads, and those of the runtimes that it loaded, return into it: `dlclose` must not take it away under them.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
