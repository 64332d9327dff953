//! Choices are those of their seed, and reach all that they may.

use super::*;

#[test]
fn a_seed_chooses_the_same_again() {
    let choices = |seed| {
        let mut chance = Chance::new(seed);
        [0; 8].map(|_| chance.between(0, u64::MAX))
    };
    assert_eq!(choices(7), choices(7));
    assert_ne!(choices(7), choices(8));
    assert_ne!(choices(0), [0; 8], "no seed makes it stand still");
}

#[test]
fn every_number_of_a_range_comes_and_no_other() {
    let mut chance = Chance::new(1);
    println!("seed 1");
    let mut seen = [0; 5];
    for _ in 0..5000 {
        seen[usize::try_from(chance.between(10, 14) - 10).unwrap()] += 1;
    }
    assert!(seen.iter().all(|&count| (800..1200).contains(&count)), "{seen:?}");
    assert_eq!(chance.between(3, 3), 3);
    assert_eq!(chance.between(u64::MAX, u64::MAX), u64::MAX);
    assert!((0..100).all(|_| chance.between(u64::MAX - 1, u64::MAX) >= u64::MAX - 1));
}

#[test]
fn durations_lie_in_their_span() {
    let mut chance = Chance::new(1);
    let [least, most] = [200, 300].map(Duration::from_nanos);
    let all: Vec<_> = (0..1000).map(|_| chance.within(Span { least, most })).collect();
    assert!(all.iter().all(|duration| (least..=most).contains(duration)));
    assert!(all.contains(&least) && all.contains(&most));
    assert_eq!(chance.within(Span { least: most, most }), most);
}
