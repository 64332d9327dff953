/*
 * What programs were compiled with under RINGFENCE_ABI_VERSION 1: sizes, places and numbers. Each stays as it is. What is added comes
 * after what is there, with a line of its own here.
 *
 * As C99 and as C++11, where long and pointers have 64 bits. It is compiled, and never run.
 */
/* Somebody's header that has only a pointer to one needs no other. */
struct ringfence_pool_options_t;
struct own_settings {
  const struct ringfence_pool_options_t *pool;
};

#include "ringfence.h"

size_t size_of_settings(const struct own_settings *settings);
size_t size_of_settings(const struct own_settings *settings) { return settings->pool->size; }

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
/* An array of -1 places does not compile. */
#define SAME(is, pinned) typedef char JOIN(same_at_, __LINE__)[(is) == (pinned) ? 1 : -1] __attribute__((unused))
#define SIZE(type, bytes) SAME(sizeof(type), bytes)
#define AT(type, field, bytes) SAME(offsetof(type, field), bytes)
#define IS(name, number) SAME(name, number)

SIZE(void *, 8);
SIZE(ringfence_status_t, 4);

SIZE(ringfence_pool_t, 8);
AT(ringfence_pool_t, handle, 0);

SIZE(ringfence_lease_t, 8);
AT(ringfence_lease_t, handle, 0);

SIZE(ringfence_capture_t, 8);
AT(ringfence_capture_t, handle, 0);

SIZE(ringfence_graph_t, 8);
AT(ringfence_graph_t, handle, 0);

SIZE(ringfence_driver_error_t, 8);
AT(ringfence_driver_error_t, kind, 0);
AT(ringfence_driver_error_t, code, 4);

SIZE(ringfence_memory_t, 8);
AT(ringfence_memory_t, handle, 0);

SIZE(ringfence_stamp_t, 8);
AT(ringfence_stamp_t, handle, 0);

SIZE(ringfence_array_use_t, 16);
AT(ringfence_array_use_t, stamp, 0);
AT(ringfence_array_use_t, access, 8);
AT(ringfence_array_use_t, reserved, 12);

SIZE(ringfence_pool_counts_t, 168);
AT(ringfence_pool_counts_t, size, 0);
AT(ringfence_pool_counts_t, leases, 8);
AT(ringfence_pool_counts_t, reused, 16);
AT(ringfence_pool_counts_t, created, 24);
AT(ringfence_pool_counts_t, creations_failed, 32);
AT(ringfence_pool_counts_t, trimmed, 40);
AT(ringfence_pool_counts_t, condemned_bad, 48);
AT(ringfence_pool_counts_t, condemned_captures, 56);
AT(ringfence_pool_counts_t, destroyed, 64);
AT(ringfence_pool_counts_t, leaked, 72);
AT(ringfence_pool_counts_t, looks_by_query, 80);
AT(ringfence_pool_counts_t, conflicts_avoided, 88);
AT(ringfence_pool_counts_t, freed_on_stream, 96);
AT(ringfence_pool_counts_t, freed_on_disposal, 104);
AT(ringfence_pool_counts_t, freed_at_once, 112);
AT(ringfence_pool_counts_t, deferred, 120);
AT(ringfence_pool_counts_t, refused, 128);
AT(ringfence_pool_counts_t, memory_gone, 136);
AT(ringfence_pool_counts_t, memory_leaked, 144);
AT(ringfence_pool_counts_t, peak_live, 152);
AT(ringfence_pool_counts_t, peak_leased_and_draining, 156);
AT(ringfence_pool_counts_t, memory_live, 160);

SIZE(ringfence_stream_key_t, 20);
AT(ringfence_stream_key_t, device, 0);
AT(ringfence_stream_key_t, context, 4);
AT(ringfence_stream_key_t, priority, 8);
AT(ringfence_stream_key_t, level, 12);
AT(ringfence_stream_key_t, flags, 16);

SIZE(ringfence_tally_t, 40);
AT(ringfence_tally_t, size, 0);
AT(ringfence_tally_t, leased, 8);
AT(ringfence_tally_t, draining, 12);
AT(ringfence_tally_t, idle, 16);
AT(ringfence_tally_t, condemned, 20);
AT(ringfence_tally_t, creating, 24);
AT(ringfence_tally_t, handed_in, 28);
AT(ringfence_tally_t, host_bytes, 32);

SIZE(ringfence_stream_ref_t, 12);
AT(ringfence_stream_ref_t, pool, 0);
AT(ringfence_stream_ref_t, stream, 4);
AT(ringfence_stream_ref_t, generation, 8);

SIZE(ringfence_pool_options_t, 56);
AT(ringfence_pool_options_t, size, 0);
AT(ringfence_pool_options_t, idle_cap, 8);
AT(ringfence_pool_options_t, live_cap, 12);
AT(ringfence_pool_options_t, looks, 16);
AT(ringfence_pool_options_t, warn_past, 20);
AT(ringfence_pool_options_t, wait_limit, 24);
AT(ringfence_pool_options_t, hand_in, 32);
AT(ringfence_pool_options_t, reserved, 36);
AT(ringfence_pool_options_t, on_crowd, 40);
AT(ringfence_pool_options_t, on_crowd_argument, 48);

SIZE(ringfence_stream_backend_t, 224);
AT(ringfence_stream_backend_t, size, 0);
AT(ringfence_stream_backend_t, context, 8);
AT(ringfence_stream_backend_t, host_bytes, 16);
AT(ringfence_stream_backend_t, destroy_detaches, 24);
AT(ringfence_stream_backend_t, reserved, 28);
AT(ringfence_stream_backend_t, release, 32);
AT(ringfence_stream_backend_t, state, 40);
AT(ringfence_stream_backend_t, create, 48);
AT(ringfence_stream_backend_t, destroy, 56);
AT(ringfence_stream_backend_t, query, 64);
AT(ringfence_stream_backend_t, create_event, 72);
AT(ringfence_stream_backend_t, destroy_event, 80);
AT(ringfence_stream_backend_t, record_event, 88);
AT(ringfence_stream_backend_t, stream_wait, 96);
AT(ringfence_stream_backend_t, query_event, 104);
AT(ringfence_stream_backend_t, synchronize_event, 112);
AT(ringfence_stream_backend_t, allocate, 120);
AT(ringfence_stream_backend_t, free, 128);
AT(ringfence_stream_backend_t, capture_status, 136);
AT(ringfence_stream_backend_t, exchange_capture_mode, 144);
AT(ringfence_stream_backend_t, begin_capture, 152);
AT(ringfence_stream_backend_t, end_capture, 160);
AT(ringfence_stream_backend_t, launch_graph, 168);
AT(ringfence_stream_backend_t, destroy_graph, 176);
AT(ringfence_stream_backend_t, open_progress, 184);
AT(ringfence_stream_backend_t, mark, 192);
AT(ringfence_stream_backend_t, observe, 200);
AT(ringfence_stream_backend_t, wait_progress, 208);
AT(ringfence_stream_backend_t, close_progress, 216);

SIZE(ringfence_pumped_t, 32);
AT(ringfence_pumped_t, size, 0);
AT(ringfence_pumped_t, handed_in, 8);
AT(ringfence_pumped_t, idle, 12);
AT(ringfence_pumped_t, destroyed, 16);
AT(ringfence_pumped_t, graphs, 20);
AT(ringfence_pumped_t, freed, 24);
AT(ringfence_pumped_t, reserved, 28);

SIZE(ringfence_shut_down_t, 24);
AT(ringfence_shut_down_t, size, 0);
AT(ringfence_shut_down_t, streams_leaked, 8);
AT(ringfence_shut_down_t, memory_leaked, 12);
AT(ringfence_shut_down_t, memory_live, 16);
AT(ringfence_shut_down_t, reserved, 20);

SIZE(ringfence_owners_t, 8);
AT(ringfence_owners_t, handle, 0);

SIZE(ringfence_device_backend_t, 144);
AT(ringfence_device_backend_t, size, 0);
AT(ringfence_device_backend_t, context, 8);
AT(ringfence_device_backend_t, device, 16);
AT(ringfence_device_backend_t, features, 20);
AT(ringfence_device_backend_t, rings_in_device_memory, 24);
AT(ringfence_device_backend_t, coherent, 28);
AT(ringfence_device_backend_t, tick_rate, 32);
AT(ringfence_device_backend_t, release, 40);
AT(ringfence_device_backend_t, create, 48);
AT(ringfence_device_backend_t, destroy, 56);
AT(ringfence_device_backend_t, load, 64);
AT(ringfence_device_backend_t, arm, 72);
AT(ringfence_device_backend_t, wait, 80);
AT(ringfence_device_backend_t, force, 88);
AT(ringfence_device_backend_t, status, 96);
AT(ringfence_device_backend_t, publish_stores, 104);
AT(ringfence_device_backend_t, flush, 112);
AT(ringfence_device_backend_t, profiler, 120);
AT(ringfence_device_backend_t, timestamps, 128);
AT(ringfence_device_backend_t, watch, 136);

SIZE(ringfence_device_t, 8);
AT(ringfence_device_t, handle, 0);

SIZE(ringfence_packet_t, 80);
AT(ringfence_packet_t, kind, 0);
AT(ringfence_packet_t, barrier, 4);
AT(ringfence_packet_t, acquire, 8);
AT(ringfence_packet_t, release, 12);
AT(ringfence_packet_t, work, 16);
AT(ringfence_packet_t, dependencies, 24);
AT(ringfence_packet_t, below, 64);
AT(ringfence_packet_t, completes, 72);

SIZE(ringfence_queue_backend_t, 80);
AT(ringfence_queue_backend_t, size, 0);
AT(ringfence_queue_backend_t, context, 8);
AT(ringfence_queue_backend_t, queue, 16);
AT(ringfence_queue_backend_t, generation, 20);
AT(ringfence_queue_backend_t, release, 24);
AT(ringfence_queue_backend_t, reserve, 32);
AT(ringfence_queue_backend_t, commit, 40);
AT(ringfence_queue_backend_t, ring_doorbell, 48);
AT(ringfence_queue_backend_t, read_index, 56);
AT(ringfence_queue_backend_t, settled, 64);
AT(ringfence_queue_backend_t, capacity, 72);

SIZE(ringfence_queue_t, 8);
AT(ringfence_queue_t, handle, 0);

SIZE(ringfence_policy_t, 64);
AT(ringfence_policy_t, size, 0);
AT(ringfence_policy_t, polling, 8);
AT(ringfence_policy_t, device_signals, 12);
AT(ringfence_policy_t, events, 16);
AT(ringfence_policy_t, audit, 20);
AT(ringfence_policy_t, ring_size, 24);
AT(ringfence_policy_t, ring_cap, 28);
AT(ringfence_policy_t, ring_batch, 32);
AT(ringfence_policy_t, interrupt_spares, 36);
AT(ringfence_policy_t, submission_batch, 40);
AT(ringfence_policy_t, reserved, 44);
AT(ringfence_policy_t, active_window, 48);
AT(ringfence_policy_t, wait_limit, 56);

SIZE(ringfence_tracker_t, 8);
AT(ringfence_tracker_t, handle, 0);

SIZE(ringfence_submission_t, 32);
AT(ringfence_submission_t, kind, 0);
AT(ringfence_submission_t, flags, 4);
AT(ringfence_submission_t, role, 8);
AT(ringfence_submission_t, acquire, 12);
AT(ringfence_submission_t, release, 16);
AT(ringfence_submission_t, reserved, 20);
AT(ringfence_submission_t, work, 24);

SIZE(ringfence_use_id_t, 16);
AT(ringfence_use_id_t, queue, 0);
AT(ringfence_use_id_t, generation, 4);
AT(ringfence_use_id_t, packet, 8);

SIZE(ringfence_ledger_t, 176);
AT(ringfence_ledger_t, size, 0);
AT(ringfence_ledger_t, uses, 8);
AT(ringfence_ledger_t, fence_uses, 16);
AT(ringfence_ledger_t, packets, 24);
AT(ringfence_ledger_t, host_loads, 32);
AT(ringfence_ledger_t, device_reads, 40);
AT(ringfence_ledger_t, loads_to_retire, 48);
AT(ringfence_ledger_t, loads_to_query, 56);
AT(ringfence_ledger_t, loads_of_timing, 64);
AT(ringfence_ledger_t, read_index_loads, 72);
AT(ringfence_ledger_t, arms, 80);
AT(ringfence_ledger_t, flushes, 88);
AT(ringfence_ledger_t, store_fences, 96);
AT(ringfence_ledger_t, created, 104);
AT(ringfence_ledger_t, destroyed, 112);
AT(ringfence_ledger_t, grows, 120);
AT(ringfence_ledger_t, waits_for_room, 128);
AT(ringfence_ledger_t, parks, 136);
AT(ringfence_ledger_t, fences_asked, 144);
AT(ringfence_ledger_t, quarantined, 152);
AT(ringfence_ledger_t, leaked, 160);
AT(ringfence_ledger_t, in_flight, 168);

SIZE(ringfence_event_t, 8);
AT(ringfence_event_t, handle, 0);

SIZE(ringfence_handled_t, 40);
AT(ringfence_handled_t, then, 0);
AT(ringfence_handled_t, status, 8);
AT(ringfence_handled_t, is_timed, 12);
AT(ringfence_handled_t, start, 16);
AT(ringfence_handled_t, end, 24);
AT(ringfence_handled_t, tick_rate, 32);

SIZE(ringfence_watermark_t, 8);
AT(ringfence_watermark_t, handle, 0);

SIZE(ringfence_ring_t, 8);
AT(ringfence_ring_t, handle, 0);

SIZE(ringfence_ring_state_t, 56);
AT(ringfence_ring_state_t, size, 0);
AT(ringfence_ring_state_t, usable, 8);
AT(ringfence_ring_state_t, signals, 24);
AT(ringfence_ring_state_t, in_flight, 28);
AT(ringfence_ring_state_t, parked, 32);
AT(ringfence_ring_state_t, quarantined, 36);
AT(ringfence_ring_state_t, pinned, 40);
AT(ringfence_ring_state_t, unflushed, 44);
AT(ringfence_ring_state_t, wants_fence, 48);
AT(ringfence_ring_state_t, reserved, 52);

SIZE(ringfence_hold_t, 8);
AT(ringfence_hold_t, handle, 0);

SIZE(ringfence_shortage_t, 40);
AT(ringfence_shortage_t, kind, 0);
AT(ringfence_shortage_t, count, 4);
AT(ringfence_shortage_t, room, 8);
AT(ringfence_shortage_t, reserved, 12);
AT(ringfence_shortage_t, signal, 16);
AT(ringfence_shortage_t, of, 24);

SIZE(ringfence_use_t, 16);
AT(ringfence_use_t, no_barrier, 0);
AT(ringfence_use_t, holds_back_later, 4);
AT(ringfence_use_t, timed, 8);
AT(ringfence_use_t, lend, 12);

SIZE(ringfence_bound_t, 40);
AT(ringfence_bound_t, signal, 0);
AT(ringfence_bound_t, lives, 8);
AT(ringfence_bound_t, reserved, 12);
AT(ringfence_bound_t, of, 16);
AT(ringfence_bound_t, hold, 32);

SIZE(ringfence_probe_t, 32);
AT(ringfence_probe_t, signal, 0);
AT(ringfence_probe_t, lives, 8);
AT(ringfence_probe_t, reserved, 12);
AT(ringfence_probe_t, of, 16);

SIZE(ringfence_finished_t, 40);
AT(ringfence_finished_t, signal, 0);
AT(ringfence_finished_t, lives, 8);
AT(ringfence_finished_t, grounds, 12);
AT(ringfence_finished_t, timed, 16);
AT(ringfence_finished_t, reserved, 20);
AT(ringfence_finished_t, of, 24);

SIZE(ringfence_hsa_dispatch_t, 48);
AT(ringfence_hsa_dispatch_t, kernel_object, 0);
AT(ringfence_hsa_dispatch_t, kernarg, 8);
AT(ringfence_hsa_dispatch_t, grid, 16);
AT(ringfence_hsa_dispatch_t, group, 28);
AT(ringfence_hsa_dispatch_t, reserved, 34);
AT(ringfence_hsa_dispatch_t, private_bytes, 36);
AT(ringfence_hsa_dispatch_t, group_bytes, 40);

IS(RINGFENCE_OK, 0);
IS(RINGFENCE_INVALID_ARGUMENT, 1);
IS(RINGFENCE_BAD_HANDLE, 2);
IS(RINGFENCE_STALE_HANDLE, 3);
IS(RINGFENCE_IN_USE, 4);
IS(RINGFENCE_ABI_MISMATCH, 5);
IS(RINGFENCE_INCOMPLETE_TABLE, 6);
IS(RINGFENCE_PANIC, 7);
IS(RINGFENCE_POISONED, 8);
IS(RINGFENCE_FULL, 9);
IS(RINGFENCE_UNSUPPORTED, 10);
IS(RINGFENCE_NO_RUNTIME, 11);
IS(RINGFENCE_WRONG_THREAD, 12);
IS(RINGFENCE_OUT_OF_ORDER, 13);
IS(RINGFENCE_GIVEN_UP, 14);
IS(RINGFENCE_OTHER_POOL, 15);
IS(RINGFENCE_OTHER_STAMP, 16);
IS(RINGFENCE_DRIVER, 32);
IS(RINGFENCE_NO_STREAM, 33);
IS(RINGFENCE_POOL_FULL, 34);
IS(RINGFENCE_DEVICE_LOST, 35);
IS(RINGFENCE_FORKED, 36);
IS(RINGFENCE_SHUT_DOWN, 37);
IS(RINGFENCE_NOT_ONE_STREAM, 38);
IS(RINGFENCE_STALE_STREAM, 39);
IS(RINGFENCE_RESET, 40);
IS(RINGFENCE_CAPTURING, 41);
IS(RINGFENCE_TIMED_OUT, 42);
IS(RINGFENCE_UNKNOWABLE, 43);
IS(RINGFENCE_OWNER_IN_USE, 44);
IS(RINGFENCE_OVER_DECREMENT, 64);
IS(RINGFENCE_EXHAUSTED, 65);
IS(RINGFENCE_NO_SIGNAL, 66);
IS(RINGFENCE_USE_FAILED, 67);
IS(RINGFENCE_PEER_CELL, 68);
IS(RINGFENCE_EVENT_PENDING, 69);
IS(RINGFENCE_NO_HANDLER, 70);
IS(RINGFENCE_OTHER, 127);

IS(RINGFENCE_ABI_VERSION, 1);
IS(RINGFENCE_DRIVER_OK, 0);
IS(RINGFENCE_DRIVER_CAPTURE_CONFLICT, 1);
IS(RINGFENCE_DRIVER_CAPTURE_FAILED, 2);
IS(RINGFENCE_DRIVER_BAD, 3);
IS(RINGFENCE_DRIVER_OUT_OF_MEMORY, 4);
IS(RINGFENCE_DRIVER_DEVICE_LOST, 5);
IS(RINGFENCE_DRIVER_UNSUPPORTED, 6);
IS(RINGFENCE_DRIVER_OTHER, 7);
IS(RINGFENCE_STATE_READY, 0);
IS(RINGFENCE_STATE_LOST, 1);
IS(RINGFENCE_STATE_FORKED, 2);
IS(RINGFENCE_STATE_SHUTTING_DOWN, 3);
IS(RINGFENCE_CAPTURE_STATUS_NONE, 0);
IS(RINGFENCE_CAPTURE_STATUS_ACTIVE, 1);
IS(RINGFENCE_CAPTURE_STATUS_INVALIDATED, 2);
IS(RINGFENCE_CAPTURE_MODE_GLOBAL, 0);
IS(RINGFENCE_CAPTURE_MODE_THREAD_LOCAL, 1);
IS(RINGFENCE_CAPTURE_MODE_RELAXED, 2);
IS(RINGFENCE_STREAM_STATE_IDLE, 0);
IS(RINGFENCE_STREAM_STATE_PENDING, 1);
IS(RINGFENCE_STREAM_STATE_UNKNOWN, 2);
IS(RINGFENCE_STREAM_STATE_BAD, 3);
IS(RINGFENCE_STREAM_STATE_LOST, 4);
IS(RINGFENCE_WAIT_FINISHED, 0);
IS(RINGFENCE_WAIT_TIMED_OUT, 1);
IS(RINGFENCE_WAIT_UNKNOWN, 2);
IS(RINGFENCE_WAIT_FAILED, 3);
IS(RINGFENCE_WAIT_LOST, 4);
IS(RINGFENCE_OWNER_RUNNING, 0);
IS(RINGFENCE_OWNER_DONE, 1);
IS(RINGFENCE_OWNER_GONE, 2);
IS(RINGFENCE_PRIORITY_NORMAL, 0);
IS(RINGFENCE_PRIORITY_LOW, 1);
IS(RINGFENCE_PRIORITY_HIGH, 2);
IS(RINGFENCE_PRIORITY_LEVEL, 3);
IS(RINGFENCE_STREAM_BLOCKING, 1);
IS(RINGFENCE_ACCESS_READ, 0);
IS(RINGFENCE_ACCESS_WRITE, 1);
IS(RINGFENCE_ORDERED_ALREADY, 0);
IS(RINGFENCE_ORDERED_ON_DEVICE, 1);
IS(RINGFENCE_ORDERED_ON_HOST, 2);
IS(RINGFENCE_FREED_ON_STREAM, 0);
IS(RINGFENCE_FREED_ON_DISPOSAL, 1);
IS(RINGFENCE_FREED_AT_ONCE, 2);
IS(RINGFENCE_FREED_LATER_CAPTURING, 3);
IS(RINGFENCE_FREED_LATER_REFUSED, 4);
IS(RINGFENCE_FREED_LATER_PINNED, 5);
IS(RINGFENCE_FREED_LATER_NO_DISPOSAL, 6);
IS(RINGFENCE_FREED_GONE, 7);
IS(RINGFENCE_FREED_LEAKED, 8);
IS(RINGFENCE_FREED_LATER_HANDED_IN, 9);
IS(RINGFENCE_MEMORY_DEVICE, 0);
IS(RINGFENCE_MEMORY_HOST, 1);
IS(RINGFENCE_MEMORY_INTERRUPT, 2);
IS(RINGFENCE_MEMORY_SHARED, 3);
IS(RINGFENCE_ROLE_DISPATCH, 0);
IS(RINGFENCE_ROLE_GPU_WAIT, 1);
IS(RINGFENCE_ROLE_HOST_QUERY, 2);
IS(RINGFENCE_ROLE_TIMING_ONLY, 3);
IS(RINGFENCE_ROLE_BLOCKING, 4);
IS(RINGFENCE_ROLE_PEER, 5);
IS(RINGFENCE_ROLE_IPC, 6);
IS(RINGFENCE_SCOPE_DEFAULT, 0);
IS(RINGFENCE_SCOPE_NONE, 1);
IS(RINGFENCE_SCOPE_AGENT, 2);
IS(RINGFENCE_SCOPE_SYSTEM, 3);
IS(RINGFENCE_FEATURE_LARGE_BAR, 1);
IS(RINGFENCE_FEATURE_DEVICE_SIGNALS, 2);
IS(RINGFENCE_FEATURE_DEVICE_SIGNAL_HANDLERS, 8);
IS(RINGFENCE_FEATURE_BARRIER_VALUE, 16);
IS(RINGFENCE_FEATURE_INTERRUPTS, 32);
IS(RINGFENCE_FEATURE_PEER_DEVICE_WAITS, 64);
IS(RINGFENCE_SIGNAL_WAIT_REACHED, 0);
IS(RINGFENCE_SIGNAL_WAIT_TIMED_OUT, 1);
IS(RINGFENCE_SIGNAL_WAIT_LOST, 2);
IS(RINGFENCE_CREATE_OK, 0);
IS(RINGFENCE_CREATE_OUT_OF_MEMORY, 1);
IS(RINGFENCE_CREATE_NO_INTERRUPTS, 2);
IS(RINGFENCE_CREATE_UNSUPPORTED, 3);
IS(RINGFENCE_CREATE_DEVICE_LOST, 4);
IS(RINGFENCE_PACKET_KERNEL, 0);
IS(RINGFENCE_PACKET_AND, 1);
IS(RINGFENCE_PACKET_OR, 2);
IS(RINGFENCE_PACKET_VALUE, 3);
IS(RINGFENCE_SUBMIT_KERNEL, 0);
IS(RINGFENCE_SUBMIT_MARKER, 1);
IS(RINGFENCE_SUBMIT_NO_BARRIER, 1);
IS(RINGFENCE_SUBMIT_UNSIGNALED, 2);
IS(RINGFENCE_SUBMIT_TIMED, 4);
IS(RINGFENCE_EVENT_KIND_PLAIN, 0);
IS(RINGFENCE_EVENT_KIND_BLOCKING, 1);
IS(RINGFENCE_EVENT_KIND_IPC, 2);
IS(RINGFENCE_EVENT_NOT_RECORDED, 0);
IS(RINGFENCE_EVENT_UNFINISHED, 1);
IS(RINGFENCE_EVENT_FINISHED, 2);
IS(RINGFENCE_EVENT_FAILED, 3);
IS(RINGFENCE_SHORT_OF_NOTHING, 0);
IS(RINGFENCE_SHORT_FLUSH, 1);
IS(RINGFENCE_SHORT_GROW, 2);
IS(RINGFENCE_SHORT_WAIT, 3);
IS(RINGFENCE_SHORT_EXHAUSTED, 4);
IS(RINGFENCE_AWAITS_EACH_IN_ORDER, 0);
IS(RINGFENCE_AWAITS_ANY_IN_ORDER, 1);
IS(RINGFENCE_AWAITS_EACH_UNORDERED, 2);
IS(RINGFENCE_CONFIRMED_PENDING, 0);
IS(RINGFENCE_CONFIRMED_FENCE, 1);
IS(RINGFENCE_CONFIRMED_OWN, 2);
IS(RINGFENCE_CONFIRMED_SETTLED, 3);
IS(RINGFENCE_GROUNDS_OWN_VALUE, 0);
IS(RINGFENCE_GROUNDS_FENCE, 1);
IS(RINGFENCE_GROUNDS_BARRIER_ORDER, 2);
IS(RINGFENCE_GROUNDS_DRAINED, 3);
IS(RINGFENCE_GROUNDS_AWAITED, 4);
