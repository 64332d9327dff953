//! What a mix is played on: the modelled device, or one that does nothing.

use ringfence::{
    backend::{CopyEngine, Device, PacketQueue},
    id::UseId,
};
use ringfence_mock::clock::Ticks;
use ringfence_mock::{
    oracle::Declaration,
    system::{MockCopyEngine, MockDevice, MockQueue, MockSystem},
    work::{CopyWork, Kernel},
};

use super::workload::Length;

/// One device with its queues and a copy engine.
pub(crate) trait Machine {
    type Device: Device + Clone;
    type Queue: PacketQueue + Clone;
    type Engine: CopyEngine;
    /// The device.
    fn device(&self) -> Self::Device;
    /// Another hardware queue.
    fn add_queue(&self) -> Self::Queue;
    /// The copy engine.
    fn engine(&self) -> Self::Engine;
    /// A kernel of this length.
    fn kernel(&self, length: Length) -> <Self::Queue as PacketQueue>::Work;
    /// One part of a copy of this length.
    fn part(&self, length: Length) -> <Self::Engine as CopyEngine>::Work;
    /// Tells whoever checks the rules what no call shows.
    fn declare(&self, statement: impl FnOnce() -> Declaration);
    /// Asks again about an event that was just proven, and returns the loads that this cost; a machine
    /// without anybody to check does not ask.
    fn loads_of(&self, again: impl FnOnce()) -> Option<u64>;
    /// [`declare`](Self::declare), for the many statements about one use.
    fn declare_of(&self, of: Option<UseId>, statement: impl FnOnce(UseId) -> Declaration) {
        if let Some(of) = of {
            self.declare(|| statement(of));
        }
    }
}

/// The modelled device.
#[derive(Debug)]
pub(crate) struct Modelled {
    device: MockDevice,
    engine: MockCopyEngine,
}
impl Modelled {
    /// A machine of this device alone.
    pub(crate) fn new(device: MockDevice) -> Self {
        let engine = device.add_copy_engine();
        Self { device, engine }
    }
    /// The system that the device is part of.
    pub(crate) fn system(&self) -> &MockSystem {
        self.device.system()
    }
}
impl Machine for Modelled {
    type Device = MockDevice;
    type Queue = MockQueue;
    type Engine = MockCopyEngine;
    fn device(&self) -> MockDevice {
        self.device.clone()
    }
    fn add_queue(&self) -> MockQueue {
        self.device.add_queue()
    }
    fn engine(&self) -> MockCopyEngine {
        self.engine.clone()
    }
    fn kernel(&self, length: Length) -> Kernel {
        Kernel::new(0, Ticks::new(length.ticks()))
    }
    fn part(&self, length: Length) -> CopyWork {
        CopyWork::new(Ticks::new(length.ticks()))
    }
    fn declare(&self, statement: impl FnOnce() -> Declaration) {
        self.system().declare(statement());
    }
    fn loads_of(&self, again: impl FnOnce()) -> Option<u64> {
        let before = self.device.counts().loads.total();
        again();
        Some(self.device.counts().loads.total() - before)
    }
}
