//! Everything that a machine with Rust and nothing else can run, cheapest first.

use clap::Args;

use crate::{
    commands::{
        backends, bench_gate, capi, deps, loc, loom, memory_model, rocm, rules, shuttle, soak,
    },
    process::{Presence, Program},
    step::{Failure, Outcome, Step},
    tree::Tree,
};

/// Which steps.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Leave out the steps before this one, after a failure say
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
}

/// Every package, with what is optional in some of them: only so many builds of the whole.
const WHOLE: &str = "--workspace --features ringfence-threads/rayon";

/// What the plain tests are: those of `ringfence-tests` are run once, with the planted faults, and those of
/// the backends over a GPU.
const TESTED: &str = "--workspace --exclude ringfence-tests --exclude ringfence-hsa --exclude ringfence-hip --features ringfence-threads/rayon";

/// The steps, in order.
pub(crate) fn steps() -> Vec<Step> {
    let mut steps = vec![
        Step::new("fmt", format),
        Step::new("loc", loc::run),
        Step::new("deps", deps::run),
        Step::new("rules", |tree| rules::run(tree, rules::Options::default())),
        Step::new("memory model", memory_model::run),
    ];
    steps.extend([
        // As a user gets them: what only a feature needs must not be missed without it.
        cargo(
            "clippy of the libraries",
            "clippy --workspace --exclude ringfence-cli --exclude ringfence-tests --exclude xtask -- -D warnings",
        ),
        cargo(
            "clippy of everything",
            "clippy --workspace --all-targets --all-features -- -D warnings",
        ),
        Step::new("documentation", documentation),
    ]);
    steps.extend(rocm::steps(&rocm::Options::default()));
    steps.extend([
        // Its tests start programs over the library, and look for both where a user would.
        cargo(
            "softgpu and its programs",
            "build --profile softgpu --package ringfence-softgpu --package ringfence-softgpu-programs --lib --bins --examples",
        ),
        Step::new("tests", |tree| harness(tree).run(TESTED, "dev")),
    ]);
    steps.extend(backends::steps());
    steps.extend([
        cargo("examples in the documentation", format!("test {WHOLE} --doc")),
        Step::new("planted faults", |tree| {
            harness(tree)
                .run("--package ringfence-tests --package ringfence --features planted", "checked")
        }),
        Step::new("loom models", |tree| loom::run(tree, &loom::Options::default())),
        Step::new("shuttle mixes", |tree| shuttle::run(tree, &shuttle::Options::default())),
        cargo("demo", "run --release"),
        example("embed_in_a_runtime"),
        example("tasks_on_streams"),
        backends::examples(),
    ]);
    steps.extend(capi::steps());
    steps.extend([
        Step::new("scenarios", scenarios),
        Step::new("fuzz corpus", fuzz_corpus),
        Step::new("soak", |tree| soak::run(tree, &soak::Options::short())),
        Step::new("instructions", |tree| bench_gate::run(tree, &bench_gate::Options::default())),
    ]);
    steps
}

/// A step that is one call of cargo.
fn cargo(name: impl Into<String>, line: impl Into<String>) -> Step {
    let line = line.into();
    Step::new(name, move |tree| Program::cargo(tree, &line).run())
}

/// A step that runs a program of the examples.
fn example(name: &str) -> Step {
    cargo(format!("example {name}"), format!("run --package ringfence-examples --bin {name}"))
}

/// The fuzz targets are a workspace of their own.
fn format(tree: &Tree) -> Result<Outcome, Failure> {
    let _ = Program::cargo(tree, "fmt --all --check").run()?;
    Program::cargo(tree, "fmt --manifest-path fuzz/Cargo.toml --check").run()
}

/// The command line's program has the name of the core's library, and so of its pages: it goes first,
/// and the library's pages stay.
fn documentation(tree: &Tree) -> Result<Outcome, Failure> {
    let doc = |packages: &str| {
        Program::cargo(tree, "doc --no-deps --document-private-items")
            .arguments(packages.split(' '))
            .add_flags("RUSTDOCFLAGS", "-D warnings")
            .run()
    };
    let _ = doc("--package ringfence-cli")?;
    doc(&format!("{WHOLE} --exclude ringfence-cli"))
}

/// Replays every folder of scenarios; `replay` looks into none that is inside another.
fn scenarios(tree: &Tree) -> Result<Outcome, Failure> {
    let folders = rules::scenario_folders(&tree.files(rules::SCENARIOS, "toml")?);
    if folders.is_empty() {
        return Err(Failure::Found(format!("{} has no scenario", rules::SCENARIOS)));
    }
    Program::cargo(tree, "run --release -- replay").arguments(folders).run()
}

/// What runs the tests: cargo-nextest where it is, since a hung test then has a name.
struct Harness<'a> {
    tree: &'a Tree,
    nextest: Presence,
}
fn harness(tree: &Tree) -> Harness<'_> {
    Harness { tree, nextest: Program::cargo(tree, "nextest --version").presence() }
}
impl Harness<'_> {
    /// Runs the tests of `selection`, built with `profile`; not those in documentation.
    fn run(&self, selection: &str, profile: &str) -> Result<Outcome, Failure> {
        let line = match self.nextest {
            Presence::Here => format!("nextest run {selection} --cargo-profile {profile}"),
            Presence::Missing => {
                format!("test {selection} --profile {profile} --lib --bins --tests --examples")
            }
        };
        let runtimes = rocm::folder(self.tree);
        Program::cargo(self.tree, &line).env(rocm::FOLDER, &runtimes.to_string_lossy()).run()
    }
}

/// Builds the fuzz targets without a fuzzer, replays every input that was ever kept, and lets the targets find the planted
/// faults that they are said to find.
fn fuzz_corpus(tree: &Tree) -> Result<Outcome, Failure> {
    let targets = tree.files("fuzz/fuzz_targets", "rs")?;
    if targets.is_empty() {
        return Ok(Outcome::Skipped("there are no fuzz targets".to_owned()));
    }
    let fuzz = |command: &str| {
        Program::cargo(tree, command)
            .arguments(
                "--manifest-path fuzz/Cargo.toml --profile replay --features planted".split(' '),
            )
            .arguments(["--target-dir".into(), tree.target("fuzz")])
    };
    // In the directory of the workspace, where clippy has seen what they are built upon.
    let clippy = "clippy --manifest-path fuzz/Cargo.toml --all-targets --all-features --target-dir";
    let _ = Program::cargo(tree, clippy)
        .arguments([tree.target("")])
        .arguments(["--", "-D", "warnings"])
        .run()?;
    let _ = fuzz("build --bins --examples").run()?;
    for target in targets {
        let name = target.file_stem().unwrap_or_default().to_string_lossy();
        let _ = fuzz(&format!("run --quiet --bin {name}")).run()?;
    }
    fuzz("run --quiet --example teeth").arguments(["--".into(), tree.path(rules::FUZZED)]).run()
}
