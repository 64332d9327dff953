use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU64,
};

use proptest::{prelude::*, test_runner::RngSeed};

use super::{
    parse::{NEUTRAL, edits},
    table::{PREFIX, PROFILE, ROWS},
    *,
};

/// The settings of variables that are named without the prefix.
fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let full = |(name, value): &(&str, &str)| (format!("{PREFIX}{name}"), (*value).to_owned());
    Settings::from_variables(variables.iter().map(full))
}
/// Settings that are right.
fn good(variables: &[(&str, &str)]) -> Settings {
    read(variables).unwrap_or_else(|error| panic!("{variables:?}: {error}"))
}
/// What is wrong with settings.
fn wrong(variables: &[(&str, &str)]) -> String {
    match read(variables) {
        Ok(settings) => panic!("{variables:?} was read as {settings:?}"),
        Err(error) => error.to_string(),
    }
}
fn nanoseconds(least: u64, most: u64) -> Span {
    Span { least: Duration::from_nanos(least), most: Duration::from_nanos(most) }
}

#[test]
fn settings_are_quiet_by_default() {
    let quiet = Settings {
        gpus: 1,
        gfx: Gfx::Gfx90a,
        bar: Bar::Large,
        vram: 64 << 30,
        link: Link::Pcie,
        kfd_minor: 17,
        events: 4096,
        kernel: nanoseconds(0, 0),
        copy_rate: None,
        completion_lag: nanoseconds(0, 0),
        read_index: ReadIndex::Early,
        dependencies: Dependencies::Latched,
        host_stores: HostStores::Coherent,
        peer_stores: HostStores::Coherent,
        lose_interrupt: None,
        faults: Faults::default(),
        seed: 1,
        priority: Priority::RealTime,
        trace: Trace::Off,
    };
    assert_eq!(good(&[]), quiet);
    assert_eq!(good(&[(PROFILE, "quiet")]), quiet);
    let hostile = Settings {
        kernel: nanoseconds(0, 200_000),
        completion_lag: nanoseconds(0, 20_000),
        read_index: ReadIndex::Mixed,
        ..quiet
    };
    assert_eq!(good(&[(PROFILE, "hostile")]), hostile);
}

#[test]
fn settings_win_over_the_profile_wherever_it_stands() {
    let of = |variables: &[(&str, &str)]| good(variables).kernel;
    assert_eq!(of(&[("KERNEL_NS", "7"), (PROFILE, "hostile")]), nanoseconds(7, 7));
    assert_eq!(of(&[(PROFILE, "hostile"), ("KERNEL_NS", "7")]), nanoseconds(7, 7));
}

#[test]
fn settings_are_read_by_their_names() {
    let count = |k| NonZeroU64::new(k);
    let settings = good(&[
        ("GPUS", "8"),
        ("GFX", "gfx942"),
        ("LARGE_BAR", "no"),
        ("VRAM_MIB", "1024"),
        ("LINK", "xgmi"),
        ("KFD_MINOR", "17"),
        ("EVENTS", "256"),
        ("KERNEL_NS", "5..5"),
        ("COPY_MBPS", "32000"),
        ("COMPLETION_LAG_NS", "0..1000000000000"),
        ("READ_INDEX", "still"),
        ("DEPENDENCIES", "polled"),
        ("HOST_STORES", "flushed"),
        ("PEER_STORES", "flushed:20"),
        ("LOSE_INTERRUPT", "3"),
        ("FAULT_PACKET", "4"),
        ("FAULT_VM", "5"),
        ("FAULT_LOST", "6"),
        ("FAULT_QUEUE", "7"),
        ("FAULT_EVENT", "8"),
        ("FAULT_MEMORY", "18446744073709551615"),
        ("SEED", "18446744073709551615"),
        ("PRIORITY", "normal"),
        ("TRACE", "objects"),
    ]);
    let expected = Settings {
        gpus: 8,
        gfx: Gfx::Gfx942,
        bar: Bar::Small,
        vram: 1 << 30,
        link: Link::Xgmi,
        kfd_minor: 17,
        events: 256,
        kernel: nanoseconds(5, 5),
        copy_rate: count(32_000),
        completion_lag: nanoseconds(0, 1_000_000_000_000),
        read_index: ReadIndex::Still,
        dependencies: Dependencies::Polled,
        host_stores: HostStores::Flushed(Duration::from_millis(1)),
        peer_stores: HostStores::Flushed(Duration::from_nanos(20)),
        lose_interrupt: count(3),
        faults: Faults {
            packet: count(4),
            vm: count(5),
            lost: count(6),
            queue: count(7),
            event: count(8),
            memory: count(u64::MAX),
        },
        seed: u64::MAX,
        priority: Priority::Normal,
        trace: Trace::Objects,
    };
    assert_eq!(settings, expected);
    assert!(Trace::Off < Trace::Objects && Trace::Objects < Trace::All);
}

#[test]
fn settings_offer_every_word_that_the_table_lists() {
    let mut seen = BTreeMap::new();
    for row in ROWS {
        let words = row.allowed.split(", ").filter(|word| !word.contains(' '));
        let words: BTreeSet<&str> = words.filter(|word| !word.contains(':')).collect();
        let values: Vec<Settings> = words
            .iter()
            .map(|word| {
                let mut settings = Settings::of(Profile::Quiet);
                (row.read)(word, &mut settings).unwrap_or_else(|| panic!("{}={word}", row.name));
                settings
            })
            .collect();
        for (index, one) in values.iter().enumerate() {
            assert!(!values[..index].contains(one), "{}: two of {words:?} are the same", row.name);
        }
        seen.insert(row.name, words.len());
    }
    let words = |name| seen[name];
    assert_eq!((words("GFX"), words("READ_INDEX"), words("TRACE"), words("LINK")), (4, 5, 3, 2));
    assert_eq!(seen.len(), ROWS.len(), "a name comes twice");
}

#[test]
fn settings_defaults_can_be_read_and_leave_nothing_to_chance() {
    for profile in [Profile::Quiet, Profile::Hostile] {
        for row in ROWS {
            let read = (row.read)(row.default(profile), &mut NEUTRAL.clone());
            assert_eq!(read, Some(()), "{}={}", row.name, row.default(profile));
        }
        assert!(Settings::of(profile).gpus > 0);
    }
}

#[test]
fn settings_refuse_what_they_cannot_be() {
    let bad = [
        ("GPUS", "0"),
        ("GPUS", "9"),
        ("GPUS", "+1"),
        ("GPUS", ""),
        ("GPUS", " 1"),
        ("GPUS", "1.0"),
        ("GPUS", "4294967297"),
        ("GFX", "gfx906"),
        ("GFX", "GFX942"),
        ("LARGE_BAR", "1"),
        ("VRAM_MIB", "255"),
        ("VRAM_MIB", "262145"),
        ("LINK", "nvlink"),
        ("KFD_MINOR", "18"),
        ("EVENTS", "4097"),
        ("KERNEL_NS", "2..1"),
        ("KERNEL_NS", "1.."),
        ("KERNEL_NS", "..1"),
        ("KERNEL_NS", "0..1..2"),
        ("KERNEL_NS", "1000000000001"),
        ("COPY_MBPS", "0"),
        ("READ_INDEX", "Early"),
        ("HOST_STORES", "flushed:"),
        ("HOST_STORES", "coherent:1"),
        ("LOSE_INTERRUPT", "-1"),
        ("FAULT_VM", "0"),
        ("SEED", "18446744073709551616"),
        ("TRACE", "2"),
        (PROFILE, "nasty"),
    ];
    for (name, value) in bad {
        let text = wrong(&[(name, value)]);
        let start = format!("{PREFIX}{name}={value:?} is not understood; allowed: ");
        let allowed = ROWS.iter().find(|row| row.name == name);
        let allowed = allowed.map_or("quiet, hostile", |row| row.allowed);
        assert_eq!(text, start + allowed);
    }
}

#[test]
fn settings_errors_name_the_nearest_setting() {
    let nearest = |name: &str| {
        let error = read(&[(name, "1")]).expect_err("no setting has that name");
        let [Mistake::Unknown { variable, nearest }] = error.mistakes() else { panic!("{error}") };
        assert_eq!(*variable, format!("{PREFIX}{name}"));
        nearest.strip_prefix(PREFIX).expect("a whole name").to_owned()
    };
    assert_eq!(nearest("GPU"), "GPUS");
    assert_eq!(nearest("gfx"), "GFX");
    assert_eq!(nearest("KERNEL_US"), "KERNEL_NS");
    assert_eq!(nearest("PROFIL"), PROFILE);
    assert_eq!(nearest("FAULT_PACKETS"), "FAULT_PACKET");
    assert_eq!(
        wrong(&[("COPY_MBS", "1")]),
        "RINGFENCE_SOFTGPU_COPY_MBS is not a setting; did you mean RINGFENCE_SOFTGPU_COPY_MBPS?"
    );
}

#[test]
fn settings_errors_come_together() {
    let text = wrong(&[("GPUS", "99"), ("SEDE", "1"), ("TRACE", "off"), (PROFILE, "x")]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    for (line, part) in lines.iter().zip(["PROFILE=\"x\"", "GPUS=\"99\"", "SEED?"]) {
        assert!(line.contains(part), "{part} is missing in {line}");
    }
}

#[test]
fn settings_refuse_links_that_a_gpu_does_not_have() {
    for gfx in Gfx::ALL {
        let name = gfx.to_string();
        let variables = [("LINK", "xgmi"), ("GFX", &*name)];
        if matches!(gfx, Gfx::Gfx90a | Gfx::Gfx942) {
            assert_eq!(good(&variables).link, Link::Xgmi);
        } else {
            let expected = format!(
                "RINGFENCE_SOFTGPU_LINK=\"xgmi\" does not go with {gfx}; allowed for it: pcie"
            );
            assert_eq!(wrong(&variables), expected);
        }
    }
}

#[test]
fn settings_ignore_what_is_not_theirs() {
    let other = [("RINGFENCE_SEED", "x"), ("PATH", "/bin"), ("SOFTGPU_GPUS", "2")];
    let other = other.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(Settings::from_variables(other), Ok(good(&[])));
}

/// The README prints the table; this keeps it true. To mend it, paste what is printed.
#[test]
fn settings_table_is_the_readme_s() {
    let readme = include_str!("../../README.md");
    let (start, end) = ("<!-- settings -->\n", "<!-- end of settings -->");
    let table = readme.split_once(start).and_then(|(_, rest)| rest.split_once(end));
    let table = table.map(|(table, _)| table.trim()).expect("the README marks the table");
    let help = Settings::help();
    assert_eq!(table, help.trim(), "the README's table should be:\n{help}");
}

#[test]
fn settings_edits_are_a_distance() {
    assert_eq!(edits("", ""), 0);
    assert_eq!(edits("", "abc"), 3);
    assert_eq!(edits("abc", ""), 3);
    assert_eq!(edits("kitten", "sitting"), 3);
    assert_eq!((edits("GPUSX", "GPUS"), edits("GPUS", "GPUSX")), (1, 1));
    assert_eq!(edits("KERNEL_NS", "KERNEL_US"), 1);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5E77_1465),
        ..ProptestConfig::default()
    })]

    /// Whatever the environment holds, it is understood, or an error says what is wrong with it.
    #[test]
    fn settings_never_panic_on_any_text(
        variables in prop::collection::vec(("[A-Z_]{0,8}|GPUS|KERNEL_NS|HOST_STORES|PROFILE", "\\PC{0,12}"), 0..6)
    ) {
        let pairs: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        match read(&pairs) {
            Ok(settings) => prop_assert!((1..=8).contains(&settings.gpus)),
            Err(error) => prop_assert!(!error.mistakes().is_empty() && error.mistakes().len() <= pairs.len()),
        }
    }

    /// Spans come back as they were written.
    #[test]
    fn settings_spans_are_read_as_written(a in 0..1_000_000_000_000_u64, b in 0..1_000_000_000_000_u64) {
        let (least, most) = (a.min(b), a.max(b));
        prop_assert_eq!(good(&[("KERNEL_NS", &format!("{least}..{most}"))]).kernel, nanoseconds(least, most));
        prop_assert_eq!(good(&[("COMPLETION_LAG_NS", &a.to_string())]).completion_lag, nanoseconds(a, a));
    }
}
