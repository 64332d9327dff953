//! What is wrong with settings.

use super::Gfx;

/// Some settings could not be understood: all of them, so that one run shows every mistake.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.lines())]
pub struct SettingsError {
    mistakes: Vec<Mistake>,
}
impl SettingsError {
    /// What is wrong; `Ok` if nothing is.
    pub(super) fn unless_empty(mistakes: Vec<Mistake>) -> Result<(), Self> {
        if mistakes.is_empty() { Ok(()) } else { Err(Self { mistakes }) }
    }
    /// One mistake a line.
    fn lines(&self) -> String {
        self.mistakes.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n")
    }
    /// What is wrong, in the order in which variables came; never empty.
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }
}

/// One thing that is wrong with one setting.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// No setting has this name.
    #[error("{variable} is not a setting; did you mean {nearest}?")]
    Unknown {
        /// The variable.
        variable: String,
        /// The variable whose name is most like it.
        nearest: String,
    },
    /// The setting cannot have this value.
    #[error("{variable}={value:?} is not understood; allowed: {allowed}")]
    Value {
        /// The variable.
        variable: String,
        /// Its value.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// These GPUs cannot be connected that way.
    #[error("{variable}={value:?} does not go with {gfx}; allowed for it: {allowed}")]
    Link {
        /// The variable.
        variable: String,
        /// Its value.
        value: String,
        /// The GPU.
        gfx: Gfx,
        /// What connects such GPUs.
        allowed: &'static str,
    },
}
