//! What is true of one stream right now: the state behind its hand-over lock.

use crate::{
    backend::streams::CaptureStatus,
    error::{Closed, DriverError},
    id::{DeviceContext, Generation, Position, RawEvent, StreamId},
    sync::ThreadName,
};

/// Whether the stream is in use by the pool at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    Open,
    /// For good: the identity is never used again (T6).
    Closed(Closed),
}

/// Whether the raw handle left the library in this tenancy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handle {
    Kept,
    /// Work may have been submitted that nobody counted, and captures begun that nobody told of (T9, T13).
    Exposed,
}

/// What the driver's answers say of the stream itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Health {
    Sound,
    /// It refused work with an error of the stream. What was marked before or after that does not say
    /// whether the stream works: the driver is asked before it is handed on (T9).
    Doubted,
}

/// Captures that this tenancy began or joined through the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Captures {
    Never,
    Open,
    /// All ended. On HIP 5.2 a stream that joined one stays capturing for ever, so the driver is asked.
    Over,
}

/// Why a stream was not handed on.
///
/// ```
/// use ringfence::{backend::streams::*, stream::Why};
/// /// Why a stream is not handed on, by what its driver said: the status first, then the query. `None`: it is idle.
/// fn judged(status: CaptureStatus, state: StreamState) -> Option<Why> {
///     match (status, state) {
///         (CaptureStatus::None, StreamState::Idle) => None,
///         (CaptureStatus::None, StreamState::Pending) => Some(Why::Pending),
///         (CaptureStatus::None, StreamState::Unknown) => Some(Why::Unknown),
///         (CaptureStatus::None, StreamState::Failed(cause)) => Some(Why::Bad(cause)),
///         (capturing, _) => Some(Why::Capturing(capturing)),
///     }
/// }
/// let why = judged(CaptureStatus::Invalidated, StreamState::Unknown);
/// assert_eq!(why, Some(Why::Capturing(CaptureStatus::Invalidated))); // never handed on again
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Why {
    /// Somebody acts on it at this moment.
    Busy,
    /// Its work is not finished.
    Pending,
    /// Work came to it since it was proven idle.
    Touched,
    /// The driver would not say (T9).
    Unknown,
    /// It captures, or a capture on it broke.
    Capturing(CaptureStatus),
    /// It is in error, or destroyed.
    Bad(DriverError),
    /// It was closed.
    Closed(Closed),
}

/// What it takes to know whether a stream is idle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Idleness {
    /// Nothing: all counted work was seen to be finished, and there was no other.
    Proven(Position),
    /// One load of the progress word.
    Word,
    /// Counted work has no mark behind it yet: the driver is asked this once, and a mark is made for later.
    Mark,
    /// The driver has to be asked: its capture status, then a query (T8).
    Query,
}

/// An event of the pool's own: it is gone once its device was reset more often than when it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OwnEvent {
    pub(crate) raw: RawEvent,
    pub(crate) place: DeviceContext,
    pub(crate) born: u32,
}
/// An event that covers a stream's work up to a position: all that was counted when it was recorded. Work that another thread was
/// just submitting, to a stream that several have, is beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cover {
    pub(crate) event: OwnEvent,
    /// The stream of ours that it was recorded on.
    pub(crate) on: StreamId,
    pub(crate) position: Position,
}
impl Cover {
    /// Whether it covers the work up to `position`.
    pub(crate) fn covers(&self, position: Position) -> bool {
        position <= self.position
    }
}

/// The state of one stream.
#[derive(Debug)]
pub(crate) struct Tenancy {
    pub(crate) generation: Generation,
    pub(crate) standing: Standing,
    /// Work submitted so far.
    pub(crate) counted: Position,
    /// The newest position that was marked.
    pub(crate) marked: Position,
    /// The highest position that was seen finished; it only rises (T13).
    pub(crate) finished: Position,
    pub(crate) handle: Handle,
    pub(crate) health: Health,
    /// What the driver said of the stream when it was asked last, and no work came since: who waits for its work is told.
    pub(crate) ailment: Option<DriverError>,
    pub(crate) captures: Captures,
    /// Who ended a capture that left the stream capturing for ever: a destruction by anybody else would break that
    /// thread's later captures (M9).
    pub(crate) left_by: Option<ThreadName>,
    /// While a capture is open: an event of a stream of ours, that covers the work before it.
    pub(crate) before_capture: Option<Cover>,
    /// After the stream was closed with work pending: an event of a stream of ours, that covers it.
    pub(crate) final_event: Option<Cover>,
    /// Host waits on the progress word, without the lock: it is not closed meanwhile.
    pub(crate) waiters: u32,
}
impl Tenancy {
    pub(crate) fn new() -> Self {
        Self {
            generation: Generation::FIRST,
            standing: Standing::Open,
            counted: Position::START,
            marked: Position::START,
            finished: Position::START,
            handle: Handle::Kept,
            health: Health::Sound,
            ailment: None,
            captures: Captures::Never,
            left_by: None,
            before_capture: None,
            final_event: None,
            waiters: 0,
        }
    }
    /// Counts a piece of work and says where it is.
    #[inline]
    pub(crate) fn count(&mut self) -> Position {
        self.counted = self.counted.next();
        self.ailment = None; // whoever waits for this asks anew
        if self.standing == Standing::Closed(Closed::Reset) {
            self.finished = self.counted; // submitted while its device was reset, and gone with it
        }
        self.counted
    }
    /// The position that all work up to now is at. By the raw handle somebody may have submitted what nobody counted, to an open
    /// stream: the next position is behind that. What a capture records has none.
    pub(crate) fn so_far(&mut self) -> Position {
        match (self.handle, self.standing, self.captures) {
            (Handle::Exposed, Standing::Open, Captures::Never | Captures::Over) => self.count(),
            _ => self.counted,
        }
    }
    /// Whether the progress word speaks of all work of this tenancy (T13).
    #[inline]
    pub(crate) fn word_counts(&self) -> bool {
        let exposed = self.handle == Handle::Exposed && !planted!(TrustVoidWord);
        !exposed
            && self.health == Health::Sound
            && (self.captures == Captures::Never || planted!(MarkWhileCapturing))
    }
    /// What the word said.
    #[inline]
    pub(crate) fn saw(&mut self, observed: Position) {
        if observed > self.finished {
            self.finished = observed;
            self.ailment = None; // it works
        }
    }
    /// A call on the stream was answered: an error of the stream leaves a doubt, and it is asked about (T9).
    pub(crate) fn note_refusal<T>(&mut self, answer: Result<T, DriverError>) {
        if matches!(answer, Err(DriverError::Bad(_))) {
            self.health = Health::Doubted;
        }
    }
    /// The driver said that everything is finished.
    pub(crate) fn saw_idle(&mut self) {
        self.finished = self.counted;
        self.marked = self.counted;
        self.ailment = None;
    }
    /// Whether the work up to `position` was seen finished.
    #[inline]
    pub(crate) fn covers(&self, position: Position) -> bool {
        self.finished >= position
    }
    /// Where the stream is idle, if nothing has to be asked to know it.
    #[inline]
    pub(crate) fn proven(&self) -> Option<Position> {
        let known = (self.finished >= self.counted || planted!(LeaseBeforeDone))
            && self.handle == Handle::Kept
            && self.health == Health::Sound
            && self.captures == Captures::Never
            && self.standing == Standing::Open;
        known.then_some(self.counted)
    }
    /// What it takes to know whether the stream is idle, given whether it has a word.
    #[inline]
    pub(crate) fn idleness(&self, word: bool) -> Idleness {
        if !self.word_counts() {
            return Idleness::Query;
        }
        if self.finished >= self.counted {
            return Idleness::Proven(self.counted);
        }
        match word {
            false => Idleness::Query,
            true if self.marked < self.counted => Idleness::Mark,
            true => Idleness::Word,
        }
    }
    /// Gives the stream to the next owner (T6). The caller has proven it idle at `position`.
    #[inline]
    pub(crate) fn hand_on(&mut self, position: Position) -> Result<Generation, Why> {
        if let Standing::Closed(cause) = self.standing {
            return Err(Why::Closed(cause));
        }
        if position != self.counted {
            return Err(Why::Touched);
        }
        // After 2^32 owners a stream has no name left for the next.
        let Some(next) = self.generation.checked_next() else {
            return Err(Why::Closed(Closed::Trimmed));
        };
        if !planted!(KeepGeneration) {
            self.generation = next;
        }
        self.handle = Handle::Kept;
        self.health = Health::Sound;
        self.ailment = None;
        self.captures = Captures::Never;
        Ok(self.generation)
    }
    /// The handle is dead, or somebody else's: whatever closed the stream before, it is never called again.
    pub(crate) fn lose_handle(&mut self, cause: Closed) {
        self.standing = Standing::Closed(cause);
    }
    /// Whether the driver has the stream, and nobody but the pool: then it is told of what finishes on it.
    pub(crate) fn still_exists(&self) -> bool {
        let on_its_way = Standing::Closed(Closed::Trimmed);
        let reserved = Standing::Closed(Closed::Reserved);
        [Standing::Open, on_its_way, reserved].contains(&self.standing)
    }
    /// Whether the handle is nobody's, or another stream's, by now.
    pub(crate) fn handle_is_dead(&self) -> bool {
        let dead = [Closed::Bad, Closed::Lost, Closed::Disowned, Closed::Reset];
        matches!(self.standing, Standing::Closed(cause) if dead.contains(&cause))
    }
    /// A capture left the stream unusable. One that was let go of meanwhile will never be seen to finish its work either.
    pub(crate) fn close_for_capture(&mut self) {
        if self.still_exists() {
            self.standing = Standing::Closed(Closed::Capture);
        }
    }
    /// Ends the stream's life in the pool; the first cause stays.
    pub(crate) fn close(&mut self, cause: Closed) {
        if self.standing == Standing::Open {
            self.standing = Standing::Closed(cause);
        }
    }
}
