//! Every test of the suite, by the contract that it is about and the number in it.

mod copies;
mod device;
mod flushes;
mod handlers;
mod indices;
mod packets;
mod peers;
mod producers;
mod queues;
mod signals;
mod timestamps;
mod together;
mod trackers;
mod waits;

use super::{Checked, Subject};

/// What a test leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaves {
    /// A device that works as before: other tests can follow.
    ItWorking,
    /// A device that was lost, or to which a profiler is attached: it needs a process of its own.
    ItUnusable,
}

/// One test.
#[derive(Clone, Copy, Debug)]
pub struct Case<S> {
    /// Its name: the contract, the number in it, and what holds.
    pub name: &'static str,
    /// What it leaves behind.
    pub leaves: Leaves,
    /// The test.
    pub run: fn(&S) -> Checked,
}

/// All tests, in the order of the traits.
pub fn cases<S: Subject>() -> Vec<Case<S>> {
    use Leaves::{ItUnusable, ItWorking};
    let case = |name, leaves, run| Case { name, leaves, run };
    vec![
        // Device
        case("device_1_identity_and_capabilities_stay", ItWorking, device::identity_stays),
        case("device_1_identities_differ", ItWorking, device::identities_differ),
        case("device_2_is_alive_until_it_is_lost", ItWorking, device::is_alive),
        case("device_2_is_lost_for_ever", ItUnusable, device::lost_for_ever),
        case("device_2_is_lost_alone", ItUnusable, device::lost_alone),
        case("device_3_profiler_attaches", ItUnusable, device::profiler),
        // Signals
        case("signals_1_create_fills_the_front", ItWorking, signals::fills_the_front),
        case("signals_1_created_by_many_threads", ItWorking, together::created_by_many),
        case("signals_1_are_armed_with_one", ItWorking, signals::armed_with_one),
        case("signals_1_are_visible_to_the_device", ItWorking, signals::visible_to_the_device),
        case("signals_1_not_in_memory_that_is_not_there", ItWorking, signals::what_is_not_there),
        case("signals_1_not_on_a_lost_device", ItUnusable, device::lost_creates_nothing),
        case("signals_2_destroyed_and_created_again", ItWorking, signals::destroyed_and_created),
        case("signals_3_load_sees_each_decrement", ItWorking, signals::load_sees_decrements),
        case("signals_3_load_never_blocks", ItWorking, signals::load_never_blocks),
        case("signals_3_load_acquires_what_was_written", ItWorking, signals::load_acquires),
        case("signals_4_arm_stores_any_value", ItWorking, signals::arm_stores),
        case("signals_4_armed_again_and_again", ItWorking, signals::armed_again),
        case("signals_5_published_to_the_owner", ItWorking, flushes::published_to_the_owner),
        case(
            "signals_5_published_to_a_device_ring",
            ItWorking,
            flushes::published_to_a_device_ring,
        ),
        case("signals_6_flushed_to_another_queue", ItWorking, flushes::flushed_to_a_queue),
        case(
            "signals_6_flushed_from_device_memory",
            ItWorking,
            flushes::flushed_from_device_memory,
        ),
        case("signals_6_flushed_to_a_copy_engine", ItWorking, flushes::flushed_to_a_copy),
        case(
            "signals_6_flushed_from_device_memory_to_a_copy_engine",
            ItWorking,
            flushes::flushed_from_device_memory_to_a_copy,
        ),
        case("signals_6_flushed_to_another_device", ItWorking, flushes::flushed_to_a_peer),
        case("signals_6_one_flush_for_many_arms", ItWorking, flushes::one_flush_for_many),
        // HostWait
        case("wait_1_reached", ItWorking, waits::reached),
        case("wait_1_reached_with_its_value", ItWorking, waits::reached_with_its_value),
        case("wait_1_times_out", ItWorking, waits::times_out),
        case("wait_1_ends_when_the_device_is_lost", ItUnusable, device::lost_ends_a_wait),
        case("wait_2_loads_before_it_sleeps", ItWorking, waits::loads_first),
        case("wait_3_blocked_sleeps", ItWorking, waits::sleeps),
        case("wait_3_blocked_wakes", ItWorking, waits::wakes),
        case("wait_3_interrupts_run_out", ItWorking, waits::interrupts_run_out),
        case("wait_4_force_stores_zero", ItWorking, waits::forced),
        case("wait_4_force_wakes_a_sleeper", ItWorking, waits::force_wakes),
        // Timestamps
        case("timestamps_1_make_an_interval", ItWorking, timestamps::make_an_interval),
        case("timestamps_1_are_in_order", ItWorking, timestamps::are_in_order),
        case("timestamps_1_are_of_the_last_use", ItWorking, timestamps::of_the_last_use),
        case("timestamps_1_of_barrier_packets", ItWorking, timestamps::of_barrier_packets),
        case("timestamps_1_of_copies", ItWorking, timestamps::of_copies),
        case("timestamps_2_rate_never_changes", ItWorking, timestamps::rate_stays),
        case("timestamps_2_none_without_a_clock", ItWorking, timestamps::none_without_a_clock),
        // PacketQueue
        case("queue_1_identities_differ", ItWorking, queues::have_identities),
        case("queue_2_consecutive_indices", ItWorking, queues::hand_out_consecutive_indices),
        case(
            "queue_2_consecutive_under_four_threads",
            ItWorking,
            together::indices_are_consecutive,
        ),
        case("queue_2_takes_its_capacity_at_once", ItWorking, queues::take_their_capacity_at_once),
        case("queue_2_full_ring_pushes_back", ItWorking, queues::a_full_ring_pushes_back),
        case("queue_2_full_ring_waits_for_a_slot", ItWorking, together::a_full_ring_waits),
        case("queue_2_returns_at_once_on_a_lost_device", ItUnusable, device::lost_reserves_at_once),
        case("queue_3_packets_in_index_order", ItWorking, queues::show_packets_in_index_order),
        case("queue_3_written_in_any_order", ItWorking, queues::take_packets_in_any_order),
        case("queue_3_nothing_is_a_packet", ItWorking, queues::nothing_is_a_packet),
        case("queue_4_one_bell_for_all", ItWorking, queues::one_bell_for_all),
        case("queue_4_bells_in_any_order", ItWorking, queues::bells_in_any_order),
        case(
            "queue_5_read_index_never_goes_back",
            ItWorking,
            queues::the_read_index_never_goes_back,
        ),
        case(
            "queue_6_settled_says_what_is_published",
            ItWorking,
            queues::settled_says_what_is_published,
        ),
        // Packets
        case("packets_kernels_complete", ItWorking, packets::kernels_complete),
        case("packets_and_waits_for_all", ItWorking, packets::and_waits_for_all),
        case("packets_and_of_nothing_passes", ItWorking, packets::and_of_nothing_passes),
        case("packets_and_needs_exactly_zero", ItWorking, packets::and_needs_exactly_zero),
        case(
            "packets_and_holds_back_what_follows",
            ItWorking,
            packets::and_holds_back_what_follows,
        ),
        case("packets_or_waits_for_one", ItWorking, packets::or_waits_for_one),
        case("packets_value_waits_for_its_bound", ItWorking, packets::value_waits_for_its_bound),
        case(
            "packets_value_and_the_barrier_bit",
            ItWorking,
            packets::value_holds_back_by_barrier_bit,
        ),
        case(
            "packets_barrier_bit_waits_for_what_precedes",
            ItWorking,
            packets::barrier_bit_waits_for_what_precedes,
        ),
        case("packets_chains_over_four_queues", ItWorking, packets::chains_over_four_queues),
        case("packets_completion_decrements_once", ItWorking, packets::completion_decrements_once),
        case("packets_completion_of_no_signal", ItWorking, packets::completion_of_no_signal),
        // CopyEngine
        case("copies_1_hold_no_queue_back", ItWorking, copies::hold_no_queue_back),
        case("copies_2_tickets_increase", ItWorking, together::tickets_increase),
        case("copies_3_move_the_data_first", ItWorking, copies::move_the_data_first),
        case("copies_3_wait_for_every_signal", ItWorking, copies::wait_for_every_signal),
        case("copies_3_wait_for_kernels", ItWorking, copies::wait_for_kernels),
        case("copies_3_parts_decrement_once", ItWorking, copies::parts_decrement_once),
        case(
            "copies_3_refuse_what_they_cannot_decrement",
            ItWorking,
            copies::refuse_what_they_cannot_decrement,
        ),
        case("copies_3_decrement_in_device_memory", ItWorking, copies::decrement_in_device_memory),
        case("copies_3_nothing_on_a_lost_device", ItUnusable, device::lost_copies_nothing),
        // Handlers
        case("handlers_1_report_once", ItWorking, handlers::report_once),
        case("handlers_1_report_what_is_over", ItWorking, handlers::report_what_is_over),
        case("handlers_1_report_many", ItWorking, handlers::report_many),
        case("handlers_1_report_to_several", ItWorking, handlers::report_to_several),
        case("handlers_1_report_in_any_order", ItWorking, handlers::report_in_any_order),
        case("handlers_1_report_a_loss", ItUnusable, handlers::report_a_loss),
        case("handlers_1_refuse_what_wakes_nobody", ItWorking, handlers::refuse_what_wakes_nobody),
        // Several devices
        case("devices_wait_for_each_other", ItWorking, peers::wait_for_each_other),
        case("devices_are_held_by_each_other", ItWorking, peers::are_held_by_each_other),
        case("devices_see_what_is_armed_again", ItWorking, peers::see_what_is_armed_again),
        case("devices_copies_wait_for_each_other", ItWorking, peers::copies_wait_for_each_other),
        case("devices_are_waited_for_on_the_host", ItWorking, peers::are_waited_for_on_the_host),
        // Trackers
        case(
            "tracker_steady_loop_creates_nothing",
            ItWorking,
            trackers::steady_loop_creates_nothing,
        ),
        case("tracker_polling_loop", ItWorking, trackers::polling_loop_works),
        case("tracker_device_signal_loop", ItWorking, trackers::device_signal_loop_works),
        case("tracker_bursts_on_a_small_ring", ItWorking, trackers::bursts_on_a_small_ring),
        case("tracker_any_read_index_will_do", ItWorking, trackers::any_read_index_will_do),
        case("tracker_events_order_streams", ItWorking, trackers::events_order_streams),
        case("tracker_events_order_devices", ItWorking, trackers::events_order_devices),
        case("tracker_copies_follow_kernels", ItWorking, trackers::copies_follow_kernels),
        case(
            "tracker_timed_work_has_its_interval",
            ItWorking,
            trackers::timed_work_has_its_interval,
        ),
        case("tracker_blocking_events_are_honest", ItWorking, trackers::blocking_events_are_honest),
        case("tracker_four_producers_on_four_queues", ItWorking, producers::on_four_queues),
        case("tracker_four_producers_on_one_queue", ItWorking, producers::on_one_queue),
        case(
            "tracker_lost_device_ends_in_errors",
            ItUnusable,
            trackers::lost_device_ends_in_errors,
        ),
    ]
}
