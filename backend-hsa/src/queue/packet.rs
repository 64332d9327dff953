//! Packets as the headers lay them out: 64 bytes, of which the first 4 make it a packet.

use std::mem::offset_of;

use ringfence::{
    backend::{Body, Deps, Packet, ValueWait},
    id::{Barrier, CacheScope, SignalHandle},
};

use crate::{
    api::PACKET,
    kernel::Dispatch,
    sys::{
        hsa_amd_barrier_value_packet_t as value_packet, hsa_amd_packet_type_t,
        hsa_barrier_and_packet_t as and_packet, hsa_barrier_or_packet_t as or_packet,
        hsa_fence_scope_t, hsa_kernel_dispatch_packet_setup_t as setup,
        hsa_kernel_dispatch_packet_t as kernel_packet, hsa_packet_header_t, hsa_packet_type_t,
        hsa_signal_condition_t,
    },
};

const _: () = {
    assert!(size_of::<kernel_packet>() == PACKET && size_of::<and_packet>() == PACKET);
    assert!(size_of::<or_packet>() == PACKET && size_of::<value_packet>() == PACKET);
    assert!(offset_of!(and_packet, dep_signal) == offset_of!(or_packet, dep_signal));
    let completion = offset_of!(kernel_packet, completion_signal);
    assert!(completion == offset_of!(and_packet, completion_signal));
    assert!(completion == offset_of!(or_packet, completion_signal));
    assert!(completion == offset_of!(value_packet, completion_signal));
};

/// A packet ready to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Encoded {
    /// The header, and the 16 bits behind it.
    pub(super) first_word: u32,
    /// All behind that.
    pub(super) body: [u8; PACKET - 4],
}

/// What `packet` looks like, with `address` of each signal that it names.
pub(super) fn encode(packet: &Packet<Dispatch>, address: impl Fn(SignalHandle) -> u64) -> Encoded {
    let mut bytes = Bytes([0; PACKET]);
    let (kind, second) = match &packet.body {
        Body::Kernel(dispatch) => {
            bytes.kernel(dispatch);
            (hsa_packet_type_t::HSA_PACKET_TYPE_KERNEL_DISPATCH, dimensions(dispatch))
        }
        Body::And(deps) => {
            bytes.dependencies(deps, &address);
            (hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_AND, 0)
        }
        Body::Or(deps) => {
            bytes.dependencies(deps, &address);
            (hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_OR, 0)
        }
        Body::Value(wait) => {
            bytes.value(wait, &address);
            let format = hsa_amd_packet_type_t::HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
            (hsa_packet_type_t::HSA_PACKET_TYPE_VENDOR_SPECIFIC, format.0 as u16)
        }
    };
    if !packet.completes.is_null() {
        bytes.put(offset_of!(kernel_packet, completion_signal), address(packet.completes));
    }
    let header = u32::from(header(kind, packet.barrier, packet.acquire, packet.release));
    let [_, _, _, _, body @ ..] = bytes.0;
    Encoded { first_word: header | u32::from(second) << 16, body }
}

fn header(
    kind: hsa_packet_type_t,
    order: Barrier,
    acquire: CacheScope,
    release: CacheScope,
) -> u16 {
    let scope = |scope| match scope {
        CacheScope::None => hsa_fence_scope_t::HSA_FENCE_SCOPE_NONE.0,
        CacheScope::Agent => hsa_fence_scope_t::HSA_FENCE_SCOPE_AGENT.0,
        CacheScope::System => hsa_fence_scope_t::HSA_FENCE_SCOPE_SYSTEM.0,
    };
    let barrier = u32::from(order == Barrier::Set);
    let word = kind.0 << hsa_packet_header_t::HSA_PACKET_HEADER_TYPE.0
        | barrier << hsa_packet_header_t::HSA_PACKET_HEADER_BARRIER.0
        | scope(acquire) << hsa_packet_header_t::HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE.0
        | scope(release) << hsa_packet_header_t::HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE.0;
    word as u16
}

/// As many as the grid or the work-group uses: in those beyond, both must be 1.
fn dimensions(dispatch: &Dispatch) -> u16 {
    let (grid, group) = (&dispatch.grid, &dispatch.group);
    let used = if grid.z > 1 || group.z > 1 {
        3
    } else if grid.y > 1 || group.y > 1 {
        2
    } else {
        1
    };
    used << setup::HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS.0
}

struct Bytes([u8; PACKET]);

impl Bytes {
    fn kernel(&mut self, what: &Dispatch) {
        self.put(offset_of!(kernel_packet, workgroup_size_x), what.group.x);
        self.put(offset_of!(kernel_packet, workgroup_size_y), what.group.y);
        self.put(offset_of!(kernel_packet, workgroup_size_z), what.group.z);
        self.put(offset_of!(kernel_packet, grid_size_x), what.grid.x);
        self.put(offset_of!(kernel_packet, grid_size_y), what.grid.y);
        self.put(offset_of!(kernel_packet, grid_size_z), what.grid.z);
        self.put(offset_of!(kernel_packet, private_segment_size), what.private_bytes);
        self.put(offset_of!(kernel_packet, group_segment_size), what.group_bytes);
        self.put(offset_of!(kernel_packet, kernel_object), what.kernel.address());
        self.put(offset_of!(kernel_packet, kernarg_address), what.kernarg.address());
    }

    fn dependencies(&mut self, deps: &Deps, address: &impl Fn(SignalHandle) -> u64) {
        for (index, signal) in deps.iter().enumerate() {
            self.put(offset_of!(and_packet, dep_signal) + 8 * index, address(signal));
        }
    }

    /// Waits until `signal & i64::MAX` is below the bound, as CLR has it: a value below 0 is large, and holds the packet.
    fn value(&mut self, wait: &ValueWait, address: &impl Fn(SignalHandle) -> u64) {
        self.put(offset_of!(value_packet, signal), address(wait.signal));
        self.put(offset_of!(value_packet, value), wait.below.as_i64());
        self.put(offset_of!(value_packet, mask), i64::MAX);
        self.put(offset_of!(value_packet, cond), hsa_signal_condition_t::HSA_SIGNAL_CONDITION_LT.0);
    }

    fn put<N: Number>(&mut self, at: usize, number: N) {
        number.write(&mut self.0[at..]);
    }
}

/// A field of a packet, little-endian.
trait Number {
    fn write(self, to: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Number for $number {
            #[inline]
            fn write(self, to: &mut [u8]) {
                to[..size_of::<Self>()].copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
numbers! { u16 u32 u64 i64 }
