//! Objects: where they come from, and what becomes of them.

use proptest::prelude::*;

use super::*;

#[test]
fn vram_runs_out_and_comes_back_empty() {
    let memory = memory();
    let all: Vec<u64> =
        (0..8).map(|n| allocate(&memory, AT.plus(n * 2 * MIB), 2 * MIB, Part::Vram)).collect();
    assert_eq!((memory.available(0), memory.available(1)), (0, 16 * MIB));
    let one_more = |part| memory.allocate(0, Address::NULL, 1, Kind::Own(part)).map(drop);
    assert_eq!(one_more(Part::Vram), Err(MemoryError::Exhausted(1)));
    assert_eq!(one_more(Part::System), Ok(()), "the host's part is another one");
    memory.view(0, NOW).fill(AT, &[0xff], 2 * MIB).unwrap();
    memory.free(all[0]).unwrap();
    assert_eq!(memory.available(0), 2 * MIB);
    allocate(&memory, AT, 2 * MIB, Part::Vram);
    let view = memory.view(0, NOW);
    assert_eq!([0, MIB, 2 * MIB - 8].map(|offset| view.load_u64(AT.plus(offset))), [Ok(0); 3]);
}

#[test]
fn sizes_are_whole_pages_and_large_objects_are_aligned() {
    let memory = memory();
    allocate(&memory, AT, 1, Part::Vram);
    assert_eq!(memory.available(0), 16 * MIB - 4096);
    let large = memory.allocate(0, Address::NULL, 2 * MIB, Kind::Own(Part::Vram)).unwrap().1;
    assert_eq!(large.offset % (2 * MIB), 0);
    for bytes in [u64::MAX, u64::MAX - 4095, 17 * MIB] {
        let refused = memory.allocate(0, Address::NULL, bytes, Kind::Own(Part::Vram));
        assert_eq!(refused.map(drop), Err(MemoryError::Exhausted(bytes)));
    }
}

#[test]
fn an_object_that_is_gone_is_unknown() {
    let memory = memory();
    let handle = allocate(&memory, AT, 4096, Part::Vram);
    assert_eq!(memory.object(handle).unwrap().at, AT);
    memory.free(handle).unwrap();
    for number in [handle, 0, 99] {
        let unknown = MemoryError::Unknown(number);
        assert_eq!(memory.free(number), Err(unknown));
        assert_eq!(memory.map(number, 0), Err(unknown));
        assert_eq!(memory.unmap(number, 0), Err(unknown));
        assert_eq!(memory.object(number), Err(unknown));
    }
    assert!(lock(&memory.objects).all.is_empty());
}

#[test]
fn freed_ranges_are_told_once() {
    let memory = memory();
    let handle = allocate(&memory, AT, 4096, Part::Vram);
    assert!(memory.take_freed().is_empty());
    memory.free(handle).unwrap();
    assert_eq!(memory.take_freed(), [AT..AT.plus(4096)]);
    assert!(memory.take_freed().is_empty());
}

#[test]
fn parts_of_an_object_are_mapped_where_their_user_likes() {
    let memory = memory();
    let (_, object) = memory.allocate(0, Address::NULL, 8192, Kind::Own(Part::Vram)).unwrap();
    memory.map_part(&object, 0, AT, 4096, 4096);
    memory.view(0, NOW).store_u64(AT, 3).unwrap();
    // The same place for another GPU, and the whole elsewhere.
    memory.map_part(&object, 1, AT, 4096, 4096);
    memory.map_part(&object, 1, AT.plus(MIB), 0, 8192);
    let view = memory.view(1, NOW);
    assert_eq!((view.load_u64(AT), view.load_u64(AT.plus(MIB + 4096))), (Ok(3), Ok(3)));
    drop(view);
    assert_eq!(memory.view(0, NOW).load_u64(AT), Ok(3));
    memory.unmap_part(AT);
    let gone = [0, 1].map(|gpu| memory.view(gpu, NOW).load_u64(AT));
    assert_eq!(gone, [fault(AT, 8), fault(AT, 8)]);
    assert_eq!(memory.view(1, NOW).load_u64(AT.plus(MIB + 4096)), Ok(3));
    assert_eq!(memory.take_freed(), [AT..AT.plus(4096)]);
}

#[test]
fn memory_that_is_shared_is_the_same_memory() {
    let memory = memory();
    let handle = allocate(&memory, AT, 8192, Part::Vram);
    memory.view(0, NOW).store_u64(AT.plus(8), 42).unwrap();
    let object = memory.object(handle).unwrap();
    let extent = Extent { offset: object.offset, bytes: object.bytes };
    let shared = memory.with_file(0, |file| share(file, extent)).expect("whole pages");
    assert_eq!(Extent::of(std::os::fd::AsFd::as_fd(&shared)), Some(extent));
    let elsewhere = AT.plus(MIB);
    let (adopted, there) = memory.adopt(1, elsewhere, shared, extent).expect("a file of memory");
    memory.map(adopted, 1).unwrap();
    assert_eq!(memory.view(1, NOW).add_u64(elsewhere.plus(8), 1), Ok(43));
    assert_eq!(host(&memory, AT.plus(8)).load(Ordering::Acquire), 43);
    assert!(there.host().is_some());
    let meant = |offset| memory.with_foreign(offset, |_, offset| offset);
    assert_eq!(meant(there.offset + 4096), Some(extent.offset + 4096));
    assert_eq!([0, extent.offset, Foreigners::FIRST].map(meant), [None; 3]);
    memory.free(adopted).unwrap();
    assert_eq!(meant(there.offset), None);
    assert_eq!(memory.view(1, NOW).load_u64(elsewhere), fault(elsewhere, 8));
    assert_eq!(memory.view(0, NOW).load_u64(AT.plus(8)), Ok(43), "the first owner keeps it");
}

#[test]
fn what_does_not_consist_of_pages_is_not_shared() {
    let memory = memory();
    for (offset, bytes) in [(0, 0), (1, 4096), (4096, 100), (0, 1 << 40), (0, u64::MAX << 12)] {
        let extent = Extent { offset, bytes };
        assert_eq!(extent.position(), None, "{extent:?}");
        assert!(memory.with_file(0, |file| share(file, extent)).is_err(), "{extent:?}");
    }
    assert_eq!(Extent::of_position(0), None, "as every descriptor of other files begins");
}

const SEED: u64 = 0x50_4f_53;
fn config() -> ProptestConfig {
    println!("seed {SEED}");
    ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    }
}
proptest! {
    #![proptest_config(config())]
    #[test]
    fn a_position_says_its_extent(offset in 0..1_u64 << 35, pages in 1..1_u64 << 28) {
        let extent = Extent { offset: offset << 12, bytes: pages << 12 };
        let position = extent.position().expect("whole pages");
        prop_assert!(i64::try_from(position).is_ok(), "a descriptor can have it");
        prop_assert_eq!(Extent::of_position(position), Some(extent));
    }
}
