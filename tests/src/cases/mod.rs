//! What is measured: by time in the benchmark, by instructions under callgrind.
//!
//! Every case runs on a [`NullDevice`](crate::null::NullDevice), in a steady state, and does its unit of
//! work as often as it is told.

mod events;
mod held;
mod submissions;

use ringfence::ledger::Counts;

/// Something that can be done over and over.
pub trait Steady {
    /// Does it `units` times.
    fn run(&mut self, units: u64);
    /// What it cost so far, by the ledgers of its trackers.
    fn counts(&self) -> Counts;
}

/// What one unit of a case is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// One packet with a completion signal.
    Use,
    /// One query of an event.
    Query,
    /// Record, kernel, record, synchronize: three uses and one wait.
    Round,
}
impl Unit {
    /// Its name in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Use => "use",
            Self::Query => "query",
            Self::Round => "round",
        }
    }
}

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in a few words.
    pub what: &'static str,
    /// What is counted.
    pub unit: Unit,
    /// Sets it up.
    pub open: fn() -> Box<dyn Steady>,
}

/// Every case, in the order of the table.
pub const ALL: &[Case] = &[
    Case {
        name: "plain_1",
        what: "secure + bind + retire, 1 queue",
        unit: Unit::Use,
        open: || Box::new(submissions::Plain::on_queues(1)),
    },
    Case {
        name: "plain_8",
        what: "secure + bind + retire, 8 queues in turn",
        unit: Unit::Use,
        open: || Box::new(submissions::Plain::on_queues(8)),
    },
    Case {
        name: "plain_64",
        what: "secure + bind + retire, 64 queues in turn",
        unit: Unit::Use,
        open: || Box::new(submissions::Plain::on_queues(64)),
    },
    Case {
        name: "lent",
        what: "the ring alone, the signal lent and let go each time",
        unit: Unit::Use,
        open: || Box::new(held::Held::new()),
    },
    Case {
        name: "recorded",
        what: "with a record that holds the signal, dropped at once",
        unit: Unit::Use,
        open: || Box::new(submissions::Recorded::new()),
    },
    Case {
        name: "shared_8_streams",
        what: "8 streams in turn on 1 queue",
        unit: Unit::Use,
        open: || Box::new(submissions::Plain::on_one_queue(8)),
    },
    Case {
        name: "query_proven",
        what: "query of a proven event",
        unit: Unit::Query,
        open: || Box::new(events::QueryProven::new()),
    },
    Case {
        name: "record_sync",
        what: "record, kernel, record, synchronize",
        unit: Unit::Round,
        open: || Box::new(events::RecordSync::new()),
    },
    Case {
        name: "polling",
        what: "the polling tracker on host signals, 1 queue",
        unit: Unit::Use,
        open: || Box::new(submissions::Plain::polling()),
    },
];

/// The case with this name.
pub fn find(name: &str) -> Option<&'static Case> {
    ALL.iter().find(|case| case.name == name)
}
