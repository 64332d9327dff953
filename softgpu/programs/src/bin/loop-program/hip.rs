//! The loop on HIP.

use ringfence_softgpu_programs::{
    case::setting,
    count::Calls,
    hip::{Event, Hip, Module, Stream, Timing},
};

use crate::{
    WARM_UP,
    arguments::{Arguments, Events},
    measure,
    report::Report,
};

pub(crate) fn run(arguments: &Arguments) {
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let target = setting("GFX").unwrap_or_else(|| "gfx90a".to_owned());
    let source = c"extern \"C\" __global__ void nothing() {}";
    let module = Module::compile(hip, source, &target);
    let kernel = module.kernel(c"nothing");
    let timing = match arguments.events {
        Events::Plain => Timing::Off,
        Events::Timed => Timing::Kept,
    };
    let (before, after) = (Event::new(hip, timing), Event::new(hip, timing));
    let once = || {
        before.record(&stream);
        // SAFETY: the kernel takes no argument.
        unsafe { kernel.launch(&stream, 1, &mut []) };
        after.record(&stream);
        after.synchronize();
    };
    (0..WARM_UP).for_each(|_| once());
    let calls_before = Calls::so_far();
    let blocks = measure(arguments.iterations, once);
    let calls_after = Calls::so_far();
    let mut report = Report::new("hip", arguments.iterations, blocks);
    report.calls(calls_before, calls_after);
    report.print();
}
