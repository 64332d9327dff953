use super::{Grows, Room, read};
use crate::status::ringfence_status_t as Status;

/// As it is in a later version of the interface.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Settings {
    size: usize,
    looks: u32,
    /// Added.
    more: u64,
}
grows! {
    Settings, first to looks;
}
/// As an earlier program was compiled.
#[repr(C)]
struct Earlier {
    size: usize,
    looks: u32,
    reserved: u32,
    /// What comes after it is the program's own.
    own: u64,
}

#[test]
fn a_program_that_was_compiled_before_a_field_was_added_is_served() {
    assert_eq!(Settings::FIRST, 12);
    let size = std::mem::offset_of!(Earlier, own);
    let mut earlier = Earlier { size, looks: 7, reserved: 0, own: 5 };
    let place = (&raw mut earlier).cast::<Settings>();
    // SAFETY: so many bytes are there as it says.
    let told = unsafe { read(place.cast_const(), "settings") }.expect("it is large enough");
    assert_eq!((told.looks, told.more), (7, 0), "what it does not have is 0");
    // SAFETY: as above.
    let room = unsafe { Room::there(place, "settings") }.expect("it is large enough");
    room.fill(&Settings { size: 0, looks: 8, more: 9 });
    assert_eq!((earlier.size, earlier.looks, earlier.reserved, earlier.own), (size, 8, 0, 5));
}

#[test]
fn what_is_smaller_than_the_first_version_is_refused() {
    let small = Settings { size: 11, ..Default::default() };
    // SAFETY: it is there.
    let refused = unsafe { read(&raw const small, "settings") }.expect_err("too small");
    assert_eq!(refused.0, Status::RINGFENCE_ABI_MISMATCH);
}
