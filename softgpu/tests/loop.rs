//! Record, kernel, record, synchronize: what that costs on AMD's HIP and on Ringfence, over the same HSA runtime and the same GPU
//! in software.

mod common;

use common::stacks::{Calls, Figures, Here, Stack, runtimes};

/// Longer than a host needs to get to its wait, and shorter than the window in which either spins.
const KERNEL: (&str, &str) = ("KERNEL_NS", "50000");
const ITERATIONS: u32 = 2_000;

/// Packets that doorbells told of, by kind.
const PACKETS: [&str; 5] =
    ["hsa_kernels", "hsa_barriers", "hsa_barrier_values", "hsa_read_packets", "hsa_other_packets"];
/// What Ringfence does in a signal's own memory, without a call of the runtime.
const LOADS_IN_PLACE: [&str; 2] = ["ledger_loads_host", "ledger_loads_device"];

fn sum(figures: &Figures, names: &[&str]) -> f64 {
    names.iter().map(|name| figures.of(name)).sum()
}

/// The counts below both, held against each other.
///
/// HIP asks the runtime for each load and wait. Ringfence loads in place and spins in place, so that its own ledger's numbers are
/// added to the runtime's. Looks within a wait count on neither side, nor do the runtime's own for HIP's handlers.
fn compare(here: &Here, options: &[&str], ringfence_alone: &[&str]) {
    let own: Vec<&str> = options.iter().chain(ringfence_alone).copied().collect();
    let run = |stack, options: &[&str]| {
        let figures = here.run_loop(stack, ITERATIONS, Calls::Counted, options, &[KERNEL]);
        println!("{} {options:?} {}", here.release(), figures.line());
        figures
    };
    let (hip, ours) = (run(Stack::Hip, options), run(Stack::Ringfence, &own));

    // That the counter stands before both.
    let iterations = f64::from(ITERATIONS);
    assert!(hip.of("hsa_doorbells") >= iterations, "HIP's doorbells");
    assert!(ours.of("hsa_doorbells") >= iterations, "Ringfence's doorbells");
    assert!(hip.of("hsa_loads") >= iterations && hip.of("hsa_waits") > 0.0, "HIP's loads, waits");

    assert_eq!(ours.of("hsa_created") + ours.of("ledger_created"), 0.0, "signals created");
    assert_eq!(ours.of("hsa_handlers"), 0.0, "handlers");
    let loads = ours.of("hsa_loads") + sum(&ours, &LOADS_IN_PLACE);
    assert!(loads <= hip.of("hsa_loads") / 2.0, "{loads} loads");
    // Those of a batch may have been submitted before the first count.
    let times = ours.of("hsa_times") + ours.of("ledger_times");
    assert!(times <= hip.of("hsa_times") + 64.0, "{times} readings of times");
    assert!(ours.of("hsa_read_index") <= hip.of("hsa_read_index"), "read index");

    // Both wait once an iteration. A wait whose first load saw the end is none, on either side: whether one did is a matter of
    // scheduling.
    let waits = ours.of("hsa_waits") + ours.of("ledger_spun_waits");
    assert!(waits <= hip.of("hsa_waits").max(iterations), "{waits} waits");

    // One kernel and two markers. HIP's markers are barrier packets, or barrier-value packets where it knows the GPU to have them.
    assert_eq!(ours.of("hsa_kernels"), iterations, "kernels");
    assert!(hip.of("hsa_kernels") >= iterations, "HIP's kernels");
    let packets = sum(&ours, &PACKETS);
    assert!(packets <= sum(&hip, &PACKETS), "{packets} packets");
    assert_eq!(ours.of("hsa_barrier_values") + ours.of("hsa_other_packets"), 0.0, "markers");
    assert_eq!(ours.of("ledger_packets"), packets, "packets that the ledger does not know");
}

#[test]
fn counts() {
    for here in runtimes("counts") {
        compare(&here, &[], &[]);
    }
}

#[test]
fn counts_timed() {
    for here in runtimes("counts_timed") {
        compare(&here, &["--timed"], &[]);
    }
}

#[test]
fn counts_on_device_signals() {
    for here in runtimes("counts_on_device_signals") {
        compare(&here, &[], &["--device-signals"]);
    }
}

/// The counts tell one way of tracking from another: the baseline loads each signal before it is used again.
#[test]
fn the_baseline_loads_more() {
    for here in runtimes("the_baseline_loads_more") {
        let run = |options: &[&str]| {
            let run =
                here.run_loop(Stack::Ringfence, ITERATIONS, Calls::Counted, options, &[KERNEL]);
            sum(&run, &LOADS_IN_PLACE) / f64::from(ITERATIONS)
        };
        let (retiring, polling) = (run(&[]), run(&["--polling"]));
        assert!(polling >= retiring + 2.0, "{polling} loads a round, {retiring} by retirement");
    }
}

/// Runs of each stack, in turn.
const RUNS: usize = 20;

/// The time of an iteration as a ratio, in pairs that change their order. Nothing here takes the time that a GPU would.
#[test]
fn time_long() {
    if !common::long() {
        return;
    }
    for here in runtimes("time_long") {
        for options in [&[][..], &["--timed"], &["--device-signals"]] {
            print_ratio(&here, options);
        }
    }
}

fn print_ratio(here: &Here, options: &[&str]) {
    let common: &[&str] = if options == ["--timed"] { options } else { &[] };
    let hip = || here.run_loop(Stack::Hip, 5_000, Calls::NotCounted, common, &[]);
    let ours = || here.run_loop(Stack::Ringfence, 5_000, Calls::NotCounted, options, &[]);
    let pairs: Vec<(Figures, Figures)> = (0..RUNS)
        .map(|run| {
            if run % 2 == 0 {
                let hip = hip();
                (hip, ours())
            } else {
                let ours = ours();
                (hip(), ours)
            }
        })
        .collect();
    let of = |value: &dyn Fn(&(Figures, Figures)) -> f64| Spread::of(pairs.iter().map(value));
    let name = |figures: &Figures, name| figures.of(name);
    println!(
        "{} {options:?}: HIP {} us, Ringfence {} us, ratio {}; fastest blocks: HIP {} us, Ringfence {} us",
        here.release(),
        of(&|(hip, _)| name(hip, "us")),
        of(&|(_, ours)| name(ours, "us")),
        of(&|(hip, ours)| name(ours, "us") / name(hip, "us")),
        of(&|(hip, _)| name(hip, "us_least")),
        of(&|(_, ours)| name(ours, "us_least")),
    );
}

/// Numbers in order.
struct Spread(Vec<f64>);

impl Spread {
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        Self(numbers)
    }

    fn at(&self, part: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * part).round() as usize]
    }
}

impl std::fmt::Display for Spread {
    /// The median, and between which numbers half of them lie, and all.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [least, low, median, high, most] = [0.0, 0.25, 0.5, 0.75, 1.0].map(|at| self.at(at));
        write!(f, "{median:.2} ({low:.2} to {high:.2}, all {least:.2} to {most:.2})")
    }
}
