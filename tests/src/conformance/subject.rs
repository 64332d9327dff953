//! What the suite needs of a backend, beyond the traits.

use std::{fmt::Debug, time::Duration};

use ringfence::{
    backend::{CopyEngine, Device, HandlerToken, Handlers, PacketQueue},
    id::{SignalHandle, SignalValue},
};

use super::Lacks;

/// Work of a subject's queues, and of its copy engines.
pub type KernelOf<S> = <<S as Subject>::Queue as PacketQueue>::Work;
/// As [`KernelOf`], for copies.
pub type CopyOf<S> = <<S as Subject>::Engine as CopyEngine>::Work;

/// How long a kernel runs, as far as the backend can choose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// As short as can be.
    Short,
    /// Much longer than a barrier packet takes.
    Long,
}

/// How large a packet ring is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RingSize {
    /// The smallest that the backend makes: a few hundred packets fill it several times.
    Smallest,
    /// What an embedder would take.
    Usual,
}

/// What the timestamps of completed packets are worth.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stamps {
    /// Every completion writes both, in order.
    Honest,
    /// Some are zero, late or reversed.
    Faulty,
    /// The device has no clock, or nobody asked for it: there is never an interval.
    None,
}

/// Who makes a device go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Drive {
    /// It runs by itself, and workers are threads.
    Real,
    /// It moves in host calls and when it is let, in virtual time, and workers take turns on one thread.
    Virtual,
}

/// Whether a worker goes on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// It has more to do.
    Again,
    /// It has finished.
    Done,
}

/// What workers share.
#[derive(Debug)]
pub struct Shared<'a, S: Subject> {
    /// The subject.
    pub on: &'a S,
    /// The queues of the test.
    pub queues: &'a [S::Queue],
    /// The copy engines of the test.
    pub engines: &'a [S::Engine],
}
impl<S: Subject> Clone for Shared<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<S: Subject> Copy for Shared<'_, S> {}

/// What a worker does.
pub trait Worker<'a, S: Subject>: Sync {
    /// What it keeps from step to step.
    type State;
    /// What it answers in the end.
    type Answer: Send;
    /// Worker number `worker` begins.
    fn begin(&self, shared: Shared<'a, S>, worker: usize) -> Self::State;
    /// It takes one step, bounded in time.
    fn step(&self, shared: Shared<'a, S>, state: &mut Self::State) -> Step;
    /// It has finished.
    fn end(&self, state: Self::State) -> Self::Answer;
}

/// Tests that a subject does not pass, each with the reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lists {
    /// Never will: there is nothing to test. A test that is listed here has to say that it lacks something.
    pub cannot: Vec<(&'static str, &'static str)>,
    /// Fails today. A test that is listed here and passes fails the suite.
    pub not_yet: Vec<(&'static str, &'static str)>,
}

/// One backend with its machine, started for one test or for many.
///
/// Real devices run by themselves, in real time; others have a virtual clock and are to be driven. What waits
/// here hides the difference: no test sleeps, and each wait has a limit.
pub trait Subject: Sized + Debug + 'static {
    /// One device.
    type Device: Device + Handlers + Debug + 'static;
    /// One hardware queue.
    type Queue: PacketQueue + Debug + 'static;
    /// One copy engine.
    type Engine: CopyEngine + Debug + 'static;
    /// Memory that is copied.
    type Memory: Debug + 'static;

    /// How many devices there are: one at least.
    fn devices(&self) -> usize;
    /// The device with this number.
    fn device(&self, nth: usize) -> &Self::Device;
    /// A new queue of a device.
    fn queue(&self, of: usize, size: RingSize) -> Self::Queue;
    /// How many packets such a queue holds.
    fn slots(&self, size: RingSize) -> u64;
    /// A copy engine of a device.
    fn engine(&self, of: usize) -> Self::Engine;
    /// A kernel for a device.
    fn kernel(&self, of: usize, length: Length) -> KernelOf<Self>;
    /// Memory that a device's copy engine reads and writes, with this word all over.
    fn memory(&self, of: usize, word: u32) -> Self::Memory;
    /// Whether the host finds this word all over.
    fn holds(&self, memory: &Self::Memory, word: u32) -> bool;
    /// A copy of all of one memory to another.
    fn copy(&self, from: &Self::Memory, to: &Self::Memory) -> CopyOf<Self>;

    /// Time since some start: virtual, where the clock is.
    fn now(&self) -> Duration;
    /// Lets the devices go on until `condition` holds, at most so long. Whether it held.
    fn settle(&self, limit: Duration, condition: impl FnMut() -> bool) -> bool;
    /// Who makes devices go on.
    fn drive(&self) -> Drive;
    /// Workers at once: threads, or turns in a seeded order. Their answers, in order.
    fn together<'a, W: Worker<'a, Self>>(
        &'a self,
        shared: Shared<'a, Self>,
        workers: usize,
        work: &W,
    ) -> Vec<W::Answer>;
    /// Processor time that the calling thread has used, where that means anything.
    fn cpu_time(&self) -> Option<Duration>;

    /// The tokens that a device's callback thread has reported so far, in order.
    fn reported(&self, of: usize) -> Vec<HandlerToken>;
    /// Has a device lost, as far as the backend is concerned. The report may come later.
    fn lose(&self, nth: usize);
    /// Attaches a profiler to a device. Whether that can be done.
    fn attach_profiler(&self, nth: usize) -> bool;
    /// What timestamps are worth.
    fn stamps(&self) -> Stamps;
    /// A queue whose packets carry no times, where one can be made.
    fn unstamped_queue(&self, of: usize) -> Option<Self::Queue>;
    /// What it does not have of what every packet processor has.
    fn lacks(&self) -> Lacks {
        Lacks::empty()
    }
    /// Lets whoever waits for a signal that the host armed go on: a visible store of 0.
    fn open_gate(&self, of: usize, gate: SignalHandle) {
        use ringfence::backend::Signals;
        self.device(of).arm(gate, SignalValue::DONE);
        self.device(of).flush();
    }

    /// What the backend's own judge has to say against the library, where it has one.
    fn violations(&self) -> Vec<String>;
    /// What is known not to pass.
    fn lists(&self) -> Lists;
}
