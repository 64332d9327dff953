//! The few functions of libdrm that the runtime calls.

use std::{
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    ptr,
};

use libc::{c_char, c_int, c_void};

use super::{
    files::{duplicate, open_render},
    guard::{guarded, negative},
    machine::Machine,
    requests::same_file,
};
use crate::{abi::drm::amdgpu_gpu_info, errno::Errno, os::Clock};

/// A device as libdrm has it: a descriptor of its own.
pub(super) struct Device {
    file: OwnedFd,
    pub(super) gpu: u32,
}
impl Device {
    /// # Safety
    /// `device` is one of [`amdgpu_device_initialize`], and alive.
    pub(super) unsafe fn at<'a>(device: *mut c_void) -> Result<&'a Self, Errno> {
        // SAFETY: made from a box there.
        unsafe { device.cast::<Self>().as_ref() }.ok_or(Errno::INVALID)
    }
}

/// `drmOpenRender`.
#[unsafe(no_mangle)]
extern "C" fn drmOpenRender(minor: c_int) -> c_int {
    guarded(-1, || open_render(u32::try_from(minor).map_err(|_| Errno::INVALID)?))
}
/// `drmClose`.
#[unsafe(no_mangle)]
extern "C" fn drmClose(descriptor: c_int) -> c_int {
    // SAFETY: the caller gives up a descriptor that it owns.
    unsafe { libc::close(descriptor) }
}
/// `amdgpu_device_initialize`.
///
/// # Safety
/// As in libdrm: the three pointers may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_device_initialize(
    descriptor: c_int,
    major: *mut u32,
    minor: *mut u32,
    device: *mut *mut c_void,
) -> c_int {
    negative(|| {
        let machine = Machine::get()?;
        let is_of =
            |gpu: &u32| machine.driver.memory().with_file(*gpu, |file| same_file(descriptor, file));
        let mut gpus = 0..machine.driver.settings().gpus;
        let gpu = gpus.find(is_of).ok_or(Errno::INVALID)?;
        // SAFETY: the caller's descriptor, open while it calls.
        let copy = duplicate(unsafe { BorrowedFd::borrow_raw(descriptor) })?;
        // SAFETY: just made, and owned by nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(copy) };
        // SAFETY: the caller's pointers may be written.
        unsafe { ptr::write(major, 3) };
        // SAFETY: as above.
        unsafe { ptr::write(minor, 57) };
        // SAFETY: as above.
        unsafe { *device = Box::into_raw(Box::new(Device { file, gpu })).cast() };
        Ok(())
    })
}
/// `amdgpu_device_deinitialize`.
///
/// # Safety
/// The device is one of [`amdgpu_device_initialize`], and is given up.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_device_deinitialize(device: *mut c_void) -> c_int {
    if !device.is_null() {
        // SAFETY: made from a box there, and given up here.
        drop(unsafe { Box::from_raw(device.cast::<Device>()) });
    }
    0
}
/// `amdgpu_device_get_fd`.
///
/// # Safety
/// The device is one of [`amdgpu_device_initialize`].
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_device_get_fd(device: *mut c_void) -> c_int {
    // SAFETY: by this function's promise.
    unsafe { Device::at(device) }.map_or(-1, |device| device.file.as_raw_fd())
}
/// `amdgpu_query_gpu_info`.
///
/// # Safety
/// The device is one of [`amdgpu_device_initialize`]; `facts` may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn amdgpu_query_gpu_info(
    _device: *mut c_void,
    facts: *mut amdgpu_gpu_info,
) -> c_int {
    negative(|| {
        let model = Machine::get()?.driver.settings().gfx.model();
        let known = amdgpu_gpu_info {
            family_id: model.family,
            gpu_counter_freq: Clock::KHZ,
            ..Default::default()
        };
        // SAFETY: the caller's structure may be written.
        unsafe { ptr::write(facts, known) };
        Ok(())
    })
}
/// `amdgpu_get_marketing_name`.
#[unsafe(no_mangle)]
extern "C" fn amdgpu_get_marketing_name(_device: *mut c_void) -> *const c_char {
    guarded(ptr::null(), || {
        Ok(Machine::get()?.driver.settings().gfx.model().marketing_name.as_ptr())
    })
}
