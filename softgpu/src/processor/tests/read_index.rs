//! When the read index moves.

use super::*;
use crate::settings::ReadIndex;

const POLICIES: [ReadIndex; 5] =
    [ReadIndex::Early, ReadIndex::Late, ReadIndex::Eights, ReadIndex::Still, ReadIndex::Mixed];

/// 8 packets of which the first two are complete and six are running.
fn running(policy: ReadIndex) -> Rig {
    let mut rig = Rig::with(1, |settings| {
        settings.read_index = policy;
        settings.kernel = span(1000, 1000);
    });
    rig.submit(0, &[Wire::kernel(); 2]);
    rig.pass(500);
    rig.submit(0, &[Wire::kernel(); 6]);
    rig.pass(500);
    rig
}

#[test]
fn policies_differ_in_how_far_it_has_come() {
    assert_eq!(running(ReadIndex::Early).read_index(0), 8);
    assert_eq!(running(ReadIndex::Late).read_index(0), 2);
    assert_eq!(running(ReadIndex::Still).read_index(0), 0);
    assert_eq!(running(ReadIndex::Eights).read_index(0), 8);
    assert!((2..=8).contains(&running(ReadIndex::Mixed).read_index(0)));
}

#[test]
fn eights_moves_in_steps_of_8() {
    let mut rig = Rig::with(1, |settings| settings.read_index = ReadIndex::Eights);
    let seen: Vec<u64> = (0..17)
        .map(|_| {
            rig.submit(0, &[Wire::kernel()]);
            rig.read_index(0)
        })
        .collect();
    assert_eq!(seen, [[0; 7].as_slice(), &[8; 8], &[16; 2]].concat());
}

#[test]
fn late_waits_for_the_oldest_packet() {
    let mut rig = Rig::with(1, |settings| settings.read_index = ReadIndex::Late);
    let waits = Wire::value(signal(9), -1, 0, 0);
    rig.submit(0, &[Wire::kernel(), waits, Wire::kernel(), Wire::kernel()]);
    assert_eq!(rig.read_index(0), 1);
    rig.set(9, 0);
    rig.settle();
    assert_eq!(rig.read_index(0), 4);
}

#[test]
fn still_moves_when_the_queue_is_three_quarters_full() {
    let mut rig = Rig::with(1, |settings| settings.read_index = ReadIndex::Still);
    rig.submit(0, &[Wire::kernel(); 11]);
    assert_eq!(rig.read_index(0), 0);
    rig.submit(0, &[Wire::kernel()]);
    assert!(rig.read_index(0) > 0);
}

/// A producer that fills the ring whenever there is room: the read index never goes back, never passes
/// what has started, and there is room again for all.
#[test]
fn no_policy_goes_back_runs_ahead_or_starves_a_producer() {
    for policy in POLICIES {
        for seed in 1..=8 {
            println!("{policy:?}, seed {seed}");
            let mut rig = Rig::with(1, |settings| {
                settings.read_index = policy;
                settings.kernel = span(0, 2000);
                settings.seed = seed;
            });
            let (mut written, mut before, mut looks) = (0, 0, 0);
            while written < 200 || !rig.queues[0].is_idle() {
                while written < 200 && written - rig.read_index(0) < PACKETS {
                    rig.submit(0, &[Wire::kernel()]);
                    written += 1;
                }
                rig.pass(100);
                let read = rig.read_index(0);
                assert!(before <= read && read <= rig.queues[0].order.started_below().as_u64());
                if policy == ReadIndex::Late {
                    assert!(read <= rig.queues[0].order.complete_below().as_u64());
                }
                (before, looks) = (read, looks + 1);
                assert!(looks < 20_000, "{written} written, {read} read");
            }
        }
    }
}

#[test]
fn mixed_leads_and_lags() {
    let mut rig = Rig::with(1, |settings| {
        settings.read_index = ReadIndex::Mixed;
        settings.kernel = span(500, 500);
    });
    let (mut led, mut lagged) = (0, 0);
    for _ in 0..200 {
        rig.submit(0, &[Wire::kernel().barrier()]);
        led += u32::from(rig.read_index(0) > rig.queues[0].order.complete_below().as_u64());
        lagged += u32::from(rig.read_index(0) < rig.queues[0].order.started_below().as_u64());
        rig.pass(500);
    }
    println!("seed {}", rig.settings.seed);
    assert!(led > 20 && lagged > 20, "led {led}, lagged {lagged} times of 200");
}
