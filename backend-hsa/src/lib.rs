//! Ringfence on AMD's HSA runtime (`libhsa-runtime64`), which is loaded at run time: nothing of AMD's is needed to build.
//!
//! So far there is [`sys`]: the runtime's interface, generated from its headers, and how it is loaded.

pub mod sys;
