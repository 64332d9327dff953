//! Standard output and standard error, either of which may be closed early.

use std::io::{self, IsTerminal, Write};

/// Whether text may be coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Colours {
    /// It may.
    On,
    /// It may not: not a terminal, or `NO_COLOR` is set (<https://no-color.org>).
    Off,
}

/// Who reads what is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    /// Somebody at a terminal.
    Person(Colours),
    /// A file or another program, for which a message is never broken: it may be searched for.
    Program,
}
impl Reader {
    /// Whether text may be coloured.
    pub(crate) fn colours(self) -> Colours {
        match self {
            Self::Person(colours) => colours,
            Self::Program => Colours::Off,
        }
    }
}

/// Standard output.
#[derive(Debug)]
pub(crate) struct Output {
    stdout: io::Stdout,
    reader: Reader,
    failure: Option<io::Error>,
}
impl Output {
    /// This process's.
    pub(crate) fn standard() -> Self {
        let stdout = io::stdout();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        let reader = match (stdout.is_terminal(), wanted) {
            (true, true) => Reader::Person(Colours::On),
            (true, false) => Reader::Person(Colours::Off),
            (false, _) => Reader::Program,
        };
        Self { stdout, reader, failure: None }
    }
    /// Who reads it.
    pub(crate) fn reader(&self) -> Reader {
        self.reader
    }
    /// Whether text may be coloured.
    pub(crate) fn colours(&self) -> Colours {
        self.reader.colours()
    }
    /// Prints `text`. Once nobody reads any more (`| head`), the rest is dropped without a word: the
    /// exit code tells what the text would have.
    pub(crate) fn print(&mut self, text: impl AsRef<str>) {
        let written = self.stdout.write_all(text.as_ref().as_bytes());
        match written.and_then(|()| self.stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => self.failure = Some(error),
            Ok(()) | Err(_) => {}
        }
    }
    /// Why not everything was printed, when somebody still reads.
    pub(crate) fn into_failure(self) -> Option<io::Error> {
        self.failure
    }
}

/// Prints `text` on standard error, if anybody reads that.
pub(crate) fn complain(text: impl AsRef<str>) {
    let _nobody_reads = io::stderr().write_all(text.as_ref().as_bytes());
}
