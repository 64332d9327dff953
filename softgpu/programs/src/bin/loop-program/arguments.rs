//! What the command line asks for.

/// Whose loop it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stack {
    /// AMD's HIP.
    Hip,
    /// Ringfence on AMD's HSA runtime.
    Ringfence,
}

/// Whether the events remember when they were reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Events {
    /// They do not.
    Plain,
    /// They do.
    Timed,
}

/// Where Ringfence has its signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signals {
    /// In the host's memory.
    Host,
    /// In the GPU's.
    Device,
}

/// How Ringfence finds finished work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// By retirement.
    Retiring,
    /// By loading each signal.
    Polling,
}

/// All of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arguments {
    pub(crate) stack: Stack,
    pub(crate) iterations: u32,
    pub(crate) events: Events,
    pub(crate) signals: Signals,
    pub(crate) finding: Finding,
}

impl Arguments {
    /// From the words behind the program's name.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        const USAGE: &str =
            "loop-program hip|ringfence ITERATIONS [--timed] [--device-signals] [--polling]";
        let stack = match words.next().as_deref() {
            Some("hip") => Stack::Hip,
            Some("ringfence") => Stack::Ringfence,
            _ => return Err(USAGE.to_owned()),
        };
        let number = words.next().and_then(|word| word.parse().ok()).filter(|number| *number > 0);
        let iterations = number.ok_or(USAGE)?;
        let (events, signals, finding) = (Events::Plain, Signals::Host, Finding::Retiring);
        let mut arguments = Self { stack, iterations, events, signals, finding };
        for word in words {
            match (word.as_str(), stack) {
                ("--timed", _) => arguments.events = Events::Timed,
                ("--device-signals", Stack::Ringfence) => arguments.signals = Signals::Device,
                ("--polling", Stack::Ringfence) => arguments.finding = Finding::Polling,
                _ => return Err(format!("{word}: unknown here; {USAGE}")),
            }
        }
        Ok(arguments)
    }
}
