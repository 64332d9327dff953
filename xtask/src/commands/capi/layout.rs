//! The library and its header where programs find them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{LAYOUT, Options};
use crate::{process::Program, step::Failure, tree::Tree};

/// What a shared library is looked for by at a program's start (capi/build.rs).
const SONAME: &str = "libringfence.so.1";
/// What the static library needs besides.
pub(super) const NATIVE: [&str; 5] = ["-lpthread", "-ldl", "-lm", "-lrt", "-lgcc_s"];

/// The shared library of a layout.
pub(super) fn shared(root: &Path) -> PathBuf {
    root.join("lib").join(SONAME)
}

/// `include/ringfence.h`, `lib/libringfence.so` and `.a`, and what pkg-config and CMake read. Answers with where.
pub(super) fn lay_out(tree: &Tree, options: &Options) -> Result<PathBuf, Failure> {
    let (profile, folder) = if options.release { (" --release", "release") } else { ("", "debug") };
    let mut build = Program::cargo(tree, &format!("build --package ringfence-capi --lib{profile}"));
    if let Some(features) = &options.features {
        build = build.arguments(["--no-default-features", "--features", features]);
    }
    let _ = build.run()?;
    let root = options.prefix.clone().unwrap_or_else(|| tree.target(LAYOUT));
    let (include, library) = (root.join("include"), root.join("lib"));
    let (package, cmake) = (library.join("pkgconfig"), library.join("cmake/ringfence"));
    // The programs are built there in any case.
    for folder in [&include, &package, &cmake, &tree.target(LAYOUT)] {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    let built = tree.target(folder);
    copy(&tree.path("capi/include/ringfence.h"), &include.join("ringfence.h"))?;
    copy(&built.join("libringfence_capi.so"), &shared(&root))?;
    copy(&built.join("libringfence_capi.a"), &library.join("libringfence.a"))?;
    // The name that the linker looks for: a link, so that a process never has two copies.
    let link = library.join("libringfence.so");
    make_way(&link)?;
    std::os::unix::fs::symlink(SONAME, &link).map_err(at(&link))?;

    let version = env!("CARGO_PKG_VERSION");
    let write = |path: PathBuf, text: String| fs::write(&path, text).map_err(at(&path));
    write(
        package.join("ringfence.pc"),
        format!(
            "prefix=${{pcfiledir}}/../..\nName: ringfence\nDescription: streams and signals that are used again when their work is proven finished\n\
             Version: {version}\nCflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lringfence\nLibs.private: {}\n",
            NATIVE.join(" ")
        ),
    )?;
    let native = NATIVE.map(|name| name.trim_start_matches("-l")).join(";");
    write(cmake.join("ringfence-config.cmake"), cmake_config(&native))?;
    write(cmake.join("ringfence-config-version.cmake"), cmake_version(version))?;
    Ok(root)
}
/// Targets `ringfence::ringfence` and `ringfence::static`.
fn cmake_config(native: &str) -> String {
    format!(
        "get_filename_component(_ringfence \"${{CMAKE_CURRENT_LIST_DIR}}/../../..\" ABSOLUTE)\n\
         if(NOT TARGET ringfence::ringfence)\n  \
           add_library(ringfence::ringfence SHARED IMPORTED)\n  \
           set_target_properties(ringfence::ringfence PROPERTIES\n    \
             IMPORTED_LOCATION \"${{_ringfence}}/lib/{SONAME}\"\n    \
             IMPORTED_SONAME \"{SONAME}\"\n    \
             INTERFACE_INCLUDE_DIRECTORIES \"${{_ringfence}}/include\")\n  \
           add_library(ringfence::static STATIC IMPORTED)\n  \
           set_target_properties(ringfence::static PROPERTIES\n    \
             IMPORTED_LOCATION \"${{_ringfence}}/lib/libringfence.a\"\n    \
             INTERFACE_LINK_LIBRARIES \"{native}\"\n    \
             INTERFACE_INCLUDE_DIRECTORIES \"${{_ringfence}}/include\")\n\
         endif()\n\
         unset(_ringfence)\n"
    )
}
/// Before 1.0 a minor version is what a major one is after.
fn cmake_version(version: &str) -> String {
    let mut parts = version.split('.');
    let (major, minor) = (parts.next().unwrap_or("0"), parts.next().unwrap_or("0"));
    format!(
        "set(PACKAGE_VERSION \"{version}\")\n\
         if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION\n   \
             OR NOT PACKAGE_FIND_VERSION_MAJOR EQUAL {major}\n   \
             OR (PACKAGE_FIND_VERSION_COUNT GREATER 1 AND {major} EQUAL 0 AND NOT PACKAGE_FIND_VERSION_MINOR EQUAL {minor}))\n  \
           set(PACKAGE_VERSION_COMPATIBLE FALSE)\n\
         else()\n  \
           set(PACKAGE_VERSION_COMPATIBLE TRUE)\n  \
           if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)\n    \
             set(PACKAGE_VERSION_EXACT TRUE)\n  \
           endif()\n\
         endif()\n"
    )
}

/// Not over a library that a program may have open.
fn make_way(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(at(path)(source)),
        _ => Ok(()),
    }
}
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    make_way(to)?;
    fs::copy(from, to).map(drop).map_err(at(from))
}
fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    let path = path.to_owned();
    move |source| Failure::File { path, source }
}
