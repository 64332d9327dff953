//! The four ways to give streams to tasks.

use std::fmt;

use clap::ValueEnum;
use ringfence::stream::{
    FreshDeferred, FreshDrop, LeasePolicy, PoolOptions, RoundRobin, StreamPolicy,
};

/// How tasks get their streams. In the order in which they run: what piles memory up comes last, so that it hides
/// nobody else's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(in crate::bench) enum Policy {
    /// The stream of a finished task whose work is finished, else a new one
    Lease,
    /// 32 streams in turn, whoever still uses them
    RoundRobin,
    /// A new stream for each task, destroyed after it
    FreshDrop,
    /// A new stream for each task, destroyed once 512 are alive
    FreshDeferred,
}
impl Policy {
    /// All, in the order in which they run.
    pub(in crate::bench) const ALL: [Self; 4] =
        [Self::Lease, Self::RoundRobin, Self::FreshDrop, Self::FreshDeferred];
    /// What the tables call it.
    pub(in crate::bench) const fn name(self) -> &'static str {
        match self {
            Self::Lease => "lease",
            Self::RoundRobin => "round_robin",
            Self::FreshDrop => "fresh_drop",
            Self::FreshDeferred => "fresh_deferred",
        }
    }
    pub(super) fn of_the_pool(self) -> Box<dyn StreamPolicy> {
        match self {
            Self::Lease => Box::new(LeasePolicy),
            Self::RoundRobin => Box::new(RoundRobin::default()),
            Self::FreshDrop => Box::new(FreshDrop),
            Self::FreshDeferred => Box::new(FreshDeferred::default()),
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
}
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
