//! What connects nodes.

use super::{Node, Properties};
use crate::settings::{Bar, Link, Settings};

/// The links from a node to every other that it reaches.
pub(super) fn links(from: Node, settings: &Settings) -> Vec<Properties> {
    Node::all(settings)
        .filter_map(|to| {
            let route = Route::between(from, to, settings)?;
            let link = Properties::new()
                .with("type", route.kind)
                .with("version_major", 0_u32)
                .with("version_minor", 0_u32)
                .with("node_from", from.0)
                .with("node_to", to.0)
                .with("weight", route.weight)
                .with("min_latency", 0_u32)
                .with("max_latency", 0_u32)
                .with("min_bandwidth", route.megabytes.0)
                .with("max_bandwidth", route.megabytes.1);
            let link = link.with("recommended_transfer_size", 0_u32);
            // No engine is better than another here.
            Some(link.with("recommended_sdma_engine_id_mask", 0_u32).with("flags", route.flags))
        })
        .collect()
}

/// A way from one node to another.
struct Route {
    /// What it is made of, as in ACPI's CRAT.
    kind: u32,
    /// 20 for each link of PCIe; 15 for one of XGMI. Runtimes take no GPU behind more than 20 for the
    /// host's own.
    weight: u32,
    /// Least and most, in MB/s.
    megabytes: (u32, u32),
    /// Override of what the kind promises, and "not coherent".
    flags: u32,
}
impl Route {
    const PCIE: Self = Self { kind: 2, weight: 20, megabytes: (8_000, 32_000), flags: 1 };
    /// One link: least and most are the same, or runtimes split a copy over several engines.
    const XGMI: Self = Self { kind: 11, weight: 15, megabytes: (50_000, 50_000), flags: 1 };
    const NOT_COHERENT: u32 = 1 << 1;

    /// As the kernel has it: nothing leads over PCIe into memory that its BAR does not show, and what
    /// does is not coherent. Atomics work everywhere: copy engines need them to complete signals.
    fn between(from: Node, to: Node, settings: &Settings) -> Option<Self> {
        let flags = Self::PCIE.flags | Self::NOT_COHERENT;
        match (from, to, settings.link) {
            _ if from == to => None,
            (_, Node::HOST, _) => Some(Self::PCIE),
            (Node::HOST, _, _) | (_, _, Link::Pcie) if settings.bar == Bar::Small => None,
            (Node::HOST, _, _) => Some(Self { flags, ..Self::PCIE }),
            (_, _, Link::Pcie) => Some(Self { weight: 40, flags, ..Self::PCIE }),
            (_, _, Link::Xgmi) => Some(Self::XGMI),
        }
    }
}
