//! The end of a scenario of streams: everything is let go of, finishes, and is accounted for.

use ringfence::backend::streams::{DriverState, StreamDriver, StreamPlatform};

use super::{Hand, SHOWN, StreamFailure, StreamReport, failure::Stop, things::Source};
use crate::{scenario::Name, streams::seen::Declaration};

/// Pumps until nothing more happens: each lets go of what the one before freed.
const PUMPS: usize = 16;

impl Hand {
    pub(super) fn finish(&self) -> Result<StreamReport, Box<StreamFailure>> {
        let ended = self.end_all();
        self.judge()?;
        ended.map_err(|stop| {
            let mut failure = match stop {
                Stop::Failure(failure) => failure,
                Stop::Error(_, error) => StreamFailure::left_over(error),
            };
            failure.trace = self.driver().trace(SHOWN);
            failure
        })?;
        let oracle = |look: fn(&crate::streams::oracle::StreamOracle) -> u64| {
            self.driver().with_oracle(look).unwrap_or(0)
        };
        Ok(StreamReport {
            profile: self.0.profile,
            steps: self.state().steps,
            pool: self.pool().counts(),
            memory: self.pool().memory_counts(),
            driver: self.driver().counts(),
            shared: oracle(crate::streams::oracle::StreamOracle::shared),
            foreign_nodes: oracle(crate::streams::oracle::StreamOracle::foreign_nodes),
        })
    }
    fn end_all(&self) -> Result<(), Stop> {
        self.driver().on_create(None);
        self.let_go_of_all()?;
        if self.driver().state() == DriverState::Ready {
            self.endless_work_ends();
            self.driver().run_until_idle();
            if !self.state().shut {
                self.free_the_rest()?;
                self.quiet();
            }
            self.users_streams_go();
        }
        if !self.state().shut {
            self.shut_down(None)?;
        }
        self.say(Declaration::End);
        Ok(())
    }
    /// Futures, parts, graphs, then leases.
    fn let_go_of_all(&self) -> Result<(), Stop> {
        let (futures, parts) = {
            let mut state = self.state();
            let futures: Vec<_> =
                state.futures.values_mut().filter_map(|future| future.what.take()).collect();
            (futures, std::mem::take(&mut state.participants))
        };
        for future in futures {
            self.let_go(future);
        }
        self.let_go(parts);
        let graphs: Vec<Name> = {
            let state = self.state();
            let there = state.graphs.iter().filter(|(_, plan)| plan.graph.is_some());
            there.map(|(name, _)| name.clone()).collect()
        };
        for graph in graphs {
            self.drop_graph(&graph)?;
        }
        let tables: Vec<Name> = self.state().tables.keys().cloned().collect();
        for task in tables {
            self.leave_tables(&task);
        }
        let owners: Vec<Name> = self.state().owned.keys().cloned().collect();
        for owner in owners {
            self.leave_owners(&owner);
        }
        let leases: Vec<Name> = {
            let state = self.state();
            let held = state.tenants.iter().filter(|(_, tenant)| tenant.lease.is_some());
            held.map(|(name, _)| name.clone()).collect()
        };
        self.release(&leases)
    }
    fn endless_work_ends(&self) {
        let raws: Vec<_> = {
            let state = self.state();
            let tenants = state.tenants.values().map(|tenant| tenant.raw);
            tenants.chain(state.handles.values().map(|handle| handle.raw)).collect()
        };
        for raw in raws {
            self.driver().end_endless(raw);
        }
    }
    /// Memory that nobody gave up is given up now.
    fn free_the_rest(&self) -> Result<(), Stop> {
        let left: Vec<Name> = {
            let state = self.state();
            let there = state.arrays.iter().filter(|(_, array)| array.allocation.is_some());
            there.map(|(name, _)| name.clone()).collect()
        };
        left.iter().try_for_each(|memory| self.free(memory))
    }
    fn quiet(&self) {
        for _ in 0..PUMPS {
            self.driver().run_until_idle();
            if self.pool().pump() == ringfence::drive::Pumped::default() {
                break;
            }
        }
    }
    /// The user destroys the streams that the user made.
    fn users_streams_go(&self) {
        let handles = std::mem::take(&mut self.state().handles);
        let wrapped: Vec<_> = {
            let state = self.state();
            let external = state.tenants.values();
            external
                .filter(|tenant| tenant.source == Source::External)
                .map(|tenant| tenant.raw)
                .collect()
        };
        for handle in handles.values().filter(|handle| !wrapped.contains(&handle.raw)) {
            let _gone_already = self.driver().user().destroy(handle.raw);
        }
    }
}
