//! What an array remembers.

use super::*;

fn touch(stream: u32, position: u64) -> Touch {
    let stream = StreamRef::new(PoolId::new(9), StreamId::new(stream), Generation::FIRST);
    Touch::new(stream, Position::new(position))
}
fn positions(stamp: &Stamp, access: Access) -> Vec<String> {
    let mut all: Vec<_> = stamp.touches(access).map(|touch| touch.to_string()).collect();
    all.sort();
    all
}

#[test]
fn readers_follow_the_writer_and_writers_follow_everybody() {
    let mut stamp = Stamp::default();
    stamp.add(touch(0, 1), Access::Write);
    stamp.add(touch(1, 4), Access::Read);
    assert_eq!(positions(&stamp, Access::Read), ["s0#0@1"]);
    assert_eq!(positions(&stamp, Access::Write), ["s0#0@1", "s1#0@4"]);
    stamp.replace(touch(2, 2)); // it followed both
    assert_eq!(positions(&stamp, Access::Write), ["s2#0@2"]);
}

/// Whether it followed the others nobody said.
#[test]
fn a_writer_takes_the_place_of_its_own_streams_work_alone() {
    let mut stamp = Stamp::default();
    stamp.add(touch(0, 1), Access::Write);
    (1..6).for_each(|stream| stamp.add(touch(stream, 4), Access::Read));
    stamp.add(touch(2, 5), Access::Write);
    assert_eq!(positions(&stamp, Access::Read), ["s2#0@5"]);
    let all = ["s0#0@1", "s1#0@4", "s2#0@5", "s3#0@4", "s4#0@4", "s5#0@4"];
    assert_eq!(positions(&stamp, Access::Write), all);
    stamp.add(touch(5, 3), Access::Write); // before what that stream read
    assert_eq!(positions(&stamp, Access::Write).len(), 7);
    stamp.add(touch(5, 2), Access::Write);
    assert_eq!(positions(&stamp, Access::Read), ["s5#0@3"], "the later of the two");
}

/// Against every touch that was ever added.
#[test]
fn nothing_is_forgotten_that_no_later_work_of_its_stream_covers() {
    for seed in 0..200_u64 {
        let mut dice = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: u64| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            dice % limit
        };
        let (mut stamp, mut all) = (Stamp::default(), Vec::new());
        for _ in 0..40 {
            let work = touch(below(7) as u32, below(9));
            let access = if below(2) == 0 { Access::Read } else { Access::Write };
            stamp.add(work, access);
            all.push(work);
            let covers = |one: Touch| {
                stamp
                    .touches(Access::Write)
                    .any(|held| held.stream() == one.stream() && held.position() >= one.position())
            };
            let lost: Vec<_> = all.iter().filter(|one| !covers(**one)).collect();
            assert!(lost.is_empty(), "seed {seed}: {lost:?} of {all:?} lost by {stamp:?}");
            assert!(stamp.touches(Access::Write).count() <= 8, "a stream twice: {stamp:?}");
        }
    }
}

#[test]
fn of_one_stream_the_newest_reader_is_kept() {
    let mut stamp = Stamp::default();
    for stream in 0..6 {
        stamp.add(touch(stream, 5), Access::Read);
        stamp.add(touch(stream, 3), Access::Read);
        stamp.add(touch(stream, 7), Access::Read);
    }
    let all: Vec<_> = (0..6).map(|stream| format!("s{stream}#0@7")).collect();
    assert_eq!(positions(&stamp, Access::Write), all);
}

#[test]
fn merging_keeps_what_both_remember() {
    let (mut one, mut two) = (Stamp::default(), Stamp::default());
    one.add(touch(0, 1), Access::Write);
    two.add(touch(1, 2), Access::Write);
    two.add(touch(0, 9), Access::Read);
    one.merge(&two);
    assert_eq!(positions(&one, Access::Write), ["s0#0@1", "s0#0@9", "s1#0@2"]);
}

#[test]
fn a_later_tenancy_of_a_stream_takes_the_place_of_an_earlier_one() {
    let stream = |generation: u32| {
        let generation = (0..generation).fold(Generation::FIRST, |before, _| before.next());
        StreamRef::new(PoolId::new(9), StreamId::new(3), generation)
    };
    let mut stamp = Stamp::default();
    for tenancy in [0, 2, 1] {
        stamp
            .add(Touch::new(stream(tenancy), Position::new(10 - u64::from(tenancy))), Access::Read);
    }
    assert_eq!(positions(&stamp, Access::Write), ["s3#2@8"]);
}

#[test]
fn what_is_followed_by_something_else_is_forgotten_and_nothing_besides() {
    let whole = || {
        let mut stamp = Stamp::default();
        stamp.add(touch(0, 1), Access::Write);
        (1..6).for_each(|stream| stamp.add(touch(stream, 1), Access::Read));
        stamp
    };
    let all = positions(&whole(), Access::Write);
    assert_eq!(all.len(), 6);
    for stream in 0..6 {
        let mut stamp = whole();
        stamp.forget(touch(stream, 2)); // another piece of work
        assert_eq!(positions(&stamp, Access::Write), all);
        stamp.forget(touch(stream, 1));
        let mut left = all.clone();
        left.retain(|one| *one != touch(stream, 1).to_string());
        assert_eq!(positions(&stamp, Access::Write), left);
    }
    let mut stamp = whole();
    while let Some(touch) = stamp.first() {
        stamp.forget(touch);
    }
    assert!(stamp.is_empty());
}

#[test]
fn of_two_equal_touches_either_is_the_later_one() {
    assert_eq!(touch(1, 4).later_of(touch(1, 4)), touch(1, 4));
    assert_eq!(touch(1, 4).later_of(touch(1, 5)), touch(1, 5));
    assert_eq!(touch(1, 5).later_of(touch(1, 4)), touch(1, 5));
}

/// An array that was allocated anew, and that remembers what its old memory was used for.
#[test]
fn an_allocation_is_covered_by_later_work_of_its_own_tenancy_alone() {
    let later = StreamRef::new(PoolId::new(9), StreamId::new(0), Generation::FIRST.next());
    let allocated = Touch::new(later, Position::new(12));
    for (remembered, adds) in [
        (touch(0, 30), true),                         // an earlier tenancy
        (Touch::new(later, Position::new(11)), true), // before it
        (Touch::new(later, Position::new(13)), false),
        (touch(1, 99), true),
    ] {
        let mut stamp = Stamp::default();
        stamp.add(remembered, Access::Write);
        stamp.add_allocation(allocated);
        let added = stamp.touches(Access::Write).any(|touch| touch == allocated);
        assert_eq!(added, adds, "{remembered}");
    }
}
