//! What makes two streams exchangeable.

use std::fmt;

use super::DeviceId;

/// A context of a device, for drivers that have several. HIP has one.
///
/// ```
/// use ringfence::id::{ContextId, DeviceContext, DeviceId};
/// let second = DeviceContext { device: DeviceId::new(0), context: ContextId::new(1) };
/// assert_ne!(second, DeviceContext::primary(DeviceId::new(0))); // streams of their own
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ContextId(u32);
impl ContextId {
    /// The only context of a driver that has one for each device.
    pub const PRIMARY: Self = Self(0);
    /// The context with number `index`.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }
    /// Its number.
    pub const fn as_u32(self) -> u32 {
        self.0
    }
}
impl fmt::Debug for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ctx{}", self.0)
    }
}

/// Where streams and memory live: a device, and a context of it.
///
/// ```
/// use ringfence::id::{ContextId, DeviceContext, DeviceId};
/// let of_hip = DeviceContext::primary(DeviceId::new(1)); // what HIP has of each device
/// assert_eq!(of_hip.context, ContextId::PRIMARY);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceContext {
    /// The device.
    pub device: DeviceId,
    /// The context.
    pub context: ContextId,
}
impl DeviceContext {
    /// The primary context of `device`.
    pub const fn primary(device: DeviceId) -> Self {
        Self { device, context: ContextId::PRIMARY }
    }
}
impl fmt::Debug for DeviceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:?}", self.device, self.context)
    }
}

/// How urgent a stream's work is. HIP has three classes (least 1, greatest -1); CUDA counts from 0
/// down and has nothing below the normal one, so that [`Low`](Self::Low) is normal there.
///
/// ```
/// use ringfence::id::Priority;
/// /// The number of HIP: lower is more urgent.
/// fn number(priority: Priority) -> i32 {
///     match priority {
///         Priority::Low => 1,
///         Priority::Normal => 0,
///         Priority::High => -1,
///         Priority::Level(level) => level,
///     }
/// }
/// assert!(number(Priority::High) < number(Priority::default()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Priority {
    /// Below normal, where the driver knows such a thing.
    Low,
    /// What a stream has when nobody says otherwise.
    #[default]
    Normal,
    /// Above normal.
    High,
    /// A driver's own number: lower is more urgent. Drivers clamp it and report no error.
    Level(i32),
}

bitflags::bitflags! {
    /// How a stream behaves towards the others.
    ///
    /// ```
    /// use ringfence::id::{DeviceContext, DeviceId, StreamFlags, StreamKey};
    /// let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    /// assert!(key.flags.contains(StreamFlags::NON_BLOCKING));
    /// let ordered_with_null = key.with_flags(StreamFlags::empty());
    /// assert_ne!(ordered_with_null, key); // another shelf of the pool
    /// ```
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub struct StreamFlags: u32 {
        /// Not ordered with the null stream. Blocking streams make frees fail while they capture, so that
        /// pools use this one by default.
        const NON_BLOCKING = 1;
    }
}
impl Default for StreamFlags {
    fn default() -> Self {
        Self::NON_BLOCKING
    }
}

/// What makes two streams exchangeable: a pool keeps one shelf for each key.
///
/// ```
/// use ringfence::id::{DeviceContext, DeviceId, Priority, StreamKey};
/// let normal = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
/// assert_ne!(normal, normal.with_priority(Priority::High));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamKey {
    /// Where its streams live.
    pub place: DeviceContext,
    /// How urgent their work is.
    pub priority: Priority,
    /// How they behave.
    pub flags: StreamFlags,
}
impl StreamKey {
    /// Non-blocking streams of normal priority.
    pub const fn new(place: DeviceContext) -> Self {
        Self { place, priority: Priority::Normal, flags: StreamFlags::NON_BLOCKING }
    }
    /// The same with another priority.
    #[must_use]
    pub const fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }
    /// The same with other flags.
    #[must_use]
    pub const fn with_flags(mut self, flags: StreamFlags) -> Self {
        self.flags = flags;
        self
    }
}
impl fmt::Debug for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}", self.place, self.priority)?;
        if self.flags.contains(StreamFlags::NON_BLOCKING) {
            Ok(())
        } else {
            f.write_str("/blocking")
        }
    }
}
impl fmt::Display for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
