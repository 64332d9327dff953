//! All cases, by what they are about.

mod agents;
mod copies;
mod cost;
mod events;
mod faults;
mod ipc;
mod life;
mod order;
mod packets;
mod peers;
mod profiling;
mod queues;
mod raw;
mod ring;
mod signals;
mod stress;

use ringfence_softgpu_programs::case::Case;

/// In the order of `--list`.
pub(crate) const ALL: &[Case] = &[
    Case::new("agents", agents::agents),
    Case::new("signals", signals::signals),
    Case::new("handlers", signals::handlers),
    Case::new("wait-any", signals::wait_any),
    Case::new("packet-and", packets::and),
    Case::new("packet-or", packets::or),
    Case::new("packet-value", packets::value),
    Case::new("packet-chain", packets::chain),
    Case::new("barrier-bit", order::barrier_bit),
    Case::new("read-index", order::read_index),
    Case::new("out-of-order", order::out_of_order),
    Case::new("in-order", order::in_order),
    Case::new("full-ring", ring::full),
    Case::new("ring-producers", ring::producers),
    Case::new("stress", stress::short).within(60),
    Case::new("stress-long", stress::long).within(180),
    Case::new("copy", copies::copy),
    Case::new("copy-odd", copies::odd),
    Case::new("copy-device", copies::device),
    Case::new("copy-rect", copies::rect),
    Case::new("copy-waits", copies::waits),
    Case::new("virtual-memory", copies::virtual_memory),
    Case::new("fill", copies::fill),
    Case::new("profile-dispatch", profiling::dispatch),
    Case::new("profile-copy", profiling::copy),
    Case::new("queue-options", queues::options),
    Case::new("queues", queues::many).within(60),
    Case::new("raw-signals", raw::signals),
    Case::new("raw-signals-held", raw::held),
    Case::new("raw-signals-unflushed", raw::unflushed),
    Case::new("peer-copy", peers::copy),
    Case::new("peer-wait", peers::wait),
    Case::new("peer-signal", peers::signal),
    Case::new("peer-signal-unflushed", peers::signal_unflushed),
    Case::new("ipc-memory", ipc::memory),
    Case::new("ipc-signal", ipc::signal),
    Case::new("bad-packet", faults::bad_packet),
    Case::new("fault-packet", faults::injected_packet),
    Case::new("fault-vm", faults::memory),
    Case::new("fault-lost", faults::lost),
    Case::new("fault-queue", faults::queue),
    Case::new("fault-memory", faults::allocation),
    Case::new("memory-full", faults::full),
    Case::new("lost-interrupt", events::lost_interrupt),
    Case::new("no-events", events::exhausted),
    Case::new("fork", life::fork),
    Case::new("cycles", life::cycles).within(60),
    Case::new("cycles-long", life::cycles_long).within(300),
    Case::new("idle", cost::idle),
    Case::new("wake", cost::wake),
    Case::new("batch", cost::batch),
];
