//! Where the machine's own apt fetches Debian's packages from. No host is named here.

use std::path::{Path, PathBuf};

use super::{
    Trouble,
    tool::{Tool, Words},
};

/// A mirror for machines whose apt knows none, since their packages are not Debian's.
pub(super) const VARIABLE: &str = "RINGFENCE_DEBIAN_MIRROR";

/// What `apt-get indextargets` is asked to print, a line for each index that the machine has.
const TARGET: &str = "$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)";

/// Releases whose component `main` is nobody's but Debian's, wherever the mirror keeps it.
const SUITES: [&str; 9] = [
    "bullseye",
    "bookworm",
    "trixie",
    "forky",
    "sid",
    "stable",
    "oldstable",
    "testing",
    "unstable",
];

/// The keys of Debian's releases, where Debian (and Ubuntu's package of that name) puts them.
const KEYRINGS: [&str; 2] = [
    "/usr/share/keyrings/debian-archive-keyring.gpg",
    "/usr/share/keyrings/debian-archive-keyring.pgp",
];

/// A mirror of Debian.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Mirror {
    /// Its address.
    pub(super) uri: String,
    /// The keys that its releases are signed with; `None`: those that apt trusts anyway.
    pub(super) keyring: Option<PathBuf>,
}
impl Mirror {
    /// The one that [`VARIABLE`] names, or the one that the machine's apt uses.
    pub(super) fn of_this_machine() -> Result<Self, Trouble> {
        let uri = match std::env::var(VARIABLE) {
            Ok(uri) if !uri.is_empty() => uri,
            _ => own()?,
        };
        let keyring = KEYRINGS.iter().map(Path::new).find(|path| path.exists());
        Ok(Self { uri, keyring: keyring.map(Path::to_owned) })
    }
    /// The line of a list of sources that has `main` of the release `suite`.
    pub(super) fn source(&self, suite: &str) -> String {
        let signed = match &self.keyring {
            Some(keyring) => format!(" signed-by={}", keyring.display()),
            None => String::new(),
        };
        format!("deb [arch=amd64{signed}] {} {suite} main\n", self.uri)
    }
}

fn own() -> Result<String, Trouble> {
    let targets = Tool::new("apt-get").run(Words::of("indextargets --format").and(TARGET))?;
    if let Some(uri) = of_targets(&targets) {
        return Ok(uri.to_owned());
    }
    // Without indices, as in a fresh container, apt still says what it would fetch.
    let update = Tool::new("apt-get").run(Words::of("update --print-uris"))?;
    of_update(&update).map(str::to_owned).ok_or_else(|| {
        Trouble::Unavailable(format!(
            "apt of this machine names no mirror of Debian; set {VARIABLE} to the address of one"
        ))
    })
}

/// The address of Debian's main repository among lines of the form [`TARGET`].
pub(super) fn of_targets(lines: &str) -> Option<&str> {
    lines.lines().find_map(|line| {
        let mut fields = line.splitn(4, '|');
        let own = ["Debian", "Debian", "main"].iter().all(|&own| fields.next() == Some(own));
        fields.next().filter(|_| own)
    })
}

/// The same among the addresses that `apt-get update --print-uris` prints.
pub(super) fn of_update(lines: &str) -> Option<&str> {
    let repositories = lines.lines().filter_map(|line| {
        let uri = line.strip_prefix('\'')?.split('\'').next()?;
        let (repository, index) = uri.split_once("/dists/")?;
        let (suite, index) = index.split_once('/')?;
        let known = SUITES.contains(&suite) && index.starts_with("main/binary-amd64/");
        known.then_some(repository)
    });
    // Other publishers name their releases after Debian's; few call the repository `debian`.
    let mut repositories: Vec<&str> = repositories.collect();
    repositories.sort_by_key(|repository| !repository.ends_with("/debian"));
    repositories.first().copied()
}
