//! The page table, by hand and against one owner for each address.

use proptest::prelude::*;

use super::*;

fn region(start: u64, bytes: u64) -> Region {
    let (start, host) = (Address::new(start), 0x1000 + start);
    Region { start, bytes, host, owner: Owner::Host, gpus: GpuSet::NONE.with(0) }
}
fn table(regions: &[Region]) -> PageTable {
    let mut table = PageTable::default();
    regions.iter().for_each(|&region| table.insert(region));
    table
}

#[test]
fn an_access_must_lie_in_one_region() {
    let table = table(&[region(100, 50), region(150, 10)]);
    let starts =
        |at, bytes| table.find(0, Address::new(at), bytes).map(|found| found.start.as_u64());
    assert_eq!([starts(100, 50), starts(149, 1), starts(150, 0)], [Ok(100), Ok(100), Ok(150)]);
    assert_eq!([starts(159, 1), starts(120, 30)], [Ok(150), Ok(100)]);
    for (at, bytes) in [(99, 1), (99, 2), (149, 2), (100, 51), (160, 1), (160, 0), (159, 2)] {
        assert_eq!(starts(at, bytes), fault(Address::new(at), bytes));
    }
    assert_eq!(starts(100, u64::MAX), fault(Address::new(100), u64::MAX));
    assert_eq!(starts(u64::MAX, 1), fault(Address::new(u64::MAX), 1));
}

#[test]
fn a_region_is_there_for_its_gpus_alone() {
    let gpus = GpuSet::NONE.with(1).with(7).with(3).without(3);
    let table = table(&[Region { gpus, ..region(100, 50) }]);
    for gpu in 0..8 {
        let found = table.find(gpu, Address::new(100), 8).is_ok();
        assert_eq!(found, matches!(gpu, 1 | 7), "GPU {gpu}");
    }
    assert!(table.at(Address::new(149)).is_some(), "whose it is does not matter here");
    assert!(table.at(Address::new(150)).is_none());
}

#[test]
fn neighbours_stay_and_what_overlaps_goes() {
    let old = [region(100, 50), region(200, 50), region(300, 50)];
    for (start, bytes, left) in [
        (150, 50, [true, true, true]),
        (149, 51, [false, true, true]),
        (150, 51, [true, false, true]),
        (210, 5, [true, false, true]),
        (200, 50, [true, false, true]),
        (120, 200, [false, false, false]),
    ] {
        let mut table = table(&old);
        table.insert(Region { owner: Owner::Gpu(5), ..region(start, bytes) });
        let is_left =
            old.map(|region| table.starting_at(region.start).is_some_and(|found| *found == region));
        assert_eq!(is_left, left, "{start} {bytes}");
        let new = table.find(0, Address::new(start), bytes).expect("just inserted");
        assert_eq!(new.owner, Owner::Gpu(5));
    }
}

#[test]
fn only_a_start_removes_a_region() {
    let mut table = table(&[region(100, 50)]);
    assert_eq!(table.remove(Address::new(101)), None);
    assert_eq!(table.remove(Address::new(100)), Some(region(100, 50)));
    assert_eq!(table.at(Address::new(100)), None);
}

const SEED: u64 = 0x50_41_47_45;
fn config() -> ProptestConfig {
    println!("seed {SEED}");
    ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    }
}
proptest! {
    #![proptest_config(config())]
    #[test]
    fn each_address_has_the_region_that_came_last(
        acts in prop::collection::vec((0..60_u64, 1..20_u64, prop::bool::weighted(0.8)), 1..40),
        asked in prop::collection::vec((0..90_u64, 0..20_u64), 40),
    ) {
        let mut table = PageTable::default();
        let mut owners: [Option<Region>; 100] = [None; 100];
        for (start, bytes, insert) in acts {
            let ends: Vec<Region> = if insert {
                owners[start as usize..][..bytes as usize].iter().flatten().copied().collect()
            } else {
                owners[start as usize].into_iter().filter(|old| old.start.as_u64() == start).collect()
            };
            for owner in &mut owners {
                *owner = owner.filter(|region| !ends.contains(region));
            }
            let new = region(start, bytes);
            if insert {
                table.insert(new);
                owners[start as usize..][..bytes as usize].fill(Some(new));
            } else {
                prop_assert_eq!(table.remove(Address::new(start)), ends.first().copied());
            }
        }
        for (at, bytes) in asked {
            let whole = owners[at as usize].filter(|region| {
                at + bytes <= region.start.as_u64() + region.bytes
            });
            let at = Address::new(at);
            let found = table.find(0, at, bytes).copied();
            prop_assert_eq!(found, whole.ok_or(Fault { at, bytes }));
        }
    }
}
