//! Queues: reserve, publish in order, ring the doorbell.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence_hsa::sys::{
    hsa_amd_queue_priority_s, hsa_queue_t, hsa_queue_type_t, hsa_signal_t, hsa_status_t,
};

use super::{Agent, Packet, Runtime};

/// A queue, destroyed on drop.
#[derive(Debug)]
pub struct Queue<'r> {
    runtime: &'r Runtime,
    queue: *mut hsa_queue_t,
    base: *mut u8,
    size: u64,
    doorbell: hsa_signal_t,
    errors: Box<QueueErrors>,
}

// SAFETY: the queue is of the kind that several threads may use, and the runtime's calls may come from any thread.
unsafe impl Send for Queue<'_> {}
// SAFETY: as above.
unsafe impl Sync for Queue<'_> {}

/// What the runtime reported of a queue.
#[derive(Debug, Default)]
pub struct QueueErrors {
    status: AtomicU32,
    calls: AtomicU32,
}

impl QueueErrors {
    /// The first status reported, waited for so long.
    #[must_use]
    pub fn first(&self, limit: Duration) -> Option<hsa_status_t> {
        let until = Instant::now() + limit;
        loop {
            match self.status.load(Ordering::Acquire) {
                0 if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
                0 => return None,
                status => return Some(hsa_status_t(status)),
            }
        }
    }

    /// How often the callback was called.
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::Acquire)
    }
}

extern "C" fn on_error(status: hsa_status_t, queue: *mut hsa_queue_t, errors: *mut c_void) {
    let _ = queue;
    // SAFETY: `errors` is the queue's box, which outlives the queue, and is only shared.
    let errors = unsafe { &*errors.cast::<QueueErrors>() };
    errors.calls.fetch_add(1, Ordering::AcqRel);
    let first = errors.status.compare_exchange(0, status.0, Ordering::AcqRel, Ordering::Relaxed);
    println!("queue error callback: {:#x} (first: {})", status.0, first.is_ok());
}

impl<'r> Queue<'r> {
    /// A queue of `size` packets that several threads may submit to.
    #[must_use]
    pub fn new(agent: &Agent<'r>, size: u32) -> Self {
        Self::create(agent, size).unwrap_or_else(|status| {
            panic!("hsa_queue_create: {}", agent.runtime().describe(status))
        })
    }

    /// The same, or the status that the runtime answered instead.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn create(agent: &Agent<'r>, size: u32) -> Result<Self, hsa_status_t> {
        let runtime = agent.runtime();
        let errors: Box<QueueErrors> = Box::default();
        let data = std::ptr::from_ref(&*errors).cast_mut().cast();
        let mut queue: *mut hsa_queue_t = std::ptr::null_mut();
        // SAFETY: `on_error` takes what `data` is, which lives as long as the queue; `queue` is writable.
        let status = unsafe {
            runtime.functions().hsa_queue_create(
                agent.handle(),
                size,
                hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI.0,
                Some(on_error),
                data,
                u32::MAX,
                u32::MAX,
                &raw mut queue,
            )
        };
        if status != hsa_status_t::HSA_STATUS_SUCCESS {
            return Err(status);
        }
        // SAFETY: the runtime made the queue; these fields are constant.
        let hsa_queue_t { base_address, size, doorbell_signal, .. } = unsafe { queue.read() };
        let (base, size) = (base_address.cast(), u64::from(size));
        Ok(Self { runtime, queue, base, size, doorbell: doorbell_signal, errors })
    }

    /// How many packets it holds.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What the runtime reported of it.
    #[must_use]
    pub fn errors(&self) -> &QueueErrors {
        &self.errors
    }

    /// The index of the first packet that may not be overwritten yet.
    #[must_use]
    pub fn read_index(&self) -> u64 {
        // SAFETY: the queue is there.
        unsafe { self.runtime.functions().hsa_queue_load_read_index_scacquire(self.queue) }
    }

    /// The index that the next packet gets.
    #[must_use]
    pub fn write_index(&self) -> u64 {
        // SAFETY: the queue is there.
        unsafe { self.runtime.functions().hsa_queue_load_write_index_scacquire(self.queue) }
    }

    /// Submits one packet; waits while the queue is full. Returns its index.
    pub fn submit(&self, packet: &Packet) -> u64 {
        let index = self.publish(packet);
        self.ring(index);
        index
    }

    /// Submits packets with one ring of the doorbell, unless the queue is full meanwhile.
    pub fn submit_all(&self, packets: &[Packet]) {
        let mut last = None;
        for packet in packets {
            if let Some(last) = last.filter(|last| last + 1 >= self.read_index() + self.size) {
                self.ring(last);
            }
            last = Some(self.publish(packet));
        }
        if let Some(last) = last {
            self.ring(last);
        }
    }

    /// Changes its priority.
    #[must_use]
    pub fn set_priority(&self, priority: hsa_amd_queue_priority_s) -> hsa_status_t {
        // SAFETY: the queue is there.
        unsafe { self.runtime.functions().hsa_amd_queue_set_priority(self.queue, priority) }
    }

    /// Has it run on the compute units whose bits are set alone.
    #[must_use]
    pub fn set_compute_units(&self, mask: &[u32]) -> hsa_status_t {
        let bits = u32::try_from(32 * mask.len()).expect("few compute units");
        // SAFETY: `mask` has so many bits.
        unsafe {
            self.runtime.functions().hsa_amd_queue_cu_set_mask(self.queue, bits, mask.as_ptr())
        }
    }

    /// Has packets carry times.
    pub fn profile(&self) {
        // SAFETY: the queue is there.
        let status = unsafe {
            self.runtime.functions().hsa_amd_profiling_set_profiler_enabled(self.queue, 1)
        };
        self.runtime.ok("hsa_amd_profiling_set_profiler_enabled", status);
    }

    /// Ends all processing, and nothing more.
    #[must_use]
    pub fn inactivate(&self) -> hsa_status_t {
        // SAFETY: the queue is there.
        unsafe { self.runtime.functions().hsa_queue_inactivate(self.queue) }
    }

    fn publish(&self, packet: &Packet) -> u64 {
        // SAFETY: the queue is there.
        let index = unsafe {
            self.runtime.functions().hsa_queue_add_write_index_scacq_screl(self.queue, 1)
        };
        // No packet's place is free before the packet a ring earlier was read.
        while index >= self.read_index() + self.size {
            thread::yield_now();
        }
        let slot = self.base.wrapping_add((index % self.size) as usize * 64);
        let rest = packet.rest();
        // SAFETY: the slot lies in the ring, its old packet was read, and the index reserves it for this call alone.
        unsafe { slot.wrapping_add(4).copy_from_nonoverlapping(rest.as_ptr(), rest.len()) };
        // SAFETY: a slot is aligned to 64 bytes, and its first word is read and written atomically alone.
        let first = unsafe { AtomicU32::from_ptr(slot.cast()) };
        first.store(packet.first_word(), Ordering::Release);
        index
    }

    fn ring(&self, index: u64) {
        let value = index.cast_signed();
        // SAFETY: the doorbell is the queue's.
        unsafe { self.runtime.functions().hsa_signal_store_screlease(self.doorbell, value) };
    }
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once, and nothing submits any more.
        let status = unsafe { self.runtime.functions().hsa_queue_destroy(self.queue) };
        if !thread::panicking() {
            self.runtime.ok("hsa_queue_destroy", status);
        }
    }
}
