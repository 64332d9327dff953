//! What differs between devices, in one value.

bitflags::bitflags! {
    /// What a device and its runtime can do. Found by probing where a failed probe is harmless, else
    /// from a list with source and date.
    ///
    /// ```
    /// use ringfence::backend::Features;
    /// // Everything was probed, but what no probe can show:
    /// let found = Features::all().difference(Features::PEER_DEVICE_WAITS);
    /// assert!(found.contains(Features::LARGE_BAR | Features::INTERRUPTS));
    /// assert!(!found.contains(Features::PEER_DEVICE_WAITS));
    /// ```
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Features: u32 {
        /// The host can address all of the device's memory (large BAR).
        const LARGE_BAR = 1;
        /// Signals may live in device memory.
        const DEVICE_SIGNALS = 1 << 1;
        /// A copy engine may complete a signal in device memory.
        const DEVICE_SIGNALS_ON_COPIES = 1 << 2;
        /// A handler may be set on a signal in device memory.
        const DEVICE_SIGNAL_HANDLERS = 1 << 3;
        /// The packet processor knows the vendor's barrier-value packet.
        const BARRIER_VALUE = 1 << 4;
        /// Signals that wake a sleeping host thread exist.
        const INTERRUPTS = 1 << 5;
        /// Another device may wait for a signal in this device's memory. Cannot be proven by trying
        /// (visibility to a peer), so never probed.
        const PEER_DEVICE_WAITS = 1 << 6;
        /// A copy engine may wait for a signal in device memory. Without it, a tracker puts a marker with a
        /// host signal between such a use and the copy.
        const DEVICE_WAITS_ON_COPIES = 1 << 7;
    }
}

/// Where the packet rings live.
///
/// ```
/// # use ringfence::backend::*;
/// # let features = Features::LARGE_BAR | Features::DEVICE_SIGNALS;
/// let of = |rings| Capabilities::new(features, rings, HostDataPath::Hdp);
/// assert!(of(RingMemory::System).arms_need_flush());
/// assert!(!of(RingMemory::Device).arms_need_flush()); // the packet follows the stores
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RingMemory {
    /// System memory: packets do not follow stores into the device's memory, so those are flushed.
    System,
    /// Device memory: packets go through the same BAR after the stores, in order.
    Device,
}

/// How the host's stores reach the device's memory.
///
/// ```
/// use ringfence::backend::HostDataPath;
/// use std::sync::atomic::{Ordering, fence};
///
/// /// A backend's `flush`; `hdp` writes the register that flushes, and reads it back.
/// fn flush(path: HostDataPath, hdp: impl FnOnce()) {
///     fence(Ordering::SeqCst);
///     match path {
///         HostDataPath::Hdp => hdp(),
///         HostDataPath::Coherent => {} // the fence is enough
///     }
/// }
/// # flush(HostDataPath::Coherent, || panic!("no cache to flush"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HostDataPath {
    /// Through a host data path cache, which has to be flushed.
    Hdp,
    /// Coherently (an APU, or CPU and GPU linked by XGMI).
    Coherent,
}

/// Facts of one device, as a backend found them. There will be more of them: what a backend does not say is the
/// careful answer.
///
/// ```
/// use ringfence::backend::*;
/// let found = Features::LARGE_BAR | Features::DEVICE_SIGNALS | Features::INTERRUPTS;
/// let apu = Capabilities::new(found, RingMemory::System, HostDataPath::Coherent);
/// assert!(apu.can_hold_device_signals());
/// assert!(!apu.arms_need_flush());
/// let small_bar = apu.with_features(Features::INTERRUPTS);
/// assert!(!small_bar.can_hold_device_signals());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Capabilities {
    /// What it can do.
    pub features: Features,
    /// Where its packet rings live.
    pub rings: RingMemory,
    /// How host stores reach its memory.
    pub path: HostDataPath,
}
impl Capabilities {
    /// A device that can do this, with its packet rings there, and such a path to its memory.
    pub const fn new(features: Features, rings: RingMemory, path: HostDataPath) -> Self {
        Self { features, rings, path }
    }
    /// With these features instead.
    #[must_use]
    pub const fn with_features(self, features: Features) -> Self {
        Self { features, ..self }
    }
    /// With its packet rings there instead.
    #[must_use]
    pub const fn with_rings(self, rings: RingMemory) -> Self {
        Self { rings, ..self }
    }
    /// With such a path to its memory instead.
    #[must_use]
    pub const fn with_path(self, path: HostDataPath) -> Self {
        Self { path, ..self }
    }
    /// Whether signals can be kept in device memory at all.
    #[inline]
    pub fn can_hold_device_signals(&self) -> bool {
        self.features.contains(Features::LARGE_BAR | Features::DEVICE_SIGNALS)
    }
    /// Whether signals that were armed in device memory need a flush before they are used again (S10): where the owner's
    /// packets do not follow the stores on the same way, and where a peer may be told to wait for them. Copy engines always need one.
    pub fn arms_need_flush(&self) -> bool {
        let others_look = self.features.contains(Features::PEER_DEVICE_WAITS);
        self.path == HostDataPath::Hdp && (self.rings == RingMemory::System || others_look)
    }
}
