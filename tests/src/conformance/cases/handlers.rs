//! `Handlers`: who is called back, when, and how often.

use ringfence::{
    backend::{Features, HandlerToken, Handlers, SignalMemory},
    id::SignalHandle,
};

use super::super::{
    Checked, Length, Subject,
    bench::{Bench, GRACE, PATIENCE, needs_feature},
    check::{check, same},
};

/// How often `token` was reported.
fn times<S: Subject>(on: &S, token: HandlerToken) -> usize {
    on.reported(0).into_iter().filter(|&reported| reported == token).count()
}
/// Tokens that no other test of the process uses.
fn token(test: u64, number: u64) -> HandlerToken {
    HandlerToken::new(test << 32 | number)
}
/// It is reported once, and not a second time.
fn is_reported<S: Subject>(on: &S, what: &str, token: HandlerToken) -> Checked {
    let reported = on.settle(PATIENCE, || times(on, token) > 0);
    check!(reported, "{what}: {token:?} was not reported within {PATIENCE:?}");
    on.settle(GRACE, || times(on, token) > 1);
    same(what, times(on, token), 1)
}
fn is_silent<S: Subject>(on: &S, what: &str, token: HandlerToken) -> Checked {
    on.settle(GRACE, || times(on, token) > 0);
    same(what, times(on, token), 0)
}
fn watch<S: Subject>(bench: &Bench<'_, S>, signal: SignalHandle, token: HandlerToken) -> Checked {
    same("a handler", bench.device.watch(signal, token), Ok(()))
}
fn watched<S: Subject>(on: &S) -> Checked<(Bench<'_, S>, SignalHandle)> {
    needs_feature(on, Features::INTERRUPTS, "signals that wake a thread")?;
    let bench = Bench::new(on);
    let signal = bench.signal(SignalMemory::Interrupt)?;
    Ok((bench, signal))
}

pub(super) fn report_once<S: Subject>(on: &S) -> Checked {
    let (bench, signal) = watched(on)?;
    for round in 0..20 {
        let token = token(1, round);
        let gate = bench.close_gate()?;
        bench.run(Length::Short, signal);
        watch(&bench, signal, token)?;
        is_silent(on, "a handler of what is held back", token)?;
        bench.open_gate(gate);
        is_reported(on, "a handler of what has finished", token)?;
        same("the value by then", bench.value(signal), 0)?;
        bench.arm(signal, 1);
    }
    Ok(())
}
/// Set when it is over already.
pub(super) fn report_what_is_over<S: Subject>(on: &S) -> Checked {
    let (bench, signal) = watched(on)?;
    bench.run(Length::Short, signal);
    bench.finishes("a kernel", signal)?;
    watch(&bench, signal, token(2, 0))?;
    is_reported(on, "a handler set on what is over", token(2, 0))
}
pub(super) fn report_many<S: Subject>(on: &S) -> Checked {
    const COUNT: usize = 100;
    let (bench, _) = watched(on)?;
    let signals = bench.signals(SignalMemory::Interrupt, COUNT)?;
    let gate = bench.close_gate()?;
    for (number, &signal) in (0..).zip(&signals) {
        bench.run(if number % 8 == 0 { Length::Long } else { Length::Short }, signal);
        watch(&bench, signal, token(3, number))?;
        if number == 20 {
            bench.open_gate(gate);
        }
    }
    (0..COUNT as u64).try_for_each(|number| is_reported(on, "one of many", token(3, number)))
}
/// Several on one signal: each is told.
pub(super) fn report_to_several<S: Subject>(on: &S) -> Checked {
    let (bench, signal) = watched(on)?;
    let gate = bench.close_gate()?;
    bench.run(Length::Short, signal);
    (0..4).try_for_each(|number| watch(&bench, signal, token(4, number)))?;
    is_silent(on, "a handler of what is held back", token(4, 3))?;
    bench.open_gate(gate);
    (0..4).try_for_each(|number| is_reported(on, "one of four", token(4, number)))
}
/// One that waits keeps no other from being told.
pub(super) fn report_in_any_order<S: Subject>(on: &S) -> Checked {
    let (bench, held) = watched(on)?;
    let gate = bench.close_gate()?;
    bench.run(Length::Short, held);
    watch(&bench, held, token(5, 0))?;
    let other = bench.beside();
    for number in 1..10 {
        let done = other.signal(SignalMemory::Interrupt)?;
        watch(&other, done, token(5, number))?;
        other.run(Length::Short, done);
        is_reported(on, "a handler beside one that waits", token(5, number))?;
    }
    is_silent(on, "the one that waits", token(5, 0))?;
    bench.open_gate(gate);
    is_reported(on, "the one that waited", token(5, 0))
}
/// A signal that wakes nobody is refused, and its token never comes; or it is taken, and does.
pub(super) fn refuse_what_wakes_nobody<S: Subject>(on: &S) -> Checked {
    for (number, memory) in (0..).zip(super::signals::memories(on)) {
        let bench = Bench::new(on);
        let signal = bench.signal(memory)?;
        let taken = bench.device.watch(signal, token(6, number));
        bench.run(Length::Short, signal);
        bench.finishes("a kernel", signal)?;
        match taken {
            Ok(()) => is_reported(on, &format!("a handler in {memory} memory"), token(6, number))?,
            Err(_) => is_silent(on, "a handler that was refused", token(6, number))?,
        }
        let refused = taken.is_err() && memory == SignalMemory::Interrupt;
        check!(!refused, "a handler on an interrupt signal was refused: {taken:?}");
    }
    Ok(())
}
pub(super) fn report_a_loss<S: Subject>(on: &S) -> Checked {
    let (bench, signal) = watched(on)?;
    bench.close_gate()?;
    bench.run(Length::Short, signal);
    watch(&bench, signal, token(7, 0))?;
    is_silent(on, "a handler of what is held back", token(7, 0))?;
    on.lose(0);
    is_reported(on, "a handler on a device that was lost", token(7, 0))
}
