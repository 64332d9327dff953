//! Ringfence for tokio.
