//! The folder of one release: whole or not there.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use super::{
    Headers, Release, Trouble, file,
    pinned::{self, Pinned},
    tool::{Tool, Words},
};
use crate::step::Failure;

/// The file in a release's folder that says what was unpacked.
const STAMP: &str = "versions";
/// The folder beside it that the packages are unpacked into.
const ROOT: &str = "root";
/// How the names of folders begin that are being filled; the number of the process follows.
const PARTIAL: &str = ".partial-";
/// What becomes a release's folder, inside of such a one.
const WHOLE: &str = "whole";
/// Where Debian puts libraries: here, and for some of those that a boot needs, in the second.
const LIBRARIES: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];

/// A release that is unpacked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Runtime {
    folder: PathBuf,
    stamp: Stamp,
}
impl Runtime {
    /// The one in `folder`, if it is whole and as it would be fetched now.
    pub(super) fn find(folder: &Path, release: Release, headers: Headers) -> Option<Self> {
        let folder = folder.join(release.name());
        let stamp = Stamp::parse(&fs::read_to_string(folder.join(STAMP)).ok()?)?;
        let runtime = Self { folder, stamp };
        let whole =
            runtime.libraries().iter().any(|own| own.join("libhsa-runtime64.so.1").exists());
        (whole && runtime.stamp.serves(release, headers)).then_some(runtime)
    }
    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
    /// The folders with its libraries.
    pub(crate) fn libraries(&self) -> Vec<PathBuf> {
        let root = self.folder.join(ROOT);
        LIBRARIES.map(|inside| root.join(inside)).into_iter().filter(|own| own.is_dir()).collect()
    }
    /// The loader that belongs to its C library; a release that uses the host's has none.
    pub(crate) fn loader(&self) -> Option<PathBuf> {
        let places = self.libraries().into_iter().map(|own| own.join("ld-linux-x86-64.so.2"));
        places.into_iter().find(|loader| loader.exists())
    }
    /// What was unpacked, in one line.
    pub(crate) fn versions(&self) -> &impl fmt::Display {
        &self.stamp
    }
}

/// What was unpacked: packages and their versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    headers: Headers,
    versions: Vec<(String, String)>,
}
impl Stamp {
    pub(super) fn new(headers: Headers, versions: impl Iterator<Item = (String, String)>) -> Self {
        Self { headers, versions: versions.collect() }
    }
    /// Reads what [`text`](Self::text) writes; `None`: another program's.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let headers = match lines.next()? {
            "libraries" => Headers::Without,
            "libraries and headers" => Headers::With,
            _ => return None,
        };
        let versions = lines.map(|line| {
            let (package, version) = line.split_once(' ')?;
            Some((package.to_owned(), version.to_owned()))
        });
        Some(Self { headers, versions: versions.collect::<Option<_>>()? })
    }
    /// A line that says whether there are headers, and one for each package.
    pub(super) fn text(&self) -> String {
        let first = match self.headers {
            Headers::Without => "libraries\n",
            Headers::With => "libraries and headers\n",
        };
        let lines = self.versions.iter().map(|(package, version)| format!("{package} {version}\n"));
        first.to_owned() + &lines.collect::<String>()
    }
    /// Whether it is what would be fetched now. What is not pinned stays as it was fetched.
    pub(super) fn serves(&self, release: Release, headers: Headers) -> bool {
        let enough = self.headers == Headers::With || headers == Headers::Without;
        enough && (release != Release::V5_2 || self.is_pinned())
    }
    /// Whether every package of the table is there, in a build that the table has, and no other.
    fn is_pinned(&self) -> bool {
        let tables: &[&[Pinned]] = match self.headers {
            Headers::Without => &[pinned::LIBRARIES],
            Headers::With => &[pinned::LIBRARIES, pinned::HEADERS],
        };
        let mut rows = tables.iter().copied().flatten();
        let has = |own: &Pinned| self.versions.iter().any(|(package, _)| package == own.package);
        let known = |(package, version): &(String, String)| {
            let mut rows = tables.iter().copied().flatten();
            rows.any(|own| own.package == package && own.version == version)
        };
        rows.all(has) && self.versions.iter().all(known)
    }
}
impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (package, version)) in self.versions.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{package} {version}")?;
        }
        Ok(())
    }
}

/// A release that is being unpacked, in a folder that no reader looks at. Removed when dropped; what a
/// run left that was killed, the next one removes.
pub(super) struct Partial {
    /// The folder of all releases.
    folder: PathBuf,
    release: Release,
    own: PathBuf,
}
impl Partial {
    /// An empty one.
    pub(super) fn new(folder: &Path, release: Release) -> Result<Self, Failure> {
        file::make(folder)?;
        let entries = fs::read_dir(folder);
        let entries =
            entries.map_err(|source| Failure::File { path: folder.to_owned(), source })?;
        for entry in entries.flatten() {
            if abandoned(&entry.file_name().to_string_lossy(), running) {
                file::remove(&entry.path())?;
            }
        }
        let own = folder.join(format!("{PARTIAL}{}-{}", std::process::id(), release.name()));
        file::make(&own.join(WHOLE).join(ROOT))?;
        Ok(Self { folder: folder.to_owned(), release, own })
    }
    /// Its folder, for what is needed on the way.
    pub(super) fn path(&self) -> &Path {
        &self.own
    }
    /// Unpacks a package.
    pub(super) fn unpack(&self, archive: &Path) -> Result<(), Trouble> {
        let root = self.own.join(WHOLE).join(ROOT);
        Tool::new("dpkg").run(Words::of("-x").and(archive).and(root)).map(drop)
    }
    /// Puts it where readers look, in one step, in place of what is there.
    pub(super) fn finish(self, stamp: &Stamp) -> Result<(), Failure> {
        let whole = self.own.join(WHOLE);
        file::write(&whole.join(STAMP), &stamp.text())?;
        let place = self.folder.join(self.release.name());
        file::remove(&place)?;
        file::rename(&whole, &place)
    }
}
impl Drop for Partial {
    fn drop(&mut self) {
        if let Err(failure) = file::remove(&self.own) {
            eprintln!("note: {failure}");
        }
    }
}

/// Whether a file of this name was left by a program that no longer runs.
pub(super) fn abandoned(name: &str, running: impl Fn(&str) -> bool) -> bool {
    let process = name.strip_prefix(PARTIAL).and_then(|rest| rest.split('-').next());
    process.is_some_and(|process| !running(process))
}
fn running(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}
