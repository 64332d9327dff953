//! What the handles of the signals half stand for.

use std::{mem::discriminant, sync::Arc};

use ringfence::{
    drive::{HandlerTable, HardwareQueue, Tracker},
    event::Event,
};

use super::{
    device::Device,
    listener::Listener,
    queue::Queue,
    types::{ringfence_device_t, ringfence_event_t, ringfence_queue_t, ringfence_tracker_t},
};
use crate::{
    handle::{Exclusive, Kind, Shared, Table},
    status::{Failure, ringfence_status_t as Status},
};

pub(crate) static DEVICES: Table<Arc<DeviceObject>> = Table::new(Kind::Device);
pub(crate) static QUEUES: Table<HardwareQueue<Queue>> = Table::new(Kind::Queue);
pub(crate) static TRACKERS: Table<TrackerObject> = Table::new(Kind::Tracker);
pub(crate) static EVENTS: Table<EventObject> = Table::new(Kind::Event);

pub(crate) struct DeviceObject {
    pub(crate) device: Device,
    /// Each with a number of the caller's.
    pub(crate) handlers: HandlerTable<u64>,
    pub(crate) listener: Arc<Listener>,
    /// Until it is closed: no token comes after that.
    #[cfg(feature = "hsa")]
    pub(crate) alone: std::sync::Mutex<Option<super::alone::Alone>>,
}
impl DeviceObject {
    pub(crate) fn new(device: Device) -> Self {
        Self {
            device,
            handlers: HandlerTable::new(),
            listener: Arc::default(),
            #[cfg(feature = "hsa")]
            alone: std::sync::Mutex::new(None),
        }
    }
    /// Whether signals of the other device mean something here.
    pub(crate) fn knows(&self, other: &Self) -> Result<(), Failure> {
        if discriminant(&self.device) == discriminant(&other.device) {
            return Ok(());
        }
        Err(Failure::new(
            Status::RINGFENCE_INVALID_ARGUMENT,
            format_args!(
                "the event was recorded on a device of another backend than the tracker's; wait for it on the host"
            ),
        ))
    }
}
pub(crate) struct TrackerObject {
    pub(crate) tracker: Tracker<Device, Queue>,
    pub(crate) device: Arc<DeviceObject>,
}
pub(crate) struct EventObject {
    pub(crate) event: Event,
    /// Where it was recorded last.
    pub(crate) device: Option<Arc<DeviceObject>>,
}

pub(crate) fn device_of(handle: ringfence_device_t) -> Result<Shared<Arc<DeviceObject>>, Failure> {
    DEVICES.shared(handle.handle)
}
pub(crate) fn queue_of(handle: ringfence_queue_t) -> Result<Shared<HardwareQueue<Queue>>, Failure> {
    QUEUES.shared(handle.handle)
}
pub(crate) fn tracker_of(handle: ringfence_tracker_t) -> Result<Exclusive<TrackerObject>, Failure> {
    TRACKERS.alone(handle.handle)
}
pub(crate) fn event_of(handle: ringfence_event_t) -> Result<Shared<EventObject>, Failure> {
    EVENTS.shared(handle.handle)
}
