//! Packets, signals and queues, as AMD's own HSA runtime submits and sees them.

mod common;

use common::HSA;

cases! { HSA;
    signals = "signals";
    handlers = "handlers";
    wait_any = "wait-any";
    packet_and = "packet-and";
    packet_or = "packet-or";
    packet_value = "packet-value";
    packet_chain = "packet-chain".with("GPUS", 2);
    barrier_bit = "barrier-bit".with("KERNEL_NS", 50_000_000).with("COMPLETION_LAG_NS", 0).once();
    read_index_early = "read-index".quiet().with("READ_INDEX", "early").once();
    read_index_late = "read-index".quiet().with("READ_INDEX", "late").once();
    read_index_eights = "read-index".quiet().with("READ_INDEX", "eights").once();
    read_index_still = "read-index".quiet().with("READ_INDEX", "still").once();
    read_index_mixed = "read-index".with("READ_INDEX", "mixed").once();
    out_of_order = "out-of-order".with("KERNEL_NS", "0..2000000");
    in_order = "in-order".with("KERNEL_NS", "0..2000000");
    full_ring_early = "full-ring".with("READ_INDEX", "early").once();
    full_ring_late = "full-ring".with("READ_INDEX", "late").once();
    full_ring = "full-ring";
    ring_producers = "ring-producers";
    ring_producers_still = "ring-producers".with("READ_INDEX", "still").once();
    stress = "stress".with("KERNEL_NS", "0..20000");
    stress_two_gpus = "stress".with("GPUS", 2).with("KERNEL_NS", "0..20000").once();
    profile_dispatch = "profile-dispatch".with("KERNEL_NS", 100_000);
    queue_options = "queue-options".once();
}

#[test]
fn stress_long() {
    if common::long() {
        common::Plan::case(HSA, "stress-long").run();
        common::Plan::case(HSA, "stress-long").quiet().with("GPUS", 2).run();
    }
}
