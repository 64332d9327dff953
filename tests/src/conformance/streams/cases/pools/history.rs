//! One random history: tasks with leases, arrays that they share, memory, graphs, held work; and the same on
//! a CPU.

use ringfence::{
    backend::streams::{CaptureMode, StreamWork},
    stream::{Access, Allocation, Lease, Stamp},
};

use super::{
    super::super::{
        super::{
            Checked, Drive,
            check::{check, same},
        },
        Spot, StreamSubject,
        stage::{PATIENCE, ok},
    },
    Held, Tasks, did,
    memory::allocate,
    recorded::Recorded,
};

/// Words that all tasks share.
pub(super) const ARRAYS: usize = 6;
/// Steps that are taken behind held work, at most: not 30 commands.
const BEHIND_HELD: u32 = 6;
/// So many steps a launch of a graph counts for, by its commands.
const A_LAUNCH: u32 = 5;
/// Tasks that are alive at once.
const TASKS: usize = 5;

/// The generator `splitmix64`: small, and the same everywhere
/// (<https://prng.di.unimi.it/splitmix64.c>).
pub(super) struct Dice(u64);
impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a small bound");
        usize::try_from(self.roll() % bound).expect("a small number")
    }
    pub(super) fn mode(&mut self) -> CaptureMode {
        [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed][self.below(3)]
    }
}

/// A shared word: where it is, what it holds once all is done, and who has used it.
pub(super) struct Array<S: StreamSubject> {
    pub(super) cell: S::Cell,
    pub(super) value: u32,
    pub(super) used: Stamp,
}
/// Memory of some task.
pub(super) struct Block {
    pub(super) memory: Allocation,
    pub(super) value: u32,
    pub(super) used: Stamp,
}
pub(super) struct History<'a, S: StreamSubject> {
    pub(super) tasks: Tasks<'a, S>,
    pub(super) dice: Dice,
    pub(super) arrays: Vec<Array<S>>,
    pub(super) leases: Vec<Lease>,
    pub(super) blocks: Vec<Block>,
    pub(super) graphs: Vec<Recorded>,
    pub(super) held: Vec<Held<'a, S>>,
    /// Steps since work was held; a launch is several.
    since_held: u32,
    pub(super) next: u32,
    pub(super) told: Vec<String>,
}
impl<'a, S: StreamSubject> History<'a, S> {
    pub(super) fn new(on: &'a S, seed: u64) -> Self {
        let array = || Array { cell: on.cell(), value: 0, used: Stamp::default() };
        Self {
            tasks: Tasks::new(on),
            dice: Dice(seed),
            arrays: std::iter::repeat_with(array).take(ARRAYS).collect(),
            leases: Vec::new(),
            blocks: Vec::new(),
            graphs: Vec::new(),
            held: Vec::new(),
            since_held: 0,
            next: 0,
            told: Vec::new(),
        }
    }
    /// One random step. A failure comes with the steps up to it.
    pub(super) fn step(&mut self) -> Checked {
        let kind = self.dice.below(24);
        let taken = self.take(kind);
        taken.map_err(|stop| match stop {
            super::Stop::Failed(what) => {
                super::Stop::Failed(format!("{what}; steps: {}", self.told.join(", ")))
            }
            other => other,
        })
    }
    fn take(&mut self, kind: usize) -> Checked {
        // A destruction may wait for whatever shares its hardware queue, a free of HIP 6.4 now and then waits for its stream, and HIP
        // 5.2 waits with every command once 30 are behind held work, also in the middle of a graph's launch, which is many; and the
        // gate is for this thread to open.
        let frees = matches!(kind, 17 | 18 | 23);
        let launches = matches!(kind, 19..=20);
        self.since_held += if launches { A_LAUNCH } else { 1 };
        let waits = frees || self.since_held > BEHIND_HELD;
        if waits && self.tasks.on.facts().drive == Drive::Real {
            self.open_all();
        }
        match kind {
            0..=2 => self.begins(),
            3..=4 => self.ends(),
            5..=8 => self.sets(),
            9..=13 => self.copies(),
            14 => self.exposes(),
            15 => self.allocates(),
            16 => self.reads(),
            17 => self.retires(),
            18 => self.captures(),
            19..=20 => self.launches(),
            21 => self.holds(),
            22 => self.looks(),
            _ => {
                self.told.push("pump".to_owned());
                self.tasks.pool.pump();
                Ok(())
            }
        }
    }
    pub(super) fn tell(&mut self, what: impl Into<String>) {
        self.told.push(what.into());
    }
    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }
    pub(super) fn array(&mut self) -> usize {
        self.dice.below(ARRAYS)
    }
    /// Some task's lease; one begins when there is none.
    pub(super) fn lease(&mut self) -> Checked<Lease> {
        if self.leases.is_empty() {
            self.begins()?;
        }
        let at = self.dice.below(self.leases.len());
        Ok(self.leases.swap_remove(at))
    }
    pub(super) fn spot(&self, array: usize) -> Spot<S::Cell> {
        Spot::Cell(self.arrays[array].cell)
    }
    /// Makes a task's later work follow what it is about to use.
    pub(super) fn follows(&self, lease: &mut Lease, after: &Stamp, access: Access) -> Checked {
        did("order", self.tasks.pool.order_after(lease, after, access)).map(drop)
    }
    pub(super) fn open_all(&mut self) {
        self.held.clear();
    }

    fn begins(&mut self) -> Checked {
        if self.leases.len() == TASKS {
            return Ok(());
        }
        let lease = self.tasks.lease()?;
        self.tell(format!("begin {}", lease.stream()));
        let known = self.leases.iter().any(|other| other.id() == lease.id());
        check!(!known, "{} has two owners", lease.id());
        self.leases.push(lease);
        Ok(())
    }
    fn ends(&mut self) -> Checked {
        if !self.leases.is_empty() {
            let lease = self.lease()?;
            self.tell(format!("end {}", lease.stream()));
        }
        Ok(())
    }
    fn sets(&mut self) -> Checked {
        let (mut lease, to, value) = (self.lease()?, self.array(), self.fresh());
        self.tell(format!("{} sets {to}", lease.stream()));
        self.follows(&mut lease, &self.arrays[to].used, Access::Write)?;
        let work = self.tasks.on.set(self.spot(to), value);
        let touch = did("submit", self.tasks.pool.submit(&mut lease, work))?;
        let array = &mut self.arrays[to];
        array.used.replace(touch);
        array.value = value;
        self.leases.push(lease);
        Ok(())
    }
    fn copies(&mut self) -> Checked {
        let (from, to) = (self.array(), self.array());
        if from == to {
            return Ok(());
        }
        let mut lease = self.lease()?;
        self.tell(format!("{} copies {from} to {to}", lease.stream()));
        self.follows(&mut lease, &self.arrays[from].used, Access::Read)?;
        self.follows(&mut lease, &self.arrays[to].used, Access::Write)?;
        let work = self.tasks.on.copy(self.spot(from), self.spot(to));
        let touch = did("submit", self.tasks.pool.submit(&mut lease, work))?;
        self.arrays[from].used.add(touch, Access::Read);
        self.arrays[to].used.replace(touch);
        self.arrays[to].value = self.arrays[from].value;
        self.leases.push(lease);
        Ok(())
    }
    /// A task launches by the raw handle.
    fn exposes(&mut self) -> Checked {
        let (mut lease, to, value) = (self.lease()?, self.array(), self.fresh());
        self.tell(format!("{} sets {to} by its handle", lease.stream()));
        self.follows(&mut lease, &self.arrays[to].used, Access::Write)?;
        let raw = self.tasks.pool.expose(&mut lease);
        let work = self.tasks.on.set(self.spot(to), value);
        ok("launch", self.tasks.on.backend().launch(raw, work))?;
        let touch = did("touch", self.tasks.pool.touch(lease.stream()))?;
        let array = &mut self.arrays[to];
        array.used.replace(touch);
        array.value = value;
        self.leases.push(lease);
        Ok(())
    }
    fn allocates(&mut self) -> Checked {
        let (mut lease, value) = (self.lease()?, self.fresh());
        let memory = allocate(&self.tasks, &mut lease)?;
        self.tell(format!("{} allocates {}", lease.stream(), memory.raw()));
        let work = self.tasks.on.set(Spot::Memory(memory.raw()), value);
        let mut used = memory.stamp();
        used.add(did("submit", self.tasks.pool.submit(&mut lease, work))?, Access::Write);
        self.blocks.push(Block { memory, value, used });
        self.leases.push(lease);
        Ok(())
    }
    fn reads(&mut self) -> Checked {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let (mut lease, to) = (self.lease()?, self.array());
        let at = self.dice.below(self.blocks.len());
        self.tell(format!("{} reads memory to {to}", lease.stream()));
        self.follows(&mut lease, &self.blocks[at].used, Access::Read)?;
        self.follows(&mut lease, &self.arrays[to].used, Access::Write)?;
        let from = Spot::Memory(self.blocks[at].memory.raw());
        let work = self.tasks.on.copy(from, self.spot(to));
        let touch = did("submit", self.tasks.pool.submit(&mut lease, work))?;
        self.blocks[at].used.add(touch, Access::Read);
        self.arrays[to].used.replace(touch);
        self.arrays[to].value = self.blocks[at].value;
        self.leases.push(lease);
        Ok(())
    }
    fn retires(&mut self) -> Checked {
        if !self.blocks.is_empty() {
            let at = self.dice.below(self.blocks.len());
            self.retire(at);
        }
        Ok(())
    }
    fn retire(&mut self, at: usize) {
        let Block { memory, used, .. } = self.blocks.swap_remove(at);
        self.tell(format!("retire {}", memory.raw()));
        let _fate = self.tasks.pool.retire(memory, used);
    }
    fn holds(&mut self) -> Checked {
        self.open_all(); // one at a time
        let mut lease = self.lease()?;
        self.tell(format!("{} is held", lease.stream()));
        self.held.push(self.tasks.hold(&mut lease)?);
        self.since_held = 0;
        self.leases.push(lease);
        Ok(())
    }
    /// The host waits for a word, and looks.
    fn looks(&mut self) -> Checked {
        self.open_all();
        let at = self.array();
        self.tell(format!("look at {at}"));
        self.is_right(at)
    }
    fn is_right(&self, at: usize) -> Checked {
        let Array { cell, value, used } = &self.arrays[at];
        did("a host wait", self.tasks.pool.synchronize(used, Access::Read, PATIENCE))?;
        same(&format!("word {at}"), self.tasks.on.read(*cell), *value)
    }
    pub(super) fn finish(mut self) -> Checked {
        self.open_all();
        self.leases.clear();
        for at in 0..ARRAYS {
            self.is_right(at).map_err(|stop| match stop {
                super::Stop::Failed(what) => {
                    super::Stop::Failed(format!("{what}; steps: {}", self.told.join(", ")))
                }
                other => other,
            })?;
        }
        while !self.blocks.is_empty() {
            self.retire(0);
        }
        self.graphs.clear();
        let Self { tasks, .. } = self;
        // Every piece of memory was given up, and no graph is left: each is freed, once.
        tasks.until("the last free", || {
            let account = tasks.watched().account();
            account.frees.values().all(|&times| times > 0)
        })?;
        tasks.ends()
    }
}
