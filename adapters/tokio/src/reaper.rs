//! Who pumps the pool.

use std::{
    panic::resume_unwind,
    sync::{Arc, Weak},
    time::Duration,
};

use ringfence::{
    backend::streams::StreamBackend,
    drive::{Pumped, StreamPool},
};
use tokio::{
    sync::oneshot,
    task::{JoinHandle, spawn_blocking},
    time::{Instant, timeout},
};

/// How often a reaper does what.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reaped {
    /// Pumps.
    pub pumps: u64,
    /// Streams destroyed by pumps.
    pub destroyed: u64,
    /// Idle streams let go of.
    pub trimmed: u64,
    /// Tasks woken.
    pub woken: u64,
}
impl Reaped {
    fn add(&mut self, round: Round) {
        self.pumps += 1;
        self.destroyed += u64::from(round.pumped.destroyed);
        self.woken += u64::from(round.pumped.woken);
        self.trimmed += u64::from(round.trimmed);
    }
}
/// What one round did.
struct Round {
    pumped: Pumped,
    trimmed: u32,
}

/// Pumps a pool from the runtime, on a thread where blocking is allowed: destroying a stream may take as long
/// as the driver likes.
///
/// Dropping it ends it and waits for nothing: a pump in progress goes on to its end.
/// [`stop`](Self::stop) waits for that. It also ends when the pool is dropped, which it does not keep
/// alive, and with its runtime.
///
/// Streams that are idle when it ends stay: [`StreamPool::shutdown`] destroys them.
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
    /// # Panics
    /// When a pump panicked: with its panic, which is the driver's, or one of a destructor that it called.
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
    while timeout(period.pump, &mut stopped).await.is_err() {
        let Some(pool) = pool.upgrade() else { break };
        let trims = trimmed_at.elapsed() >= period.trim;
        if trims {
            trimmed_at = Instant::now();
        }
        let round =
            move || Round { pumped: pool.pump(), trimmed: if trims { pool.trim() } else { 0 } };
        match spawn_blocking(round).await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(round) => reaped.add(round),
            Err(Ok(panic)) => resume_unwind(panic),
            Err(Err(_cancelled)) => break,
        }
    }
    reaped
}
