//! The oracle of host operations and device moves: the mock's own, at every step.
//!
//! The first half of an input says what the host does, the second what the device chooses. Every
//! input is a run; nothing is rejected, so that no effort of a fuzzer is lost.

mod bytes;
mod operations;

use ringfence_mock::{
    chooser::Scripted,
    scenario::{Failure, Scenario, World, Wrong},
    system::Pace,
};

use self::{bytes::Bytes, operations::scenario};

/// Runs `input`.
///
/// # Panics
/// If a rule breaks, if the library panics, or if something is left over at the end. The message has
/// the run as a scenario file.
pub fn check(input: &[u8]) {
    let (host, device) = input.split_at(input.len() / 2);
    let scenario = scenario(&mut Bytes::new(host));
    if let Err(failure) = run(&scenario, device) {
        let trace = failure.trace.join("\n");
        panic!(
            "{failure}\nstep {:?} of\n{scenario}with the choices {device:?}\n{trace}",
            failure.path
        );
    }
}

fn run(scenario: &Scenario, choices: &[u8]) -> Result<(), Box<Failure>> {
    let chooser = Scripted::new(choices.iter().copied().map(u32::from));
    let mut world = match World::with_chooser(&scenario.setup, Box::new(chooser), Pace::Chosen) {
        Ok(world) => world,
        Err(failure) => return judge(failure),
    };
    for (position, step) in scenario.steps.iter().enumerate() {
        world.apply(step).or_else(judge).map_err(|mut failure| {
            failure.path.insert(0, position);
            failure
        })?;
    }
    world.finish().map(drop).or_else(judge)
}

/// What a random run may end a step with: errors that the library announces (no signal left, a refused
/// part), and steps that make no sense where they stand. All else is a fault.
fn judge(failure: Box<Failure>) -> Result<(), Box<Failure>> {
    match failure.wrong {
        Wrong::UnexpectedError { .. } | Wrong::Misuse { .. } | Wrong::Impossible { .. } => Ok(()),
        _ => Err(failure),
    }
}
