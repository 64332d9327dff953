//! The streams half.

mod array;
mod backend;
mod capture;
mod counts;
mod driver;
mod ended;
mod external;
mod foreign;
mod lease;
mod lent;
mod life;
mod memory;
mod object;
mod owners;
mod stamp;
mod table;
mod told;
mod types;

pub use backend::*;
pub use capture::*;
pub use counts::*;
pub use external::*;
pub use lease::*;
pub use lent::{ringfence_owner_act_fn, ringfence_owners_with};
pub use life::*;
pub use memory::*;
pub use owners::*;
pub use stamp::*;
pub use told::*;
pub use types::*;
