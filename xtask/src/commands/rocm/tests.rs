use std::{collections::BTreeSet, path::Path};

use super::{
    Absence, Headers, Release, Trouble, Wanted,
    apt::{Archive, choose, configured, served},
    mirror::{Mirror, of_targets, of_update},
    pinned::{HEADERS, LIBRARIES, Pinned},
    release::Packages,
    tool::first_error,
    unpacked::{Stamp, abandoned},
    wanted,
};

const OLD: Pinned = Pinned { package: "liba", version: "1:1.0-1", sha256: "aa" };
const NEW: Pinned = Pinned { package: "liba", version: "1:1.0-2", sha256: "bb" };
const OTHER: Pinned = Pinned { package: "libb", version: "2", sha256: "cc" };

fn index(builds: &[(&str, &str, &str)]) -> String {
    let paragraph = |&(package, version, sha256): &(&str, &str, &str)| {
        format!(
            "Package: {package}\nSource: s ({version})\nVersion: {version}\nDepends: libc6\n\
             Description: d\nMD5sum: 00\nSHA256: {sha256}\n\n"
        )
    };
    builds.iter().map(paragraph).collect()
}

/// The versions that are chosen from an index, or what is wrong with it.
fn chosen(builds: &[(&str, &str, &str)]) -> Result<Vec<&'static str>, String> {
    match choose(&[&NEW, &OLD, &OTHER], &served(&index(builds))) {
        Ok(chosen) => Ok(chosen.iter().map(|own| own.version).collect()),
        Err(Trouble::Unavailable(reason)) => Err(format!("unavailable: {reason}")),
        Err(Trouble::Failed(failure)) => Err(format!("failed: {failure}")),
    }
}

#[test]
fn the_first_row_that_is_served_is_taken() {
    let b = ("libb", "2", "cc");
    assert_eq!(chosen(&[("liba", "1:1.0-2", "bb"), b]), Ok(vec!["1:1.0-2", "2"]));
    assert_eq!(chosen(&[("liba", "1:1.0-1", "aa"), b]), Ok(vec!["1:1.0-1", "2"]));
    let both = [("liba", "1:1.0-1", "aa"), ("liba", "1:1.0-2", "bb"), b];
    assert_eq!(chosen(&both), Ok(vec!["1:1.0-2", "2"]));
}

#[test]
fn a_build_that_is_gone_is_unavailable() {
    let reason = chosen(&[("liba", "1:1.0-3", "dd"), ("libb", "2", "cc")]).expect_err("it is gone");
    assert!(reason.starts_with("unavailable: "), "{reason}");
    assert!(reason.contains("liba 1:1.0-1") && reason.contains("it has 1:1.0-3"), "{reason}");
    let reason = chosen(&[("liba", "1:1.0-2", "bb")]).expect_err("there is no libb");
    assert!(reason.contains("libb 2") && reason.contains("it has none"), "{reason}");
}

#[test]
fn another_file_under_a_pinned_version_is_an_error_that_names_the_package() {
    let reason = chosen(&[("liba", "1:1.0-2", "bb"), ("libb", "2", "c0")]).expect_err("not pinned");
    assert!(reason.starts_with("failed: libb 2 "), "{reason}");
    assert!(reason.contains("c0") && reason.contains("cc"), "{reason}");
}

#[test]
fn the_table_is_well_formed() {
    let mut seen = BTreeSet::new();
    for own in LIBRARIES.iter().chain(HEADERS) {
        let digits = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        assert!(own.sha256.len() == 64 && own.sha256.chars().all(digits), "{own:?}");
        assert!(own.version.contains(|c: char| c.is_ascii_digit()), "{own:?}");
        assert!(seen.insert((own.package, own.version)), "{own:?} is there twice");
    }
    let digests: BTreeSet<&str> = LIBRARIES.iter().chain(HEADERS).map(|own| own.sha256).collect();
    assert_eq!(digests.len(), seen.len(), "two rows have one digest");
}

#[test]
fn headers_come_on_top_of_libraries() {
    for release in Release::ALL {
        let count = |headers| match release.packages(headers) {
            Packages::Pinned(packages) => packages.len(),
            Packages::AsServed(packages) => packages.len(),
        };
        assert!(count(Headers::With) > count(Headers::Without), "{release}");
    }
}

#[test]
fn the_mirror_is_debians_own_repository() {
    let lines = "Debian|Debian-Security|main|http://a/security/\n\
                 Other|Debian|main|http://b/\n\
                 Debian|Debian|contrib|http://c/\n\
                 Debian|Debian|main|http://d/x|y/\n\
                 Debian|Debian|main|http://e/\n";
    assert_eq!(of_targets(lines), Some("http://d/x|y/"));
    assert_eq!(of_targets("$(ORIGIN)|$(LABEL)|main|http://flat/\n"), None);
    assert_eq!(of_targets(""), None);
}

#[test]
fn without_indices_the_mirror_is_what_apt_would_fetch() {
    let lines = "'http://a/apt/dists/nodistro/main/binary-amd64/Packages.gz' a 0 \n\
                 'http://b/tools/dists/bookworm/main/binary-amd64/Packages.xz' b 0 \n\
                 'http://c/debian/dists/bookworm/InRelease' c 0 \n\
                 'http://c/debian-security/dists/bookworm-security/main/binary-amd64/P.xz' c 0 \n\
                 'http://d/debian/dists/bookworm/main/binary-amd64/Packages.xz' d 0 \n";
    assert_eq!(of_update(lines), Some("http://d/debian"));
    let first: String = lines.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(of_update(&first), Some("http://b/tools"));
    assert_eq!(of_update("'http://u/ubuntu/dists/noble/main/binary-amd64/P.xz' u 0 \n"), None);
}

#[test]
fn a_source_names_its_keyring_if_there_is_one() {
    let mirror = |keyring: Option<&str>| Mirror {
        uri: "http://d/debian".to_owned(),
        keyring: keyring.map(Into::into),
    };
    assert_eq!(mirror(None).source("sid"), "deb [arch=amd64] http://d/debian sid main\n");
    assert_eq!(
        mirror(Some("/k.gpg")).source("sid"),
        "deb [arch=amd64 signed-by=/k.gpg] http://d/debian sid main\n"
    );
}

#[test]
fn a_configuration_carries_how_mirrors_are_reached_and_no_hook() {
    let machine = "APT::Update::Post-Invoke:: \"rm -f /var/cache/x\";\n\
                   Acquire \"\";\n\
                   Acquire::http \"\";\n\
                   Acquire::http::Proxy \"http://p:1/\";\n\
                   Acquire::Check-Valid-Until \"false\";\n\
                   Acquire::Languages:: \"de\";\n\
                   Acquire::IndexTargets::deb::Packages::MetaKey \"x\";\n";
    let text = configured(Path::new("/a b"), machine);
    assert!(text.contains("Dir::State::status \"/a b/status\";\n"), "{text}");
    assert!(text.contains("Acquire::Check-Valid-Until \"false\";\n"), "{text}");
    // After the defaults, so that the machine's word is the last.
    assert!(text.ends_with("Acquire::Check-Valid-Until \"false\";\n"), "{text}");
    assert!(text.contains("Acquire::http::Proxy \"http://p:1/\";\n"), "{text}");
    for not in ["Post-Invoke", "\"de\"", "IndexTargets", "\"\""] {
        assert!(!text.contains(not), "{not}: {text}");
    }
}

#[test]
fn the_reason_is_the_first_error() {
    assert_eq!(first_error("W: a\nE: b \nE: c\n"), Some("b"));
    assert_eq!(first_error("W: E: a\n"), None);
}

#[test]
fn a_file_name_says_what_it_holds() {
    let archive = Archive::at("/x/libllvm15_1%3a15.0.6-4+b1_amd64.deb".into()).expect("a package");
    assert_eq!((&*archive.package, &*archive.version), ("libllvm15", "1:15.0.6-4+b1"));
    for other in ["/x/lock", "/x/partial", "/x/a.deb"] {
        assert_eq!(Archive::at(other.into()), None, "{other}");
    }
}

#[test]
fn a_stamp_reads_as_it_was_written() {
    let versions = [("liba".to_owned(), "1:1".to_owned()), ("libb".to_owned(), "2".to_owned())];
    for headers in [Headers::With, Headers::Without] {
        let stamp = Stamp::new(headers, versions.clone().into_iter());
        assert_eq!(Stamp::parse(&stamp.text()), Some(stamp.clone()));
        assert_eq!(stamp.to_string(), "liba 1:1, libb 2");
    }
    assert_eq!(Stamp::parse(""), None);
    assert_eq!(Stamp::parse("libraries\nliba\n"), None);
}

#[test]
fn a_stamp_is_of_use_while_it_is_what_would_be_fetched() {
    let versions = |rows: &[Pinned]| -> Vec<(String, String)> {
        rows.iter().map(|own| (own.package.to_owned(), own.version.to_owned())).collect()
    };
    let serves = |have: Headers, versions: &[(String, String)], release, asked| {
        Stamp::new(have, versions.iter().cloned()).serves(release, asked)
    };
    let (with, without) = (Headers::With, Headers::Without);
    let all = versions(LIBRARIES);
    assert!(serves(without, &all, Release::V5_2, without));
    assert!(!serves(without, &all, Release::V5_2, with), "the headers are missing");
    assert!(!serves(with, &all, Release::V5_2, without), "it says that it has headers");
    let both = [all.clone(), versions(HEADERS)].concat();
    assert!(serves(with, &both, Release::V5_2, without));
    assert!(!serves(without, &all[1..], Release::V5_2, without), "a package is missing");
    let mut other = all.clone();
    other[0].1.push_str("+x");
    assert!(!serves(without, &other, Release::V5_2, without), "another build than in the table");
    assert!(serves(without, &other, Release::V6_4, without), "nothing of it is pinned");
}

#[test]
fn what_a_dead_process_left_is_abandoned() {
    let running = |process: &str| process == "17";
    assert!(abandoned(".partial-18-5.2", running));
    assert!(!abandoned(".partial-17-5.2", running));
    assert!(!abandoned("5.2", running));
}

#[test]
fn only_the_pinned_release_is_ever_required() {
    assert_eq!(Absence::of(Release::V5_2, "1"), Absence::Fails);
    for required in ["", "0"] {
        assert_eq!(Absence::of(Release::V5_2, required), Absence::Skips);
    }
    assert_eq!(Absence::of(Release::V6_1, "1"), Absence::Skips);
    assert_eq!(Absence::of(Release::V6_4, "1"), Absence::Skips);
}

#[test]
fn releases_are_asked_for_by_two_numbers() {
    assert_eq!(wanted("all"), Ok(Wanted::All));
    for release in Release::ALL {
        assert_eq!(wanted(release.name()), Ok(Wanted::One(release)));
    }
    assert!(wanted("5.3").is_err());
}
