//! Reading one TOML table by its keys: each is asked for once, with its type, and what nobody asked
//! for is a fault with its near match.

use std::ops::{Range, RangeInclusive};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Name,
    problem::Faults,
    word::{Word, nearest},
};

/// A value and its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    /// The value.
    pub(crate) value: T,
    /// Its bytes in the file.
    pub(crate) span: Range<usize>,
}

type Entry<'a> = (&'a str, Range<usize>, &'a Spanned<DeValue<'a>>);

/// One table, in the order in which it was written.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    what: &'static str,
    span: Range<usize>,
    entries: Vec<Entry<'a>>,
    asked: Vec<&'static str>,
}
impl<'a> Fields<'a> {
    /// Reads `table`, which messages call `what`.
    pub(crate) fn new(what: &'static str, table: &'a DeTable<'a>, span: Range<usize>) -> Self {
        let mut entries: Vec<Entry<'a>> =
            table.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value)).collect();
        entries.sort_by_key(|entry| entry.1.start);
        Self { what, span, entries, asked: Vec::new() }
    }
    /// Where the table is.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }
    /// The first key, as written.
    pub(crate) fn first_key(&self) -> Option<At<&'a str>> {
        self.entries.first().map(|entry| At { value: entry.0, span: entry.1.clone() })
    }
    /// Where `key` is written, without asking for it.
    pub(crate) fn has(&self, key: &str) -> Option<Range<usize>> {
        self.entries.iter().find(|entry| entry.0 == key).map(|entry| entry.1.clone())
    }
    /// The value under `key`.
    pub(crate) fn raw(&mut self, key: &'static str) -> Option<At<&'a DeValue<'a>>> {
        self.asked.push(key);
        let found = self.entries.iter().find(|entry| entry.0 == key)?;
        Some(At { value: found.2.get_ref(), span: found.2.span() })
    }
    /// A string.
    pub(crate) fn text(&mut self, key: &'static str, faults: &mut Faults) -> Option<At<&'a str>> {
        let at = self.raw(key)?;
        text(key, &at, faults)
    }
    /// A name.
    pub(crate) fn name(&mut self, key: &'static str, faults: &mut Faults) -> Option<At<Name>> {
        let at = self.text(key, faults)?;
        Some(At { value: Name::new(at.value), span: at.span })
    }
    /// Strings: one alone may stand without brackets.
    pub(crate) fn texts(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
    ) -> Option<Vec<At<&'a str>>> {
        let at = self.raw(key)?;
        match at.value {
            DeValue::Array(items) => Some(
                items
                    .iter()
                    .filter_map(|item| {
                        text(key, &At { value: item.get_ref(), span: item.span() }, faults)
                    })
                    .collect(),
            ),
            DeValue::String(one) => Some(vec![At { value: one.as_ref(), span: at.span }]),
            other => {
                wrong_type(key, "a list of strings", other, at.span, faults);
                None
            }
        }
    }
    /// Names: one alone may stand without brackets.
    pub(crate) fn names(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
    ) -> Option<Vec<At<Name>>> {
        let texts = self.texts(key, faults)?;
        Some(texts.into_iter().map(|at| At { value: Name::new(at.value), span: at.span }).collect())
    }
    /// A whole number within `range`.
    pub(crate) fn number(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        faults: &mut Faults,
    ) -> Option<At<u64>> {
        let at = self.raw(key)?;
        number(key, &at, range, faults)
    }
    /// A list of whole numbers within `range`.
    pub(crate) fn numbers(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        faults: &mut Faults,
    ) -> Option<Vec<At<u64>>> {
        let at = self.raw(key)?;
        let DeValue::Array(items) = at.value else {
            wrong_type(key, "a list of whole numbers", at.value, at.span, faults);
            return None;
        };
        let items = items.iter().map(|item| At { value: item.get_ref(), span: item.span() });
        Some(items.filter_map(|item| number(key, &item, range.clone(), faults)).collect())
    }
    /// A whole number within `range` that fits into 32 bits.
    pub(crate) fn count(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u32>,
        faults: &mut Faults,
    ) -> Option<u32> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        self.number(key, range, faults).and_then(|at| u32::try_from(at.value).ok())
    }
    /// `true` or `false`.
    pub(crate) fn flag(&mut self, key: &'static str, faults: &mut Faults) -> Option<bool> {
        let at = self.raw(key)?;
        match at.value {
            DeValue::Boolean(value) => Some(*value),
            other => {
                wrong_type(key, "`true` or `false`", other, at.span, faults);
                None
            }
        }
    }
    /// One of the words of `T`.
    pub(crate) fn word<T: Word>(&mut self, key: &'static str, faults: &mut Faults) -> Option<T> {
        let at = self.text(key, faults)?;
        word(&at, faults)
    }
    /// A table.
    pub(crate) fn table(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
    ) -> Option<At<&'a DeTable<'a>>> {
        let at = self.raw(key)?;
        match at.value {
            DeValue::Table(table) => Some(At { value: table, span: at.span }),
            other => {
                wrong_type(key, "a table", other, at.span, faults);
                None
            }
        }
    }
    /// A list of tables.
    pub(crate) fn tables(
        &mut self,
        key: &'static str,
        faults: &mut Faults,
    ) -> Option<Vec<At<&'a DeTable<'a>>>> {
        let at = self.raw(key)?;
        let DeValue::Array(items) = at.value else {
            wrong_type(key, "a list of tables", at.value, at.span, faults);
            return None;
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::Table(table) => tables.push(At { value: table, span: item.span() }),
                other => wrong_type(key, "a list of tables", other, item.span(), faults),
            }
        }
        Some(tables)
    }
    /// A fault when nothing is there.
    pub(crate) fn required<T>(
        &self,
        key: &'static str,
        value: Option<T>,
        faults: &mut Faults,
    ) -> Option<T> {
        if value.is_none() && self.has(key).is_none() {
            faults.add(
                self.span.clone(),
                format!("{} needs the key `{key}`", self.what),
                format!("`{key}` is missing"),
                None,
            );
        }
        value
    }
    /// Every key that nobody asked for is a fault.
    pub(crate) fn finish(self, faults: &mut Faults) {
        for (key, span, _) in &self.entries {
            if self.asked.contains(key) {
                continue;
            }
            let help = match nearest(key, self.asked.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", self.asked.join(", ")),
            };
            faults.add(
                span.clone(),
                format!("{} has no key `{key}`", self.what),
                "unknown key",
                Some(help),
            );
        }
    }
    /// The entries themselves, for a table whose keys are names.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (At<&'a str>, At<&'a DeValue<'a>>)> + '_ {
        self.entries.iter().map(|(key, span, value)| {
            (
                At { value: *key, span: span.clone() },
                At { value: value.get_ref(), span: value.span() },
            )
        })
    }
}

/// The string in `at`.
pub(crate) fn text<'a>(
    key: &str,
    at: &At<&'a DeValue<'a>>,
    faults: &mut Faults,
) -> Option<At<&'a str>> {
    match at.value {
        DeValue::String(text) => Some(At { value: text.as_ref(), span: at.span.clone() }),
        other => {
            wrong_type(key, "a string", other, at.span.clone(), faults);
            None
        }
    }
}

/// The whole number in `at`, within `range`.
pub(crate) fn number(
    key: &str,
    at: &At<&DeValue<'_>>,
    range: RangeInclusive<u64>,
    faults: &mut Faults,
) -> Option<At<u64>> {
    let DeValue::Integer(integer) = at.value else {
        wrong_type(key, "a whole number", at.value, at.span.clone(), faults);
        return None;
    };
    // A number with a sign or beyond 64 bits is out of range like any other.
    let parsed = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
    match parsed.filter(|value| range.contains(value)) {
        Some(value) => Some(At { value, span: at.span.clone() }),
        None => {
            let (from, to) = (range.start(), range.end());
            let bounds = if *to == u64::MAX {
                format!("at least {from}")
            } else {
                format!("from {from} to {to}")
            };
            faults.add(
                at.span.clone(),
                format!("`{key}` must be {bounds}"),
                format!("{integer} is out of range"),
                None,
            );
            None
        }
    }
}

/// The value of `T` that the text names.
pub(crate) fn word<T: Word>(at: &At<&str>, faults: &mut Faults) -> Option<T> {
    let found = T::from_word(at.value);
    if found.is_none() {
        let help = match nearest(at.value, T::words()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known here: {}", T::words().join(", ")),
        };
        faults.add(
            at.span.clone(),
            format!("`{}` is not {}", at.value, T::WHAT),
            "unknown word",
            Some(help),
        );
    }
    found
}

/// A value of another type than was wanted.
pub(crate) fn wrong_type(
    key: &str,
    wanted: &str,
    found: &DeValue<'_>,
    span: Range<usize>,
    faults: &mut Faults,
) {
    let found = match found {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    faults.add(span, format!("`{key}` must be {wanted}"), format!("this is {found}"), None);
}
