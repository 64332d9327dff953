//! A deterministic, adversarial GPU for Ringfence, and an oracle that checks the rules at every step.
//!
//! - [`model`]: the pure device model, a `Clone + Hash` value: what packets, copy engines, memory and
//!   the read index may do.
//! - [`chooser`]: who decides what hardware is free to decide: a script, a seed, or a search.
//! - [`system`]: the shell: [`MockSystem`](system::MockSystem) owns the model, a virtual clock and the
//!   oracle; [`MockDevice`](system::MockDevice), [`MockQueue`](system::MockQueue) and
//!   [`MockCopyEngine`](system::MockCopyEngine) implement the backend traits on it.
//! - [`oracle`]: what the host may know, and which rule a step breaks.
//! - [`streams`]: the driver of streams: versions of HIP, and CUDA, with an oracle of their own.
//! - [`cost`]: modelled host time; a model, not silicon.
//!
//! ```
//! use ringfence::{backend::*, id::*};
//! use ringfence_mock::{chooser::{Profile, Seeded}, system::*, work::Kernel};
//!
//! let system = MockSystem::new(Seeded::new(1, Profile::Hostile.odds()), Settings::default());
//! let device = system.add_device(DeviceSettings::default());
//! let queue = device.add_queue();
//!
//! let mut batch = [SignalHandle::NULL];
//! device.create(SignalMemory::Host, &mut batch).expect("nothing is planned to fail");
//! let at = queue.reserve(PacketCount::ONE);
//! let packet = Packet { body: Body::Kernel(Kernel::default()), completes: batch[0], ..Packet::nothing() };
//! queue.commit(at, &packet);
//! queue.ring_doorbell(at);
//! let limit = std::time::Duration::from_secs(1);
//! let outcome = device.wait(batch[0], SignalValue::ARMED, WaitHint::Active, limit);
//! assert_eq!(outcome, WaitOutcome::Reached(SignalValue::DONE));
//! device.arm(batch[0], SignalValue::ARMED);
//! assert!(system.violations().is_empty());
//! ```
#![forbid(unsafe_code)]

pub mod chooser;
pub mod clock;
pub mod cost;
pub mod counts;
#[cfg(feature = "scenarios")]
pub mod explore;
pub mod faults;
pub mod model;
pub mod oracle;
#[cfg(feature = "planted")]
pub mod plant;
#[cfg(feature = "scenarios")]
pub mod scenario;
pub mod stamps;
pub mod streams;
pub mod system;
pub mod trace;
pub mod word;
pub mod work;
