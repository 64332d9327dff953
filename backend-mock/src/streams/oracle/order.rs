//! Work: which piece follows which, and whether it may touch what it touches (T6, T7).

use ringfence::id::RawStream;

use super::{
    Broken, StreamOracle, StreamRule,
    clock::Clock,
    memory::{Access, MemoryNumber},
    stream::{Capturing, Life, Origin, Stream},
};
use crate::streams::seen::{BufferId, Caller, OpId, Touches};

/// What a piece of work is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A launch, or a graph, of the stream's owner.
    Work,
    /// A launch by somebody who has no lease of the stream: a user with an old raw handle.
    Stray,
    Free,
    Mark,
}

/// A piece of work that is not finished.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) life: Life,
    pub(super) kind: Kind,
    /// What its stream waited for when it was submitted.
    pub(super) clock: Clock,
    memory: Vec<MemoryNumber>,
    buffers: Vec<BufferId>,
}

impl StreamOracle {
    /// The stream that `raw` means, made up if nobody saw its creation.
    pub(super) fn known(&mut self, raw: RawStream) -> Life {
        match self.by_raw.get(&raw) {
            Some(&life) => life,
            None => self.begin_life(raw, Origin::Elsewhere, None),
        }
    }
    pub(super) fn begin_life(
        &mut self,
        raw: RawStream,
        origin: Origin,
        key: Option<ringfence::id::StreamKey>,
    ) -> Life {
        self.lives += 1;
        let life = Life(self.lives);
        self.streams.insert(life, Stream::new(life, raw, origin, key));
        self.by_raw.insert(raw, life);
        life
    }
    /// Whether work submitted to `to` now follows the unfinished `op`.
    pub(super) fn follows(&self, to: Life, op: OpId) -> bool {
        let (Some(op_now), Some(stream)) = (self.ops.get(&op), self.streams.get(&to)) else {
            return true;
        };
        op_now.life == to || stream.clock.covers(op_now.life, op)
    }
    /// Whether the stream waits on the device for something unfinished.
    pub(super) fn is_waiting(&self, stream: &Stream) -> bool {
        stream.awaited.iter().any(|op| self.ops.contains_key(op))
    }
    /// Whether a piece of work of the owner is unfinished on the stream.
    pub(super) fn working(&self, stream: &Stream) -> Option<OpId> {
        let is_work = |op: &&OpId| self.ops.get(op).is_some_and(|op| op.kind == Kind::Work);
        stream.unfinished.iter().find(is_work).copied()
    }
    /// A launch, or a graph, that runs: judged, then in the account.
    pub(super) fn launched(
        &mut self,
        caller: Caller,
        raw: RawStream,
        op: Option<OpId>,
        touches: &Touches,
    ) -> Broken {
        let life = self.known(raw);
        let op = op?;
        let broken = self.judge_touches(life, touches);
        let stream = self.streams.get(&life);
        let owned = stream.is_none_or(|stream| !stream.leases.is_empty() || !stream.is_pooled());
        let kind = if owned || caller == Caller::Library { Kind::Work } else { Kind::Stray };
        self.submitted(life, op, kind, touches);
        broken
    }
    fn judge_touches(&self, life: Life, touches: &Touches) -> Broken {
        let reads = touches.reads.iter().map(|&memory| (memory, Access::Read));
        let writes = touches.writes.iter().map(|&memory| (memory, Access::Write));
        for (raw, access) in reads.chain(writes) {
            let Some(memory) = self.memory_at(raw) else { continue };
            if memory.is_freed() {
                return Some((StreamRule::T7, format!("work touches {raw} after its free")));
            }
            if let Some(early) = self.before_allocation(memory, life) {
                let name = self.streams.get(&life).map(Stream::name).unwrap_or_default();
                return Some((
                    StreamRule::T7,
                    format!(
                        "work on {name} {access} {raw} before its allocation, which {early} delays"
                    ),
                ));
            }
            let races = |&(&op, &earlier): &(&OpId, &Access)| {
                (access == Access::Write || earlier == Access::Write) && !self.follows(life, op)
            };
            if let Some((op, earlier)) = memory.touchers.iter().find(races) {
                let name = self.streams.get(&life).map(Stream::name).unwrap_or_default();
                return Some((
                    StreamRule::T6,
                    format!(
                        "work on {name} {access} {raw}, which the unfinished {op} {earlier}, and nothing orders it after that"
                    ),
                ));
            }
        }
        None
    }
    /// Takes a piece of work into the account.
    pub(super) fn submitted(&mut self, life: Life, op: OpId, kind: Kind, touches: &Touches) {
        let mut memory = Vec::with_capacity(touches.reads.len() + touches.writes.len());
        for (&raw, access) in touches
            .reads
            .iter()
            .map(|raw| (raw, Access::Read))
            .chain(touches.writes.iter().map(|raw| (raw, Access::Write)))
        {
            memory.push(self.touch(raw, life, op, access));
        }
        for &buffer in &touches.buffers {
            self.buffers.entry(buffer).or_default().insert(op);
        }
        let Some(stream) = self.streams.get_mut(&life) else { return };
        if matches!(kind, Kind::Work | Kind::Stray) {
            stream.last_work = Some(op);
        }
        stream.unfinished.insert(op);
        let clock = stream.clock.clone();
        self.ops.insert(op, Op { life, kind, clock, memory, buffers: touches.buffers.clone() });
        self.settle(life);
    }
    /// The device finished a piece of work.
    pub(super) fn finished(&mut self, op: OpId) {
        let Some(done) = self.ops.remove(&op) else { return };
        for number in done.memory {
            self.untouch(number, op);
        }
        for buffer in done.buffers {
            if let Some(users) = self.buffers.get_mut(&buffer) {
                users.remove(&op);
                if users.is_empty() {
                    self.buffers.remove(&buffer);
                }
            }
        }
        if let Some(stream) = self.streams.get_mut(&done.life) {
            stream.unfinished.remove(&op);
            if done.kind == Kind::Work {
                self.just_finished.insert(done.life);
            }
            if done.kind == Kind::Mark {
                stream.marked = stream.marked.max(Some(op));
            }
        }
        let waiters: Vec<Life> = self
            .streams
            .values()
            .filter(|one| one.awaited.contains(&op))
            .map(|one| one.life)
            .collect();
        for waiter in waiters {
            self.settle(waiter);
        }
        self.settle(done.life);
        self.bury(done.life);
    }
    /// Later work of `life` follows all of `after`, and what an event recorded.
    pub(super) fn ordered(&mut self, life: Life, after: &[OpId], recorded: Option<&Clock>) {
        let Some(stream) = self.streams.get(&life) else { return };
        if matches!(stream.capturing, Capturing::Active(_) | Capturing::Stuck) {
            return;
        }
        let mut clock = stream.clock.clone();
        if let Some(recorded) = recorded {
            clock.join(recorded);
        }
        for &op in after {
            if let Some(of) = self.ops.get(&op) {
                clock.add(of.life, op);
                clock.join(&of.clock);
            }
        }
        clock.prune(|of, op| {
            let unfinished = self.streams.get(&of).and_then(|stream| stream.unfinished.first());
            unfinished.is_some_and(|&first| first <= op)
        });
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.clock = clock;
        }
    }
    /// Forgets a stream that is destroyed and has nothing left to do.
    pub(super) fn bury(&mut self, life: Life) {
        let over = |stream: &Stream| {
            let unknown = stream
                .identity
                .is_none_or(|id| self.identities.get(&id).is_none_or(|identity| identity.closed));
            stream.gone != super::stream::Gone::No && unknown && stream.unfinished.is_empty()
        };
        if self.streams.get(&life).is_some_and(over) {
            self.streams.remove(&life);
        }
    }
}
