//! Which names a file has defined so far, and as what.

use std::{collections::BTreeMap, ops::Range};

use ringfence::id::{Generation, LaneId, PacketId, QueueId, UseId};

use super::{
    Name,
    problem::Faults,
    word::{Word, nearest, words},
};

words! {
    /// What a name stands for.
    pub(crate) NameKind, "a kind of name" {
        /// A device.
        Device = "device",
        /// A hardware queue.
        Queue = "queue",
        /// A copy engine.
        Engine = "copy engine",
        /// A stream.
        Stream = "stream",
        /// A use of a signal.
        Use = "use",
        /// An event.
        Event = "event",
        /// A lease of a stream.
        Lease = "lease",
        /// A raw handle that the user made or wrapped.
        Handle = "handle",
        /// Memory.
        Memory = "piece of memory",
        /// A piece of work.
        Work = "piece of work",
        /// A graph.
        Graph = "graph",
        /// A future.
        Future = "future",
        /// A part in somebody's capture.
        Participant = "participant",
    }
}

/// The packet that a name like `q0g0#7` stands for: packet 7 of queue 0 in its generation 0.
pub(crate) fn packet_called(name: &Name) -> Option<UseId> {
    let (queue, rest) = name.as_str().strip_prefix('q')?.split_once('g')?;
    let (generation, packet) = rest.split_once('#')?;
    let queue = QueueId::new(queue.parse().ok()?);
    let lane = LaneId::new(queue, Generation::new(generation.parse().ok()?));
    Some(UseId::new(lane, PacketId::new(packet.parse().ok()?)))
}

/// The names that are defined where the reader stands.
#[derive(Debug, Default)]
pub(crate) struct Scope(BTreeMap<Name, NameKind>);
impl Scope {
    /// A name that the set-up defines.
    pub(crate) fn declare(&mut self, name: Name, kind: NameKind) {
        self.0.insert(name, kind);
    }
    /// A new name. A second use or stream of the same name is a fault; an event may be recorded again.
    pub(crate) fn define(
        &mut self,
        name: &Name,
        kind: NameKind,
        span: Range<usize>,
        faults: &mut Faults,
    ) {
        match self.0.insert(name.clone(), kind) {
            None => {}
            Some(NameKind::Event) if kind == NameKind::Event => {}
            Some(before) => faults.add(
                span,
                format!("the name `{name}` is taken: it is a {} already", before.word()),
                "second definition",
                Some("give it a name of its own".to_owned()),
            ),
        }
    }
    /// A name that must be known as one of `kinds`.
    pub(crate) fn need(
        &self,
        name: &Name,
        kinds: &[NameKind],
        span: Range<usize>,
        faults: &mut Faults,
    ) {
        let wanted = kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>().join(" or ");
        match self.0.get(name) {
            Some(kind) if kinds.contains(kind) => {}
            None if kinds.contains(&NameKind::Use) && packet_called(name).is_some() => {}
            Some(kind) => faults.add(
                span,
                format!("`{name}` is a {}, and a {wanted} is wanted here", kind.word()),
                format!("not a {wanted}"),
                self.suggest(name, kinds),
            ),
            None => faults.add(
                span,
                format!("no {wanted} called `{name}` was defined before this"),
                "never defined",
                self.suggest(name, kinds),
            ),
        }
    }
    /// What `name` stands for, if it is known.
    pub(crate) fn kind(&self, name: &Name) -> Option<NameKind> {
        self.0.get(name).copied()
    }
    fn suggest(&self, name: &Name, kinds: &[NameKind]) -> Option<String> {
        let known: Vec<&str> = self
            .0
            .iter()
            .filter(|(_, kind)| kinds.contains(kind))
            .map(|(name, _)| name.as_str())
            .collect();
        if let Some(near) = nearest(name.as_str(), known.iter().copied()) {
            return Some(format!("did you mean `{near}`?"));
        }
        (!known.is_empty()).then(|| format!("known here: {}", known.join(", ")))
    }
}
