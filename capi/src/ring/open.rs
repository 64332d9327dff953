//! Devices and queues: taken in, or AMD's own.

use std::{mem::MaybeUninit, sync::Arc};

use ringfence::{
    drive::{HandlerTable, HardwareQueue},
    id::DeviceId,
};

use super::{
    backend::{ringfence_device_backend_t, ringfence_queue_backend_t},
    device::{Device, DeviceTable},
    object::{DEVICES, DeviceObject, QUEUES, device_of, queue_of},
    queue::{Queue, QueueTable},
    types::{ringfence_device_t, ringfence_queue_t},
};
use crate::{
    border::{border, there},
    sized,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

fn give_device(device: Device) -> Result<ringfence_device_t, Failure> {
    let object = DeviceObject { device, handlers: HandlerTable::new() };
    Ok(ringfence_device_t { handle: DEVICES.insert(Arc::new(object))? })
}
fn give_queue(queue: Queue) -> Result<ringfence_queue_t, Failure> {
    Ok(ringfence_queue_t { handle: QUEUES.insert(HardwareQueue::new(queue))? })
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
    device: Option<&mut MaybeUninit<ringfence_device_t>>,
) -> ringfence_status_t {
    border(|| {
        let device = there(device, "device")?;
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let table = unsafe { sized::read(backend, "backend") }?;
        device.write(give_device(Device::Table(Arc::new(DeviceTable::new(table)?)))?);
        Ok(())
    })
}
/// A GPU of AMD's HSA runtime, which is loaded now if it was not before; `number` counts its GPUs.
///
/// Gives: `*device`. Errors: `RINGFENCE_NO_RUNTIME`, with what was looked for; `RINGFENCE_UNSUPPORTED` when the library was
/// built without HSA. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_open_hsa(
    number: u32,
    device: Option<&mut MaybeUninit<ringfence_device_t>>,
) -> ringfence_status_t {
    border(|| {
        let device = there(device, "device")?;
        device.write(give_device(hsa_device(DeviceId::new(number))?)?);
        Ok(())
    })
}
#[cfg(feature = "hsa")]
fn hsa_device(number: DeviceId) -> Result<Device, Failure> {
    let opened = ringfence_hsa::Runtime::start().and_then(|runtime| runtime.device(number));
    opened.map(Device::Hsa).map_err(|error| Failure::of(Status::RINGFENCE_NO_RUNTIME, &error))
}
#[cfg(not(feature = "hsa"))]
fn hsa_device(_number: DeviceId) -> Result<Device, Failure> {
    Err(unsupported("HSA"))
}
/// A GPU of AMD's HIP, which is loaded now if it was not before: a ring on its streams; `number` counts its GPUs.
///
/// Gives and errors: as `ringfence_device_open_hsa`. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_open_hip(
    number: u32,
    device: Option<&mut MaybeUninit<ringfence_device_t>>,
) -> ringfence_status_t {
    border(|| {
        let device = there(device, "device")?;
        device.write(give_device(hip_device(DeviceId::new(number))?)?);
        Ok(())
    })
}
#[cfg(feature = "hip")]
fn hip_device(number: DeviceId) -> Result<Device, Failure> {
    use ringfence_hip::{Hip, HipDevice, HipStreams, StreamOptions};
    let opened = Hip::start()
        .and_then(|hip| HipDevice::new(&HipStreams::new(hip, StreamOptions::default()), number));
    opened.map(Device::Hip).map_err(|error| Failure::of(Status::RINGFENCE_NO_RUNTIME, &error))
}
#[cfg(not(feature = "hip"))]
fn hip_device(_number: DeviceId) -> Result<Device, Failure> {
    Err(unsupported("HIP"))
}
/// Ends the caller's interest in a device. Its trackers keep it: `release` is called when the last of them is closed, and
/// the last event that was recorded there is destroyed.
///
/// Takes: `device`. Errors: of handles. Threads: any, when no other one is in a call on it. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_device_close(device: ringfence_device_t) -> ringfence_status_t {
    border(|| {
        drop(DEVICES.take(device.handle)?);
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
    queue: Option<&mut MaybeUninit<ringfence_queue_t>>,
) -> ringfence_status_t {
    border(|| {
        let queue = there(queue, "queue")?;
        // SAFETY: the caller's structure, by the rules at the top of the header.
        let table = unsafe { sized::read(backend, "backend") }?;
        queue.write(give_queue(Queue::Table(Arc::new(QueueTable::new(table)?)))?);
        Ok(())
    })
}
#[cfg(feature = "hsa")]
fn hsa_queue(device: &ringfence_hsa::HsaDevice) -> Result<Queue, Failure> {
    let failed = |error| Failure::of(Status::RINGFENCE_DRIVER, &error);
    let made = device.create_queue(Default::default()).map_err(failed)?;
    Ok(Queue::Hsa(made, device.empty_kernel().map_err(failed)?))
}
#[cfg(feature = "hip")]
fn hip_queue(device: &ringfence_hip::HipDevice) -> Result<Queue, Failure> {
    use ringfence::{
        backend::Device as _,
        id::{DeviceContext, StreamKey},
    };
    let made = device.create_queue(StreamKey::new(DeviceContext::primary(device.id())));
    made.map(Queue::Hip).map_err(|error| Failure::of(Status::RINGFENCE_DRIVER, &error))
}
/// Makes a queue of a device of HSA's or HIP's own.
///
/// Gives: `*queue`. Errors: `RINGFENCE_DRIVER`, with what the runtime said; `RINGFENCE_UNSUPPORTED` for a device of the
/// caller's. Threads: any. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_queue_open(
    device: ringfence_device_t,
    queue: Option<&mut MaybeUninit<ringfence_queue_t>>,
) -> ringfence_status_t {
    border(|| {
        let (object, queue) = (device_of(device)?, there(queue, "queue")?);
        let made = match &object.device {
            #[cfg(feature = "hsa")]
            Device::Hsa(device) => hsa_queue(device),
            #[cfg(feature = "hip")]
            Device::Hip(device) => hip_queue(device),
            Device::Table(_) => Err(unsupported("queues of the caller's devices")),
        }?;
        queue.write(give_queue(made)?);
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
    stream: Option<&mut MaybeUninit<u64>>,
) -> ringfence_status_t {
    border(|| {
        let (object, stream) = (queue_of(queue)?, there(stream, "stream")?);
        match &**object {
            #[cfg(feature = "hip")]
            Queue::Hip(queue) => {
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
