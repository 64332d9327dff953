use super::*;

fn queue_of_three(bench: &mut Bench) -> UseId {
    let packet = kernel(Barrier::Clear, SignalHandle::NULL);
    let first = bench.publish(bench.q0, packet);
    bench.publish(bench.q0, packet);
    bench.publish(bench.q0, packet);
    first
}

#[test]
fn it_leads_completion_up_to_what_is_published() {
    let mut bench = Bench::new();
    queue_of_three(&mut bench);
    let _ = bench.model.apply(Move::Read(bench.q0, PacketId::new(3)));
    let queue = bench.model.queue(bench.q0).unwrap();
    assert_eq!((queue.read_index(), queue.complete_below()), (PacketId::new(3), PacketId::FIRST));
    let (read, published) = (PacketId::new(3), PacketId::new(3));
    assert_eq!(
        bench.model.check(Move::Read(bench.q0, PacketId::new(4))),
        Err(Blocked::ReadIndexRange { read, published })
    );
}

#[test]
fn it_lags_completion_for_as_long_as_it_likes() {
    let mut bench = Bench::new();
    let first = queue_of_three(&mut bench);
    for at in 0..3 {
        bench.run(UseId::new(bench.q0, PacketId::new(at)));
    }
    assert!(bench.is_complete(first));
    assert_eq!(bench.model.queue(bench.q0).unwrap().read_index(), PacketId::FIRST);
}

#[test]
fn it_never_goes_back() {
    let mut bench = Bench::new();
    queue_of_three(&mut bench);
    let _ = bench.model.apply(Move::Read(bench.q0, PacketId::new(2)));
    assert!(bench.model.check(Move::Read(bench.q0, PacketId::new(1))).is_err());
    assert!(bench.model.check(Move::Read(bench.q0, PacketId::new(2))).is_ok());
}
