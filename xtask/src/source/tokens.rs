//! Source to tokens: comments, strings and characters fall away, so that no check trips over prose.

use std::{iter::Peekable, str::Chars};

/// A word, a number, `::`, or one other character.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    /// Its text.
    pub(crate) text: String,
    /// The line it stands on, from 1.
    pub(crate) line: usize,
}
impl Token {
    /// Whether it is an identifier or a keyword.
    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The tokens of `source`.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    Reader { rest: source.chars().peekable(), line: 1 }.collect()
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}
impl Iterator for Reader<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let line = self.line;
            let first = self.take()?;
            let second = self.rest.peek().copied();
            match (first, second) {
                ('/', Some('/')) => self.skip_line(),
                ('/', Some('*')) => self.skip_block(),
                ('"', _) => self.skip_string(),
                ('\'', _) => self.skip_character(),
                (':', Some(':')) => {
                    self.take();
                    return Some(Token { text: "::".to_owned(), line });
                }
                (c, _) if c.is_alphanumeric() || c == '_' => {
                    if let Some(text) = self.word(c) {
                        return Some(Token { text, line });
                    }
                }
                (c, _) if c.is_whitespace() => {}
                (c, _) => {
                    return Some(Token { text: c.to_string(), line });
                }
            }
        }
    }
}
impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.line += usize::from(next == Some('\n'));
        next
    }
    fn skip_line(&mut self) {
        while self.rest.peek().is_some_and(|c| *c != '\n') {
            self.take();
        }
    }
    fn skip_block(&mut self) {
        self.take();
        let mut depth = 1;
        let mut before = ' ';
        while depth > 0 {
            let Some(now) = self.take() else { return };
            // A character ends at most one mark: `/*/` opens and does not close.
            before = match (before, now) {
                ('/', '*') => {
                    depth += 1;
                    ' '
                }
                ('*', '/') => {
                    depth -= 1;
                    ' '
                }
                _ => now,
            };
        }
    }
    fn skip_string(&mut self) {
        while let Some(c) = self.take() {
            match c {
                '\\' => drop(self.take()),
                '"' => return,
                _ => {}
            }
        }
    }
    /// After a quote: a character literal, or a lifetime, whose name is dropped as well.
    fn skip_character(&mut self) {
        match self.take() {
            Some('\\') => {
                self.take();
                while self.take().is_some_and(|c| c != '\'') {}
            }
            Some(_) if self.rest.peek() == Some(&'\'') => drop(self.take()),
            _ => while self.rest.next_if(|c| c.is_alphanumeric() || *c == '_').is_some() {},
        }
    }
    /// A word that begins with `first`; `None` when it was the prefix of a literal.
    fn word(&mut self, first: char) -> Option<String> {
        let mut word = String::from(first);
        while let Some(c) = self.rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
            word.push(c);
        }
        match (word.as_str(), self.rest.peek()) {
            ("r" | "br" | "cr", Some('"' | '#')) => self.raw(),
            ("b" | "c", Some('"')) => {
                self.take();
                self.skip_string();
                None
            }
            ("b", Some('\'')) => {
                self.take();
                self.skip_character();
                None
            }
            _ => Some(word),
        }
    }
    /// After `r`: a raw string, or a raw identifier, which is returned without its mark.
    fn raw(&mut self) -> Option<String> {
        let mut marks = 0;
        while self.rest.next_if_eq(&'#').is_some() {
            marks += 1;
        }
        if self.rest.next_if_eq(&'"').is_none() {
            let first = self.take()?;
            return self.word(first);
        }
        let mut closing = None;
        while let Some(c) = self.take() {
            closing = match (c, closing) {
                ('"', _) => Some(0),
                ('#', Some(seen)) => Some(seen + 1),
                _ => None,
            };
            if closing == Some(marks) {
                break;
            }
        }
        None
    }
}
