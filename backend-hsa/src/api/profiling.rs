//! When packets and copies ran.

use super::{AgentHandle, Api, HsaSignal, RawQueue};
use crate::{
    error::HsaError,
    sys::{hsa_amd_profiling_async_copy_time_t, hsa_status_t},
};

impl Api {
    /// Has the packets of `queue` carry times.
    pub(crate) fn stamp_packets(self, queue: &RawQueue) -> Result<(), HsaError> {
        // SAFETY: the queue is there.
        let status =
            unsafe { self.functions().hsa_amd_profiling_set_profiler_enabled(queue.pointer(), 1) };
        self.check("hsa_amd_profiling_set_profiler_enabled", status)
    }

    /// Has copies carry times, in the whole process.
    pub(crate) fn stamp_copies(self) -> Result<(), HsaError> {
        // SAFETY: no precondition.
        let status = unsafe { self.functions().hsa_amd_profiling_async_copy_enable(true) };
        self.check("hsa_amd_profiling_async_copy_enable", status)
    }

    /// Start and end of the copy that completed `signal` last, in ticks of the system's clock.
    pub(crate) fn copy_time(self, signal: HsaSignal) -> Option<[u64; 2]> {
        let mut time = hsa_amd_profiling_async_copy_time_t::default();
        let (functions, to) = (self.functions(), &raw mut time);
        // SAFETY: the signal is the runtime's, and `time` is writable.
        let status = unsafe { functions.hsa_amd_profiling_get_async_copy_time(signal.raw(), to) };
        (status == hsa_status_t::HSA_STATUS_SUCCESS).then_some([time.start, time.end])
    }

    /// A tick of `agent`'s clock as one of the system's.
    pub(crate) fn to_system_tick(self, agent: AgentHandle, tick: u64) -> Option<u64> {
        let mut system = 0;
        let (functions, agent) = (self.functions(), agent.raw());
        // SAFETY: the agent is the runtime's, and `system` is writable.
        let status = unsafe {
            functions.hsa_amd_profiling_convert_tick_to_system_domain(agent, tick, &raw mut system)
        };
        (status == hsa_status_t::HSA_STATUS_SUCCESS).then_some(system)
    }
}
