//! What the handles of the signals half stand for.

use std::sync::Arc;

use ringfence::{
    drive::{HandlerTable, HardwareQueue, Tracker},
    event::Event,
};

use super::{
    device::Device,
    queue::Queue,
    types::{ringfence_device_t, ringfence_event_t, ringfence_queue_t, ringfence_tracker_t},
};
use crate::{
    handle::{Exclusive, Kind, Shared, Table},
    status::Failure,
};

pub(crate) static DEVICES: Table<Arc<DeviceObject>> = Table::new(Kind::Device);
pub(crate) static QUEUES: Table<HardwareQueue<Queue>> = Table::new(Kind::Queue);
pub(crate) static TRACKERS: Table<TrackerObject> = Table::new(Kind::Tracker);
pub(crate) static EVENTS: Table<EventObject> = Table::new(Kind::Event);

pub(crate) struct DeviceObject {
    pub(crate) device: Device,
    /// Each with a number of the caller's.
    pub(crate) handlers: HandlerTable<u64>,
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
