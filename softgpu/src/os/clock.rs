//! Time, as the host and as devices count it.

use std::time::Duration;

/// The clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock;
impl Clock {
    /// Ticks of a device in a second, in kHz as libdrm tells it: 100 MHz.
    pub const KHZ: u32 = 100_000;

    /// Time that only goes on, from any start.
    pub fn now() -> Duration {
        read(libc::CLOCK_MONOTONIC_RAW)
    }
    /// A moment in ticks of a device.
    pub fn ticks(at: Duration) -> u64 {
        (at.as_nanos() / (1_000_000 / u128::from(Self::KHZ))) as u64
    }
    /// What the runtime calls the system's clock: since the machine started, in nanoseconds.
    pub fn system() -> Duration {
        read(libc::CLOCK_BOOTTIME)
    }
}
fn read(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is this function's own. The clocks exist on every Linux, so it cannot fail.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
