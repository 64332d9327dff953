use super::*;

fn field(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(LENGTH, 0);
    bytes
}

#[test]
fn a_name_is_read_with_its_settings() {
    for name in ["gfx942", "gfx90a:sramecc+:xnack-", "gfx1100", "gfx9-4-generic"] {
        assert_eq!(named(&field(name)).as_deref(), Some(name));
    }
}

#[test]
fn what_is_no_name_is_not_taken_for_one() {
    let unended = vec![b'g'; LENGTH];
    let binary = field("gfx\u{1}\u{2}");
    for bytes in [field(""), field("gfx"), field("AMD Instinct"), field("gfx90a;"), unended, binary]
    {
        assert_eq!(named(&bytes), None);
    }
}

/// The layout that AMD's headers have, by bindings generated from them.
#[cfg(feature = "hip-sys")]
#[test]
fn the_place_is_that_of_the_headers() {
    assert_eq!(SINCE_6, std::mem::offset_of!(hip_sys::hipDeviceProp_tR0600, gcnArchName));
    assert!(ROOM > size_of::<hip_sys::hipDeviceProp_tR0600>());
}
