//! The releases of AMD's runtime, and the packages of Debian that each is.

use std::fmt;

use super::pinned::{self, Pinned};

/// A release of AMD's user-mode runtime that a distribution has built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Release {
    /// ROCr, thunk and HIP 5.2.3, of Debian 12.
    #[value(name = "5.2")]
    V5_2,
    /// ROCr 6.1.2 and HIP 5.7.1, of Debian 13.
    #[value(name = "6.1")]
    V6_1,
    /// ROCr and HIP 6.4.3, of Debian's unstable.
    #[value(name = "6.4")]
    V6_4,
}

/// Whether the development packages come with the libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Headers {
    /// What programs run with, and nothing else.
    Without,
    /// What programs, or bindings, are built with as well.
    With,
}

/// What is fetched for a release.
pub(super) enum Packages {
    /// These and no other builds of them. What they need beyond that, every Debian has.
    Pinned(Vec<&'static Pinned>),
    /// These as they are served, and everything that they depend on, the C library included.
    AsServed(Vec<&'static str>),
}

impl Release {
    /// Every release, the oldest first.
    pub(crate) const ALL: [Self; 3] = [Self::V5_2, Self::V6_1, Self::V6_4];

    /// The two numbers by which a user asks for it, and its folder's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::V5_2 => "5.2",
            Self::V6_1 => "6.1",
            Self::V6_4 => "6.4",
        }
    }
    /// The release of Debian that has it, by its code name.
    pub(super) fn suite(self) -> &'static str {
        match self {
            Self::V5_2 => "bookworm",
            Self::V6_1 => "trixie",
            Self::V6_4 => "sid",
        }
    }
    /// Its packages. HIP loads the built-ins of its run-time compiler by name, so that nothing depends on
    /// them.
    pub(super) fn packages(self, headers: Headers) -> Packages {
        let (libraries, development): (&[_], &[_]) = match self {
            Self::V5_2 => {
                let more = match headers {
                    Headers::Without => [].iter(),
                    Headers::With => pinned::HEADERS.iter(),
                };
                return Packages::Pinned(pinned::LIBRARIES.iter().chain(more).collect());
            }
            Self::V6_1 => (
                &["libhsa-runtime64-1", "libamdhip64-5", "libhiprtc-builtins5"],
                &[
                    "libhsa-runtime-dev",
                    "libamdhip64-dev",
                    "libhsakmt-dev",
                    "libdrm-dev",
                    "linux-libc-dev",
                ],
            ),
            // Its thunk is linked in, and its run-time compiler is a library of its own.
            Self::V6_4 => (
                &["libhsa-runtime64-1", "libamdhip64-6", "libhiprtc6", "libhiprtc-builtins6"],
                &["libhsa-runtime-dev", "libamdhip64-dev", "libdrm-dev"],
            ),
        };
        let more = match headers {
            Headers::Without => &[],
            Headers::With => development,
        };
        Packages::AsServed(libraries.iter().chain(more).copied().collect())
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
