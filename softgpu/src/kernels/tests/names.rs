//! Names from code objects, whole and broken.

use super::{
    code_object::{DYNAMIC, HASH, HEADERS, STRINGS, SYMBOLS, kernel_without_a_name, put},
    *,
};

fn name_in(image: Vec<u8>) -> Option<String> {
    name::of(IMAGE.plus(DESCRIPTOR), &TestBus::with(IMAGE, image))
}

#[test]
fn a_kernel_has_the_name_of_its_descriptor_s_symbol() {
    assert_eq!(name_in(code_object("saxpy", &[0; 64])).as_deref(), Some("saxpy"));
    let bus = TestBus::with(IMAGE, code_object("saxpy", &[0; 64]));
    assert_eq!(name::of(IMAGE.plus(CODE), &bus), None, "a function is no kernel");
    assert_eq!(name::of(IMAGE.plus(DESCRIPTOR + 8), &bus), None);
    assert_eq!(name::of(IMAGE.plus(0x1_0000), &bus), None);
}

#[test]
fn what_is_not_a_code_object_has_no_names() {
    let whole = code_object("saxpy", &[0; 64]);
    for at in [0, 4, 5, 18, HEADERS + 56, HASH + 4] {
        let mut image = whole.clone();
        image[at] = 0;
        assert_eq!(name_in(image), None, "byte {at:#x} of the headers does not count");
    }
    assert_eq!(name_in(kernel_without_a_name(&[0; 64])), None);
}

#[test]
fn tables_that_say_they_are_endless_end_at_the_allocation() {
    let mut image = code_object("saxpy", &[0; 64]);
    put(&mut image, HASH + 4, &u32::MAX.to_le_bytes());
    assert_eq!(name_in(image.clone()).as_deref(), Some("saxpy"));
    put(&mut image, SYMBOLS + 48 + 8, &[0xff; 8]);
    assert_eq!(name_in(image.clone()), None);
    put(&mut image, DYNAMIC, &[1; 16 * 8]);
    assert_eq!(name_in(image), None);
    let mut unterminated = code_object("saxpy", &[0; 64]);
    unterminated[STRINGS..].fill(b'x');
    put(&mut unterminated, HASH, &[1, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(name_in(unterminated), None);
}

#[test]
fn tables_outside_the_allocation_do_not_count() {
    const BEHIND: usize = 0x1000;
    let whole = code_object("saxpy", &[0; 64]);
    let mut image = whole.clone();
    put(&mut image, DYNAMIC + 8, &((BEHIND + SYMBOLS) as u64).to_le_bytes());
    let bus = TestBus::with(IMAGE, image).and(IMAGE.plus(BEHIND as u64), whole);
    assert_eq!(name::of(IMAGE.plus(DESCRIPTOR), &bus), None);
}

#[test]
fn without_a_name_a_kernel_is_told_by_its_code() {
    let bus = TestBus::with(IMAGE, kernel_without_a_name(&[0; 64]));
    let unknown = "a kernel without a name, fingerprint ".to_owned()
        + &format!("{:016x}", Fingerprint::of_code(&[0; 64]).0);
    let ran = kernels().run(&dispatch([1, 1, 1]), &bus);
    assert_eq!(ran, Ok(Ran::Unknown(Some(unknown))));
}

#[test]
fn the_fingerprint_is_that_of_the_recorded_values() {
    // By hand: the basis times the prime, 64 times, modulo 2^64, for bytes of 0.
    let mut expected = 1_469_598_103_934_665_603_u128;
    for _ in 0..64 {
        expected = expected * 1_099_511_628_211 % (1 << 64);
    }
    assert_eq!(u128::from(Fingerprint::of_code(&[0; 64]).0), expected);
    let mut last = [0; 64];
    last[63] = 1;
    assert_ne!(Fingerprint::of_code(&last), Fingerprint::of_code(&[0; 64]));
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn garbage_never_panics(
        image in prop::collection::vec(any::<u8>(), 0..0x600),
        kernel in 0_u64..0x700,
    ) {
        let bus = TestBus::with(IMAGE, image);
        let _ = name::of(IMAGE.plus(kernel), &bus);
        let _ = Fingerprint::of(IMAGE.plus(kernel), &bus);
    }

    #[test]
    fn broken_code_objects_never_panic(
        breaks in prop::collection::vec(
            (0_usize..0x3f8, prop_oneof![Just(u64::MAX), Just(0), any::<u64>(), 0_u64..0x700]),
            1..6,
        ),
        cut in 0_usize..0x600,
    ) {
        let mut image = code_object("saxpy", &[0; 64]);
        for (at, value) in breaks {
            put(&mut image, at, &value.to_le_bytes());
        }
        image.truncate(cut.max(1));
        let _ = name_in(image);
    }

    #[test]
    fn kernels_with_any_arguments_end_or_fault(
        which in 0_usize..13,
        arguments in prop::collection::vec(
            prop_oneof![
                Just(0), Just(DATA.as_u64()), Just(OUT.as_u64()), 0_u64..64, any::<u64>(),
                (0_u64..64).prop_map(|at| DATA.as_u64() + at),
            ],
            0..17,
        ),
        grid in prop::array::uniform3(0_u32..70),
    ) {
        let name = [
            "fill_u32", "iota", "saxpy", "reduce_sum", "stencil",
            "__amd_rocclr_fillBufferAligned", "__amd_rocclr_fillBufferAligned2D",
            "__amd_rocclr_copyBuffer", "__amd_rocclr_copyBufferAligned",
            "__amd_rocclr_copyBufferRect", "__amd_rocclr_copyBufferRectAligned",
            "__amd_rocclr_streamOpsWrite", "__amd_rocclr_streamOpsWait",
        ][which];
        let packed = arguments.into_iter().fold(Packed::default(), Packed::u64);
        let bus = bus(name, packed, &[1; 64]).and(OUT, vec![2; 64]);
        let ran = kernels().run(&dispatch(grid), &bus);
        prop_assert!(!matches!(ran, Ok(Ran::Unknown(_))));
    }
}
