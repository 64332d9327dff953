//! The four ways to give streams to tasks.

use std::fmt;

use ringfence::stream::{
    FreshDeferred, FreshDrop, LeasePolicy, PoolOptions, RoundRobin, StreamPolicy,
};
use ringfence_mock::streams::seen::Exclusive;

/// How tasks get their streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Policy {
    FreshDrop,
    FreshDeferred,
    RoundRobin,
    Lease,
}
impl Policy {
    /// All, in the order of the table.
    pub(crate) const ALL: [Self; 4] =
        [Self::FreshDrop, Self::FreshDeferred, Self::RoundRobin, Self::Lease];
    /// What the table calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FreshDrop => "fresh_drop",
            Self::FreshDeferred => "fresh_deferred",
            Self::RoundRobin => "round_robin",
            Self::Lease => "lease",
        }
    }
    /// What it does, in one line.
    pub(crate) const fn summary(self) -> &'static str {
        match self {
            Self::FreshDrop => "a new stream for each task, destroyed after it",
            Self::FreshDeferred => "a new stream for each task, destroyed once 512 are alive",
            Self::RoundRobin => "32 streams in turn, whoever still uses them",
            Self::Lease => "the stream of a finished task whose work is finished, else a new one",
        }
    }
    pub(super) fn of_the_pool(self) -> Box<dyn StreamPolicy> {
        match self {
            Self::FreshDrop => Box::new(FreshDrop),
            Self::FreshDeferred => Box::new(FreshDeferred::default()),
            Self::RoundRobin => Box::new(RoundRobin::default()),
            Self::Lease => Box::new(LeasePolicy),
        }
    }
    /// What is destroyed late is kept until then, however much of it is idle.
    pub(super) fn options(self) -> PoolOptions {
        let usual = PoolOptions::default();
        match self {
            Self::FreshDeferred => PoolOptions { idle_cap: u32::MAX, ..usual },
            _ => usual,
        }
    }
    /// Whether a lease is to be its owner's alone.
    pub(super) const fn exclusive(self) -> Exclusive {
        match self {
            Self::RoundRobin => Exclusive::No,
            _ => Exclusive::Yes,
        }
    }
}
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
