//! Time: work starts when its turn has come and what it waits for is finished, and runs so long.

use std::time::Duration;

use ringfence::{backend::streams::DriverState, id::RawStream};

use super::{
    Model,
    pace::{Awaited, Pace},
    parts::{Effect, Op, Progress},
};
use crate::{
    clock::Ticks,
    streams::{
        op::RunTime,
        seen::{DeviceMove, OpId},
    },
};

/// How a wait of the model ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waited {
    Done,
    TimedOut,
    /// Nothing that runs will ever bring it about.
    Never,
}

impl Model {
    /// Lets time pass.
    pub fn tick(&mut self, ticks: Ticks) {
        let to = self.now.saturating_add(ticks.count());
        loop {
            self.settle();
            match self.next_end() {
                Some(end) if end <= to => self.now = end,
                _ => break,
            }
        }
        self.now = to;
        self.settle();
    }
    /// Lets time pass until nothing runs that ends by itself.
    pub fn run_until_idle(&mut self) {
        if matches!(self.pace, Pace::Chosen(_)) {
            return self.finish_all();
        }
        self.settle();
        while let Some(end) = self.next_end() {
            self.now = end;
            self.settle();
        }
    }
    /// Starts what can start, and ends what is over by now. Every call of the driver is followed by it.
    pub fn settle(&mut self) {
        let chosen = matches!(self.pace, Pace::Chosen(_));
        if chosen || self.state == DriverState::Lost || self.ops.is_empty() {
            return;
        }
        let mut again = true;
        while again {
            again = false;
            for queue in 0..self.queues.len() {
                while self.step(queue) {
                    again = true;
                }
            }
        }
    }
    /// The head of one queue: the next one waits for it.
    fn step(&mut self, queue: usize) -> bool {
        let Some(&op) = self.queues[queue].ops.front() else { return false };
        let known = &self.ops[&op];
        match known.progress {
            Progress::Queued if known.after.iter().all(|&earlier| self.finished(earlier)) => {
                let ends = match known.time {
                    RunTime::Ticks(ticks) => Some(self.now.saturating_add(ticks.count())),
                    RunTime::Endless => None,
                };
                self.ops.get_mut(&op).expect("it is queued").progress = Progress::Running(ends);
                self.moves.push(DeviceMove::Started(op));
                true
            }
            Progress::Running(Some(end)) if end <= self.now => {
                self.queues[queue].ops.pop_front();
                self.finish(op);
                true
            }
            _ => false,
        }
    }
    pub(super) fn finish(&mut self, op: OpId) {
        let Some(done) = self.ops.remove(&op) else { return };
        for effect in done.effects {
            match effect {
                Effect::Free(memory) => drop(self.memory.remove(&memory)),
                Effect::Mark(word, position) => match self.words.get_mut(&word) {
                    Some(known) => known.value = position,
                    None => self.crash(format!("{op} wrote {word} after it was given back")),
                },
                Effect::HostFunction(name) => self.host_functions.push(name),
            }
        }
        self.moves.push(DeviceMove::Finished(op));
    }
    fn next_end(&self) -> Option<u64> {
        if self.state == DriverState::Lost {
            return None;
        }
        let heads = self.queues.iter().filter_map(|queue| queue.ops.front());
        heads
            .filter_map(|op| match self.ops[op].progress {
                Progress::Running(end) => end,
                Progress::Queued => None,
            })
            .min()
    }
    /// The host waits: virtual time passes until `what` has come about, or for `limit`.
    pub(super) fn wait_until(&mut self, limit: Option<Duration>, what: Awaited) -> Waited {
        if let Some(chosen) = self.chosen_wait(what, limit) {
            return chosen;
        }
        let begin = self.now;
        let to = limit.map(|limit| begin.saturating_add(whole_ticks(limit)));
        let outcome = loop {
            self.settle();
            if self.is_reached(what) {
                break Waited::Done;
            }
            match (self.next_end(), to) {
                (Some(end), Some(to)) if end > to => break Waited::TimedOut,
                (Some(end), _) => self.now = end,
                (None, Some(_)) => break Waited::TimedOut,
                (None, None) => break Waited::Never,
            }
        };
        if outcome == Waited::TimedOut {
            self.now = to.unwrap_or(self.now);
            self.settle();
        }
        self.counts.wait_time += Duration::from_micros(self.now - begin);
        outcome
    }
    /// Puts work at the end of a stream that exists.
    pub(super) fn submit(&mut self, raw: RawStream, time: RunTime, effects: Vec<Effect>) -> OpId {
        let op = self.fresh_op();
        let stream = self.streams.get_mut(&raw).expect("the caller looked it up");
        let mut after = std::mem::take(&mut stream.waits);
        stream.last = Some(op);
        let queue = stream.queue;
        after.retain(|&earlier| !self.finished(earlier));
        self.queues[queue].ops.push_back(op);
        let work = Op { after, time, progress: Progress::Queued, effects, stream: raw };
        self.ops.insert(op, work);
        op
    }
    /// Whether all work of a stream, and all it waits for, is finished. One that is gone is idle.
    pub(super) fn idle(&self, raw: RawStream) -> bool {
        self.streams.get(&raw).is_none_or(|stream| {
            stream.last.is_none_or(|op| self.finished(op))
                && stream.waits.iter().all(|&op| self.finished(op))
        })
    }
    pub(super) fn all_idle(&self) -> bool {
        self.ops.is_empty()
    }
    /// Ends the work of a stream that would never end.
    pub fn end_endless(&mut self, raw: RawStream) {
        let now = self.now;
        for op in self.ops.values_mut().filter(|op| op.stream == raw) {
            if op.time == RunTime::Endless {
                op.time = RunTime::Ticks(Ticks::ZERO);
                if op.progress == Progress::Running(None) {
                    op.progress = Progress::Running(Some(now));
                }
            }
        }
        self.settle();
    }
    /// Ends everything on the queues of a device without its effects: a reset.
    pub(super) fn abandon(&mut self, queue: usize) {
        while let Some(op) = self.queues[queue].ops.pop_front() {
            self.ops.remove(&op);
            self.moves.push(DeviceMove::Finished(op));
        }
    }
}

/// A tick is 1 µs; a part of one counts as one.
fn whole_ticks(limit: Duration) -> u64 {
    u64::try_from(limit.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX)
}
