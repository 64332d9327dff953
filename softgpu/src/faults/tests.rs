//! Each planned fault comes once, at its number, and counts its own kind alone.

use super::*;

#[test]
fn the_kth_of_each_kind_fails_once() {
    type Plan = fn(&mut Faults) -> &mut Option<NonZeroU64>;
    type Ask = fn(&mut Countdown) -> bool;
    let kinds: [(Plan, Ask); 6] = [
        (|faults| &mut faults.packet, Countdown::break_packet),
        (|faults| &mut faults.lost, Countdown::lose_at_packet),
        (|faults| &mut faults.vm, |countdown| countdown.touch_unmapped().is_err()),
        (|faults| &mut faults.queue, Countdown::refuse_queue),
        (|faults| &mut faults.event, Countdown::refuse_event),
        (|faults| &mut faults.memory, Countdown::refuse_memory),
    ];
    for (at, (plan, ask)) in kinds.into_iter().enumerate() {
        for k in [1, 3] {
            let mut planned = Faults::default();
            *plan(&mut planned) = NonZeroU64::new(k);
            let mut countdown = Countdown::new(planned);
            for nth in 1..=6 {
                for (other, (_, ask)) in kinds.iter().enumerate() {
                    assert!(other == at || !ask(&mut countdown), "kind {other} is not planned");
                }
                assert_eq!(ask(&mut countdown), nth == k, "kind {at}, {nth} of {k}");
            }
        }
    }
}
