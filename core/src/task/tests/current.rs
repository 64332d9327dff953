//! Which task a thread runs, and futures that run as one.

use std::{
    cell::Cell,
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use super::{normal, pool};
use crate::{
    drive::StreamPool,
    stream::{
        Touch,
        test_driver::{TestDriver, TestWords},
    },
    sync::{Arc, Mutex},
    task::{Task, TaskError, attach, current, enter, with_current},
};

fn task() -> Task {
    Task::new(normal())
}
fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
/// Pending the first time, ready the second.
fn suspend() -> impl Future<Output = ()> {
    let mut first = true;
    poll_fn(move |_| match std::mem::take(&mut first) {
        true => Poll::Pending,
        false => Poll::Ready(()),
    })
}

/// Work of the current task.
fn submitted(pool: &StreamPool<TestDriver>) -> Touch {
    let submitted = with_current(|streams| streams.submit(pool, "axpy"));
    submitted.expect("a task").expect("a stream")
}

#[test]
fn guards_nest_and_restore() {
    let (a, b) = (task(), task());
    assert_eq!(current::<()>(), None);
    let outer = enter(&a);
    {
        let _inner = enter(&b);
        assert_eq!(current(), Some(b.clone()));
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _again = enter(&a);
            panic!("planned")
        }));
        assert!(unwound.is_err());
        assert_eq!(current(), Some(b));
    }
    assert_eq!(current(), Some(a));
    drop(outer);
    assert_eq!(current::<()>(), None);
}

#[test]
fn a_task_of_another_attachment_is_no_task() {
    let carrying: Task<u8> = Task::new(normal());
    let _inside = enter(&carrying);
    assert_eq!(current::<()>(), None);
    assert_eq!(current(), Some(carrying));
    assert_eq!(with_current::<(), _>(|_| ()), Err(TaskError::NoTask));
}

#[test]
fn streams_are_one_calls_at_a_time() {
    let task = task();
    let inside = task.with(|streams| {
        assert_eq!(task.with(|_| ()), Err(TaskError::InUse));
        streams.key()
    });
    assert_eq!(inside, Ok(normal()));
    // What the closure returns is its caller's, also where it is an error.
    let refused = task.with(|_| Err::<(), _>(String::from("no kernel of this name")));
    assert_eq!(refused, Ok(Err(String::from("no kernel of this name"))));
    let unwound = catch_unwind(AssertUnwindSafe(|| task.with(|_| panic!("planned"))));
    assert!(unwound.is_err());
    assert_eq!(task.with(|streams| streams.key()), Ok(normal()), "put back by the unwinding");
}

#[test]
fn a_future_is_inside_at_each_poll_and_outside_between() {
    let (mine, other) = (task(), task());
    let body = async {
        let before = current::<()>();
        suspend().await;
        (before, current::<()>())
    };
    let mut future = pin!(attach(mine.clone(), body));
    assert!(poll(future.as_mut()).is_pending());
    assert_eq!(current::<()>(), None);
    let _outer = enter(&other);
    assert_eq!(poll(future), Poll::Ready((Some(mine.clone()), Some(mine))));
    assert_eq!(current(), Some(other));
}

#[test]
fn futures_side_by_side_never_see_each_others_task() {
    let (_driver, pool) = pool(TestWords::On);
    let body = || async {
        let mut seen = Vec::new();
        for _ in 0..8 {
            seen.push(submitted(&pool));
            suspend().await;
        }
        seen
    };
    let (mut a, mut b) = (pin!(attach(task(), body())), pin!(attach(task(), body())));
    for _ in 0..8 {
        assert!(poll(a.as_mut()).is_pending() && poll(b.as_mut()).is_pending());
    }
    let (Poll::Ready(a), Poll::Ready(b)) = (poll(a), poll(b)) else { panic!("9 polls are enough") };
    assert!(a.iter().all(|touch| touch.stream() == a[0].stream()));
    assert!(b.iter().all(|touch| touch.stream() == b[0].stream()));
    assert_ne!(a[0].stream(), b[0].stream());
}

#[test]
fn a_future_that_panics_leaves_its_task() {
    let (_driver, pool) = pool(TestWords::On);
    let body = async {
        submitted(&pool);
        panic!("planned")
    };
    let mut future = Box::pin(attach(task(), body));
    let unwound = catch_unwind(AssertUnwindSafe(|| poll::<_>(future.as_mut()).is_ready()));
    assert!(unwound.is_err());
    assert_eq!(current::<()>(), None);
    drop(future);
    assert_eq!((pool.tally().leased, pool.tally().draining), (0, 1));
}

/// Notes what is current when it is dropped.
struct Notes<'a>(&'a Cell<Option<Option<Task>>>);
impl Drop for Notes<'_> {
    fn drop(&mut self) {
        self.0.set(Some(current()));
    }
}

#[test]
fn what_a_cancelled_future_drops_is_dropped_inside_its_task() {
    let (mine, other) = (task(), task());
    let noted = Cell::new(None);
    let body = async {
        let _notes = Notes(&noted);
        suspend().await;
    };
    let mut future = Box::pin(attach(mine.clone(), body));
    assert!(poll(future.as_mut()).is_pending());
    let _outer = enter(&other);
    drop(future);
    assert_eq!(noted.take(), Some(Some(mine)));
    assert_eq!(current(), Some(other));
}

#[test]
fn a_cancelled_future_gives_its_stream_back_without_a_driver_call() {
    let (driver, pool) = pool(TestWords::On);
    let body = async {
        submitted(&pool);
        suspend().await;
    };
    let mut future = Box::pin(attach(task(), body));
    assert!(poll(future.as_mut()).is_pending());
    driver.take_calls();
    let looks = driver.looks();
    drop(future);
    assert!(driver.take_calls().is_empty());
    assert_eq!(driver.looks(), looks);
    assert_eq!((pool.tally().leased, pool.tally().draining), (0, 1));
}

#[test]
fn a_forgotten_future_keeps_its_stream_and_nothing_else() {
    let (driver, pool) = pool(TestWords::On);
    let pool = &pool;
    let body = async move {
        let touch = submitted(pool);
        suspend().await;
        touch
    };
    let mut future = Box::pin(attach(task(), body));
    assert!(poll(future.as_mut()).is_pending());
    std::mem::forget(future);
    driver.finish();
    assert_eq!(current::<()>(), None);
    pool.pump();
    let lease = pool.acquire(normal()).expect("another stream");
    assert_eq!((pool.tally().leased, pool.counts().created), (2, 2), "T11: {lease:?}");
}

#[test]
fn a_forgotten_guard_is_undone_by_the_one_before() {
    let (mine, lost) = (task(), task());
    let body = async {
        std::mem::forget(enter(&lost));
        suspend().await;
        current::<()>()
    };
    let mut future = pin!(attach(mine.clone(), body));
    assert!(poll(future.as_mut()).is_pending());
    assert_eq!(current::<()>(), None, "nothing stays behind on the thread");
    assert_eq!(poll(future), Poll::Ready(Some(mine)));
}

#[test]
fn attached_futures_are_send() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let future = is_send(attach(task(), suspend()));
    let mut future = Box::pin(future);
    assert!(poll(future.as_mut()).is_pending());
    // The rest of it on another thread.
    let there = std::thread::spawn(move || (poll(future.as_mut()).is_ready(), current::<()>()));
    assert_eq!(there.join().expect("no panic"), (true, None));
}

#[test]
fn nothing_is_entered_on_a_thread_past_its_thread_locals() {
    type Answer = Arc<Mutex<Option<Option<Task>>>>;
    struct Late(Task, Answer);
    impl Drop for Late {
        fn drop(&mut self) {
            let _inside = enter(&self.0); // must not panic: that would abort
            *self.1.lock() = Some(current());
        }
    }
    std::thread_local! {
        static LATE: Cell<Option<Late>> = const { Cell::new(None) };
    }
    let answer = Answer::default();
    let there = answer.clone();
    let ran = std::thread::spawn(|| {
        LATE.set(Some(Late(task(), there)));
        drop(enter(&task())); // its destructor is registered after that of `LATE`, and runs before it
    });
    assert!(ran.join().is_ok());
    assert_eq!(*answer.lock(), Some(None));
}

#[test]
fn ready_waits_at_the_hard_cap_and_holds_nothing() {
    let driver = crate::stream::test_driver::TestDriver::new(TestWords::On);
    let options = crate::stream::PoolOptions {
        live_cap: std::num::NonZeroU32::new(1),
        ..crate::stream::PoolOptions::default()
    };
    let pool = crate::drive::StreamPool::new(driver, options);
    let held = pool.acquire(normal()).expect("the only one");
    let task = task();
    let mut ready = pin!(task.ready(&pool));
    assert!(poll(ready.as_mut()).is_pending());
    assert_eq!(task.with(|streams| streams.count()), Ok(0), "the streams are not in use");
    drop(held);
    assert_eq!(pool.pump().woken, 1);
    assert_eq!(poll(ready), Poll::Ready(Ok(())));
    assert_eq!(task.with(|streams| streams.count()), Ok(1));
}
