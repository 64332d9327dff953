//! A library in C that is put above the runtime of this machine: what it exports is found first, the rest is the runtime's.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use ringfence_hsa::sys::Library;

/// A layer, loaded twice: as a runtime, and for the questions that tests ask it.
pub(crate) struct Layer {
    pub(crate) runtime: &'static Library,
    pub(crate) questions: libloading::Library,
}

impl Layer {
    /// Compiles `source`, a path in the package, and loads it. None, after a word on why, without a runtime or a C compiler;
    /// `RINGFENCE_REQUIRE_ROCM=1` makes that a failure.
    pub(crate) fn open(test: &str, source: &str) -> Option<Self> {
        let layer = Self::build(source);
        if layer.is_none() {
            let required = std::env::var_os("RINGFENCE_REQUIRE_ROCM").is_some_and(|one| one == "1");
            assert!(!required, "{test}: a runtime and a C compiler are required");
            super::skipped(format_args!("{test}: it takes a runtime and a C compiler (cc)"));
        }
        layer
    }

    fn build(source: &str) -> Option<Self> {
        Library::load().ok()?;
        let runtime = loaded_runtime()?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        // Tests of one process may make the same layer at the same time.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let (made, name) = (MADE.fetch_add(1, Ordering::Relaxed), source.file_stem()?);
        let name = name.to_string_lossy();
        let name = format!("libringfence_{name}_{}_{made}.so", std::process::id());
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut cc = Command::new("cc");
        // Loaders of another C library than this machine's hand their search path down, which no compiler is to use.
        cc.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wno-pedantic", "-o"]);
        cc.args([&library, &source]).args(["-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]);
        cc.arg(&runtime).arg("-ldl");
        assert!(cc.status().ok()?.success(), "{} does not compile", source.display());
        // SAFETY: the layers have no initialisers, and what they export has the types of the runtime's headers.
        let runtime = unsafe { Library::load_from([&library]) }.expect("it needs the runtime");
        // SAFETY: the layers have no initialisers.
        let questions = unsafe { libloading::Library::new(&library) }.expect("loaded before");
        std::fs::remove_file(&library).expect("it is loaded");
        Some(Self { runtime, questions })
    }
}

/// The file that this process has the runtime from.
fn loaded_runtime() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().filter_map(|line| line.split_once('/')).map(|(_, path)| path);
    path.map(|path| Path::new("/").join(path)).find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libhsa-runtime64"))
    })
}
