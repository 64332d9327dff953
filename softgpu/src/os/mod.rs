//! What the operating system gives: time, sleep, events, doorbells, and the thread of the engine.

mod clock;
mod doorbells;
mod engine;
pub mod events;
mod futex;
mod pace;

pub use clock::Clock;
pub use doorbells::{DeviceFile, Slot};
pub use engine::{Engine, Mode, NewQueue, QueueError};
pub use events::Events;
