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
