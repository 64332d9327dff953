//! Devices and queues: taken in, or AMD's own.

use std::sync::Arc;
#[cfg(feature = "hip")]
use std::sync::OnceLock;

use ringfence::{drive::HardwareQueue, id::DeviceId};

use super::{
    backend::{ringfence_device_backend_t, ringfence_queue_backend_t},
    device::{Device, DeviceTable},
    object::{DEVICES, DeviceObject, QUEUES, device_of, queue_of},
    queue::{Queue, QueueTable},
    types::{ringfence_device_t, ringfence_queue_t},
};
use crate::{
    border::border,
    place::Out,
    sized,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// `make` is called once nothing can be refused any more: a table's `release` is not called for one that came to nothing.
fn give_device(make: impl FnOnce() -> DeviceObject) -> Result<ringfence_device_t, Failure> {
    Ok(ringfence_device_t { handle: DEVICES.insert_with(|_| Arc::new(make()))? })
}
/// As `give_device`.
fn give_queue(make: impl FnOnce() -> Queue) -> Result<ringfence_queue_t, Failure> {
    Ok(ringfence_queue_t { handle: QUEUES.insert_with(|_| HardwareQueue::new(make()))? })
}
fn unsupported(backend: &str) -> Failure {
    Failure::new(
        Status::RINGFENCE_UNSUPPORTED,
        format_args!(
            "the library was built without {backend}, or the device is of another backend"
        ),
    )
}

/// Takes the caller's own device in.
///
/// Gives: `*device`, which `ringfence_device_close` ends. The table is copied; its `context` is the caller's.
/// Errors: `RINGFENCE_INCOMPLETE_TABLE`, `RINGFENCE_ABI_MISMATCH`; `release` is not called then. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_device_create(
    backend: *const ringfence_device_backend_t,
    device: Out<ringfence_device_t>,
) -> ringfence_status_t {
    border(|| {
        let device = device.there("device")?;
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let table = unsafe { sized::read(backend, "backend") }?;
        DeviceTable::check(&table)?;
        let make = || DeviceObject::new(Device::Table(Arc::new(DeviceTable::new(table))));
        device.write(give_device(make)?);
        Ok(())
    })
}
/// A GPU of AMD's HSA runtime, which is loaded now if it was not before; `number` counts its GPUs. One that is open is not
/// opened again before it is closed: share the handle.
///
/// Gives: `*device`. Errors: `RINGFENCE_NO_RUNTIME`, with what was looked for; `RINGFENCE_IN_USE` for a GPU that is open;
/// `RINGFENCE_UNSUPPORTED` when the library was built without HSA. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_open_hsa(
    number: u32,
    device: Out<ringfence_device_t>,
) -> ringfence_status_t {
    border(|| {
        let device = device.there("device")?;
        let opened = hsa_device(DeviceId::new(number))?;
        device.write(give_device(|| opened)?);
        Ok(())
    })
}
#[cfg(feature = "hsa")]
fn hsa_device(number: DeviceId) -> Result<DeviceObject, Failure> {
    let listener = Arc::default();
    let alone = super::alone::Alone::claim(number, &listener)?;
    let opened = ringfence_hsa::Runtime::start().and_then(|runtime| runtime.device(number));
    let opened = opened.map_err(|error| Failure::of(Status::RINGFENCE_NO_RUNTIME, &error))?;
    let alone = std::sync::Mutex::new(Some(alone));
    Ok(DeviceObject { listener, alone, ..DeviceObject::new(Device::Hsa(opened)) })
}
#[cfg(not(feature = "hsa"))]
fn hsa_device(_number: DeviceId) -> Result<DeviceObject, Failure> {
    Err(unsupported("HSA"))
}
/// A GPU of AMD's HIP, which is loaded now if it was not before: a ring on its streams; `number` counts its GPUs. One GPU may
/// be opened several times; a queue is of the handle that opened it.
///
/// Gives: `*device`. Errors: `RINGFENCE_NO_RUNTIME`, with what was looked for; `RINGFENCE_UNSUPPORTED` when the library was
/// built without HIP. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_open_hip(
    number: u32,
    device: Out<ringfence_device_t>,
) -> ringfence_status_t {
    border(|| {
        let device = device.there("device")?;
        let opened = hip_device(DeviceId::new(number))?;
        device.write(give_device(|| DeviceObject::new(opened))?);
        Ok(())
    })
}
/// One for all: a signal is a number of its streams, and would be another signal on others.
#[cfg(feature = "hip")]
pub(super) static ALL: OnceLock<ringfence_hip::HipStreams> = OnceLock::new();
#[cfg(feature = "hip")]
fn hip_device(number: DeviceId) -> Result<Device, Failure> {
    use ringfence_hip::{Hip, HipDevice, HipStreams, StreamOptions};
    let opened = Hip::start().and_then(|hip| {
        let all = ALL.get_or_init(|| HipStreams::new(hip, StreamOptions::default()));
        HipDevice::new(all, number)
    });
    opened.map(Device::Hip).map_err(|error| Failure::of(Status::RINGFENCE_NO_RUNTIME, &error))
}
#[cfg(not(feature = "hip"))]
fn hip_device(_number: DeviceId) -> Result<Device, Failure> {
    Err(unsupported("HIP"))
}
/// Ends the caller's interest in a device: no handler is set any more, and nobody is told. Its trackers keep it: `release` is
/// called when the last of them is closed, and the last event that was recorded there is destroyed.
///
/// Takes: `device`. Errors: `RINGFENCE_IN_USE` while handlers wait for their tokens, or somebody is being told of one: let
/// them come, handle them, and close then. Handlers of uses that were given up (by force, or with their tracker) hold nothing up: they
/// are let go of, and their `then` does not come back. Threads: any, when no other one is in a call on it. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_close(device: ringfence_device_t) -> ringfence_status_t {
    border(|| {
        let object = DEVICES.last(device.handle)?;
        object.close()?;
        drop(DEVICES.remove(object));
        super::handler::sweep();
        Ok(())
    })
}

/// Takes the caller's own hardware queue in, of which nothing is proven yet. Several trackers may share it: what one of them
/// proves, the others need not load.
///
/// Gives: `*queue`, which `ringfence_queue_close` ends. Errors: `RINGFENCE_INCOMPLETE_TABLE`, `RINGFENCE_ABI_MISMATCH`;
/// `release` is not called then. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_queue_create(
    backend: *const ringfence_queue_backend_t,
    queue: Out<ringfence_queue_t>,
) -> ringfence_status_t {
    border(|| {
        let queue = queue.there("queue")?;
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let table = unsafe { sized::read(backend, "backend") }?;
        QueueTable::check(&table)?;
        queue.write(give_queue(|| Queue::Table(Arc::new(QueueTable::new(table))))?);
        Ok(())
    })
}
#[cfg(feature = "hsa")]
fn hsa_queue(device: &ringfence_hsa::HsaDevice, of: &Arc<DeviceObject>) -> Result<Queue, Failure> {
    let failed = |error| Failure::of(Status::RINGFENCE_DRIVER, &error);
    let made = device.create_queue(Default::default()).map_err(failed)?;
    Ok(Queue::Hsa(made, device.empty_kernel().map_err(failed)?, of.clone()))
}
#[cfg(feature = "hip")]
fn hip_queue(device: &ringfence_hip::HipDevice, of: &Arc<DeviceObject>) -> Result<Queue, Failure> {
    use ringfence::{
        backend::Device as _,
        id::{DeviceContext, StreamKey},
    };
    let made = device.create_queue(StreamKey::new(DeviceContext::primary(device.id())));
    made.map(|made| Queue::Hip(made, of.clone()))
        .map_err(|error| Failure::of(Status::RINGFENCE_DRIVER, &error))
}
/// Makes a queue of a device of HSA's or HIP's own, for trackers on that device.
///
/// Gives: `*queue`. Errors: `RINGFENCE_DRIVER`, with what the runtime said; `RINGFENCE_UNSUPPORTED` for a device of the
/// caller's. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_queue_open(
    device: ringfence_device_t,
    queue: Out<ringfence_queue_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, queue) = (device_of(device)?, queue.there("queue")?);
        let made = match &object.device {
            #[cfg(feature = "hsa")]
            Device::Hsa(device) => hsa_queue(device, &object),
            #[cfg(feature = "hip")]
            Device::Hip(device) => hip_queue(device, &object),
            Device::Table(_) => Err(unsupported("queues of the caller's devices")),
        }?;
        queue.write(give_queue(|| made)?);
        Ok(())
    })
}
/// The stream (`hipStream_t`) behind a queue of HIP's: kernels are launched there by HIP's own calls, in order with the
/// queue's packets, and are proven by the markers behind them.
///
/// Errors: `RINGFENCE_UNSUPPORTED` for other queues. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_queue_stream(
    queue: ringfence_queue_t,
    stream: Out<u64>,
) -> ringfence_status_t {
    border(|| {
        let (object, stream) = (queue_of(queue)?, stream.there("stream")?);
        match &**object {
            #[cfg(feature = "hip")]
            Queue::Hip(queue, _) => {
                stream.write(queue.stream().as_u64());
                Ok(())
            }
            _ => {
                let _ = stream;
                Err(unsupported("streams behind queues of other backends"))
            }
        }
    })
}
/// Ends the caller's interest in a queue. Its trackers keep it.
///
/// Takes: `queue`. Errors: of handles. Threads: any, when no other one is in a call on it. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_queue_close(queue: ringfence_queue_t) -> ringfence_status_t {
    border(|| QUEUES.take(queue.handle).map(drop))
}
