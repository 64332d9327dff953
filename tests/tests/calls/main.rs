//! What a tracker calls on its backend, where the number of calls or their order matters.

mod batches;
mod copies;
mod events;
mod handlers;
mod mocks;
mod numbers;
mod order;
#[cfg(feature = "planted")]
mod planted;
mod polling;
