//! A newcomer's ten minutes: the commands of the README and the examples of the guide, as written, with an empty home and an empty
//! target folder.

mod fences;
#[cfg(test)]
mod tests;

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;

use self::fences::{Fence, fences};
use crate::{
    process::Program,
    step::{Failure, Outcome},
    tree::Tree,
};

const README: &str = "README.md";
const GUIDE: &str = "docs/embedding.md";
/// What takes longer than ten minutes.
const LONG: &str = "cargo xtask test";

/// How much of it.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Also the command that runs every test.
    #[arg(long)]
    all: bool,
}

/// Runs them all.
pub(crate) fn run(tree: &Tree, options: Options) -> Result<Outcome, Failure> {
    let place = Place::empty(tree)?;
    let mut left_out = 0;
    for command in commands(&tree.read(README)?) {
        if !is_whole(&command) || (command == LONG && !options.all) {
            println!("left out: {command}");
            left_out += 1;
            continue;
        }
        place.shell(tree, tree.root(), &command)?;
    }
    let guide = tree.read(GUIDE)?;
    let section = fences::section(&guide, "Ten minutes").ok_or_else(|| missing("its section"))?;
    let all = fences(section);
    let set_up = all.iter().find(|fence| fence.language == "sh");
    let set_up = set_up.ok_or_else(|| missing("its commands"))?;
    // Beside a checkout, which is called `ringfence` there.
    place.shell(tree, &place.beside, &set_up.text.replace('\n', " && "))?;
    let programs: Vec<&Fence> = all.iter().filter(|fence| fence.language == "rust").collect();
    if programs.is_empty() {
        return Err(missing("its programs"));
    }
    let package = place.beside.join("first");
    for program in programs {
        write(&package.join("src/main.rs"), &program.text)?;
        place.shell(tree, &package, "cargo run")?;
    }
    println!("{left_out} commands were left out");
    Ok(Outcome::Passed)
}

/// The commands of the README's first block of them.
fn commands(readme: &str) -> Vec<String> {
    let all = fences(readme);
    let first = all.iter().find(|fence| fence.language == "sh");
    let lines = first.into_iter().flat_map(|fence| fence.text.lines());
    // What follows a `#` is for the reader.
    let typed = lines.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned());
    typed.filter(|command| !command.is_empty()).collect()
}
/// Whether nothing is left for the reader to fill in.
fn is_whole(command: &str) -> bool {
    let blank = |word: &str| word.len() > 1 && word.chars().all(|char| char.is_ascii_uppercase());
    !command.split_whitespace().any(blank)
}
fn missing(what: &str) -> Failure {
    Failure::Found(format!("{GUIDE} is without {what}"))
}
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| Failure::File { path: path.to_owned(), source })
}

/// Where nothing is.
struct Place {
    home: PathBuf,
    target: PathBuf,
    /// The folder that a checkout lies in.
    beside: PathBuf,
}
impl Place {
    fn empty(tree: &Tree) -> Result<Self, Failure> {
        // Outside of the repository, as a newcomer's own crate is: inside, cargo takes it for one of the workspace.
        let root = std::env::temp_dir().join("ringfence-newcomer");
        let place = Self {
            home: root.join("home"),
            target: root.join("target"),
            beside: root.join("beside"),
        };
        let make = || {
            if root.exists() {
                fs::remove_dir_all(&root)?;
            }
            for folder in [&place.home, &place.target, &place.beside] {
                fs::create_dir_all(folder)?;
            }
            link(tree.root(), &place.beside.join("ringfence"))
        };
        make().map_err(|source| Failure::File { path: root.clone(), source })?;
        Ok(place)
    }
    /// Runs what one types. Tools and downloaded sources are where they were: they are no part of a checkout.
    fn shell(&self, tree: &Tree, at: &Path, line: &str) -> Result<(), Failure> {
        let kept = |name: &str, folder: &str| {
            let own = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
            let set = std::env::var(name).ok();
            set.unwrap_or_else(|| own.join(folder).to_string_lossy().into_owned())
        };
        let ran = Program::new(tree, "sh")
            .env("CARGO_HOME", &kept("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", &kept("RUSTUP_HOME", ".rustup"))
            .env("HOME", &self.home.to_string_lossy())
            .env("CARGO_TARGET_DIR", &self.target.to_string_lossy())
            .arguments(["-ec", &format!("cd '{}' && {line}", at.display())])
            .run();
        match ran {
            // It says so where there is no GPU.
            Err(Failure::Command { status, .. })
                if line.ends_with(" doctor") && status.code() == Some(1) =>
            {
                Ok(())
            }
            ran => ran.map(drop),
        }
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}
#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("a checkout cannot be linked here"))
}
