//! How often the engine looks when nothing happens.

use std::time::Duration;

/// From now until when the engine looks again.
///
/// Nothing tells it that a doorbell rang: it has to look. Just after something happened it spins, then
/// it sleeps for longer and longer: a quick answer while work comes, and about 2 % of a core when none
/// does for a while.
pub(super) fn rest(quiet: Duration, spin: Duration, due: Option<Duration>) -> Option<Duration> {
    const STEPS: [(Duration, Duration); 4] = [
        (Duration::from_millis(2), Duration::from_micros(20)),
        (Duration::from_millis(20), Duration::from_micros(100)),
        (Duration::from_millis(100), Duration::from_micros(500)),
        (Duration::MAX, Duration::from_millis(1)),
    ];
    if quiet < spin {
        return None;
    }
    let step = STEPS.iter().find(|(until, _)| quiet <= *until).expect("the last has no end");
    Some(due.map_or(step.1, |due| due.min(step.1)))
}
