//! What unfinished work still uses: kept until the work is proven finished, whatever becomes of the task (T11).

use std::{
    any::Any,
    fmt,
    mem::ManuallyDrop,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll, Waker},
};

use super::{Life, Shared, StreamPool, refused};
use crate::{
    backend::streams::StreamBackend,
    error::{Closed, StreamError},
    stream::{Standing, Touch},
    sync::Arc,
};

/// What nobody waits for any more, and who still waits.
#[derive(Default)]
pub(super) struct Limbo {
    held: Held,
    /// Pumps so far.
    pumps: u32,
    /// Values that were left to the device for good.
    leaked: u32,
}
impl Limbo {
    /// Counts a pump. Each `every` times it is somebody's turn: of one who waits, another one each time, or of nobody
    /// who waits.
    pub(super) fn pumped(&mut self, every: u32) -> Option<Option<Touch>> {
        self.pumps = self.pumps.wrapping_add(1);
        if !self.pumps.is_multiple_of(every) {
            return None;
        }
        let turn = (self.pumps / every) as usize;
        if turn.is_multiple_of(2) {
            return Some(None);
        }
        let Held { parked, waiting } = &self.held;
        let at = turn / 2 % (waiting.len() + parked.len()).max(1);
        let waiting = waiting.iter().map(|held| held.0);
        Some(waiting.chain(parked.iter().map(|held| held.touch)).nth(at))
    }
    /// Nobody looks at the list again: what the device may still write to is never given back, but leaked, and counted (S17, T11).
    /// Answers with who waits.
    fn leak(&mut self) -> Vec<(Touch, Waker)> {
        let Held { parked, waiting } = std::mem::take(&mut self.held);
        self.leaked = self.leaked.saturating_add(count(parked.len()));
        waiting
    }
    /// How many values were leaked so far.
    pub(super) fn leaked(&self) -> u32 {
        self.leaked
    }
}
#[derive(Default)]
struct Held {
    parked: Vec<Parked>,
    waiting: Vec<(Touch, Waker)>,
}
/// What a pump looks at. What it has not settled goes back, also when a driver panics under it.
struct Looking<'p, A> {
    shared: &'p Shared<A>,
    all: Held,
    settled: Held,
}
impl<'p, A> Looking<'p, A> {
    fn at(shared: &'p Shared<A>) -> Self {
        let all = std::mem::take(&mut shared.limbo.lock().held);
        Self { shared, all, settled: Held::default() }
    }
    /// Puts the rest back.
    fn settled(mut self) -> Held {
        std::mem::take(&mut self.settled)
    }
}
impl<A> Drop for Looking<'_, A> {
    fn drop(&mut self) {
        let mut limbo = self.shared.limbo.lock();
        for back in [&mut self.all, &mut self.settled] {
            limbo.held.parked.append(&mut back.parked);
            limbo.held.waiting.append(&mut back.waiting);
        }
    }
}
/// Something that unfinished work may still use: dropped only when the work is known to be finished. With the
/// pool, or by a panic on the way, it is leaked.
struct Parked {
    touch: Touch,
    what: ManuallyDrop<Box<dyn Any + Send>>,
}

/// A future that is ready when a [`pump`](StreamPool::pump) has seen the work finished.
///
/// ```
/// use ringfence::{backend::streams::*, drive::StreamPool, error::StreamError, stream::Lease};
///
/// async fn two_steps<B>(pool: &StreamPool<B>, lease: &mut Lease) -> Result<(), StreamError>
/// where
///     B: StreamBackend + StreamWork<Work = &'static str>,
/// {
///     let residual = pool.submit(lease, "residual")?;
///     pool.when_finished(residual).await?; // the thread does other things meanwhile
///     assert!(pool.is_finished(residual));
///     pool.submit(lease, "next step").map(drop)
/// }
/// ```
#[must_use = "a future does nothing until it is awaited"]
pub struct Finished<A = ()> {
    touch: Touch,
    shared: Arc<Shared<A>>,
}
impl<A> Future for Finished<A> {
    type Output = Result<(), StreamError>;
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.shared.poll_finished(self.touch, context)
    }
}
impl<A> fmt::Debug for Finished<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "until {} is finished", self.touch)
    }
}

impl<A> Shared<A> {
    /// Keeps what unfinished work may still use.
    pub(super) fn park(&self, touch: Touch, what: Box<dyn Any + Send>) {
        let parked = Parked { touch, what: ManuallyDrop::new(what) };
        self.limbo.lock().held.parked.push(parked);
    }
    /// By what a pump saw. Whoever is on the list is looked at by every later pump, so that no wake is lost.
    pub(super) fn poll_finished(
        &self,
        touch: Touch,
        context: &Context<'_>,
    ) -> Poll<Result<(), StreamError>> {
        if let Some(answer) = self.answer(touch) {
            return Poll::Ready(answer);
        }
        let waker = context.waker().clone(); // the user's code: no lock is held
        {
            let mut limbo = self.limbo.lock();
            let mine = |held: &(Touch, Waker)| held.0 == touch && held.1.will_wake(&waker);
            if !limbo.held.waiting.iter().any(mine) {
                limbo.held.waiting.push((touch, waker));
            }
        }
        self.answer(touch).map_or(Poll::Pending, Poll::Ready)
    }
    /// What a waiter is told, as far as it is known. `None`: the work may still finish.
    fn answer(&self, touch: Touch) -> Option<Result<(), StreamError>> {
        let stream = touch.stream();
        if stream.pool() != self.id {
            return Some(Err(StreamError::OtherPool { stream }));
        }
        let Some(slot) = self.pool().by_id(stream.id()).cloned() else { return Some(Ok(())) };
        let (finished, standing, covered, ailment) = {
            let tenancy = slot.lock();
            let over = tenancy.generation != stream.generation();
            let finished = over || tenancy.covers(touch.position());
            let covered = tenancy.final_event.is_some_and(|last| last.covers(touch.position()));
            (finished, tenancy.standing, covered, tenancy.ailment)
        };
        match (standing, self.life()) {
            _ if finished => Some(Ok(())),
            (Standing::Closed(Closed::Reset), _) => Some(Ok(())), // gone with its device
            (_, Life::Lost) | (Standing::Closed(Closed::Lost), Life::Open | Life::Closing) => {
                Some(Err(StreamError::DeviceLost))
            }
            (_, Life::Shut) => Some(Err(StreamError::ShutDown)),
            // No driver ever says of a stream in error that its work is finished.
            (Standing::Open | Standing::Closed(Closed::Trimmed | Closed::Reserved), _) => {
                ailment.map(|cause| Err(refused(stream, cause)))
            }
            // Nobody will ever see these finish, unless an event was left that covers them.
            (Standing::Closed(Closed::Bad | Closed::Capture | Closed::Disowned), _) if !covered => {
                Some(Err(StreamError::Unknowable { stream }))
            }
            _ => None,
        }
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// A future that is ready when the work is finished. It needs somebody who pumps.
    pub fn when_finished(&self, touch: Touch) -> Finished<A> {
        Finished { touch, shared: self.shared.clone() }
    }
    /// Lets go of what finished work used, and wakes who waits for it. Answers with how many of each.
    pub(super) fn settle_limbo(&self) -> (u32, u32) {
        let mut looking = Looking::at(&self.shared);
        let Looking { all, settled, .. } = &mut looking;
        // One by one into what is put back by a panic.
        let done = all.parked.extract_if(.., |held| self.is_finished_or_ask(held.touch));
        done.for_each(|held| settled.parked.push(held));
        let ready = all.waiting.extract_if(.., |held| self.has_answer(held.0));
        ready.for_each(|held| settled.waiting.push(held));
        let mut settled = looking.settled();
        if matches!(self.shared.life(), Life::Shut | Life::Lost) {
            // The pool ended meanwhile: nobody looks at the list again.
            settled.waiting.append(&mut self.shared.limbo.lock().leak());
        }
        let counts = (count(settled.parked.len()), count(settled.waiting.len()));
        // Wakers and destructors are the user's code: no lock is held, and who waits is woken first.
        let woken = in_spite_of_panics(settled.waiting, |(_, waker)| waker.wake());
        let dropped =
            in_spite_of_panics(settled.parked, |held| drop(ManuallyDrop::into_inner(held.what)));
        if let Some(panic) = woken.or(dropped) {
            resume_unwind(panic);
        }
        counts
    }
    /// Whether work is finished, by the driver's word where the stream has none of its own. A driver says so
    /// only when the whole stream is idle.
    pub(super) fn is_finished_or_ask(&self, touch: Touch) -> bool {
        if self.is_finished(touch) {
            return true;
        }
        let Ok(Some(slot)) = self.find(touch.stream()) else { return false };
        let Some(mut tenancy) = slot.try_lock() else { return false };
        let by_word = slot.word().is_some() && touch.position() <= tenancy.marked;
        // What is counted was submitted before the count, so that an idle stream has finished it.
        !by_word && self.prove_finished(&slot, &mut tenancy).0.is_ok()
    }
    /// Whether a waiter has an answer: the work is finished, or will never be seen to be.
    fn has_answer(&self, touch: Touch) -> bool {
        self.is_finished_or_ask(touch) || self.shared.answer(touch).is_some()
    }
}
impl<A> Shared<A> {
    /// What unfinished work uses is leaked, and who waits is told.
    pub(super) fn leak_limbo(&self) {
        let waiting = self.limbo.lock().leak();
        for_each_in_spite_of_panics(waiting, |(_, waker)| waker.wake());
    }
}

/// Runs the user's code for each: one that panics does not keep the others from their turn. Answers with the first panic.
pub(super) fn in_spite_of_panics<T>(items: Vec<T>, mut act: impl FnMut(T)) -> Option<Panic> {
    let mut first = None;
    for item in items {
        let done = catch_unwind(AssertUnwindSafe(|| act(item)));
        first = first.or(done.err());
    }
    first
}
type Panic = Box<dyn Any + Send>;
/// The same; the first panic goes on when all had their turn.
pub(super) fn for_each_in_spite_of_panics<T>(items: Vec<T>, act: impl FnMut(T)) {
    if let Some(panic) = in_spite_of_panics(items, act) {
        resume_unwind(panic);
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
