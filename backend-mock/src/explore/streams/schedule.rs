//! One schedule of streams, from the beginning to the first choice that nobody has answered, or to its end.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::program::{Program, Roughness, injectable};
use crate::{
    chooser::{Course, Point},
    explore::{
        DeviceTiming, Options,
        search::{Ended, Ran, Searched},
    },
    scenario::panic::message,
    streams::{
        model::Moving,
        scenario::{
            DriverFault, Presence, StreamAction, StreamErrorKind, StreamFailure, StreamStep,
            StreamWorld, StreamWrong,
        },
    },
};

/// A program of streams, searched with these options.
pub(super) struct Streams<'p> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
}
impl Searched for Streams<'_> {
    type Failure = StreamFailure;
    fn run(&self, answers: &[u16], _step: u64) -> Ran<StreamFailure> {
        self.play(answers).0
    }
}

/// The steps of a schedule as they went, and what the device answered in them.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) steps: Vec<StreamStep>,
    pub(super) device: Vec<u16>,
}

impl Streams<'_> {
    /// Runs the program with these answers. What the device did in a run that panicked is not known.
    pub(super) fn play(&self, answers: &[u16]) -> (Ran<StreamFailure>, Played) {
        let moving = match self.options.timing {
            DeviceTiming::Lazy => Moving::Lazily,
            DeviceTiming::Eager => Moving::Eagerly,
        };
        let course = Course::new(answers.to_vec(), 0);
        let mut world =
            StreamWorld::searched(&self.program.setup, self.program.profile, course, moving);
        let next = self.program.sections.first().map_or(Vec::new(), |first| vec![0; first.len()]);
        let played = Played::default();
        let mut run = Run { of: self, section: 0, next, injected: 0, taken: 0, played };
        let ended = catch_unwind(AssertUnwindSafe(|| run.go(&mut world)));
        let ended = ended.unwrap_or_else(|panic| match world.unanswered() {
            Some(point) => Ended::Point(point),
            None => Ended::Broken(StreamFailure::panicked(message(panic.as_ref()))),
        });
        // Kept at the end of a schedule, when the device has been let go of.
        if run.played.device.is_empty() {
            run.played.device = world.device_answers();
        }
        let chosen = run.played.device.iter().filter(|&&answer| answer > 0).count();
        let moves = run.taken + u32::try_from(chosen).unwrap_or(u32::MAX);
        // Nothing is known to be equal that was not reached by the same answers.
        let ended = match ended {
            Ended::Point(point) => Ended::Point(Point { key: of(answers), ..point }),
            Ended::Over(_) | Ended::Broken(_) => ended,
        };
        (Ran { ended, moves }, run.played)
    }
}

fn of(answers: &[u16]) -> u64 {
    let mut state = DefaultHasher::new();
    answers.hash(&mut state);
    state.finish()
}

/// What may be done next.
enum Choice {
    Step(usize),
    Fault(DriverFault),
}

struct Run<'p> {
    of: &'p Streams<'p>,
    section: usize,
    /// The next step of each thread of the section.
    next: Vec<usize>,
    injected: u32,
    taken: u32,
    played: Played,
}
impl Run<'_> {
    fn go(&mut self, world: &mut StreamWorld) -> Ended<StreamFailure> {
        loop {
            let Some(choice) = self.choose(world) else { return self.end(world) };
            if let Some(point) = world.unanswered() {
                return Ended::Point(point);
            }
            let step = match &choice {
                Choice::Step(at) => self.of.program.steps[*at].clone(),
                Choice::Fault(fault) => {
                    self.injected += 1;
                    StreamAction::Fail(fault.clone()).into()
                }
            };
            let done = world.apply(&step);
            self.taken += 1;
            // What comes after an open choice is one of its answers, and found there.
            if let Some(point) = world.unanswered() {
                return Ended::Point(point);
            }
            if let Some(ended) = self.judge(step, done, world) {
                return ended;
            }
            if let Choice::Step(at) = choice {
                self.advance(at);
            }
        }
    }
    fn choose(&self, world: &StreamWorld) -> Option<Choice> {
        let section = self.of.program.sections.get(self.section)?;
        let threads = section.iter().zip(&self.next);
        let steps = threads.filter_map(|(thread, &next)| thread.get(next));
        let mut choices: Vec<Choice> = steps.map(|&at| Choice::Step(at)).collect();
        if self.of.options.faults > self.injected {
            choices.extend(injectable(world.leases()).map(Choice::Fault));
        }
        let count = u16::try_from(choices.len()).unwrap_or(u16::MAX);
        let chosen = if count > 1 { world.choose(count) } else { 0 };
        Some(choices.swap_remove(usize::from(chosen)))
    }
    fn advance(&mut self, at: usize) {
        let section = &self.of.program.sections[self.section];
        for (thread, next) in section.iter().zip(&mut self.next) {
            *next += usize::from(thread.get(*next) == Some(&at));
        }
        if section.iter().zip(&self.next).all(|(thread, &next)| next >= thread.len()) {
            self.section += 1;
            let threads = self.of.program.sections.get(self.section).map_or(0, Vec::len);
            self.next = vec![0; threads];
        }
    }
    /// Notes how a step went; an end where the schedule is over.
    fn judge(
        &mut self,
        mut step: StreamStep,
        done: Result<(), Box<StreamFailure>>,
        world: &mut StreamWorld,
    ) -> Option<Ended<StreamFailure>> {
        let Err(failure) = done else {
            self.played.steps.push(step);
            return None;
        };
        if failure.rule.is_some() {
            self.played.steps.push(step);
            return Some(Ended::Broken(failure));
        }
        match &failure.wrong {
            // Another thread has yet to make what the step names, or nobody will: the schedule ends here, and is accounted for.
            StreamWrong::Misuse { .. } if self.next.len() > 1 => return Some(self.end(world)),
            StreamWrong::Misuse { .. } => return None,
            StreamWrong::NoError { .. } => step.fails = None,
            StreamWrong::UnexpectedError { kind, .. } | StreamWrong::OtherError { kind, .. }
                if self.is_rough() || is_of_timing(*kind) =>
            {
                step.fails = Some(*kind);
            }
            StreamWrong::NotSo { .. } => {
                if let StreamAction::Peek { is, .. } = &mut step.action {
                    *is = match is {
                        Presence::Some => Presence::None,
                        Presence::None => Presence::Some,
                    };
                }
            }
            // A shutdown leaks what is not finished: how much, the timing decides. Nothing comes after it.
            StreamWrong::LeftOver { .. } => {
                self.played.steps.push(step);
                return Some(self.end(world));
            }
            _ => {
                self.played.steps.push(step);
                return Some(Ended::Broken(failure));
            }
        }
        self.played.steps.push(step);
        None
    }
    fn is_rough(&self) -> bool {
        self.injected > 0 || self.of.program.roughness == Roughness::Rough
    }
    fn end(&mut self, world: &mut StreamWorld) -> Ended<StreamFailure> {
        self.played.device = world.device_answers();
        let mut state = DefaultHasher::new();
        let fails: Vec<_> = self.played.steps.iter().map(|step| step.fails).collect();
        (fails, world.seen_by_the_host()).hash(&mut state);
        match world.end() {
            Ok(_) => Ended::Over(state.finish()),
            Err(failure) => match failure.wrong {
                StreamWrong::LeftOver { .. } if self.is_rough() && failure.rule.is_none() => {
                    Ended::Over(state.finish())
                }
                _ => Ended::Broken(failure),
            },
        }
    }
}

/// Whether this error may come of timing alone.
const fn is_of_timing(kind: StreamErrorKind) -> bool {
    matches!(kind, StreamErrorKind::Full | StreamErrorKind::NoStream | StreamErrorKind::TimedOut)
}
