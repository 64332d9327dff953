//! The kernel driver: what `ioctl` on `/dev/kfd` does.

mod argument;
mod events;
mod facts;
mod memory;
mod queues;
mod sharing;

use std::{collections::BTreeMap, io, sync::Mutex};

pub use argument::Argument;

use crate::{
    errno::Errno,
    kernels::Kernels,
    memory::Memory,
    os::{DeviceFile, Engine, Events, Slot},
    settings::{Settings, Trace},
    topology::Node,
    trace,
};

/// What becomes of a request.
type Answer = Result<(), Errno>;

/// The driver of this process's GPUs.
pub struct Driver {
    settings: Settings,
    device: DeviceFile,
    memory: &'static Memory,
    events: &'static Events,
    engine: Engine,
    queues: Mutex<BTreeMap<u32, Slot>>,
}

impl Driver {
    /// The machine that `settings` describe. Nothing of it ever ends: the runtime above tears down after
    /// the process's own destructors have run.
    pub fn new(settings: Settings, kernels: Kernels) -> io::Result<Self> {
        let device = DeviceFile::new(settings.gpus)?;
        let memory = Box::leak(Box::new(Memory::new(&settings, device.registers())?));
        let events = Box::leak(Box::new(Events::new(&settings)));
        let engine = Engine::start(&settings, memory, events, kernels)?;
        Ok(Self { settings, device, memory, events, engine, queues: Mutex::default() })
    }
    /// How the machine behaves.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// The file that stands for `/dev/kfd`.
    pub fn device(&self) -> &DeviceFile {
        &self.device
    }
    /// Device memory.
    pub fn memory(&self) -> &Memory {
        self.memory
    }
    /// The GPU with this number of the kernel's, from 0.
    fn gpu(&self, id: u32) -> Result<u32, Errno> {
        Node::of_gpu_id(id, &self.settings).and_then(Node::gpu).ok_or(Errno::INVALID)
    }
    /// Does request number `number` (`_IOC_NR`) of the kernel's interface.
    pub fn request(&self, number: u8, argument: Argument) -> Result<(), Errno> {
        let done = self.dispatch(number, argument);
        trace::at(&self.settings, Trace::All, || format!("request {number:#04x}: {done:?}"));
        done
    }
    fn dispatch(&self, number: u8, argument: Argument) -> Answer {
        match number {
            0x01 => argument.with(|a| self.version(a)),
            0x02 => argument.with(|a| self.create_queue(a)),
            0x03 => argument.with(|a| self.destroy_queue(a)),
            0x05 => argument.with(|a| self.clocks(a)),
            0x07 => argument.with(|a| self.update_queue(a)),
            0x08 => argument.with(|a| self.create_event(a)),
            0x09 => argument.with(|a| self.destroy_event(a)),
            0x0a => argument.with(|a| self.set_event(a)),
            0x0b => argument.with(|a| self.reset_event(a)),
            0x0c => argument.with(|a| self.wait_events(a)),
            0x12 => argument.with(|a| self.tile_config(a)),
            0x14 => argument.with(|a| self.apertures(a)),
            0x16 => argument.with(|a| self.allocate(a)),
            0x17 => argument.with(|a| self.free(a)),
            0x18 => argument.with(|a| self.map(a)),
            0x19 => argument.with(|a| self.unmap(a)),
            0x1c => argument.with(|a| self.shared_facts(a)),
            0x1d => argument.with(|a| self.import(a)),
            0x1e => argument.with(|a| self.allocate_gws(a)),
            0x21 => argument.with(|a| self.xnack(a)),
            0x23 => argument.with(|a| self.available(a)),
            0x24 => argument.with(|a| self.export(a)),
            0x25 => argument.with(|a| self.enable_runtime(a)),
            0x80 => argument.with(|a| self.import_handle(a)),
            0x81 => argument.with(|a| self.export_handle(a)),
            // Cache policy, scratch, trap handler, the process's address space, CU masks: accepted,
            // and without an effect that anybody could see here.
            0x04 | 0x11 | 0x13 | 0x15 | 0x1a => Ok(()),
            // Shared virtual memory is probed for, and told as absent.
            0x20 => Err(Errno::INVALID),
            _ => {
                let line = || format!("request {number:#04x} is not modelled");
                trace::at(&self.settings, Trace::Objects, line);
                Err(Errno::NOT_MODELLED)
            }
        }
    }
}
