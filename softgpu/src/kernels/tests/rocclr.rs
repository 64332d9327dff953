//! HIP's own kernels, item by item, in both layouts of their arguments.

use super::*;

const NULL: Address = Address::NULL;

/// The four typed pointers, of which one counts.
fn typed(log: usize, at: Address) -> Packed {
    (0..4).fold(Packed::default(), |packed, i| packed.at(if i == log { at } else { NULL }))
}
fn hip(kernel: &str, arguments: Packed, grid: [u32; 3], data: &[u8]) -> Vec<u8> {
    run(&format!("__amd_rocclr_{kernel}"), arguments, grid, data)
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn fills_of_hip_5_and_6_write_every_pattern(
        log in 0_usize..5,
        elements in 1_usize..4,
        offset in 0_usize..8,
        count in 0_usize..12,
        grid in 1_u32..4,
    ) {
        let (size, unit) = (1_usize << log, elements << log);
        let mut data = noise(900);
        let pattern = data[..unit].to_vec();
        let at = DATA.plus(64);
        // Elements of 16 bytes are of the newer form alone.
        let (typed_log, scale) = (log.min(3), size.div_ceil(8));
        let old = typed(typed_log, at)
            .at(DATA)
            .u32((elements * scale) as u32)
            .u64((offset * scale) as u64)
            .u64(count as u64);
        let new = Packed::default()
            .at(at.plus((offset * size) as u64))
            .at(DATA)
            .u32(elements as u32)
            .u32(size as u32)
            .at(at.plus((offset * size + count * unit) as u64))
            .u32(256 * grid * elements as u32);
        let results = [old, new]
            .map(|arguments| hip("fillBufferAligned", arguments, [256 * grid, 1, 1], &data));
        for item in 0..count {
            let start = 64 + offset * size + item * unit;
            data[start..start + unit].copy_from_slice(&pattern);
        }
        prop_assert_eq!(results, [data.clone(), data]);
    }

    #[test]
    fn fills_in_two_dimensions_write_every_cell(
        log in 0_usize..4,
        [width, height] in [1_u64..9, 1_u64..5],
        [offset, wider] in [0_u64..4, 0_u64..3],
    ) {
        let (size, pitch) = (1 << log, width + wider);
        let mut data = noise(600);
        let pattern = data[..size].to_vec();
        let arguments = typed(log, DATA.plus(32))
            .at(DATA)
            .u32(1)
            .u64(offset)
            .u64(width)
            .u64(height)
            .u64(pitch);
        let result = hip("fillBufferAligned2D", arguments, [16, 16, 1], &data);
        for y in 0..height {
            for x in 0..width {
                let at = 32 + (offset + y * pitch + x) as usize * size;
                data[at..at + size].copy_from_slice(&pattern);
            }
        }
        prop_assert_eq!(result, data);
    }

    #[test]
    fn copies_of_hip_5_and_6_copy_every_byte(
        from in 0_u64..9,
        to in 200_u64..209,
        bytes in 0_u64..150,
        by_16 in any::<bool>(),
    ) {
        let mut data = noise(400);
        let (dwords, rest) = (bytes / 4 + 1, (bytes % 4) as u32);
        let old = Packed::default().at(DATA).at(DATA).u64(from).u64(to).u64(dwords).u32(rest);
        let bytewise = Packed::default().at(DATA).at(DATA).u64(from).u64(to).u64(bytes).u32(8);
        let size = if by_16 { 16 } else { 4 };
        let after = bytes % size;
        let new = Packed::default()
            .at(DATA.plus(from))
            .at(DATA.plus(to))
            .u64(bytes)
            .u32(after as u32)
            .u32(size as u32)
            .at(DATA.plus(to + bytes - after))
            .u32(256);
        let results =
            [old, bytewise, new].map(|packed| hip("copyBuffer", packed, [256, 1, 1], &data));
        data.copy_within(from as usize..(from + bytes) as usize, to as usize);
        prop_assert_eq!(results, [data.clone(), data.clone(), data]);
    }

    #[test]
    fn aligned_copies_count_in_elements(
        from in 0_u64..4, to in 8_u64..12, elements in 0_u64..5, by_16 in any::<bool>(),
    ) {
        let mut data = noise(300);
        let size = if by_16 { 16 } else { 4 };
        let arguments =
            Packed::default().at(DATA).at(DATA).u64(from).u64(to).u64(elements).u32(size);
        let result = hip("copyBufferAligned", arguments, [256, 1, 1], &data);
        let at = |index: u64| (index * u64::from(size)) as usize;
        data.copy_within(at(from)..at(from + elements), at(to));
        prop_assert_eq!(result, data);
    }

    #[test]
    fn rectangles_copy_every_element(
        kind in 0_usize..3,
        [columns, rows, slices] in [1_u64..5, 1_u64..4, 1_u64..4],
        [start, other_start] in [0_u64..4, 0_u64..4],
        [wider, taller] in [0_u64..3, 0_u64..3],
    ) {
        let (size, kernel) = [
            (1, "copyBufferRect"),
            (4, "copyBufferRectAligned"),
            (16, "copyBufferRectAligned"),
        ][kind];
        let pitch = columns + wider;
        let source = [pitch, pitch * (rows + taller), start, 0];
        let target = [pitch + 1, (pitch + 1) * rows, other_start, 0];
        let data = noise(4000);
        let arguments = Packed::default()
            .at(DATA)
            .at(OUT)
            .quad(source)
            .quad(target)
            .quad([columns, rows, slices, size]);
        let bus = bus(&format!("__amd_rocclr_{kernel}"), arguments, &data)
            .and(OUT, vec![0; 4000]);
        prop_assert_eq!(kernels().run(&dispatch([8, 8, 4]), &bus), Ok(Ran::Done));
        let mut expected = vec![0; 4000];
        for (z, y, x) in (0..slices)
            .flat_map(|z| (0..rows).flat_map(move |y| (0..columns).map(move |x| (z, y, x))))
        {
            let place = |[pitch, slice, start, _]: [u64; 4]| {
                ((start + x + y * pitch + z * slice) * size) as usize
            };
            let (from, to) = (place(source), place(target));
            let bytes = size as usize;
            expected[to..to + bytes].copy_from_slice(&data[from..from + bytes]);
        }
        prop_assert_eq!(bus.content(OUT), expected);
    }
}

#[test]
fn a_rectangle_ends_at_the_grid() {
    let all = [9, 0, 0, 0];
    let arguments = Packed::default().at(DATA).at(DATA.plus(32)).quad(all).quad(all);
    let arguments = arguments.quad([9, 3, 1, 1]);
    let mut data = noise(64);
    let result = hip("copyBufferRect", arguments, [4, 2, 1], &data);
    data.copy_within(0..4, 32);
    data.copy_within(9..13, 41);
    assert_eq!(result, data);
}

#[test]
fn a_stream_write_stores_4_or_8_bytes() {
    let (value, arguments) = (0x1122_3344_5566_7788_u64, Packed::default());
    let narrow = arguments.clone().at(DATA.plus(4)).at(NULL).u64(value);
    let wide = arguments.at(NULL).at(DATA.plus(8)).u64(value).u64(8);
    let mut expected = [0xee; 16];
    expected[4..8].copy_from_slice(&value.to_le_bytes()[..4]);
    assert_eq!(hip("streamOpsWrite", narrow, [1, 1, 1], &[0xee; 16]), expected);
    let mut expected = [0xee; 16];
    expected[8..].copy_from_slice(&value.to_le_bytes());
    assert_eq!(hip("streamOpsWrite", wide, [1, 1, 1], &[0xee; 16]), expected);
}

#[test]
fn a_stream_wait_waits_until_its_condition_holds() {
    const ALL: u64 = u64::MAX;
    let high = 1 << 63;
    for (comparison, value, mask, waits, passes) in [
        (0, 5, ALL, 4, 5),
        (0, 5, ALL, 0, high),
        (0, 5, 0xff, 0x104, 0x105),
        (1, 5, 0xff, 6, 0xf05),
        (2, 6, ALL, 9, 2),
        (2, 6, 4, 2, 4),
        (3, 0xf0, 0xff, 0x10f, 0x0e),
        (3, 0xffff_fff0, 0xffff_ffff, 0xf, 7),
    ] {
        let wide = Packed::default().at(NULL).at(DATA).u64(value).u64(comparison).u64(mask);
        // The upper halves of the arguments are not written for 4 bytes.
        let (garbage, bits) = (0xdead_beef_0000_0000, u64::from(u32::MAX));
        let narrow = Packed::default().at(DATA).at(NULL).u64(value & bits | garbage);
        let narrow = narrow.u64(comparison | garbage).u64(mask & bits | garbage);
        let fits = value <= bits && passes <= bits;
        for arguments in [Some(wide), fits.then_some(narrow)].into_iter().flatten() {
            let bus = bus("__amd_rocclr_streamOpsWait", arguments, &u64::to_le_bytes(waits));
            let mut kernels = kernels();
            for _ in 0..2 {
                let ran = kernels.run(&dispatch([1, 1, 1]), &bus);
                assert_eq!(ran, Ok(Ran::Waiting), "{comparison} {value:#x} {mask:#x}");
            }
            bus.put(DATA, &u64::to_le_bytes(passes));
            let ran = kernels.run(&dispatch([1, 1, 1]), &bus);
            assert_eq!(ran, Ok(Ran::Done), "{comparison} {value:#x} {mask:#x}");
        }
    }
}

#[test]
fn a_pattern_longer_than_its_memory_is_a_fault_before_it_is_read() {
    let arguments = typed(3, DATA).at(DATA).u32(u32::MAX).u64(0).u64(1);
    let bus = bus("__amd_rocclr_fillBufferAligned", arguments, &[0; 64]);
    let fault = Fault { at: DATA, bytes: u64::from(u32::MAX) * 8 };
    assert_eq!(kernels().run(&dispatch([256, 1, 1]), &bus), Err(fault));
}
