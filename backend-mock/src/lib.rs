//! A deterministic, adversarial device for Ringfence.
#![forbid(unsafe_code)]
