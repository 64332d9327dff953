//! When work ran, taken once and before its signal is armed again (S16).

use std::{num::NonZeroU64, time::Duration};

/// A device clock's frequency. Agents of 25 MHz, 100 MHz and 1 GHz exist.
///
/// ```
/// use ringfence::timing::TickRate;
/// use std::num::NonZeroU64;
/// /// What a runtime says of its clock; 0 has been said, and is no frequency.
/// fn rate(hertz: u64) -> Option<TickRate> {
///     NonZeroU64::new(hertz).map(TickRate::new)
/// }
/// assert_eq!(rate(100_000_000).map(TickRate::hertz), Some(100_000_000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TickRate(NonZeroU64);
impl TickRate {
    /// `hertz` ticks a second.
    pub const fn new(hertz: NonZeroU64) -> Self {
        Self(hertz)
    }
    /// Ticks a second.
    pub const fn hertz(self) -> u64 {
        self.0.get()
    }
}

/// Start and end as the device wrote them: not looked at, not comparable.
///
/// ```
/// use ringfence::timing::{Interval, RawInterval, TickRate};
/// let rate = TickRate::new(std::num::NonZeroU64::MIN);
/// // Whatever was written goes in; only what makes sense comes out.
/// assert!(Interval::new(RawInterval::new(0, 250), rate).is_none());
/// assert!(Interval::new(RawInterval::new(200, 250), rate).is_some());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct RawInterval {
    start: u64,
    end: u64,
}
impl RawInterval {
    /// Raw device ticks. Either may be 0, late or in reverse.
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end }
    }
}

/// When one use ran, in ticks of its agent's clock. There is none unless `end >= start > 0`:
/// devices do write zero, late and reversed stamps
/// (<https://github.com/ROCm/rocm-systems/issues/9375>, <https://github.com/ROCm/rocm-systems/issues/5093>).
///
/// ```
/// use ringfence::timing::{Interval, RawInterval, TickRate};
/// let rate = TickRate::new(std::num::NonZeroU64::new(100_000_000).expect("not 0"));
/// let ran = Interval::new(RawInterval::new(200, 250), rate).expect("in order");
/// assert_eq!(ran.duration(), std::time::Duration::from_nanos(500));
/// assert!(Interval::new(RawInterval::new(250, 200), rate).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    start: u64,
    end: u64,
    rate: TickRate,
}
impl Interval {
    /// The interval, if the stamps make one.
    pub fn new(raw: RawInterval, rate: TickRate) -> Option<Self> {
        let ordered = raw.start > 0 && raw.end >= raw.start;
        (ordered || planted!(RawSubtraction)).then_some(Self {
            start: raw.start,
            end: raw.end,
            rate,
        })
    }
    /// What an interval was taken apart into.
    pub(crate) fn from_parts(start: u64, end: u64, hertz: u64) -> Option<Self> {
        NonZeroU64::new(hertz).map(|hertz| Self { start, end, rate: TickRate::new(hertz) })
    }
    /// The tick at which the work started.
    pub fn start(self) -> u64 {
        self.start
    }
    /// The tick at which it ended.
    pub fn end(self) -> u64 {
        self.end
    }
    /// The clock that both are of.
    pub fn rate(self) -> TickRate {
        self.rate
    }
    /// How long the work took.
    pub fn duration(self) -> Duration {
        ticks_to_duration(self.end.wrapping_sub(self.start), self.rate)
    }
    /// The time from this interval's end to `later`'s end: what "elapsed between two events" means.
    /// `None` when the clocks differ or `later` ended first.
    ///
    /// ```
    /// # use ringfence::timing::{Interval, RawInterval, TickRate};
    /// # use std::{num::NonZeroU64, time::Duration};
    /// # let rate = TickRate::new(NonZeroU64::new(100_000_000).expect("not 0"));
    /// # let ran = |start, end| Interval::new(RawInterval::new(start, end), rate).expect("in order");
    /// let (first, second) = (ran(200, 250), ran(260, 300)); // ticks of 10 ns
    /// assert_eq!(first.elapsed_to(second), Some(Duration::from_nanos(500)));
    /// assert_eq!(second.elapsed_to(first), None);
    /// ```
    pub fn elapsed_to(self, later: Interval) -> Option<Duration> {
        if self.rate != later.rate {
            return None;
        }
        later.end.checked_sub(self.end).map(|ticks| ticks_to_duration(ticks, self.rate))
    }
}

fn ticks_to_duration(ticks: u64, rate: TickRate) -> Duration {
    let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(rate.hertz());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
