//! ROCr's own kernels, once they are recognised.

use super::*;

/// Arguments as ROCr computes them for a copy: the starts of each phase, then the ends.
fn phases(from: Address, to: Address, lengths: &[u64]) -> Packed {
    let mut offset = 0;
    let mut packed = Packed::default();
    for length in lengths {
        packed = packed.at(from.plus(offset)).at(to.plus(offset));
        offset += length;
    }
    packed.at(from.plus(offset)).at(to.plus(offset)).u32(26_624)
}
fn run_blit(blit: Blit, arguments: Packed, data: &[u8]) -> Vec<u8> {
    let bus = bus("unused", arguments, data);
    let dispatch = dispatch([26_624, 1, 1]);
    blit.run(&Arguments::new(&dispatch, &bus)).expect("all is mapped");
    bus.content(DATA)
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn copies_in_phases_are_whole_copies(
        lengths in prop::array::uniform4(0_u64..70),
        from in 0_u64..32,
        to in 300_u64..332,
    ) {
        let data = noise(700);
        let bytes: u64 = lengths.iter().sum();
        let mut expected = data.clone();
        expected.copy_within(from as usize..(from + bytes) as usize, to as usize);
        let aligned = phases(DATA.plus(from), DATA.plus(to), &lengths);
        prop_assert_eq!(run_blit(Blit::CopyAligned, aligned, &data), expected);

        let bytes = lengths[0] + lengths[1];
        let mut expected = data.clone();
        expected.copy_within(from as usize..(from + bytes) as usize, to as usize);
        let misaligned = phases(DATA.plus(from), DATA.plus(to), &lengths[..2]);
        prop_assert_eq!(run_blit(Blit::CopyMisaligned, misaligned, &data), expected);
    }

    #[test]
    fn fills_repeat_a_dword(dwords in 0_u64..40, first in 0_u64..40, value in any::<u32>()) {
        let start = DATA.plus(16);
        let arguments = Packed::default()
            .at(start)
            .at(start.plus(first.min(dwords) * 4))
            .at(start.plus(dwords * 4))
            .u32(value)
            .u32(6656);
        let mut expected = noise(200);
        for dword in 0..dwords as usize {
            expected[16 + dword * 4..20 + dword * 4].copy_from_slice(&value.to_le_bytes());
        }
        prop_assert_eq!(run_blit(Blit::Fill, arguments, &noise(200)), expected);
    }
}

#[test]
fn a_recognised_kernel_is_run_and_others_are_not() {
    for (blit, value) in [
        (Blit::CopyAligned, 0xd0cc_5e4c_bb93_9daf),
        (Blit::CopyMisaligned, 0x796d_af02_0dfb_2afe),
        (Blit::Fill, 0x3319_1d43_9221_5974),
    ] {
        assert_eq!(Blit::with(Fingerprint(value)), Some(blit));
        assert_eq!(Blit::with(Fingerprint(value ^ 1)), None);
    }
}
