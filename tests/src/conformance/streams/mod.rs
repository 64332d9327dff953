//! The streams half of the conformance suite: every point of every contract in
//! [`ringfence::backend::streams`], the driver's own rules that a pool rests on, and whole pools.
//!
//! A [`StreamSubject`] gives what the suite needs beyond the traits, and declares its driver's rules as a row of
//! [`DriverRules`](ringfence_mock::streams::profile::DriverRules). [`stream_cases()`] are the tests; [`run()`] holds them
//! against the subject's lists, as in the signals half.
//!
//! | what a test is about | names begin with |
//! |---|---|
//! | [`StreamPlatform`](ringfence::backend::streams::StreamPlatform) | `platform_` |
//! | [`StreamDriver`](ringfence::backend::streams::StreamDriver) | `driver_` |
//! | [`StreamEvents`](ringfence::backend::streams::StreamEvents) | `events_` |
//! | [`StreamCapture`](ringfence::backend::streams::StreamCapture) | `capture_` |
//! | [`StreamMemory`](ringfence::backend::streams::StreamMemory) | `memory_` |
//! | [`StreamProgress`](ringfence::backend::streams::StreamProgress) | `progress_` |
//! | [`StreamWork`](ringfence::backend::streams::StreamWork) | `work_` |
//! | what the driver declares of itself, against what it does | `rules_` |
//! | whole pools on the backend | `pool_` |
//!
//! The number behind the first word is the number in the trait's contract.

mod cases;
#[allow(
    unsafe_code,
    reason = "CUDA's launches and waits are unsafe to ask for: their memory has to outlive them"
)]
mod cuda;
mod facts;
#[allow(
    unsafe_code,
    reason = "HIP's copies and waits are unsafe to ask for: their memory has to outlive them"
)]
mod hip;
mod mock;
mod parts;
mod run;
mod stage;
mod subject;
mod watched;

pub use cases::{StreamCase, stream_cases};
pub use cuda::{CudaCell, CudaSubject};
pub use facts::{Can, Scale, StreamFacts, cannot_on_streams};
pub use hip::{HipCell, HipSubject};
pub use mock::{MockBackend, MockCell, MockDriver, MockGate, MockWork, StreamMock};
pub use parts::{PART, StreamPart, is_wanted};
pub use run::run;
pub use subject::{Brought, Freed, Spot, SpotOf, StreamSubject, WorkOf};
