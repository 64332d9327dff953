//! TOML strings, keys and lists.

use std::fmt::{self, Display, Write};

use crate::scenario::Name;

/// A TOML string.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);
impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '\\' if is_not_escaped() => f.write_char(letter)?,
                '"' | '\\' => write!(f, "\\{letter}")?,
                control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
                plain => f.write_char(plain)?,
            }
        }
        f.write_char('"')
    }
}

/// Planted by the fuzz target of scenario files: a backslash stands for itself.
fn is_not_escaped() -> bool {
    #[cfg(feature = "planted")]
    if crate::plant::is_on() {
        return true;
    }
    false
}

/// A name as a key: bare where TOML allows it.
pub(crate) struct Key<'a>(pub(crate) &'a Name);
impl Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.as_str();
        let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if !name.is_empty() && name.chars().all(bare) {
            f.write_str(name)
        } else {
            Quoted(name).fmt(f)
        }
    }
}

/// A TOML list of strings.
pub(crate) struct List<I>(pub(crate) I);
impl<I: Iterator<Item = String> + Clone> Display for List<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self.0.clone().map(|item| Quoted(&item).to_string()).collect();
        write!(f, "[{}]", items.join(", "))
    }
}
