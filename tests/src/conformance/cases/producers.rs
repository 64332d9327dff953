//! Four producers on four queues, and on one.

use ringfence::{
    backend::PacketQueue,
    drive::{HardwareQueue, Submission, Tracker},
    error::Error,
    event::{Event, EventOptions},
    id::{Barrier, PacketId},
    ledger::Counts,
};

use super::{
    super::{
        Checked, Length, RingSize, Shared, Step, Stop, Subject, Worker,
        bench::PATIENCE,
        check::{check, same},
    },
    trackers::{WAIT, audited},
};

const PRODUCERS: usize = 4;

/// Kernels with and without the barrier bit, events, now and then a synchronize.
struct Produce {
    rounds: u32,
}
/// A producer at work.
struct Producer<'s, S: Subject> {
    round: u32,
    stream: Result<Tracker<&'s S::Device, &'s S::Queue>, Error>,
    event: Event,
    last: Option<PacketId>,
}
impl<S: Subject> Producer<'_, S> {
    fn go_on(&mut self, on: &S) -> Result<(), String> {
        let stream = self.stream.as_mut().map_err(|error| error.to_string())?;
        let words = |error: Error| error.to_string();
        for barrier in [Barrier::Set, Barrier::Clear, Barrier::Clear] {
            let length = if self.round.is_multiple_of(7) { Length::Long } else { Length::Short };
            let kernel = Submission::kernel(on.kernel(0, length)).barrier(barrier);
            let of = stream.submit(kernel).map_err(words)?;
            if self.last.is_some_and(|last| of.packet() <= last) {
                return Err(format!("{of} was submitted after {:?}", self.last));
            }
            self.last = Some(of.packet());
        }
        if self.round.is_multiple_of(3) {
            self.event.record(stream).map_err(words)?;
        }
        match self.round % 16 {
            5 => self.event.synchronize(on.device(0), &WAIT).map(drop).map_err(words),
            11 => stream.synchronize().map(drop).map_err(words),
            _ => Ok(()),
        }
    }
}
impl<'s, S: Subject> Worker<'s, S> for Produce {
    type State = (Producer<'s, S>, Result<(), String>);
    type Answer = Result<Counts, String>;
    fn begin(&self, shared: Shared<'s, S>, worker: usize) -> Self::State {
        let queue = HardwareQueue::new(&shared.queues[worker % shared.queues.len()]);
        let stream = Tracker::open(shared.on.device(0), queue, audited());
        let event = Event::new(EventOptions::default());
        (Producer { round: 0, stream, event, last: None }, Ok(()))
    }
    fn step(&self, shared: Shared<'s, S>, (producer, seen): &mut Self::State) -> Step {
        *seen = producer.go_on(shared.on);
        producer.round += 1;
        let over = producer.round == self.rounds || seen.is_err();
        if over { Step::Done } else { Step::Again }
    }
    fn end(&self, (producer, seen): Self::State) -> Self::Answer {
        seen?;
        let mut stream = producer.stream.map_err(|error| error.to_string())?;
        stream.drain().map_err(|error| error.to_string())?;
        let counts = stream.counts();
        stream.close().map_err(|error| error.to_string())?;
        Ok(counts)
    }
}

fn produce<S: Subject>(on: &S, queues: usize, rounds: u32) -> Checked {
    let queues: Vec<_> = (0..queues).map(|_| on.queue(0, RingSize::Usual)).collect();
    let begun = on.now();
    let shared = Shared { on, queues: &queues, engines: &[] };
    let answers = on.together(shared, PRODUCERS, &Produce { rounds });
    let took = on.now().saturating_sub(begun);
    let mut uses = 0;
    for answer in answers {
        let counts = answer.map_err(Stop::Failed)?;
        same("signals in quarantine, and leaked", (counts.quarantined, counts.leaked), (0, 0))?;
        uses += counts.uses;
    }
    let expected = PRODUCERS as u64 * u64::from(rounds) * 3;
    check!(uses >= expected, "{uses} uses of {expected}");
    check!(took < PATIENCE * 4, "four producers took {took:?}");
    let violations = on.violations();
    check!(violations.is_empty(), "{}", violations.join("\n"));
    for queue in &queues {
        let settled = queue.settled();
        check!(settled != ringfence::backend::Settled::Reserving, "{queue:?} is not settled");
    }
    Ok(())
}
pub(super) fn on_four_queues<S: Subject>(on: &S) -> Checked {
    produce(on, PRODUCERS, 200)
}
pub(super) fn on_one_queue<S: Subject>(on: &S) -> Checked {
    produce(on, 1, 80)
}
