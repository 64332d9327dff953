//! Events, as the kernel has them: threads sleep on them, interrupts raise them.
//!
//! An event that resets itself is consumed by whoever sleeps on it, and stays raised when nobody does.
//! Its age grows by one at each raise, so that a thread that knows an older age does not sleep at all.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{clock::Clock, futex};
use crate::{lock, settings::Settings};

/// What an event tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topic {
    /// A signal, or whatever its owner likes.
    Signal,
    /// Faults of memory.
    Memory,
    /// Losses of devices.
    Hardware,
    /// Something that never happens here.
    Other,
}
/// What happened last, for the events that tell more than that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// Nothing to tell.
    None,
    /// A GPU touched an address that is not mapped.
    Fault {
        /// The GPU, from 0.
        gpu: u32,
        /// The address.
        at: u64,
    },
    /// A GPU was lost.
    Lost {
        /// The GPU, from 0.
        gpu: u32,
    },
}

/// How an event ends being raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reset {
    /// Of itself, by waking somebody.
    Automatic,
    /// When it is told to.
    Manual,
}

/// What cannot be done with events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EventError {
    /// All are taken.
    #[error("all events are in use")]
    Exhausted,
    /// No event has this number.
    #[error("no event has the number {0}")]
    Unknown(u32),
}

/// One event that a thread waits for, and what it learns of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Its number.
    pub event: u32,
    /// The age that the thread knows; 0 if it asks for none. Afterwards the age at the end.
    pub age: u64,
    /// What it tells of.
    pub topic: Topic,
    /// What happened last.
    pub news: News,
}
/// How many of several events must be raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// One.
    Any,
    /// Each.
    All,
}
/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum WaitEnd {
    /// By what it waited for.
    Raised,
    /// By time.
    TimedOut,
}

/// A thread that waits: how many raises are missing.
#[derive(Debug)]
struct Waiter {
    missing: AtomicU32,
}
impl Waiter {
    fn count(&self) {
        let fewer = |missing: u32| missing.checked_sub(1);
        if self.missing.fetch_update(Ordering::AcqRel, Ordering::Acquire, fewer) == Ok(1) {
            futex::wake(&self.missing);
        }
    }
    fn is_done(&self) -> bool {
        self.missing.load(Ordering::Acquire) == 0
    }
}
#[derive(Debug)]
struct Event {
    topic: Topic,
    reset: Reset,
    raised: bool,
    age: u64,
    news: News,
    /// Who waits, until this event was raised for them.
    waiters: Vec<Arc<Waiter>>,
    /// The age that each thread saw last, for those that do not say it.
    seen: Vec<(Thread, u64)>,
}
impl Event {
    /// Whether it was raised since `thread`, which says that it knows `age`, looked last.
    ///
    /// ROCr 5.2 has two threads wait for one event that resets itself, and gives no ages: where one of
    /// them takes a raise that was meant for the other and sleeps again, both sleep for ever. A kernel
    /// with event ages was the remedy; here it helps those too that do not know of it.
    fn is_news(&mut self, thread: Thread, age: u64) -> bool {
        let known = match age {
            0 => self.seen.iter().find(|(other, _)| *other == thread).map_or(1, |&(_, age)| age),
            _ => age,
        };
        self.topic == Topic::Signal && known != self.age
    }
    fn saw(&mut self, thread: Thread) {
        let age = self.age;
        match self.seen.iter_mut().find(|(other, _)| *other == thread) {
            Some(seen) => seen.1 = age,
            None => self.seen.push((thread, age)),
        }
    }
}
/// A thread of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Thread(libc::pid_t);
impl Thread {
    fn current() -> Self {
        // SAFETY: a system call without arguments.
        Self(unsafe { libc::gettid() })
    }
}

#[derive(Debug)]
struct Table {
    events: Vec<Option<Event>>,
    next: usize,
}
impl Table {
    fn get(&mut self, number: u32) -> Result<&mut Event, EventError> {
        let event = self.events.get_mut(number as usize).and_then(Option::as_mut);
        event.ok_or(EventError::Unknown(number))
    }
}

/// All events of the process.
#[derive(Debug)]
pub struct Events {
    table: Mutex<Table>,
    /// One in so many interrupts is lost; 0: none.
    lose: u64,
    interrupts: AtomicU64,
}
impl Events {
    /// As many as `settings` say, none in use. Number 0 is none.
    pub fn new(settings: &Settings) -> Self {
        let events = (0..settings.events).map(|_| None).collect();
        let lose = settings.lose_interrupt.map_or(0, |every| every.get());
        Self { table: Mutex::new(Table { events, next: 1 }), lose, interrupts: AtomicU64::new(0) }
    }
    /// Takes an event.
    pub fn create(&self, topic: Topic, reset: Reset) -> Result<u32, EventError> {
        let mut table = lock(&self.table);
        let count = table.events.len();
        let candidates = (0..count).map(|k| (table.next + k) % count.max(1));
        let mut free = candidates.filter(|&at| at != 0 && table.events[at].is_none());
        let at = free.next().ok_or(EventError::Exhausted)?;
        let (raised, age, news) = (false, 1, News::None);
        let (waiters, seen) = (Vec::new(), Vec::new());
        table.events[at] = Some(Event { topic, reset, raised, age, news, waiters, seen });
        table.next = at + 1;
        Ok(at as u32)
    }
    /// Gives an event back. Whoever still waits for it wakes.
    pub fn destroy(&self, event: u32) -> Result<(), EventError> {
        let mut table = lock(&self.table);
        let ended = table.events.get_mut(event as usize).and_then(Option::take);
        let ended = ended.ok_or(EventError::Unknown(event))?;
        ended.waiters.iter().for_each(|waiter| waiter.count());
        Ok(())
    }
    /// Raises an event.
    pub fn raise(&self, event: u32) -> Result<(), EventError> {
        self.raise_with(event, News::None)
    }
    fn raise_with(&self, number: u32, news: News) -> Result<(), EventError> {
        let mut table = lock(&self.table);
        let event = table.get(number)?;
        event.age = event.age.checked_add(1).unwrap_or(2);
        event.news = news;
        // A waiter that something else has woken consumes nothing: it may not look at this event.
        let mut woke = false;
        for waiter in event.waiters.drain(..) {
            woke |= !waiter.is_done();
            waiter.count();
        }
        event.raised = !(woke && event.reset == Reset::Automatic);
        Ok(())
    }
    /// A device's interrupt: raises the event, unless it is lost. A number without an event is that of
    /// a signal whose owner has gone on, and nothing.
    pub fn interrupt(&self, event: u32) {
        let nth = self.interrupts.fetch_add(1, Ordering::Relaxed) + 1;
        if self.lose == 0 || !nth.is_multiple_of(self.lose) {
            let _ = self.raise(event);
        }
    }
    /// Tells all events of a topic what happened.
    pub fn tell(&self, topic: Topic, news: News) {
        let listening = {
            let table = lock(&self.table);
            let all = table.events.iter().enumerate();
            let of_topic =
                all.filter(|(_, event)| event.as_ref().is_some_and(|e| e.topic == topic));
            of_topic.map(|(at, _)| at as u32).collect::<Vec<_>>()
        };
        for event in listening {
            let _ = self.raise_with(event, news);
        }
    }
    /// Ends the raise of an event.
    pub fn reset(&self, event: u32) -> Result<(), EventError> {
        lock(&self.table).get(event)?.raised = false;
        Ok(())
    }
    /// Sleeps until `need` of the watched events are raised, for at most `limit`; `None`: for ever.
    pub fn wait(
        &self,
        watched: &mut [Watched],
        need: Need,
        limit: Option<Duration>,
    ) -> Result<WaitEnd, EventError> {
        let missing = match need {
            Need::Any => watched.len().min(1),
            Need::All => watched.len(),
        };
        let waiter = Arc::new(Waiter { missing: AtomicU32::new(missing as u32) });
        let thread = Thread::current();
        let mut table = lock(&self.table);
        watched.iter().try_for_each(|one| table.get(one.event).map(drop))?;
        for one in watched.iter() {
            let event = table.get(one.event)?;
            if !(event.raised || event.is_news(thread, one.age)) {
                event.waiters.push(Arc::clone(&waiter));
                continue;
            }
            event.raised &= event.reset == Reset::Manual;
            waiter.count();
        }
        drop(table);
        let end = sleep(&waiter, limit);
        let mut table = lock(&self.table);
        for one in watched.iter_mut() {
            // An event that was destroyed meanwhile has nothing to tell.
            let Ok(event) = table.get(one.event) else { continue };
            event.waiters.retain(|other| !Arc::ptr_eq(other, &waiter));
            event.saw(thread);
            (one.age, one.topic, one.news) = (event.age, event.topic, event.news);
        }
        // Raised between the time's end and the lock: it was consumed, so it counts.
        if waiter.is_done() { Ok(WaitEnd::Raised) } else { Ok(end) }
    }
}

fn sleep(waiter: &Waiter, limit: Option<Duration>) -> WaitEnd {
    let end = limit.map(|limit| Clock::now().saturating_add(limit));
    loop {
        let missing = waiter.missing.load(Ordering::Acquire);
        if missing == 0 {
            return WaitEnd::Raised;
        }
        let left = end.map(|end| end.saturating_sub(Clock::now()));
        if left == Some(Duration::ZERO) {
            return WaitEnd::TimedOut;
        }
        futex::wait(&waiter.missing, missing, left);
    }
}

#[cfg(test)]
mod tests;
