//! Files of names and numbers.

/// Lines of a name, a space and a number in decimal: what runtimes read with one `scanf`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Properties(String);
impl Properties {
    /// None.
    pub(super) fn new() -> Self {
        Self::default()
    }
    /// One more.
    pub(super) fn with(mut self, name: &str, value: impl Into<u64>) -> Self {
        self.0 += &format!("{name} {}\n", value.into());
        self
    }
}
impl From<Properties> for String {
    fn from(properties: Properties) -> Self {
        properties.0
    }
}
