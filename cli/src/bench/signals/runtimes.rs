//! The runtimes that are measured, and what is measured of each.

use ringfence::{
    backend::{Device, PacketQueue},
    id::{DeviceContext, StreamKey},
};
use ringfence_hip::{HipDevice, HipQueue, HipStreams, StreamOptions};
use ringfence_hsa::{HsaDevice, HsaQueue, QueueOptions, Runtime, Stamping};

use super::{
    Backend, DEVICE, Options,
    clock::Clock,
    column::{Column, Profiling, Tracking, Who},
    measure_rows,
    mock::{Kernels, Mock},
    own::Own,
    own_cuda::OwnCuda,
    progress::Words,
    queues::{self, Cost, QUEUES},
    results::{Figure, LeftOut},
    tracked::Tracked,
};
use crate::{
    bench::{
        gpu::{About, CudaGpu, Gpu, Ground, HipGpu},
        problem::Problem,
    },
    progress::Bar,
};

/// The bookkeeping is timed so often; the median counts. Many short runs: another process comes between in some of them only.
const TIMED_RUNS: usize = 21;

/// The runtimes that are here.
pub(super) struct Runtimes {
    hip: Option<HipGpu>,
    hsa: Option<(HsaDevice, String)>,
    cuda: Option<CudaGpu>,
    mock: Option<Mock>,
}

impl Runtimes {
    pub(super) fn open(options: &Options) -> Result<Self, Problem> {
        let hip =
            options.measures(Backend::Hip).then(|| HipGpu::open(options.gfx.as_deref(), None));
        let hsa = options.measures(Backend::Hsa).then(|| {
            let runtime = Runtime::start()?;
            Ok((runtime.device(DEVICE)?, runtime.version().to_string()))
        });
        let cuda = options.measures(Backend::Cuda).then(CudaGpu::open);
        Ok(Self {
            hip: hip.transpose()?,
            hsa: hsa.transpose().map_err(Problem::NoHsa)?,
            cuda: cuda.transpose()?,
            mock: options.measures(Backend::Mock).then_some(Mock),
        })
    }
    pub(super) fn abouts(&self) -> Vec<About> {
        let hsa = self.hsa.iter().map(|(device, version)| About {
            backend: "hsa",
            ground: Ground::of_amd(),
            version: version.clone(),
            gpu: format!("{} ({})", device.facts().name(), device.facts().product()),
            memory: "none",
            caution: "each wait, load and packet is real; what it costs is this machine's",
        });
        let cuda = self.cuda.iter().map(Gpu::about);
        let mock = self.mock.iter().map(Mock::about);
        self.hip.iter().map(Gpu::about).chain(hsa).chain(cuda).chain(mock).collect()
    }
    pub(super) fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for profiling in Profiling::ALL {
            let mut add = |who| columns.push(Column { who, profiling });
            if self.hip.is_some() {
                add(Who::Hip);
                // Its signals are words in host memory, whatever is asked for, and it keeps no times.
                if profiling == Profiling::Off {
                    add(Who::OverHip(Tracking::PollingHost));
                    add(Who::OverHip(Tracking::RetiringHost));
                }
            }
            if self.cuda.is_some() {
                add(Who::Cuda);
                // A word has no times.
                if profiling == Profiling::Off {
                    add(Who::OverCuda);
                }
            }
            if let Some((device, _)) = &self.hsa {
                let has_device_signals = device.capabilities().can_hold_device_signals();
                let possible =
                    |tracking: &Tracking| has_device_signals || !tracking.wants_device_signals();
                Tracking::ALL.into_iter().filter(possible).for_each(|one| add(Who::OverHsa(one)));
            }
            if self.mock.is_some() {
                Tracking::ALL.into_iter().for_each(|one| add(Who::OnMock(one)));
            }
        }
        columns
    }
    /// What plays on more and more queues: every tracker of the library.
    pub(super) fn on_queues(&self) -> Vec<(Column, u32)> {
        let plays = |column: &Column| {
            let tracked = matches!(column.who, Who::OverHip(_) | Who::OverHsa(_) | Who::OnMock(_));
            tracked && column.profiling == Profiling::Off
        };
        let columns = self.columns().into_iter().filter(plays);
        columns.flat_map(|column| QUEUES.map(|count| (column, count))).collect()
    }
    /// Who does not, and why not.
    pub(super) fn not_on_queues(&self) -> Vec<LeftOut> {
        let why = |column: Column| {
            let why = match column.who {
                Who::Hip | Who::Cuda => {
                    "its own calls are measured on two streams alone, and it counts no loads"
                }
                Who::OverCuda => {
                    "a progress word is one load of host memory a query, and its ledger counts none"
                }
                Who::OverHip(_) | Who::OverHsa(_) | Who::OnMock(_) => return None,
            };
            Some(LeftOut { name: column.to_string(), why })
        };
        let columns = self.columns().into_iter();
        columns.filter(|column| column.profiling == Profiling::Off).filter_map(why).collect()
    }
    /// Whose time it all is.
    pub(super) fn clock(&self) -> Clock {
        match &self.mock {
            Some(Mock) => Clock::Model(Mock::system()),
            None => Clock::Machine,
        }
    }

    pub(super) fn measure(
        &self,
        column: Column,
        options: &Options,
        bar: &Bar,
    ) -> Result<Vec<Figure>, Problem> {
        let Column { who, profiling } = column;
        match who {
            Who::Hip => measure_rows(&mut Own::open(self.hip()?, profiling)?, options, bar),
            Who::OverHip(tracking) => {
                let gpu = self.hip()?;
                let (device, queues) = hip_queues(gpu, 2)?;
                let on = On { device, queues, work: gpu.nothing(), clock: Clock::Machine };
                on.measure(tracking, profiling, options, bar)
            }
            Who::Cuda => measure_rows(&mut OwnCuda::open(self.cuda()?, profiling)?, options, bar),
            Who::OverCuda => {
                let mut words = Words::open(self.cuda()?)?;
                let figures = measure_rows(&mut words, options, bar)?;
                words.close()?;
                Ok(figures)
            }
            Who::OverHsa(tracking) => {
                let (device, queues) = self.hsa_queues(2, profiling)?;
                let work = device.empty_kernel()?;
                let on = On { device, queues, work, clock: Clock::Machine };
                on.measure(tracking, profiling, options, bar)
            }
            Who::OnMock(tracking) => {
                let system = Mock::system();
                let figures = Mock::on(&system, 2, Kernels::Long)
                    .measure(tracking, profiling, options, bar)?;
                Mock::judge(&system)?;
                Ok(figures)
            }
        }
    }
    pub(super) fn play_on_queues(
        &self,
        column: Column,
        count: u32,
        rounds: u32,
    ) -> Result<Cost, Problem> {
        match column.who {
            Who::OverHip(tracking) => {
                let gpu = self.hip()?;
                let (device, queues) = hip_queues(gpu, count)?;
                let on = On { device, queues, work: gpu.nothing(), clock: Clock::Machine };
                on.play(tracking, rounds)
            }
            Who::OverHsa(tracking) => {
                let (device, queues) = self.hsa_queues(count, Profiling::Off)?;
                let work = device.empty_kernel()?;
                On { device, queues, work, clock: Clock::Machine }.play(tracking, rounds)
            }
            Who::OnMock(tracking) => {
                let system = Mock::system();
                let cost = Mock::on(&system, count, Kernels::Short).play(tracking, rounds)?;
                Mock::judge(&system)?;
                let mut times = [0.0; TIMED_RUNS];
                for time in &mut times {
                    *time = Mock::idle(count).play(tracking, rounds)?.ns_per_use();
                }
                times.sort_unstable_by(f64::total_cmp);
                Ok(Cost { bookkeeping: Some(times[TIMED_RUNS / 2]), ..cost })
            }
            Who::Hip | Who::Cuda | Who::OverCuda => Err(absent()),
        }
    }

    fn hip(&self) -> Result<&HipGpu, Problem> {
        self.hip.as_ref().ok_or_else(absent)
    }
    fn cuda(&self) -> Result<&CudaGpu, Problem> {
        self.cuda.as_ref().ok_or_else(absent)
    }
    fn hsa_queues(
        &self,
        count: u32,
        profiling: Profiling,
    ) -> Result<(HsaDevice, Vec<HsaQueue>), Problem> {
        let (device, _) = self.hsa.as_ref().ok_or_else(absent)?;
        let stamping = match profiling {
            Profiling::Off => Stamping::Off,
            Profiling::On => Stamping::On,
        };
        let options = QueueOptions { stamping, ..QueueOptions::default() };
        let queues = (0..count).map(|_| Ok(device.create_queue(options)?));
        Ok((device.clone(), queues.collect::<Result<_, Problem>>()?))
    }
}

fn absent() -> Problem {
    Problem::Unmeasured("its runtime was not asked for".to_owned())
}

/// Queues on HIP's streams.
fn hip_queues(gpu: &HipGpu, count: u32) -> Result<(HipDevice, Vec<HipQueue>), Problem> {
    let streams = HipStreams::new(gpu.hip(), StreamOptions::default());
    let device = HipDevice::new(&streams, DEVICE)?;
    let key = StreamKey::new(DeviceContext::primary(DEVICE));
    let queues = (0..count).map(|_| device.create_queue(key).map_err(Problem::Driver));
    let queues = queues.collect::<Result<_, _>>()?;
    Ok((device, queues))
}

/// A device with queues for the library to work on.
pub(super) struct On<D, Q: PacketQueue> {
    pub(super) device: D,
    pub(super) queues: Vec<Q>,
    pub(super) work: Q::Work,
    pub(super) clock: Clock,
}
impl<D: Device + Clone, Q: PacketQueue> On<D, Q> {
    /// Each row, on the first two queues.
    fn measure(
        self,
        tracking: Tracking,
        profiling: Profiling,
        options: &Options,
        bar: &Bar,
    ) -> Result<Vec<Figure>, Problem> {
        let Self { device, queues, work, clock } = self;
        let queues = <[Q; 2]>::try_from(queues);
        let queues = queues.map_err(|_| Problem::Unmeasured("not two queues".to_owned()))?;
        let mut stack = Tracked::open(device, queues, work, tracking.policy(), profiling, clock)?;
        let figures = measure_rows(&mut stack, options, bar)?;
        stack.close()?;
        Ok(figures)
    }
    fn play(self, tracking: Tracking, rounds: u32) -> Result<Cost, Problem> {
        let Self { device, queues, work, clock } = self;
        queues::play(&device, queues, work, tracking.policy(), &clock, rounds)
    }
}
