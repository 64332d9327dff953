//! What it costs, printed; limits are far from the figures.

mod common;

use common::HSA;

cases! { HSA;
    queues = "queues".quiet().once();
    cycles = "cycles".quiet().once();
    idle = "idle".quiet().once();
    wake = "wake".quiet().once();
    batch = "batch".quiet().once();
}

#[test]
fn cycles_long() {
    if common::long() {
        common::Plan::case(HSA, "cycles-long").quiet().run();
    }
}
