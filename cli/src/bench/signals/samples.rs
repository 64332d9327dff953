//! What a row came to in a column.

use ringfence::ledger::{Counts, LoadCause};

use super::row::Sample;

/// Times of one row for one call, in µs to a tenth of a ns, in order.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    /// `None` without any.
    pub(super) fn of(samples: Vec<Sample>) -> Option<Self> {
        let of_a_call = |sample: Sample| {
            let ns = sample.time.as_secs_f64() * 1e9 / f64::from(sample.calls.max(1));
            (ns * 10.0).round() / 1e4
        };
        let mut times: Vec<_> = samples.into_iter().map(of_a_call).collect();
        times.sort_unstable_by(f64::total_cmp);
        (!times.is_empty()).then_some(Self(times))
    }
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
    /// So many of a thousand are not longer: one of the times that were measured.
    pub(super) fn at(&self, thousandths: usize) -> f64 {
        let rank = (self.0.len() * thousandths).div_ceil(1000).clamp(1, self.0.len());
        self.0[rank - 1]
    }
}

/// What the library's ledger says of all repeats of a row, for one of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PerRepeat {
    pub(super) uses: f64,
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
            uses: of(|counts| counts.uses),
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
    use std::time::Duration;

    use super::*;

    #[test]
    fn ranks_are_of_times_that_were_measured() {
        let one = |time| Sample { time, calls: 1 };
        let samples = (1..=200).rev().map(|us| one(Duration::from_micros(us))).collect();
        let samples = Samples::of(samples).expect("200 times");
        assert_eq!(
            [500, 900, 990, 999, 1000].map(|at| samples.at(at)),
            [100., 180., 198., 200., 200.]
        );
        let only = Samples::of(vec![one(Duration::from_nanos(2_500))]).expect("one time");
        assert_eq!([500, 1000].map(|at| only.at(at)), [2.5; 2]);
        assert_eq!(Samples::of(Vec::new()), None);
    }

    #[test]
    fn what_is_timed_together_is_told_for_one_call() {
        let together = Sample { time: Duration::from_nanos(2_500), calls: 1_024 };
        let samples = Samples::of(vec![together; 3]).expect("three times");
        assert_eq!((samples.at(500), samples.count()), (0.0024, 3));
    }

    #[test]
    fn counts_are_for_one_repeat() {
        let (mut before, mut after) = (Counts::default(), Counts::default());
        (before.created, before.arms) = (64, 10);
        (after.created, after.arms) = (66, 40);
        let per = PerRepeat::between(&before, &after, 20);
        assert_eq!((per.created, per.arms, per.packets), (0.1, 1.5, 0.0));
    }
}
