//! Starting a test program again over one release of AMD's runtime, and the GPU in software.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// The release that `RINGFENCE_REQUIRE_ROCM=1` requires, here as in `cargo xtask rocm`.
const OLDEST: &str = "5.2";
/// A process that takes longer has hung.
const LIMIT: Duration = Duration::from_secs(150);

/// One release of AMD's runtime, and the GPU that it is run with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// `5.2`, `6.1` or `6.4`.
    pub name: &'static str,
    /// The GPU's name.
    pub gfx: &'static str,
}
/// Where what it needs lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    libraries: Vec<PathBuf>,
    softgpu: PathBuf,
    gfx: &'static str,
    name: &'static str,
}
impl Release {
    /// Where `cargo xtask rocm` and `cargo build --profile softgpu -p ringfence-softgpu` put them.
    ///
    /// # Errors
    /// What is missing, and how to get it.
    pub fn find(&self) -> Result<Places, String> {
        let target = target();
        let rocm = std::env::var_os("RINGFENCE_ROCM").map_or(target.join("rocm"), PathBuf::from);
        let root = rocm.join(self.name).join("root");
        let folders = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];
        let libraries: Vec<_> = folders
            .map(|folder| root.join(folder))
            .into_iter()
            .filter(|own| own.is_dir())
            .collect();
        let is_whole = libraries.iter().any(|own| own.join("libhsa-runtime64.so.1").exists());
        if !is_whole {
            return Err(format!(
                "ROCr {} is not in {}; `cargo xtask rocm` fetches it",
                self.name,
                rocm.display()
            ));
        }
        let softgpu = target.join("softgpu/libringfence_softgpu.so");
        let softgpu = std::env::var_os("RINGFENCE_SOFTGPU").map_or(softgpu, PathBuf::from);
        if !softgpu.exists() {
            return Err(format!(
                "{} is missing; `cargo build --profile softgpu -p ringfence-softgpu` makes it",
                softgpu.display()
            ));
        }
        Ok(Places { libraries, softgpu, gfx: self.gfx, name: self.name })
    }
}
/// Cargo's folder: this program lies in `<profile>/deps` there.
fn target() -> PathBuf {
    let program = std::env::current_exe().expect("this program's own place");
    program.ancestors().nth(3).map_or_else(|| PathBuf::from("target"), Path::to_owned)
}
/// A runtime that is not there: a line on the terminal, whatever becomes of a test's own output, and a failure
/// where it has to be there, which is said of the oldest release.
pub fn left_out(what: &str, release: &Release, why: &str) {
    let line = format!("SKIPPED 1: {what} on ROCm {}: {why}\n", release.name);
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
    let required = std::env::var("RINGFENCE_REQUIRE_ROCM").is_ok_and(|value| value == "1");
    assert!(!required || release.name != OLDEST, "RINGFENCE_REQUIRE_ROCM=1, and {why}");
}

impl Places {
    /// This program over the GPU in software: by the release's own loader where it brings its C library. The GPU is as hostile as
    /// can be.
    ///
    /// # Panics
    /// If the program's own place is unknown.
    #[must_use]
    pub fn command(&self) -> Command {
        let own = std::env::current_exe().expect("this program's own place");
        let joined = std::env::join_paths(&self.libraries).expect("no colon in a path");
        let mut command = over(self, joined, &own);
        command.env("RINGFENCE_SOFTGPU_GFX", self.gfx).env("RINGFENCE_SOFTGPU_PROFILE", "hostile");
        command
    }
    /// The release's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With this.
    Exit(ExitStatus),
    /// It was killed: it ran for longer than any program here needs.
    Hung,
}

/// Runs a program to its end: what became of it, and all that it said.
///
/// # Errors
/// It could not be started, or not be waited for.
pub fn end_of(mut command: Command) -> io::Result<(End, String)> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (said, all) = mpsc::channel();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as _),
        child.stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    for mut pipe in pipes.into_iter().flatten() {
        let said = said.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.read_to_end(&mut bytes);
            drop(read);
            said.send(String::from_utf8_lossy(&bytes).into_owned())
        });
    }
    drop(said);
    let mut output = String::new();
    let mut hung = false;
    for _ in 0..2 {
        match all.recv_timeout(LIMIT) {
            Ok(part) => output += &part,
            Err(_) => {
                hung = true;
                child.kill()?;
                output += &all.recv().unwrap_or_default();
            }
        }
    }
    let status = child.wait()?;
    Ok((if hung { End::Hung } else { End::Exit(status) }, output))
}

/// Runs a program that should end well.
///
/// # Errors
/// It failed, or hung: then with all that it said.
pub fn run_to_end(title: &str, command: Command) -> Result<(), String> {
    let (end, output) = end_of(command).map_err(|error| format!("{title}: {error}"))?;
    println!("{title}\n{output}");
    match end {
        End::Exit(status) if status.success() => Ok(()),
        End::Exit(status) => Err(format!("{title}: {status}\n{output}")),
        End::Hung => Err(format!("{title}: still running after {LIMIT:?}\n{output}")),
    }
}

fn over(places: &Places, joined: OsString, own: &Path) -> Command {
    let loader = places.libraries.iter().map(|folder| folder.join("ld-linux-x86-64.so.2"));
    match loader.into_iter().find(|loader| loader.exists()) {
        Some(loader) => {
            let mut command = Command::new(loader);
            command
                .arg("--preload")
                .arg(&places.softgpu)
                .arg("--library-path")
                .arg(joined)
                .arg(own);
            command
        }
        None => {
            let mut command = Command::new(own);
            command.env("LD_PRELOAD", &places.softgpu).env("LD_LIBRARY_PATH", joined);
            command
        }
    }
}
