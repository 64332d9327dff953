//! Which tests fail by which flaw.

mod captures;
mod events;
mod graphs;
mod memory;
mod progress;
mod queries;
mod rules;
mod streams;

use crate::flaw::Flaw;

/// A flaw, and the tests that fail by it, in the order of the suite.
pub(crate) type Expected = (Flaw, &'static [&'static str]);

pub(crate) use self::{
    captures::CAPTURES, events::EVENTS, graphs::GRAPHS, memory::MEMORY, progress::PROGRESS,
    queries::QUERIES, rules::RULES, streams::STREAMS,
};

/// All tables.
pub(crate) const ALL: [&[Expected]; 8] =
    [RULES, STREAMS, QUERIES, EVENTS, CAPTURES, GRAPHS, MEMORY, PROGRESS];
