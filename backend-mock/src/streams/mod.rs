//! A driver of streams in software: HIP in four versions, or CUDA, as far as a pool of streams can tell.
//!
//! - [`profile`]: which driver, as a table of rules, each with its source.
//! - [`model`]: the driver and its device as a pure value.
//! - [`system`]: the shell: [`MockStreams`](system::MockStreams) implements the backend traits on it.
//! - [`seen`] and [`oracle`]: what happened, and which rule it breaks.
//! - [`op`]: what a runtime submits. [`counts`]: what was called, and what that costs in the model.
//!
//! ```
//! use ringfence::{backend::streams::*, id::*};
//! use ringfence_mock::{clock::Ticks, streams::{op::StreamOp, profile::DriverProfile, system::MockStreams}};
//!
//! let driver = MockStreams::new(DriverProfile::Hip57);
//! let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
//! let stream = driver.create(key).expect("nothing is planned to fail");
//! driver.launch(stream, StreamOp::new("axpy", Ticks::new(20))).expect("it exists");
//! assert_eq!(driver.query(stream), StreamState::Pending);
//! driver.tick(Ticks::new(20));
//! assert_eq!(driver.query(stream), StreamState::Idle);
//! ```

pub mod counts;
pub mod model;
pub mod op;
pub mod oracle;
pub mod profile;
#[cfg(feature = "scenarios")]
pub mod scenario;
pub mod seen;
pub mod system;

pub use counts::{CallKind, StreamCounts};
