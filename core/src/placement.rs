//! Where a signal lives, by what the use is for.

use crate::backend::{Capabilities, Features, Profiler, SignalMemory};

/// What a use's signal is for.
///
/// ```
/// use ringfence::{drive::Submission, placement::Role};
/// // The host will be called back when it is over: that takes a signal that can wake a thread.
/// let watched = Submission::kernel("reduce").role(Role::Blocking);
/// // Another GPU will wait for it: its signal lives where that one can read it.
/// let sent = Submission::kernel("exchange").role(Role::Peer);
/// # let _ = (watched, sent);
/// ```
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
///
/// ```
/// use ringfence::{drive::Policy, placement::DeviceSignals};
/// // A measurement on this device said that it pays.
/// let policy = Policy { device_signals: DeviceSignals::On, ..Policy::default() };
/// # assert_ne!(policy, Policy::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DeviceSignals {
    /// Never: the default, until a measurement for the device says otherwise.
    #[default]
    Off,
    /// Wherever the device and the role allow it.
    On,
}

/// Where the signals of events live.
///
/// ```
/// use ringfence::{drive::Policy, placement::{DeviceSignals, EventPlacement}};
/// // Events that the host queries *and* that kernels of the same device wait for:
/// let policy = Policy {
///     device_signals: DeviceSignals::On, // without it, a twin has no device cell
///     events: EventPlacement::Twin,
///     ..Policy::default()
/// };
/// # assert_ne!(policy, Policy::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EventPlacement {
    /// In host memory: a query costs 0.08 µs; a GPU waiter polls across PCIe. The figures are those of an MI300X in
    /// <https://github.com/ROCm/rocm-systems/pull/13507>, and none of ours.
    #[default]
    Host,
    /// In device memory: a GPU waiter polls locally; each host load costs a PCIe read (1.1 µs).
    Device,
    /// Both: a device cell for GPU waiters beside a host cell for the host, by one extra packet.
    Twin,
}

/// What decides, besides the role.
///
/// ```
/// # use ringfence::{backend::*, placement::*};
/// # let (rings, path) = (RingMemory::System, HostDataPath::Hdp);
/// # let features = Features::LARGE_BAR | Features::DEVICE_SIGNALS;
/// # let capabilities = Capabilities::new(features, rings, path);
/// let (device_signals, profiler) = (DeviceSignals::On, Profiler::Absent);
/// let placement = Placement { device_signals, capabilities, profiler };
/// assert!(placement.allows_device_signals());
/// // One of the three is enough to forbid it:
/// assert!(!Placement { device_signals: DeviceSignals::Off, ..placement }.allows_device_signals());
/// ```
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
    /// let capabilities = Capabilities::new(Features::LARGE_BAR | Features::DEVICE_SIGNALS | Features::INTERRUPTS, RingMemory::System, HostDataPath::Hdp);
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
