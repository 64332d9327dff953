//! Memory.

use super::{Answer, Driver, argument::array};
use crate::{
    abi::kfd::*,
    address::Address,
    errno::Errno,
    memory::{Kind, Part},
    os::DeviceFile,
    settings::Trace,
    trace,
};

impl Driver {
    pub(super) fn allocate(&self, a: &mut kfd_ioctl_alloc_memory_of_gpu_args) -> Answer {
        let gpu = self.gpu(a.gpu_id)?;
        if self.engine.faults(|faults| faults.refuse_memory()) {
            return Err(Errno::NO_MEMORY);
        }
        let has = |flag| a.flags & flag != 0;
        let kind = match () {
            () if has(KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) => {
                Kind::Io(DeviceFile::doorbell_offset(gpu))
            }
            () if has(KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) => {
                Kind::Io(DeviceFile::register_offset(gpu))
            }
            () if has(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) => Kind::Registered(a.mmap_offset),
            () if has(KFD_IOC_ALLOC_MEM_FLAGS_VRAM) => Kind::Own(Part::Vram),
            () if has(KFD_IOC_ALLOC_MEM_FLAGS_GTT) => Kind::Own(Part::System),
            () => return Err(Errno::INVALID),
        };
        if let Kind::Registered(host) = kind {
            small_pages(host, a.size);
        }
        let at = Address::new(a.va_addr);
        let (handle, object) = self.memory.allocate(gpu, at, a.size, kind)?;
        (a.handle, a.mmap_offset) = (handle, object.offset);
        trace::at(&self.settings, Trace::All, || {
            format!("memory {handle} of GPU {gpu}: {kind:?}, {:#x} bytes at {at}", a.size)
        });
        Ok(())
    }
    pub(super) fn free(&self, a: &mut kfd_ioctl_free_memory_of_gpu_args) -> Answer {
        Ok(self.memory.free(a.handle)?)
    }
    pub(super) fn map(&self, a: &mut kfd_ioctl_map_memory_to_gpu_args) -> Answer {
        let ids = array::<u32>(a.device_ids_array_ptr, a.n_devices)?;
        for &id in ids.iter().skip(a.n_success as usize) {
            self.memory.map(a.handle, self.gpu(id)?)?;
            a.n_success += 1;
        }
        Ok(())
    }
    pub(super) fn unmap(&self, a: &mut kfd_ioctl_unmap_memory_from_gpu_args) -> Answer {
        let ids = array::<u32>(a.device_ids_array_ptr, a.n_devices)?;
        for &id in ids.iter().skip(a.n_success as usize) {
            self.memory.unmap(a.handle, self.gpu(id)?)?;
            a.n_success += 1;
        }
        Ok(())
    }
}

/// Asks for small pages where memory of the host is registered.
///
/// A queue of an MI300X has 186 MB of such memory for its context, of which the runtime touches one word
/// in each XCC's part, right after this: with large pages, eight times 2 MB would be cleared.
fn small_pages(host: u64, bytes: u64) {
    let at = host as *mut libc::c_void;
    // SAFETY: advice changes no contents. If the range is not mapped, the call says so, and nobody
    // needs to know.
    unsafe { libc::madvise(at, bytes as usize, libc::MADV_NOHUGEPAGE) };
}
