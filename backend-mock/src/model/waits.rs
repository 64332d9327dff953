//! What packets wait for before they can complete.

use ringfence::{
    backend::{Body, Deps, MAX_DEPS},
    id::{SignalHandle, SignalValue},
};

use super::{Blocked, ModelPacket};

/// How the vendor's barrier-value packet compares (`hsa_ext_amd.h`, `hsa_amd_barrier_value_packet_t`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Below, as signed numbers.
    Below,
    /// Not below, as signed numbers.
    AtLeast,
}
impl Compare {
    /// Whether `value` compares so with `reference`.
    pub fn holds(self, value: i64, reference: i64) -> bool {
        match self {
            Self::Equal => value == reference,
            Self::NotEqual => value != reference,
            Self::Below => value < reference,
            Self::AtLeast => value >= reference,
        }
    }
}

/// What a packet waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Waits {
    /// Nothing.
    Nothing,
    /// BARRIER_AND: until each signal was seen to be exactly 0, not necessarily at the same time.
    All(Deps),
    /// BARRIER_OR: until one was seen to be 0. Without signals it waits for nothing.
    Any(Deps),
    /// Barrier-value: until the masked value compares with a reference.
    Value {
        /// The signal.
        signal: SignalHandle,
        /// Which bits of it.
        mask: i64,
        /// How.
        compare: Compare,
        /// With what.
        reference: i64,
    },
}
impl Waits {
    /// Whether the packet can complete, where it `sees` these values. A signal that is nowhere counts
    /// as 0.
    pub fn check(&self, sees: impl Fn(SignalHandle) -> Option<SignalValue>) -> Result<(), Blocked> {
        let zero = |signal| {
            let value = sees(signal).unwrap_or(SignalValue::DONE);
            if value == SignalValue::DONE {
                Ok(())
            } else {
                Err(Blocked::WaitsFor { signal, value })
            }
        };
        match *self {
            Self::Nothing => Ok(()),
            Self::All(deps) => deps.iter().try_for_each(zero),
            Self::Any(deps) => {
                let mut first = Ok(());
                for signal in deps.iter() {
                    match zero(signal) {
                        Ok(()) => return Ok(()),
                        blocked => first = first.and(blocked),
                    }
                }
                first
            }
            Self::Value { signal, mask, compare, reference } => {
                let value = sees(signal).unwrap_or(SignalValue::DONE);
                if compare.holds(value.as_i64() & mask, reference) {
                    Ok(())
                } else {
                    Err(Blocked::WaitsFor { signal, value })
                }
            }
        }
    }
    /// The packet saw that `signal` was `value`: what that fulfils is not waited for again, whatever
    /// becomes of the signal.
    #[inline]
    pub fn saw(&mut self, signal: SignalHandle, value: SignalValue) {
        match *self {
            Self::All(deps) if value == SignalValue::DONE => {
                let mut rest = [SignalHandle::NULL; MAX_DEPS];
                let unseen = deps.iter().filter(|&other| other != signal);
                rest.iter_mut().zip(unseen).for_each(|(place, other)| *place = other);
                *self = Self::All(Deps::take(&rest).0);
            }
            Self::Any(deps) if value == SignalValue::DONE && deps.iter().any(|d| d == signal) => {
                *self = Self::Nothing;
            }
            Self::Value { signal: on, mask, compare, reference }
                if on == signal && compare.holds(value.as_i64() & mask, reference) =>
            {
                *self = Self::Nothing;
            }
            _ => {}
        }
    }
    /// The signals that are still waited for.
    #[inline]
    pub fn signals(&self) -> impl Iterator<Item = SignalHandle> + '_ {
        let (deps, value) = match self {
            Self::Nothing => (None, None),
            Self::All(deps) | Self::Any(deps) => (Some(deps), None),
            Self::Value { signal, .. } => (None, Some(*signal)),
        };
        deps.into_iter().flat_map(Deps::iter).chain(value)
    }
}
impl From<&ModelPacket> for Waits {
    fn from(packet: &ModelPacket) -> Self {
        match packet.body {
            Body::Kernel(()) => Self::Nothing,
            Body::And(deps) => Self::All(deps),
            Body::Or(deps) => Self::Any(deps),
            // The sign is masked off, so that a value below 0 is a large one: never satisfied.
            Body::Value(wait) => Self::Value {
                signal: wait.signal,
                mask: i64::MAX,
                compare: Compare::Below,
                reference: wait.below.as_i64(),
            },
        }
    }
}
