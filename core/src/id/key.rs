//! What makes two streams exchangeable.

use std::fmt;

use super::DeviceId;

/// A context of a device, for drivers that have several. HIP has one.
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
