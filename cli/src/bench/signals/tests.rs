use ringfence_mock::{
    chooser::{Profile, Seeded},
    clock::Ticks,
    system::{DeviceSettings, MockSystem, Settings},
    work::Kernel,
};

use super::{
    clock::Clock,
    column::{Column, Profiling, Tracking, Who},
    tracked::Tracked,
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
        let clock = Clock::Model(system.clone());
        let mut stack =
            Tracked::open(device, queues, work, policy, Profiling::On, clock).expect("signals");
        for row in Row::ALL {
            let before = stack.counts().expect("the library counts");
            let mut told = 0;
            for _ in 0..REPEATS {
                told += u32::from(row.sample(&mut stack).expect("it runs").is_some());
            }
            let after = stack.counts().expect("the library counts");
            println!("{tracking:?} {row}: {told} of {REPEATS}");
            assert!(after.packets > before.packets, "{row} submits something");
            // A tracker is not asked about streams; what is pending may be over by the time of the query.
            match row {
                Row::QueryStream => assert_eq!(told, 0, "{row}"),
                Row::QueryPending => {}
                _ => assert_eq!(told, REPEATS, "{row}"),
            }
        }
        stack.close().expect("all work is over");
        assert_eq!(system.violation_count(), 0, "{:?}", system.first_violation());
    }
}

/// Nothing takes any time, and everything is counted.
#[derive(Default)]
struct Counting {
    queries: u32,
    stream_queries: u32,
    synchronizes: u32,
}
impl Stack for Counting {
    fn kernel(&mut self, _: stack::Lane) -> Result<(), Problem> {
        Ok(())
    }
    fn record(&mut self, _: stack::Mark, _: stack::Lane) -> Result<(), Problem> {
        Ok(())
    }
    fn query(&mut self, _: stack::Mark) -> Result<stack::Reached, Problem> {
        self.queries += 1;
        Ok(stack::Reached::Yes)
    }
    fn query_stream(&mut self, _: stack::Lane) -> Result<Option<stack::Reached>, Problem> {
        self.stream_queries += 1;
        Ok(Some(stack::Reached::Yes))
    }
    fn synchronize_event(&mut self, _: stack::Mark) -> Result<(), Problem> {
        Ok(())
    }
    fn elapsed(&mut self) -> Result<Option<std::time::Duration>, Problem> {
        Ok(None)
    }
    fn wait(&mut self, _: stack::Lane, _: stack::Mark) -> Result<(), Problem> {
        Ok(())
    }
    fn synchronize_stream(&mut self, _: stack::Lane) -> Result<(), Problem> {
        self.synchronizes += 1;
        Ok(())
    }
    fn synchronize_device(&mut self) -> Result<(), Problem> {
        Ok(())
    }
    fn counts(&self) -> Option<ringfence::ledger::Counts> {
        None
    }
}

#[test]
fn what_is_timed_together_is_counted_as_so_many_calls() {
    let sample = |row: Row| {
        let mut stack = Counting::default();
        let sample = row.sample(&mut stack).expect("nothing fails").expect("all is finished");
        (sample.calls, stack)
    };
    let (calls, stack) = sample(Row::QueryFinished);
    assert_eq!((calls, stack.queries), (1_024, 1_024));
    let (calls, stack) = sample(Row::QueryStream);
    assert_eq!((calls, stack.stream_queries), (1_024, 1 + 1_024), "one to see that it is over");
    let (calls, stack) = sample(Row::SynchronizeFinished);
    assert_eq!((calls, stack.synchronizes), (1_024, 1 + 1_024), "one until it is over");
    assert_eq!(sample(Row::KernelSynchronize).0, 1);
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
            let all = all.chain(Tracking::ALL.map(Who::OnMock));
            all.map(move |who| Column { who, profiling }.to_string())
        })
        .collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
