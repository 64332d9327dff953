//! A handler on the callback thread against the owner of the ring.

use super::*;
use crate::{
    backend::{
        Capabilities, Created, Device, DeviceStatus, Features, HandlerToken, Handlers,
        HostDataPath, HostWait, Profiler, RingMemory, Signals, Timestamps, WaitHint, WaitOutcome,
    },
    drive::{HandlerTable, Watched},
    error::{CreateError, HandlerRefused},
    id::SignalValue,
    ring::{Custody, Outcome, Reaper, Record},
    sync::model::{Tracked, thread},
    timing::{RawInterval, TickRate},
};

/// A device with one signal whose use is over; every access to the signal is race-checked.
struct OneSignal(Tracked<()>);
impl Signals for OneSignal {
    fn create(&self, _: SignalMemory, _: &mut [SignalHandle]) -> Result<Created, CreateError> {
        Err(CreateError::Unsupported)
    }
    fn destroy(&self, _: SignalHandle) {
        panic!("nothing is destroyed on a callback thread");
    }
    fn load(&self, _: SignalHandle) -> SignalValue {
        self.0.with(|_| SignalValue::DONE)
    }
    fn arm(&self, _: SignalHandle, _: SignalValue) {
        self.0.with_mut(|_| ());
    }
    fn publish_stores(&self) {}
    fn flush(&self) {}
}
impl HostWait for OneSignal {
    fn wait(&self, _: SignalHandle, _: SignalValue, _: WaitHint, _: Duration) -> WaitOutcome {
        WaitOutcome::TimedOut
    }
    fn force(&self, _: SignalHandle) {}
}
impl Timestamps for OneSignal {
    fn timestamps(&self, _: SignalHandle, _: Engine) -> RawInterval {
        self.0.with(|_| RawInterval::new(3, 8))
    }
    fn tick_rate(&self) -> TickRate {
        TickRate::new(std::num::NonZeroU64::MIN)
    }
}
impl Device for OneSignal {
    fn id(&self) -> DeviceId {
        DeviceId::new(0)
    }
    fn capabilities(&self) -> Capabilities {
        let features = Features::INTERRUPTS;
        Capabilities::new(features, RingMemory::System, HostDataPath::Hdp)
    }
    fn status(&self) -> DeviceStatus {
        DeviceStatus::Alive
    }
    fn profiler(&self) -> Profiler {
        Profiler::Absent
    }
}
impl Handlers for OneSignal {
    fn watch(&self, _: SignalHandle, _: HandlerToken) -> Result<(), HandlerRefused> {
        Ok(())
    }
}

static HANDLED_FIRST: Probe = Probe::new();
static PARKED: Probe = Probe::new();

fn handler_against_owner() {
    let device = Arc::new(OneSignal(Tracked::new(())));
    let table = Arc::new(HandlerTable::new());
    let mut custody = Custody::new(signal(), Arc::new(Reaper::new()));
    let mut record = Record::vacant();
    record.renew(about(use_of(0), None), custody.lend());
    let record = Arc::new(record);
    let watched = table.watch(&*device, &record, ());
    assert_eq!(watched, Ok(Watched::Later));
    let callback = {
        let (device, table) = (device.clone(), table.clone());
        thread::spawn(move || {
            let handled = table.handle(&*device, HandlerToken::new(1)).expect("watched");
            assert_eq!(handled.outcome, Outcome::Finished);
        })
    };
    let _outcome = record.retire();
    if custody.sole().is_some() {
        device.arm(signal(), SignalValue::ARMED);
        HANDLED_FIRST.hit();
    } else {
        PARKED.hit();
    }
    callback.join().expect("the callback thread");
    assert!(custody.sole().is_some(), "the handler let go");
    assert_eq!(table.waiting(), 0);
}

#[test]
fn loom_handler_against_owner() {
    let probes = [("handled first", &HANDLED_FIRST), ("parked", &PARKED)];
    must_pass("handler against owner", 74, &probes, handler_against_owner);
    must_fail("handler against owner", Plant::Rule(Fault::ArmWhileHeld), handler_against_owner);
    must_fail("handler against owner", Plant::Rule(Fault::DestroyInHandler), handler_against_owner);
}
