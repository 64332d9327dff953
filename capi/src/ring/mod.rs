//! The signals half.

mod types;

mod backend;

mod object;

mod device;

mod queue;

mod submission;

mod open;

mod reset;

mod tracker;

mod synchronize;

mod event;

mod handler;

mod listener;

#[cfg(feature = "hsa")]
mod alone;

mod pure;

pub use backend::*;
pub use event::*;
pub use handler::*;
pub use listener::*;
pub use open::*;
pub use pure::*;
pub use queue::ringfence_hsa_dispatch_t;
pub use reset::*;
pub use submission::*;
pub use synchronize::*;
pub use tracker::*;
pub use types::*;
