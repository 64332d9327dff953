//! How the host waits for what no interrupt tells it: it looks, at first all the time, then ever more seldom.

use std::{
    hint, thread,
    time::{Duration, Instant},
};

/// Spinning for so long costs less than coming back from a sleep.
const SPIN: Duration = Duration::from_micros(100);
/// The longest sleep between two looks.
const LONGEST: Duration = Duration::from_millis(1);
/// A sleep is this part of what was waited for so far, so that a wait is at most so much too long.
const PART: u32 = 16;
/// Looks between two of the clock.
const LOOKS: u32 = 64;

/// How a wait may spend its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Spin to the end.
    Active,
    /// Spin a little, then sleep between looks: 200 ms cost some 300 wake-ups.
    Sleepy,
}

/// Looks until there is something, or the limit has passed.
///
/// ```
/// use ringfence_backend_shared::pause::{Style, until};
/// use std::time::Duration;
/// let mut looks = 0;
/// let found = until(Duration::from_secs(1), Style::Sleepy, || {
///     looks += 1;
///     (looks == 1000).then_some(looks)
/// });
/// assert_eq!(found, Some(1000));
/// assert_eq!(until(Duration::ZERO, Style::Active, || None::<()>), None); // but it looked
/// ```
pub fn until<T>(limit: Duration, style: Style, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        for _ in 0..LOOKS {
            if let Some(found) = look() {
                return Some(found);
            }
            hint::spin_loop();
        }
        let spent = begun.elapsed();
        if spent >= limit {
            return look();
        }
        match style {
            _ if spent < SPIN => {}
            Style::Active => thread::yield_now(),
            Style::Sleepy => thread::sleep((spent / PART).min(LONGEST).min(limit - spent)),
        }
    }
}
