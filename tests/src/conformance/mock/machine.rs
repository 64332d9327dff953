//! Mocks of several kinds, and what each cannot do.

use ringfence::backend::{Capabilities, Features, HostDataPath, RingMemory};
use ringfence_mock::chooser::Profile;

use super::super::{Lists, Stamps};

/// What kind of device there is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A large BAR behind a host data path cache, rings in system memory.
    Discrete,
    /// The same with rings in device memory; copy engines decrement there as well.
    DeviceRings,
    /// No large BAR, no interrupts, no barrier-value packets, one device.
    Plain,
}

/// A machine: what its devices are, and how they behave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// What kind its devices are of.
    pub kind: Kind,
    /// How hostile they are.
    pub profile: Profile,
    /// How many.
    pub devices: usize,
}
impl Machine {
    /// All machines.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = [Kind::Discrete, Kind::DeviceRings, Kind::Plain];
        kinds.into_iter().flat_map(|kind| {
            let devices = if kind == Kind::Plain { 1 } else { 2 };
            Profile::ALL.into_iter().map(move |profile| Self { kind, profile, devices })
        })
    }
    pub(super) fn capabilities(self) -> Capabilities {
        let discrete = Features::LARGE_BAR
            | Features::DEVICE_SIGNALS
            | Features::BARRIER_VALUE
            | Features::INTERRUPTS;
        let path = HostDataPath::Hdp;
        match self.kind {
            Kind::Discrete => {
                Capabilities { features: discrete, rings: RingMemory::System, path }
            }
            Kind::DeviceRings => Capabilities {
                features: discrete | Features::DEVICE_SIGNALS_ON_COPIES,
                rings: RingMemory::Device,
                path,
            },
            Kind::Plain => {
                Capabilities { features: Features::empty(), rings: RingMemory::System, path }
            }
        }
    }
    pub(super) fn stamps(self) -> Stamps {
        if self.profile == Profile::Hostile { Stamps::Faulty } else { Stamps::Honest }
    }
    pub(super) fn lists(self) -> Lists {
        let mut cannot = vec![
            ("wait_3_blocked_sleeps", "virtual time costs nobody's processor"),
            ("wait_4_force_wakes_a_sleeper", "the mock has no threads"),
            ("queue_2_full_ring_waits_for_a_slot", "the mock has no threads"),
            ("timestamps_2_none_without_a_clock", "the mock has a clock"),
        ];
        let because = |reason, names: &[&'static str]| {
            names.iter().map(|&name| (name, reason)).collect::<Vec<_>>()
        };
        if self.kind == Kind::Plain {
            cannot.extend(because("no interrupts", NEED_INTERRUPTS));
            cannot.extend(because("no signals in device memory", NEED_DEVICE_SIGNALS));
            cannot.extend(because("no barrier-value packets", NEED_VALUE_PACKETS));
        } else {
            let name = "signals_1_not_in_memory_that_is_not_there";
            cannot.push((name, "every memory is there"));
        }
        match self.kind {
            Kind::Discrete => {
                cannot.push(("signals_5_published_to_a_device_ring", "rings in system memory"));
                let name = "copies_3_decrement_in_device_memory";
                cannot.push((name, "copy engines cannot"));
            }
            Kind::DeviceRings => {
                let name = "copies_3_refuse_what_they_cannot_decrement";
                cannot.push((name, "they can"));
            }
            Kind::Plain => {}
        }
        if self.devices < 2 {
            cannot.extend(because("one device", NEED_TWO_DEVICES));
        }
        if self.stamps() != Stamps::Honest {
            cannot.extend(because("stamps are bad now and then", NEED_HONEST_STAMPS));
        }
        Lists { cannot, not_yet: Vec::new() }
    }
}

const NEED_INTERRUPTS: &[&str] = &[
    "wait_3_blocked_wakes",
    "wait_3_interrupts_run_out",
    "handlers_1_report_once",
    "handlers_1_report_what_is_over",
    "handlers_1_report_many",
    "handlers_1_report_to_several",
    "handlers_1_report_in_any_order",
    "handlers_1_report_a_loss",
    "tracker_blocking_events_are_honest",
];
const NEED_DEVICE_SIGNALS: &[&str] = &[
    "signals_5_published_to_a_device_ring",
    "signals_6_flushed_from_device_memory",
    "signals_6_flushed_from_device_memory_to_a_copy_engine",
    "copies_3_refuse_what_they_cannot_decrement",
    "copies_3_decrement_in_device_memory",
    "tracker_device_signal_loop",
];
const NEED_VALUE_PACKETS: &[&str] =
    &["packets_value_waits_for_its_bound", "packets_value_and_the_barrier_bit"];
const NEED_TWO_DEVICES: &[&str] = &[
    "device_1_identities_differ",
    "device_2_is_lost_alone",
    "signals_6_flushed_to_another_device",
    "devices_wait_for_each_other",
    "devices_are_held_by_each_other",
    "devices_see_what_is_armed_again",
    "devices_copies_wait_for_each_other",
    "devices_are_waited_for_on_the_host",
    "tracker_events_order_devices",
];
const NEED_HONEST_STAMPS: &[&str] = &[
    "timestamps_1_are_in_order",
    "timestamps_1_are_of_the_last_use",
    "tracker_timed_work_has_its_interval",
];
