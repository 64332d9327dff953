//! What kernels compute, without an instruction set.
//!
//! A kernel is known by its name, which the code object in device memory still holds, or, for ROCr's
//! own, by a fingerprint of its code. Known ones are computed over the [`Bus`]; a program may bring its
//! own as host functions ([`Resolve`]); all others complete and compute nothing.

mod arguments;
mod blit;
mod fingerprint;
mod name;
mod named;
mod rocclr;

#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
    ptr,
};

use self::{
    arguments::Arguments, blit::Blit, fingerprint::Fingerprint, named::Named, rocclr::Rocclr,
};
use crate::{
    address::Address,
    bus::{Bus, Fault},
};

/// A kernel dispatch packet (HSA 2.9.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dispatch([u8; 64]);
impl Dispatch {
    /// The packet with these bytes, whose type is not looked at.
    pub const fn new(packet: [u8; 64]) -> Self {
        Self(packet)
    }
    /// All of it.
    pub const fn packet(&self) -> &[u8; 64] {
        &self.0
    }
    /// The kernel's descriptor.
    pub fn kernel_object(&self) -> Address {
        Address::new(u64::from_le_bytes(self.field(32)))
    }
    /// Its arguments, or null.
    pub fn kernarg(&self) -> Address {
        Address::new(u64::from_le_bytes(self.field(40)))
    }
    /// Work-items in x, y, z.
    pub fn grid(&self) -> [u32; 3] {
        [12, 16, 20].map(|at| u32::from_le_bytes(self.field(at)))
    }
    /// Work-items of a work-group in x, y, z.
    pub fn workgroup(&self) -> [u16; 3] {
        [4, 6, 8].map(|at| u16::from_le_bytes(self.field(at)))
    }
    fn field<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("fields lie within the packet")
    }
}

/// What a kernel that is a function of the program is called with.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Its arguments where the host has them; null if the packet names none.
    pub kernarg: *mut u8,
    /// The packet, for the sizes of the grid.
    pub packet: &'a [u8; 64],
}
/// A kernel that is a function of the program. It runs on the engine's thread.
pub type Program = Box<dyn Fn(Launch<'_>) + Send>;
/// Finds the program's function for a kernel's name.
pub type Resolve = dyn Fn(&str) -> Option<Program> + Send;

/// What became of a dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub enum Ran {
    /// What the kernel writes can be seen.
    Done,
    /// The kernel waits for memory to change. Run it again.
    Waiting,
    /// The kernel is not modelled, and computed nothing. Its name, or its code's fingerprint, only the
    /// first time.
    Unknown(Option<String>),
}

enum Kernel {
    Blit(Blit),
    Rocclr(Rocclr),
    Program(Program),
    Named(Named),
    Unknown(Option<String>),
}
/// The kernels that were run, by the address of their descriptors.
pub struct Kernels {
    resolve: Box<Resolve>,
    known: HashMap<Address, Kernel>,
}
impl Kernels {
    /// None yet. `resolve` is asked once for the name of each, before the built-in ones.
    pub fn new(resolve: Box<Resolve>) -> Self {
        Self { resolve, known: HashMap::new() }
    }
    /// Runs a kernel to its end, or finds that it must wait.
    ///
    /// # Errors
    /// It touches an address that nothing is mapped at, or its descriptor or code lies at one. What it
    /// wrote before that stays.
    pub fn run(&mut self, dispatch: &Dispatch, bus: &impl Bus) -> Result<Ran, Fault> {
        let object = dispatch.kernel_object();
        let kernel = match self.known.entry(object) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Kernel::identify(object, &self.resolve, bus)?),
        };
        let arguments = Arguments::new(dispatch, bus);
        match kernel {
            Kernel::Blit(blit) => blit.run(&arguments)?,
            Kernel::Rocclr(kernel) => return kernel.run(&arguments),
            Kernel::Program(program) => program(launch(dispatch, bus)?),
            Kernel::Named(kernel) => kernel.run(&arguments)?,
            Kernel::Unknown(name) => return Ok(Ran::Unknown(name.take())),
        }
        Ok(Ran::Done)
    }
    /// Memory was freed: other kernels may come to lie there.
    pub fn forget(&mut self, freed: &Range<Address>) {
        self.known.retain(|object, _| !freed.contains(object));
    }
}
impl Kernel {
    fn identify(object: Address, resolve: &Resolve, bus: &impl Bus) -> Result<Self, Fault> {
        let Some(name) = name::of(object, bus) else {
            let fingerprint = Fingerprint::of(object, bus)?;
            let blit = Blit::with(fingerprint).map(Self::Blit);
            return Ok(blit.unwrap_or_else(|| Self::Unknown(Some(fingerprint.to_string()))));
        };
        Ok(Rocclr::of(&name)
            .map(Self::Rocclr)
            .or_else(|| resolve(&name).map(Self::Program))
            .or_else(|| Named::of(&name).map(Self::Named))
            .unwrap_or(Self::Unknown(Some(name))))
    }
}

fn launch<'a>(dispatch: &'a Dispatch, bus: &impl Bus) -> Result<Launch<'a>, Fault> {
    let at = dispatch.kernarg();
    let kernarg = match bus.host(at) {
        Some(kernarg) => kernarg,
        None if at.is_null() => ptr::null_mut(),
        None => return Err(Fault { at, bytes: 1 }),
    };
    Ok(Launch { kernarg, packet: dispatch.packet() })
}
