//! Packets by kind: looked at in their ring when their doorbell rings, before the device hears of it.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use ringfence_hsa::sys::{hsa_amd_packet_type_t, hsa_packet_type_t, hsa_queue_t, hsa_signal_t};
use ringfence_softgpu_programs::count::Kind;

/// What the vendor's barrier-value packet has behind its header.
const BARRIER_VALUE: u32 = hsa_amd_packet_type_t::HSA_AMD_PACKET_TYPE_BARRIER_VALUE.0;
/// Work-items that a work-group has at most.
const MOST_IN_GROUP: u32 = 1024;
/// Bytes of a packet.
const PACKET: u64 = 64;

struct Ring {
    queue: usize,
    doorbell: u64,
    base: u64,
    size: u64,
    /// All below were counted.
    counted_below: u64,
}

static RINGS: Mutex<Vec<Ring>> = Mutex::new(Vec::new());

fn rings() -> MutexGuard<'static, Vec<Ring>> {
    RINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A queue was made.
///
/// # Safety
/// It is there.
pub(crate) unsafe fn learn(queue: *const hsa_queue_t) {
    // SAFETY: the caller's promise; these fields are constant.
    let fields = unsafe { queue.read() };
    rings().push(Ring {
        queue: queue.addr(),
        doorbell: fields.doorbell_signal.handle,
        base: fields.base_address as u64,
        size: u64::from(fields.size),
        counted_below: 0,
    });
}

/// It is about to be destroyed.
pub(crate) fn forget(queue: *const hsa_queue_t) {
    rings().retain(|ring| ring.queue != queue.addr());
}

/// The doorbell of a queue that is there.
pub(crate) struct Doorbell {
    rings: MutexGuard<'static, Vec<Ring>>,
    at: usize,
}

impl Doorbell {
    /// The one that `signal` is, if it is one.
    pub(crate) fn of(signal: hsa_signal_t) -> Option<Self> {
        let rings = rings();
        let at = rings.iter().position(|ring| ring.doorbell == signal.handle)?;
        Some(Self { rings, at })
    }

    /// Notes each packet up to `last` that no earlier ring told of.
    pub(crate) fn packets_up_to(mut self, last: u64, note: impl Fn(Kind)) {
        let ring = &mut self.rings[self.at];
        while ring.counted_below <= last {
            note(ring.kind(ring.counted_below));
            ring.counted_below += 1;
        }
    }
}

impl Ring {
    fn kind(&self, index: u64) -> Kind {
        let slot = self.base + index % self.size * PACKET;
        let word = |offset: u64| {
            // SAFETY: the slot lies in the ring of a queue that is there, and its first words are aligned; the device writes
            // them as whole words as well.
            unsafe { AtomicU32::from_ptr((slot + offset) as *mut u32) }.load(Ordering::Acquire)
        };
        let first = word(0);
        let vendor = first >> 16 & 0xff;
        match hsa_packet_type_t(first & 0xff) {
            hsa_packet_type_t::HSA_PACKET_TYPE_KERNEL_DISPATCH => Kind::Kernel,
            hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_AND
            | hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_OR => Kind::Barrier,
            hsa_packet_type_t::HSA_PACKET_TYPE_VENDOR_SPECIFIC if vendor == BARRIER_VALUE => {
                Kind::BarrierValue
            }
            // The device has read it already, on the ring of an earlier packet. A kernel has a width of its work-groups in z
            // where the others have the lower half of a signal's address, or zeros.
            hsa_packet_type_t::HSA_PACKET_TYPE_INVALID => match word(8) {
                1..=MOST_IN_GROUP => Kind::Kernel,
                _ => Kind::Read,
            },
            _ => Kind::Other,
        }
    }
}
