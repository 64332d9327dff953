//! Running a program about streams, and what it came to.

use ringfence_mock::streams::{
    oracle::StreamRule,
    profile::DriverProfile,
    scenario::{StreamFailure, StreamSetup, StreamStep, StreamWorld, StreamWrong},
};

use super::Manner;

/// What a program came to.
#[derive(Debug)]
#[must_use]
pub enum StreamVerdict {
    /// No rule broke, and nothing is left over.
    Sound,
    /// A rule broke, or a healthy program failed.
    Broken {
        /// The rule, if one is named.
        rule: Option<StreamRule>,
        /// What happened.
        wrong: Box<StreamFailure>,
    },
}

/// Runs a program whole, with the oracle on.
pub fn run(
    setup: &StreamSetup,
    profile: DriverProfile,
    steps: &[StreamStep],
    manner: Manner,
) -> StreamVerdict {
    let broken = |wrong: Box<StreamFailure>| StreamVerdict::Broken { rule: wrong.rule, wrong };
    // What broke may be lost: streams in error, captures that nobody ends.
    let lossy = matches!(manner, Manner::Faulty | Manner::Losing);
    let tolerated = |wrong: &StreamFailure| {
        let left = lossy && matches!(wrong.wrong, StreamWrong::LeftOver { .. });
        let healthy = matches!(manner, Manner::Healthy | Manner::Refusing);
        !healthy && wrong.rule.is_none() && (left || is_error(&wrong.wrong))
    };
    let mut world = StreamWorld::new(setup, profile);
    for step in steps {
        match world.apply(step) {
            Ok(()) => {}
            Err(failure) if tolerated(&failure) => {}
            Err(failure) => return broken(failure),
        }
    }
    match world.finish() {
        Ok(_) => StreamVerdict::Sound,
        Err(failure) if tolerated(&failure) => StreamVerdict::Sound,
        Err(failure) => broken(failure),
    }
}
/// Whether a step ended in an error of the library or the driver, as it may where things break.
fn is_error(wrong: &StreamWrong) -> bool {
    matches!(
        wrong,
        StreamWrong::UnexpectedError { .. }
            | StreamWrong::Misuse { .. }
            | StreamWrong::NoError { .. }
            | StreamWrong::OtherError { .. }
    )
}
