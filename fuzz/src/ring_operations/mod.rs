//! The oracle of the pure ring: it is told only what a simple device shows, and whatever it finishes, arms
//! or hands out again has to be so there. Every input is a run.
//!
//! Up to two streams on up to three queues and a copy engine; no tracker stands between.

mod end;
mod gpu;
mod host;

use self::host::Host;
use crate::bytes::Bytes;

/// A fuzzer gains nothing from longer runs.
const MOST_OPERATIONS: usize = 160;

/// Runs `input`.
///
/// # Panics
/// If the ring finishes a use that is not complete, arms a signal that somebody still needs, uses one that
/// is not armed, or if something is left over at the end.
pub fn check(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let mut host = Host::new(&mut bytes);
    for _ in 0..MOST_OPERATIONS {
        if bytes.is_empty() {
            break;
        }
        host.operate(&mut bytes);
    }
    host.end(&mut bytes);
}
