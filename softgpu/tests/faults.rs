//! GPUs that fail, and the kernel's interface used up.

mod common;

use common::HSA;

cases! { HSA;
    bad_packet = "bad-packet";
    fault_packet = "fault-packet".with("FAULT_PACKET", 5);
    fault_vm = "fault-vm".with("FAULT_VM", 3);
    fault_lost = "fault-lost".with("FAULT_LOST", 3);
    fault_queue = "fault-queue".with("FAULT_QUEUE", 3);
    fault_memory = "fault-memory".with("FAULT_MEMORY", 40).once();
    memory_full = "memory-full".with("VRAM_MIB", 256).once();
    lost_interrupt = "lost-interrupt".with("LOSE_INTERRUPT", 3);
    no_events = "no-events".with("EVENTS", 64);
    fork = "fork".once();
}
