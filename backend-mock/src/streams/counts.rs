//! What the driver was asked to do, and what that costs in the model.

use std::time::Duration;

use ringfence::id::Bytes;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A kind of driver call.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum CallKind { $($(#[$doc])* $name,)* }
        impl CallKind {
            /// All.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }
    };
}
kinds! {
    /// `create`.
    Create,
    /// `destroy`.
    Destroy,
    /// `capture_status`.
    Status,
    /// `query`.
    Query,
    /// `exchange_capture_mode`.
    ExchangeMode,
    /// `create_event`.
    CreateEvent,
    /// `destroy_event`.
    DestroyEvent,
    /// `record_event`.
    Record,
    /// `stream_wait`.
    StreamWait,
    /// `query_event`.
    QueryEvent,
    /// `synchronize_event`.
    SynchronizeEvent,
    /// `begin_capture`.
    BeginCapture,
    /// `end_capture`.
    EndCapture,
    /// `launch_graph`.
    LaunchGraph,
    /// `destroy_graph`.
    DestroyGraph,
    /// `allocate`.
    Allocate,
    /// `free`.
    Free,
    /// `open_progress`.
    OpenProgress,
    /// `close_progress`.
    CloseProgress,
    /// `mark`.
    Mark,
    /// `observe`: a load, no call of the driver.
    Observe,
    /// `wait_progress`.
    WaitProgress,
    /// `launch`.
    Launch,
    /// The user's synchronisation of a stream.
    Synchronize,
    /// The user's synchronous allocation.
    Malloc,
    /// The user's synchronous free.
    FreeNow,
    /// The user's synchronous copy.
    CopyNow,
    /// The user's synchronisation of the device.
    DeviceSync,
    /// The user's reset of a device.
    DeviceReset,
    /// The user's host function.
    HostFunction,
}

/// What was done so far. Times and host memory are a model, not silicon.
///
/// ```
/// # use ringfence::{drive::StreamPool, error::StreamError, id::*, stream::PoolOptions};
/// use ringfence_mock::streams::{CallKind, profile::DriverProfile, system::MockStreams};
/// # let driver = MockStreams::new(DriverProfile::Hip57);
/// # let pool = StreamPool::new(driver.clone(), PoolOptions::default());
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// drop(pool.acquire(key)?);
/// let before = driver.counts();
/// drop(pool.acquire(key)?); // the same stream again: it was never used
/// let after = driver.counts();
/// assert_eq!(after.driver_calls(), before.driver_calls());
/// assert_eq!(after.of(CallKind::Create), 2); // the task's, and the one that frees memory
/// # Ok::<(), StreamError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamCounts {
    calls: [u64; CallKind::ALL.len()],
    /// Streams that exist.
    pub live: u32,
    /// The most that ever did.
    pub peak_live: u32,
    /// Streams created since the start.
    pub created: u64,
    /// Creations under way at this moment.
    pub creating: u32,
    /// The most that ever were.
    pub peak_creating: u32,
    /// Pinned host memory of streams and hardware queues: a model, not silicon.
    pub host_bytes: Bytes,
    /// The most that ever was.
    pub peak_host_bytes: Bytes,
    /// Host time of all calls, waits aside: a model, not silicon.
    pub call_time: Duration,
    /// Host time spent in waits, in virtual time.
    pub wait_time: Duration,
    /// How long a destroy, or a wait for the device, kept all other threads out (HIP 5.2).
    pub locked_out: Duration,
}
impl Default for StreamCounts {
    fn default() -> Self {
        Self {
            calls: [0; CallKind::ALL.len()],
            live: 0,
            peak_live: 0,
            created: 0,
            creating: 0,
            peak_creating: 0,
            host_bytes: Bytes::default(),
            peak_host_bytes: Bytes::default(),
            call_time: Duration::ZERO,
            wait_time: Duration::ZERO,
            locked_out: Duration::ZERO,
        }
    }
}
impl StreamCounts {
    /// Calls of this kind.
    pub const fn of(&self, kind: CallKind) -> u64 {
        self.calls[kind as usize]
    }
    /// Calls of the driver: all kinds but the loads of progress words.
    pub fn driver_calls(&self) -> u64 {
        self.calls.iter().sum::<u64>() - self.of(CallKind::Observe)
    }
    /// Host time of calls and waits together: a model, not silicon.
    pub fn host_time(&self) -> Duration {
        self.call_time + self.wait_time
    }
    pub(super) fn called(&mut self, kind: CallKind) {
        self.calls[kind as usize] += 1;
    }
    pub(super) fn hold(&mut self, bytes: Bytes) {
        self.host_bytes = Bytes::new(self.host_bytes.as_u64() + bytes.as_u64());
        self.peak_host_bytes = self.peak_host_bytes.max(self.host_bytes);
    }
    pub(super) fn give_back(&mut self, bytes: Bytes) {
        self.host_bytes = Bytes::new(self.host_bytes.as_u64().saturating_sub(bytes.as_u64()));
    }
}
