//! GPUs of HSA's, each open once: the runtime shares one between all who open it, and tells one of them of its tokens, which
//! each of them would count from 1.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use ringfence::{
    backend::{Device as _, HandlerToken},
    id::DeviceId,
};
use ringfence_hsa::HsaDevice;

use super::listener::Listener;
use crate::status::{Failure, ringfence_status_t as Status};

/// Those that are open, with who is told.
static OPEN: Mutex<BTreeMap<DeviceId, Arc<Listener>>> = Mutex::new(BTreeMap::new());

fn open() -> MutexGuard<'static, BTreeMap<DeviceId, Arc<Listener>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
/// A GPU that nobody else opens here while this exists.
pub(crate) struct Alone(DeviceId);
impl Alone {
    pub(crate) fn claim(number: DeviceId, listener: &Arc<Listener>) -> Result<Self, Failure> {
        let mut open = open();
        if open.contains_key(&number) {
            return Err(Failure::new(
                Status::RINGFENCE_IN_USE,
                format_args!(
                    "GPU {number} of HSA's is open already; share its handle, or close it first"
                ),
            ));
        }
        open.insert(number, listener.clone());
        Ok(Self(number))
    }
}
impl Drop for Alone {
    fn drop(&mut self) {
        open().remove(&self.0);
    }
}
/// The runtime reports a token: of whoever has the GPU now.
pub(super) fn told(device: &HsaDevice, token: HandlerToken) {
    let listener = open().get(&device.id()).cloned();
    if let Some(listener) = listener {
        listener.tell(token);
    }
}
