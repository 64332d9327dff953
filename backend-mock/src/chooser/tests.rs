use super::*;

const SITES: [Site; 9] = [
    Site::Moves,
    Site::Lane,
    Site::Which,
    Site::ReadIndex,
    Site::Batch,
    Site::Patience,
    Site::Interrupt,
    Site::Handler,
    Site::Stamps,
];

fn answers(mut chooser: impl Chooser, count: usize) -> Vec<u32> {
    (0..count).map(|i| chooser.choose(SITES[i % SITES.len()], 5)).collect()
}

#[test]
fn the_same_seed_gives_the_same_answers_and_another_seed_others() {
    for profile in [Profile::Busy, Profile::Hostile] {
        let run = |seed| answers(Seeded::new(seed, profile.odds()), 4_000);
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }
}

#[test]
fn every_answer_is_in_range() {
    let mut chooser = Seeded::new(11, Profile::Hostile.odds());
    for n in 1..40 {
        for at in SITES {
            assert!(chooser.choose(at, n) < n, "{at:?} of {n}");
        }
    }
}

#[test]
fn a_tame_device_always_answers_0() {
    assert!(answers(Seeded::new(3, Profile::Tame.odds()), 1_000).iter().all(|&answer| answer == 0));
    assert!(answers(Scripted::tame(), 1_000).iter().all(|&answer| answer == 0));
}

#[test]
fn a_hostile_device_uses_every_answer() {
    let mut chooser = Seeded::new(5, Profile::Hostile.odds());
    for at in SITES {
        let mut seen = [0; 5];
        for _ in 0..4_000 {
            seen[chooser.choose(at, 5) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 0), "{at:?}: {seen:?}");
    }
}

#[test]
fn a_fixed_habit_of_the_read_index_is_kept() {
    let odds = Odds { read_index: Some(ReadIndexHabit::Published), ..Profile::Hostile.odds() };
    let mut chooser = Seeded::new(5, odds);
    let last = ReadIndexHabit::ALL.len() as u32;
    assert!((0..100).all(|_| chooser.choose(Site::ReadIndex, last) == last - 1));
}

#[test]
fn a_script_is_followed_then_tame_and_out_of_range_means_last() {
    let mut chooser = Scripted::new([2, 9]);
    assert_eq!(chooser.choose(Site::Which, 3), 2);
    assert_eq!(chooser.choose(Site::Which, 3), 2);
    assert_eq!((chooser.choose(Site::Which, 3), chooser.left()), (0, 0));
}
