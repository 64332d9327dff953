//! What a row came to in a column.

use std::time::Duration;

use ringfence::ledger::{Counts, LoadCause};

use super::row::Row;

/// Times of one row, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Samples(Vec<Duration>);

impl Samples {
    /// `None` without any.
    pub(super) fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        (!times.is_empty()).then_some(Self(times))
    }
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
    /// So many of a thousand are not longer.
    fn at(&self, thousandths: usize) -> Duration {
        let rank = (self.0.len() * thousandths).div_ceil(1000).max(1);
        self.0[rank - 1]
    }
    /// In µs for one call of the row, to a tenth of a ns: here and below.
    pub(super) fn median_us(&self, row: Row) -> f64 {
        self.call_us(500, row)
    }
    pub(super) fn p99_us(&self, row: Row) -> f64 {
        self.call_us(990, row)
    }
    pub(super) fn longest_us(&self, row: Row) -> f64 {
        self.call_us(1000, row)
    }
    fn call_us(&self, thousandths: usize, row: Row) -> f64 {
        let ns = self.at(thousandths).as_secs_f64() * 1e9 / f64::from(row.calls());
        (ns * 10.0).round() / 1e4
    }
}

/// What the library's ledger says of all repeats of a row, for one of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PerRepeat {
    pub(super) created: f64,
    /// Loads of values and times in host memory.
    pub(super) host_loads: f64,
    /// The same in device memory, each a read across PCIe.
    pub(super) device_loads: f64,
    /// First looks of host waits.
    pub(super) waits: f64,
    pub(super) arms: f64,
    pub(super) packets: f64,
}

impl PerRepeat {
    pub(super) fn between(before: &Counts, after: &Counts, repeats: u32) -> Self {
        let of = |count: fn(&Counts) -> u64| {
            (count(after) - count(before)) as f64 / f64::from(repeats.max(1))
        };
        Self {
            created: of(|counts| counts.created),
            host_loads: of(|counts| counts.loads.all_host()),
            device_loads: of(|counts| counts.loads.all_device()),
            waits: of(|counts| counts.loads.of(LoadCause::Wait)),
            arms: of(|counts| counts.arms),
            packets: of(|counts| counts.packets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_of_times_that_were_measured() {
        let samples = Samples::of((1..=200).rev().map(Duration::from_micros).collect());
        let samples = samples.expect("200 times");
        let of_one = |samples: &Samples, row| {
            [samples.median_us(row), samples.p99_us(row), samples.longest_us(row)]
        };
        assert_eq!(of_one(&samples, Row::Record), [100.0, 198.0, 200.0]);
        let one = Samples::of(vec![Duration::from_nanos(2_500)]).expect("one time");
        assert_eq!(of_one(&one, Row::Record), [2.5; 3]);
        // 2,500 ns for 1,024 calls.
        assert_eq!(of_one(&one, Row::QueryFinished), [0.0024; 3]);
        assert_eq!(Samples::of(Vec::new()), None);
    }

    #[test]
    fn counts_are_for_one_repeat() {
        let before = Counts { created: 64, arms: 10, ..Counts::default() };
        let after = Counts { created: 66, arms: 40, ..Counts::default() };
        let per = PerRepeat::between(&before, &after, 20);
        assert_eq!((per.created, per.arms, per.packets), (0.1, 1.5, 0.0));
    }
}
