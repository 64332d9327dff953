//! Runs a case of a program on each of AMD's runtimes that is here, over the preload library.

#![allow(dead_code, reason = "each test file uses a part of it")]

mod build;
mod runtime;
pub(crate) mod stacks;

use std::process::Output;

use build::{Program, built};
use runtime::{Gfx, Release, Runtime};

/// The program for HSA.
pub(crate) const HSA: Program = Program("hsa-program");
/// The program for HIP.
pub(crate) const HIP: Program = Program("hip-program");

/// What [`Plan::case`] of a program that misses something exits with.
const NOT_MODELLED: i32 = 77;

/// A case, and what it is run over: by default each runtime, with each GPU that suits it, in the profile `hostile`, where kernels
/// finish out of order and read indices lead and lag.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    program: Program,
    case: &'static str,
    settings: Vec<(&'static str, String)>,
    gpus: Gpus,
    missing: Missing,
}

/// Which GPUs a case is run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Gpus {
    /// Each that suits the runtime.
    Each,
    /// One for each runtime.
    One,
}

/// What it means if a case finds what it needs missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Missing {
    /// A failure.
    Fails,
    /// No failure with these releases.
    With(&'static [Release]),
}

impl Plan {
    /// Of this case.
    pub(crate) fn case(program: Program, case: &'static str) -> Self {
        let settings = vec![("PROFILE", "hostile".to_owned())];
        Self { program, case, settings, gpus: Gpus::Each, missing: Missing::Fails }
    }

    /// With a setting more, or another value of one.
    pub(crate) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.settings.retain(|(own, _)| *own != name);
        self.settings.push((name, value.to_string()));
        self
    }

    /// With nothing but what is set: for figures.
    pub(crate) fn quiet(self) -> Self {
        self.with("PROFILE", "quiet")
    }

    /// With one GPU for each runtime alone.
    pub(crate) fn once(mut self) -> Self {
        self.gpus = Gpus::One;
        self
    }

    /// Where HIP 5.2 lacks what the case is about.
    pub(crate) fn missing_in_5_2(mut self) -> Self {
        self.missing = Missing::With(&[Release::V5_2]);
        self
    }

    /// Runs it.
    ///
    /// # Panics
    /// If it fails anywhere, with all that it printed; or if a runtime is missing that has to be there.
    pub(crate) fn run(&self) {
        let mut failures = Vec::new();
        for release in Release::ALL {
            match Runtime::find(release) {
                Ok(runtime) => failures.extend(self.over(&runtime)),
                Err(missing) => println!("skipped: {} on {release}: {missing}", self.case),
            }
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    fn over(&self, runtime: &Runtime) -> Vec<String> {
        let all = runtime.release.gpus();
        let gpus: &[Gfx] = if self.gpus == Gpus::One { &all[..1] } else { all };
        gpus.iter().filter_map(|gfx| self.on(runtime, *gfx)).collect()
    }

    /// What went wrong.
    fn on(&self, runtime: &Runtime, gfx: Gfx) -> Option<String> {
        let built = built();
        let mut command = runtime.command(&[&built.library], &built.program(self.program));
        let settings = self.settings.iter().map(|(name, value)| (*name, value.as_str()));
        for (name, value) in settings.chain([("GFX", gfx.0)]) {
            command.env(format!("RINGFENCE_SOFTGPU_{name}"), value);
        }
        let output = command.arg(self.case).output().expect("the program starts");
        let text = describe(&output);
        let here =
            format!("{} on {} with {}: {}", self.case, runtime.release, gfx.0, output.status);
        let missing = output.status.code() == Some(NOT_MODELLED);
        let allowed = match self.missing {
            Missing::Fails => false,
            Missing::With(releases) => releases.contains(&runtime.release),
        };
        if missing && allowed {
            println!("left out: {here}\n{text}");
            return None;
        }
        println!("{here}\n{text}");
        (!output.status.success()).then(|| format!("{here}\n{:?}\n{text}", self.settings))
    }
}

fn describe(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// Defines a test for each case: its name, the case, and the plan's changes.
#[macro_export]
macro_rules! cases {
    ($program:expr; $($test:ident = $case:literal $(.$change:ident($($argument:expr),*))*;)*) => {
        $(#[test]
        fn $test() {
            $crate::common::Plan::case($program, $case)$(.$change($($argument),*))*.run();
        })*
    };
}

/// Whether the long variants are asked for.
pub(crate) fn long() -> bool {
    std::env::var_os("RINGFENCE_LONG_TESTS").is_some_and(|value| value == "1")
}
