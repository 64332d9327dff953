//! Names under a key that an earlier line has to have made.

use super::{
    Name,
    fields::Fields,
    problem::Faults,
    scope::{NameKind, Scope},
};

impl Scope {
    /// A name under `key` that must be known as one of `kinds`.
    pub(crate) fn known(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        kinds: &[NameKind],
        faults: &mut Faults,
    ) -> Option<Name> {
        let at = fields.name(key, faults);
        let at = fields.required(key, at, faults)?;
        self.need(&at.value, kinds, at.span, faults);
        Some(at.value)
    }

    /// Names under `key`, at least `least`, that must all be known.
    pub(crate) fn known_list(
        &mut self,
        fields: &mut Fields<'_>,
        key: &'static str,
        kinds: &[NameKind],
        least: usize,
        faults: &mut Faults,
    ) -> Option<Vec<Name>> {
        let span = fields.has(key);
        let names = fields.names(key, faults);
        let names = fields.required(key, names, faults)?;
        for at in &names {
            self.need(&at.value, kinds, at.span.clone(), faults);
        }
        if names.len() < least {
            let span = span.unwrap_or(fields.span());
            let plural = if least == 1 { "name" } else { "names" };
            let message = format!("`{key}` needs at least {least} {plural}");
            faults.add(span, message, "too few", None);
        }
        Some(names.into_iter().map(|at| at.value).collect())
    }
}
