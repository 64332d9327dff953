//! Who says when work is finished: virtual time, or whoever searches every timing.
//!
//! A chosen device is *lazy*: it does nothing by itself. Where the host is about to see whether work is finished, the answer is a
//! choice, and the device does no more than the answer needs. "Not yet" is a legal answer whatever the device has done, so that nothing
//! that a host could see is left out. An *eager* one may finish work at every call besides: a test compares both.

use std::{collections::BTreeSet, time::Duration};

use ringfence::{
    backend::streams::DriverState,
    id::{Position, RawEvent, RawProgress, RawStream},
};

use super::{
    Model,
    device::Waited,
    parts::{Effect, Progress},
};
use crate::{
    chooser::{Course, Point},
    streams::{
        op::RunTime,
        seen::{DeviceMove, OpId},
    },
};

/// What the host looks at, or waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Awaited {
    /// All work of a stream, and all that it waits for.
    Stream(RawStream),
    /// What an event has recorded.
    Event(RawEvent),
    /// A word that says so much, or more.
    Word(RawProgress, Position),
    /// All work there is.
    Device,
}

/// When a chosen device moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moving {
    /// When the host is about to see it.
    Lazily,
    /// At every call besides.
    Eagerly,
}

/// When the device moves.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    /// Work runs so long, in virtual time.
    Timed,
    /// Work is finished when a choice says so.
    Chosen(Box<Chosen>),
}
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    course: Course,
    moving: Moving,
    /// The device's answers so far.
    answered: Vec<u16>,
}

impl Model {
    /// From here on the device does nothing by itself, and `course` says what the host sees of its work.
    pub fn follow(&mut self, course: Course, moving: Moving) {
        let answered = Vec::new();
        self.pace = Pace::Chosen(Box::new(Chosen { course, moving, answered }));
    }
    /// From here on it moves by virtual time.
    pub fn run_by_time(&mut self) {
        self.pace = Pace::Timed;
        self.settle();
    }
    /// A choice that is not the device's; 0 where nothing is chosen.
    pub fn choose(&mut self, choices: u16) -> u16 {
        match &mut self.pace {
            Pace::Timed => 0,
            Pace::Chosen(chosen) => chosen.course.decide(choices, |_| 0),
        }
    }
    /// The first choice that nobody has answered, once it was met.
    pub fn unanswered(&self) -> Option<Point> {
        match &self.pace {
            Pace::Timed => None,
            Pace::Chosen(chosen) => chosen.course.end(),
        }
    }
    /// The answers of the device so far.
    pub fn device_answers(&self) -> &[u16] {
        match &self.pace {
            Pace::Timed => &[],
            Pace::Chosen(chosen) => &chosen.answered,
        }
    }

    /// The host is about to see whether this came about.
    pub(super) fn look(&mut self, what: Awaited) {
        if let Some(due) = self.is_open(what)
            && self.answer(2) == 1
        {
            self.bring_about(&due);
        }
    }
    /// The host is about to see how far a word got: each mark on its way may be there.
    pub(super) fn look_at_word(&mut self, word: RawProgress) {
        if matches!(self.pace, Pace::Timed) || self.state == DriverState::Lost {
            return;
        }
        let marks = self.marks_of(word).filter_map(|(op, _)| self.due([op])).collect();
        self.may_bring_about(marks);
    }
    /// The host waits: whether it came about, or the wait ended before. A wait without a limit goes on until it has. `None`: time
    /// says so.
    pub(super) fn chosen_wait(&mut self, what: Awaited, limit: Option<Duration>) -> Option<Waited> {
        if matches!(self.pace, Pace::Timed) {
            return None;
        }
        if self.is_reached(what) {
            return Some(Waited::Done);
        }
        Some(match (self.is_open(what), limit) {
            (None, Some(_)) => Waited::TimedOut,
            (None, None) => Waited::Never,
            (Some(_), Some(_)) if self.answer(2) == 1 => Waited::TimedOut,
            (Some(due), _) => {
                self.bring_about(&due);
                Waited::Done
            }
        })
    }
    /// A call begins: an eager device may have finished anything before it.
    pub(super) fn may_move(&mut self) {
        let Pace::Chosen(chosen) = &self.pace else { return };
        if chosen.moving == Moving::Lazily || self.state == DriverState::Lost {
            return;
        }
        loop {
            let heads = self.heads().filter_map(|op| self.due([op]));
            let heads = heads.filter(|due| due.len() == 1).collect();
            if !self.may_bring_about(heads) {
                return;
            }
        }
    }
    /// Lets the device do all that it can.
    pub(super) fn finish_all(&mut self) {
        loop {
            let due = self.heads().find_map(|op| self.due([op]));
            let Some(due) = due else { return };
            self.bring_about(&due);
        }
    }
    /// One of these is finished, or none; whether one is.
    fn may_bring_about(&mut self, mut one_of: Vec<BTreeSet<OpId>>) -> bool {
        let choices = u16::try_from(1 + one_of.len()).unwrap_or(u16::MAX);
        let chosen = if choices > 1 { self.answer(choices) } else { 0 };
        let Some(which) = usize::from(chosen).checked_sub(1) else { return false };
        self.bring_about(&one_of.swap_remove(which));
        true
    }
    /// The first unfinished work of each hardware queue.
    fn heads(&self) -> impl Iterator<Item = OpId> + '_ {
        self.queues.iter().filter_map(|queue| queue.ops.front().copied())
    }

    fn answer(&mut self, choices: u16) -> u16 {
        let Pace::Chosen(chosen) = &mut self.pace else { return 0 };
        let answer = chosen.course.decide(choices, |_| 0);
        chosen.answered.push(answer);
        answer
    }
    /// What has to finish for this to come about, where that is a choice.
    fn is_open(&self, what: Awaited) -> Option<BTreeSet<OpId>> {
        let chosen = matches!(self.pace, Pace::Chosen(_));
        if !chosen || self.state == DriverState::Lost || self.is_reached(what) {
            return None;
        }
        match what {
            Awaited::Stream(raw) => {
                let stream = self.streams.get(&raw)?;
                self.due(stream.last.into_iter().chain(stream.waits.iter().copied()))
            }
            Awaited::Event(event) => self.due(self.events.get(&event)?.after.iter().copied()),
            Awaited::Word(word, position) => {
                let mark = self.marks_of(word).find(|(_, marked)| *marked >= position);
                self.due([mark?.0])
            }
            Awaited::Device => self.due(self.ops.keys().copied()),
        }
    }
    /// Whether this has come about.
    pub(super) fn is_reached(&self, what: Awaited) -> bool {
        match what {
            Awaited::Stream(raw) => self.idle(raw),
            Awaited::Event(event) => self.recorded_is_finished(event),
            Awaited::Word(word, position) => {
                self.words.get(&word).is_none_or(|known| known.value >= position)
            }
            Awaited::Device => self.all_idle(),
        }
    }
    /// Marks of a word that are on their way, in the order in which they are made.
    fn marks_of(&self, word: RawProgress) -> impl Iterator<Item = (OpId, Position)> + '_ {
        let queued = self.queues.iter().flat_map(|queue| &queue.ops);
        queued.flat_map(move |&op| {
            let effects = self.ops[&op].effects.iter();
            effects.filter_map(move |effect| match effect {
                Effect::Mark(of, position) if *of == word => Some((op, *position)),
                _ => None,
            })
        })
    }
    /// Unfinished work that has to finish with all of these; `None` where some of it never ends.
    fn due(&self, of: impl IntoIterator<Item = OpId>) -> Option<BTreeSet<OpId>> {
        let mut due = BTreeSet::new();
        let mut open: Vec<OpId> = of.into_iter().collect();
        while let Some(op) = open.pop() {
            let Some(known) = self.ops.get(&op) else { continue };
            if known.time == RunTime::Endless {
                return None;
            }
            if !due.insert(op) {
                continue;
            }
            open.extend(&known.after);
            let queue = self.queues.iter().find(|queue| queue.ops.contains(&op));
            let ahead = queue.into_iter().flat_map(|queue| &queue.ops);
            open.extend(ahead.take_while(|&&before| before != op));
        }
        Some(due)
    }
    /// Finishes this work, each piece when its turn has come.
    fn bring_about(&mut self, due: &BTreeSet<OpId>) {
        let mut again = true;
        while again {
            again = false;
            for queue in 0..self.queues.len() {
                while let Some(&op) = self.queues[queue].ops.front()
                    && due.contains(&op)
                    && self.ops[&op].after.iter().all(|&earlier| self.finished(earlier))
                {
                    if self.ops[&op].progress == Progress::Queued {
                        self.moves.push(DeviceMove::Started(op));
                    }
                    self.queues[queue].ops.pop_front();
                    self.finish(op);
                    again = true;
                }
            }
        }
    }
}
