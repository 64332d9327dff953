//! What the user's own code does, past the library.

use std::ops::Deref;

use ringfence::{
    backend::streams::{StreamState, StreamWait},
    error::DriverError,
    id::{Bytes, DeviceId, RawMemory, RawStream},
};

use super::{
    super::{
        counts::CallKind,
        model::Asked,
        seen::{Call, Declaration, Touches},
    },
    MockStreams, submit,
};

/// A driver in the hands of the user's own code: every call of the backend traits, by way of `Deref`, and
/// those that a pool never makes. The oracle knows them for the user's.
///
/// ```
/// # use ringfence::{backend::streams::*, drive::*, error::StreamError, id::*, stream::PoolOptions};
/// use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};
/// # let driver = MockStreams::new(DriverProfile::Hip57);
/// # let pool = StreamPool::new(driver.clone(), PoolOptions::default());
/// # let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// let user = driver.user(); // a program beside the pool
/// let own = user.create(key).expect("nothing is planned to fail");
/// assert!(matches!(pool.wrap_external(own, key)?, Wrapped::External(_)));
/// assert_eq!(user.synchronize(own), StreamWait::Finished);
/// # Ok::<(), StreamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct User(MockStreams);
impl Deref for User {
    type Target = MockStreams;
    fn deref(&self) -> &MockStreams {
        &self.0
    }
}

/// The stream that synchronous calls are shown with.
const NULL: RawStream = RawStream::new(0);

impl User {
    pub(super) fn new(driver: MockStreams) -> Self {
        Self(driver)
    }
    /// Waits on the host for a stream (`hipStreamSynchronize`). The oracle sees a query.
    pub fn synchronize(&self, stream: RawStream) -> StreamWait {
        self.act(|model, by| {
            let Asked { answer, invalidated } = model.synchronize(by, stream);
            let outcome = match answer {
                StreamWait::Finished => StreamState::Idle,
                StreamWait::TimedOut => StreamState::Pending,
                StreamWait::Unknown => StreamState::Unknown,
                StreamWait::Failed(error) => StreamState::Failed(error),
            };
            (answer, Call::Query { stream, outcome, invalidated })
        })
    }
    /// Allocates at once (`hipMalloc`). The oracle sees an allocation on the null stream.
    ///
    /// # Errors
    /// When captures refuse it.
    pub fn malloc(&self, bytes: Bytes, device: DeviceId) -> Result<RawMemory, DriverError> {
        self.act(|model, by| {
            let outcome = model.malloc(by, bytes, device).answer;
            (outcome, Call::Allocate { bytes, stream: NULL, outcome })
        })
    }
    /// Frees at once, and waits for the device (`hipFree`). The oracle sees a free on the null stream.
    ///
    /// # Errors
    /// When captures refuse it, or the memory is none.
    pub fn free_now(&self, memory: RawMemory) -> Result<(), DriverError> {
        self.act(|model, by| {
            let outcome = model.free_now(by, memory).answer;
            let stream = NULL;
            (outcome, Call::Free { memory, stream, op: None, recorded: false, outcome })
        })
    }
    /// A synchronous copy (`hipMemcpy`). No rule speaks of it, and the oracle sees none.
    ///
    /// # Errors
    /// While captures refuse it.
    pub fn copy_now(&self) -> Result<(), DriverError> {
        self.act_unseen(CallKind::CopyNow, |model, by| model.copy_now(by)).answer
    }
    /// Waits on the host for all devices (`hipDeviceSynchronize`). No rule speaks of it, and the oracle
    /// sees but the work that ends.
    pub fn device_sync(&self) -> StreamWait {
        self.act_unseen(CallKind::DeviceSync, |model, by| model.device_sync(by)).answer
    }
    /// Destroys all streams of a device (`hipDeviceReset`), and says so to the oracle.
    ///
    /// # Errors
    /// When the driver may not be called.
    pub fn device_reset(&self, device: DeviceId) -> Result<(), DriverError> {
        self.act_unseen(CallKind::DeviceReset, |model, by| model.device_reset(by, device))?;
        self.declare(Declaration::Reset { device });
        Ok(())
    }
    /// A host function in a stream's order (`hipLaunchHostFunc`). The oracle sees work.
    ///
    /// # Errors
    /// For a handle of nothing, an invalidated capture.
    pub fn host_function(&self, stream: RawStream) -> Result<(), DriverError> {
        self.act(|model, by| {
            let (op, recorded, outcome) = submit::parts(model.host_function(by, stream));
            let touches = Touches::default();
            (outcome, Call::Launch { stream, op, touches, recorded, outcome })
        })
    }
    /// The calling thread's last error, which is forgotten (`hipGetLastError`).
    pub fn take_last_error(&self) -> Option<DriverError> {
        let mut inner = self.inner();
        let thread = inner.thread();
        inner.model.take_last_error(thread)
    }
}
