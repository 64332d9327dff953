//! Resets that were announced and are not over: between two calls of C.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use ringfence::id::DeviceId;
use ringfence_hip::{DeviceReset, HipError};

use crate::{
    ring::open::ALL,
    status::{Failure, ringfence_status_t as Status},
};

/// By GPU. `None` while listeners are waited for.
static ANNOUNCED: Mutex<BTreeMap<DeviceId, Option<DeviceReset>>> = Mutex::new(BTreeMap::new());

/// Not held while listeners are waited for: one of them may announce a reset, and is refused.
fn announced() -> MutexGuard<'static, BTreeMap<DeviceId, Option<DeviceReset>>> {
    ANNOUNCED.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn announce(number: u32) -> Result<(), Failure> {
    let (Some(all), gpu) = (ALL.get(), DeviceId::new(number)) else { return Ok(()) };
    {
        let mut announced = announced();
        if announced.contains_key(&gpu) {
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "the reset of {gpu} was announced already; say by `ringfence_hip_device_was_reset` when it is over"
                ),
            ));
        }
        announced.insert(gpu, None);
    }
    match all.device_will_be_reset(gpu) {
        Ok(reset) => {
            announced().insert(gpu, Some(reset));
            Ok(())
        }
        Err(error) => {
            announced().remove(&gpu);
            Err(refused(&error))
        }
    }
}

pub(super) fn finish(number: u32) -> Result<(), Failure> {
    let (Some(all), gpu) = (ALL.get(), DeviceId::new(number)) else { return Ok(()) };
    let reset = {
        let mut announced = announced();
        if matches!(announced.get(&gpu), Some(None)) {
            return Err(Failure::new(
                Status::RINGFENCE_OUT_OF_ORDER,
                format_args!(
                    "the reset of {gpu} is being announced; reset it once `ringfence_hip_device_will_be_reset` has returned"
                ),
            ));
        }
        announced.remove(&gpu).flatten()
    };
    match reset {
        Some(reset) => {
            reset.finish();
            Ok(())
        }
        None => all.device_was_reset(gpu).map_err(|error| refused(&error)),
    }
}

fn refused(error: &HipError) -> Failure {
    let status = match error {
        HipError::InListener => Status::RINGFENCE_OUT_OF_ORDER,
        _ => Status::RINGFENCE_INVALID_ARGUMENT,
    };
    Failure::of(status, error)
}
