//! Ringfence for plain threads and rayon.
