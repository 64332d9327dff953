//! What the calls cost the host: a model, not silicon.

use std::time::Duration;

use super::super::CallKind;

/// Where the growing cost of a creation comes from, to be printed beside it.
pub const CREATION_SOURCE: &str = "model, not silicon: fitted to 0.30 s and 9.5 s for 250 iterations of two streams each, \
     without and with 3,500 live streams (AMDGPU.jl on ROCm 7.2)";

/// Modelled host time of one call each: a model, not silicon.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StreamCosts {
    /// Creating a stream when none is alive.
    pub create: Duration,
    /// What each live stream adds to that.
    pub create_per_live: Duration,
    /// Destroying an idle stream.
    pub destroy: Duration,
    /// A query of an idle stream, a capture status, a change of mode.
    pub look: Duration,
    /// A query of a stream with pending work.
    pub look_pending: Duration,
    /// A query of a pending event.
    pub event_pending: Duration,
    /// A record, or a device-side wait.
    pub record: Duration,
    /// A mark of a progress word.
    pub mark: Duration,
    /// A launch, a free or an allocation in a stream's order.
    pub submit: Duration,
    /// A load of a progress word.
    pub observe: Duration,
}

const fn ns(nanoseconds: u64) -> Duration {
    Duration::from_nanos(nanoseconds)
}
const fn us(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds)
}

impl StreamCosts {
    /// Seen on HIP 5.2.3 above a fake device: only ratios count. A pending stream costs an active wait.
    pub const HIP_5_2: Self = Self {
        create: us(35),
        create_per_live: Duration::ZERO,
        destroy: us(62),
        look: ns(100),
        look_pending: us(10),
        event_pending: us(10),
        record: ns(1_500),
        mark: ns(1_600),
        submit: ns(5_900),
        observe: ns(5),
    };
    /// Seen on HIP 5.7.1 above a fake device: only ratios count.
    pub const HIP_5_7: Self =
        Self { create: us(21), look_pending: ns(200), mark: ns(1_100), ..Self::HIP_5_2 };
    /// As HIP 5.7.1, but for the creation ([`CREATION_SOURCE`]): 0.6 ms, and 5 µs for each live stream.
    pub const CLR: Self = Self { create: us(600), create_per_live: us(5), ..Self::HIP_5_7 };
    /// Measured on NVIDIA driver 580.159.04 and one H200, as medians (`docs/cuda.md`). That each 43rd creation waits for all work of the
    /// GPU is not in them.
    pub const CUDA: Self = Self {
        create: ns(2_350),
        create_per_live: Duration::ZERO,
        destroy: ns(3_170),
        look: ns(240),
        look_pending: ns(160),
        event_pending: ns(200),
        record: ns(170),
        mark: ns(870),
        submit: ns(3_430),
        observe: ns(5),
    };
    /// Creating a stream beside `live` others.
    pub fn creation(&self, live: u32) -> Duration {
        self.create + self.create_per_live * live
    }
    /// A call of this kind, creation and pending answers aside.
    pub const fn call(&self, kind: CallKind) -> Duration {
        match kind {
            CallKind::Destroy | CallKind::DestroyGraph | CallKind::DeviceReset => self.destroy,
            CallKind::Record | CallKind::StreamWait => self.record,
            CallKind::Mark => self.mark,
            CallKind::Launch
            | CallKind::LaunchGraph
            | CallKind::Allocate
            | CallKind::Free
            | CallKind::Malloc
            | CallKind::FreeNow
            | CallKind::CopyNow
            | CallKind::HostFunction
            | CallKind::EndCapture => self.submit,
            CallKind::Observe => self.observe,
            _ => self.look,
        }
    }
}
