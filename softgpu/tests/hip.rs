//! AMD's own HIP.

mod common;

use common::HIP;

cases! { HIP;
    init = "init";
    init_two = "init".with("GPUS", 2).once();
    streams = "streams";
    many_streams = "many-streams".quiet().once();
    copies = "copies";
    copies_odd = "copies-odd";
    copies_2d = "copies-2d";
    memset = "memset";
    async_memory = "async-memory";
    callbacks = "callbacks".once();
    host_function = "host-function".missing_in_5_2().once();
    write_value = "write-value".once();
    wait_value = "wait-value".once();
    graph = "graph";
    kernel = "kernel";
    stress = "stress";
}
