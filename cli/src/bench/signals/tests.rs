use std::time::Duration;

use ringfence::ledger::Counts;
use ringfence_mock::{
    chooser::{Profile, Seeded},
    clock::Ticks,
    system::{DeviceSettings, MockSystem, Settings},
    work::Kernel,
};

use super::{
    stack::{Lane, Mark, Reached},
    *,
};

/// Each row, with each way to track, on the modelled device.
#[test]
fn every_row_runs_with_every_tracking() {
    const SEED: u64 = 5;
    const REPEATS: u32 = 20;
    println!("seed {SEED}");
    for tracking in Tracking::ALL {
        let system = MockSystem::new(Seeded::new(SEED, Profile::Tame.odds()), Settings::default());
        let device = system.add_device(DeviceSettings::default());
        let queues = [device.add_queue(), device.add_queue()];
        let (work, policy) = (Kernel::new(1, Ticks::new(5)), tracking.policy());
        let mut stack =
            Tracked::open(device, queues, work, policy, Profiling::On).expect("signals");
        for row in Row::ALL {
            let before = stack.counts().expect("the library counts");
            let mut told = 0;
            for _ in 0..REPEATS {
                told += u32::from(row.sample(&mut stack).expect("it runs").is_some());
            }
            let after = stack.counts().expect("the library counts");
            println!("{tracking:?} {row}: {told} of {REPEATS}");
            assert!(after.packets > before.packets, "{row} submits something");
            // The model's time passes in calls alone: nothing ends while the host looks away.
            // A tracker is not asked about streams.
            if !matches!(row, Row::QueryPending | Row::QueryFirst | Row::QueryStream) {
                assert_eq!(told, REPEATS, "{row}");
            }
        }
        stack.close().expect("all work is over");
        assert_eq!(system.violation_count(), 0, "{:?}", system.first_violation());
    }
}

#[test]
fn titles_and_names_tell_columns_apart() {
    let mut names: Vec<_> = Profiling::ALL
        .into_iter()
        .flat_map(|profiling| {
            let over_hsa = Tracking::ALL.map(Who::OverHsa);
            let over_hip = Tracking::ALL.map(Who::OverHip);
            let all =
                [Who::Hip, Who::Cuda, Who::OverCuda].into_iter().chain(over_hip).chain(over_hsa);
            all.map(move |who| Column { who, profiling }.to_string())
        })
        .collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Does nothing, and counts how often it was asked.
#[derive(Default)]
struct Counting(u32);
impl Counting {
    fn count(&mut self) -> Result<(), Problem> {
        self.0 += 1;
        Ok(())
    }
}
impl Stack for Counting {
    fn kernel(&mut self, _: Lane) -> Result<(), Problem> {
        self.count()
    }
    fn record(&mut self, _: Mark, _: Lane) -> Result<(), Problem> {
        self.count()
    }
    fn query(&mut self, _: Mark) -> Result<Reached, Problem> {
        self.count().map(|()| Reached::Yes)
    }
    fn query_stream(&mut self, _: Lane) -> Result<Option<Reached>, Problem> {
        self.count().map(|()| Some(Reached::Yes))
    }
    fn synchronize_event(&mut self, _: Mark) -> Result<(), Problem> {
        self.count()
    }
    fn elapsed(&mut self) -> Result<Option<Duration>, Problem> {
        self.count().map(|()| Some(Duration::ZERO))
    }
    fn wait(&mut self, _: Lane, _: Mark) -> Result<(), Problem> {
        self.count()
    }
    fn synchronize_stream(&mut self, _: Lane) -> Result<(), Problem> {
        self.count()
    }
    fn synchronize_device(&mut self) -> Result<(), Problem> {
        self.count()
    }
    fn counts(&self) -> Option<Counts> {
        None
    }
}

/// A time of 1,024 calls that is taken for one of one call is wrong by as much.
#[test]
fn a_row_makes_as_many_calls_as_it_says() {
    for row in Row::ALL {
        let mut on = Counting::default();
        let _time = row.sample(&mut on).expect("it runs");
        let around = on.0.checked_sub(row.calls()).expect("all that it says");
        assert!(around < 64, "{row}: {around} calls beside the {} that it says", row.calls());
    }
}
