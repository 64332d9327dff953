//! The C interface as programs get it: libraries and header laid out, and the programs in C and C++ built on that and run.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;

use crate::{
    commands::{
        header,
        rocm::{self, Fetched, Headers, Release},
        softgpu,
    },
    process::{Presence, Program},
    step::{Failure, Outcome, Step},
    tree::Tree,
};

/// Where it is laid out, below cargo's folder of builds.
const LAYOUT: &str = "capi";
/// The programs.
const EXAMPLES: &str = "capi/examples";
/// What a shared library is looked for by at a program's start (capi/build.rs).
const SONAME: &str = "libringfence.so.1";
/// What the static library needs besides.
const NATIVE: [&str; 5] = ["-lpthread", "-ldl", "-lm", "-lrt", "-lgcc_s"];
/// What valgrind does. What is still reachable at the end is kept for the process: tables of handles.
const MEMCHECK: [&str; 4] =
    ["--quiet", "--leak-check=full", "--error-exitcode=97", "--fair-sched=yes"];
/// The release whose libraries a program of the host can load.
const RELEASE: Release = Release::V5_2;

/// A program in C or C++.
struct Example {
    name: &'static str,
    sources: &'static [&'static str],
    language: Language,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    C,
    Cxx,
}
impl Language {
    const fn compiler(self) -> &'static str {
        match self {
            Self::C => "gcc",
            Self::Cxx => "g++",
        }
    }
    const fn standard(self) -> &'static [&'static str] {
        match self {
            Self::C => &["-std=c99", "-pedantic"],
            Self::Cxx => &["-std=c++17"],
        }
    }
}
/// Those that bring a device of their own.
const TOYS: [Example; 3] = [
    Example {
        name: "pool",
        sources: &["pool.c", "toy_driver.c", "toy_device.c"],
        language: Language::C,
    },
    Example {
        name: "julia_tasks",
        sources: &["julia_tasks.c", "toy_driver.c", "toy_device.c"],
        language: Language::C,
    },
    Example { name: "clr_runtime", sources: &["clr_runtime.cc"], language: Language::Cxx },
];
/// Those that need AMD's runtime.
const ON_AMD: [Example; 2] = [
    Example { name: "hip_streams", sources: &["hip_streams.c"], language: Language::C },
    Example { name: "hsa_queue", sources: &["hsa_queue.c"], language: Language::C },
];

/// How it is built.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Optimised, as it is to be installed.
    #[arg(long)]
    release: bool,
    /// The programs that need a GPU, over the one in software, in place of the others.
    #[arg(long)]
    amd: bool,
}

/// The steps of the C interface.
pub(crate) fn steps() -> [Step; 4] {
    let amd = format!("programs in C on ROCm {}", RELEASE.name());
    let cargo = |name: &str, line: &'static str| {
        Step::new(name, move |tree| Program::cargo(tree, line).run())
    };
    [
        // What counts locks is not there without `audit`.
        cargo(
            "what finalizers call",
            "test --package ringfence-capi --features audit --test finalizers",
        ),
        Step::new("header", |tree| header::run(tree, header::Options::default())),
        Step::new("programs in C and C++", |tree| run(tree, Options::default())),
        Step::new(amd, |tree| on_amd(tree, Options::default())),
    ]
}

/// Lays the libraries and the header out, and runs every program that brings its own device: with the static library, and
/// with the shared one under valgrind.
pub(crate) fn run(tree: &Tree, options: Options) -> Result<Outcome, Failure> {
    if options.amd {
        return on_amd(tree, options);
    }
    let root = lay_out(tree, options)?;
    println!("laid out in {}", root.display());
    for compiler in [Language::C.compiler(), Language::Cxx.compiler()] {
        if Program::new(tree, compiler).arguments(["--version"]).presence() == Presence::Missing {
            return Ok(Outcome::Skipped(format!("{compiler} is not installed")));
        }
    }
    let valgrind = Program::new(tree, "valgrind").arguments(["--version"]).presence();
    for example in &TOYS {
        let _ = Program::new(tree, build(tree, &root, example, Linkage::Static)?).run()?;
        let shared = build(tree, &root, example, Linkage::Shared)?;
        let _ = match valgrind {
            Presence::Here => {
                Program::new(tree, "valgrind").arguments(MEMCHECK).arguments([shared]).run()?
            }
            Presence::Missing => Program::new(tree, shared).run()?,
        };
    }
    match valgrind {
        Presence::Here => Ok(Outcome::Passed),
        Presence::Missing => Ok(Outcome::Skipped(
            "valgrind is not installed: the programs ran without it".to_owned(),
        )),
    }
}

/// The programs that need a GPU, over the one in software.
fn on_amd(tree: &Tree, options: Options) -> Result<Outcome, Failure> {
    if Program::new(tree, Language::C.compiler()).arguments(["--version"]).presence()
        == Presence::Missing
    {
        return Ok(Outcome::Skipped(format!("{} is not installed", Language::C.compiler())));
    }
    let runtime = match rocm::fetch(tree, RELEASE, Headers::Without)? {
        Fetched::Here(runtime) => runtime,
        Fetched::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let root = lay_out(tree, options)?;
    let build_gpu = "build --quiet --profile softgpu --package ringfence-softgpu";
    let _ = Program::cargo(tree, build_gpu).run()?;
    let runner = softgpu::runner(&runtime, tree)?;
    for example in &ON_AMD {
        let program = build(tree, &root, example, Linkage::Shared)?;
        let mut words = runner.split(' ');
        let first = words.next().unwrap_or("env");
        // One that finds no runtime ends with 3, and so fails here.
        let _ = Program::new(tree, first).arguments(words).arguments([program]).run()?;
    }
    Ok(Outcome::Passed)
}

/// Which library a program is linked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Linkage {
    Shared,
    Static,
}

fn build(
    tree: &Tree,
    root: &Path,
    example: &Example,
    linkage: Linkage,
) -> Result<PathBuf, Failure> {
    let suffix = if linkage == Linkage::Static { "-static" } else { "" };
    let program = root.join(format!("{}{suffix}", example.name));
    let sources = example.sources.iter().map(|source| tree.path(EXAMPLES).join(source));
    let library = root.join("lib");
    let mut compile = Program::new(tree, example.language.compiler())
        .arguments(example.language.standard())
        .arguments(["-g", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
        .arguments([root.join("include")])
        .arguments(sources)
        .arguments(["-o"])
        .arguments([&program]);
    compile = match linkage {
        Linkage::Static => compile.arguments([library.join("libringfence.a")]),
        Linkage::Shared => compile
            .arguments([format!("-L{}", library.display())])
            .arguments(["-lringfence".to_owned(), format!("-Wl,-rpath,{}", library.display())]),
    };
    let _ = compile.arguments(NATIVE).run()?;
    Ok(program)
}

/// `include/ringfence.h`, `lib/libringfence.so` and `.a`, `lib/pkgconfig/ringfence.pc`: to be copied to where programs are
/// built.
fn lay_out(tree: &Tree, options: Options) -> Result<PathBuf, Failure> {
    let (profile, folder) = if options.release { (" --release", "release") } else { ("", "debug") };
    let _ =
        Program::cargo(tree, &format!("build --package ringfence-capi --lib{profile}")).run()?;
    let root = tree.target(LAYOUT);
    let (include, library) = (root.join("include"), root.join("lib"));
    let package = library.join("pkgconfig");
    for folder in [&include, &package] {
        fs::create_dir_all(folder)
            .map_err(|source| Failure::File { path: folder.clone(), source })?;
    }
    let copies = [
        (tree.path("capi/include/ringfence.h"), include.join("ringfence.h")),
        (tree.target(folder).join("libringfence_capi.so"), library.join(SONAME)),
        // Again under the name that the linker looks for: a link where links are wanted.
        (tree.target(folder).join("libringfence_capi.so"), library.join("libringfence.so")),
        (tree.target(folder).join("libringfence_capi.a"), library.join("libringfence.a")),
    ];
    for (from, to) in copies {
        // Not over a library that a program may have open.
        let gone = fs::remove_file(&to);
        if let Err(source) = gone
            && source.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Failure::File { path: to, source });
        }
        fs::copy(&from, &to).map_err(|source| Failure::File { path: from, source })?;
    }
    let path = package.join("ringfence.pc");
    let text = format!(
        "prefix=${{pcfiledir}}/../..\nName: ringfence\nDescription: streams and signals that are used again when their work is proven finished\n\
         Version: {}\nCflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lringfence\nLibs.private: {}\n",
        env!("CARGO_PKG_VERSION"),
        NATIVE.join(" ")
    );
    fs::write(&path, text).map_err(|source| Failure::File { path, source })?;
    Ok(root)
}
