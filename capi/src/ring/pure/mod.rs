//! The pure ring: it is told what was observed, and answers what to load, arm, flush, create or wait for.

mod life;

mod secure;

mod prove;

mod retire;

pub use life::*;
pub use prove::*;
pub use retire::*;
pub use secure::*;
