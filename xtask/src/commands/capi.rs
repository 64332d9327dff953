//! The C interface as programs get it: libraries and header laid out, and the programs in C and C++ built on that and run.

mod layout;

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

use layout::NATIVE;

/// Where the programs are built, below cargo's folder of builds; the library is laid out there as well, if nobody says where else.
const LAYOUT: &str = "capi";
/// The programs, and those that are tests alone.
const EXAMPLES: &str = "capi/examples";
const TESTS: &str = "capi/tests/programs";
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
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Optimised, as it is to be installed.
    #[arg(long)]
    release: bool,
    /// Which of the built-in backends, by commas: hsa, hip. An empty list: none of them.
    #[arg(long)]
    features: Option<String>,
    /// The folder that it is laid out in, in place of target/capi: /usr/local, say.
    #[arg(long)]
    prefix: Option<PathBuf>,
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
        Step::new("programs in C and C++", |tree| run(tree, &Options::default())),
        Step::new(amd, |tree| on_amd(tree, &Options::default())),
    ]
}

/// Lays the libraries and the header out, and runs every program that brings its own device: with the static library, and
/// with the shared one under valgrind.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    if options.amd {
        return on_amd(tree, options);
    }
    let root = layout::lay_out(tree, options)?;
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
    tests(tree, &root)?;
    match valgrind {
        Presence::Here => Ok(Outcome::Passed),
        Presence::Missing => Ok(Outcome::Skipped(
            "valgrind is not installed: the programs ran without it".to_owned(),
        )),
    }
}

/// Programs that are tests alone: what the header says to each language, and what the shared library is to the process that loads it.
fn tests(tree: &Tree, root: &Path) -> Result<(), Failure> {
    let source = |name: &str| tree.path(TESTS).join(name);
    let compile = |language: Language, standard: &str| {
        let warnings = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-I"];
        Program::new(tree, language.compiler()).arguments([standard]).arguments(warnings)
    };
    for (language, standard, as_language) in
        [(Language::C, "-std=c99", "c"), (Language::Cxx, "-std=c++11", "c++")]
    {
        let check = compile(language, standard).arguments([root.join("include")]);
        let check = check.arguments(["-fsyntax-only", "-x", as_language]);
        let _ = check.arguments([source("abi.c")]).run()?;
    }
    let program = tree.target(LAYOUT).join("copies");
    let made = compile(Language::C, "-std=c99").arguments([root.join("include")]);
    let made = made.arguments([source("copies.c")]).arguments(["-o"]).arguments([&program]);
    let _ = made.arguments(["-ldl"]).run()?;
    let (one, other) = (layout::shared(root), tree.target(LAYOUT).join("libringfence-copy.so"));
    fs::copy(&one, &other).map_err(|source| Failure::File { path: one.clone(), source })?;
    let _ = Program::new(tree, program).arguments([one, other]).run()?;
    Ok(())
}

/// The programs that need a GPU, over the one in software.
fn on_amd(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    if Program::new(tree, Language::C.compiler()).arguments(["--version"]).presence()
        == Presence::Missing
    {
        return Ok(Outcome::Skipped(format!("{} is not installed", Language::C.compiler())));
    }
    let runtime = match rocm::fetch(tree, RELEASE, Headers::Without)? {
        Fetched::Here(runtime) => runtime,
        Fetched::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let root = layout::lay_out(tree, options)?;
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
    let program = tree.target(LAYOUT).join(format!("{}{suffix}", example.name));
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
