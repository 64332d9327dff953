//! A signal that two processes share. The second is this program again.

mod support;

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use ringfence::{backend::*, id::*};
use ringfence_hsa::{HsaError, IpcSignal};
use support::{Gpu, barrier, done};

const NAME: &str = "RINGFENCE_TEST_SHARED_SIGNAL";

#[test]
fn another_process_sees_a_shared_signal_done() {
    let Some(gpu) = Gpu::open("another_process_sees_a_shared_signal_done") else { return };
    let host = gpu.signal(SignalMemory::Host);
    assert!(matches!(gpu.device.share(host), Err(HsaError::NotShared { .. })));
    gpu.device.destroy(host);
    let signal = gpu.signal(SignalMemory::Shared);
    let name = gpu.device.share(signal).expect("a shared signal");
    let text: String = name.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut child = again(&["--exact", "the_other_process", "--ignored", "--nocapture"])
        .env(NAME, text)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program, again");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut said = move |what: &str| {
        let line = lines.find_map(|line| line.ok().filter(|line| line.contains("child: ")));
        assert!(line.as_ref().is_some_and(|line| line.contains(what)), "{line:?}, not {what}");
    };
    said("child: armed");
    gpu.submit(&barrier(Deps::NONE, signal));
    assert_eq!(done(&gpu.device, signal), SignalValue::DONE);
    said("child: done");
    child.stdin.take().expect("piped").write_all(b"bye\n").expect("it waits for that");
    assert!(child.wait().expect("it ends").success());
    gpu.device.destroy(signal);
}

#[test]
#[ignore = "the other half of the test above, in a process of its own"]
fn the_other_process() {
    let Ok(text) = std::env::var(NAME) else { return };
    let mut bytes = [0; 32];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).expect("digits");
        *byte = u8::from_str_radix(digits, 16).expect("digits");
    }
    let gpu = Gpu::open("the_other_process").expect("the first process has a runtime");
    let signal = gpu.device.attach(IpcSignal::from_bytes(bytes)).expect("a name of a signal");
    assert_eq!(gpu.device.load(signal), SignalValue::ARMED);
    println!("\nchild: armed");
    assert_eq!(done(&gpu.device, signal), SignalValue::DONE);
    println!("\nchild: done");
    std::io::stdin().read_line(&mut String::new()).expect("the first process says when");
    gpu.device.destroy(signal);
}

/// This program with other arguments, started as it was: perhaps by a loader of its own.
fn again(arguments: &[&str]) -> Command {
    let line = std::fs::read("/proc/self/cmdline").expect("/proc is there");
    let words: Vec<String> = line
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .take_while(|word| !word.is_empty())
        .collect();
    let own = std::env::args().next().expect("the program's name");
    let upto = words.iter().position(|word| *word == own).expect("it is part of the command");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..=upto]).args(arguments);
    command
}
