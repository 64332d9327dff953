//! Who may know whom: the one place that says so.

/// What one crate of the workspace may depend on.
pub(super) struct Crate {
    /// Its directory below the root.
    pub(super) directory: &'static str,
    /// Its package.
    pub(super) package: &'static str,
    /// Packages of this workspace that it may use. All others of the workspace are forbidden.
    pub(super) ours: &'static [&'static str],
    /// Packages of others.
    pub(super) others: Others,
}

/// What a crate may use from outside the workspace.
pub(super) enum Others {
    /// Anything that `deny.toml` allows.
    Any,
    /// These alone, each only in its tables of `Cargo.toml`.
    Only(&'static [(&'static str, &'static str)]),
}

/// Every crate of the workspace. A member that is missing here fails the check.
pub(super) const CRATES: &[Crate] = &[
    Crate {
        directory: "core",
        package: "ringfence",
        ours: &[],
        others: Others::Only(&[
            ("dependencies", "bitflags"),
            ("dependencies", "thiserror"),
            ("dependencies", "tracing"),
            ("dependencies", "metrics"),
            ("target.'cfg(ringfence_loom)'.dependencies", "loom"),
            ("target.'cfg(ringfence_shuttle)'.dependencies", "shuttle"),
            ("dev-dependencies", "mockall"),
            ("dev-dependencies", "proptest"),
        ]),
    },
    Crate {
        directory: "backend-mock",
        package: "ringfence-mock",
        ours: &["ringfence"],
        others: Others::Any,
    },
    Crate {
        directory: "backend-hsa",
        package: "ringfence-hsa",
        ours: &["ringfence"],
        others: Others::Any,
    },
    Crate {
        directory: "backend-shared",
        package: "ringfence-backend-shared",
        ours: &["ringfence"],
        others: Others::Any,
    },
    Crate {
        directory: "backend-hip",
        package: "ringfence-hip",
        ours: &["ringfence", "ringfence-backend-shared"],
        others: Others::Any,
    },
    Crate {
        directory: "backend-cuda",
        package: "ringfence-cuda",
        ours: &["ringfence", "ringfence-backend-shared"],
        others: Others::Any,
    },
    Crate {
        directory: "softgpu",
        package: "ringfence-softgpu",
        ours: &["ringfence", "ringfence-mock"],
        others: Others::Any,
    },
    Crate {
        directory: "softgpu/programs",
        package: "ringfence-softgpu-programs",
        ours: &["ringfence", "ringfence-hsa"],
        others: Others::Any,
    },
    Crate {
        directory: "adapters/tokio",
        package: "ringfence-tokio",
        ours: &["ringfence", "ringfence-mock"],
        others: Others::Any,
    },
    Crate {
        directory: "adapters/threads",
        package: "ringfence-threads",
        ours: &["ringfence", "ringfence-mock"],
        others: Others::Any,
    },
    Crate {
        directory: "capi",
        package: "ringfence-capi",
        ours: &["ringfence", "ringfence-hsa", "ringfence-hip"],
        others: Others::Any,
    },
    Crate {
        directory: "cli",
        package: "ringfence-cli",
        ours: &["ringfence", "ringfence-mock", "ringfence-hsa", "ringfence-hip", "ringfence-cuda"],
        others: Others::Any,
    },
    Crate {
        directory: "tests",
        package: "ringfence-tests",
        ours: &[
            "ringfence",
            "ringfence-mock",
            "ringfence-hsa",
            "ringfence-hip",
            "ringfence-cuda",
            "ringfence-cli",
        ],
        others: Others::Any,
    },
    Crate {
        directory: "examples",
        package: "ringfence-examples",
        ours: &["ringfence", "ringfence-hip", "ringfence-threads", "ringfence-tokio"],
        others: Others::Any,
    },
    Crate { directory: "xtask", package: "xtask", ours: &[], others: Others::Any },
];

/// The modules of the core, from the lowest layer to the highest:
/// `id -> proof -> watermark -> ring -> drive -> event`, and `id -> stream -> drive -> task`. A module may name modules of its own layer
/// and of every layer before it, and none of a later one. A module that is missing here fails the
/// check. `lib.rs`, which declares them all, is outside; the loom models, which are tests, are on top.
pub(super) const LAYERS: &[&[&str]] = &[
    &["plant", "sync"],
    &["id"],
    &["backend", "error", "timing"],
    &["proof"],
    &["watermark"],
    &["ledger", "observe", "placement", "retire", "wait"],
    &["ring", "polling", "staging", "stream"],
    &["drive"],
    &["event", "metrics", "task"],
    &["models"],
];

/// The only file of the core that may name [`SYNCHRONISATION`], so that loom can replace it all.
pub(super) const FACADE: &str = "core/src/sync.rs";
/// The loom models, which count executions from outside of them.
pub(super) const MODELS: &str = "core/src/models";
/// Where atomics, locks and `Arc` come from.
pub(super) const SYNCHRONISATION: &[&str] =
    &["std::sync", "core::sync", "alloc::sync", "loom", "shuttle"];

/// What judges the core, and so must not be built from it.
pub(super) const JUDGES: &[&str] = &[
    "backend-mock/src/oracle",
    "backend-mock/src/model",
    "backend-mock/src/streams/oracle",
    "backend-mock/src/streams/model",
];
/// The modules of the core that are judged.
pub(super) const JUDGED: &[&str] =
    &["ring", "watermark", "proof", "drive", "event", "polling", "retire", "stream", "task"];

/// Places whose code may be `unsafe`: crates that talk to a C library or are one, and the test that
/// counts allocations, since an allocator cannot be written without; and what asks a real device for work.
pub(super) const UNSAFE_ALLOWED: &[&str] = &[
    "backend-hsa",
    "backend-shared",
    "backend-hip",
    "backend-cuda",
    "softgpu",
    "capi",
    "examples/src/device",
    // Peers of the measurements: HIP's and CUDA's own calls, and kernels.
    "cli/src/bench/gpu/hip.rs",
    "cli/src/bench/gpu/cuda.rs",
    "cli/src/bench/signals/own.rs",
    "cli/src/bench/signals/own_cuda.rs",
    "cli/src/bench/signals/empty.rs",
    "tests/src/conformance/hip.rs",
    "tests/src/conformance/hsa.rs",
    "tests/src/conformance/streams/hip.rs",
    "tests/src/conformance/streams/cuda.rs",
    "tests/tests/allocation.rs",
];
