//! Running a program, and what it came to.

use ringfence_mock::{
    oracle::Rule,
    scenario::{Failure, Setup, Step, World, Wrong},
};

use super::Roughness;

/// What a program came to.
#[derive(Debug)]
#[must_use]
pub enum Verdict {
    /// No rule broke, and nothing is left over.
    Sound,
    /// A rule broke, or a healthy program failed.
    Broken {
        /// The rule, if one is named.
        rule: Option<Rule>,
        /// What happened.
        wrong: Box<Failure>,
    },
}

/// Runs a program whole, with the oracle on.
pub fn run(setup: &Setup, steps: &[Step], seed: u64, roughness: Roughness) -> Verdict {
    let broken = |wrong: Box<Failure>| Verdict::Broken { rule: wrong.rule, wrong };
    let mut world = match World::new(setup, seed) {
        Ok(world) => world,
        Err(failure) => return broken(failure),
    };
    for step in steps {
        match world.apply(step) {
            Ok(()) => {}
            Err(failure) if roughness != Roughness::Healthy && is_error(&failure.wrong) => {}
            Err(failure) => return broken(failure),
        }
    }
    match world.finish() {
        Ok(_) => Verdict::Sound,
        Err(failure) if roughness != Roughness::Healthy && is_error(&failure.wrong) => {
            Verdict::Sound
        }
        Err(failure) => broken(failure),
    }
}
/// Whether a step ended in an error of the library, as it may where things break.
fn is_error(wrong: &Wrong) -> bool {
    matches!(wrong, Wrong::UnexpectedError { .. } | Wrong::Misuse { .. } | Wrong::Impossible { .. })
}
