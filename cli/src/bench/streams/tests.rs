use super::*;

fn options() -> Options {
    Options {
        backend: Backend::Mock,
        experiment: Vec::new(),
        policy: Vec::new(),
        iterations: 20,
        frees: Frees::Queued,
        tasks: 200,
        side: 16,
        steps: 7,
        seed: 3,
        limit_s: 60,
        memory: None,
        gfx: None,
        forms: Forms::default(),
    }
}

#[test]
fn leases_run_first_and_what_piles_up_runs_last() {
    let mut asked = options();
    assert_eq!(asked.runs().len(), 4 * 6);
    assert_eq!(asked.runs()[0], (Policy::Lease, Part::Pipelines));
    assert_eq!(asked.runs()[23], (Policy::FreshDeferred, Part::Touches));
    asked.policy = vec![Policy::FreshDrop, Policy::Lease];
    asked.experiment = vec![Experiment::Touches, Experiment::Sequential];
    let expected = [Policy::Lease, Policy::FreshDrop]
        .map(|policy| [(policy, Part::Sequential), (policy, Part::Touches)]);
    assert_eq!(asked.runs(), expected.concat());
}

#[test]
fn every_part_runs_with_every_policy_on_the_model() {
    let (gpu, options) = (MockGpu::default(), options());
    for (policy, part) in options.runs() {
        println!("{part} with {policy}, seed {}", options.seed);
        let figures = run(&gpu, policy, part, &options, &|_| {}).expect("it runs");
        assert_eq!(figures.tasks[0], figures.tasks[1]);
        let counts = figures.counted.pool;
        match policy {
            Policy::Lease => {
                // Of 64 that are idle at once 32 are kept; the others are made again.
                let again = if part == Part::Touches { 32 } else { 0 };
                let peak = u64::from(counts.peak_leased_and_draining);
                assert!(counts.created <= peak + again, "{counts:?}");
                assert_eq!(counts.shared, 0, "{counts:?}");
            }
            // Who is told to share while none of the 32 is ready makes one more.
            Policy::RoundRobin => {
                let most = if part == Part::Touches { 64 } else { 32 };
                assert!(counts.created <= most, "{counts:?}");
            }
            Policy::FreshDrop | Policy::FreshDeferred => {
                assert_eq!(counts.created, counts.leases, "{counts:?}");
            }
        }
        if part == Part::Touches && policy == Policy::RoundRobin {
            assert!(counts.shared >= 1, "64 tasks on 32 streams: {counts:?}");
        }
    }
}

#[test]
fn a_run_ends_at_its_limit_and_says_how_far_it_came() {
    let mut options = options();
    (options.tasks, options.limit_s) = (1_000_000, 1);
    let gpu = MockGpu::default();
    let figures =
        run(&gpu, Policy::Lease, Part::Sequential, &options, &|_| {}).expect("it ends early");
    let [done, asked] = figures.tasks;
    assert!(done > 0 && done < asked, "{done} of {asked}");
}

#[test]
fn a_wrong_result_is_an_error() {
    let problem = host::check(|| "the sum".to_owned(), &1, &2).expect_err("1 is not 2");
    assert_eq!(problem.to_string(), "wrong result: the sum is 1, and the CPU says 2");
    assert!(host::check(String::new, &2, &2).is_ok());
}
