//! `hsa_amd_signal_create_v2`, which no header that the bindings are generated from has yet.
//!
//! Declared after the series that brings it to ROCr (AMD interface 1.31),
//! <https://github.com/ROCm/rocm-systems/pull/11212>.

use super::{hsa_agent_t, hsa_signal_t, hsa_signal_value_t, hsa_status_t};

/// Creates the `num_descs` signals that `descs` describes, each on its own: the first error is returned, a descriptor that
/// failed has the handle 0, and the others are valid.
pub type SignalCreateV2 =
    unsafe extern "C" fn(descs: *mut SignalCreateDesc, num_descs: u32) -> hsa_status_t;

/// In [`SignalCreateDesc::flags`]: the signal's block lies in its only consumer's own memory. The host may then load and store
/// its value, and nothing else.
pub const SIGNAL_CREATE_DEVICE_MEM_VALUE_WORD: u16 = 1;

/// `hsa_amd_signal_create_desc_t`: one signal to be created. What is reserved must be 0.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SignalCreateDesc {
    /// Of this struct: 1.
    pub version: u16,
    /// Where the signal's block is to lie; a bit that the runtime does not know is an error.
    pub flags: u16,
    /// 0.
    pub reserved_header: [u8; 4],
    /// The signal's first value.
    pub initial_value: hsa_signal_value_t,
    /// Of `hsa_amd_signal_attribute_t`.
    pub attributes: u64,
    /// How many `consumers` there are; 0: any agent may wait for it.
    pub num_consumers: u32,
    /// 0.
    pub reserved_count: u32,
    /// The agents that may wait for it.
    pub consumers: *const hsa_agent_t,
    /// What was created.
    pub signal: hsa_signal_t,
    /// 0.
    pub reserved: [u64; 2],
}

const _: () = {
    assert!(size_of::<SignalCreateDesc>() == 64);
    assert!(std::mem::offset_of!(SignalCreateDesc, initial_value) == 8);
    assert!(std::mem::offset_of!(SignalCreateDesc, num_consumers) == 24);
    assert!(std::mem::offset_of!(SignalCreateDesc, consumers) == 32);
    assert!(std::mem::offset_of!(SignalCreateDesc, signal) == 40);
};
