//! What the programs share that softgpu's tests run over AMD's own runtimes: [`case`], a program's list of cases, each of which ends
//! in time; [`hsa`] and [`hip`], the runtimes in safe, small calls that panic where the runtime fails; [`count`], what is counted of
//! calls of the HSA runtime.
//!
//! The programs need nothing of softgpu: on a machine with an AMD GPU the cases that inject no fault run on that.

pub mod case;
pub mod count;
pub mod hip;
pub mod hsa;
pub mod process;
pub mod random;
