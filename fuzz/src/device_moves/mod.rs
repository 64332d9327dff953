//! The oracle of host operations and device moves: the mock's own, at every step.
//!
//! The first half of an input says what the host does, the second what the device chooses. Every
//! input is a run; nothing is rejected, so that no effort of a fuzzer is lost.

mod operations;

use ringfence_mock::{
    chooser::{Chooser, Profile, Scripted, Seeded},
    scenario::{Action, Failure, MachineFault, Name, Scenario, Step, World, Wrong},
    system::Pace,
};

use self::operations::scenario;
use crate::bytes::Bytes;

/// Longer runs find nothing that shorter ones do not, and take a fuzzer's time.
const MOST_STEPS: usize = 200;

/// Runs `input`.
///
/// # Panics
/// If a rule breaks, if the library panics, or if something is left over at the end. The message has
/// the run as a scenario file.
pub fn check(input: &[u8]) {
    let (host, device) = input.split_at(input.len() / 2);
    let scenario = scenario(&mut Bytes::new(host), MOST_STEPS);
    let choices = Scripted::new(device.iter().copied().map(u32::from));
    if let Err(failure) = run(&scenario, Box::new(choices)) {
        let trace = failure.trace.join("\n");
        panic!(
            "{failure}\nstep {:?} of\n{scenario}with the choices {device:?}\n{trace}",
            failure.path
        );
    }
}

/// One long run on a hostile device; `lost_at`: the device is lost before that step. Returns how many steps
/// it had.
///
/// # Errors
/// A fault, with its trace.
pub(crate) fn soak(
    input: &[u8],
    most: usize,
    seed: u64,
    lost_at: Option<usize>,
) -> Result<usize, String> {
    let mut scenario = scenario(&mut Bytes::new(input), most);
    if let Some(at) = lost_at {
        let device = Name::from("gpu0");
        let fault: Step = Action::Fail(MachineFault::Device { device }).into();
        scenario.steps.insert(at.min(scenario.steps.len()), fault);
    }
    let chooser = Seeded::new(seed, Profile::Hostile.odds());
    let steps = scenario.steps.len();
    run(&scenario, Box::new(chooser))
        .map(|()| steps)
        .map_err(|failure| format!("{failure}\n{}", failure.trace.join("\n")))
}

fn run(scenario: &Scenario, chooser: Box<dyn Chooser>) -> Result<(), Box<Failure>> {
    let mut world = match World::with_chooser(&scenario.setup, chooser, Pace::Chosen) {
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
