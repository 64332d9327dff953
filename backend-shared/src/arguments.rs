//! A kernel's arguments, and the extent of its launch.

use ringfence::id::RawMemory;

/// Numbers in x, y and z; each is 1 or more.
///
/// ```
/// use ringfence_backend_shared::arguments::Extent;
/// let surface = Extent::plane(640_u32.div_ceil(16), 480_u32.div_ceil(16)); // groups of 16 by 16
/// assert_eq!(surface, Extent { x: 40, y: 30, z: 1 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent {
    /// In x.
    pub x: u32,
    /// In y.
    pub y: u32,
    /// In z.
    pub z: u32,
}

impl Extent {
    /// One dimension.
    #[must_use]
    pub const fn line(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
    /// Two dimensions.
    #[must_use]
    pub const fn plane(x: u32, y: u32) -> Self {
        Self { x, y, z: 1 }
    }
}

/// Arguments that a kernel can have.
pub const MOST: usize = 12;

/// The arguments of a kernel, in the order of its parameters: numbers and addresses of up to 8 bytes each.
///
/// ```
/// use ringfence::id::RawMemory;
/// use ringfence_backend_shared::arguments::Arguments;
/// let arguments = Arguments::NONE.address(RawMemory::new(0x1000)).u32(7).f32(0.5);
/// assert_eq!(arguments.count(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arguments {
    values: [u64; MOST],
    count: usize,
}

impl Arguments {
    /// No argument.
    pub const NONE: Self = Self { values: [0; MOST], count: 0 };

    /// And a `u32`.
    #[must_use]
    pub const fn u32(self, value: u32) -> Self {
        self.u64(value as u64)
    }
    /// And a `u64`.
    ///
    /// # Panics
    /// At the thirteenth argument.
    #[must_use]
    pub const fn u64(mut self, value: u64) -> Self {
        assert!(self.count < MOST, "a launch takes 12 arguments; put more into memory");
        self.values[self.count] = value;
        self.count += 1;
        self
    }
    /// And an `f32`.
    #[must_use]
    pub const fn f32(self, value: f32) -> Self {
        self.u32(value.to_bits())
    }
    /// And a pointer to device memory.
    #[must_use]
    pub const fn address(self, memory: RawMemory) -> Self {
        self.u64(memory.as_u64())
    }
    /// Their values, and 0 behind them.
    #[must_use]
    pub const fn values(self) -> [u64; MOST] {
        self.values
    }
    /// How many.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }
}
