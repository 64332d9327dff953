//! Queues of the runtime's.

use std::{
    ffi::c_void,
    mem::ManuallyDrop,
    ptr::NonNull,
    sync::atomic::{AtomicU32, Ordering},
};

use super::{AgentHandle, AgentKind, Api};
use crate::{
    error::HsaError,
    sys::{hsa_amd_queue_priority_s, hsa_queue_t, hsa_queue_type_t, hsa_signal_t, hsa_status_t},
};

/// What the runtime reports of a queue, and who is told.
pub(crate) struct QueueErrors {
    status: AtomicU32,
    tell: Box<dyn Fn(hsa_status_t) + Send + Sync>,
}

impl QueueErrors {
    /// The first status that was reported, if any.
    pub(crate) fn first(&self) -> Option<hsa_status_t> {
        match self.status.load(Ordering::Acquire) {
            0 => None,
            status => Some(hsa_status_t(status)),
        }
    }
}

impl std::fmt::Debug for QueueErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueueErrors").field("first", &self.first()).finish_non_exhaustive()
    }
}

/// A queue that several threads may use.
#[derive(Debug)]
pub(crate) struct RawQueue {
    queue: NonNull<hsa_queue_t>,
    ring: NonNull<u8>,
    size: u64,
    place: RingPlace,
    doorbell: hsa_signal_t,
    /// The runtime has them too, until it has destroyed the queue: whatever else becomes of this, they stay.
    errors: ManuallyDrop<Box<QueueErrors>>,
}

// SAFETY: the queue is of the kind that several threads may use, and the runtime's calls may come from any thread.
unsafe impl Send for RawQueue {}
// SAFETY: as above.
unsafe impl Sync for RawQueue {}

/// Where a ring is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RingPlace {
    /// In host memory.
    Host,
    /// In a device's, as with `HSA_ALLOCATE_QUEUE_DEV_MEM=1`, or the runtime does not say: the host's stores may be combined, and
    /// a fence too many does no harm.
    Device,
}

/// Bytes of a packet.
pub(crate) const PACKET: usize = 64;

unsafe extern "C" fn on_error(status: hsa_status_t, queue: *mut hsa_queue_t, data: *mut c_void) {
    let _ = queue;
    // SAFETY: `data` is the queue's `errors`, which outlive the queue and are only shared.
    let errors = unsafe { &*data.cast::<QueueErrors>() };
    let first = errors.status.compare_exchange(0, status.0, Ordering::AcqRel, Ordering::Relaxed);
    if first.is_ok() {
        crate::callback::on_runtime_thread(|| (errors.tell)(status));
    }
}

impl RawQueue {
    pub(super) fn pointer(&self) -> *mut hsa_queue_t {
        self.queue.as_ptr()
    }

    /// How many packets it holds: a power of two.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether the host's stores to its ring need a fence to keep their order.
    #[inline]
    pub(crate) fn is_in_device(&self) -> bool {
        self.place == RingPlace::Device
    }

    /// What the runtime reported of it.
    pub(crate) fn errors(&self) -> &QueueErrors {
        &self.errors
    }

    /// Writes all of the packet at `index` but for its first word.
    ///
    /// # Safety
    /// The caller reserved `index`, nobody else writes it, and the packet that had its slot before was read.
    pub(crate) unsafe fn write_body(&self, index: u64, body: &[u8; PACKET - 4]) {
        let to = self.slot(index).wrapping_add(4);
        // SAFETY: the slot lies in the ring, which lives as long as the queue, and the caller promised that it is free.
        unsafe { to.copy_from_nonoverlapping(body.as_ptr(), body.len()) };
    }

    /// Stores the first word of the packet at `index`, which makes it a packet, after all stores before.
    ///
    /// # Safety
    /// As [`write_body`](Self::write_body), which was done.
    pub(crate) unsafe fn publish(&self, index: u64, first_word: u32) {
        let word = self.slot(index).cast::<u32>();
        // SAFETY: the slot lies in the ring, is aligned to 64 bytes, and its first word is accessed as a whole alone.
        unsafe { AtomicU32::from_ptr(word) }.store(first_word, Ordering::Release);
    }

    fn slot(&self, index: u64) -> *mut u8 {
        let slot = (index & (self.size - 1)) as usize;
        self.ring.as_ptr().wrapping_add(slot * PACKET)
    }
}

impl Api {
    /// A queue of `size` packets. `tell` is called once, on a thread of the runtime, when it fails.
    pub(crate) fn create_queue(
        self,
        agent: AgentHandle,
        size: u32,
        tell: Box<dyn Fn(hsa_status_t) + Send + Sync>,
    ) -> Result<RawQueue, HsaError> {
        let errors = ManuallyDrop::new(Box::new(QueueErrors { status: AtomicU32::new(0), tell }));
        let data = std::ptr::from_ref(&**errors).cast_mut().cast();
        let mut queue: *mut hsa_queue_t = std::ptr::null_mut();
        // SAFETY: `on_error` takes what `data` is, which lives as long as the queue; `queue` is writable.
        let status = unsafe {
            self.functions().hsa_queue_create(
                agent.raw(),
                size,
                hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI.0,
                Some(on_error),
                data,
                u32::MAX,
                u32::MAX,
                &raw mut queue,
            )
        };
        if let Err(error) = self.check("hsa_queue_create", status) {
            // There is no queue that would have it.
            drop(ManuallyDrop::into_inner(errors));
            return Err(error);
        }
        // A runtime that answers with success and nothing (https://github.com/ROCm/rocm-systems/issues/9302). Who knows what it
        // made: `errors` stay.
        let nothing = HsaError::Call {
            call: "hsa_queue_create",
            status: self.status(hsa_status_t::HSA_STATUS_ERROR_INVALID_QUEUE_CREATION),
        };
        let Some(queue) = NonNull::new(queue) else { return Err(nothing) };
        // SAFETY: the runtime made the queue, and these fields are constant.
        let fields = unsafe { queue.read() };
        let Some(ring) = NonNull::new(fields.base_address.cast()) else { return Err(nothing) };
        let (size, doorbell) = (u64::from(fields.size), fields.doorbell_signal);
        if !size.is_power_of_two() {
            return Err(nothing);
        }
        let place = match self.owner_kind(ring.as_ptr()) {
            Some(AgentKind::Cpu) => RingPlace::Host,
            Some(AgentKind::Gpu | AgentKind::Other) | None => RingPlace::Device,
        };
        Ok(RawQueue { queue, ring, size, place, doorbell, errors })
    }

    /// Destroys it. Where the runtime fails to, the queue is there still and may call back: it keeps what it calls.
    ///
    /// # Safety
    /// This is not a thread of the runtime.
    pub(crate) unsafe fn destroy_queue(self, queue: RawQueue) -> Result<(), HsaError> {
        // SAFETY: it is owned, so that nobody uses it any more; the caller promised the rest.
        let status = unsafe { self.functions().hsa_queue_destroy(queue.queue.as_ptr()) };
        self.check("hsa_queue_destroy", status)?;
        // The runtime's last call is over when it has destroyed the queue.
        drop(ManuallyDrop::into_inner(queue.errors));
        Ok(())
    }

    /// How urgent its work is.
    pub(crate) fn set_priority(
        self,
        queue: &RawQueue,
        priority: hsa_amd_queue_priority_s,
    ) -> Result<(), HsaError> {
        let functions = self.functions();
        // SAFETY: the queue is there.
        let status = unsafe { functions.hsa_amd_queue_set_priority(queue.pointer(), priority) };
        self.check("hsa_amd_queue_set_priority", status)
    }

    /// Takes the next `count` indices and returns the first.
    pub(crate) fn add_write_index(self, queue: &RawQueue, count: u64) -> u64 {
        // SAFETY: the queue is there.
        unsafe { self.functions().hsa_queue_add_write_index_relaxed(queue.pointer(), count) }
    }

    /// The next index that will be taken.
    pub(crate) fn write_index(self, queue: &RawQueue) -> u64 {
        // SAFETY: the queue is there.
        unsafe { self.functions().hsa_queue_load_write_index_scacquire(queue.pointer()) }
    }

    /// The first index whose slot may not be written again.
    pub(crate) fn read_index(self, queue: &RawQueue) -> u64 {
        // SAFETY: the queue is there.
        unsafe { self.functions().hsa_queue_load_read_index_scacquire(queue.pointer()) }
    }

    /// Tells the device of all packets up to `last`.
    pub(crate) fn ring(self, queue: &RawQueue, last: u64) {
        let functions = self.functions();
        // SAFETY: the doorbell is the queue's.
        unsafe { functions.hsa_signal_store_screlease(queue.doorbell, last.cast_signed()) };
    }
}
