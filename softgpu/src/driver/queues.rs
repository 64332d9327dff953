//! Queues.

use super::{Answer, Driver};
use crate::{
    abi::{aql, kfd::*},
    address::Address,
    errno::Errno,
    lock,
    os::{DeviceFile, Mode, NewQueue},
    processor::Place,
    settings::Trace,
    trace,
};

impl Driver {
    pub(super) fn create_queue(&self, a: &mut kfd_ioctl_create_queue_args) -> Answer {
        let gpu = self.gpu(a.gpu_id)?;
        if self.engine.is_lost(gpu) {
            return Err(Errno::IO);
        }
        if self.engine.faults(|faults| faults.refuse_queue()) {
            return Err(Errno::NO_MEMORY);
        }
        let (read, write) =
            (Address::new(a.read_pointer_address), Address::new(a.write_pointer_address));
        let (ring, bytes) = (Address::new(a.ring_base_address), u64::from(a.ring_size));
        let mode = match a.queue_type {
            KFD_IOC_QUEUE_TYPE_COMPUTE_AQL => Mode::Aql(Place {
                ring,
                packets: bytes / aql::BYTES as u64,
                read_index: read,
                write_index: write,
                save_area: Address::new(a.ctx_save_restore_address),
            }),
            KFD_IOC_QUEUE_TYPE_SDMA
            | KFD_IOC_QUEUE_TYPE_SDMA_XGMI
            | KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID => {
                Mode::Sdma { ring, bytes, read, write, rate: self.settings.copy_rate }
            }
            _ => return Err(Errno::INVALID),
        };
        let doorbell = self.device.take(gpu).ok_or(Errno::NO_MEMORY)?;
        let mut queues = lock(&self.queues);
        let id = (0..).find(|id| !queues.contains_key(id)).expect("fewer than 2^32 queues");
        if let Err(why) = self.engine.add(NewQueue { id, doorbell, mode }) {
            self.device.give(doorbell);
            trace::line(&format!("no queue was made: {why}"));
            return Err(why.into());
        }
        queues.insert(id, doorbell);
        a.queue_id = id;
        a.doorbell_offset = DeviceFile::doorbell_offset(gpu) + 8 * u64::from(doorbell.number);
        trace::at(&self.settings, Trace::Objects, || {
            format!("queue {id} of GPU {gpu}: type {}, {bytes} bytes at {ring}", a.queue_type)
        });
        Ok(())
    }
    pub(super) fn destroy_queue(&self, a: &mut kfd_ioctl_destroy_queue_args) -> Answer {
        let mut queues = lock(&self.queues);
        let doorbell = queues.remove(&a.queue_id).ok_or(Errno::INVALID)?;
        self.engine.end(a.queue_id);
        self.device.give(doorbell);
        trace::at(&self.settings, Trace::Objects, || format!("queue {} is gone", a.queue_id));
        Ok(())
    }
    pub(super) fn update_queue(&self, a: &mut kfd_ioctl_update_queue_args) -> Answer {
        if !lock(&self.queues).contains_key(&a.queue_id) {
            return Err(Errno::INVALID);
        }
        self.engine.suspend(a.queue_id, a.queue_percentage == 0);
        Ok(())
    }
}
