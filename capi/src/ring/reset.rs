//! A GPU of HIP's that is reset under rings.

#[cfg(feature = "hip")]
mod announced;

use crate::{border::border, status::ringfence_status_t};

/// The user is about to reset a GPU (`hipDeviceReset`) on which handlers may wait for their tokens: a thread of the library's looks at
/// their signals, and would find memory that is gone. From here until `ringfence_hip_device_was_reset` returned it does not, and no
/// device of HIP's tells of a token. Waits for those who are being told, so that the caller holds nothing that they wait for. What
/// `ringfence_hip_device_was_reset` says of other threads holds from here on. It has to be called then, also where the reset failed.
///
/// Errors: `RINGFENCE_INVALID_ARGUMENT` when HIP has no such GPU; `RINGFENCE_OUT_OF_ORDER` when the reset was announced already, or
/// by who is being told of a token: that one is waited for. Threads: any, as said. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_hip_device_will_be_reset(number: u32) -> ringfence_status_t {
    border(|| {
        #[cfg(feature = "hip")]
        announced::announce(number)?;
        let _nothing_is_open = number;
        Ok(())
    })
}

/// The user reset a GPU (`hipDeviceReset`): what is open of it for rings counts as lost, and nothing of it is called or looked at
/// again. Handlers that wait for a signal of it are told of their tokens, and end in an error. Called once after the reset, before the
/// GPU is opened anew. From the reset on until this returned no other thread may be in a call on HIP's devices, and, unless the reset
/// was announced by `ringfence_hip_device_will_be_reset`, no handler may wait for a token of that GPU's. Pools are told by
/// `ringfence_pool_device_reset`.
///
/// Errors: `RINGFENCE_INVALID_ARGUMENT` when HIP has no such GPU; `RINGFENCE_OUT_OF_ORDER` while another thread announces the reset.
/// Threads: any, as said. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_hip_device_was_reset(number: u32) -> ringfence_status_t {
    border(|| {
        #[cfg(feature = "hip")]
        announced::finish(number)?;
        let _nothing_is_open = number;
        Ok(())
    })
}
