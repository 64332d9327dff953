//! The paths that source names, with `use` trees written out and `self` and `super` resolved.

use std::path::Path;

use super::Token;

/// One path, from where it starts to its last segment; `*` stands for a glob.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    /// Its segments: `crate::ring::Ring` is `["crate", "ring", "Ring"]`.
    pub(crate) segments: Vec<String>,
    /// The line of its last segment, from 1.
    pub(crate) line: usize,
}
impl Named {
    /// Whether it is `prefix` or something inside it; a prefix is written as in source.
    pub(crate) fn is_within(&self, prefix: &str) -> bool {
        let mut own = self.segments.iter();
        prefix.split("::").all(|segment| own.next().is_some_and(|own| own == segment))
    }
}
impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.segments.join("::"))
    }
}

/// The module that a file of a crate is, from its path below `src`.
pub(crate) fn module_of(below_src: &Path) -> Vec<String> {
    let mut module: Vec<String> = below_src
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// Every path in `tokens`, which are the source of `module`: what `use` imports, and what has a `::`.
/// Other words are left out: they name what an import brought in.
pub(crate) fn named(tokens: &[Token], module: &[String]) -> Vec<Named> {
    let mut reader = Paths { tokens, at: 0, found: Vec::new() };
    // Inline modules, each with the depth of braces at which it was opened.
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(reader.at) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                inline.pop_if(|(_, opened)| *opened == depth);
            }
            "mod" if reader.text(2) == "{" => inline.push((reader.text(1).to_owned(), depth)),
            _ => {}
        }
        let is_path = reader.text(1) == "::" || reader.before() == "use";
        let starts = token.is_word() && token.text != "use" && is_path;
        if !starts {
            reader.at += 1;
            continue;
        }
        let first = reader.found.len();
        reader.tree(&[]);
        for path in &mut reader.found[first..] {
            resolve(&mut path.segments, module.iter().chain(inline.iter().map(|(name, _)| name)));
        }
    }
    reader.found
}

/// Writes `self::` and `super::` out from the module they stand in.
fn resolve<'a>(segments: &mut Vec<String>, module: impl Iterator<Item = &'a String>) {
    let ups = segments.iter().take_while(|own| *own == "super").count();
    let own_module = segments.first().is_some_and(|own| own == "self");
    if ups == 0 && !own_module {
        return;
    }
    let mut from: Vec<String> = module.cloned().collect();
    from.truncate(from.len().saturating_sub(ups));
    from.insert(0, "crate".to_owned());
    segments.splice(..ups.max(1), from);
}

struct Paths<'a> {
    tokens: &'a [Token],
    at: usize,
    found: Vec<Named>,
}
impl Paths<'_> {
    /// The text `ahead` tokens after this one; empty past the end.
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }
    fn before(&self) -> &str {
        self.at.checked_sub(1).map_or("", |before| self.tokens[before].text.as_str())
    }
    /// Reads one path or `use` tree that stands below `prefix`.
    fn tree(&mut self, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        let mut line = self.tokens.get(self.at).map_or(0, |token| token.line);
        while let Some(token) = self.tokens.get(self.at) {
            if token.text == "{" {
                self.at += 1;
                return self.group(&segments);
            }
            if !token.is_word() && token.text != "*" {
                break;
            }
            line = token.line;
            // `use a::{self}` names `a`.
            if token.text != "self" || segments.is_empty() {
                segments.push(token.text.clone());
            }
            self.at += 1;
            if self.text(0) != "::" {
                break;
            }
            self.at += 1;
        }
        self.found.push(Named { segments, line });
    }
    fn group(&mut self, prefix: &[String]) {
        while self.at < self.tokens.len() {
            match self.text(0) {
                "}" => {
                    self.at += 1;
                    return;
                }
                "," => self.at += 1,
                "as" => self.at += 2,
                _ => {
                    let from = self.at;
                    self.tree(prefix);
                    // Source that is no tree after all must not stop the reader.
                    self.at = self.at.max(from + 1);
                }
            }
        }
    }
}
