//! A thread that pumps.

use std::{
    any::Any,
    io, mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    process,
    sync::{
        Arc, Weak,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use ringfence::{backend::streams::StreamBackend, drive::StreamPool};

/// How often a reaper does what.
///
/// ```
/// use ringfence_threads::Period;
/// use std::time::Duration;
/// let period = Period { pump: Duration::from_micros(200), ..Period::default() }; // wakes waiters sooner
/// assert_eq!(period.trim, Duration::from_secs(5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Period {
    /// Between the end of one pump and the next, unless somebody [asks](Reaper::pump_now).
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
/// use ringfence_threads::{Reaped, Reaper};
/// /// At the end of a program.
/// fn end(reaper: Reaper) {
///     let Some(Reaped { pumps, panics, first_panic, .. }) = reaper.stop() else { return };
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
    /// Waiters woken.
    pub woken: u64,
    /// Pumps and trims that panicked: the driver did, or a waker or a destructor of the user that they called.
    /// What such a pump did until then is not counted. The next one goes on.
    pub panics: u64,
    /// What the first of those said. A panic whose payload is no text has said nothing: then this is empty.
    pub first_panic: Option<String>,
}

impl Reaped {
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

/// Pumps a pool on a thread of its own: destroying a stream may take as long as the driver likes.
///
/// Dropping it tells the thread to end and does not wait for it: nothing in a destructor blocks (T10). A pump in
/// progress goes on to its end, beside whatever the dropping thread does next: [`stop`](Self::stop) waits
/// for it, and is the call before [`StreamPool::shutdown`] where no driver call may follow. The thread also
/// ends when the pool is dropped. During a pump it keeps the pool alive, so that the last reference may be its own.
///
/// A pump that panics does not end it: the panic is counted, and [`stop`](Self::stop) says what it said.
///
/// Streams that are idle when it ends stay: [`StreamPool::shutdown`] destroys them.
///
/// In a forked child the thread does not exist; dropping or stopping the reaper there does nothing.
///
/// ```
/// # use std::sync::Arc;
/// # use ringfence::{drive::StreamPool, id::*, stream::PoolOptions};
/// # use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};
/// use ringfence_threads::{Period, Reaper};
/// # let driver = MockStreams::new(DriverProfile::Hip57);
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let pool = Arc::new(StreamPool::new(driver, PoolOptions::default()));
/// let reaper = Reaper::spawn(&pool, Period::default())?;
/// for _ in 0..100 {
///     drop(pool.acquire(key).expect("a stream"));
/// }
/// reaper.pump_now(); // need not wait for the period
/// let reaped = reaper.stop().expect("no forked child"); // before the shutdown: it calls the driver
/// assert_eq!(reaped.panics, 0);
/// assert_eq!(pool.shutdown().streams_leaked, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "dropped at once, it ends at once"]
#[derive(Debug)]
pub struct Reaper {
    running: Option<Running>,
    /// Where the thread runs.
    process: u32,
}
#[derive(Debug)]
struct Running {
    /// A message is the order to pump, the end of the channel the order to stop.
    orders: Sender<()>,
    thread: JoinHandle<Reaped>,
}
impl Reaper {
    /// Starts pumping.
    ///
    /// # Errors
    /// When the system has no thread to spare.
    pub fn spawn<B, A>(pool: &Arc<StreamPool<B, A>>, period: Period) -> io::Result<Self>
    where
        B: StreamBackend + Send + Sync + 'static,
        A: Send + 'static,
    {
        let (orders, received) = mpsc::channel();
        let pool = Arc::downgrade(pool);
        let thread = thread::Builder::new()
            .name("ringfence-reaper".to_owned())
            .spawn(move || run(&pool, period, &received))?;
        Ok(Self { running: Some(Running { orders, thread }), process: process::id() })
    }
    /// Has it pump now, without waiting for the period to pass: after many leases were dropped, say. Does not
    /// wait for the pump.
    pub fn pump_now(&self) {
        if let Some(running) = self.running.as_ref().filter(|_| self.is_here()) {
            // It may have ended with its pool; then there is nothing to pump.
            let _ended = running.orders.send(());
        }
    }
    /// Ends the thread and waits for it. `None` in a forked child, where there is none.
    ///
    /// Look at [`Reaped::panics`].
    ///
    /// # Panics
    /// When the destructor of the pool panicked, whose last reference was the thread's.
    pub fn stop(mut self) -> Option<Reaped> {
        let Running { orders, thread } = self.take_running()?;
        drop(orders);
        match thread.join() {
            Ok(reaped) => Some(reaped),
            Err(panic) => resume_unwind(panic),
        }
    }
    fn is_here(&self) -> bool {
        self.process == process::id()
    }
    /// The thread, if it is there. In a forked child its handles are forgotten: a lock of the channel may be held
    /// there for ever, by a thread that does not exist.
    fn take_running(&mut self) -> Option<Running> {
        let running = self.running.take()?;
        if self.is_here() {
            return Some(running);
        }
        mem::forget(running);
        None
    }
}
impl Drop for Reaper {
    fn drop(&mut self) {
        drop(self.take_running()); // the end of the channel; the thread is not joined
    }
}

fn run<B: StreamBackend, A>(
    pool: &Weak<StreamPool<B, A>>,
    period: Period,
    orders: &Receiver<()>,
) -> Reaped {
    let mut reaped = Reaped::default();
    let mut trimmed_at = Instant::now();
    while let Ok(()) | Err(RecvTimeoutError::Timeout) = orders.recv_timeout(period.pump) {
        let Some(pool) = pool.upgrade() else { break };
        reaped.pumps += 1;
        // The pool is whole after a panic: its locks guard plain data and are let go of before foreign code runs.
        match catch_unwind(AssertUnwindSafe(|| pool.pump())) {
            Ok(pumped) => {
                reaped.destroyed += u64::from(pumped.destroyed);
                reaped.woken += u64::from(pumped.woken);
            }
            Err(panic) => reaped.note(panic),
        }
        if trimmed_at.elapsed() >= period.trim {
            match catch_unwind(AssertUnwindSafe(|| pool.trim())) {
                Ok(trimmed) => reaped.trimmed += u64::from(trimmed),
                Err(panic) => reaped.note(panic),
            }
            trimmed_at = Instant::now();
        }
    }
    reaped
}

#[cfg(test)]
mod tests;
