//! Packets, laid out as the headers say.

use std::mem::offset_of;

use ringfence_hsa::sys::{
    hsa_amd_barrier_value_packet_t as value_packet, hsa_amd_packet_type_t,
    hsa_barrier_and_packet_t as barrier_packet, hsa_fence_scope_t,
    hsa_kernel_dispatch_packet_t as kernel_packet, hsa_packet_header_t, hsa_packet_type_t,
    hsa_signal_condition_t, hsa_signal_t,
};

/// A packet to be submitted.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    header: u16,
    bytes: [u8; 64],
}

/// Whether a packet waits for all before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// It does: the barrier bit.
    AfterAll,
    /// It does not.
    Free,
}

impl Packet {
    /// A kernel of one work-group.
    #[must_use]
    pub fn kernel(object: u64, kernarg: u64) -> Self {
        Self::new(hsa_packet_type_t::HSA_PACKET_TYPE_KERNEL_DISPATCH)
            .put(offset_of!(kernel_packet, setup), &1_u16.to_le_bytes())
            .put(offset_of!(kernel_packet, workgroup_size_x), &64_u16.to_le_bytes())
            .put(offset_of!(kernel_packet, workgroup_size_y), &1_u16.to_le_bytes())
            .put(offset_of!(kernel_packet, workgroup_size_z), &1_u16.to_le_bytes())
            .put(offset_of!(kernel_packet, grid_size_x), &64_u32.to_le_bytes())
            .put(offset_of!(kernel_packet, grid_size_y), &1_u32.to_le_bytes())
            .put(offset_of!(kernel_packet, grid_size_z), &1_u32.to_le_bytes())
            .put(offset_of!(kernel_packet, kernel_object), &object.to_le_bytes())
            .put(offset_of!(kernel_packet, kernarg_address), &kernarg.to_le_bytes())
    }

    /// A barrier that waits until all of `dependencies` (at most 5) are 0.
    #[must_use]
    pub fn and(dependencies: &[hsa_signal_t]) -> Self {
        Self::new(hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_AND).depends(dependencies)
    }

    /// A barrier that waits until one of `dependencies` (at most 5) is 0.
    #[must_use]
    pub fn or(dependencies: &[hsa_signal_t]) -> Self {
        Self::new(hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_OR).depends(dependencies)
    }

    /// AMD's barrier that waits until `signal & mask` compares with `value` as `condition` says.
    #[must_use]
    pub fn value(
        signal: hsa_signal_t,
        mask: i64,
        condition: hsa_signal_condition_t,
        value: i64,
    ) -> Self {
        let format = hsa_amd_packet_type_t::HSA_AMD_PACKET_TYPE_BARRIER_VALUE.0 as u8;
        Self::new(hsa_packet_type_t::HSA_PACKET_TYPE_VENDOR_SPECIFIC)
            .put(2, &[format])
            .put(offset_of!(value_packet, signal), &signal.handle.to_le_bytes())
            .put(offset_of!(value_packet, value), &value.to_le_bytes())
            .put(offset_of!(value_packet, mask), &mask.to_le_bytes())
            .put(offset_of!(value_packet, cond), &condition.0.to_le_bytes())
    }

    /// A packet of no type that there is.
    #[must_use]
    pub fn bad() -> Self {
        Self::new(hsa_packet_type_t(17))
    }

    /// The same, which decrements `signal` when it is complete.
    #[must_use]
    pub fn completes(self, signal: hsa_signal_t) -> Self {
        const { assert!(offset_of!(kernel_packet, completion_signal) == 56) }
        const { assert!(offset_of!(barrier_packet, completion_signal) == 56) }
        const { assert!(offset_of!(value_packet, completion_signal) == 56) }
        self.put(56, &signal.handle.to_le_bytes())
    }

    /// The same in this order.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        let bit = 1 << hsa_packet_header_t::HSA_PACKET_HEADER_BARRIER.0;
        match order {
            Order::AfterAll => self.header |= bit,
            Order::Free => self.header &= !bit,
        }
        self
    }

    /// The first 32 bits, which publish the packet.
    pub(super) fn first_word(&self) -> u32 {
        let [_, _, a, b, ..] = self.bytes;
        u32::from(self.header) | u32::from(u16::from_le_bytes([a, b])) << 16
    }

    /// All, the first 32 bits apart.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[4..]
    }

    fn new(kind: hsa_packet_type_t) -> Self {
        let scope = hsa_fence_scope_t::HSA_FENCE_SCOPE_SYSTEM.0 as u16;
        let header = kind.0 as u16
            | scope << hsa_packet_header_t::HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE.0
            | scope << hsa_packet_header_t::HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE.0;
        Self { header, bytes: [0; 64] }
    }

    fn depends(self, dependencies: &[hsa_signal_t]) -> Self {
        assert!(dependencies.len() <= 5, "a barrier packet has 5 dependencies");
        let at = offset_of!(barrier_packet, dep_signal);
        dependencies.iter().enumerate().fold(self, |packet, (index, signal)| {
            packet.put(at + 8 * index, &signal.handle.to_le_bytes())
        })
    }

    fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }
}
