//! Random programs that a careful user may write: whatever the driver, no rule breaks and nothing is left over.

use ringfence::{
    backend::streams::CaptureMode,
    id::{Priority, StreamFlags},
    stream::Access,
};

use crate::{
    clock::Ticks,
    scenario::Name,
    streams::{
        op::RunTime,
        profile::DriverProfile,
        scenario::{
            Acquire, Capture, Ending, Manner, Place, PolicyKind, Run, StreamAction, StreamFailure,
            StreamSetup, StreamStep, StreamWorld, StreamWrong, Through,
        },
        system::Words,
    },
};

/// Fixed, so that a failure is the same on every machine.
const SEED: u64 = 0x57AE_A451;
const PROGRAMS: u64 = 60;
const STEPS: u32 = 60;

/// SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).
struct Dice(u64);
impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
    fn pick(&mut self, of: &[Name]) -> Option<Name> {
        let at = usize::try_from(self.below(of.len().max(1) as u64)).ok()?;
        of.get(at).cloned()
    }
}

/// What a program has so far.
struct Draft {
    dice: Dice,
    next: u32,
    leases: Vec<Name>,
    exposed: Vec<Name>,
    arrays: Vec<Name>,
    graphs: Vec<Name>,
    futures: Vec<Name>,
    /// Leases that joined a capture: on HIP 5.2 the user's own work on them crashes.
    joined: Vec<Name>,
    /// The lease on which the user captures past the pool.
    capturing: Option<Name>,
    /// Whether the next step stands inside a capture.
    inside: bool,
}
impl Draft {
    fn new(seed: u64) -> Self {
        let (leases, exposed, arrays) = Default::default();
        let (graphs, futures) = Default::default();
        let (joined, capturing, inside) = (Vec::new(), None, false);
        Self {
            dice: Dice(seed),
            next: 0,
            leases,
            exposed,
            arrays,
            graphs,
            futures,
            joined,
            capturing,
            inside,
        }
    }
    fn name(&mut self, prefix: &str) -> Name {
        self.next += 1;
        Name::new(format!("{prefix}{}", self.next))
    }
    fn take(dice: &mut Dice, from: &mut Vec<Name>) -> Option<Name> {
        let name = dice.pick(from)?;
        from.retain(|other| *other != name);
        Some(name)
    }
    fn run(&mut self, on: Name) -> Run {
        let time = RunTime::Ticks(Ticks::new(self.dice.below(20)));
        let touched = if self.dice.below(2) == 0 { self.dice.pick(&self.arrays) } else { None };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        match self.dice.below(2) {
            0 => reads.extend(touched),
            _ => writes.extend(touched),
        }
        Run { time, on: vec![on], reads, writes, name: None, through: Through::Pool }
    }
    /// The next step; `None`: there is nothing to do it with.
    fn step(&mut self) -> Option<StreamStep> {
        let lease = self.dice.pick(&self.leases);
        let action = match self.dice.below(28) {
            0..=3 if self.leases.len() < 6 => {
                let lease = self.name("l");
                self.leases.push(lease.clone());
                let priority = [Priority::Normal, Priority::High][self.dice.below(2) as usize];
                let manner = if self.dice.below(8) == 0 { Manner::Reserved } else { Manner::Any };
                let place = Place { device: 0, priority };
                StreamAction::Acquire(Acquire { place, manner, ..Acquire::of(lease) })
            }
            4..=5 => {
                let lease = Self::take(&mut self.dice, &mut self.leases)?;
                if self.capturing.as_ref() == Some(&lease) {
                    self.leases.push(lease);
                    return None; // an abandoned capture has a scenario of its own
                }
                self.exposed.retain(|other| *other != lease);
                StreamAction::Release(vec![lease])
            }
            6..=8 => StreamAction::Run(self.run(lease?)),
            9 => {
                let (memory, on) = (self.name("m"), lease?);
                self.arrays.push(memory.clone());
                StreamAction::Alloc { memory, on }
            }
            10..=11 => {
                let access = [Access::Read, Access::Write][self.dice.below(2) as usize];
                let (memory, ticks) =
                    (self.dice.pick(&self.arrays)?, Ticks::new(self.dice.below(20)));
                StreamAction::Use { memory, access, on: lease?, ticks, name: None }
            }
            12 => StreamAction::Free(Self::take(&mut self.dice, &mut self.arrays)?),
            13..=14 => StreamAction::Tick(Ticks::new(self.dice.below(30))),
            15 => StreamAction::Pump,
            16 => {
                let lease = lease?;
                self.exposed.push(lease.clone());
                StreamAction::Expose(lease)
            }
            17 => {
                let on = self.in_the_users_hands()?;
                let mut run = self.run(on);
                (run.reads, run.writes) = (Vec::new(), Vec::new());
                run.through = Through::Handle;
                StreamAction::Run(run)
            }
            18 | 24 if !self.inside => self.capture(lease?),
            19 => StreamAction::Launch {
                graph: self.dice.pick(&self.graphs)?,
                on: lease?,
                name: None,
            },
            20 => StreamAction::DropGraph(Self::take(&mut self.dice, &mut self.graphs)?),
            21 => {
                let (future, on) = (self.name("f"), lease?);
                self.futures.push(future.clone());
                StreamAction::Copy { future, on, ticks: Ticks::new(self.dice.below(20)) }
            }
            22 => StreamAction::Drop(Self::take(&mut self.dice, &mut self.futures)?),
            23 => StreamAction::Poll(self.dice.pick(&self.futures)?),
            25 if !self.inside => self.users_capture()?,
            26 => StreamAction::Trim,
            _ => StreamAction::Sync { of: self.dice.pick(&self.arrays)?, limit: 1_000 },
        };
        Some(action.into())
    }
    fn in_the_users_hands(&mut self) -> Option<Name> {
        let on = self.dice.pick(&self.exposed)?;
        (!self.joined.contains(&on)).then_some(on)
    }
    /// The user begins a capture past the pool, or ends it.
    fn users_capture(&mut self) -> Option<StreamAction> {
        if let Some(on) = self.capturing.take() {
            let graph = self.name("u");
            return Some(StreamAction::EndCapture { graph, on });
        }
        let on = self.in_the_users_hands()?;
        self.capturing = Some(on.clone());
        Some(StreamAction::BeginCapture { on, mode: self.mode() })
    }
    fn mode(&mut self) -> CaptureMode {
        [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed]
            [self.dice.below(3) as usize]
    }
    /// A capture in which others go on.
    fn capture(&mut self, on: Name) -> StreamAction {
        let (graph, mode) = (self.name("g"), self.mode());
        let mut steps: Vec<StreamStep> = Vec::new();
        let run = self.run(on.clone());
        let pins = run.writes.iter().chain(&run.reads).cloned();
        steps.extend(pins.map(|memory| StreamAction::Pin(memory).into()));
        steps.push(StreamAction::Run(run).into());
        self.inside = true;
        for _ in 0..self.dice.below(4) {
            if let Some(mut step) = self.step() {
                if let StreamAction::Run(run) = &mut step.action
                    && run.on.contains(&on)
                {
                    // What a graph touches has to be pinned.
                    (run.reads, run.writes) = (Vec::new(), Vec::new());
                }
                steps.push(StreamStep { thread: Some(Name::from("other")), ..step });
            }
        }
        self.inside = false;
        let others = self.leases.iter().filter(|other| **other != on).cloned();
        let others: Vec<Name> = others.collect();
        if let Some(other) = self.dice.pick(&others)
            && self.dice.below(3) == 0
        {
            let run = self.run(other.clone());
            let run = Run { reads: Vec::new(), writes: Vec::new(), ..run };
            self.joined.push(other.clone());
            let fork = [
                StreamAction::Fork(other.clone()),
                StreamAction::Run(run),
                StreamAction::Join(other),
            ];
            steps.extend(fork.map(StreamStep::from));
        }
        let ends = if self.dice.below(8) == 0 { Ending::Panics } else { Ending::Returns };
        self.graphs.push(graph.clone());
        StreamAction::Capture(Capture { graph, on, mode, ends, steps })
    }
}

/// Whether a failure is only an answer: while somebody captures much is refused, and then names are missing.
fn is_answer(wrong: &StreamWrong) -> bool {
    match wrong {
        StreamWrong::UnexpectedError { error, .. } => {
            ["captur", "is over", "error 401", "error 903"].iter().any(|part| error.contains(part))
        }
        StreamWrong::Misuse { .. } => true,
        _ => false,
    }
}

fn play(setup: &StreamSetup, profile: DriverProfile, seed: u64) -> Result<(), String> {
    let mut world = StreamWorld::new(setup, profile);
    let mut draft = Draft::new(seed);
    let mut steps = Vec::new();
    for _ in 0..STEPS {
        let Some(step) = draft.step() else { continue };
        steps.push(step.to_string());
        if let Err(failure) = world.apply(&step)
            && !is_answer(&failure.wrong)
        {
            return Err(format!("{failure}\n{}\n{}", steps.join("\n"), failure.trace.join("\n")));
        }
    }
    if let Some(on) = draft.capturing.take() {
        let _refused = world.apply(&StreamAction::EndCapture { graph: Name::from("u"), on }.into());
    }
    let failed = |failure: StreamFailure| {
        format!("{failure}\n{}\n{}", steps.join("\n"), failure.trace.join("\n"))
    };
    match world.finish() {
        // On HIP 5.2 a stream that joined a capture stays in it for ever, and with it what only it could prove.
        Err(failure)
            if matches!(failure.wrong, StreamWrong::LeftOver { .. })
                && profile == DriverProfile::Hip52
                && steps.iter().any(|step| step.contains("fork")) =>
        {
            Ok(())
        }
        ended => ended.map(drop).map_err(|failure| failed(*failure)),
    }
}

#[test]
fn careful_programs_break_no_rule_on_any_driver() {
    for seed in 0..PROGRAMS {
        let mut dice = Dice(SEED ^ seed);
        for &profile in DriverProfile::ALL {
            let setup = StreamSetup {
                words: if dice.below(2) == 0 { Words::On } else { Words::Off },
                flags: match dice.below(4) {
                    0 => StreamFlags::empty(),
                    _ => StreamFlags::NON_BLOCKING,
                },
                idle_cap: dice.below(4) as u32,
                policy: if dice.below(6) == 0 { PolicyKind::FreshDrop } else { PolicyKind::Lease },
                ..StreamSetup::on([profile])
            };
            if let Err(why) = play(&setup, profile, dice.next()) {
                panic!("program {seed} of seed {SEED:#x} on {profile}, with\n{setup}{why}");
            }
        }
    }
}
