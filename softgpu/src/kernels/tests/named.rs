//! The kernels of experiments against plain loops.

use super::*;

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
/// One step over a whole surface.
fn reference(input: &[f32], width: usize, height: usize) -> Vec<f32> {
    let mut out = input.to_vec();
    for y in 1..height.max(1) - 1 {
        for x in 1..width.max(1) - 1 {
            let at = |x: usize, y: usize| input[y * width + x];
            out[y * width + x] = 0.25 * (at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y));
        }
    }
    out
}

#[test]
fn fill_and_iota_write_what_grid_and_count_allow() {
    for (count, items, written) in [(5, 64, 5), (64, 5, 5), (0, 64, 0), (5, 0, 0)] {
        let data = [0xff; 32];
        let arguments = Packed::default().at(DATA).u32(u32::MAX - 1).u32(count);
        let expected = |value: &dyn Fn(u32) -> u32| {
            let mut expected = data;
            let values = words((0..written).map(value));
            expected[..values.len()].copy_from_slice(&values);
            expected
        };
        let filled = run("fill_u32", arguments.clone(), [items, 1, 1], &data);
        assert_eq!(filled, expected(&|_| u32::MAX - 1));
        let counted = run("iota", arguments, [items, 1, 1], &data);
        assert_eq!(counted, expected(&|i| (u32::MAX - 1).wrapping_add(i)));
    }
}

#[test]
fn long_arrays_are_computed_across_blocks() {
    let count = 40_000_u32;
    let bytes = count as usize * 4;
    let arguments = Packed::default().at(DATA).u32(3).u32(count);
    let data = run("iota", arguments, [40_192, 1, 1], &vec![0; bytes]);
    assert_eq!(data, words((0..count).map(|i| i + 3)));
    let arguments = Packed::default().at(DATA).at(OUT).u32(count);
    let bus = bus("reduce_sum", arguments, &data).and(OUT, 100_u64.to_le_bytes().to_vec());
    let mut kernels = kernels();
    let sum = u64::from(count) * (u64::from(count) - 1) / 2 + 3 * u64::from(count);
    for round in 1..=2 {
        assert_eq!(kernels.run(&dispatch([40_192, 1, 1]), &bus), Ok(Ran::Done));
        assert_eq!(bus.load_u64(OUT), Ok(100 + round * sum), "it adds");
    }
}

#[test]
fn saxpy_adds_to_y_and_takes_no_negative_count() {
    let (x, y) = ([1.0, 2.0, 3.0_f32], [10.0, 20.0, 30.0_f32]);
    for (count, expected) in [(3, [12.0, 24.0, 36.0]), (2, [12.0, 24.0, 30.0]), (-1, y)] {
        let arguments = Packed::default().u32(2.0_f32.to_bits()).at(OUT).at(DATA);
        let bus = bus("saxpy", arguments.u32(i32::cast_unsigned(count)), &floats(&y))
            .and(OUT, floats(&x));
        assert_eq!(kernels().run(&dispatch([256, 1, 1]), &bus), Ok(Ran::Done));
        assert_eq!(bus.content(DATA), floats(&expected));
    }
}

#[test]
fn a_reduction_into_a_misaligned_place_is_a_fault() {
    let arguments = Packed::default().at(DATA).at(DATA.plus(4)).u32(1);
    let bus = bus("reduce_sum", arguments, &[0; 16]);
    let fault = Fault { at: DATA.plus(4), bytes: 8 };
    assert_eq!(kernels().run(&dispatch([1, 1, 1]), &bus), Err(fault));
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn chunks_of_a_stencil_make_the_whole(
        [width, height] in [1_usize..12, 1_usize..12],
        chunks in 1_u32..5,
        values in prop::collection::vec(-100_i16..100, 144),
    ) {
        let input: Vec<f32> = values[..width * height].iter().map(|&v| f32::from(v)).collect();
        let (columns, rows) =
            ((width as u32).div_ceil(chunks), (height as u32).div_ceil(chunks));
        let bus = TestBus::with(IMAGE, code_object("stencil", &[1; 64]))
            .and(ARGUMENTS, vec![0; 40])
            .and(DATA, floats(&input))
            .and(OUT, floats(&vec![f32::NAN; input.len()]));
        let mut kernels = kernels();
        for (x, y) in (0..chunks).flat_map(|y| (0..chunks).map(move |x| (x * columns, y * rows))) {
            let arguments = Packed::default()
                .at(DATA)
                .at(OUT)
                .u32(width as u32)
                .u32(height as u32)
                .u32(x)
                .u32(y)
                .u32(columns)
                .u32(rows);
            bus.put(ARGUMENTS, &arguments.0);
            prop_assert_eq!(kernels.run(&dispatch([16, 16, 1]), &bus), Ok(Ran::Done));
        }
        prop_assert_eq!(bus.content(OUT), floats(&reference(&input, width, height)));
    }
}

#[test]
fn a_wide_stencil_is_computed_across_blocks() {
    let (width, height) = (40_000_usize, 3);
    let input: Vec<f32> = (0..width * height).map(|i| (i * 31 % 1009) as f32).collect();
    let arguments = Packed::default().at(DATA).at(OUT).u32(width as u32).u32(3);
    let arguments = arguments.u32(0).u32(0).u32(width as u32).u32(3);
    let bus = bus("stencil", arguments, &floats(&input)).and(OUT, vec![0; input.len() * 4]);
    assert_eq!(kernels().run(&dispatch([40_192, 16, 1]), &bus), Ok(Ran::Done));
    assert_eq!(bus.content(OUT), floats(&reference(&input, width, height)));
}
