//! The conformance suite: one test for each point of each backend trait's contract, the same for every backend.
//!
//! A [`Subject`] gives what the suite needs of a backend beyond the traits. [`cases()`] are the tests;
//! [`run`](Report::run) holds them against the subject's lists of what it *cannot* do and does *not yet* do: a test that is
//! listed and behaves otherwise fails the suite, and so does a name that no test has.
//!
//! | what a test is about | names begin with |
//! |---|---|
//! | [`Device`](ringfence::backend::Device) | `device_` |
//! | [`Signals`](ringfence::backend::Signals) | `signals_` |
//! | [`HostWait`](ringfence::backend::HostWait) | `wait_` |
//! | [`Timestamps`](ringfence::backend::Timestamps) | `timestamps_` |
//! | [`PacketQueue`](ringfence::backend::PacketQueue), and its packets | `queue_`, `packets_` |
//! | [`CopyEngine`](ringfence::backend::CopyEngine) | `copies_` |
//! | [`Handlers`](ringfence::backend::Handlers) | `handlers_` |
//! | several devices | `devices_` |
//! | whole trackers on the backend | `tracker_` |
//!
//! The number behind the first word is the number in the trait's contract. [`streams`] is the other half.

mod bench;
mod cases;
mod check;
#[allow(
    unsafe_code,
    reason = "kernels and copies are unsafe to ask for: their memory has to outlive them"
)]
mod hip;
#[allow(
    unsafe_code,
    reason = "a copy of the runtime's is unsafe to ask for: its memory has to outlive it"
)]
mod hsa;
mod mock;
mod needs;
mod report;
pub mod streams;
mod subject;

pub use cases::{Case, Leaves, cases};
pub use check::{Checked, Stop};
pub use hip::{HipMemory, HipRing};
pub use hsa::{HsaMemory, HsaSubject, Losing, at_once};
pub use mock::{Kind, Machine, MockMemory, MockSubject, MovingEngine, Transfer, take_turns};
pub use needs::{Facts, Lacks, Unstamped, cannot};
pub use report::{Line, Outcome, Report};
pub use subject::{
    CopyOf, Drive, KernelOf, Length, Lists, RingSize, Shared, Stamps, Step, Subject, Worker,
};
