//! What [Ringfence](ringfence)'s backends on somebody else's runtime (HIP, CUDA) have in common. It is no interface: it changes
//! whenever they do.
//!
//! | module | holds |
//! |---|---|
//! | [`arguments`] | a kernel's arguments and the extent of its launch |
//! | [`life`] | whether the runtime may be called |
//! | [`loading`] | looking for a library that is loaded at run time, and saying where it was looked for |
//! | [`parcel`] | functions of the host that travel through a runtime |
//! | [`pause`] | how the host waits for what no interrupt tells it |
//! | [`registry`] | which handles exist |
//! | [`words`] | words in pinned host memory that a stream writes |

pub mod arguments;
pub mod life;
pub mod loading;
pub mod parcel;
pub mod pause;
pub mod registry;
pub mod words;
