//! Kernels against naive references, and code objects that are none.

mod blits;
mod code_object;
mod named;
mod names;
mod rocclr;

use std::{ptr, sync::mpsc};

use proptest::prelude::*;

use self::code_object::{CODE, DESCRIPTOR, code_object};
use super::*;
use crate::test_bus::TestBus;

/// Where a test's code object lies.
const IMAGE: Address = Address::new(0x7f00_0000_0000);
/// Where its arguments lie.
const ARGUMENTS: Address = Address::new(0x7f00_1000_0000);
/// Where its data lie.
const DATA: Address = Address::new(0x7f00_2000_0000);
const OUT: Address = Address::new(0x7f00_3000_0000);

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x4b_52_4e_4c),
        ..ProptestConfig::default()
    }
}

/// A kernel's arguments, each at its natural alignment.
#[derive(Default, Clone)]
struct Packed(Vec<u8>);
impl Packed {
    fn bytes<const N: usize>(mut self, align: usize, bytes: [u8; N]) -> Self {
        self.0.resize(self.0.len().next_multiple_of(align), 0xa5);
        self.0.extend(bytes);
        self
    }
    fn u32(self, value: u32) -> Self {
        self.bytes(4, value.to_le_bytes())
    }
    fn u64(self, value: u64) -> Self {
        self.bytes(8, value.to_le_bytes())
    }
    fn at(self, address: Address) -> Self {
        self.u64(address.as_u64())
    }
    fn quad(self, [a, b, c, d]: [u64; 4]) -> Self {
        self.bytes(32, a.to_le_bytes()).u64(b).u64(c).u64(d)
    }
}

/// A dispatch of the kernel in the image.
fn dispatch(grid: [u32; 3]) -> Dispatch {
    let mut packet = [0; 64];
    packet[4..6].copy_from_slice(&64_u16.to_le_bytes());
    for (items, at) in grid.iter().zip([12, 16, 20]) {
        packet[at..at + 4].copy_from_slice(&items.to_le_bytes());
    }
    packet[32..40].copy_from_slice(&IMAGE.plus(DESCRIPTOR).as_u64().to_le_bytes());
    packet[40..48].copy_from_slice(&ARGUMENTS.as_u64().to_le_bytes());
    Dispatch::new(packet)
}
fn kernels() -> Kernels {
    Kernels::new(Box::new(|_| None))
}
/// A bus with a kernel of this name, its arguments (and not a byte more), and data.
fn bus(name: &str, arguments: Packed, data: &[u8]) -> TestBus {
    TestBus::with(IMAGE, code_object(name, &[1; 64]))
        .and(ARGUMENTS, arguments.0)
        .and(DATA, data.to_vec())
}
/// Runs a kernel of this name once, and answers with the data.
fn run(name: &str, arguments: Packed, grid: [u32; 3], data: &[u8]) -> Vec<u8> {
    let bus = bus(name, arguments, data);
    assert_eq!(kernels().run(&dispatch(grid), &bus), Ok(Ran::Done));
    bus.content(DATA)
}
fn words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}
/// Bytes that differ from their neighbours.
fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 37 % 251) as u8).collect()
}

#[test]
fn a_dispatch_is_read_where_the_specification_has_its_fields() {
    let mut packet = [0; 64];
    for (byte, value) in packet.iter_mut().zip(0_u8..) {
        *byte = value;
    }
    let dispatch = Dispatch::new(packet);
    assert_eq!(dispatch.workgroup(), [0x0504, 0x0706, 0x0908]);
    assert_eq!(dispatch.grid(), [0x0f0e_0d0c, 0x1312_1110, 0x1716_1514]);
    assert_eq!(dispatch.kernel_object(), Address::new(0x2726_2524_2322_2120));
    assert_eq!(dispatch.kernarg(), Address::new(0x2f2e_2d2c_2b2a_2928));
    assert_eq!(dispatch.packet(), &packet);
}

#[test]
fn an_unknown_kernel_computes_nothing_and_is_named_once() {
    let bus = bus("_Z6attendPfi", Packed::default(), &[3; 16]);
    let mut kernels = kernels();
    let named = Ran::Unknown(Some("_Z6attendPfi".to_owned()));
    assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(named.clone()));
    assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(Ran::Unknown(None)));
    assert_eq!(bus.content(DATA), [3; 16]);
    kernels.forget(&(IMAGE..IMAGE.plus(DESCRIPTOR)));
    assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(Ran::Unknown(None)), "not its memory");
    kernels.forget(&(IMAGE..IMAGE.plus(0x1000)));
    assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(named));
}

#[test]
fn another_kernel_at_the_place_of_a_freed_one_is_found_out() {
    let arguments = Packed::default().at(DATA).u32(5).u32(2);
    let bus = bus("fill_u32", arguments, &[0; 8]);
    let mut kernels = kernels();
    assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(Ran::Done));
    assert_eq!(bus.content(DATA), words([5, 5]));
    kernels.forget(&(IMAGE..IMAGE.plus(0x1000)));
    bus.put(IMAGE, &code_object("iota", &[1; 64]));
    assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(Ran::Done));
    assert_eq!(bus.content(DATA), words([5, 6]));
}

#[test]
fn a_program_s_own_kernel_comes_before_a_built_in_one() {
    let (send, receive) = mpsc::channel();
    let resolve = move |name: &str| -> Option<Program> {
        let send = send.clone();
        let program = move |launch: Launch<'_>| {
            let _ = send.send((launch.kernarg as usize, *launch.packet));
        };
        (name == "iota").then(|| Box::new(program) as Program)
    };
    let bus = bus("iota", Packed::default().at(DATA).u32(7).u32(2), &[9; 8]);
    let mut kernels = Kernels::new(Box::new(resolve));
    for _ in 0..3 {
        assert_eq!(kernels.run(&dispatch([64, 1, 1]), &bus), Ok(Ran::Done));
    }
    let host = bus.host(ARGUMENTS).expect("the test bus has it") as usize;
    let launches: Vec<_> = receive.try_iter().collect();
    assert_eq!(launches, vec![(host, *dispatch([64, 1, 1]).packet()); 3]);
    assert_eq!(bus.content(DATA), [9; 8], "the built-in kernel did not run");
}

#[test]
fn arguments_of_a_program_s_kernel_may_be_missing_but_not_unmapped() {
    let program = |_: &str| -> Option<Program> {
        Some(Box::new(|launch: Launch<'_>| assert_eq!(launch.kernarg, ptr::null_mut())))
    };
    let bus = TestBus::with(IMAGE, code_object("mine", &[1; 64]));
    let mut kernels = Kernels::new(Box::new(program));
    let mut packet = *dispatch([1, 1, 1]).packet();
    let fault = Fault { at: ARGUMENTS, bytes: 1 };
    assert_eq!(kernels.run(&Dispatch::new(packet), &bus), Err(fault));
    packet[40..48].fill(0);
    assert_eq!(kernels.run(&Dispatch::new(packet), &bus), Ok(Ran::Done));
}

#[test]
fn a_kernel_that_is_not_mapped_is_a_fault_and_is_not_remembered() {
    let nothing = TestBus::default();
    let mut kernels = kernels();
    for _ in 0..2 {
        assert!(kernels.run(&dispatch([1, 1, 1]), &nothing).is_err());
    }
    let mapped = bus("fill_u32", Packed::default().at(DATA).u32(1).u32(1), &[0; 4]);
    assert_eq!(kernels.run(&dispatch([1, 1, 1]), &mapped), Ok(Ran::Done));
}
