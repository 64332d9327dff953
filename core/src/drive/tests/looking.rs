//! What is looked at before a signal is armed.

use super::*;

#[test]
fn an_audit_looks_at_a_parked_signal_too() {
    let (gpu, queue) = (Gpu::with(Features::empty()), Numbers::new(0));
    let mut stream = open(&gpu, &queue, Policy { audit: Audit::On, ..small(2) });
    let record = stream.submit_recorded(Submission::kernel(()), None).expect("there is room");
    let held = record.hold().expect("it runs"); // a handler, say
    gpu.set(held.signal(), 0);
    let _found = stream.reclaim().expect("it is at 0");
    assert_eq!(stream.ring.parked(), 1);
    gpu.set(held.signal(), -1); // somebody decremented it once more
    drop(held);
    let told = stream.reclaim();
    assert!(matches!(told, Err(Error::OverDecrement { .. })), "armed without a look: {told:?}");
    assert_eq!((stream.ring.parked(), stream.ring.quarantined()), (0, 1));
    assert!(stream.reclaim().is_ok(), "it is told once");
}
