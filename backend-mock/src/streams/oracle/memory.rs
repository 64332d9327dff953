//! Memory: who used it, and that it is freed exactly once, after its last use, and in nobody's graph
//! (T7); host buffers of asynchronous copies (T11).

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

use ringfence::id::{RawMemory, RawStream};

use super::{
    Broken, StreamOracle, StreamRule,
    order::Kind,
    stream::{Capturing, Life, Stream, Tenancy},
};
use crate::streams::seen::{BufferId, OpId, Touches};

/// One life of an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct MemoryNumber(u64);

/// How a piece of work touches memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Access {
    Read,
    Write,
}
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "reads",
            Self::Write => "writes",
        })
    }
}

/// Whose turn it is to do something about memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// Its owner has it.
    #[default]
    Used,
    /// The library must free it.
    Retired,
    Freed,
    /// Leaked, and said so; or gone with its device.
    Settled,
}

/// A piece of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    raw: Option<RawMemory>,
    state: State,
    /// The last tenancy of each stream that used it; the allocation is a use.
    users: BTreeMap<Life, Tenancy>,
    /// Unfinished work that touches it.
    pub(super) touchers: BTreeMap<OpId, Access>,
    /// What was unfinished on its stream when it was allocated: until then the bytes may be somebody else's.
    behind: Vec<OpId>,
}
impl Memory {
    pub(super) fn is_freed(&self) -> bool {
        self.state == State::Freed
    }
}

/// The stream that `hipMalloc` is said to allocate on: in nobody's order.
const NULL: RawStream = RawStream::new(0);
/// So many streams that used memory are remembered before those that are gone are looked for.
const USERS: usize = 16;
/// So many freed addresses are remembered for a second free.
const FREED: usize = 1024;

/// What was freed last.
#[derive(Clone, Debug, Default)]
pub(super) struct Freed(VecDeque<MemoryNumber>);

impl StreamOracle {
    pub(super) fn memory_at(&self, raw: RawMemory) -> Option<&Memory> {
        self.memory.get(self.addresses.get(&raw)?)
    }
    fn memory_named(&mut self, raw: RawMemory) -> MemoryNumber {
        match self.addresses.get(&raw) {
            Some(&number) => number,
            None => self.begin_memory(raw),
        }
    }
    fn begin_memory(&mut self, raw: RawMemory) -> MemoryNumber {
        self.memories += 1;
        let number = MemoryNumber(self.memories);
        self.memory.insert(number, Memory { raw: Some(raw), ..Memory::default() });
        self.addresses.insert(raw, number);
        number
    }
    /// The driver brought memory.
    pub(super) fn allocated(&mut self, raw: RawMemory, on: RawStream) {
        let life = self.known(on);
        if let Some(before) = self.addresses.remove(&raw) {
            self.forget_memory(before);
        }
        let number = self.begin_memory(raw);
        self.used(number, life);
        // Where a stream captures, an allocation is a node, or happens at once.
        let behind = match self.streams.get(&life) {
            Some(stream) if on != NULL && stream.capturing == Capturing::No => {
                let waits = stream.awaited.iter().filter(|op| self.ops.contains_key(op));
                stream.unfinished.last().into_iter().chain(waits).copied().collect()
            }
            _ => Vec::new(),
        };
        if let Some(memory) = self.memory.get_mut(&number) {
            memory.behind = behind;
        }
    }
    /// Work that has to be finished before the memory's allocation is reached, and that work of `life` would not follow.
    pub(super) fn before_allocation(&self, memory: &Memory, life: Life) -> Option<OpId> {
        memory.behind.iter().find(|&&op| !self.follows(life, op)).copied()
    }
    fn used(&mut self, number: MemoryNumber, life: Life) {
        let tenancy = self.streams.get(&life).map_or(Tenancy::default(), |stream| stream.tenancy);
        let streams = &self.streams;
        if let Some(memory) = self.memory.get_mut(&number) {
            if memory.users.len() > USERS {
                memory.users.retain(|life, tenancy| {
                    streams.get(life).is_some_and(|stream| stream.tenancy == *tenancy)
                });
            }
            memory.users.insert(life, tenancy);
        }
    }
    /// A piece of work touches memory.
    pub(super) fn touch(
        &mut self,
        raw: RawMemory,
        life: Life,
        op: OpId,
        access: Access,
    ) -> MemoryNumber {
        let number = self.memory_named(raw);
        self.used(number, life);
        if let Some(memory) = self.memory.get_mut(&number) {
            let how = memory.touchers.entry(op).or_insert(access);
            *how = (*how).max(access);
        }
        number
    }
    /// A piece of work that touched memory is finished.
    pub(super) fn untouch(&mut self, number: MemoryNumber, op: OpId) {
        if let Some(memory) = self.memory.get_mut(&number) {
            memory.touchers.remove(&op);
        }
    }
    fn forget_memory(&mut self, number: MemoryNumber) {
        if self.memory.get(&number).is_some_and(|memory| memory.state != State::Retired) {
            self.memory.remove(&number);
        }
    }

    /// What a free by the library breaks. `op`: what frees it in the stream's order.
    pub(super) fn judge_free(
        &self,
        raw: RawMemory,
        on: RawStream,
        op: Option<OpId>,
        recorded: bool,
    ) -> Broken {
        let stream = self.stream(on);
        let name = stream.map_or_else(|| on.to_string(), Stream::name);
        let broken = |what: String| Some((StreamRule::T7, what));
        if recorded && !stream.is_some_and(|stream| self.is_shared(stream)) {
            return broken(format!(
                "the free of {raw} became a node of the graph that {name} captures"
            ));
        }
        let memory = self.memory_at(raw)?;
        match memory.state {
            State::Freed => return broken(format!("{raw} is freed a second time, on {name}")),
            State::Settled => {
                return broken(format!("{raw} is freed after it was given up for leaked"));
            }
            State::Used | State::Retired => {}
        }
        if let Some(stream) = stream
            && !stream.is_disposal()
            && !stream.conduct.exposed // work by the raw handle is not seen, and may have used it,
            && !stream.conduct.uncounted // as may a graph that pins it
            && !memory.users.is_empty()
            && memory.users.get(&stream.life) != Some(&stream.tenancy)
        {
            return broken(match memory.users.contains_key(&stream.life) {
                true => format!(
                    "{raw} is freed on {name}, which has gone to another owner since it used it"
                ),
                false => format!("{raw} is freed on {name}, which never used it"),
            });
        }
        let ordered = |toucher: OpId| {
            op.is_some() && stream.is_some_and(|stream| self.follows(stream.life, toucher))
        };
        if let Some(early) = memory.touchers.keys().find(|&&toucher| !ordered(toucher)) {
            return broken(format!("{raw} is freed on {name} while {early} may still touch it"));
        }
        let early = self.before_allocation(memory, stream?.life)?;
        broken(format!("{raw} is freed on {name} before its allocation, which {early} delays"))
    }
    /// A free that the driver took.
    pub(super) fn freed(&mut self, raw: RawMemory, on: RawStream, op: Option<OpId>) {
        let life = self.known(on);
        let number = self.memory_named(raw);
        if let Some(memory) = self.memory.get_mut(&number) {
            memory.state = State::Freed;
        }
        self.last_freed.0.push_back(number);
        if self.last_freed.0.len() > FREED
            && let Some(old) = self.last_freed.0.pop_front()
        {
            if let Some(raw) = self.memory.get(&old).and_then(|memory| memory.raw)
                && self.addresses.get(&raw) == Some(&old)
            {
                self.addresses.remove(&raw);
            }
            self.forget_memory(old);
        }
        if let Some(op) = op {
            self.submitted(life, op, Kind::Free, &Touches::default());
        }
    }
    /// The owner gave memory up.
    pub(super) fn retired(&mut self, raw: RawMemory) {
        let number = self.memory_named(raw);
        if let Some(memory) = self.memory.get_mut(&number)
            && memory.state == State::Used
        {
            memory.state = State::Retired;
        }
    }
    /// The library said that it leaked memory.
    pub(super) fn leaked(&mut self, raw: RawMemory) {
        let number = self.memory_named(raw);
        if let Some(memory) = self.memory.get_mut(&number)
            && memory.state != State::Freed
        {
            memory.state = State::Settled;
        }
    }
    /// Memory went with the streams of its device.
    pub(super) fn went_with(&mut self, life: Life) {
        for memory in self.memory.values_mut() {
            if memory.users.contains_key(&life) && memory.state != State::Freed {
                memory.state = State::Settled;
            }
        }
    }
    /// What is owed at the end.
    pub(super) fn judge_owed(&self) -> Broken {
        let owed = self.memory.values().find(|memory| memory.state == State::Retired)?.raw?;
        Some((
            StreamRule::T7,
            format!("{owed} was given up, and neither freed nor said to be leaked"),
        ))
    }
    /// A host buffer went back to its owner.
    pub(super) fn buffer_released(&mut self, buffer: BufferId) -> Broken {
        let op = *self.buffers.get(&buffer)?.first()?;
        Some((StreamRule::T11, format!("{buffer} is given back while the unfinished {op} uses it")))
    }
}
