//! Every setting, one row each: name, values, defaults, field, how it is read, and what it means.
//!
//! The defaults of a profile are written as a user would write them and read by the same code, so
//! that the table that is printed cannot differ from what is done.

use std::{fmt::Write as _, num::NonZeroU64, ops::RangeInclusive, str::FromStr, time::Duration};

use super::{
    Bar, Dependencies, Gfx, HostStores, Link, Priority, Profile, ReadIndex, Settings, Span, Trace,
};

/// One setting.
pub(super) struct Row {
    /// Its name, after [`PREFIX`].
    pub(super) name: &'static str,
    /// What it may be.
    pub(super) allowed: &'static str,
    /// What it is in profile `quiet`.
    quiet: &'static str,
    /// What it is in profile `hostile`.
    hostile: &'static str,
    /// What it means.
    meaning: &'static str,
    /// Reads a value into the settings; `None`: it cannot have this value.
    pub(super) read: fn(&str, &mut Settings) -> Option<()>,
}
impl Row {
    /// What the setting is if nobody sets it.
    pub(super) const fn default(&self, profile: Profile) -> &'static str {
        match profile {
            Profile::Quiet => self.quiet,
            Profile::Hostile => self.hostile,
        }
    }
}

/// What the names of all variables begin with.
pub(super) const PREFIX: &str = "RINGFENCE_SOFTGPU_";
/// The variable that selects the defaults of the rest.
pub(super) const PROFILE: &str = "PROFILE";
/// The profiles.
pub(super) const PROFILES: &str = "quiet, hostile";

const COUNT: &str = "off, or a number from 1";
const SPAN: &str = "ns up to 10^12, or a range of them: 0..200000";
const STORES: &str = "coherent, flushed, or flushed:NS";

/// How long a store stays unseen without a flush, unless said otherwise.
const UNFLUSHED: Duration = Duration::from_millis(1);

/// Makes rows of: name, allowed, quiet, hostile, field = reader, meaning.
macro_rules! rows {
    ($($name:literal, $allowed:expr, $quiet:literal, $hostile:literal, $($field:ident).+ = $read:expr, $meaning:literal;)*) => {
        &[$(Row {
            name: $name,
            allowed: $allowed,
            quiet: $quiet,
            hostile: $hostile,
            meaning: $meaning,
            read: |text, to| {
                to.$($field).+ = $read(text)?;
                Some(())
            },
        }),*]
    };
}

/// The settings, in the order in which they are explained.
pub(super) const ROWS: &[Row] = rows! {
    "GPUS", "1 to 8", "1", "1", gpus = whole(1..=8), "how many GPUs there are";
    "GFX", "gfx90a, gfx942, gfx1030, gfx1100", "gfx90a", "gfx90a", gfx = gfx, "which GPU";
    "LARGE_BAR", "yes, no", "yes", "yes",
        bar = one_of(&[("yes", Bar::Large), ("no", Bar::Small)]),
        "whether the host may map all VRAM";
    "VRAM_MIB", "256 to 262144", "65536", "65536", vram = mebibytes, "memory of each GPU, in MiB";
    "LINK", "pcie, xgmi", "pcie", "pcie",
        link = one_of(&[("pcie", Link::Pcie), ("xgmi", Link::Xgmi)]),
        "what connects GPUs; RDNA has no XGMI";
    "KFD_MINOR", "8 to 17", "17", "17", kfd_minor = whole(8..=17), "minor version of the kernel's interface";
    "EVENTS", "1 to 4096", "4096", "4096", events = whole(1..=4096), "how many events a process may have";
    "KERNEL_NS", SPAN, "0", "0..200000", kernel = span,
        "how long a kernel runs; of a range, each takes one value at random";
    "COPY_MBPS", COUNT, "off", "off", copy_rate = count, "speed of a copy engine in MB/s; off: copies take no time";
    "COMPLETION_LAG_NS", SPAN, "0", "0..20000", completion_lag = span,
        "from the moment at which a packet could complete until it does";
    "READ_INDEX", "early, late, eights, still, mixed", "early", "mixed",
        read_index = one_of(&[
            ("early", ReadIndex::Early), ("late", ReadIndex::Late), ("eights", ReadIndex::Eights),
            ("still", ReadIndex::Still), ("mixed", ReadIndex::Mixed),
        ]),
        "when a read index moves: when packets are read; when they and all before them are complete; as early, in \
         steps of 8; not before the queue is three quarters full; now early and now late, at random";
    "DEPENDENCIES", "latched, polled", "latched", "latched",
        dependencies = one_of(&[("latched", Dependencies::Latched), ("polled", Dependencies::Polled)]),
        "whether a barrier packet sees each 0 of what it waits for, or looks now and then and misses a signal that \
         is armed again too early";
    "HOST_STORES", STORES, "coherent", "coherent", host_stores = stores,
        "when a GPU sees the host's stores to VRAM: at once, or after an HDP flush, or of itself after NS (1000000)";
    "PEER_STORES", STORES, "coherent", "coherent", peer_stores = stores,
        "the same, where another GPU than the memory's owner reads";
    "LOSE_INTERRUPT", COUNT, "off", "off", lose_interrupt = count, "of so many interrupts one is lost";
    "FAULT_PACKET", COUNT, "off", "off", faults.packet = count, "the k-th packet is an invalid one";
    "FAULT_VM", COUNT, "off", "off", faults.vm = count, "the k-th kernel touches an address that is not mapped";
    "FAULT_LOST", COUNT, "off", "off", faults.lost = count, "when the k-th packet starts, its GPU is lost";
    "FAULT_QUEUE", COUNT, "off", "off", faults.queue = count, "creating the k-th queue fails";
    "FAULT_EVENT", COUNT, "off", "off", faults.event = count, "creating the k-th event fails";
    "FAULT_MEMORY", COUNT, "off", "off", faults.memory = count, "the k-th allocation fails";
    "SEED", "a number below 2^64", "1", "1", seed = whole(0..=u64::MAX), "seed of all choices";
    "PRIORITY", "realtime, normal", "realtime", "realtime",
        priority = one_of(&[("realtime", Priority::RealTime), ("normal", Priority::Normal)]),
        "of the engine thread; realtime: as high as the process may";
    "TRACE", "off, objects, all", "off", "off",
        trace = one_of(&[("off", Trace::Off), ("objects", Trace::Objects), ("all", Trace::All)]),
        "what is written to standard error: what a user must know; objects made and destroyed and what is not \
         modelled; every packet and call";
};

/// The table of all settings, in Markdown.
pub(super) fn help() -> String {
    let mut table =
        format!("| `{PREFIX}…` | allowed | quiet | hostile | what |\n|---|---|---|---|---|\n");
    let profile = [PROFILE, PROFILES, "quiet", "hostile", "the defaults of all others"];
    let rows = ROWS.iter().map(|row| [row.name, row.allowed, row.quiet, row.hostile, row.meaning]);
    for [name, allowed, quiet, hostile, meaning] in std::iter::once(profile).chain(rows) {
        writeln!(table, "| `{name}` | {allowed} | `{quiet}` | `{hostile}` | {meaning} |")
            .expect("writing to a string cannot fail");
    }
    table
}

/// Reads one of some words.
pub(super) fn one_of<T: Copy>(words: &[(&str, T)]) -> impl Fn(&str) -> Option<T> {
    |text| words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning)
}
/// Reads a number in decimal digits, and nothing else.
fn whole<T: FromStr + PartialOrd>(range: RangeInclusive<T>) -> impl Fn(&str) -> Option<T> {
    move |text| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| digits && range.contains(number))
    }
}
/// Reads a GPU's name.
fn gfx(text: &str) -> Option<Gfx> {
    Gfx::ALL.into_iter().find(|gfx| gfx.model().name == text)
}
/// Reads a size of memory.
fn mebibytes(text: &str) -> Option<u64> {
    whole(256..=262_144)(text).map(|mib: u64| mib << 20)
}
/// Reads a count, or none.
fn count(text: &str) -> Option<Option<NonZeroU64>> {
    if text == "off" {
        Some(None)
    } else {
        whole(NonZeroU64::MIN..=NonZeroU64::MAX)(text).map(Some)
    }
}
/// Reads a duration. The most is far below what adding to an instant can bear.
fn duration(text: &str) -> Option<Duration> {
    whole(0..=1_000_000_000_000)(text).map(Duration::from_nanos)
}
/// Reads a duration, or a range of them.
fn span(text: &str) -> Option<Span> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let span = Span { least: duration(least)?, most: duration(most)? };
    (span.least <= span.most).then_some(span)
}
/// Reads when stores are seen.
fn stores(text: &str) -> Option<HostStores> {
    match text.split_once(':') {
        Some(("flushed", after)) => duration(after).map(HostStores::Flushed),
        _ => one_of(&[
            ("coherent", HostStores::Coherent),
            ("flushed", HostStores::Flushed(UNFLUSHED)),
        ])(text),
    }
}
