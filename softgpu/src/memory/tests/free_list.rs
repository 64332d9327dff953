//! Free ranges against one flag for each byte.

use proptest::prelude::*;

use crate::memory::FreeList;

const START: u64 = 96;
const BYTES: u64 = 160;
const SEED: u64 = 0x46_52_45_45;

#[derive(Clone, Copy, Debug)]
enum Act {
    Take { bytes: u64, align: u32 },
    Give(prop::sample::Index),
}
fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (1..40_u64, 0..6_u32).prop_map(|(bytes, align)| Act::Take { bytes, align }),
        2 => any::<prop::sample::Index>().prop_map(Act::Give),
    ]
}
fn config() -> ProptestConfig {
    println!("seed {SEED}");
    ProptestConfig {
        cases: 500,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    }
}
proptest! {
    #![proptest_config(config())]
    #[test]
    fn what_is_taken_is_whole_aligned_and_nobody_elses(
        acts in prop::collection::vec(any_act(), 1..120),
    ) {
        let mut list = FreeList::new(START, BYTES);
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for act in acts {
            let is_free = |from: u64, bytes: u64| {
                let inside = from >= START && from + bytes <= START + BYTES;
                inside && taken.iter().all(|&(at, its)| from + bytes <= at || at + its <= from)
            };
            match act {
                Act::Take { bytes, align } => {
                    let align = 1 << align;
                    let first = (START..START + BYTES)
                        .find(|&at| at % align == 0 && is_free(at, bytes));
                    prop_assert_eq!(list.take(bytes, align), first);
                    taken.extend(first.map(|at| (at, bytes)));
                }
                Act::Give(_) if taken.is_empty() => {}
                Act::Give(index) => {
                    let (at, bytes) = taken.swap_remove(index.index(taken.len()));
                    list.give(at, bytes);
                }
            }
            let in_use: u64 = taken.iter().map(|(_, bytes)| bytes).sum();
            prop_assert_eq!(list.bytes(), BYTES - in_use);
        }
        for (at, bytes) in taken {
            list.give(at, bytes);
        }
        prop_assert_eq!(list, FreeList::new(START, BYTES), "all is back, in one piece");
    }
}

#[test]
fn sizes_beyond_all_addresses_do_not_fit() {
    let mut list = FreeList::new(START, BYTES);
    for bytes in [BYTES + 1, u64::MAX, u64::MAX - START, u64::MAX - 127] {
        for align in [1, 32, 128, 1 << 20] {
            assert_eq!(list.take(bytes, align), None, "{bytes:#x} at {align}");
        }
    }
    assert_eq!(list.take(BYTES, 1), Some(START));
}
