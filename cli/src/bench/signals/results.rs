//! What was measured, as one value: tables, JSON and the page are made from it.

use ringfence::ledger::Counts;
use serde::Serialize;

use super::{column::Column, queues::Cost, row::Row, samples};
use crate::bench::{
    gpu::{About, Ground},
    report::rounded,
};

/// All of it. Every number is as it is shown, to four decimals.
#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Results {
    pub(in crate::bench) about: Vec<About>,
    pub(in crate::bench) repeats: u32,
    pub(in crate::bench) warm_up: u32,
    /// A look at the clock, which is in each time.
    pub(in crate::bench) clock_us: f64,
    /// Calls of the shortest rows that are timed together.
    pub(in crate::bench) timed_together: u32,
    pub(in crate::bench) columns: Vec<Measured>,
    pub(in crate::bench) queues: Vec<OnQueues>,
    /// What the cost against queues could not be measured of, and why not.
    pub(in crate::bench) queues_left_out: Vec<LeftOut>,
}

/// One column of the tables.
#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Measured {
    pub(in crate::bench) name: String,
    /// In lines, for the head of a column.
    #[serde(skip)]
    pub(in crate::bench) title: String,
    pub(in crate::bench) stack: &'static str,
    pub(in crate::bench) profiling: &'static str,
    pub(in crate::bench) rows: Vec<Figure>,
}

/// What one row came to in one column.
#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Figure {
    pub(in crate::bench) row: &'static str,
    /// In lines, for the head of a row.
    #[serde(skip)]
    pub(in crate::bench) title: &'static str,
    /// `None`: it cannot be measured there.
    pub(in crate::bench) times: Option<Times>,
    /// `None`: nobody counts.
    pub(in crate::bench) per_repeat: Option<PerRepeat>,
}

/// Of one call, in microseconds.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub(in crate::bench) struct Times {
    pub(in crate::bench) samples: usize,
    pub(in crate::bench) p50: f64,
    pub(in crate::bench) p90: f64,
    pub(in crate::bench) p99: f64,
    pub(in crate::bench) p999: f64,
    pub(in crate::bench) max: f64,
}

/// What the library counted for one repeat of a row.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
pub(in crate::bench) struct PerRepeat {
    pub(in crate::bench) uses: f64,
    pub(in crate::bench) signals_created: f64,
    pub(in crate::bench) host_loads: f64,
    pub(in crate::bench) device_reads: f64,
    pub(in crate::bench) waits: f64,
    pub(in crate::bench) arms: f64,
    pub(in crate::bench) packets: f64,
}

/// What a use cost one tracker on so many queues.
#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct OnQueues {
    pub(in crate::bench) name: String,
    #[serde(skip)]
    pub(in crate::bench) title: String,
    pub(in crate::bench) stack: &'static str,
    pub(in crate::bench) queues: u32,
    pub(in crate::bench) uses: u64,
    pub(in crate::bench) us_per_use: f64,
    /// Real nanoseconds of the library's bookkeeping, on a device that does nothing; where the time of a use is modelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) bookkeeping_ns_per_use: Option<f64>,
    pub(in crate::bench) host_loads_per_use: f64,
    pub(in crate::bench) device_reads_per_use: f64,
    pub(in crate::bench) packets_per_use: f64,
    pub(in crate::bench) signals_created: u64,
}

/// Who was not measured, and why not.
#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct LeftOut {
    pub(in crate::bench) name: String,
    pub(in crate::bench) why: &'static str,
}

impl Results {
    /// Whether its times are a model's.
    pub(in crate::bench) fn is_modelled(&self) -> bool {
        self.about.iter().any(|about| about.ground == Ground::Model)
    }
    /// The columns whose profiling is so.
    pub(in crate::bench) fn with_profiling(&self, name: &str) -> impl Iterator<Item = &Measured> {
        self.columns.iter().filter(move |column| column.profiling == name)
    }
}
impl Measured {
    /// Whether anybody counts there.
    pub(in crate::bench) fn counts(&self) -> bool {
        self.rows.iter().any(|figure| figure.per_repeat.is_some())
    }
    pub(super) fn new(column: Column, rows: Vec<Figure>) -> Self {
        Self {
            name: column.to_string(),
            title: column.title(),
            stack: column.who.stack(),
            profiling: column.profiling.name(),
            rows,
        }
    }
}
impl Figure {
    pub(super) fn new(
        row: Row,
        samples: Option<&samples::Samples>,
        per_repeat: Option<samples::PerRepeat>,
    ) -> Self {
        let times = samples.map(|samples| Times {
            samples: samples.count(),
            p50: samples.at(500),
            p90: samples.at(900),
            p99: samples.at(990),
            p999: samples.at(999),
            max: samples.at(1000),
        });
        let per_repeat = per_repeat.map(|per| PerRepeat {
            uses: rounded(per.uses),
            signals_created: rounded(per.created),
            host_loads: rounded(per.host_loads),
            device_reads: rounded(per.device_loads),
            waits: rounded(per.waits),
            arms: rounded(per.arms),
            packets: rounded(per.packets),
        });
        Self { row: row.name(), title: row.title(), times, per_repeat }
    }
}
impl OnQueues {
    pub(super) fn new(column: Column, queues: u32, cost: &Cost) -> Self {
        let of = |count: fn(&Counts) -> u64| count(&cost.counts) - count(&cost.before);
        let uses = cost.uses();
        let per_use = |count: u64| rounded(count as f64 / uses.max(1) as f64);
        Self {
            name: column.to_string(),
            title: column.title(),
            stack: column.who.stack(),
            queues,
            uses,
            us_per_use: rounded(cost.ns_per_use() / 1e3),
            bookkeeping_ns_per_use: cost.bookkeeping.map(rounded),
            host_loads_per_use: per_use(of(|counts| counts.loads.all_host())),
            device_reads_per_use: per_use(of(|counts| counts.loads.all_device())),
            packets_per_use: per_use(of(|counts| counts.packets)),
            signals_created: of(|counts| counts.created),
        }
    }
}
