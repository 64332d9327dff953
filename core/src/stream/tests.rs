//! Unit tests of the pure pool.
