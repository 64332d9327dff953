//! All cases, by what they are about.

mod graphs;
mod kernels;
mod memory;
mod streams;
mod stress;
mod values;

use ringfence_softgpu_programs::case::Case;

/// In the order of `--list`.
pub(crate) const ALL: &[Case] = &[
    Case::new("init", streams::init),
    Case::new("streams", streams::streams),
    Case::new("many-streams", streams::many).within(60),
    Case::new("copies", memory::copies),
    Case::new("copies-odd", memory::odd),
    Case::new("copies-2d", memory::rows),
    Case::new("memset", memory::sets),
    Case::new("async-memory", memory::pool),
    Case::new("callbacks", values::callbacks),
    Case::new("host-function", values::host_function),
    Case::new("write-value", values::write),
    Case::new("wait-value", values::wait),
    Case::new("graph", graphs::graph),
    Case::new("kernel", kernels::kernel).within(60),
    Case::new("stress", stress::stress),
];
