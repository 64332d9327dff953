//! Tasks on several threads at once.

use std::sync::{Mutex, PoisonError, mpsc};

use ringfence::{
    backend::streams::CaptureMode,
    stream::{Access, Stamp},
};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, same},
            },
            Spot, StreamSubject,
            watched::Pause,
        },
        StreamCase, case,
    },
    Tasks, did,
    memory::{allocate, uses},
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_tasks_on_several_threads", tasks_on_threads),
        case("pool_threads_hand_work_on", hand_work_on),
        case("pool_threads_beside_captures", beside_captures),
        case("pool_host_wait_beside_the_first_creation", beside_the_first_creation),
    ]
}

const THREADS: usize = 4;
fn small(number: usize) -> u32 {
    u32::try_from(number).expect("a small number")
}

/// Each thread runs its own tasks; what the others do is no affair of theirs.
fn tasks_on_threads<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    drop(tasks.lease()?); // what a pool makes for itself is there
    let answers = on.together(THREADS, |thread| -> Checked {
        let [from, to] = [on.cell(), on.cell()];
        for round in 1..=50 {
            let value = small(thread) * 1_000 + round;
            let mut lease = tasks.lease()?;
            tasks.set(&mut lease, from, value)?;
            let touch = tasks.copy(&mut lease, from, to)?;
            drop(lease);
            tasks.brings("a thread's task", touch, to, value)?;
            if round % 10 == 0 {
                tasks.pool.pump();
            }
        }
        Ok(())
    });
    answers.into_iter().collect::<Checked>()?;
    let (created, peak) = (tasks.pool.counts().created, tasks.watched().account().peak);
    check!(created <= 8, "{created} streams, {peak} at once, for tasks of 4 threads");
    tasks.ends()
}
/// One value goes from thread to thread, and each adds to the chain.
fn hand_work_on<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let first = on.cell();
    let mut lease = tasks.lease()?;
    let mut used = Stamp::default();
    used.add(tasks.set(&mut lease, first, 55)?, Access::Write);
    drop(lease);
    let baton = Mutex::new((first, used));
    let answers = on.together(THREADS, |_| -> Checked {
        for _ in 0..25 {
            let mut lease = tasks.lease()?;
            let next = on.cell();
            let mut held = baton.lock().unwrap_or_else(PoisonError::into_inner);
            let (cell, used) = &mut *held;
            did("order", tasks.pool.order_after(&mut lease, used, Access::Write)).map(drop)?;
            let touch = tasks.copy(&mut lease, *cell, next)?;
            used.replace(touch);
            *cell = next;
        }
        Ok(())
    });
    answers.into_iter().collect::<Checked>()?;
    let (last, used) = baton.into_inner().unwrap_or_else(PoisonError::into_inner);
    did("a host wait", tasks.pool.synchronize(&used, Access::Write, super::PATIENCE))?;
    same("the value after 100 tasks of 4 threads", on.read(last), 55)?;
    tasks.ends()
}
/// One thread captures again and again; the others run tasks, free memory, pump.
fn beside_captures<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    drop(tasks.lease()?); // what a pool makes for itself is there
    let answers = on.together(THREADS, |thread| -> Checked {
        if thread == 0 { captures(&tasks) } else { works(&tasks, small(thread)) }
    });
    answers.into_iter().collect::<Checked>()?;
    tasks.ends()
}
fn captures<S: StreamSubject>(tasks: &Tasks<'_, S>) -> Checked {
    let on = tasks.on;
    let [from, to] = [on.cell(), on.cell()];
    for value in 1..=20 {
        let mut lease = tasks.lease()?;
        let captured = tasks.pool.capture(&mut lease, CaptureMode::ThreadLocal, |scope| {
            scope.submit(on.copy(Spot::Cell(from), Spot::Cell(to)))?;
            tasks.pool.pump();
            Ok(())
        });
        let mut graph = did("a capture", captured)?.graph;
        tasks.set(&mut lease, from, value)?;
        let touch = did("a launch", tasks.pool.launch(&mut lease, &mut graph))?;
        tasks.brings("a graph beside other threads", touch, to, value)?;
    }
    Ok(())
}
fn works<S: StreamSubject>(tasks: &Tasks<'_, S>, thread: u32) -> Checked {
    let (on, cell) = (tasks.on, tasks.on.cell());
    for round in 1..=25 {
        let value = thread * 1_000 + round;
        let mut lease = tasks.lease()?;
        let memory = allocate(tasks, &mut lease)?;
        let (raw, mut used) = (memory.raw(), memory.stamp());
        uses(tasks, &mut lease, on.set(Spot::Memory(raw), value), &mut used)?;
        uses(tasks, &mut lease, on.copy(Spot::Memory(raw), Spot::Cell(cell)), &mut used)?;
        let _fate = tasks.pool.retire(memory, used.clone());
        drop(lease);
        did("a host wait", tasks.pool.synchronize(&used, Access::Read, super::PATIENCE))?;
        same("a task beside captures", on.read(cell), value)?;
        tasks.pool.pump();
    }
    Ok(())
}
/// One thread's first task makes what the pool needs for itself, and that takes long: another thread's task can
/// wait for its own work all the same.
fn beside_the_first_creation<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (begun, has_begun) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel();
    tasks.watched().pause_next_creation(Pause { begun, goes_on });
    let has_begun = Mutex::new(has_begun);
    let answers = on.together(2, |thread| -> Checked {
        if thread == 0 {
            return tasks.lease().map(drop);
        }
        let told = has_begun.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let waited = (|| {
            check!(told.is_ok(), "nothing was created");
            let (mut lease, cell) = (tasks.lease()?, on.cell());
            let touch = tasks.set(&mut lease, cell, 4)?;
            tasks.brings("work beside the first creation", touch, cell, 4)
        })();
        let _gone_on_by_itself = go_on.send(());
        waited
    });
    answers.into_iter().collect::<Checked>()?;
    tasks.ends()
}
