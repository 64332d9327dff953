//! The name of a kernel, from the code object that the loader copied to device memory.
//!
//! The loader copies an ELF's segments as they are, so that its headers and its dynamic symbols lie in
//! the allocation with the kernel: a symbol `NAME.kd` has the descriptor's offset as its value.
//! <https://llvm.org/docs/AMDGPUUsage.html#code-object>. Anything may lie there: all is bounded.

use crate::{address::Address, bus::Bus};

/// Bytes of a symbol.
const SYMBOL: u64 = 24;
const MOST_SYMBOLS: u32 = 1 << 16;
const MOST_ENTRIES: u64 = 256;
const LONGEST_NAME: u64 = 4096;

/// The allocation around a descriptor.
struct Image<'a, B> {
    start: Address,
    bytes: u64,
    bus: &'a B,
}
/// Where the dynamic section says that tables are, as offsets.
#[derive(Default)]
struct Tables {
    symbols: Option<u64>,
    strings: Option<u64>,
    hash: Option<u64>,
}

/// The kernel's name; `None` if there is no code object around it, or none that tells.
pub(super) fn of(object: Address, bus: &impl Bus) -> Option<String> {
    let (start, bytes) = bus.extent(object)?;
    let image = Image { start, bytes, bus };
    let offset = object.since(start)?;
    let tables = image.tables(image.dynamic_section()?);
    let (symbols, strings) = (tables.symbols?, tables.strings?);
    let [_, count] = image.words(tables.hash?)?;
    let symbol = |index: u32| symbols.checked_add(u64::from(index) * SYMBOL);
    (0..count.min(MOST_SYMBOLS))
        .map_while(|index| Some((symbol(index)?, image.long(symbol(index)?.checked_add(8)?)?)))
        .filter(|&(_, value)| value == offset)
        .find_map(|(symbol, _)| {
            let [at] = image.words(symbol)?;
            let name = image.string(strings.checked_add(at.into())?)?;
            Some(name.strip_suffix(".kd")?.to_owned())
        })
}

impl<B: Bus> Image<'_, B> {
    /// The dynamic section's offset, if this is a code object.
    fn dynamic_section(&self) -> Option<u64> {
        const MAGIC_64_BIT_LITTLE: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
        const AMDGPU: u16 = 224;
        const DYNAMIC: u32 = 2;
        let half = |at| self.array(at).map(u16::from_le_bytes);
        if self.array(0)? != MAGIC_64_BIT_LITTLE || half(18)? != AMDGPU {
            return None;
        }
        let (headers, bytes, count) = (self.long(32)?, half(54)?, half(56)?);
        (0..u64::from(count))
            .map_while(|index| headers.checked_add(index * u64::from(bytes)))
            .find(|&header| self.words(header) == Some([DYNAMIC]))
            .and_then(|header| self.long(header.checked_add(16)?))
    }
    fn tables(&self, section: u64) -> Tables {
        const END: u64 = 0;
        let mut tables = Tables::default();
        for index in 0..MOST_ENTRIES {
            let entry = section.saturating_add(index * 16);
            match (self.long(entry), self.long(entry.saturating_add(8))) {
                (Some(END), _) | (None, _) | (_, None) => break,
                (Some(4), hash) => tables.hash = hash,
                (Some(5), strings) => tables.strings = strings,
                (Some(6), symbols) => tables.symbols = symbols,
                _ => {}
            }
        }
        tables
    }
    fn string(&self, at: u64) -> Option<String> {
        let left = self.bytes.checked_sub(at)?.min(LONGEST_NAME);
        let mut bytes = vec![0; usize::try_from(left).ok()?];
        self.bus.read(self.start.plus(at), &mut bytes).ok()?;
        bytes.truncate(bytes.iter().position(|&byte| byte == 0)?);
        String::from_utf8(bytes).ok()
    }
    fn words<const N: usize>(&self, at: u64) -> Option<[u32; N]> {
        let mut words = [0; N];
        for (word, index) in words.iter_mut().zip(0..) {
            *word = u32::from_le_bytes(self.array(at.checked_add(index * 4)?)?);
        }
        Some(words)
    }
    fn long(&self, at: u64) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }
    fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        let within = at.checked_add(N as u64).is_some_and(|end| end <= self.bytes);
        within.then(|| self.bus.read(self.start.plus(at), &mut bytes).ok())??;
        Some(bytes)
    }
}
