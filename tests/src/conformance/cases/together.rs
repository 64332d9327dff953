//! Tests in which several workers use one device, queue or engine at once.

use std::{
    collections::BTreeSet,
    num::NonZeroU32,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use ringfence::{
    backend::{
        Body, CopyEngine, Deps, HostWait, Packet, PacketCount, PacketQueue, PartIndex, Signals,
        WaitHint, WaitOutcome,
    },
    id::{PacketId, SignalHandle},
};

use super::super::{
    Checked, Drive, Lacks, RingSize, Shared, Step, Subject, Worker,
    bench::{ARMED, Bench, GRACE, PATIENCE, needs},
    check::{check, has, same},
};

/// Worker 0 waits asleep, worker 1 forces the completion.
struct Force {
    signal: SignalHandle,
    waits: AtomicBool,
}
impl<'a, S: Subject> Worker<'a, S> for Force {
    type State = (usize, Option<(WaitOutcome, Duration)>);
    type Answer = Option<(WaitOutcome, Duration)>;
    fn begin(&self, _: Shared<'a, S>, worker: usize) -> Self::State {
        (worker, None)
    }
    fn step(&self, shared: Shared<'a, S>, state: &mut Self::State) -> Step {
        let device = shared.on.device(0);
        if state.0 == 0 {
            let begun = shared.on.now();
            self.waits.store(true, Ordering::Release);
            let outcome = device.wait(self.signal, ARMED, WaitHint::Blocked, PATIENCE);
            state.1 = Some((outcome, shared.on.now().saturating_sub(begun)));
        } else {
            shared.on.settle(PATIENCE, || self.waits.load(Ordering::Acquire));
            // Long enough to fall asleep.
            shared.on.settle(GRACE * 5, || false);
            device.force(self.signal);
        }
        Step::Done
    }
    fn end(&self, state: Self::State) -> Self::Answer {
        state.1
    }
}
/// How a wait for `signal`, which never completes, ends when it is forced, and after how long.
pub(super) fn wait_and_force<S: Subject>(on: &S, signal: SignalHandle) -> (WaitOutcome, Duration) {
    let force = Force { signal, waits: AtomicBool::new(false) };
    let shared = Shared { on, queues: &[], engines: &[] };
    let answers = on.together(shared, 2, &force);
    answers.into_iter().flatten().next().unwrap_or((WaitOutcome::TimedOut, PATIENCE))
}

/// Each worker reserves, commits and tells of a few hundred packets, in steps of one call each, so that others
/// come between.
struct Publish {
    rounds: u32,
    completes: SignalHandle,
}
/// What a worker of [`Publish`] has in hand.
struct Hand {
    worker: u32,
    left: u32,
    next: Next,
    got: Vec<(u64, u32)>,
}
enum Next {
    Reserve,
    Commit(PacketId, u32),
    Tell(PacketId),
}
impl<'a, S: Subject> Worker<'a, S> for Publish {
    type State = Hand;
    type Answer = Vec<(u64, u32)>;
    fn begin(&self, _: Shared<'a, S>, worker: usize) -> Hand {
        Hand { worker: worker as u32, left: self.rounds, next: Next::Reserve, got: Vec::new() }
    }
    fn step(&self, shared: Shared<'a, S>, hand: &mut Hand) -> Step {
        let queue = &shared.queues[0];
        match hand.next {
            Next::Reserve => {
                // One to four at a time.
                let count = 1 + (hand.left + hand.worker) % 4;
                let wanted = PacketCount::new(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN));
                let first = queue.reserve(wanted);
                hand.got.push((first.as_u64(), count));
                hand.next = Next::Commit(first, count);
            }
            Next::Commit(first, count) => {
                for at in (0..u64::from(count)).map(|more| first.plus(more)) {
                    let body = Body::And(Deps::NONE);
                    queue.commit(
                        at,
                        &Packet { body, completes: self.completes, ..Packet::nothing() },
                    );
                }
                hand.next = Next::Tell(first.plus(u64::from(count) - 1));
            }
            Next::Tell(last) => {
                queue.ring_doorbell(last);
                hand.left -= 1;
                hand.next = Next::Reserve;
            }
        }
        if hand.left == 0 { Step::Done } else { Step::Again }
    }
    fn end(&self, hand: Hand) -> Self::Answer {
        hand.got
    }
}
pub(super) fn indices_are_consecutive<S: Subject>(on: &S) -> Checked {
    const WORKERS: usize = 4;
    const ROUNDS: u32 = 300;
    let bench = Bench::new(on);
    let total = (0..WORKERS as u32)
        .flat_map(|worker| (1..=ROUNDS).map(move |left| u64::from(1 + (left + worker) % 4)))
        .sum::<u64>();
    let completes = bench.armed_with(total as i64)?;
    let queues = std::slice::from_ref(&bench.queue);
    let shared = Shared { on, queues, engines: &[] };
    let answers = on.together(shared, WORKERS, &Publish { rounds: ROUNDS, completes });
    let mut given = BTreeSet::new();
    for (first, count) in answers.into_iter().flatten() {
        for at in first..first + u64::from(count) {
            check!(given.insert(at), "index {at} was handed out twice");
        }
    }
    let (first, last) = (given.first().copied(), given.last().copied());
    same("the indices", (first, last, given.len() as u64), (Some(0), Some(total - 1), total))?;
    // Every packet came to the device, once.
    bench.finishes("the packets of all workers", completes)?;
    bench.stays("the packets of all workers", completes, 0)
}

/// Worker 0 fills a ring whose first packet waits, and more; worker 1 lets it go.
struct Overfill {
    gate: SignalHandle,
    packets: u64,
    reserved: AtomicU64,
    slots: u64,
}
impl<'a, S: Subject> Worker<'a, S> for Overfill {
    type State = (usize, u64);
    type Answer = u64;
    fn begin(&self, _: Shared<'a, S>, worker: usize) -> Self::State {
        (worker, 0)
    }
    fn step(&self, shared: Shared<'a, S>, state: &mut Self::State) -> Step {
        if state.0 == 1 {
            let full = || self.reserved.load(Ordering::Acquire) >= self.slots;
            shared.on.settle(PATIENCE, full);
            shared.on.settle(GRACE * 5, || self.reserved.load(Ordering::Acquire) > self.slots);
            state.1 = self.reserved.load(Ordering::Acquire);
            shared.on.open_gate(0, self.gate);
            return Step::Done;
        }
        let queue = &shared.queues[0];
        let at = queue.reserve(PacketCount::ONE);
        self.reserved.fetch_add(1, Ordering::AcqRel);
        let body = if at == PacketId::FIRST { Deps::take(&[self.gate]).0 } else { Deps::NONE };
        queue.commit(at, &Packet { body: Body::And(body), ..Packet::nothing() });
        queue.ring_doorbell(at);
        if at.as_u64() + 1 == self.packets { Step::Done } else { Step::Again }
    }
    fn end(&self, state: Self::State) -> u64 {
        state.1
    }
}
pub(super) fn a_full_ring_waits<S: Subject>(on: &S) -> Checked {
    needs(on, Lacks::FULL_RING, "a ring that can be full")?;
    has(on.drive() == Drive::Real, "threads")?;
    let bench = Bench::of(on, 0, RingSize::Smallest);
    let slots = on.slots(RingSize::Smallest);
    let gate = bench.host_signal()?;
    let work = Overfill { gate, packets: slots * 2, reserved: AtomicU64::new(0), slots };
    let queues = std::slice::from_ref(&bench.queue);
    let answers = on.together(Shared { on, queues, engines: &[] }, 2, &work);
    let held = answers[1];
    // What was read may give its slot away before it is complete; what waits behind it was not.
    let full = (slots..slots * 2).contains(&held);
    check!(full, "{held} indices of {slots} slots, while the first packet waited");
    let done = bench.host_signal()?;
    bench.fence(done);
    bench.finishes("a fence behind all of them", done)
}

/// Workers take tickets of one copy engine.
struct Tickets(u32);
impl<'a, S: Subject> Worker<'a, S> for Tickets {
    type State = Vec<u64>;
    type Answer = Vec<u64>;
    fn begin(&self, _: Shared<'a, S>, _: usize) -> Self::State {
        Vec::new()
    }
    fn step(&self, shared: Shared<'a, S>, state: &mut Self::State) -> Step {
        state.push(shared.engines[0].reserve().as_u64());
        if state.len() == self.0 as usize { Step::Done } else { Step::Again }
    }
    fn end(&self, state: Self::State) -> Self::Answer {
        state
    }
}
pub(super) fn tickets_increase<S: Subject>(on: &S) -> Checked {
    let engines = [on.engine(0)];
    let shared = Shared { on, queues: &[], engines: &engines };
    let answers = on.together(shared, 4, &Tickets(250));
    let mut all = BTreeSet::new();
    for tickets in answers {
        check!(tickets.is_sorted(), "the tickets of one thread do not increase: {tickets:?}");
        for ticket in tickets {
            check!(all.insert(ticket), "ticket {ticket} was handed out twice");
        }
    }
    // One of them is used, and the engine goes on behind those that are not.
    let bench = Bench::new(on);
    let (from, to) = (on.memory(0, 5), on.memory(0, 0));
    let done = bench.host_signal()?;
    let at = engines[0].reserve();
    check!(all.last().is_none_or(|&last| at.as_u64() > last), "{at:?} is not above {all:?}");
    let taken = engines[0].submit(at, PartIndex::new(0), on.copy(&from, &to), done, &[]);
    same("a copy", taken, Ok(()))?;
    bench.finishes("a copy", done)
}

/// Workers create, use and destroy signals of one device.
struct Churn(u32);
impl<'a, S: Subject> Worker<'a, S> for Churn {
    type State = (u32, Vec<SignalHandle>, Result<(), String>);
    type Answer = (Vec<SignalHandle>, Result<(), String>);
    fn begin(&self, _: Shared<'a, S>, _: usize) -> Self::State {
        (self.0, Vec::new(), Ok(()))
    }
    fn step(&self, shared: Shared<'a, S>, (left, held, seen): &mut Self::State) -> Step {
        let device = shared.on.device(0);
        let mut batch = [SignalHandle::NULL; 8];
        match device.create(ringfence::backend::SignalMemory::Host, &mut batch) {
            Ok(created) => held.extend_from_slice(&batch[..created.count]),
            Err(error) => *seen = Err(error.to_string()),
        }
        for &signal in held.iter() {
            let value = device.load(signal);
            if value != ARMED {
                *seen = Err(format!("{signal:?} of this thread has {value:?}"));
            }
        }
        while held.len() > 24 {
            device.destroy(held.swap_remove((*left as usize * 7) % held.len()));
        }
        *left -= 1;
        if *left == 0 || seen.is_err() { Step::Done } else { Step::Again }
    }
    fn end(&self, state: Self::State) -> Self::Answer {
        (state.1, state.2)
    }
}
pub(super) fn created_by_many<S: Subject>(on: &S) -> Checked {
    let answers = on.together(Shared { on, queues: &[], engines: &[] }, 4, &Churn(150));
    let mut all = std::collections::HashSet::new();
    for (held, seen) in answers {
        if let Err(what) = seen {
            check!(false, "{what}");
        }
        for signal in held {
            check!(all.insert(signal), "{signal:?} was given to two threads");
        }
    }
    all.into_iter().for_each(|signal| on.device(0).destroy(signal));
    Ok(())
}
