//! One loop on two stacks over the same runtime: AMD's HIP, and Ringfence.

use super::{
    build::{Program, built},
    describe,
    runtime::{Release, Runtime},
};

/// Whose loop it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stack {
    /// AMD's HIP.
    Hip,
    /// Ringfence.
    Ringfence,
}

/// Whether calls of the HSA runtime are counted, which takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Calls {
    /// They are.
    Counted,
    /// They are not.
    NotCounted,
}

/// A runtime that is here, with the GPU of its first choice in the profile `quiet`.
#[derive(Clone, Debug)]
pub(crate) struct Here(Runtime);

/// The runtimes that are here. What is missing is printed.
pub(crate) fn runtimes(test: &str) -> Vec<Here> {
    let found = Release::ALL.into_iter().filter_map(|release| {
        let missing = |missing| println!("skipped: {test} on {release}: {missing}");
        Runtime::find(release).map_err(missing).ok()
    });
    found.map(Here).collect()
}

impl Here {
    /// Its release.
    pub(crate) fn release(&self) -> String {
        self.0.release.to_string()
    }

    /// Runs the loop that often, with `options` of `loop-program` and `settings` of softgpu.
    ///
    /// # Panics
    /// If it fails, with all that it printed.
    pub(crate) fn run_loop(
        &self,
        stack: Stack,
        iterations: u32,
        calls: Calls,
        options: &[&str],
        settings: &[(&str, &str)],
    ) -> Figures {
        let built = built();
        let preload: &[_] = match calls {
            Calls::Counted => &[built.library.as_path(), built.counter.as_path()],
            Calls::NotCounted => &[built.library.as_path()],
        };
        let mut command = self.0.command(preload, &built.program(Program("loop-program")));
        // What is loaded by name is not found in the preloaded library, but for one that has the name.
        command.env_remove("RINGFENCE_HSA_LIBRARY");
        if calls == Calls::Counted {
            command.env("RINGFENCE_HSA_LIBRARY", &built.counter);
        }
        let own = [("PROFILE", "quiet"), ("GFX", self.0.release.gpus()[0].0)];
        for (name, value) in own.iter().chain(settings) {
            command.env(format!("RINGFENCE_SOFTGPU_{name}"), value);
        }
        let name = match stack {
            Stack::Hip => "hip",
            Stack::Ringfence => "ringfence",
        };
        command.arg(name).arg(iterations.to_string()).args(options);
        let output = command.output().expect("the program starts");
        let text = describe(&output);
        let here = format!("the loop of {name} on {}: {}", self.0.release, output.status);
        assert!(output.status.success(), "{here}\n{text}");
        let line = text.lines().find(|line| line.starts_with('{'));
        Figures(line.unwrap_or_else(|| panic!("{here}: no figures\n{text}")).to_owned())
    }
}

/// What the loop says: times of an iteration, counts of the whole loop.
#[derive(Clone, Debug)]
pub(crate) struct Figures(String);

impl Figures {
    /// The number of this name.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn of(&self, name: &str) -> f64 {
        let key = format!("\"{name}\":");
        let behind = self.0.split_once(&key).map(|(_, behind)| behind);
        let number = behind.and_then(|behind| behind.split([',', '}']).next()?.parse().ok());
        number.unwrap_or_else(|| panic!("no number {name} in {}", self.0))
    }

    /// All of it, as it was printed.
    pub(crate) fn line(&self) -> &str {
        &self.0
    }
}
