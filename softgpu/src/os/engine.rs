//! The thread that is the hardware: it looks at doorbells and lets each queue go as far as it can.
//!
//! The thread owns the queues. Who makes or ends one leaves an order for it and waits until it is
//! carried out, so that no lock is held while devices work.

mod hosted;

use std::{
    collections::VecDeque,
    io, mem, panic, process,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use super::{clock::Clock, events::Events, events::News, events::Topic, futex, pace};
use crate::{
    chance::Chance,
    faults::Countdown,
    kernels::Kernels,
    lock,
    memory::Memory,
    processor::{Progress, Report, Turn},
    scheduling,
    settings::{Priority, Settings, Trace},
    trace,
};
use hosted::Hosted;
pub use hosted::{Mode, NewQueue, QueueError};

/// What a queue's owner wants of it.
enum Order {
    Add(Box<Hosted>),
    Suspend(u32, bool),
    End(u32),
}
/// Orders that are not carried out yet.
#[derive(Default)]
struct Orders {
    waiting: VecDeque<Order>,
    /// How many were given in all.
    given: u32,
}

struct Shared {
    orders: Mutex<Orders>,
    /// How many orders were given: the engine sleeps on it.
    given: AtomicU32,
    /// How many were carried out: those who gave them sleep on it.
    done: AtomicU32,
    /// GPUs that are gone, by bit.
    lost: AtomicU32,
    /// Those of creations; those of packets are the thread's own.
    faults: Mutex<Countdown>,
}

/// The engine.
pub struct Engine {
    shared: Arc<Shared>,
}

impl Engine {
    /// Starts the thread.
    pub fn start(
        settings: &Settings,
        memory: &'static Memory,
        events: &'static Events,
        kernels: Kernels,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            orders: Mutex::default(),
            given: AtomicU32::new(0),
            done: AtomicU32::new(0),
            lost: AtomicU32::new(0),
            faults: Mutex::new(Countdown::new(settings.faults)),
        });
        let mut hardware = Hardware {
            shared: Arc::clone(&shared),
            settings: settings.clone(),
            memory,
            events,
            kernels,
            chance: Chance::new(settings.seed),
            faults: Countdown::new(settings.faults),
            queues: Vec::new(),
            decremented: Vec::new(),
            reports: Vec::new(),
        };
        let run = move || {
            // An engine that is gone would look like a device that hangs.
            let ended = panic::catch_unwind(panic::AssertUnwindSafe(|| hardware.run()));
            if ended.is_err() {
                trace::line("internal error in the engine: see above");
                process::abort();
            }
        };
        scheduling::without_signals(|| thread::Builder::new().name("softgpu".into()).spawn(run))?;
        Ok(Self { shared })
    }
    /// Adds a queue.
    pub fn add(&self, queue: NewQueue) -> Result<(), QueueError> {
        let hosted = Hosted::new(queue)?;
        self.give(Order::Add(Box::new(hosted)));
        Ok(())
    }
    /// Stops a queue, or lets it go on.
    pub fn suspend(&self, queue: u32, suspended: bool) {
        self.give(Order::Suspend(queue, suspended));
    }
    /// Ends a queue: its memory is not touched any more.
    pub fn end(&self, queue: u32) {
        self.give(Order::End(queue));
    }
    /// Whether a GPU is gone.
    pub fn is_lost(&self, gpu: u32) -> bool {
        self.shared.lost.load(Ordering::Acquire) >> gpu & 1 != 0
    }
    /// What goes wrong outside of packets.
    pub fn faults<R>(&self, ask: impl FnOnce(&mut Countdown) -> R) -> R {
        ask(&mut lock(&self.shared.faults))
    }
    /// Leaves an order, and waits until it is carried out.
    fn give(&self, order: Order) {
        let number = {
            let mut orders = lock(&self.shared.orders);
            orders.waiting.push_back(order);
            orders.given = orders.given.wrapping_add(1);
            self.shared.given.store(orders.given, Ordering::Release);
            orders.given
        };
        futex::wake(&self.shared.given);
        loop {
            let done = self.shared.done.load(Ordering::Acquire);
            if done.wrapping_sub(number).cast_signed() >= 0 {
                return;
            }
            futex::wait(&self.shared.done, done, None);
        }
    }
}

/// The thread's own.
struct Hardware {
    shared: Arc<Shared>,
    settings: Settings,
    memory: &'static Memory,
    events: &'static Events,
    kernels: Kernels,
    chance: Chance,
    faults: Countdown,
    queues: Vec<Hosted>,
    decremented: Vec<(ringfence::id::SignalHandle, ringfence::id::SignalValue)>,
    reports: Vec<Report>,
}
impl Hardware {
    fn run(&mut self) {
        let spin = match scheduling::hurry(self.settings.priority) {
            Priority::RealTime => Duration::from_micros(5),
            Priority::Normal => Duration::from_micros(50),
        };
        let mut last = Clock::now();
        loop {
            let given = self.shared.given.load(Ordering::Acquire);
            let ordered = self.carry_out_orders();
            if self.queues.is_empty() {
                futex::wait(&self.shared.given, given, None);
                continue;
            }
            let now = Clock::now();
            let due = match self.turn(now) {
                Progress::Made => {
                    last = now;
                    continue;
                }
                Progress::Waiting(due) => due.map(|due| due.saturating_sub(now)),
                Progress::Idle => None,
            };
            if ordered {
                last = now;
            }
            match pace::rest(now.saturating_sub(last), spin, due) {
                None => thread::yield_now(),
                Some(rest) => futex::wait(&self.shared.given, given, Some(rest)),
            }
        }
    }
    fn carry_out_orders(&mut self) -> bool {
        if self.shared.given.load(Ordering::Relaxed) == self.shared.done.load(Ordering::Relaxed) {
            return false;
        }
        let shared = Arc::clone(&self.shared);
        let mut orders = lock(&shared.orders);
        while let Some(order) = orders.waiting.pop_front() {
            match order {
                Order::Add(queue) => self.queues.push(*queue),
                Order::Suspend(id, suspended) => {
                    let found = self.queues.iter_mut().find(|queue| queue.id() == id);
                    found.into_iter().for_each(|queue| queue.suspend(suspended));
                }
                Order::End(id) => self.queues.retain(|queue| queue.id() != id),
            }
        }
        shared.done.store(orders.given, Ordering::Release);
        drop(orders);
        futex::wake(&shared.done);
        true
    }
    /// Each queue's turn.
    fn turn(&mut self, now: Duration) -> Progress {
        let mut progress = Progress::Idle;
        for gpu in 0..self.settings.gpus {
            if self.queues.iter().any(|queue| queue.gpu() == gpu) {
                progress = soonest(progress, self.turn_of(gpu, now));
            }
        }
        progress
    }
    fn turn_of(&mut self, gpu: u32, now: Duration) -> Progress {
        let mut progress = Progress::Idle;
        let view = self.memory.view(gpu, now);
        for freed in self.memory.take_freed() {
            self.kernels.forget(&freed);
        }
        for at in 0..self.queues.len() {
            // Nearly every look finds nothing: that has to be cheap.
            if self.queues[at].gpu() != gpu || !self.queues[at].has_work() {
                continue;
            }
            let mut turn = Turn {
                bus: &view,
                now,
                ticks: Clock::ticks(now),
                settings: &self.settings,
                chance: &mut self.chance,
                kernels: &mut self.kernels,
                faults: &mut self.faults,
                reports: &mut self.reports,
                decremented: &mut self.decremented,
            };
            progress = soonest(progress, self.queues[at].step(&mut turn));
            for (signal, value) in self.decremented.drain(..) {
                let others = self.queues.iter_mut().enumerate().filter(|(other, _)| *other != at);
                others.for_each(|(_, other)| other.saw(signal, value));
            }
            let (queue, mut reports) = (self.queues[at].id(), mem::take(&mut self.reports));
            if reports.contains(&Report::Lost) {
                progress = Progress::Made;
            }
            reports.drain(..).for_each(|report| self.tell(report, gpu, queue));
            // The vector is kept: most turns have something to tell.
            self.reports = reports;
        }
        if self.shared.lost.load(Ordering::Relaxed) >> gpu & 1 != 0 {
            self.queues.iter_mut().filter(|queue| queue.gpu() == gpu).for_each(Hosted::fail);
        }
        progress
    }
    fn tell(&self, report: Report, gpu: u32, queue: u32) {
        match report {
            Report::Interrupt(event) => self.events.interrupt(event),
            Report::Unmodelled(name) => trace::at(&self.settings, Trace::Objects, || {
                format!("kernel {name} is not modelled: it computes nothing")
            }),
            Report::Flushed => self.memory.flushed(gpu),
            Report::Stopped(why) => {
                trace::line(&format!("copy queue {queue} of GPU {gpu} stops {why}"))
            }
            Report::Malformed(why) => {
                trace::at(&self.settings, Trace::Objects, || {
                    format!("queue {queue} of GPU {gpu}: {why}")
                });
            }
            Report::Fault(fault) => {
                trace::at(&self.settings, Trace::Objects, || {
                    format!("queue {queue} of GPU {gpu}: {fault}")
                });
                self.events.tell(Topic::Memory, News::Fault { gpu, at: fault.at.as_u64() });
            }
            Report::Lost => {
                trace::at(&self.settings, Trace::Objects, || format!("GPU {gpu} is lost"));
                self.shared.lost.fetch_or(1 << gpu, Ordering::AcqRel);
                self.events.tell(Topic::Hardware, News::Lost { gpu });
            }
        }
    }
}
/// What two queues have to do, together.
fn soonest(one: Progress, other: Progress) -> Progress {
    match (one, other) {
        (Progress::Waiting(Some(one)), Progress::Waiting(Some(other))) => {
            Progress::Waiting(Some(one.min(other)))
        }
        (Progress::Waiting(due), Progress::Waiting(other)) => Progress::Waiting(due.or(other)),
        (one, other) => one.max(other),
    }
}
