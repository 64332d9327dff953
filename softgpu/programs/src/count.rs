//! Calls of the HSA runtime, by kind, as `libhsa_count` counts them below a stack: AMD's HIP, whose calls it takes by the dynamic
//! loader's order, or Ringfence, which loads it in the runtime's place (`RINGFENCE_HSA_LIBRARY`).

/// Defines the kinds and their names.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $name:literal,)*) => {
        /// What is counted.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kind {
            $($(#[doc = $doc])* $kind,)*
        }

        impl Kind {
            /// All, in the order of their index.
            pub const ALL: [Self; KINDS] = [$(Self::$kind),*];

            /// Its name in a report.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }

        const KINDS: usize = [$(Kind::$kind),*].len();
    };
}

kinds! {
    /// Signals created.
    Created = "created",
    /// Signals destroyed.
    Destroyed = "destroyed",
    /// Loads of a signal's value.
    Load = "loads",
    /// Stores to a signal that is no queue's doorbell, read-modify-writes too.
    Store = "stores",
    /// Waits for signals.
    Wait = "waits",
    /// Handlers asked for.
    Handler = "handlers",
    /// Loads of a queue's read index.
    ReadIndex = "read_index",
    /// Readings of a packet's times.
    Times = "times",
    /// Doorbells rung.
    Doorbell = "doorbells",
    /// Kernel dispatches that doorbells told of.
    Kernel = "kernels",
    /// Barrier packets (AND and OR) that doorbells told of.
    Barrier = "barriers",
    /// Barrier-value packets, the vendor's own.
    BarrierValue = "barrier_values",
    /// Packets that are no kernel and that the device had read before they could be looked at.
    Read = "read_packets",
    /// Packets of any other type.
    Other = "other_packets",
}

/// How many calls of each kind there were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Calls([u64; KINDS]);

impl Calls {
    /// Calls of one kind.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> u64 {
        self.0[kind as usize]
    }

    /// The same with so many of one kind.
    #[must_use]
    pub const fn with(mut self, kind: Kind, calls: u64) -> Self {
        self.0[kind as usize] = calls;
        self
    }

    /// Those after `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] - earlier.0[at]))
    }

    /// Those so far; `None` if nothing counts in this process.
    #[must_use]
    pub fn so_far() -> Option<Self> {
        // SAFETY: the name ends in 0, and this asks for what is loaded already.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, READ.as_ptr()) };
        if found.is_null() {
            return None;
        }
        // SAFETY: nothing but `hsa_count` defines this name, with this type.
        let read: unsafe extern "C" fn(*mut Self) = unsafe { std::mem::transmute(found) };
        let mut calls = Self::default();
        // SAFETY: `calls` is writable.
        unsafe { read(&raw mut calls) };
        Some(calls)
    }
}

/// The function of the counter that says what it counted.
const READ: &std::ffi::CStr = c"ringfence_hsa_count";
