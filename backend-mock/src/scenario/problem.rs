//! What is wrong with a scenario file: each fault with its place and, where there is one, the word
//! that was probably meant.

use std::{fmt, ops::Range, sync::Arc};

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// A file's text under the name that messages show.
pub type Text = Arc<NamedSource<String>>;

/// A place in a file, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}
impl Place {
    /// The place of byte `offset` of `text`.
    pub fn of(text: &str, offset: usize) -> Self {
        let at = offset.min(text.len());
        let start_of_char = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..start_of_char];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One fault of a file.
#[derive(Clone, Debug)]
pub struct Problem {
    message: String,
    label: String,
    help: Option<String>,
    span: Range<usize>,
    text: Text,
}
impl Problem {
    /// What is wrong, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// What to do about it, when that is known.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
    /// Where it is.
    pub fn place(&self) -> Place {
        Place::of(self.text.inner(), self.span.start)
    }
}
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.text.name(), self.place(), self.message)
    }
}
impl std::error::Error for Problem {}
impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_with_span(Some(self.label.clone()), self.span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// A file that is no scenario, with everything that is wrong with it.
#[derive(Clone, Debug)]
pub struct Rejected {
    file: String,
    problems: Vec<Problem>,
}
impl Rejected {
    /// Each fault, in the order of the file; at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.len() {
            1 => write!(f, "{} is not a scenario: one fault", self.file),
            n => write!(f, "{} is not a scenario: {n} faults", self.file),
        }
    }
}
impl std::error::Error for Rejected {}
impl Diagnostic for Rejected {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}

/// Collects faults, so that one reading of a file shows all of them.
#[derive(Debug)]
pub(crate) struct Faults {
    text: Text,
    found: Vec<Problem>,
}
impl Faults {
    /// None found yet in the file called `file`.
    pub(crate) fn new(file: &str, text: &str) -> Self {
        Self { text: Arc::new(NamedSource::new(file, text.to_owned())), found: Vec::new() }
    }
    /// Adds a fault.
    pub(crate) fn add(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        let problem = Problem {
            message: message.into(),
            label: label.into(),
            help,
            span,
            text: self.text.clone(),
        };
        self.found.push(problem);
    }
    /// The file's text.
    pub(crate) fn text(&self) -> Text {
        self.text.clone()
    }
    /// The faults, unless there are none.
    pub(crate) fn verdict(&mut self) -> Result<(), Rejected> {
        if self.found.is_empty() {
            return Ok(());
        }
        let mut problems = std::mem::take(&mut self.found);
        problems.sort_by_key(|problem| problem.span.start);
        Err(Rejected { file: self.text.name().to_owned(), problems })
    }
}
