//! Events and progress words: whose work they speak of (T6, T13), and what may be held while the host
//! waits for them (T5).

use ringfence::id::{Position, RawEvent, RawProgress, RawStream, StreamRef};

use super::{
    Broken, Pace, StreamOracle, StreamRule,
    captures::CaptureNumber,
    clock::Clock,
    order::Kind,
    stream::{Capturing, Gone, Life, Stream, Tenancy},
};
use crate::streams::seen::{Circumstance, OpId, Touches};

/// What an event recorded last.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    of: Option<Recorded>,
}
#[derive(Clone, Debug)]
struct Recorded {
    life: Life,
    tenancy: Tenancy,
    /// The capture that it was recorded into: then it stands for a node.
    capture: Option<CaptureNumber>,
    clock: Clock,
}

/// A progress word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Word {
    life: Life,
    /// The highest position that was marked.
    pub(super) marked: Position,
    /// The highest that was marked before the present tenancy.
    inherited: Position,
    seen: Position,
}

impl StreamOracle {
    /// The stream that an event was recorded on, in which tenancy.
    fn recorded_on(&self, event: RawEvent) -> Option<(&Recorded, &Stream)> {
        let recorded = self.events.get(&event)?.of.as_ref()?;
        Some((recorded, self.streams.get(&recorded.life)?))
    }
    /// Whether an event speaks of a pooled stream that a hand-over may take away.
    pub(super) fn speaks_of_pooled(&self, event: RawEvent) -> bool {
        self.recorded_on(event).is_some_and(|(_, stream)| {
            stream.is_pooled() && stream.gone == Gone::No && !stream.condemned
        })
    }
    /// Whether an event of an earlier tenancy is asked about or waited for.
    pub(super) fn judge_event(&self, event: RawEvent, act: &str) -> Broken {
        let (recorded, stream) = self.recorded_on(event)?;
        let over = self.speaks_of_pooled(event) && stream.tenancy != recorded.tenancy;
        over.then(|| {
            let name = stream.name();
            (StreamRule::T6, format!("{act} of {event}, which an earlier owner of {name} recorded"))
        })
    }
    /// What a host wait breaks.
    pub(super) fn judge_host_wait(&self, at: &Circumstance, event: Option<RawEvent>) -> Broken {
        if at.locks > 0 {
            let what = format!("the host waits with {} locks held", at.locks);
            return Some((StreamRule::T5, what));
        }
        let (_, stream) = self.recorded_on(event?)?;
        let captures = self.pace == Pace::OneByOne
            && stream.gone == Gone::No
            && stream.capturing != Capturing::No;
        captures.then(|| {
            let (name, how) = (stream.name(), stream.capturing.describe());
            (StreamRule::T5, format!("the host waits for an event of {name}, which {how}"))
        })
    }
    /// Whether a wait for `position` is for an earlier owner's work.
    pub(super) fn judge_position(&self, word: RawProgress, position: Position) -> Broken {
        let now = self.words.get(&word)?;
        let stream = self.streams.get(&now.life)?;
        let over = self.pace == Pace::OneByOne
            && stream.is_pooled()
            && stream.gone == Gone::No
            && position > Position::START
            && position <= now.inherited;
        over.then(|| {
            let name = stream.name();
            (StreamRule::T6, format!("the host waits for {position} of {name}, an earlier owner's"))
        })
    }
    /// Whether a call acts on a stream for the sake of a tenancy that is over.
    pub(super) fn judge_stale_wait(
        &self,
        at: &Circumstance,
        on: Option<Life>,
        act: &str,
    ) -> Broken {
        let over = self.waits_for_what_is_over(at.thread)?;
        let name = self.streams.get(&over).filter(|_| on == Some(over))?.name();
        let what = format!("{act} for an earlier owner's work on {name}, which is over");
        Some((StreamRule::T6, what))
    }
    /// The stream of `stamp`, if it has gone to another owner since.
    pub(super) fn handed_on(&self, stamp: StreamRef) -> Option<Life> {
        let identity = self.identities.get(&stamp.id())?;
        let over = !identity.closed && stamp.generation() < identity.generation;
        over.then_some(identity.life)
    }
    /// Which stream a word or an event belongs to.
    pub(super) fn life_of_word(&self, word: RawProgress) -> Option<Life> {
        self.words.get(&word).map(|word| word.life)
    }
    pub(super) fn life_of_event(&self, event: RawEvent) -> Option<Life> {
        self.recorded_on(event).map(|(recorded, _)| recorded.life)
    }

    /// An event was recorded.
    pub(super) fn event_recorded(&mut self, event: RawEvent, on: RawStream, captured: bool) {
        let life = self.known(on);
        let Some(stream) = self.streams.get(&life) else { return };
        let mut clock = stream.clock.clone();
        if let Some(&last) = stream.unfinished.last() {
            clock.add(life, last);
        }
        let capture = match stream.capturing {
            Capturing::Active(number) if captured => Some(number),
            _ => None,
        };
        let of = Some(Recorded { life, tenancy: stream.tenancy, capture, clock });
        self.events.insert(event, Event { of });
    }
    /// A stream waits for an event.
    pub(super) fn event_awaited(&mut self, on: RawStream, event: RawEvent, after: &[OpId]) {
        let life = self.known(on);
        let of = self.events.get(&event).and_then(|event| event.of.clone());
        if let Some(number) = of.as_ref().and_then(|of| of.capture) {
            if self.captures.contains_key(&number) {
                self.joins(life, Capturing::Active(number));
            }
            return;
        }
        self.ordered(life, after, of.as_ref().map(|of| &of.clock));
        let running: Vec<OpId> =
            after.iter().copied().filter(|op| self.ops.contains_key(op)).collect();
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.awaited.retain(|op| self.ops.contains_key(op));
            stream.awaited.extend(running);
        }
        self.settle(life);
    }
    /// A word was opened for a stream.
    pub(super) fn word_opened(&mut self, word: RawProgress, on: RawStream) {
        let life = self.known(on);
        self.words.insert(word, Word { life, ..Word::default() });
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.word = Some(word);
        }
    }
    /// A word was given back.
    pub(super) fn word_closed(&mut self, word: RawProgress) {
        if let Some(stream) =
            self.words.remove(&word).and_then(|now| self.streams.get_mut(&now.life))
        {
            stream.word = None;
        }
    }
    /// A position was marked.
    pub(super) fn position_marked(
        &mut self,
        on: RawStream,
        word: RawProgress,
        position: Position,
        op: Option<OpId>,
    ) {
        let life = self.known(on);
        if let Some(now) = self.words.get_mut(&word) {
            now.marked = now.marked.max(position);
        }
        match op {
            Some(op) => self.submitted(life, op, Kind::Mark, &Touches::default()),
            // It was written at once, so that everything before it is finished.
            None => {
                if let Some(stream) = self.streams.get_mut(&life) {
                    stream.marked = stream.last_work.max(stream.marked);
                }
            }
        }
    }
    /// A word was loaded.
    pub(super) fn observed(&mut self, word: RawProgress, position: Position) -> Broken {
        let now = self.words.get_mut(&word)?;
        let before = now.seen;
        now.seen = position;
        (position < before)
            .then(|| (StreamRule::T13, format!("{word} fell from {before} to {position}")))
    }
    /// The stream has a new owner: what was marked so far was its predecessors'.
    pub(super) fn word_inherited(&mut self, life: Life) {
        let word = self.streams.get(&life).and_then(|stream| stream.word);
        if let Some(now) = word.and_then(|word| self.words.get_mut(&word)) {
            now.inherited = now.marked;
        }
    }
}
