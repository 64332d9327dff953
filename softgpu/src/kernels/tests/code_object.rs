//! A code object as the loader leaves it in memory, as small as it may be.

/// Where its kernel's descriptor lies.
pub(super) const DESCRIPTOR: u64 = 0x400;
/// Where its code lies.
pub(super) const CODE: u64 = 0x500;

/// Where the tables lie.
pub(super) const HEADERS: usize = 64;
pub(super) const DYNAMIC: usize = 0x100;
pub(super) const SYMBOLS: usize = 0x180;
pub(super) const STRINGS: usize = 0x200;
pub(super) const HASH: usize = 0x380;

/// A descriptor that says where the code is, and the code.
pub(super) fn kernel_without_a_name(code: &[u8; 64]) -> Vec<u8> {
    let mut image = vec![0; 0x600];
    put(&mut image, DESCRIPTOR as usize + 16, &(CODE - DESCRIPTOR).to_le_bytes());
    put(&mut image, CODE as usize, code);
    image
}
/// The whole, with a function's symbol beside the descriptor's.
pub(super) fn code_object(name: &str, code: &[u8; 64]) -> Vec<u8> {
    let mut image = kernel_without_a_name(code);
    put(&mut image, 0, b"\x7fELF\x02\x01\x01\x40");
    put(&mut image, 18, &224_u16.to_le_bytes());
    put(&mut image, 32, &(HEADERS as u64).to_le_bytes());
    put(&mut image, 54, &56_u16.to_le_bytes());
    put(&mut image, 56, &2_u16.to_le_bytes());
    put(&mut image, HEADERS, &1_u32.to_le_bytes()); // PT_LOAD
    put(&mut image, HEADERS + 56, &2_u32.to_le_bytes()); // PT_DYNAMIC
    put(&mut image, HEADERS + 56 + 16, &(DYNAMIC as u64).to_le_bytes());
    for (index, (tag, value)) in
        [(6, SYMBOLS), (10, 0x100), (5, STRINGS), (4, HASH)].into_iter().enumerate()
    {
        put(&mut image, DYNAMIC + index * 16, &u64::to_le_bytes(tag));
        put(&mut image, DYNAMIC + index * 16 + 8, &(value as u64).to_le_bytes());
    }
    put(&mut image, HASH, &words(&[1, 3]));
    let descriptor = format!("{name}.kd");
    put(&mut image, STRINGS + 1, name.as_bytes());
    put(&mut image, STRINGS + 2 + name.len(), descriptor.as_bytes());
    put(&mut image, SYMBOLS + 24, &1_u32.to_le_bytes());
    put(&mut image, SYMBOLS + 24 + 8, &CODE.to_le_bytes());
    put(&mut image, SYMBOLS + 48, &(name.len() as u32 + 2).to_le_bytes());
    put(&mut image, SYMBOLS + 48 + 8, &DESCRIPTOR.to_le_bytes());
    image
}
pub(super) fn put(image: &mut [u8], at: usize, bytes: &[u8]) {
    image[at..at + bytes.len()].copy_from_slice(bytes);
}
fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
