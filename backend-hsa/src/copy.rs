//! The runtime's copies.

use std::{
    ffi::c_void,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ringfence::{
    backend::{CopyEngine, CopyRefused, DeviceStatus, PartIndex},
    id::{Generation, LaneId, PacketId, QueueId, SignalHandle},
};

use crate::{
    api::HsaSignal,
    device::HsaDevice,
    error::HsaError,
    memory::{Buffer, MemoryPlace, Place},
    signals::{self, Held},
};

/// Dependencies of a copy that are handed over without an allocation.
const FEW: usize = 8;

/// One copy, or one part of one: so many bytes from one place to another.
///
/// ```no_run
/// use ringfence_hsa::{CopyWork, HsaDevice, HsaError, MemoryPlace};
/// # fn upload(gpu: &HsaDevice, data: &[u8]) -> Result<(), HsaError> {
/// let mut from = gpu.allocate(MemoryPlace::Host, data.len())?;
/// let to = gpu.allocate(MemoryPlace::Device, data.len())?;
/// from.write(0, data);
/// // SAFETY: both buffers are kept, and used by nobody, until the copy is seen to be over.
/// let upload = unsafe { CopyWork::new(to.place(0), from.place(0), data.len()) };
/// # let _never_submitted = upload;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CopyWork {
    to: Place,
    from: Place,
    bytes: usize,
    /// The start of a runtime that its buffers end with; none if whoever made it promised to keep them.
    runtime: Option<u32>,
}

impl CopyWork {
    /// A copy of `bytes`; one of none is refused when it is submitted.
    ///
    /// # Safety
    /// Whenever it is submitted, and until that is complete: both ranges lie in their buffers, which are there, and nobody uses
    /// them against the order of the copy: no thread of the host reads or writes `to`, or writes `from`.
    #[must_use]
    pub const unsafe fn new(to: Place, from: Place, bytes: usize) -> Self {
        Self { to, from, bytes, runtime: None }
    }
}

/// The runtime's copies between a device, the host and other devices: by SDMA engines, or by kernels on queues of the runtime's,
/// which it chooses. Their completions are in no order.
///
/// Signals in device memory are refused, as completion and as dependency: no call of the runtime takes a raw block, and
/// `hsa_amd_memory_async_copy` takes no device signal (<https://github.com/ROCm/rocm-systems/pull/11212>). Record what a copy
/// waits for in host memory, or as a twin.
///
/// ```no_run
/// # use ringfence::{drive::*, event::*, wait::WaitPolicy};
/// use ringfence_hsa::{CopyWork, HsaDevice, HsaQueue};
/// # fn copied(gpu: &HsaDevice, tracker: &mut Tracker<HsaDevice, HsaQueue>, upload: CopyWork) -> Result<(), Box<dyn std::error::Error>> {
/// let engine = gpu.copy_engine()?;
/// let record = tracker.copy(&engine, CopySubmission::new(&[upload]), None)?;
/// let mut copied = Event::new(EventOptions::default());
/// copied.record_copy(record);
/// copied.synchronize(gpu, &WaitPolicy::default())?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct HsaCopyEngine(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: HsaDevice,
    lane: LaneId,
    next: AtomicU64,
    /// The ends of [`HsaCopyEngine::idle_copy`], once one was asked for.
    idle: Mutex<Option<(Buffer, Buffer)>>,
}

impl HsaDevice {
    /// The runtime's copies from and to this device, under a lane of their own. Copies carry times from now on, in the whole
    /// process: each that is submitted here switches them on again, for whoever has switched them off meanwhile.
    ///
    /// # Errors
    /// Whatever the runtime says.
    pub fn copy_engine(&self) -> Result<HsaCopyEngine, HsaError> {
        self.runtime().api().stamp_copies()?;
        let lane = LaneId::new(QueueId::unique(), Generation::FIRST);
        Ok(HsaCopyEngine(Arc::new(Inner {
            device: self.clone(),
            lane,
            next: AtomicU64::new(0),
            idle: Mutex::default(),
        })))
    }
}

impl HsaCopyEngine {
    /// The device that it copies from and to.
    #[must_use]
    pub fn device(&self) -> &HsaDevice {
        &self.0.device
    }

    /// A copy of 4 KiB from the host's memory to the device's, in buffers that this engine keeps and nobody else uses: for
    /// demonstrations, tests and measurements. It goes with the [`Runtime`](crate::Runtime): engines of a later one refuse it.
    ///
    /// # Errors
    /// Whatever the runtime says: the buffers cannot be allocated.
    pub fn idle_copy(&self) -> Result<CopyWork, HsaError> {
        const BYTES: usize = 4096;
        let mut idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let (to, from) = match &*idle {
            Some(ends) => ends,
            None => {
                let allocate = |place| self.0.device.allocate(place, BYTES);
                &*idle.insert((allocate(MemoryPlace::Device)?, allocate(MemoryPlace::Host)?))
            }
        };
        // SAFETY: both buffers have that many bytes and are there until the runtime ends, whose engines alone take it; nothing of
        // what they hold is read or written but by these copies, which all move the same.
        let copy = unsafe { CopyWork::new(to.place(0), from.place(0), BYTES) };
        Ok(CopyWork { runtime: Some(self.0.device.runtime().number()), ..copy })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A copy may still run, or be submitted to another engine: the memory goes with the runtime.
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((to, from)) = idle {
            to.leave_to_runtime();
            from.leave_to_runtime();
        }
    }
}

impl CopyEngine for HsaCopyEngine {
    type Work = CopyWork;

    fn lane(&self) -> LaneId {
        self.0.lane
    }

    fn reserve(&self) -> PacketId {
        PacketId::new(self.0.next.fetch_add(1, Ordering::Relaxed))
    }

    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: CopyWork,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        let _ = (at, part);
        if work.bytes == 0 {
            // The runtime takes it, and never decrements the signal.
            return Err(CopyRefused::Failed);
        }
        if work.runtime.is_some_and(|own| own != self.0.device.runtime().number()) {
            // Its buffers ended with another start of the runtime.
            return Err(CopyRefused::Failed);
        }
        if self.0.device.0.life().status() == DeviceStatus::Lost {
            return Err(CopyRefused::DeviceLost);
        }
        let (_held, completes) = self.for_calls(completes)?;
        // All are held until the runtime has them.
        let mut few = [completes; FEW];
        let mut few_held = [const { None }; FEW];
        let (many_held, many): (Vec<_>, Vec<_>);
        let waits = if let Some(few) = few.get_mut(..waits.len()) {
            for ((to, held), signal) in few.iter_mut().zip(&mut few_held).zip(waits) {
                let (own, one) = self.for_calls(*signal)?;
                (*to, *held) = (one, Some(own));
            }
            &*few
        } else {
            let all = waits.iter().map(|signal| self.for_calls(*signal));
            (many_held, many) = all.collect::<Result<_, _>>()?;
            let _: &Vec<Held<'_>> = &many_held;
            &many
        };
        let to = (work.to.address as *mut c_void, work.to.agent);
        let from = (work.from.address as *const c_void, work.from.agent);
        let api = self.0.device.runtime().api();
        // Anybody in the process may have switched the times off, and the signal would keep those of the copy that it completed
        // last. To switch them on takes less than 0.1 us; what is left is a thread that switches them off before the next call.
        api.stamp_copies().map_err(|_| CopyRefused::Failed)?;
        // SAFETY: whoever made `work` promised that the ranges are there until it is complete.
        unsafe { api.copy(to, from, work.bytes, waits, completes) }.map_err(|_| CopyRefused::Failed)
    }
}

impl HsaCopyEngine {
    fn for_calls(&self, signal: SignalHandle) -> Result<(Held<'_>, HsaSignal), CopyRefused> {
        let held = signals::hold(&self.0.device.0, signal).ok_or(CopyRefused::Failed)?;
        let one = held.for_calls().ok_or(CopyRefused::SignalMemory)?;
        Ok((held, one))
    }
}
