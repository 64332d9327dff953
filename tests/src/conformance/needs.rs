//! What tests need of a machine: without it, there is nothing to test.

use ringfence::backend::{Capabilities, Features, RingMemory};

use super::{Drive, Stamps};

bitflags::bitflags! {
    /// What a packet processor of HSA's has, and queues that are made of something else need not.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct Lacks: u8 {
        /// Signals that another process can open.
        const SHARED_SIGNALS = 1;
        /// An end of the signals that wake a thread: waits sleep without a resource of their own.
        const INTERRUPT_QUOTA = 1 << 1;
        /// A BARRIER_OR that passes with one of its dependencies: it waits for all of them.
        const OR_OF_ONE = 1 << 2;
        /// A BARRIER_AND that takes 0 alone for done: what is below 0 passes as well.
        const EXACT_ZERO = 1 << 3;
        /// A ring that can be full: queues take what is committed without end.
        const FULL_RING = 1 << 4;
    }
}

/// What a machine has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Facts {
    /// What its first device can do.
    pub capabilities: Capabilities,
    /// How many devices it has.
    pub devices: usize,
    /// What timestamps are worth.
    pub stamps: Stamps,
    /// Whether queues can be made whose packets carry no times.
    pub unstamped: Unstamped,
    /// Who makes devices go on.
    pub drive: Drive,
    /// What it does not have of what every packet processor has.
    pub lacks: Lacks,
}
/// Whether a queue can be made whose packets carry no times.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unstamped {
    /// It can.
    Possible,
    /// Every packet carries times, or none does.
    Impossible,
}

/// The tests that have nothing to test on a machine, each with the reason.
pub fn cannot(facts: &Facts) -> Vec<(&'static str, &'static str)> {
    let Facts { capabilities, devices, stamps, unstamped, drive, lacks } = *facts;
    let has = |feature| capabilities.features.contains(feature);
    let in_device = capabilities.can_hold_device_signals();
    let on_copies = has(Features::DEVICE_SIGNALS_ON_COPIES);
    let all_memories =
        in_device && has(Features::INTERRUPTS) && !lacks.contains(Lacks::SHARED_SIGNALS);
    let rows: [(bool, &'static str, &[&'static str]); 16] = [
        (!has(Features::INTERRUPTS), "no interrupts", INTERRUPTS),
        (!in_device, "no signals in device memory", DEVICE_SIGNALS),
        (!has(Features::BARRIER_VALUE), "no barrier-value packets", VALUE_PACKETS),
        (devices < 2, "one device", TWO_DEVICES),
        (stamps != Stamps::Honest, "stamps are not to be relied on", HONEST_STAMPS),
        (stamps == Stamps::None, "no clock", STAMPS),
        (drive == Drive::Virtual, "one thread, in virtual time", THREADS),
        (all_memories, "every memory is there", &["signals_1_not_in_memory_that_is_not_there"]),
        (
            in_device && capabilities.rings != RingMemory::Device,
            "rings in system memory",
            &["signals_5_published_to_a_device_ring"],
        ),
        (
            in_device && on_copies,
            "copy engines decrement in device memory",
            &["copies_3_refuse_what_they_cannot_decrement"],
        ),
        (
            in_device && !on_copies,
            "copy engines do not decrement in device memory",
            &["copies_3_decrement_in_device_memory"],
        ),
        (
            stamps != Stamps::None && unstamped == Unstamped::Impossible,
            "every packet carries times",
            &["timestamps_2_none_without_a_clock"],
        ),
        (
            lacks.contains(Lacks::INTERRUPT_QUOTA),
            "a wait that sleeps needs no interrupt",
            &["wait_3_interrupts_run_out"],
        ),
        (
            lacks.contains(Lacks::OR_OF_ONE),
            "an OR waits for all of its dependencies",
            &["packets_or_waits_for_one"],
        ),
        (
            lacks.contains(Lacks::EXACT_ZERO),
            "what is below 0 passes as well",
            &["packets_and_needs_exactly_zero"],
        ),
        (
            lacks.contains(Lacks::FULL_RING),
            "queues take packets without end",
            &["queue_2_full_ring_pushes_back", "queue_2_full_ring_waits_for_a_slot"],
        ),
    ];
    let mut all: Vec<(&str, &str)> = Vec::new();
    for (_, why, names) in rows.into_iter().filter(|&(lacks, ..)| lacks) {
        let new = names.iter().filter(|&&name| all.iter().all(|&(known, _)| known != name));
        let new: Vec<_> = new.map(|&name| (name, why)).collect();
        all.extend(new);
    }
    all
}

const INTERRUPTS: &[&str] = &[
    "wait_3_blocked_sleeps",
    "wait_3_blocked_wakes",
    "wait_3_interrupts_run_out",
    "wait_4_force_wakes_a_sleeper",
    "handlers_1_report_once",
    "handlers_1_report_what_is_over",
    "handlers_1_report_many",
    "handlers_1_report_to_several",
    "handlers_1_report_in_any_order",
    "handlers_1_report_a_loss",
    "tracker_blocking_events_are_honest",
];
const DEVICE_SIGNALS: &[&str] = &[
    "signals_5_published_to_a_device_ring",
    "signals_6_flushed_from_device_memory",
    "signals_6_flushed_from_device_memory_to_a_copy_engine",
    "copies_3_refuse_what_they_cannot_decrement",
    "copies_3_decrement_in_device_memory",
    "tracker_device_signal_loop",
];
const VALUE_PACKETS: &[&str] =
    &["packets_value_waits_for_its_bound", "packets_value_and_the_barrier_bit"];
const TWO_DEVICES: &[&str] = &[
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
const HONEST_STAMPS: &[&str] = &[
    "timestamps_1_are_in_order",
    "timestamps_1_are_of_the_last_use",
    "tracker_timed_work_has_its_interval",
];
const STAMPS: &[&str] =
    &["timestamps_1_make_an_interval", "timestamps_1_of_barrier_packets", "timestamps_1_of_copies"];
const THREADS: &[&str] = &[
    "wait_3_blocked_sleeps",
    "wait_4_force_wakes_a_sleeper",
    "queue_2_full_ring_waits_for_a_slot",
];
