//! One schedule, from the beginning to the first choice that nobody has answered, or to its end.

use std::{
    cell::RefCell,
    hash::{DefaultHasher, Hash, Hasher},
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

use super::{
    Options,
    commuting::{is_alone, need_no_more_signals, stays_away},
    injected::injectable,
    options::HostSteps,
    program::{Program, Roughness},
    search::{Ended, Ran, Searched},
};
use crate::{
    chooser::{Act, Course, Look, Scripted},
    model::Move,
    scenario::{
        Action, ErrorKind, Failure, MachineFault, Name, Step, World, Wrong, panic::message,
    },
    system::Pace,
};

/// What was done between two choices of what to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// A step of the program.
    Step(usize),
    /// The next part of a search for finished uses, which is a step of the program.
    Part(usize),
    /// The callback thread calls the handler at this place.
    Handler(u32),
    /// Something breaks.
    Fault(MachineFault),
    /// The end.
    Finale,
}

/// A choice, what the device did by choice in it, and how it ended.
#[derive(Clone, Debug)]
pub(super) struct Played {
    pub(super) choice: Choice,
    pub(super) acts: Vec<(Look, Act)>,
    pub(super) names: Vec<(ringfence::id::UseId, Name)>,
    pub(super) queues: Vec<(ringfence::id::LaneId, Name)>,
    pub(super) ended: StepEnd,
}

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StepEnd {
    Well,
    /// In an error that may come where things break.
    Error(ErrorKind),
    /// Well, where an error was announced.
    NoError,
    /// It made no sense at this timing.
    Senseless,
}

/// Whether a run keeps what it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keep {
    Everything,
    Counts,
}

struct Run<'p> {
    program: &'p Program,
    options: &'p Options,
    course: Rc<RefCell<Course>>,
    section: usize,
    /// The next step of each task of the section.
    next: Vec<usize>,
    injected: u32,
    keep: Keep,
    moves: u32,
    played: Vec<Played>,
}

/// A program of signals, searched with these options.
pub(super) struct Signals<'p> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
}
impl Searched for Signals<'_> {
    type Failure = Failure;
    fn run(&self, answers: &[u16], step: u64) -> Ran<Failure> {
        run(self.program, self.options, (answers, step), Keep::Counts).0
    }
}

/// What was done under these answers.
pub(super) fn played(program: &Program, options: &Options, answers: &[u16]) -> Vec<Played> {
    run(program, options, (answers, 0), Keep::Everything).1
}

/// Runs the program with these answers; the last ones belong to the step that `step` is the digest of.
fn run(
    program: &Program,
    options: &Options,
    (answers, step): (&[u16], u64),
    keep: Keep,
) -> (Ran<Failure>, Vec<Played>) {
    let course = Rc::new(RefCell::new(Course::new(answers.to_vec(), step)));
    let next = program.sections.first().map_or(Vec::new(), |first| vec![0; first.tasks.len()]);
    let (section, injected, moves, played) = (0, 0, 0, Vec::new());
    let mut run = Run { program, options, course, section, next, injected, keep, moves, played };
    let ended = catch_unwind(AssertUnwindSafe(|| run.go())).unwrap_or_else(|panic| {
        run.note_unfinished();
        if let Some(point) = run.course.borrow().end() {
            return Ended::Point(point);
        }
        Ended::Broken(Failure::panicked(message(panic.as_ref())))
    });
    (Ran { ended, moves: run.moves }, run.played)
}

impl Run<'_> {
    fn go(&mut self) -> Ended<Failure> {
        let mut world = match World::with_chooser(
            &self.program.setup,
            Box::new(Scripted::tame()),
            Pace::Held,
        ) {
            Ok(world) => world,
            Err(failure) => return Ended::Broken(failure),
        };
        world.system().follow(self.course.clone(), self.options.timing.pace(), self.options.blame);
        loop {
            let choices = self.choices(&world);
            let choice = self.choose(&world, choices);
            if let Some(point) = self.course.borrow().end() {
                return Ended::Point(point);
            }
            if choice == Choice::Finale {
                self.note(&world, choice, StepEnd::Well);
                let end = world.end_digest();
                return match world.finish() {
                    Ok(_) => Ended::Over(end),
                    Err(failure) if self.tolerates(&failure) => Ended::Over(end),
                    Err(failure) => Ended::Broken(failure),
                };
            }
            self.note(&world, choice.clone(), StepEnd::Well);
            let done = self.take(&mut world, &choice);
            let acts = self.course.borrow_mut().take_acts();
            self.moves += 1 + count(&acts);
            if let Some(played) = self.played.last_mut() {
                played.acts = acts;
            }
            // What comes after an open choice is one of its answers, and found there.
            if let Some(point) = self.course.borrow().end() {
                return Ended::Point(point);
            }
            match done {
                Ok(()) => {}
                Err(failure) if self.tolerates(&failure) => {
                    if let Some(played) = self.played.last_mut() {
                        played.ended = end_of(&failure);
                    }
                }
                Err(failure) => return Ended::Broken(failure),
            }
            self.advance(&world, &choice);
        }
    }
    /// What may be done next.
    fn choices(&self, world: &World) -> Vec<Choice> {
        let Some(section) = self.program.sections.get(self.section) else {
            return vec![Choice::Finale];
        };
        let several = section.tasks.len() > 1;
        let mut choices = Vec::new();
        for (task, &next) in section.tasks.iter().zip(&self.next) {
            let Some(&at) = task.steps.get(next) else { continue };
            let action = &self.program.steps[at].action;
            if several && !world.has_names_of(action) {
                continue; // another task has yet to make what it names
            }
            let parts = several && self.is_in_parts(world, at);
            let choice = if parts { Choice::Part(at) } else { Choice::Step(at) };
            let left = self.options.faults > self.injected;
            let reduced = several && !left && self.options.host == HostSteps::Reduced;
            if reduced && self.is_private(world, at) {
                return vec![choice];
            }
            choices.push(choice);
        }
        if choices.is_empty() {
            // Every task waits for a name that nobody will make: the schedule ends here.
            return vec![Choice::Finale];
        }
        choices.extend(world.system().callable().into_iter().map(Choice::Handler));
        if self.options.faults > self.injected {
            choices.extend(injectable(self.program).into_iter().map(Choice::Fault));
        }
        choices
    }
    /// Whether a step is a search for finished uses that other tasks may come between: one that shares its
    /// queue's watermark with them, or an event that they ask about, and so raise it.
    fn is_in_parts(&self, world: &World, at: usize) -> bool {
        let steps = &self.program.steps;
        let Action::Reclaim { on } = &steps[at].action else { return false };
        let handlers = steps.iter().any(|step| matches!(step.action, Action::Handler { .. }));
        if handlers || self.options.host == HostSteps::Every || world.is_searching(on) {
            return true; // the callback thread is one more that may come between
        }
        let Some(queue) = world.queue_of(on) else { return true };
        let section = &self.program.sections[self.section];
        let others = section.tasks.iter().filter(|task| !task.steps.contains(&at));
        let mut others = others.flat_map(|task| &task.steps).map(|&at| &steps[at].action);
        // A packet of no name: that of the search is nobody's.
        !others.all(|action| is_alone(action, world, queue))
    }
    /// Whether a step of a task commutes with everything that others can do before it is taken: it
    /// publishes a packet that nobody has a name for, on a queue that no other task's stream is on, with a
    /// signal that is ready; it looks at nothing. And nobody else creates a signal, which is wrong while an index is reserved (S11):
    /// a library that leaves one so is not to be helped by the order of steps.
    fn is_private(&self, world: &World, at: usize) -> bool {
        let steps = &self.program.steps;
        let Action::Submit(submit) = &steps[at].action else { return false };
        if submit.event.is_some() || submit.role.is_some() || world.room(&submit.on) == 0 {
            return false;
        }
        let Some(queue) = world.queue_of(&submit.on) else { return false };
        let section = &self.program.sections[self.section];
        let others = section.tasks.iter().filter(|task| !task.steps.contains(&at));
        let others: Vec<&Action> =
            others.flat_map(|task| &task.steps).map(|&at| &steps[at].action).collect();
        let batch_goes_on = self.program.setup.submission_batch as usize > steps.len();
        batch_goes_on
            && others.iter().all(|action| stays_away(action, world, queue, &submit.name))
            && need_no_more_signals(&others, world)
    }
    fn choose(&mut self, world: &World, mut choices: Vec<Choice>) -> Choice {
        let finale = choices == [Choice::Finale];
        let mut known = None;
        let mut chosen = 0;
        if choices.len() > 1 || finale {
            let state = (self.section, &self.next, self.injected);
            let without = self.options.without;
            chosen = self
                .course
                .borrow_mut()
                .decide(u16::try_from(choices.len()).unwrap_or(u16::MAX), |_| {
                    *known.insert(digest(world, &state, without))
                });
        }
        let mut course = self.course.borrow_mut();
        if course.left() == 0 && course.end().is_none() && !finale {
            let state = (self.section, &self.next, self.injected);
            let here = known.unwrap_or_else(|| digest(world, &state, self.options.without));
            let mut step = DefaultHasher::new();
            (here, chosen, "step").hash(&mut step);
            course.begin_step(step.finish());
        }
        choices.swap_remove(usize::from(chosen))
    }
    fn take(&mut self, world: &mut World, choice: &Choice) -> Result<(), Box<Failure>> {
        match choice {
            Choice::Step(at) => world.apply_loosely(&self.program.steps[*at]),
            Choice::Part(at) => {
                let Action::Reclaim { on } = &self.program.steps[*at].action else {
                    unreachable!("only a reclaim is taken in parts")
                };
                world.apply(&Step::from(Action::Search { on: on.clone(), steps: 1 }))
            }
            Choice::Handler(nth) => match world.apply(&Action::DeliverOne { nth: *nth }.into()) {
                Err(failure) if matches!(failure.wrong, Wrong::Misuse { .. }) => Ok(()),
                ended => ended,
            },
            Choice::Fault(fault) => {
                self.injected += 1;
                world.apply(&Action::Fail(fault.clone()).into())
            }
            Choice::Finale => Ok(()),
        }
    }
    fn advance(&mut self, world: &World, choice: &Choice) {
        let at = match choice {
            Choice::Step(at) => *at,
            Choice::Part(at) => match &self.program.steps[*at].action {
                Action::Reclaim { on } if world.is_searching(on) => return,
                _ => *at,
            },
            Choice::Handler(_) | Choice::Fault(_) | Choice::Finale => return,
        };
        let section = &self.program.sections[self.section];
        for (task, next) in section.tasks.iter().zip(&mut self.next) {
            *next += usize::from(task.steps.get(*next) == Some(&at));
        }
        if section.tasks.iter().zip(&self.next).all(|(task, &next)| next >= task.steps.len()) {
            self.section += 1;
            let tasks = self.program.sections.get(self.section).map_or(0, |next| next.tasks.len());
            self.next = vec![0; tasks];
        }
    }
    /// Whether a failure is no more than what a broken machine, or another timing than the file's, brings.
    fn tolerates(&self, failure: &Failure) -> bool {
        match failure.wrong {
            Wrong::Misuse { .. } | Wrong::Impossible { .. } | Wrong::NoError { .. } => true,
            Wrong::UnexpectedError { .. } | Wrong::OtherError { .. } | Wrong::NotSo { .. } => {
                self.injected > 0 || self.program.roughness == Roughness::Rough
            }
            _ => false,
        }
    }
    fn note(&mut self, world: &World, choice: Choice, ended: StepEnd) {
        if self.keep == Keep::Counts {
            return;
        }
        let names = world.named().map(|(of, name)| (of, name.clone())).collect();
        let queues = world.system().with_model(|model| {
            model.queues().iter().map(|queue| queue.lane()).collect::<Vec<_>>()
        });
        let queues = queues
            .into_iter()
            .filter_map(|lane| Some((lane, world.queue_with(lane)?.clone())))
            .collect();
        self.played.push(Played { choice, acts: Vec::new(), names, queues, ended });
    }
    /// A step that did not come back: what the device did in it.
    fn note_unfinished(&mut self) {
        let acts = self.course.borrow_mut().take_acts();
        self.moves += 1 + count(&acts);
        if let Some(played) = self.played.last_mut() {
            played.acts = acts;
        }
    }
}

fn end_of(failure: &Failure) -> StepEnd {
    match (failure.error, &failure.wrong) {
        (Some(error), _) => StepEnd::Error(error),
        (None, Wrong::NoError { .. }) => StepEnd::NoError,
        (None, _) => StepEnd::Senseless,
    }
}

/// Moves that a reader of the schedule counts: a packet starts with its completion.
fn count(acts: &[(Look, Act)]) -> u32 {
    let counted =
        |act: &&(Look, Act)| !matches!(act.1, Act::Move(Move::Start(_) | Move::StartPart(..)));
    u32::try_from(acts.iter().filter(counted).count()).unwrap_or(u32::MAX)
}

fn digest(world: &World, place: &impl Hash, without: Option<super::Digested>) -> u64 {
    let mut state = DefaultHasher::new();
    place.hash(&mut state);
    world.digest(&mut state, without);
    state.finish()
}
