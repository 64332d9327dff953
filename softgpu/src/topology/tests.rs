use std::collections::{BTreeMap, BTreeSet};

use proptest::{prelude::*, test_runner::RngSeed};

use super::*;
use crate::settings::{Gfx, Profile};

/// Runtimes read no more of a file, and the kernel prints no more.
const PAGE: usize = 4096;
/// What is wider than 32 bits in the kernel's structures.
const WIDE: [&str; 3] = ["size_in_bytes", "hive_id", "unique_id"];

fn host() -> HostFacts {
    HostFacts { cpus: NonZeroU32::new(16).expect("16 is not 0"), memory: 32 << 30 }
}
fn quiet() -> Settings {
    Settings::of(Profile::Quiet)
}

/// The numbers of one file, by name.
type Numbers = BTreeMap<String, u64>;

/// The topology, read back as runtimes read it.
struct Read(BTreeMap<String, String>);
impl Read {
    fn new(settings: &Settings) -> Self {
        let files = files(settings, &host());
        let count = files.len();
        let read: BTreeMap<_, _> =
            files.into_iter().map(|file| (file.path, file.contents)).collect();
        assert_eq!(read.len(), count, "a path comes twice");
        Self(read)
    }
    fn text(&self, path: &str) -> &str {
        self.0.get(&format!("topology/{path}")).unwrap_or_else(|| panic!("no {path}"))
    }
    /// Every line is a name, one space and a number; no name comes twice.
    fn numbers(&self, path: &str) -> Numbers {
        let mut numbers = Numbers::new();
        let text = self.text(path);
        assert!(text.ends_with('\n') && text.len() < PAGE, "{path}: {text:?}");
        for line in text.lines() {
            let (name, number) = line.split_once(' ').unwrap_or_else(|| panic!("{path}: {line:?}"));
            let number: u64 = number.parse().unwrap_or_else(|_| panic!("{path}: {line:?}"));
            assert!(WIDE.contains(&name) || number <= u64::from(u32::MAX), "{path}: {line}");
            assert_eq!(numbers.insert(name.to_owned(), number), None, "{path}: {name} comes twice");
        }
        numbers
    }
    fn node(&self, node: Node) -> Numbers {
        self.numbers(&format!("nodes/{}/properties", node.number()))
    }
    /// The numbers of each memory bank, cache or link of a node.
    fn parts(&self, node: Node, kind: &str) -> Vec<Numbers> {
        let folder = format!("nodes/{}/{kind}/", node.number());
        let start = format!("topology/{folder}");
        let there: BTreeSet<&str> =
            self.0.keys().filter_map(|path| path.strip_prefix(&start)).collect();
        let expected: Vec<String> =
            (0..there.len()).map(|index| format!("{index}/properties")).collect();
        assert_eq!(there, expected.iter().map(String::as_str).collect(), "{folder} has gaps");
        expected.iter().map(|path| self.numbers(&format!("{folder}{path}"))).collect()
    }
    /// The links of a node, by where they lead.
    fn links(&self, node: Node) -> BTreeMap<u64, Numbers> {
        let links = self.parts(node, "io_links");
        let count = links.len();
        let by_end: BTreeMap<_, _> =
            links.into_iter().map(|link| (link["node_to"], link)).collect();
        assert_eq!(by_end.len(), count, "node {node:?} has two links to the same node");
        by_end
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let bar = prop_oneof![Just(Bar::Large), Just(Bar::Small)];
    let gfx = prop::sample::select(&Gfx::ALL[..]);
    (1..=8_u32, gfx, bar, any::<prop::sample::Index>(), 256..=262_144_u64).prop_map(
        |(gpus, gfx, bar, link, mib)| {
            let links = gfx.model().links;
            let link = links[link.index(links.len())];
            Settings { gpus, gfx, bar, link, vram: mib << 20, ..quiet() }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x7090_1097),
        ..ProptestConfig::default()
    })]

    /// Every file can be read, and says how many others there are of each kind.
    #[test]
    fn topology_counts_what_is_there(settings in settings()) {
        let read = Read::new(&settings);
        let mut known: usize = 2;
        for node in Node::all(&settings) {
            let properties = read.node(node);
            let number = node.number();
            for (kind, count) in [
                ("mem_banks", "mem_banks_count"),
                ("caches", "caches_count"),
                ("io_links", "io_links_count"),
                ("p2p_links", "p2p_links_count"),
            ] {
                let parts = read.parts(node, kind).len();
                prop_assert_eq!(properties[count], parts as u64, "{} of node {}", kind, number);
                known += parts;
            }
            prop_assert_eq!(read.text(&format!("nodes/{number}/gpu_id")), format!("{}\n", node.gpu_id()));
            let name = format!("nodes/{number}/name");
            prop_assert!(read.text(&name).ends_with('\n'));
            known += 3;
        }
        prop_assert_eq!(read.0.len(), known, "a file belongs to no node");
        prop_assert_eq!(read.text("generation_id"), "1\n");
        prop_assert_eq!(read.numbers("system_properties").len(), 3);
    }

    /// Links lead from their own node to each other one, and back the same way. The kernel leaves out
    /// what leads into memory that its BAR hides, and nothing else may be missing.
    #[test]
    fn topology_links_go_both_ways(settings in settings()) {
        let read = Read::new(&settings);
        for from in Node::all(&settings) {
            let links = read.links(from);
            for to in Node::all(&settings).filter(|to| *to != from) {
                let hidden = settings.bar == Bar::Small
                    && to != Node::HOST
                    && (from == Node::HOST || settings.link == Link::Pcie);
                let link = links.get(&u64::from(to.number()));
                prop_assert_eq!(link.is_none(), hidden, "from {:?} to {:?}", from, to);
                let Some(link) = link else { continue };
                prop_assert_eq!(link["node_from"], u64::from(from.number()));
                let peers = from != Node::HOST && to != Node::HOST;
                let (kind, weight) = match (peers, settings.link) {
                    (false, _) => (2, 20),
                    (true, Link::Pcie) => (2, 40),
                    (true, Link::Xgmi) => (11, 15),
                };
                prop_assert_eq!((link["type"], link["weight"]), (kind, weight));
                prop_assert_eq!(link["flags"] & 0b1_1101, 1, "atomics and peers are allowed");
                let coherent = link["flags"] & 2 == 0;
                prop_assert_eq!(coherent, to == Node::HOST || kind == 11, "from {:?} to {:?}", from, to);
                if let Some(back) = read.links(to).get(&u64::from(from.number())) {
                    for name in ["type", "weight", "min_bandwidth", "max_bandwidth"] {
                        prop_assert_eq!(back[name], link[name], "{}", name);
                    }
                }
            }
            prop_assert!(!links.contains_key(&u64::from(from.number())), "a link to itself");
        }
    }

    /// What the first runtime found out the hard way: without these it drops the GPU, divides by 0,
    /// or fails an assertion.
    #[test]
    fn topology_gpus_have_what_runtimes_rely_on(settings in settings()) {
        let read = Read::new(&settings);
        let mut unique = BTreeSet::new();
        for node in Node::gpus(&settings) {
            let gpu = read.node(node);
            prop_assert!(gpu["num_xcc"] >= 1 && gpu["simd_per_cu"] >= 1 && gpu["simd_arrays_per_engine"] >= 1);
            prop_assert_eq!(gpu["capability"] >> 12 & 3, 2, "doorbells of 8 bytes");
            prop_assert_eq!(gpu["capability"] >> 29 & 1, 1, "firmware that reports exceptions");
            prop_assert_eq!(gpu["capability"] >> 19 & 1, 0, "old runtimes read this bit wrongly");
            prop_assert_eq!(gpu["capability"] >> 26 & 1, u64::from(settings.gfx.model().ecc == Ecc::On));
            prop_assert_eq!(gpu["cpu_cores_count"], 0);
            prop_assert_eq!(gpu["simd_count"] % gpu["simd_per_cu"], 0);
            prop_assert_eq!(gpu["hive_id"] != 0, settings.link == Link::Xgmi);
            prop_assert!(gpu["unique_id"] != 0 && unique.insert(gpu["unique_id"]));
            prop_assert!(unique.insert(gpu["location_id"]) && unique.insert(gpu["drm_render_minor"]));
            let banks = read.parts(node, "mem_banks");
            let heap = match settings.bar { Bar::Large => 1, Bar::Small => 2 };
            prop_assert_eq!((banks[0]["heap_type"], banks[0]["size_in_bytes"]), (heap, settings.vram));
            let way_home = &read.links(node)[&0];
            prop_assert!(way_home["type"] == 2 && way_home["weight"] <= 20, "no host of its own");
        }
        let cpu = read.node(Node::HOST);
        prop_assert_eq!((cpu["cpu_cores_count"], cpu["simd_count"], cpu["hive_id"]), (16, 0, 0));
        prop_assert!(!cpu.contains_key("capability"), "the kernel prints that of GPUs alone");
        let banks = read.parts(Node::HOST, "mem_banks");
        prop_assert_eq!((banks[0]["heap_type"], banks[0]["size_in_bytes"]), (0, 32 << 30));
    }

    /// GPUs are found again by what names them, and nothing else is.
    #[test]
    fn topology_gpus_are_found_by_their_names(settings in settings(), other in any::<u32>()) {
        let gpus: Vec<Node> = Node::gpus(&settings).collect();
        prop_assert_eq!(gpus.len() as u32, settings.gpus);
        for node in &gpus {
            prop_assert_eq!(Node::of_gpu_id(node.gpu_id(), &settings), Some(*node));
            prop_assert_eq!(Node::of_render_minor(node.render_minor(), &settings), Some(*node));
            prop_assert_ne!(node.gpu_id(), 0);
        }
        if !gpus.iter().any(|node| node.gpu_id() == other) {
            prop_assert_eq!(Node::of_gpu_id(other, &settings), None);
        }
        let numbers: Vec<Option<u32>> = Node::all(&settings).map(Node::gpu).collect();
        let expected = std::iter::once(None).chain((0..settings.gpus).map(Some));
        prop_assert_eq!(numbers, expected.collect::<Vec<_>>());
        prop_assert_eq!(gpus, (0..settings.gpus).map(Node::of_gpu).collect::<Vec<_>>());
        prop_assert_eq!(Node::of_gpu_id(0, &settings), None, "the host is no GPU");
        prop_assert_eq!(Node::of_render_minor(128 + settings.gpus, &settings), None);
    }
}

/// Two MI300X on XGMI, file by file. To renew it, paste what is printed, and look at what changed.
#[test]
fn topology_of_two_mi300x_is_as_recorded() {
    let settings = Settings { gpus: 2, gfx: Gfx::Gfx942, link: Link::Xgmi, ..quiet() };
    let print = |file: File| format!("== {}\n{}", file.path, file.contents);
    let printed: String = files(&settings, &host()).into_iter().map(print).collect();
    assert_eq!(printed, include_str!("two_mi300x.txt"), "the recording should be:\n{printed}");
}
