//! A state of apt of our own: it needs no privilege, and the machine's own packages are neither looked at
//! nor changed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use super::{
    Trouble, file,
    mirror::Mirror,
    pinned::Pinned,
    tool::{Tool, Words},
};
use crate::step::Failure;

/// Settings of the machine that do not concern how it reaches a mirror.
const NOT_CARRIED: [&str; 5] =
    ["IndexTargets", "Changelogs", "Languages", "CompressionTypes", "cdrom"];

/// One release of Debian, and no installed package at all: what is asked for is fetched with everything
/// that it depends on.
pub(super) struct Apt {
    configuration: PathBuf,
    archives: PathBuf,
}
impl Apt {
    /// A state in `directory`, which is made, with the index of `suite` fetched from `mirror`.
    pub(super) fn new(directory: &Path, mirror: &Mirror, suite: &str) -> Result<Self, Trouble> {
        let archives = directory.join("archives");
        for inside in ["lists/partial", "archives/partial", "parts"] {
            file::make(&directory.join(inside))?;
        }
        let configuration = directory.join("apt.conf");
        let machine = Tool::new("apt-config").run(Words::of("dump"))?;
        file::write(&directory.join("status"), "")?;
        file::write(&directory.join("sources.list"), &mirror.source(suite))?;
        file::write(&configuration, &configured(directory, &machine))?;
        let apt = Self { configuration, archives };
        match apt.tool("apt-get").run(Words::of("update")) {
            Ok(_) => Ok(apt),
            Err(Trouble::Unavailable(reason)) => Err(Trouble::Unavailable(format!(
                "{suite} cannot be reached on {}: {reason}",
                mirror.uri
            ))),
            Err(failed) => Err(failed),
        }
    }
    fn tool(&self, name: &'static str) -> Tool {
        Tool::new(name).configured(&self.configuration)
    }
    /// Fetches `packages` as they are served and all that they depend on.
    pub(super) fn fetch(&self, packages: &[&str]) -> Result<Vec<Archive>, Trouble> {
        let line = "install --download-only --yes --no-install-recommends";
        self.tool("apt-get").run(Words::of(line).and_all(packages))?;
        self.archives()
    }
    /// Fetches of each package a build that is pinned, and nothing else.
    pub(super) fn fetch_pinned(&self, pinned: &[&'static Pinned]) -> Result<Vec<Archive>, Trouble> {
        let names = pinned.iter().map(|own| own.package);
        let index = self.tool("apt-cache").run(Words::of("show").and_all(names))?;
        let chosen = choose(pinned, &served(&index))?;
        let exact = chosen.iter().map(|own| format!("{}={}", own.package, own.version));
        self.tool("apt-get").inside(&self.archives).run(Words::of("download").and_all(exact))?;
        let archives = self.archives()?;
        for own in chosen {
            // What apt fetched was compared with the index; here it is compared with the table.
            let of = |archive: &&Archive| archive.package == own.package;
            let digest = match archives.iter().find(of) {
                Some(archive) => digest(&archive.path)?,
                None => "no file".to_owned(),
            };
            if digest != own.sha256 {
                return Err(mismatch(own, &digest).into());
            }
        }
        Ok(archives)
    }
    fn archives(&self) -> Result<Vec<Archive>, Trouble> {
        let list = fs::read_dir(&self.archives);
        let list = list.map_err(|source| Failure::File { path: self.archives.clone(), source })?;
        let paths = list.filter_map(|entry| Some(entry.ok()?.path()));
        let mut archives: Vec<Archive> = paths.filter_map(Archive::at).collect();
        archives.sort();
        Ok(archives)
    }
}

/// The text of a configuration for a state in `directory`. `machine` is what `apt-config dump` prints: how
/// this machine reaches its mirrors (proxies, time limits, whether dates are checked) holds here too. Its
/// hooks do not, which is why its own files are not read.
pub(super) fn configured(directory: &Path, machine: &str) -> String {
    let at = |inside: &str| format!("\"{}\"", directory.join(inside).display());
    let mut text = format!(
        r#"Dir::Etc::main "/dev/null";
Dir::Etc::parts {parts};
Dir::Etc::sourcelist {sources};
Dir::Etc::sourceparts {parts};
Dir::State {own};
Dir::State::lists {lists};
Dir::State::status {status};
Dir::Cache {own};
Dir::Cache::archives {archives};
Dir::Log {own};
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
"#,
        parts = at("parts"),
        sources = at("sources.list"),
        own = at(""),
        lists = at("lists"),
        status = at("status"),
        archives = at("archives"),
    );
    for line in machine.lines() {
        let Some(option) = line.strip_prefix("Acquire::") else { continue };
        let carried = !NOT_CARRIED.iter().any(|name| option.starts_with(name));
        if carried && !option.ends_with(" \"\";") {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// A package's file, as apt names it: `package_version_architecture.deb`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Archive {
    /// Whose.
    pub(super) package: String,
    /// Its version, as Debian writes it.
    pub(super) version: String,
    /// The file.
    pub(super) path: PathBuf,
}
impl Archive {
    /// The one at `path`, if its name is a package's.
    pub(super) fn at(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".deb")?;
        let mut parts = name.split('_');
        let package = parts.next()?.to_owned();
        // No file name has the colon of an epoch.
        let version = parts.next()?.replace("%3a", ":");
        Some(Self { package, version, path })
    }
}

/// The builds that an index has: the digest of each, by package and version.
pub(super) type Served = BTreeMap<(String, String), String>;

/// Reads what `apt-cache show` prints.
pub(super) fn served(index: &str) -> Served {
    let paragraphs = index.split("\n\n").filter_map(|paragraph| {
        let field = |name| {
            let line =
                |line: &'_ str| Some(line.strip_prefix(name)?.strip_prefix(": ")?.to_owned());
            paragraph.lines().find_map(line)
        };
        Some(((field("Package")?, field("Version")?), field("SHA256")?))
    });
    paragraphs.collect()
}

/// Of each package, the pinned build that is served.
pub(super) fn choose<'a>(
    pinned: &[&'a Pinned],
    served: &Served,
) -> Result<Vec<&'a Pinned>, Trouble> {
    let mut chosen: Vec<&Pinned> = Vec::new();
    for (index, own) in pinned.iter().enumerate() {
        if chosen.iter().any(|other| other.package == own.package) {
            continue;
        }
        match served.get(&(own.package.to_owned(), own.version.to_owned())) {
            Some(digest) if digest == own.sha256 => chosen.push(own),
            Some(digest) => return Err(mismatch(own, digest).into()),
            None if pinned[index + 1..].iter().any(|other| other.package == own.package) => {}
            None => return Err(Trouble::Unavailable(missing(own, served))),
        }
    }
    Ok(chosen)
}

fn missing(own: &Pinned, served: &Served) -> String {
    let others = served.keys().filter(|(package, _)| package == own.package);
    let others: Vec<&str> = others.map(|(_, version)| version.as_str()).collect();
    let others = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
    format!("the mirror has no {} {}, which is pinned (it has {others})", own.package, own.version)
}

fn mismatch(own: &Pinned, digest: &str) -> Failure {
    Failure::Found(format!(
        "{} {} is not the file that is pinned: its SHA-256 is {digest}, not {}",
        own.package, own.version, own.sha256
    ))
}

/// The SHA-256 of a file.
fn digest(path: &Path) -> Result<String, Trouble> {
    let line = Tool::new("sha256sum").run(Words::of("--binary").and(path))?;
    Ok(line.split_whitespace().next().unwrap_or_default().to_owned())
}
