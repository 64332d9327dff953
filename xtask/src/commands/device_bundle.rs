//! What has to travel to a machine with a GPU and no Rust: the programs, and one script that runs them and keeps what they say.

#[cfg(test)]
mod tests;

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    process::{Presence, Program},
    step::{Failure, Outcome},
    tree::Tree,
};

/// In cargo's folder.
const FOLDER: &str = "device-bundle";
/// The script, as it travels.
const SCRIPT: &str = include_str!("device_bundle/run.sh");
/// The most that all of it may be: 64 MiB, with room for the way it travels.
const MOST: u64 = 60 << 20;
/// The command line, in cargo's folder of builds with the profile `softgpu`: optimised, and without debug information.
const RINGFENCE: &str = "softgpu/ringfence";
/// The conformance suite, and the tests that need a GPU: each with its package.
const TESTS: [(&str, &str); 3] = [
    ("ringfence-tests", "conformance_cuda"),
    ("ringfence-cuda", "pool"),
    ("ringfence-cuda", "streams"),
];

/// Builds all of it into `target/device-bundle`.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, Failure> {
    // The figures name it; there is no repository where they are measured.
    let commit = Program::new(tree, "git").arguments(["rev-parse", "HEAD"]).output()?;
    let _ = Program::cargo(tree, "build --profile softgpu --package ringfence-cli")
        .env("RINGFENCE_COMMIT", commit.trim())
        .run()?;
    let folder = tree.target(FOLDER);
    // Nothing of an earlier bundle travels.
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(at(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    place(tree, &tree.target(RINGFENCE), &folder.join("ringfence"))?;
    for (package, name) in TESTS {
        // They count nothing in time: the build that a desk has anyway will do.
        let line = format!("test --package {package} --test {name} --no-run --message-format json");
        let said = Program::cargo(tree, &line).output()?;
        let built = executable(&said, name).ok_or_else(|| {
            Failure::Found(format!("cargo did not say where it built the test `{name}`"))
        })?;
        place(tree, &built, &folder.join(name))?;
    }
    let script = folder.join("run.sh");
    fs::write(&script, SCRIPT).map_err(at(&script))?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(at(&script))?;
    let mut bytes = 0;
    for entry in fs::read_dir(&folder).map_err(at(&folder))? {
        bytes += entry.and_then(|entry| entry.metadata()).map_err(at(&folder))?.len();
    }
    println!(
        "{}: {:.1} MiB; there, run.sh runs it all",
        folder.display(),
        bytes as f64 / 1048576.0
    );
    if bytes > MOST {
        return Err(Failure::Found(format!(
            "{bytes} bytes are more than the {MOST} that may travel"
        )));
    }
    Ok(Outcome::Passed)
}

/// Copies a program, without its symbols where there is a `strip`.
fn place(tree: &Tree, from: &Path, to: &Path) -> Result<(), Failure> {
    if Program::new(tree, "strip").arguments(["--version"]).presence() == Presence::Here {
        let arguments = ["-o".as_ref(), to.as_os_str(), from.as_os_str()];
        let _ = Program::new(tree, "strip").arguments(arguments).run()?;
    } else {
        let _bytes = fs::copy(from, to).map_err(at(from))?;
    }
    Ok(())
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.to_owned();
    |source| Failure::File { path, source }
}

/// Where cargo built the test `name`, by its messages, one JSON object a line.
fn executable(said: &str, name: &str) -> Option<PathBuf> {
    said.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let of_it = message["reason"] == "compiler-artifact" && message["target"]["name"] == name;
        message["executable"].as_str().filter(|_| of_it).map(PathBuf::from)
    })
}
