//! Virtual time: it moves when calls cost, and jumps when the host waits.

use std::time::Duration;

use ringfence::timing::TickRate;

/// A point in virtual time, since the system was made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(u64);
impl Instant {
    /// The time since the system was made.
    pub const fn since_start(self) -> Duration {
        Duration::from_nanos(self.0)
    }
    /// This point, `later`.
    #[must_use]
    pub fn plus(self, later: Duration) -> Self {
        Self(self.0.saturating_add(nanos(later)))
    }
    /// From `earlier` to here; zero if that is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
    /// The device clock's count at this point.
    pub fn ticks(self, rate: TickRate) -> u64 {
        let ticks = u128::from(self.0) * u128::from(rate.hertz()) / 1_000_000_000;
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

/// A duration in ticks of an agent's clock.
///
/// ```
/// use ringfence_mock::{clock::Ticks, system::DeviceSettings};
/// let kernel = Ticks::new(100);
/// assert_eq!(kernel.duration(DeviceSettings::MHZ_100).as_nanos(), 1_000);
/// assert_eq!(kernel.duration(DeviceSettings::MHZ_25).as_nanos(), 4_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Ticks(u64);
impl Ticks {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// `count` ticks.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }
    /// The number.
    pub const fn count(self) -> u64 {
        self.0
    }
    /// How long that is on a clock of `rate`, rounded up, so that it is never less than its ticks.
    pub fn duration(self, rate: TickRate) -> Duration {
        if self.0 == 0 {
            return Duration::ZERO;
        }
        let nanos = (u128::from(self.0) * 1_000_000_000).div_ceil(u128::from(rate.hertz()));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The clock of a system.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Clock {
    now: Instant,
}
impl Clock {
    /// Starts at one millisecond, so that no honest timestamp is 0 at any tick rate.
    pub(crate) fn new() -> Self {
        Self { now: Instant(1_000_000) }
    }
    #[inline]
    pub(crate) fn now(&self) -> Instant {
        self.now
    }
    #[inline]
    pub(crate) fn pass(&mut self, time: Duration) {
        self.now = self.now.plus(time);
    }
    pub(crate) fn jump(&mut self, to: Instant) {
        self.now = self.now.max(to);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    #[test]
    fn ticks_are_exact_at_every_rate() {
        for hertz in [25_000_000, 100_000_000, 1_000_000_000] {
            let rate = TickRate::new(NonZeroU64::new(hertz).expect("not 0"));
            let start = Clock::new().now();
            for count in [0, 1, 7, 1_000] {
                let end = start.plus(Ticks::new(count).duration(rate));
                assert_eq!(end.ticks(rate) - start.ticks(rate), count, "{hertz} Hz");
            }
        }
    }
}
