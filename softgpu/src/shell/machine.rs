//! The one machine of the process: made at the first touch, never ended.

use std::{
    io,
    num::NonZeroU32,
    ptr,
    sync::{
        Mutex,
        atomic::{AtomicPtr, Ordering},
    },
};

use super::sysfs::Sysfs;
use crate::{
    driver::Driver,
    errno::Errno,
    kernels::{Kernels, Launch, Program},
    lock,
    settings::Settings,
    topology::{self, HostFacts},
    trace,
};

/// The driver, and the folder that the topology's files are in.
pub(super) struct Machine {
    pub(super) driver: Driver,
    pub(super) sysfs: Sysfs,
}

static MACHINE: AtomicPtr<Machine> = AtomicPtr::new(ptr::null_mut());
static MAKING: Mutex<Made> = Mutex::new(Made::NotYet);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    NotYet,
    Failed,
}

impl Machine {
    /// The machine. A settings error is told once; after that there is no GPU.
    pub(super) fn get() -> Result<&'static Self, Errno> {
        if let Some(machine) = Self::made() {
            return Ok(machine);
        }
        let mut making = lock(&MAKING);
        if let Some(machine) = Self::made() {
            return Ok(machine);
        }
        if *making == Made::Failed {
            return Err(Errno::NO_DEVICE);
        }
        match Self::make() {
            Ok(machine) => {
                MACHINE.store(Box::into_raw(Box::new(machine)), Ordering::Release);
                Self::made().ok_or(Errno::NO_DEVICE)
            }
            Err(why) => {
                *making = Made::Failed;
                trace::line(&why);
                Err(Errno::NO_DEVICE)
            }
        }
    }
    /// The machine, if there is one yet.
    pub(super) fn made() -> Option<&'static Self> {
        let machine = MACHINE.load(Ordering::Acquire);
        // SAFETY: null, or made from a box above and never freed.
        unsafe { machine.as_ref() }
    }
    fn make() -> Result<Self, String> {
        let settings = Settings::from_environment().map_err(|why| why.to_string())?;
        let files = topology::files(&settings, &host()?);
        let failed = |why: io::Error| format!("no GPU can be made here: {why}");
        let sysfs = Sysfs::write(&files).map_err(failed)?;
        let driver = Driver::new(settings, Kernels::new(Box::new(of_program))).map_err(failed)?;
        // SAFETY: the handler only stores a pointer.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
        Ok(Self { driver, sysfs })
    }
}

/// A child has none of its parent's threads: it starts anew when it opens the device, as in the kernel,
/// where a process has address spaces and queues of its own.
extern "C" fn forked() {
    MACHINE.store(ptr::null_mut(), Ordering::Release);
}
extern "C" fn at_exit() {
    if let Some(machine) = Machine::made() {
        machine.sysfs.remove();
    }
}

fn host() -> Result<HostFacts, String> {
    // SAFETY: the call has a number alone for an argument.
    let ask = |name| u64::try_from(unsafe { libc::sysconf(name) }).unwrap_or(1);
    let cpus = u32::try_from(ask(libc::_SC_NPROCESSORS_ONLN)).ok().and_then(NonZeroU32::new);
    let memory = ask(libc::_SC_PHYS_PAGES) * ask(libc::_SC_PAGESIZE);
    Ok(HostFacts { cpus: cpus.unwrap_or(NonZeroU32::MIN), memory })
}

/// The program's function `ringfence_kernel_<name>`, if it exports one.
fn of_program(kernel: &str) -> Option<Program> {
    type Function = unsafe extern "C" fn(kernarg: *mut u8, packet: *const u8);
    let name = std::ffi::CString::new(format!("ringfence_kernel_{kernel}")).ok()?;
    // SAFETY: the name ends with 0.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() {
        return None;
    }
    // SAFETY: a function of this name is one of this type: that is what its name says.
    let function = unsafe { std::mem::transmute::<*mut libc::c_void, Function>(found) };
    Some(Box::new(move |launch: Launch<'_>| {
        // SAFETY: the program's own function, given what its kernel's caller gave.
        unsafe { function(launch.kernarg, launch.packet.as_ptr()) };
    }))
}
