//! Who pumps the pool.

use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Weak},
    thread,
    time::Duration,
};

use ringfence::{
    backend::streams::StreamBackend,
    drive::{Pumped, StreamPool},
};
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, timeout},
};

use crate::turns::Turns;

/// How often a reaper does what.
///
/// ```
/// use ringfence_tokio::Period;
/// use std::time::Duration;
/// let period = Period { trim: Duration::from_secs(1), ..Period::default() }; // idle streams go sooner
/// assert_eq!(period.pump, Duration::from_millis(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// Between the end of one pump and the next. A future that waits for the device is woken so much later at
    /// most, besides what a pump takes. Tokio counts whole milliseconds.
    pub pump: Duration,
    /// Between two trims of idle streams.
    pub trim: Duration,
}
impl Default for Period {
    /// 1 ms, and 5 s.
    fn default() -> Self {
        Self { pump: Duration::from_millis(1), trim: Duration::from_secs(5) }
    }
}

/// What a reaper did.
///
/// ```
/// use ringfence_tokio::{Reaped, Reaper};
/// /// At the end of a program.
/// async fn end(reaper: Reaper) {
///     let Some(Reaped { pumps, panics, first_panic, .. }) = reaper.stop().await else { return };
///     if panics > 0 {
///         eprintln!("{panics} of {pumps} pumps panicked, first with: {}", first_panic.unwrap_or_default());
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Reaped {
    /// Pumps, with those that panicked.
    pub pumps: u64,
    /// Streams destroyed by pumps.
    pub destroyed: u64,
    /// Idle streams let go of.
    pub trimmed: u64,
    /// Tasks woken.
    pub woken: u64,
    /// Pumps and trims that panicked: the driver did, or a waker or a destructor of the user that they called.
    /// What such a pump did until then is not counted. The next one goes on.
    pub panics: u64,
    /// What the first of those said. A panic whose payload is no text has said nothing: then this is empty.
    pub first_panic: Option<String>,
}
impl Reaped {
    /// Counts a round. Answers with the panic of the pool's own destructor.
    fn add(&mut self, round: Round) -> thread::Result<()> {
        self.pumps += 1;
        match round.pumped {
            Ok(pumped) => {
                self.destroyed += u64::from(pumped.destroyed);
                self.woken += u64::from(pumped.woken);
            }
            Err(panic) => self.note(panic),
        }
        match round.trimmed {
            Ok(trimmed) => self.trimmed += u64::from(trimmed),
            Err(panic) => self.note(panic),
        }
        round.ended
    }
    /// After a panic, which ends no reaper.
    fn note(&mut self, panic: Box<dyn Any + Send>) {
        self.panics += 1;
        let said = said(&*panic);
        self.first_panic.get_or_insert(said);
        drop_payload(panic);
    }
}
/// What a panic said: a payload of `panic!` is text.
fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or_default().to_owned()
}
/// A payload has a destructor too.
fn drop_payload(payload: Box<dyn Any + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(another);
    }
}

/// What one round did.
struct Round {
    pumped: thread::Result<Pumped>,
    trimmed: thread::Result<u32>,
    /// The pool may have ended with this round: then its destructor ran.
    ended: thread::Result<()>,
}
impl Round {
    /// The pool is whole after a panic: its locks guard plain data and are let go of before foreign code runs.
    fn of<B: StreamBackend, A>(pool: Arc<StreamPool<B, A>>, trims: Trims) -> Self {
        Self {
            pumped: catch_unwind(AssertUnwindSafe(|| pool.pump())),
            trimmed: match trims {
                Trims::Now => catch_unwind(AssertUnwindSafe(|| pool.trim())),
                Trims::Later => Ok(0),
            },
            ended: catch_unwind(AssertUnwindSafe(|| drop(pool))),
        }
    }
}
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trims {
    Now,
    Later,
}

/// Pumps a pool from the runtime, on a thread where blocking is allowed: destroying a stream may take as long
/// as the driver likes. Where the runtime has no such thread free, for 10 ms, it pumps on one of its own: those that are not free may be
/// waiting for nothing else.
///
/// Dropping it ends it and waits for nothing: a pump in progress goes on to its end.
/// [`stop`](Self::stop) waits for that. It also ends when the pool is dropped, which it does not keep
/// alive, and with its runtime.
///
/// A pump that panics does not end it: the panic is counted, and [`stop`](Self::stop) says what it said.
///
/// Streams that are idle when it ends stay: [`StreamPool::shutdown`] destroys them.
///
/// ```
/// # use std::sync::Arc;
/// # use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
/// # use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};
/// use ringfence_tokio::{Period, Reaper};
/// # #[tokio::main]
/// # async fn main() {
/// # let driver = MockStreams::new(DriverProfile::Hip57);
/// let pool = Arc::new(StreamPool::new(driver, PoolOptions::default()));
/// let reaper = Reaper::spawn(&pool, Period::default());
/// // ... tasks lease streams of the pool, and wait for their work ...
/// let reaped = reaper.stop().await.expect("the runtime goes on"); // before the shutdown: it calls the driver
/// assert_eq!(reaped.panics, 0);
/// assert_eq!(pool.shutdown().streams_leaked, 0);
/// # }
/// ```
#[must_use = "dropped at once, it ends at once"]
#[derive(Debug)]
pub struct Reaper {
    /// Its drop is the order to stop.
    stop: oneshot::Sender<()>,
    task: JoinHandle<Reaped>,
}
impl Reaper {
    /// Starts pumping.
    ///
    /// # Panics
    /// Outside a runtime. The task panics on one without a timer (`enable_time`).
    pub fn spawn<B, A>(pool: &Arc<StreamPool<B, A>>, period: Period) -> Self
    where
        B: StreamBackend + Send + Sync + 'static,
        A: Send + 'static,
    {
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(run(Arc::downgrade(pool), period, stopped));
        Self { stop, task }
    }
    /// Ends it, once a pump in progress is over. `None`: the runtime was shut down before.
    ///
    /// Look at [`Reaped::panics`].
    ///
    /// # Panics
    /// When the destructor of the pool panicked, whose last reference was the reaper's. On a runtime without a
    /// timer.
    pub async fn stop(self) -> Option<Reaped> {
        drop(self.stop);
        match self.task.await {
            Ok(reaped) => Some(reaped),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_cancelled) => None,
            },
        }
    }
}

async fn run<B, A>(
    pool: Weak<StreamPool<B, A>>,
    period: Period,
    mut stopped: oneshot::Receiver<()>,
) -> Reaped
where
    B: StreamBackend + Send + Sync + 'static,
    A: Send + 'static,
{
    let mut reaped = Reaped::default();
    let mut trimmed_at = Instant::now();
    let mut turns = Turns::default();
    while timeout(period.pump, &mut stopped).await.is_err() {
        let Some(pool) = pool.upgrade() else { break };
        let trims = if trimmed_at.elapsed() >= period.trim { Trims::Now } else { Trims::Later };
        if trims == Trims::Now {
            trimmed_at = Instant::now();
        }
        let Some(round) = turns.take(move || Round::of(pool, trims)).await else { break };
        if let Err(panic) = reaped.add(round) {
            resume_unwind(panic);
        }
    }
    reaped
}
