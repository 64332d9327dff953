use super::{BYTES, CODE, ENTRY, image};

#[test]
fn an_empty_kernel_ends_at_once_in_its_own_language() {
    for (gfx, end) in [
        ("gfx90a", 0xbf81_0000_u32),
        ("gfx942", 0xbf81_0000),
        ("gfx1030", 0xbf81_0000),
        ("gfx1100", 0xbfb0_0000),
        ("gfx1201", 0xbfb0_0000),
    ] {
        let page = image(gfx);
        assert_eq!(page[ENTRY..ENTRY + 8], (CODE as u64).to_le_bytes(), "{gfx}");
        assert!(page[..ENTRY].iter().chain(&page[ENTRY + 8..CODE]).all(|byte| *byte == 0));
        assert_eq!(page[CODE..].len() % 4, 0);
        assert!(page[CODE..BYTES].chunks(4).all(|word| word == end.to_le_bytes()), "{gfx}");
    }
}
