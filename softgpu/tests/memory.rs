//! Memory: copies, fills, signals that lie in a GPU's own, peers, other processes.

mod common;

use common::HSA;

cases! { HSA;
    agents = "agents";
    agents_two = "agents".with("GPUS", 2);
    agents_small_bar = "agents".with("LARGE_BAR", "no").with("VRAM_MIB", 1024).once();
    copy = "copy";
    copy_odd = "copy-odd";
    copy_device = "copy-device";
    copy_rect = "copy-rect";
    copy_waits = "copy-waits";
    fill = "fill";
    profile_copy = "profile-copy".with("COPY_MBPS", 2_000);
    raw_signals = "raw-signals";
    raw_signals_unseen = "raw-signals".with("HOST_STORES", "flushed").once();
    raw_signals_held = "raw-signals-held".with("HOST_STORES", "flushed");
    raw_signals_unflushed = "raw-signals-unflushed".with("HOST_STORES", "flushed:50000000");
    peer_copy = "peer-copy".with("GPUS", 2);
    peer_wait = "peer-wait".with("GPUS", 2);
    peer_signal = "peer-signal".with("GPUS", 2).with("PEER_STORES", "flushed");
    peer_signal_unflushed = "peer-signal-unflushed".with("GPUS", 2).with("PEER_STORES", "flushed:50000000");
    virtual_memory = "virtual-memory".missing_in_5_2();
    ipc_memory = "ipc-memory";
    ipc_signal = "ipc-signal";
}
