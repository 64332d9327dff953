//! What the kernel knows and tells.

use super::{Answer, Driver, argument::array};
use crate::{abi::kfd::*, errno::Errno, os::Clock, topology::Node};

impl Driver {
    pub(super) fn version(&self, a: &mut kfd_ioctl_get_version_args) -> Answer {
        a.major_version = 1;
        a.minor_version = self.settings.kfd_minor;
        Ok(())
    }
    pub(super) fn clocks(&self, a: &mut kfd_ioctl_get_clock_counters_args) -> Answer {
        let now = Clock::now();
        a.gpu_clock_counter = Clock::ticks(now);
        a.cpu_clock_counter = now.as_nanos() as u64;
        a.system_clock_counter = Clock::system().as_nanos() as u64;
        a.system_clock_freq = 1_000_000_000;
        Ok(())
    }
    pub(super) fn apertures(&self, a: &mut kfd_ioctl_get_process_apertures_new_args) -> Answer {
        let room = array(a.kfd_process_device_apertures_ptr, a.num_of_nodes)?;
        a.num_of_nodes = self.settings.gpus;
        for (gpu, aperture) in (0..self.settings.gpus).zip(room) {
            *aperture = kfd_process_device_apertures {
                lds_base: 0x1_0000_0000_0000,
                lds_limit: 0x1_0000_ffff_ffff,
                scratch_base: 0x2_0000_0000_0000,
                scratch_limit: 0x2_0000_ffff_ffff,
                gpuvm_base: 0x100_0000,
                gpuvm_limit: 0x7fff_ffff_ffff,
                gpu_id: Node::of_gpu(gpu).gpu_id(),
                pad: 0,
            };
        }
        Ok(())
    }
    pub(super) fn tile_config(&self, a: &mut kfd_ioctl_get_tile_config_args) -> Answer {
        (a.num_tile_configs, a.num_macro_tile_configs) = (0, 0);
        (a.gb_addr_config, a.num_banks, a.num_ranks) = (0, 0, 0);
        Ok(())
    }
    pub(super) fn xnack(&self, a: &mut kfd_ioctl_set_xnack_mode_args) -> Answer {
        if a.xnack_enabled > 0 {
            return Err(Errno::NOT_PERMITTED);
        }
        a.xnack_enabled = 0;
        Ok(())
    }
    pub(super) fn available(&self, a: &mut kfd_ioctl_get_available_memory_args) -> Answer {
        a.available = self.memory.available(self.gpu(a.gpu_id)?);
        Ok(())
    }
    pub(super) fn allocate_gws(&self, a: &mut kfd_ioctl_alloc_queue_gws_args) -> Answer {
        a.first_gws = 0;
        Ok(())
    }
    /// The runtime's exception handler: refused, a second start of ROCr 6.4 would fail.
    pub(super) fn enable_runtime(&self, a: &mut kfd_ioctl_runtime_enable_args) -> Answer {
        a.capabilities_mask = 0;
        Ok(())
    }
}
