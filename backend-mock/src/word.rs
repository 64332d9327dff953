//! Values that are named by fixed words, in scenario files and on command lines.

/// A value that a scenario file names by a fixed word.
pub trait Word: Copy + PartialEq + 'static {
    /// What the words name, for messages: "a role".
    const WHAT: &'static str;
    /// Every value.
    const ALL: &'static [Self];
    /// The word.
    fn word(self) -> &'static str;
    /// The value that `text` names.
    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == text)
    }
    /// Every word, for messages.
    fn words() -> Vec<&'static str> {
        Self::ALL.iter().map(|value| value.word()).collect()
    }
}
