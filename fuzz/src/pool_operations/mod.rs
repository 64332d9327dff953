//! The oracle of the stream pool: the mock's own, at every call of a driver of any profile.
//!
//! The first bytes say which driver and which pool, the others what tasks, users and faults do.

mod operations;
mod strangers;

use ringfence_mock::{
    scenario::Name,
    streams::{
        profile::DriverProfile,
        scenario::{StreamAction, StreamFailure, StreamWorld, StreamWrong},
    },
};

use self::operations::Program;
use crate::bytes::Bytes;

/// A fuzzer gains nothing from longer runs.
const MOST_STEPS: usize = 100;

/// Runs `input`.
///
/// # Panics
/// If a rule breaks, if a real process would not have survived, if the library panics, or if something is
/// left over at the end. The message has the steps as a scenario file has them.
pub fn check(input: &[u8]) {
    if let Err(why) = run(input, MOST_STEPS) {
        panic!("{why}");
    }
}

/// Runs `input`, for so many steps at most. Returns how many there were.
///
/// # Errors
/// A fault, with the steps.
pub(crate) fn run(input: &[u8], most: usize) -> Result<usize, String> {
    let mut bytes = Bytes::new(input);
    let (setup, profile) = operations::setup(&mut bytes);
    let mut world = StreamWorld::new(&setup, profile);
    let mut program = Program::new(&setup);
    let mut steps = Vec::new();
    let explain = |failure: &StreamFailure, steps: &[String]| {
        let (steps, trace) = (steps.join("\n"), failure.trace.join("\n"));
        format!("{failure}\non {profile} with\n{setup}steps = [\n{steps}\n]\n{trace}")
    };
    while !bytes.is_empty() && steps.len() < most {
        let Some(step) = program.step(&mut bytes) else { continue };
        steps.push(format!("  {step},"));
        match world.apply(&step) {
            Ok(()) => {}
            Err(failure) if is_answer(&failure.wrong, &program) => program.note_refused(&step),
            Err(failure) => return Err(explain(&failure, &steps)),
        }
    }
    if let Some(on) = program.capturing.take().filter(|_| !program.has_left) {
        let _refused = world.apply(&StreamAction::EndCapture { graph: Name::from("u"), on }.into());
    }
    match world.finish() {
        Err(failure) if !may_be_left(&failure.wrong, &program, profile) => {
            Err(explain(&failure, &steps))
        }
        _ => Ok(steps.len()),
    }
}

/// Whether a failure is only an answer: a step that makes no sense where it stands, and what the driver
/// refuses while somebody captures, or after a fault.
fn is_answer(wrong: &StreamWrong, program: &Program) -> bool {
    match wrong {
        StreamWrong::UnexpectedError { error, .. } => {
            let while_capturing = ["captur", "is over", "error 401", "error 903"];
            program.is_faulty
                || program.is_capped
                || program.defers && error.contains("the cap is")
                || while_capturing.iter().any(|part| error.contains(part))
        }
        StreamWrong::Misuse { .. } => true,
        _ => false,
    }
}

/// On HIP 5.2 a stream that joined a capture stays in it for ever, and with it what only it could prove; and
/// what a fault took is not given back.
fn may_be_left(wrong: &StreamWrong, program: &Program, profile: DriverProfile) -> bool {
    let stays = profile == DriverProfile::Hip52 && program.has_joined();
    matches!(wrong, StreamWrong::LeftOver { .. }) && (stays || program.is_faulty)
}
