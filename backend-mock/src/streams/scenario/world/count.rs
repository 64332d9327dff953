//! Counters, by their words.

use super::Hand;
use crate::streams::{CallKind, scenario::StreamCounter};

const MIB: u64 = 1 << 20;

impl Hand {
    /// A counter, from the start or from the last `count_from`.
    pub(super) fn count(&self, counter: StreamCounter) -> u64 {
        let total = self.total(counter);
        if counter.is_now() { total } else { total - self.state().base(counter).min(total) }
    }
    /// A counter, from the start.
    pub(super) fn total(&self, counter: StreamCounter) -> u64 {
        let pool = || self.pool().counts();
        let memory = || self.pool().memory_counts();
        let tally = || self.pool().tally();
        let calls = |kind| self.driver().counts().of(kind);
        match counter {
            StreamCounter::Leases => pool().leases,
            StreamCounter::Reused => pool().reused,
            StreamCounter::Created => pool().created,
            StreamCounter::CreationsFailed => pool().creations_failed,
            StreamCounter::Trimmed => pool().trimmed,
            StreamCounter::Destroyed => pool().destroyed,
            StreamCounter::Bad => pool().condemned_bad,
            StreamCounter::Captured => pool().condemned_captures,
            StreamCounter::Leaked => pool().leaked,
            StreamCounter::LooksByQuery => pool().looks_by_query,
            StreamCounter::FreedOnStream => memory().freed_on_stream,
            StreamCounter::FreedOnDisposal => memory().freed_on_disposal,
            StreamCounter::FreedAtOnce => memory().freed_at_once,
            StreamCounter::Deferred => memory().deferred,
            StreamCounter::LeakedMemory => memory().leaked,
            StreamCounter::Queries => calls(CallKind::Query),
            StreamCounter::StatusCalls => calls(CallKind::Status),
            StreamCounter::DeviceWaits => calls(CallKind::StreamWait),
            StreamCounter::DriverCalls => self.driver().counts().driver_calls(),
            StreamCounter::Woken => {
                self.state().futures.values().map(|future| future.woken.count()).sum()
            }
            StreamCounter::Shared => {
                self.driver().with_oracle(|oracle| oracle.shared()).unwrap_or(0)
            }
            StreamCounter::ForeignNodes => {
                self.driver().with_oracle(|oracle| oracle.foreign_nodes()).unwrap_or(0)
            }
            StreamCounter::Warnings => u64::from(pool().warnings),
            StreamCounter::Leased => u64::from(tally().leased),
            StreamCounter::Draining => u64::from(tally().draining),
            StreamCounter::Idle => u64::from(tally().idle),
            StreamCounter::Condemned => u64::from(tally().condemned),
            StreamCounter::Live => u64::from(tally().live()),
            StreamCounter::Peak => u64::from(pool().peak_leased_and_draining),
            StreamCounter::PeakCreating => u64::from(self.driver().counts().peak_creating),
            StreamCounter::HostMib => tally().host_bytes.as_u64() / MIB,
        }
    }
}
