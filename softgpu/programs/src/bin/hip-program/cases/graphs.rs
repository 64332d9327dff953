//! Graphs.

use ringfence_softgpu_programs::hip::{Graph, Hip, Memory, Stream, Where};

/// A capture submits nothing; each launch of its graph does all of it.
pub(crate) fn graph() {
    const SIZE: usize = 65_536;
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let [from, back] = [(), ()].map(|()| Memory::new(hip, SIZE, Where::Host));
    let device = Memory::new(hip, SIZE, Where::Device);
    from.write(&stream, 0, &[1; SIZE]);
    device.set(&stream, 0, 9, SIZE);
    back.write(&stream, 0, &[9; SIZE]);
    stream.synchronize();
    let graph = Graph::capture(&stream, || {
        device.copy_from(&stream, 0, &from, 0, SIZE);
        device.set(&stream, 0, 5, SIZE / 2);
        back.copy_from(&stream, 0, &device, 0, SIZE);
    });
    assert_eq!(graph.nodes(), 3);
    assert_eq!(back.read(&stream, 0, SIZE), [9; SIZE], "a capture did something");
    let exec = graph.instantiate();
    for round in 1..20 {
        from.write(&stream, 0, &[round; SIZE]);
        exec.launch(&stream);
        stream.synchronize();
        let seen = back.read(&stream, 0, SIZE);
        assert_eq!(seen[..SIZE / 2], [5; SIZE / 2], "round {round}");
        assert_eq!(seen[SIZE / 2..], [round; SIZE / 2], "round {round}");
    }
}
