//! The mix of signals on AMD's HSA runtime: the same steps, real queues, real signals, real time.

use std::time::{Duration, Instant};

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use ringfence::{
    backend::{CopyEngine, PacketQueue},
    error::Error,
    id::DeviceId,
    ledger::Counts,
};
use ringfence_hsa::{
    CopyWork, Dispatch, HsaCopyEngine, HsaDevice, HsaError, HsaQueue, QueueOptions, RingSize,
    Runtime,
};
use ringfence_mock::oracle::Declaration;
use serde::Serialize;

use super::{
    machine::Machine,
    player::{Played, Player},
    run::Configuration,
    table::grouped,
    workload::{Length, Mix},
};
use crate::trace::Trace;

/// The queues' rings: small ones, so that they are full now and then.
const RING: RingSize = RingSize::at_least(1024);

/// One GPU with its queues and its copy engine.
#[derive(Debug)]
struct Gpu {
    device: HsaDevice,
    queues: std::cell::RefCell<std::vec::IntoIter<HsaQueue>>,
    engine: HsaCopyEngine,
    kernel: Dispatch,
    copy: CopyWork,
}
impl Gpu {
    /// Everything that can fail is made here.
    fn open(device: HsaDevice, queues: usize) -> Result<Self, HsaError> {
        let options = QueueOptions { packets: RING, ..QueueOptions::default() };
        let queues: Vec<_> =
            (0..queues).map(|_| device.create_queue(options)).collect::<Result<_, _>>()?;
        let engine = device.copy_engine()?;
        let (kernel, copy) = (device.empty_kernel()?, engine.idle_copy()?);
        Ok(Self { device, queues: queues.into_iter().into(), engine, kernel, copy })
    }
}
impl Machine for Gpu {
    type Device = HsaDevice;
    type Queue = HsaQueue;
    type Engine = HsaCopyEngine;
    fn device(&self) -> HsaDevice {
        self.device.clone()
    }
    fn add_queue(&self) -> HsaQueue {
        self.queues.borrow_mut().next().expect("as many were made as a player asks for")
    }
    fn engine(&self) -> HsaCopyEngine {
        self.engine.clone()
    }
    /// An empty one: how long it takes is the device's business.
    fn kernel(&self, _length: Length) -> <HsaQueue as PacketQueue>::Work {
        self.kernel
    }
    fn part(&self, _length: Length) -> <HsaCopyEngine as CopyEngine>::Work {
        self.copy
    }
    fn declare(&self, _statement: impl FnOnce() -> Declaration) {}
    fn loads_of(&self, again: impl FnOnce()) -> Option<u64> {
        again();
        None
    }
}

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    /// There is no GPU, or it does not do what it must.
    #[error("{0}\n`ringfence doctor` says what is missing")]
    Gpu(#[from] HsaError),
    /// A run ended before its end.
    #[error("{configuration}: {error}")]
    Run {
        /// Which one.
        configuration: Configuration,
        /// What the library said.
        error: Error,
    },
}

/// The figures of one configuration.
#[derive(Debug)]
pub(crate) struct Figures {
    configuration: Configuration,
    counts: Counts,
    took: Duration,
}

/// All figures, and what they were measured on.
#[derive(Debug)]
pub(crate) struct Report {
    gpu: String,
    runtime: String,
    all: Vec<Figures>,
}

/// Plays the mix in each configuration on the first GPU.
///
/// # Errors
/// When there is no GPU, or the library reports an error.
pub(crate) fn run(
    mix: &Mix,
    trace: &Trace,
    progress: &mut dyn FnMut(usize),
) -> Result<Report, Failed> {
    let runtime = Runtime::start()?;
    let device = runtime.device(DeviceId::new(0))?;
    let facts = device.facts();
    let (gpu, version) =
        (format!("{} ({})", facts.name(), facts.product()), runtime.version().to_string());
    let mut all = Vec::new();
    for configuration in Configuration::ALL {
        let failed = |error| Failed::Run { configuration, error };
        let machine = Gpu::open(device.clone(), super::workload::QUEUES)?;
        let begin = Instant::now();
        let play = || {
            let mut player = Player::open(&machine, configuration.policy())?;
            let begin = Instant::now();
            for step in mix.steps() {
                player.play(step)?;
            }
            let Played { counts, .. } = player.finish()?;
            let took = begin.elapsed();
            player.close()?;
            Ok((counts, took))
        };
        let (order, name) = (configuration.order(), configuration.to_string());
        let (counts, took) =
            trace.run(order, &name, move || begin.elapsed(), play).map_err(failed)?;
        progress(mix.steps().len());
        all.push(Figures { configuration, counts, took });
    }
    Ok(Report { gpu, runtime: version, all })
}

impl Figures {
    fn micros_per_use(&self) -> f64 {
        self.took.as_nanos() as f64 / self.counts.uses.max(1) as f64 / 1_000.0
    }
}
impl Report {
    /// For people.
    pub(crate) fn text(&self) -> String {
        type Line = (&'static str, fn(&Figures) -> String);
        const LINES: [Line; 11] = [
            ("placement", |f| f.configuration.place.to_string()),
            ("uses", |f| grouped(f.counts.uses)),
            ("packets", |f| grouped(f.counts.packets)),
            ("host loads", |f| grouped(f.counts.loads.all_host())),
            ("device reads", |f| grouped(f.counts.loads.all_device())),
            ("arms", |f| grouped(f.counts.arms)),
            ("flushes", |f| grouped(f.counts.flushes)),
            ("signals created", |f| grouped(f.counts.created)),
            ("peak parked", |f| grouped(f.counts.parked_peak)),
            ("waits for room", |f| grouped(f.counts.waits_for_room)),
            ("µs/use", |f| format!("{:.3}", f.micros_per_use())),
        ];
        let mut table = Table::new();
        table
            .load_style(presets::UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Disabled);
        let row = |label, figure: fn(&Figures) -> String| {
            std::iter::once(Cell::new(label))
                .chain(self.all.iter().map(move |f| Cell::new(figure(f))))
        };
        table.set_header(row("tracker", |f| f.configuration.tracker_name().to_owned()));
        for (label, figure) in LINES {
            table.add_row(row(label, figure));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!(
            "{}, {}\n{table}\nEvery use, load and arm is real; what a use costs here is this machine's, whatever lies below the runtime.\n",
            self.gpu, self.runtime
        )
    }
    /// For programs.
    pub(crate) fn json(&self) -> String {
        #[derive(Serialize)]
        struct Row {
            tracker: &'static str,
            placement: String,
            uses: u64,
            packets: u64,
            host_loads: u64,
            device_reads: u64,
            arms: u64,
            flushes: u64,
            created: u64,
            micros_per_use: f64,
        }
        #[derive(Serialize)]
        struct Whole<'a> {
            gpu: &'a str,
            runtime: &'a str,
            signals: Vec<Row>,
        }
        let row = |f: &Figures| Row {
            tracker: f.configuration.tracker_name(),
            placement: f.configuration.place.to_string(),
            uses: f.counts.uses,
            packets: f.counts.packets,
            host_loads: f.counts.loads.all_host(),
            device_reads: f.counts.loads.all_device(),
            arms: f.counts.arms,
            flushes: f.counts.flushes,
            created: f.counts.created,
            micros_per_use: f.micros_per_use(),
        };
        let signals = self.all.iter().map(row).collect();
        let whole = Whole { gpu: &self.gpu, runtime: &self.runtime, signals };
        serde_json::to_string_pretty(&whole).expect("text and numbers") + "\n"
    }
}
