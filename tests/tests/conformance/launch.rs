//! Starting this program again over a runtime.

use std::process::Command;

use ringfence_tests::{
    conformance::{HsaSubject, Losing},
    launch::{self, Places},
};

pub(crate) use ringfence_tests::launch::Release;

/// What tells a process its part.
const PART: &str = "RINGFENCE_CONFORMANCE_PART";

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
        let own = || Command::new(std::env::current_exe().expect("this program's own place"));
        let mut command = self.places.map_or_else(own, Places::command);
        command.args(["--exact", "part_of_the_suite", "--ignored", "--nocapture"]);
        command.env(PART, self.part.name());
        if let Some(gpus) = self.gpus {
            let set = |name: &str| format!("RINGFENCE_SOFTGPU_{name}");
            command.env(set("GPUS"), gpus.to_string());
            if let Part::One(_, Losing::ByPackets) = self.part {
                command.env(set("FAULT_PACKET"), HsaSubject::FAULT_AT.to_string());
            }
        }
        command
    }
    fn title(&self) -> String {
        let gpus = self.gpus.map_or(String::new(), |gpus| format!(", {gpus} GPUs"));
        let runtime = self.places.map_or("the machine's own", Places::name);
        format!("ROCr {runtime}{gpus}, {}", self.part.name())
    }
    /// Its end: on failure, what it said.
    pub(crate) fn wait(&self) -> Result<(), String> {
        launch::run_to_end(&self.title(), self.command())
    }
}
