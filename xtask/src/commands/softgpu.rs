//! Any program over the GPU in software, with AMD's runtime fetched if need be.

#[cfg(test)]
mod tests;

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use clap::Args;

use crate::{
    commands::rocm::{self, Fetched, Headers, Release, Runtime},
    process::Program,
    step::Failure,
    tree::Tree,
};

/// The library, in cargo's folder of builds with the profile `softgpu`.
const LIBRARY: &str = "softgpu/libringfence_softgpu.so";
/// How the names of its settings begin.
const PREFIX: &str = "RINGFENCE_SOFTGPU_";

/// What runs, and over what.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// The release of AMD's runtime.
    #[arg(long, default_value = "5.2")]
    rocm: Release,
    /// Settings of the GPU, such as GPUS=2 GFX=gfx942: the part of the variable's name after
    /// RINGFENCE_SOFTGPU_.
    #[arg(long, value_name = "NAME=VALUE", num_args = 1.., value_parser = setting)]
    settings: Vec<Setting>,
    /// The program and its arguments, after `--`.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// One variable of the environment.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Setting {
    name: String,
    value: String,
}

fn setting(typed: &str) -> Result<Setting, String> {
    let (name, value) = typed.split_once('=').ok_or("a setting is written NAME=VALUE")?;
    let name = name.to_ascii_uppercase();
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(letters) {
        return Err(format!("`{name}` is no name of a setting"));
    }
    let name = if name.starts_with(PREFIX) { name } else { format!("{PREFIX}{name}") };
    Ok(Setting { name, value: value.to_owned() })
}

/// Becomes the command. Returns only if that cannot be, with the reason on standard error; what cargo and
/// apt have to say goes there too, so that standard output is the command's own.
pub(crate) fn run(tree: &Tree, options: &Options) -> ExitCode {
    let Err(failure) = start(tree, options);
    eprintln!("error: {failure}");
    ExitCode::FAILURE
}

fn start(tree: &Tree, options: &Options) -> Result<Infallible, Failure> {
    let (name, arguments) = options
        .command
        .split_first()
        .ok_or_else(|| Failure::Found("there is no command after `--`".to_owned()))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = look_up(name, &path).map_err(Failure::Found)?;
    let runtime = match rocm::fetch(tree, options.rocm, Headers::Without)? {
        Fetched::Here(runtime) => runtime,
        Fetched::Unavailable(reason) => return Err(Failure::Found(reason)),
    };
    if runtime.loader().is_some() {
        is_loadable(&program).map_err(Failure::Found)?;
    }
    let build = "build --quiet --profile softgpu --package ringfence-softgpu";
    let _ = Program::cargo(tree, build).output()?;
    let users = |name: &str| std::env::var_os(name);
    let launch = Launch::new(&Places::of(&runtime, tree)?, &program, users);
    let mut command = Command::new(&launch.program);
    command.args(launch.first).args(arguments).envs(launch.variables);
    command.envs(options.settings.iter().map(|own| (&own.name, &own.value)));
    // The command's exit status, and the signals that it gets, are its own.
    let source = command.exec();
    Err(Failure::Start { command: program.display().to_string(), source })
}

/// What precedes the path of a program that is started over the library, as cargo wants its runners: words
/// without blanks.
pub(crate) fn runner(runtime: &Runtime, tree: &Tree) -> Result<String, Failure> {
    let launch = Launch::new(&Places::of(runtime, tree)?, Path::new("PROGRAM"), |_| None);
    let text = |word: &OsStr| word.to_string_lossy().into_owned();
    let words = if launch.variables.is_empty() {
        let first = launch.first.iter().take(launch.first.len() - 1).map(|word| text(word));
        std::iter::once(text(launch.program.as_os_str())).chain(first).collect::<Vec<_>>()
    } else {
        let set = |(name, value): &(&str, OsString)| format!("{name}={}", text(value));
        std::iter::once("env".to_owned()).chain(launch.variables.iter().map(set)).collect()
    };
    Ok(words.join(" "))
}

/// How a program is started over the library.
#[derive(PartialEq, Eq, Debug)]
struct Launch {
    /// What is executed.
    program: PathBuf,
    /// What precedes the arguments of the user.
    first: Vec<OsString>,
    /// Variables of the environment.
    variables: Vec<(&'static str, OsString)>,
}
impl Launch {
    /// `users` are the variables that are set already.
    fn new(places: &Places, program: &Path, users: impl Fn(&str) -> Option<OsString>) -> Self {
        let Places { libraries, loader, softgpu } = places;
        match loader {
            // It came with its own C library, which only its own loader can start. What the program itself
            // executes gets neither, and /proc/self/exe is the loader.
            Some(loader) => Self {
                program: loader.clone(),
                first: vec![
                    "--preload".into(),
                    softgpu.into(),
                    "--library-path".into(),
                    joined(libraries),
                    program.into(),
                ],
                variables: Vec::new(),
            },
            // The host's C library, which has to be Debian 12's (2.36) or newer. What the program executes
            // inherits all this.
            None => {
                let before = |name, own: OsString| {
                    let users = users(name).filter(|users| !users.is_empty());
                    (name, joined([Some(own), users].into_iter().flatten()))
                };
                Self {
                    program: program.to_owned(),
                    first: Vec::new(),
                    variables: vec![
                        before("LD_PRELOAD", softgpu.into()),
                        before("LD_LIBRARY_PATH", joined(libraries)),
                    ],
                }
            }
        }
    }
}

/// What a launch needs to know of the disk.
struct Places {
    /// The folders with the runtime's libraries.
    libraries: Vec<PathBuf>,
    /// The loader of the runtime's own C library, where it came with one.
    loader: Option<PathBuf>,
    /// The library that is the GPU.
    softgpu: PathBuf,
}
impl Places {
    fn of(runtime: &Runtime, tree: &Tree) -> Result<Self, Failure> {
        let softgpu = tree.target(LIBRARY);
        // The loader splits its lists there, and has no way to quote.
        if softgpu.as_os_str().as_encoded_bytes().iter().any(|byte| b" :".contains(byte)) {
            return Err(Failure::Found(format!(
                "{}: no library can be preloaded whose path has a blank or a colon",
                softgpu.display()
            )));
        }
        Ok(Self { libraries: runtime.libraries(), loader: runtime.loader(), softgpu })
    }
}

fn joined<P: AsRef<OsStr>>(parts: impl IntoIterator<Item = P>) -> OsString {
    let parts: Vec<OsString> = parts.into_iter().map(|part| part.as_ref().to_owned()).collect();
    parts.join(OsStr::new(":"))
}

/// The program `name`, by the rules of a shell.
fn look_up(name: &OsStr, path: &OsStr) -> Result<PathBuf, String> {
    let named = Path::new(name);
    let found = if named.components().count() > 1 {
        Some(named.to_owned()).filter(|place| is_executable(place))
    } else {
        let places = std::env::split_paths(path).map(|folder| folder.join(named));
        places.into_iter().find(|place| is_executable(place))
    };
    found.ok_or_else(|| format!("there is no program `{}`", named.display()))
}

/// Whether a loader can start `program`: unlike the kernel, it knows no scripts.
fn is_loadable(program: &Path) -> Result<(), String> {
    let mut start = [0; 4];
    let name = program.display();
    match File::open(program).and_then(|mut file| file.read_exact(&mut start)) {
        Ok(()) if start == *b"\x7fELF" => Ok(()),
        Ok(()) if start.starts_with(b"#!") => Err(format!(
            "`{name}` is a script, which this release's own loader cannot start: name the program that runs \
             it, and the script as its argument"
        )),
        Ok(()) => Err(format!("`{name}` is no program that a loader can start")),
        Err(source) => Err(format!("{name}: {source}")),
    }
}

fn is_executable(place: &Path) -> bool {
    place.metadata().is_ok_and(|own| own.is_file() && own.permissions().mode() & 0o111 != 0)
}
