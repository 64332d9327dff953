//! Tables of a caller's functions: looked at once, then called.

use crate::{
    sized::Grows,
    status::{Failure, ringfence_status_t as Status},
};

/// An entry is NULL that has to be there.
pub(crate) fn incomplete<T: Grows>(_table: &T, entry: &str, why: &str) -> Failure {
    Failure::new(
        Status::RINGFENCE_INCOMPLETE_TABLE,
        format_args!("{}.{entry} is NULL; {why}", T::NAME),
    )
}

/// Looks at a group of entries.
macro_rules! group {
    ($table:ident, required: $($entry:ident),*) => {$(
        if $table.$entry.is_none() {
            return Err($crate::callback::incomplete($table, stringify!($entry), "this entry is required"));
        }
    )*};
    ($table:ident, optional $group:literal: $($entry:ident),*) => {
        if [$($table.$entry.is_some()),*].contains(&true) {
            $(if $table.$entry.is_none() {
                return Err($crate::callback::incomplete(
                    $table,
                    stringify!($entry),
                    concat!("fill in all entries of the group `", $group, "`, or none"),
                ));
            })*
        }
    };
}

/// Calls an entry of the table.
macro_rules! entry {
    ($table:expr, $entry:ident $(, $argument:expr)*) => {{
        let table = &$table;
        let function = table.$entry.expect("looked at when the table was taken in");
        // SAFETY: who filled the table in promised that the entry may be called with its context, by these rules; pointers
        // among the arguments are to locals of this call, or of its callers.
        unsafe { function(table.context $(, $argument)*) }
    }};
}
