//! Which tests fail by which flaw.

mod device;
mod engines;
mod host;
mod packets;
mod queues;

use crate::flaw::Flaw;

/// A flaw, and the tests that fail by it, in the order of the suite.
pub(crate) type Expected = (Flaw, &'static [&'static str]);

pub(crate) use self::{
    device::DEVICE, engines::ENGINES, host::HOST, packets::PACKETS, queues::QUEUES,
};
