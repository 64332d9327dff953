//! What a lease costs in time, beside two pools of plain values measured in the same process.
//!
//! Each case runs nine times, in turn with the plain pool (case, plain, case, ...), so that what else the
//! machine does falls on both; medians are shown. With several threads each does the same number of
//! rounds on one pool, and the time is that of all of them, divided by all rounds.
//!
//! `cargo bench -p ringfence-tests --bench streams -- [--json]`

use std::{
    hint::black_box,
    sync::{Barrier, Mutex},
    time::{Duration, Instant},
};

use object_pool::Pool as ObjectPool;
use ringfence::{drive::StreamPool, stream::PoolOptions};
use ringfence_tests::null_streams::{NullStreams, Words, key};
use serde_json::json;

/// Runs of a case and of the plain pool.
const RUNS: usize = 9;
/// How long one run takes, about.
const RUN: Duration = Duration::from_millis(60);

/// One round of a case, on the thread that calls.
type Round<'a> = Box<dyn Fn() + Sync + 'a>;

struct Case {
    name: &'static str,
    what: &'static str,
    threads: usize,
    /// Each thread's number of rounds; makes its own pool.
    run: fn(threads: usize, rounds: u64) -> Duration,
}

const CASES: &[Case] = &[
    Case { name: "plain", what: "pop and push of a Mutex<Vec<u64>>", threads: 1, run: plain },
    Case {
        name: "object_pool",
        what: "pull and drop, crate object-pool",
        threads: 1,
        run: objects,
    },
    Case { name: "lease", what: "acquire and drop, progress word", threads: 1, run: lease },
    Case {
        name: "lease_work",
        what: "acquire, submit, drop, progress word",
        threads: 1,
        run: work,
    },
    Case {
        name: "lease_query",
        what: "acquire and drop, no word, free driver calls",
        threads: 1,
        run: query,
    },
    Case {
        name: "lease_query_400",
        what: "the same with work and driver calls of 100 and 300 ns",
        threads: 1,
        run: query_400,
    },
    Case { name: "plain_2", what: "two threads", threads: 2, run: plain },
    Case { name: "object_pool_2", what: "two threads", threads: 2, run: objects },
    Case { name: "lease_2", what: "two threads", threads: 2, run: lease },
    Case { name: "plain_8", what: "eight threads", threads: 8, run: plain },
    Case { name: "object_pool_8", what: "eight threads", threads: 8, run: objects },
    Case { name: "lease_8", what: "eight threads", threads: 8, run: lease },
];

/// Runs `round` so often on each thread, all beginning at once.
fn on_threads(threads: usize, rounds: u64, round: &Round<'_>) -> Duration {
    if threads == 1 {
        let start = Instant::now();
        for _ in 0..rounds {
            round();
        }
        return start.elapsed();
    }
    let (begin, end) = (Barrier::new(threads + 1), Barrier::new(threads + 1));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                begin.wait();
                for _ in 0..rounds {
                    round();
                }
                end.wait();
            });
        }
        begin.wait();
        let start = Instant::now();
        end.wait();
        start.elapsed()
    })
}

fn plain(threads: usize, rounds: u64) -> Duration {
    let pool = Mutex::new((0..16_u64).collect::<Vec<_>>());
    on_threads(
        threads,
        rounds,
        &(Box::new(|| {
            let one = pool.lock().expect("nobody panics").pop();
            let one = black_box(one).unwrap_or_default();
            pool.lock().expect("nobody panics").push(one);
        }) as Round<'_>),
    )
}
fn objects(threads: usize, rounds: u64) -> Duration {
    let pool = ObjectPool::new(16, || 0_u64);
    on_threads(
        threads,
        rounds,
        &(Box::new(|| {
            black_box(&*pool.pull(|| 0));
        }) as Round<'_>),
    )
}
fn leases(words: Words, threads: usize, rounds: u64, work: Work) -> Duration {
    let pool = StreamPool::new(NullStreams::new(words), PoolOptions::default());
    on_threads(
        threads,
        rounds,
        &(Box::new(|| {
            let mut lease = pool.acquire(key()).expect("a null driver refuses nothing");
            if work == Work::One {
                let _touch = pool.submit(&mut lease, ()).expect("a null driver refuses nothing");
            }
            black_box(&lease);
        }) as Round<'_>),
    )
}
/// What an owner does with its stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    None,
    One,
}
fn lease(threads: usize, rounds: u64) -> Duration {
    leases(Words::On, threads, rounds, Work::None)
}
fn work(threads: usize, rounds: u64) -> Duration {
    leases(Words::On, threads, rounds, Work::One)
}
fn query(threads: usize, rounds: u64) -> Duration {
    let words = Words::Off { status: Duration::ZERO, query: Duration::ZERO };
    leases(words, threads, rounds, Work::One)
}
fn query_400(threads: usize, rounds: u64) -> Duration {
    let words = Words::Off { status: Duration::from_nanos(100), query: Duration::from_nanos(300) };
    leases(words, threads, rounds, Work::One)
}

fn nanos(case: &Case, rounds: u64) -> f64 {
    (case.run)(case.threads, rounds).as_nanos() as f64 / (rounds * case.threads as u64) as f64
}
fn fitting(case: &Case) -> u64 {
    let mut rounds = 1_000;
    for _ in 0..2 {
        let each = nanos(case, rounds).max(0.1) * case.threads as f64;
        rounds = (RUN.as_nanos() as f64 / each) as u64 + 1;
    }
    rounds
}
fn median(mut runs: [f64; RUNS]) -> f64 {
    runs.sort_by(f64::total_cmp);
    runs[RUNS / 2]
}
/// Nanoseconds a round of the case, and of the plain pool between its runs.
fn measure(case: &Case, plain: &Case) -> (f64, f64) {
    let (rounds, plain_rounds) = (fitting(case), fitting(plain));
    let (mut of_case, mut of_plain) = ([0.0; RUNS], [0.0; RUNS]);
    for (of_case, of_plain) in of_case.iter_mut().zip(&mut of_plain) {
        *of_case = nanos(case, rounds);
        *of_plain = nanos(plain, plain_rounds);
    }
    (median(of_case), median(of_plain))
}

fn main() {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let mut rows = Vec::new();
    for case in CASES {
        let same_threads =
            |other: &&Case| other.threads == case.threads && other.name.starts_with("plain");
        let Some(plain) = CASES.iter().find(same_threads) else { continue };
        let (nanos, plain_nanos) = measure(case, plain);
        rows.push((case, nanos, plain_nanos));
    }
    if as_json {
        let cases: Vec<_> = rows
            .iter()
            .map(|(case, nanos, plain)| {
                json!({
                    "case": case.name, "threads": case.threads, "ns_per_round": nanos,
                    "plain_ns": plain, "ratio": nanos / plain,
                })
            })
            .collect();
        println!("{}", json!({ "runs": RUNS, "cases": cases }));
        return;
    }
    println!(
        "{:<16} {:>7} {:>9} {:>9} {:>6}  what",
        "case", "threads", "ns/round", "plain", "ratio"
    );
    for (case, nanos, plain) in rows {
        let ratio = nanos / plain;
        let (name, what) = (case.name, case.what);
        println!("{name:<16} {:>7} {nanos:>9.1} {plain:>9.1} {ratio:>6.2}  {what}", case.threads);
    }
}
