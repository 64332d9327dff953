//! One thing that the library told: its name, and its fields.

use std::fmt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub(super) fields: Map<String, Value>,
}
impl Told {
    /// A field that is a number, if it is there.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.fields.get(name).and_then(Value::as_u64)
    }
    /// A field that says yes or no.
    pub(super) fn says(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
}
impl Visit for Told {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // The message is the name again.
        if field.name() != "message" {
            self.fields.insert(field.name().to_owned(), format!("{value:?}").into());
        }
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.fields.insert(field.name().to_owned(), value.into());
    }
}
