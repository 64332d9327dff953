//! Where a signal lives, by what the use is for.

use crate::backend::{Capabilities, Features, Profiler, SignalMemory};

/// What a use's signal is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// Work whose completion only the ring looks at, or a GPU waiter on the same device.
    Dispatch,
    /// A marker that another queue of the same device will wait for.
    GpuWait,
    /// A marker that the host will query or wait for.
    HostQuery,
    /// Work that has a signal only because it is timed: the host reads its timestamps.
    TimingOnly,
    /// Work that the host will wait for asleep, or be called back for.
    Blocking,
    /// A copy on another engine.
    Copy,
    /// Work that another device will wait for.
    Peer,
    /// A marker that another process can open.
    Ipc,
}

/// Whether signals may live in device memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DeviceSignals {
    /// Never: the default, until a measurement for the device says otherwise.
    #[default]
    Off,
    /// Wherever the device and the role allow it.
    On,
}

/// Where the signals of events live.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EventPlacement {
    /// In host memory: a query costs 0.08 µs; a GPU waiter polls across PCIe.
    #[default]
    Host,
    /// In device memory: a GPU waiter polls locally; each host load costs a PCIe read (1.1 µs).
    Device,
    /// Both: a device cell for GPU waiters beside a host cell for the host, by one extra packet.
    Twin,
}

/// What decides, besides the role.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    /// The setting.
    pub device_signals: DeviceSignals,
    /// Facts of the device.
    pub capabilities: Capabilities,
    /// Whether a tool may read, modify and write signals now.
    pub profiler: Profiler,
}
impl Placement {
    /// Whether new uses may have signals in device memory at all.
    #[inline]
    pub fn allows_device_signals(&self) -> bool {
        self.device_signals == DeviceSignals::On
            && self.capabilities.can_hold_device_signals()
            && self.profiler == Profiler::Absent
    }
    /// The memory for a use with this role.
    ///
    /// ```
    /// use ringfence::{backend::*, placement::*};
    /// let capabilities = Capabilities {
    ///     features: Features::LARGE_BAR | Features::DEVICE_SIGNALS | Features::INTERRUPTS,
    ///     rings: RingMemory::System,
    ///     path: HostDataPath::Hdp,
    /// };
    /// let mut now = Placement { device_signals: DeviceSignals::On, capabilities, profiler: Profiler::Absent };
    /// assert_eq!(now.memory(Role::Dispatch), SignalMemory::Device);
    /// assert_eq!(now.memory(Role::TimingOnly), SignalMemory::Host);
    /// assert_eq!(now.memory(Role::Blocking), SignalMemory::Interrupt);
    /// now.profiler = Profiler::Attached;
    /// assert_eq!(now.memory(Role::Dispatch), SignalMemory::Host);
    /// ```
    #[inline]
    pub fn memory(&self, role: Role) -> SignalMemory {
        let allowed =
            if self.allows_device_signals() { DeviceSignals::On } else { DeviceSignals::Off };
        Self::memory_where(allowed, self.capabilities.features, role)
    }
    /// The same, where it is known whether device memory is allowed at all.
    #[inline]
    pub(crate) fn memory_where(
        device_signals: DeviceSignals,
        features: Features,
        role: Role,
    ) -> SignalMemory {
        let device_if = |allowed: bool| {
            if allowed && device_signals == DeviceSignals::On {
                SignalMemory::Device
            } else {
                SignalMemory::Host
            }
        };
        match role {
            Role::Dispatch | Role::GpuWait => device_if(true),
            Role::HostQuery | Role::TimingOnly => SignalMemory::Host,
            Role::Copy => device_if(features.contains(Features::DEVICE_SIGNALS_ON_COPIES)),
            Role::Peer => device_if(
                features.contains(Features::PEER_DEVICE_WAITS) || planted!(PeerReadsDeviceCell),
            ),
            Role::Blocking if features.contains(Features::INTERRUPTS) => SignalMemory::Interrupt,
            Role::Blocking => SignalMemory::Host,
            Role::Ipc => SignalMemory::Shared,
        }
    }
}
