//! Events.

use std::time::Duration;

use super::{Answer, Driver, argument::array};
use crate::{
    abi::kfd::*,
    errno::Errno,
    os::events::{Need, News, Reset, Topic, WaitEnd, Watched},
    topology::Node,
};

impl Driver {
    pub(super) fn create_event(&self, a: &mut kfd_ioctl_create_event_args) -> Answer {
        // Without an offset, the runtime believes that no thread can sleep.
        const PAGE: u64 = 1 << 62;
        if self.engine.faults(|faults| faults.refuse_event()) {
            return Err(Errno::NO_SPACE);
        }
        let topic = match a.event_type {
            KFD_IOC_EVENT_SIGNAL => Topic::Signal,
            KFD_IOC_EVENT_MEMORY => Topic::Memory,
            KFD_IOC_EVENT_HW_EXCEPTION => Topic::Hardware,
            _ => Topic::Other,
        };
        let reset = if a.auto_reset != 0 { Reset::Automatic } else { Reset::Manual };
        let event = self.events.create(topic, reset)?;
        if a.event_page_offset == 0 {
            a.event_page_offset = PAGE;
        }
        (a.event_id, a.event_slot_index, a.event_trigger_data) = (event, event, event);
        Ok(())
    }
    pub(super) fn destroy_event(&self, a: &mut kfd_ioctl_destroy_event_args) -> Answer {
        Ok(self.events.destroy(a.event_id)?)
    }
    pub(super) fn set_event(&self, a: &mut kfd_ioctl_set_event_args) -> Answer {
        Ok(self.events.raise(a.event_id)?)
    }
    pub(super) fn reset_event(&self, a: &mut kfd_ioctl_reset_event_args) -> Answer {
        Ok(self.events.reset(a.event_id)?)
    }
    pub(super) fn wait_events(&self, a: &mut kfd_ioctl_wait_events_args) -> Answer {
        const FOREVER: u32 = u32::MAX;
        let events = array::<kfd_event_data>(a.events_ptr, a.num_events)?;
        let mut watched: Vec<_> = events.iter().map(watch).collect();
        let need = if a.wait_for_all != 0 { Need::All } else { Need::Any };
        let limit = (a.timeout != FOREVER).then(|| Duration::from_millis(u64::from(a.timeout)));
        let end = self.events.wait(&mut watched, need, limit)?;
        a.wait_result = match end {
            WaitEnd::Raised => KFD_IOC_WAIT_RESULT_COMPLETE,
            WaitEnd::TimedOut => KFD_IOC_WAIT_RESULT_TIMEOUT,
        };
        for (event, watched) in events.iter_mut().zip(&watched) {
            report(event, watched);
        }
        Ok(())
    }
}

fn watch(event: &kfd_event_data) -> Watched {
    // SAFETY: every member of the union is numbers, for which every pattern of bytes is one.
    let signal = unsafe { event.__bindgen_anon_1.signal_event_data };
    let age = signal.last_event_age;
    Watched { event: event.event_id, age, topic: Topic::Other, news: News::None }
}
/// Writes what is known of an event.
fn report(event: &mut kfd_event_data, watched: &Watched) {
    let told = &mut event.__bindgen_anon_1;
    match watched.news {
        News::None if watched.topic == Topic::Signal => {
            told.signal_event_data = kfd_hsa_signal_event_data { last_event_age: watched.age };
        }
        News::None => {}
        News::Fault { gpu, at } => {
            let failure = kfd_memory_exception_failure { NotPresent: 1, ..Default::default() };
            let gpu_id = Node::of_gpu(gpu).gpu_id();
            told.memory_exception_data =
                kfd_hsa_memory_exception_data { failure, va: at, gpu_id, ErrorType: 0 };
        }
        News::Lost { gpu } => {
            const WHOLE_GPU: u32 = 0;
            const HANG: u32 = 0;
            told.hw_exception_data = kfd_hsa_hw_exception_data {
                reset_type: WHOLE_GPU,
                reset_cause: HANG,
                memory_lost: 1,
                gpu_id: Node::of_gpu(gpu).gpu_id(),
            };
        }
    }
}
