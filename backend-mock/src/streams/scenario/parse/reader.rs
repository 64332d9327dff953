//! What reads the keys of one step.

use crate::{
    clock::Ticks,
    scenario::{
        Name, StepPlace,
        fields::Fields,
        problem::Faults,
        scope::{NameKind, Scope},
    },
    streams::scenario::{Place, StreamStep},
};

/// Whether a step stands inside a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Inside {
    Nothing,
    Capture,
}
/// What holds for all steps of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) devices: u32,
    pub(super) inside: Inside,
}

pub(super) const LEASE: &[NameKind] = &[NameKind::Lease];
/// Who has a raw handle.
pub(super) const STREAM: &[NameKind] = &[NameKind::Lease, NameKind::Handle];

/// What a step's reader needs.
pub(super) struct Reader<'a, 'f> {
    pub(super) fields: Fields<'a>,
    pub(super) bounds: Bounds,
    pub(super) scope: &'f mut Scope,
    pub(super) faults: &'f mut Faults,
}
impl Reader<'_, '_> {
    /// A name under `key` that must be known as one of `kinds`.
    pub(super) fn known(&mut self, key: &'static str, kinds: &[NameKind]) -> Option<Name> {
        self.scope.known(&mut self.fields, key, kinds, self.faults)
    }
    /// Names under `key`, at least `least`, that must all be known.
    pub(super) fn known_list(
        &mut self,
        key: &'static str,
        kinds: &[NameKind],
        least: usize,
    ) -> Option<Vec<Name>> {
        self.scope.known_list(&mut self.fields, key, kinds, least, self.faults)
    }
    /// Memory under `key`; none when the key is left out.
    pub(super) fn memory(&mut self, key: &'static str) -> Vec<Name> {
        if self.fields.has(key).is_none() {
            let _ = self.fields.raw(key);
            return Vec::new();
        }
        self.known_list(key, &[NameKind::Memory], 0).unwrap_or_default()
    }
    /// A name that this step defines.
    pub(super) fn define(&mut self, key: &'static str, kind: NameKind) -> Option<Name> {
        let at = self.fields.name(key, self.faults);
        let at = self.fields.required(key, at, self.faults)?;
        self.scope.define(&at.value, kind, at.span, self.faults);
        Some(at.value)
    }
    /// Names that this step defines: one alone may stand without brackets.
    pub(super) fn define_list(&mut self, key: &'static str, kind: NameKind) -> Option<Vec<Name>> {
        let names = self.fields.names(key, self.faults);
        let names = self.fields.required(key, names, self.faults)?;
        for at in &names {
            self.scope.define(&at.value, kind, at.span.clone(), self.faults);
        }
        Some(names.into_iter().map(|at| at.value).collect())
    }
    /// A name that this step may define under `as`.
    pub(super) fn named(&mut self, kind: NameKind) -> Option<Name> {
        let at = self.fields.name("as", self.faults)?;
        self.scope.define(&at.value, kind, at.span, self.faults);
        Some(at.value)
    }
    /// The name of a task, or of a thread, which needs no definition.
    pub(super) fn free_name(&mut self, key: &'static str) -> Option<Name> {
        self.fields.name(key, self.faults).map(|at| at.value)
    }
    /// `device` and `priority`.
    pub(super) fn place(&mut self) -> Place {
        let device = self.fields.count("device", 0..=self.bounds.devices - 1, self.faults);
        let priority = self.fields.word("priority", self.faults);
        Place { device: device.unwrap_or(0), priority: priority.unwrap_or_default() }
    }
    /// How long work runs: 1 tick when it is not said.
    pub(super) fn ticks(&mut self, key: &'static str) -> Ticks {
        let at = self.fields.number(key, 0..=1_000_000_000, self.faults);
        Ticks::new(at.map_or(1, |at| at.value))
    }
    /// A verb with one word that it always goes with.
    pub(super) fn fixed(&mut self, verb: &'static str, word: &str) -> Option<()> {
        let at = self.fields.text(verb, self.faults)?;
        if at.value != word {
            let help = Some(format!("write `{verb} = \"{word}\"`"));
            let message = format!("`{verb}` goes with `{word}`");
            self.faults.add(at.span, message, "another word", help);
        }
        Some(())
    }
    /// The steps under `key`; none when it is left out.
    pub(super) fn steps(
        &mut self,
        key: &'static str,
        inside: Inside,
    ) -> Option<(Vec<StreamStep>, Vec<StepPlace>)> {
        let tables = self.fields.tables(key, self.faults)?;
        let bounds = Bounds { inside, ..self.bounds };
        Some(super::steps::steps(tables, bounds, self.scope, self.faults))
    }
}
