//! The fixed mix that every run plays: what eight streams on four hardware queues do.
//!
//! It follows from the seed and the number of uses alone, so that all configurations are asked to do
//! exactly the same.

use std::fmt;

use ringfence::{
    id::{Barrier, Parts},
    ring::Timing,
};

use super::dice::Dice;

/// Streams of the mix.
pub(crate) const STREAMS: usize = 8;
/// Hardware queues that they share, two streams on each.
pub(crate) const QUEUES: usize = 4;
/// Events that each stream records in turn.
pub(crate) const EVENTS_EACH: usize = 4;
/// Events of the mix that time a kernel, for each stream.
pub(crate) const TIMED_EACH: usize = 2;

/// A stream of the mix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StreamNumber(u8);
impl StreamNumber {
    /// Its place in a table of streams.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// An event of the mix; only its owner records it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EventNumber {
    owner: StreamNumber,
    nth: u8,
}
impl EventNumber {
    /// The stream that records it.
    pub(crate) fn owner(self) -> StreamNumber {
        self.owner
    }
    /// Its place in a table of all events.
    pub(crate) fn index(self) -> usize {
        self.owner.index() * EVENTS_EACH + usize::from(self.nth)
    }
}

/// One of a stream's events that time kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimedNumber {
    owner: StreamNumber,
    nth: u8,
}
impl TimedNumber {
    /// The stream that runs the kernel.
    pub(crate) fn owner(self) -> StreamNumber {
        self.owner
    }
    /// Its place in a table of all of them.
    pub(crate) fn index(self) -> usize {
        self.owner.index() * TIMED_EACH + usize::from(self.nth)
    }
}

/// How long work runs, in ticks of the modelled device's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Length(u8);
impl Length {
    /// The ticks.
    pub(crate) fn ticks(self) -> u64 {
        u64::from(self.0)
    }
}

/// What a copy waits for before it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum After {
    /// Nothing.
    Nothing,
    /// An event.
    Event(EventNumber),
}

/// One thing that a program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A stream dispatches a kernel.
    Kernel { on: StreamNumber, barrier: Barrier, length: Length },
    /// A stream dispatches a kernel that is profiled; the earlier one's interval is read first.
    Profiled { as_event: TimedNumber, length: Length },
    /// An event is recorded.
    Record(EventNumber),
    /// An event is asked about.
    Query(EventNumber),
    /// The host waits for an event.
    Synchronize(EventNumber),
    /// A stream waits, on the device, for an event of a stream on another queue.
    Wait { on: StreamNumber, event: EventNumber },
    /// A stream copies; an event stands for the copy from then on.
    Copy { as_event: EventNumber, parts: Parts, timing: Timing, after: After, length: Length },
    /// The host waits for all of a stream's work.
    Drain(StreamNumber),
}

/// What the steps of a mix are, by kind: the shares that are rolled for, and what came of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    KernelWithBarrier,
    KernelWithout,
    Profiled,
    Record,
    Query,
    Synchronize,
    Wait,
    Copy,
    Drain,
}
impl Kind {
    pub(crate) const ALL: [Self; 9] = [
        Self::KernelWithBarrier,
        Self::KernelWithout,
        Self::Profiled,
        Self::Record,
        Self::Query,
        Self::Synchronize,
        Self::Wait,
        Self::Copy,
        Self::Drain,
    ];
    /// How often, of 1,000 steps. A record is followed at once by a query more often than not, as in a
    /// program that polls.
    const fn share(self) -> u32 {
        match self {
            Self::KernelWithBarrier => 571,
            Self::KernelWithout => 150,
            Self::Profiled => 25,
            Self::Record => 120,
            Self::Query => 60,
            Self::Synchronize => 15,
            Self::Wait => 40,
            Self::Copy => 15,
            Self::Drain => 4,
        }
    }
    /// What the table calls it.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::KernelWithBarrier => "dispatches with the barrier bit",
            Self::KernelWithout => "dispatches without it",
            Self::Profiled => "profiled dispatches",
            Self::Record => "event records",
            Self::Query => "event queries",
            Self::Synchronize => "event synchronizes",
            Self::Wait => "cross-queue waits",
            Self::Copy => "copies, a quarter of them in 2 to 4 parts",
            Self::Drain => "stream synchronizes",
        }
    }
    const fn uses_a_signal(self) -> bool {
        matches!(
            self,
            Self::KernelWithBarrier
                | Self::KernelWithout
                | Self::Profiled
                | Self::Record
                | Self::Copy
        )
    }
}
const _: () = {
    let (mut sum, mut at) = (0, 0);
    while at < Kind::ALL.len() {
        sum += Kind::ALL[at].share();
        at += 1;
    }
    assert!(sum == 1_000, "the shares are of 1,000");
};

/// The whole mix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mix {
    steps: Vec<Step>,
    counts: [u64; Kind::ALL.len()],
}
impl Mix {
    /// The mix of `seed` that publishes `uses` signals, besides those that a tracker adds.
    pub(crate) fn roll(seed: u64, uses: u32) -> Self {
        let mut dice = Dice::new(seed);
        let mut mix =
            Self { steps: Vec::with_capacity(uses as usize * 5 / 4), counts: [0; Kind::ALL.len()] };
        let mut left = uses;
        while left > 0 {
            let kind = roll_kind(&mut dice);
            let step = roll_step(&mut dice, kind);
            mix.push(kind, step);
            left -= u32::from(kind.uses_a_signal());
            if let Step::Record(event) = step
                && dice.below(4) > 0
            {
                mix.push(Kind::Query, Step::Query(event));
            }
        }
        mix
    }
    fn push(&mut self, kind: Kind, step: Step) {
        self.counts[kind as usize] += 1;
        self.steps.push(step);
    }
    /// What is done, in order.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }
    /// How many steps there are of a kind.
    pub(crate) fn count(&self, kind: Kind) -> u64 {
        self.counts[kind as usize]
    }
}
impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in Kind::ALL {
            writeln!(f, "  {:>9}  {}", self.count(kind), kind.label())?;
        }
        Ok(())
    }
}

fn roll_kind(dice: &mut Dice) -> Kind {
    let mut left = dice.below(1_000);
    for kind in Kind::ALL {
        match left.checked_sub(kind.share()) {
            Some(rest) => left = rest,
            None => return kind,
        }
    }
    unreachable!("the shares are of 1,000")
}

fn roll_step(dice: &mut Dice, kind: Kind) -> Step {
    let on = roll_stream(dice);
    match kind {
        Kind::KernelWithBarrier | Kind::KernelWithout => Step::Kernel {
            on,
            barrier: if kind == Kind::KernelWithBarrier { Barrier::Set } else { Barrier::Clear },
            length: roll_length(dice),
        },
        Kind::Profiled => Step::Profiled {
            as_event: TimedNumber { owner: on, nth: dice.below(TIMED_EACH as u32) as u8 },
            length: Length(1 + dice.below(40) as u8),
        },
        Kind::Record => Step::Record(roll_event(dice, on)),
        Kind::Query => Step::Query(roll_event(dice, on)),
        Kind::Synchronize => Step::Synchronize(roll_event(dice, on)),
        Kind::Wait => {
            // Never one of the same queue: that would be no wait across queues.
            let other = 1 + dice.below(QUEUES as u32 - 1) as usize;
            let queue = (on.index() + other) % QUEUES;
            let owner = queue + QUEUES * dice.below((STREAMS / QUEUES) as u32) as usize;
            let event = roll_event(dice, StreamNumber(owner as u8));
            Step::Wait { on, event }
        }
        Kind::Copy => Step::Copy {
            as_event: roll_event(dice, on),
            parts: match dice.below(4) {
                0 => parts(2 + dice.below(3)),
                _ => Parts::ONE,
            },
            timing: match dice.below(8) {
                0 => Timing::Wanted,
                _ => Timing::Unwanted,
            },
            after: match dice.below(16) {
                0 => After::Event(roll_event(dice, on)),
                _ => After::Nothing,
            },
            length: roll_length(dice),
        },
        Kind::Drain => Step::Drain(on),
    }
}
fn roll_stream(dice: &mut Dice) -> StreamNumber {
    StreamNumber(dice.below(STREAMS as u32) as u8)
}
fn roll_event(dice: &mut Dice, owner: StreamNumber) -> EventNumber {
    let nth = dice.below(EVENTS_EACH as u32) as u8;
    EventNumber { owner, nth }
}
/// Most work is over at once, some runs for a while.
fn roll_length(dice: &mut Dice) -> Length {
    match dice.below(8) {
        0 => Length(1 + dice.below(100) as u8),
        _ => Length(0),
    }
}
fn parts(count: u32) -> Parts {
    std::num::NonZeroU32::new(count).map_or(Parts::ONE, Parts::new)
}
