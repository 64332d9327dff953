//! Buffer objects of libdrm: ROCr takes dma-bufs in by them, and maps them as it likes.

use std::{
    os::fd::{BorrowedFd, FromRawFd, OwnedFd},
    ptr,
};

use libc::{c_int, c_ulong, c_void};

use super::{drm::Device, files::duplicate, guard::negative, machine::Machine};
use crate::{
    abi::drm::amdgpu_bo_import_result,
    address::Address,
    errno::Errno,
    memory::{Extent, Memory, share},
};

/// A buffer object: memory that came from elsewhere.
struct Buffer {
    handle: u64,
    gpu: u32,
}
impl Buffer {
    /// # Safety
    /// `object` is one of [`amdgpu_bo_import`], and alive.
    unsafe fn at<'a>(object: *mut c_void) -> Result<&'a Self, Errno> {
        // SAFETY: made from a box there.
        unsafe { object.cast::<Self>().as_ref() }.ok_or(Errno::INVALID)
    }
    fn memory() -> Result<&'static Memory, Errno> {
        Ok(Machine::get()?.driver.memory())
    }
}

/// `amdgpu_bo_import`, of dma-bufs.
///
/// # Safety
/// As in libdrm: the device is alive, `result` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_bo_import(
    device: *mut c_void,
    kind: u32,
    shared: u32,
    result: *mut amdgpu_bo_import_result,
) -> c_int {
    const DMA_BUF: u32 = 2;
    negative(|| {
        if kind != DMA_BUF {
            return Err(Errno::INVALID);
        }
        // SAFETY: a device of libdrm's, by this function's promise.
        let device = unsafe { Device::at(device)? };
        let shared = shared.cast_signed();
        if shared < 0 {
            return Err(Errno::BAD_DESCRIPTOR);
        }
        // SAFETY: the caller's descriptor, open while it calls, and not -1.
        let shared = unsafe { BorrowedFd::borrow_raw(shared) };
        let extent = Extent::of(shared).ok_or(Errno::INVALID)?;
        // SAFETY: just made, and owned by nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(duplicate(shared)?) };
        let (handle, _) = Buffer::memory()?.adopt(device.gpu, Address::NULL, file, extent)?;
        let buffer = Box::into_raw(Box::new(Buffer { handle, gpu: device.gpu }));
        let imported =
            amdgpu_bo_import_result { buf_handle: buffer.cast(), alloc_size: extent.bytes };
        // SAFETY: the caller's result may be written.
        unsafe { ptr::write(result, imported) };
        Ok(())
    })
}
/// `amdgpu_bo_export`, as a dma-buf or as a handle of the kernel's.
///
/// # Safety
/// As in libdrm: the object is alive, `shared` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_bo_export(object: *mut c_void, kind: u32, shared: *mut u32) -> c_int {
    const DMA_BUF: u32 = 2;
    negative(|| {
        // SAFETY: by this function's promise.
        let buffer = unsafe { Buffer::at(object)? };
        let number = match kind {
            DMA_BUF => {
                use std::os::fd::IntoRawFd;
                let memory = Buffer::memory()?;
                let object = memory.object(buffer.handle)?;
                let bytes = object.bytes;
                let exported = memory.with_foreign(object.offset, |file, offset| {
                    share(file, Extent { offset, bytes }).map(|file| file.into_raw_fd())
                });
                exported.ok_or(Errno::INVALID)??.cast_unsigned()
            }
            _ => u32::try_from(buffer.handle).map_err(|_| Errno::INVALID)?,
        };
        // SAFETY: the caller's result may be written.
        unsafe { ptr::write(shared, number) };
        Ok(())
    })
}
/// `amdgpu_bo_free`.
///
/// # Safety
/// The object is one of [`amdgpu_bo_import`], and is given up.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_bo_free(object: *mut c_void) -> c_int {
    negative(|| {
        if !object.is_null() {
            // SAFETY: made from a box there, and given up here.
            let buffer = unsafe { Box::from_raw(object.cast::<Buffer>()) };
            Buffer::memory()?.free(buffer.handle)?;
        }
        Ok(())
    })
}
/// `amdgpu_bo_va_op`.
///
/// # Safety
/// As in libdrm: the object is alive.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_bo_va_op(
    object: *mut c_void,
    offset: u64,
    bytes: u64,
    at: u64,
    _flags: u64,
    operation: u32,
) -> c_int {
    const MAP: u32 = 1;
    const UNMAP: u32 = 2;
    const REPLACE: u32 = 4;
    negative(|| {
        // SAFETY: by this function's promise.
        let buffer = unsafe { Buffer::at(object)? };
        let (memory, at) = (Buffer::memory()?, Address::new(at));
        match operation {
            MAP | REPLACE => {
                let object = memory.object(buffer.handle)?;
                let end = offset.checked_add(bytes).ok_or(Errno::INVALID)?;
                if end > object.bytes || bytes == 0 {
                    return Err(Errno::INVALID);
                }
                memory.map_part(&object, buffer.gpu, at, offset, bytes);
            }
            UNMAP => memory.unmap_part(at),
            _ => return Err(Errno::INVALID),
        }
        Ok(())
    })
}
/// `amdgpu_bo_cpu_map`: anywhere, until the process ends.
///
/// # Safety
/// As in libdrm: the object is alive, `at` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_bo_cpu_map(object: *mut c_void, at: *mut *mut c_void) -> c_int {
    negative(|| {
        // SAFETY: by this function's promise.
        let buffer = unsafe { Buffer::at(object)? };
        let host = Buffer::memory()?.object(buffer.handle)?.host().ok_or(Errno::INVALID)?;
        // SAFETY: the caller's result may be written.
        unsafe { ptr::write(at, host as *mut c_void) };
        Ok(())
    })
}
/// `drmCommandWriteRead`, of the one command that ROCr gives: where a buffer object is mapped from.
///
/// # Safety
/// As in libdrm: `data` is the command's structure.
#[unsafe(no_mangle)]
unsafe extern "C" fn drmCommandWriteRead(
    _descriptor: c_int,
    command: c_ulong,
    data: *mut c_void,
    bytes: c_ulong,
) -> c_int {
    const GEM_MMAP: c_ulong = 1;
    negative(|| {
        if command != GEM_MMAP || bytes < 8 || data.is_null() {
            return Err(Errno::NOT_MODELLED);
        }
        // SAFETY: the structure starts with the handle, 4 bytes, and takes the offset in the same place.
        let handle = unsafe { ptr::read(data.cast::<u32>()) };
        let object = Buffer::memory()?.object(u64::from(handle))?;
        // SAFETY: as above; it has 8 bytes.
        unsafe { ptr::write(data.cast::<u64>(), object.offset) };
        Ok(())
    })
}
