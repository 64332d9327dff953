//! AMD's user-mode runtime, fetched as Debian's packages and unpacked into `target/rocm`. Nothing is installed,
//! and no privilege is needed.

mod apt;
mod file;
mod mirror;
mod pinned;
mod release;
#[cfg(test)]
mod tests;
mod tool;
mod unpacked;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use self::{
    apt::Apt,
    mirror::Mirror,
    release::Packages,
    unpacked::{Partial, Stamp},
};
pub(crate) use self::{
    release::{Headers, Release},
    unpacked::Runtime,
};
use crate::{
    step::{Failure, Outcome, Step},
    tree::Tree,
};

/// The variable that tells tests where the runtimes are.
pub(crate) const FOLDER: &str = "RINGFENCE_ROCM";
/// The variable that makes it an error when the oldest release cannot be had.
const REQUIRED: &str = "RINGFENCE_REQUIRE_ROCM";

/// Which releases are fetched.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// 5.2, 6.1, 6.4 or all. Of all, those that cannot be had are skipped.
    #[arg(long, default_value = "all", value_parser = wanted)]
    rocm: Wanted,
    /// The development packages too.
    #[arg(long)]
    headers: bool,
}
impl Default for Options {
    fn default() -> Self {
        Self { rocm: Wanted::All, headers: false }
    }
}

/// What `--rocm` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    All,
    One(Release),
}

fn wanted(typed: &str) -> Result<Wanted, String> {
    match typed {
        "all" => Ok(Wanted::All),
        one => Release::from_str(one, false)
            .map(Wanted::One)
            .map_err(|_| "the releases are 5.2, 6.1, 6.4 and all".to_owned()),
    }
}

/// Where the runtimes are unpacked, each in a folder of its name.
pub(crate) fn folder(tree: &Tree) -> PathBuf {
    tree.target("rocm")
}

/// One step a release.
pub(crate) fn steps(options: &Options) -> Vec<Step> {
    let headers = if options.headers { Headers::With } else { Headers::Without };
    let step = |release: Release, absence| {
        Step::new(format!("AMD's runtime {release}"), move |tree| {
            match (fetch(tree, release, headers)?, absence) {
                (Fetched::Here(runtime), _) => {
                    println!("{}: {}", runtime.folder().display(), runtime.versions());
                    Ok(Outcome::Passed)
                }
                (Fetched::Unavailable(reason), Absence::Skips) => Ok(Outcome::Skipped(reason)),
                (Fetched::Unavailable(reason), Absence::Fails) => Err(Failure::Found(reason)),
            }
        })
    };
    match options.rocm {
        Wanted::One(release) => vec![step(release, Absence::Fails)],
        Wanted::All => {
            let required = std::env::var(REQUIRED).unwrap_or_default();
            Release::ALL.map(|release| step(release, Absence::of(release, &required))).into()
        }
    }
}

/// What it means that a release cannot be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Absence {
    Skips,
    Fails,
}
impl Absence {
    /// Where every release was asked for, `required` being the value of [`REQUIRED`]. The newer releases are
    /// not pinned and may be gone from their suites on any day: only the oldest is ever required.
    fn of(release: Release, required: &str) -> Self {
        match (release, required) {
            (Release::V5_2, required) if !["", "0"].contains(&required) => Self::Fails,
            _ => Self::Skips,
        }
    }
}

/// What came of asking for a release.
#[must_use]
pub(crate) enum Fetched {
    /// It is unpacked.
    Here(Runtime),
    /// It cannot be had here, with the reason: apt, its mirror or the release is out of reach.
    Unavailable(String),
}

/// Fetches and unpacks a release, unless that has been done. Says on standard error what it does.
///
/// # Errors
///
/// If a file cannot be written, or a package is not what is pinned.
pub(crate) fn fetch(tree: &Tree, release: Release, headers: Headers) -> Result<Fetched, Failure> {
    match fetch_or_trouble(tree, release, headers) {
        Ok(runtime) => Ok(Fetched::Here(runtime)),
        Err(Trouble::Unavailable(reason)) => Ok(Fetched::Unavailable(reason)),
        Err(Trouble::Failed(failure)) => Err(failure),
    }
}

fn fetch_or_trouble(tree: &Tree, release: Release, headers: Headers) -> Result<Runtime, Trouble> {
    let folder = folder(tree);
    if let Some(runtime) = Runtime::find(&folder, release, headers) {
        return Ok(runtime);
    }
    if (std::env::consts::OS, std::env::consts::ARCH) != ("linux", "x86_64") {
        return Err(Trouble::Unavailable("AMD's runtime is for Linux on x86-64".to_owned()));
    }
    let mirror = Mirror::of_this_machine()?;
    eprintln!("fetching AMD's runtime {release} ({} on {})", release.suite(), mirror.uri);
    let partial = Partial::new(&folder, release)?;
    let apt = Apt::new(&partial.path().join("apt"), &mirror, release.suite())?;
    let archives = match release.packages(headers) {
        Packages::Pinned(packages) => apt.fetch_pinned(&packages)?,
        Packages::AsServed(packages) => apt.fetch(&packages)?,
    };
    let versions = archives.iter().map(|own| (own.package.clone(), own.version.clone()));
    let stamp = Stamp::new(headers, versions);
    eprintln!("unpacking {} packages", archives.len());
    for archive in &archives {
        partial.unpack(&archive.path)?;
    }
    let find = || Runtime::find(&folder, release, headers);
    // Another program may have fetched it meanwhile, and be using it.
    if find().is_none() {
        let finished = partial.finish(&stamp);
        find().map_or(finished, |_| Ok(()))?;
    }
    find().ok_or_else(|| {
        Failure::Found(format!("the packages of AMD's runtime {release} lack its libraries")).into()
    })
}

/// Why a release is not there.
#[derive(Debug)]
enum Trouble {
    /// It cannot be had here.
    Unavailable(String),
    /// Something broke.
    Failed(Failure),
}
impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}
