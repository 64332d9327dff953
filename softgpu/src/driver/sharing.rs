//! Memory that goes from one process, or from one library, to another.

use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};

use super::{Answer, Driver};
use crate::{
    abi::kfd::*,
    address::Address,
    errno::Errno,
    memory::{Extent, Kind, Object, open_descriptor, share},
    topology::Node,
};

/// `kfd_ioctl_ipc_export_handle_args` of AMD's own kernels (ROCm/ROCK-Kernel-Driver, `kfd_ioctl.h`);
/// Linux has none.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct ExportHandle {
    handle: u64,
    shared: [u32; 4],
    gpu_id: u32,
    flags: u32,
}
/// `kfd_ioctl_ipc_import_handle_args`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct ImportHandle {
    handle: u64,
    va_addr: u64,
    mmap_offset: u64,
    shared: [u32; 4],
    gpu_id: u32,
    flags: u32,
}

impl Driver {
    /// The part of a file that an object is.
    fn with_extent<R>(
        &self,
        handle: u64,
        act: impl FnOnce(BorrowedFd<'_>, Extent) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let object = self.memory.object(handle)?;
        let Object { offset, bytes, gpu, .. } = object;
        match object.kind {
            Kind::Own(_) => self.memory.with_file(gpu, |file| act(file, Extent { offset, bytes })),
            Kind::Foreign(_) => self
                .memory
                .with_foreign(offset, |file, offset| act(file, Extent { offset, bytes }))
                .unwrap_or(Err(Errno::INVALID)),
            Kind::Registered(_) | Kind::Io(_) => Err(Errno::INVALID),
        }
    }
    pub(super) fn export(&self, a: &mut kfd_ioctl_export_dmabuf_args) -> Answer {
        let shared = self.with_extent(a.handle, |file, extent| Ok(share(file, extent)?))?;
        a.dmabuf_fd = shared.into_raw_fd().cast_unsigned();
        Ok(())
    }
    pub(super) fn shared_facts(&self, a: &mut kfd_ioctl_get_dmabuf_info_args) -> Answer {
        let (_, extent) = descriptor(a.dmabuf_fd)?;
        a.size = extent.bytes;
        a.metadata_size = 0;
        a.gpu_id = Node::of_gpu(0).gpu_id();
        a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
        Ok(())
    }
    pub(super) fn import(&self, a: &mut kfd_ioctl_import_dmabuf_args) -> Answer {
        let (file, extent) = descriptor(a.dmabuf_fd)?;
        let gpu = self.gpu(a.gpu_id)?;
        let (handle, _) = self.memory.adopt(gpu, Address::new(a.va_addr), file, extent)?;
        a.handle = handle;
        Ok(())
    }
    pub(super) fn export_handle(&self, a: &mut ExportHandle) -> Answer {
        let pages = |bytes: u64| u32::try_from(bytes >> 12).map_err(|_| Errno::INVALID);
        a.shared = self.with_extent(a.handle, |file, extent| {
            let descriptor = file.as_raw_fd().cast_unsigned();
            Ok([std::process::id(), descriptor, pages(extent.offset)?, pages(extent.bytes)?])
        })?;
        Ok(())
    }
    pub(super) fn import_handle(&self, a: &mut ImportHandle) -> Answer {
        let [process, descriptor, offset, bytes] = a.shared;
        let file = open_descriptor(process, descriptor.cast_signed())?;
        let extent = Extent { offset: u64::from(offset) << 12, bytes: u64::from(bytes) << 12 };
        let gpu = self.gpu(a.gpu_id)?;
        let (handle, object) = self.memory.adopt(gpu, Address::new(a.va_addr), file, extent)?;
        (a.handle, a.mmap_offset) = (handle, object.offset);
        a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM
            | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE
            | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE
            | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
        Ok(())
    }
}

/// A shared descriptor, and what it says.
fn descriptor(number: u32) -> Result<(OwnedFd, Extent), Errno> {
    let number = number.cast_signed();
    if number < 0 {
        return Err(Errno::BAD_DESCRIPTOR);
    }
    // SAFETY: the caller's descriptor, open while its request runs, and not -1.
    let shared = unsafe { BorrowedFd::borrow_raw(number) };
    let extent = Extent::of(shared).ok_or(Errno::INVALID)?;
    Ok((shared.try_clone_to_owned()?, extent))
}
