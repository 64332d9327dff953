//! Starting this program again over a runtime.

use std::{
    ffi::OsString,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use ringfence_tests::conformance::{HsaSubject, Losing};

/// What tells a process its part.
const PART: &str = "RINGFENCE_CONFORMANCE_PART";
/// The release that `RINGFENCE_REQUIRE_ROCM=1` requires, here as in `cargo xtask rocm`.
const OLDEST: &str = "5.2";
/// A process that takes longer has hung.
const LIMIT: Duration = Duration::from_secs(150);

/// One release of AMD's runtime, and the GPU that it is run with.
pub(crate) struct Release {
    pub(crate) name: &'static str,
    pub(crate) gfx: &'static str,
}
/// Where what it needs lies.
pub(crate) struct Places {
    libraries: Vec<PathBuf>,
    softgpu: PathBuf,
    gfx: &'static str,
    name: &'static str,
}
impl Release {
    /// Where `cargo xtask rocm` and `cargo build --profile softgpu -p ringfence-softgpu` put them.
    pub(crate) fn find(&self) -> Result<Places, String> {
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
pub(crate) fn left_out(release: &Release, why: &str) {
    let line = format!("SKIPPED 1: conformance on ROCr {}: {why}\n", release.name);
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
    let required = std::env::var("RINGFENCE_REQUIRE_ROCM").is_ok_and(|value| value == "1");
    assert!(!required || release.name != OLDEST, "RINGFENCE_REQUIRE_ROCM=1, and {why}");
}

/// What one process runs.
pub(crate) enum Part {
    /// All tests that leave the device working.
    Working,
    /// Backends with one thing wrong.
    Teeth,
    /// One of the others.
    One(&'static str, Losing),
}
/// The same, as the process is told.
pub(crate) enum Left {
    Working,
    Teeth,
    One(String, Losing),
}
impl Part {
    fn name(&self) -> String {
        match self {
            Self::Working => "working".to_owned(),
            Self::Teeth => "teeth".to_owned(),
            Self::One(name, Losing::ByReport) => format!("{name}:report"),
            Self::One(name, Losing::ByPackets) => format!("{name}:packets"),
        }
    }
    /// This process's.
    pub(crate) fn told() -> Option<Left> {
        let part = std::env::var(PART).ok()?;
        Some(match part.split_once(':') {
            None if part == "teeth" => Left::Teeth,
            None => Left::Working,
            Some((name, "packets")) => Left::One(name.to_owned(), Losing::ByPackets),
            Some((name, _)) => Left::One(name.to_owned(), Losing::ByReport),
        })
    }
}

/// One process over a runtime; without places, over the machine's own.
pub(crate) struct Run<'a> {
    pub(crate) places: Option<&'a Places>,
    pub(crate) gpus: Option<u32>,
    pub(crate) part: Part,
}
impl Run<'_> {
    fn command(&self) -> Command {
        let own = std::env::current_exe().expect("this program's own place");
        let mut command = match self.places {
            None => Command::new(own),
            Some(places) => {
                let joined = std::env::join_paths(&places.libraries).expect("no colon in a path");
                over(places, joined, &own)
            }
        };
        command.args(["--exact", "part_of_the_suite", "--ignored", "--nocapture"]);
        command.env(PART, self.part.name());
        if let Some((places, gpus)) = self.places.zip(self.gpus) {
            let set = |name: &str| format!("RINGFENCE_SOFTGPU_{name}");
            command.env(set("GFX"), places.gfx).env(set("GPUS"), gpus.to_string());
            command.env(set("PROFILE"), "hostile");
            if let Part::One(_, Losing::ByPackets) = self.part {
                command.env(set("FAULT_PACKET"), HsaSubject::FAULT_AT.to_string());
            }
        }
        command
    }
    fn title(&self) -> String {
        let gpus = self.gpus.map_or(String::new(), |gpus| format!(", {gpus} GPUs"));
        let runtime = self.places.map_or("the machine's own", |places| places.name);
        format!("ROCr {runtime}{gpus}, {}", self.part.name())
    }
    /// Its end: on failure, what it said.
    pub(crate) fn wait(&self) -> Result<(), String> {
        let title = self.title();
        let mut child = self
            .command()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{title}: {error}"))?;
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
                    child.kill().map_err(|error| format!("{title}: {error}"))?;
                    output += &all.recv().unwrap_or_default();
                }
            }
        }
        let status = child.wait().map_err(|error| format!("{title}: {error}"))?;
        println!("{title}\n{output}");
        match (hung, status.success()) {
            (false, true) => Ok(()),
            (true, _) => Err(format!("{title}: still running after {LIMIT:?}\n{output}")),
            (false, false) => Err(format!("{title}: {status}\n{output}")),
        }
    }
}

/// This program over the GPU in software: by the release's own loader where it brings its C library.
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
