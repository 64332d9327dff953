//! Events, on one thread with waits that take no time, and on several that wait for ever.

use std::{num::NonZeroU64, thread};

use super::*;
use crate::settings::Profile;

/// Long enough for any machine, so that a wait that is never ended fails and does not hang.
const LONG: Option<Duration> = Some(Duration::from_secs(60));

fn events() -> Events {
    Events::new(&Settings::of(Profile::Quiet))
}
fn signal(events: &Events, reset: Reset) -> u32 {
    events.create(Topic::Signal, reset).expect("a free event")
}
/// Watches an event whose age the thread knows; 0: it asks for none.
fn watched(event: u32, age: u64) -> Watched {
    Watched { event, age, topic: Topic::Other, news: News::None }
}
/// Whether an event is raised for this thread, which does not wait.
fn look_with(events: &Events, event: u32, age: u64) -> WaitEnd {
    events.wait(&mut [watched(event, age)], Need::Any, Some(Duration::ZERO)).expect("an event")
}
fn look(events: &Events, event: u32) -> WaitEnd {
    look_with(events, event, 0)
}
fn age(events: &Events, event: u32) -> u64 {
    lock(&events.table).get(event).expect("an event").age
}
fn in_use(events: &Events) -> usize {
    lock(&events.table).events.iter().flatten().count()
}
fn waiting(events: &Events, event: u32) -> usize {
    lock(&events.table).get(event).expect("an event").waiters.len()
}
/// Returns once so many threads sleep on an event.
fn until_waiting(events: &Events, event: u32, threads: usize) {
    while waiting(events, event) != threads {
        thread::yield_now();
    }
}

#[test]
fn an_event_that_resets_itself_is_raised_once_for_whoever_comes() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    assert_eq!(look(&events, event), WaitEnd::TimedOut);
    events.raise(event).unwrap();
    events.raise(event).unwrap();
    assert_eq!(look(&events, event), WaitEnd::Raised);
    assert_eq!(look(&events, event), WaitEnd::TimedOut);
}

#[test]
fn an_event_that_is_reset_by_hand_stays_raised() {
    let events = events();
    let event = signal(&events, Reset::Manual);
    events.raise(event).unwrap();
    assert_eq!([0, 1, 2].map(|_| look(&events, event)), [WaitEnd::Raised; 3]);
    events.reset(event).unwrap();
    assert_eq!(look(&events, event), WaitEnd::TimedOut);
}

#[test]
fn resetting_ends_a_raise_that_nobody_took() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    events.raise(event).unwrap();
    events.reset(event).unwrap();
    assert_eq!(look_with(&events, event, age(&events, event)), WaitEnd::TimedOut);
}

#[test]
fn who_knows_an_older_age_does_not_sleep() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    let mut known = [watched(event, 1)];
    let wait = |known: &mut [Watched]| events.wait(known, Need::Any, Some(Duration::ZERO));
    assert_eq!(wait(&mut known), Ok(WaitEnd::TimedOut));
    for raises in [1, 3] {
        (0..raises).for_each(|_| events.raise(event).unwrap());
        // Another thread takes the raise.
        assert_eq!(look(&events, event), WaitEnd::Raised);
        assert_eq!(wait(&mut known), Ok(WaitEnd::Raised));
        assert_eq!(known[0].age, age(&events, event));
        assert_eq!(wait(&mut known), Ok(WaitEnd::TimedOut));
    }
    assert_eq!(known[0].age, 5);
}

#[test]
fn ages_never_become_0_again() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    lock(&events.table).get(event).unwrap().age = u64::MAX;
    events.raise(event).unwrap();
    assert!(
        age(&events, event) > 1,
        "0 asks for no age, 1 is that of an event that was never raised"
    );
}

/// The runtime's main thread and its event thread, on one event, without ages: whoever takes the raise
/// first, the other one is told of it too.
#[test]
fn a_raise_that_one_thread_took_is_news_to_the_other() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    for round in 0..3 {
        events.raise(event).unwrap();
        assert_eq!(look(&events, event), WaitEnd::Raised, "round {round}");
        thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(look(&events, event), WaitEnd::Raised, "round {round}");
                assert_eq!(look(&events, event), WaitEnd::TimedOut, "round {round}");
            });
        });
        assert_eq!(look(&events, event), WaitEnd::TimedOut, "round {round}");
    }
}

#[test]
fn only_signals_have_ages() {
    let events = events();
    let event = events.create(Topic::Memory, Reset::Automatic).unwrap();
    events.raise(event).unwrap();
    assert_eq!(look(&events, event), WaitEnd::Raised);
    assert_eq!(look_with(&events, event, 1), WaitEnd::TimedOut);
}

#[test]
fn a_waiter_that_another_event_has_woken_takes_no_raise() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    let woken = Arc::new(Waiter { missing: AtomicU32::new(0) });
    lock(&events.table).get(event).unwrap().waiters.push(woken);
    events.raise(event).unwrap();
    assert_eq!(look_with(&events, event, age(&events, event)), WaitEnd::Raised);
}

#[test]
fn a_raise_ends_the_wait_of_every_thread_and_is_taken_by_them() {
    let events = events();
    for reset in [Reset::Automatic, Reset::Manual] {
        let event = signal(&events, reset);
        thread::scope(|scope| {
            let wait = || events.wait(&mut [watched(event, 1)], Need::Any, LONG);
            let sleeping = [scope.spawn(wait), scope.spawn(wait)];
            until_waiting(&events, event, 2);
            events.raise(event).unwrap();
            let ends = sleeping.map(|thread| thread.join().expect("no panic"));
            assert_eq!(ends, [Ok(WaitEnd::Raised); 2]);
        });
        let left = look_with(&events, event, age(&events, event));
        assert_eq!(left == WaitEnd::Raised, reset == Reset::Manual);
    }
}

#[test]
fn one_of_several_is_enough_unless_all_are_needed() {
    let events = events();
    let pair = [0, 1].map(|_| signal(&events, Reset::Manual));
    let look = |need| {
        let mut both = pair.map(|event| watched(event, 0));
        events.wait(&mut both, need, Some(Duration::ZERO))
    };
    assert_eq!([look(Need::Any), look(Need::All)], [Ok(WaitEnd::TimedOut); 2]);
    events.raise(pair[1]).unwrap();
    assert_eq!(look(Need::Any), Ok(WaitEnd::Raised));
    assert_eq!(look(Need::All), Ok(WaitEnd::TimedOut));
    events.raise(pair[0]).unwrap();
    assert_eq!(look(Need::All), Ok(WaitEnd::Raised));
    let none = |need| events.wait(&mut [], need, None);
    assert_eq!([none(Need::Any), none(Need::All)], [Ok(WaitEnd::Raised); 2], "nothing to wait for");
}

#[test]
fn a_sleeper_that_needs_all_wakes_at_the_last() {
    let events = events();
    let pair = [0, 1].map(|_| signal(&events, Reset::Automatic));
    thread::scope(|scope| {
        let sleeping = scope.spawn(|| {
            let mut both = pair.map(|event| watched(event, 1));
            (events.wait(&mut both, Need::All, LONG), both.map(|one| one.age))
        });
        until_waiting(&events, pair[1], 1);
        events.raise(pair[0]).unwrap();
        // Raised again, it still is but one of the two.
        events.raise(pair[0]).unwrap();
        assert_eq!(
            lock(&events.table).get(pair[1]).unwrap().waiters[0].missing.load(Ordering::Acquire),
            1
        );
        events.raise(pair[1]).unwrap();
        assert_eq!(sleeping.join().expect("no panic"), (Ok(WaitEnd::Raised), [3, 2]));
    });
}

#[test]
fn nobody_is_left_on_an_event_after_a_wait() {
    let events = events();
    let pair = [0, 1].map(|_| signal(&events, Reset::Automatic));
    events.raise(pair[0]).unwrap();
    let mut both = pair.map(|event| watched(event, 0));
    assert_eq!(events.wait(&mut both, Need::Any, None), Ok(WaitEnd::Raised));
    assert_eq!(pair.map(|event| waiting(&events, event)), [0, 0]);
}

#[test]
fn threads_that_answer_each_other_never_miss_a_raise() {
    const ROUNDS: u32 = 2000;
    let events = events();
    for ages in [false, true] {
        let [ping, pong] = [0, 1].map(|_| signal(&events, Reset::Automatic));
        let play = |of: u32, to: u32, first: bool| {
            let mut on = [watched(of, u64::from(ages))];
            for round in 0..ROUNDS {
                if first {
                    events.raise(to).unwrap();
                }
                assert_eq!(events.wait(&mut on, Need::Any, LONG), Ok(WaitEnd::Raised), "{round}");
                on[0].age = if ages { on[0].age } else { 0 };
                if !first {
                    events.raise(to).unwrap();
                }
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| play(ping, pong, true));
            scope.spawn(|| play(pong, ping, false));
        });
    }
}

#[test]
fn destroying_an_event_wakes_who_sleeps_on_it() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    thread::scope(|scope| {
        let sleeping = scope.spawn(|| events.wait(&mut [watched(event, 1)], Need::Any, LONG));
        until_waiting(&events, event, 1);
        events.destroy(event).unwrap();
        assert_eq!(sleeping.join().expect("no panic"), Ok(WaitEnd::Raised));
    });
}

#[test]
fn an_event_that_is_not_there_is_an_error() {
    let events = events();
    let event = signal(&events, Reset::Automatic);
    events.destroy(event).unwrap();
    for number in [0, event, event + 1, u32::MAX] {
        let unknown = EventError::Unknown(number);
        assert_eq!(events.raise(number), Err(unknown));
        assert_eq!(events.reset(number), Err(unknown));
        assert_eq!(events.destroy(number), Err(unknown));
        let mut on = [watched(number, 0)];
        assert_eq!(events.wait(&mut on, Need::Any, None), Err(unknown));
        events.interrupt(number);
    }
    let there = signal(&events, Reset::Automatic);
    let mut on = [watched(there, 1), watched(event, 0)];
    assert_eq!(events.wait(&mut on, Need::Any, None), Err(EventError::Unknown(event)));
    assert_eq!(waiting(&events, there), 0);
}

#[test]
fn events_run_out_and_come_back() {
    let settings = Settings { events: 4, ..Settings::of(Profile::Quiet) };
    let events = Events::new(&settings);
    let create = || events.create(Topic::Signal, Reset::Automatic);
    let mut all = [0; 3].map(|_| create().expect("one is left"));
    all.sort_unstable();
    assert_eq!((all, in_use(&events)), ([1, 2, 3], 3), "number 0 is none");
    assert_eq!(create(), Err(EventError::Exhausted));
    events.raise(2).unwrap();
    events.destroy(2).unwrap();
    assert_eq!((create(), in_use(&events)), (Ok(2), 3));
    assert_eq!(look(&events, 2), WaitEnd::TimedOut, "it is another event");
}

#[test]
fn a_number_is_not_used_again_at_once() {
    let events = events();
    let first = signal(&events, Reset::Automatic);
    events.destroy(first).unwrap();
    assert_ne!(signal(&events, Reset::Automatic), first);
}

#[test]
fn of_so_many_interrupts_one_is_lost() {
    for every in [None, NonZeroU64::new(1), NonZeroU64::new(3)] {
        let settings = Settings { lose_interrupt: every, ..Settings::of(Profile::Quiet) };
        let events = Events::new(&settings);
        let event = signal(&events, Reset::Automatic);
        let arrived = [1, 2, 3, 4, 5, 6, 7].map(|_| {
            events.interrupt(event);
            look(&events, event) == WaitEnd::Raised
        });
        let expected = match every.map(NonZeroU64::get) {
            None => [true; 7],
            Some(1) => [false; 7],
            _ => [true, true, false, true, true, false, true],
        };
        assert_eq!(arrived, expected, "{every:?}");
        events.raise(event).unwrap();
        assert_eq!(look(&events, event), WaitEnd::Raised, "what the host raises is not lost");
    }
}

#[test]
fn news_go_to_the_events_of_their_topic() {
    let events = events();
    let topics = [Topic::Memory, Topic::Hardware, Topic::Signal, Topic::Other];
    let all = topics.map(|topic| events.create(topic, Reset::Manual).unwrap());
    let fault = News::Fault { gpu: 1, at: 0xbad_0000 };
    let learn = || {
        all.map(|event| {
            let mut on = [watched(event, 1)];
            let end = events.wait(&mut on, Need::Any, Some(Duration::ZERO)).unwrap();
            (end, on[0].topic, on[0].news)
        })
    };
    let nothing = topics.map(|topic| (WaitEnd::TimedOut, topic, News::None));
    assert_eq!(learn(), nothing);
    events.tell(Topic::Memory, fault);
    let mut expected = nothing;
    expected[0] = (WaitEnd::Raised, Topic::Memory, fault);
    assert_eq!(learn(), expected);
    let lost = News::Lost { gpu: 0 };
    events.tell(Topic::Hardware, lost);
    expected[1] = (WaitEnd::Raised, Topic::Hardware, lost);
    assert_eq!(learn(), expected);
}
