//! Graphs of random histories: what they record, and what a launch of one does on a CPU.

use ringfence::{
    drive::Graph,
    error::StreamError,
    stream::{Access, Stamp},
};

use super::{
    super::super::{super::Checked, Spot, StreamSubject},
    Tasks, did,
    history::{ARRAYS, Array, Block, History},
};

/// What one node of a graph does.
#[derive(Clone, Copy)]
pub(super) enum Node {
    Set(usize, u32),
    Copy(usize, usize),
    /// From pinned memory, which holds this value for ever.
    Read(u32, usize),
}
pub(super) struct Recorded {
    graph: Graph,
    nodes: Vec<Node>,
    /// Who wrote the memory that it pins.
    after: Stamp,
}

impl<S: StreamSubject> History<'_, S> {
    /// A capture, in the middle of which somebody else frees, pumps, and runs a task.
    pub(super) fn captures(&mut self) -> Checked {
        self.open_all(); // a refused wait on the device becomes one on the host
        let (mut lease, mode) = (self.lease()?, self.dice.mode());
        self.tell(format!("{} captures in {mode:?} mode", lease.stream()));
        let mut nodes = Vec::new();
        for _ in 0..=self.dice.below(3) {
            let (from, to, value) = (self.array(), self.array(), self.fresh());
            nodes.push(if from == to { Node::Set(to, value) } else { Node::Copy(from, to) });
        }
        let pinned = (!self.blocks.is_empty()).then(|| self.dice.below(self.blocks.len()));
        let mut after = Stamp::default();
        if let Some(at) = pinned {
            after = self.blocks[at].used.clone();
            nodes.push(Node::Read(self.blocks[at].value, self.array()));
        }
        let retired = self.dice.below(2) == 0 && self.blocks.len() > 1;
        let works: Vec<_> = nodes
            .iter()
            .map(|node| match *node {
                Node::Set(to, value) => self.tasks.on.set(self.spot(to), value),
                Node::Copy(from, to) => self.tasks.on.copy(self.spot(from), self.spot(to)),
                Node::Read(_, to) => {
                    let at = pinned.expect("a node reads what is pinned");
                    let from = Spot::Memory(self.blocks[at].memory.raw());
                    self.tasks.on.copy(from, self.spot(to))
                }
            })
            .collect();
        let Self { tasks, blocks, arrays, dice, .. } = self;
        let mut foreign = Ok(());
        let captured = tasks.pool.capture(&mut lease, mode, |scope| {
            if let Some(at) = pinned {
                scope.pin(&blocks[at].memory)?;
            }
            let half = works.len() / 2;
            for (number, work) in works.into_iter().enumerate() {
                if number == half {
                    if retired {
                        let Block { memory, used, .. } = blocks.swap_remove(0);
                        let _fate = tasks.pool.retire(memory, used);
                    }
                    foreign = beside(tasks, &mut arrays[dice.below(ARRAYS)], half);
                }
                scope.submit(work)?;
            }
            Ok::<(), StreamError>(())
        });
        foreign?;
        let graph = did("a capture", captured)?.graph;
        self.graphs.push(Recorded { graph, nodes, after });
        if self.graphs.len() > 3 {
            self.graphs.swap_remove(0);
        }
        self.leases.push(lease);
        Ok(())
    }
    pub(super) fn launches(&mut self) -> Checked {
        if self.graphs.is_empty() {
            return Ok(());
        }
        let mut lease = self.lease()?;
        let at = self.dice.below(self.graphs.len());
        self.tell(format!("{} launches a graph", lease.stream()));
        let mut recorded = self.graphs.swap_remove(at);
        self.follows(&mut lease, &recorded.after, Access::Read)?;
        // Launches of one graph follow each other.
        self.follows(&mut lease, recorded.graph.launches(), Access::Write)?;
        for node in &recorded.nodes {
            if let Node::Copy(from, _) = *node {
                self.follows(&mut lease, &self.arrays[from].used, Access::Read)?;
            }
            let (Node::Set(to, _) | Node::Copy(_, to) | Node::Read(_, to)) = *node;
            self.follows(&mut lease, &self.arrays[to].used, Access::Write)?;
        }
        let touch = did("launch", self.tasks.pool.launch(&mut lease, &mut recorded.graph))?;
        for node in &recorded.nodes {
            let (to, value) = match *node {
                Node::Set(to, value) | Node::Read(value, to) => (to, value),
                Node::Copy(from, to) => (to, self.arrays[from].value),
            };
            self.arrays[to].value = value;
        }
        // All are written at one position; a word that was only read is read.
        for node in &recorded.nodes {
            if let Node::Copy(from, _) = *node {
                self.arrays[from].used.add(touch, Access::Read);
            }
        }
        for node in &recorded.nodes {
            let (Node::Set(to, _) | Node::Copy(_, to) | Node::Read(_, to)) = *node;
            self.arrays[to].used.replace(touch);
        }
        self.graphs.push(recorded);
        self.leases.push(lease);
        Ok(())
    }
}

/// What another task does in the middle of a capture.
fn beside<S: StreamSubject>(tasks: &Tasks<'_, S>, array: &mut Array<S>, value: usize) -> Checked {
    let value = u32::try_from(value).expect("a small number") + 1_000_000;
    let mut other = tasks.lease()?;
    did("order", tasks.pool.order_after(&mut other, &array.used, Access::Write)).map(drop)?;
    let touch = tasks.set(&mut other, array.cell, value)?;
    array.used.replace(touch);
    array.value = value;
    drop(other);
    tasks.pool.pump();
    Ok(())
}
