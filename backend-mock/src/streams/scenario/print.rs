//! A scenario of streams as text: what [`parse`](super::parse()) reads back as the same value.

use std::fmt::{self, Display, Write};

use ringfence::{id::StreamFlags, stream::Access};

use super::{
    Acquire, Capture, DriverFault, Ending, Leaks, Manner, Place, Run, Spawn, StreamAction,
    StreamExpect, StreamScenario, StreamSetup, StreamStep, Through,
};
use crate::{
    scenario::{
        Blocked, Name, Word,
        print::text::{List, Quoted},
    },
    streams::{op::RunTime, profile::DriverProfile, system::Words},
};

impl Display for StreamScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name = {}", Quoted(&self.name))?;
        if let Some(source) = &self.source {
            writeln!(f, "source = {}", Quoted(source))?;
        }
        if !self.rules.is_empty() {
            writeln!(f, "rules = {}", List(self.rules.iter().map(ToString::to_string)))?;
        }
        if !self.catches.is_empty() {
            writeln!(f, "catches = {}", List(self.catches.iter().cloned()))?;
        }
        write!(f, "{}", self.setup)?;
        writeln!(f, "steps = [")?;
        for step in &self.steps {
            writeln!(f, "  {step},")?;
        }
        writeln!(f, "]")
    }
}

/// Only what differs from the default.
impl Display for StreamSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = Self::on(self.drivers.clone());
        if self.drivers == <DriverProfile as Word>::ALL {
            writeln!(f, "setup.driver = \"all\"")?;
        } else {
            let drivers = self.drivers.iter().map(|driver| driver.word().to_owned());
            writeln!(f, "setup.driver = {}", List(drivers))?;
        }
        if self.words == Words::Off {
            writeln!(f, "setup.words = false")?;
        }
        if self.flags == StreamFlags::empty() {
            writeln!(f, "setup.blocking = true")?;
        }
        let words = [
            ("policy", self.policy.word(), base.policy.word()),
            ("pump", self.pump.word(), base.pump.word()),
        ];
        for (key, value, _) in words.into_iter().filter(|(_, value, base)| value != base) {
            writeln!(f, "setup.{key} = {}", Quoted(value))?;
        }
        let numbers = [
            ("streams", self.streams, base.streams),
            ("idle_cap", self.idle_cap, base.idle_cap),
            ("live_cap", self.live_cap, base.live_cap),
            ("looks", self.looks, base.looks),
            ("warn_past", self.warn_past, base.warn_past),
            ("devices", self.devices, base.devices),
            ("create_ticks", self.create_ticks, base.create_ticks),
            ("queues", self.queues, base.queues),
            ("wait_limit", self.wait_limit, base.wait_limit),
        ];
        for (key, value, _) in numbers.into_iter().filter(|(_, value, base)| value != base) {
            writeln!(f, "setup.{key} = {value}")?;
        }
        if let Some(answers) = &self.answers {
            writeln!(f, "setup.answers = {answers:?}")?;
        }
        Ok(())
    }
}

impl Display for StreamStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = Row::default();
        row.action(&self.action);
        if let Some(thread) = &self.thread {
            row.name("thread", thread);
        }
        if let Some(error) = self.fails {
            row.text("error", error.word());
        }
        if let Some(rule) = self.rule {
            row.text("rule", rule.name());
        }
        write!(f, "{{ {} }}", row.0)
    }
}

/// The inside of an inline table.
#[derive(Default)]
struct Row(String);
impl Row {
    fn value(&mut self, key: &str, value: impl Display) {
        if !self.0.is_empty() {
            self.0.push_str(", ");
        }
        write!(self.0, "{key} = {value}").expect("writing to a string cannot fail");
    }
    fn text(&mut self, key: &str, text: &str) {
        self.value(key, Quoted(text));
    }
    fn name(&mut self, key: &str, name: &Name) {
        self.text(key, name.as_str());
    }
    fn names(&mut self, key: &str, names: &[Name]) {
        self.value(key, List(names.iter().map(ToString::to_string)));
    }
    fn names_if_any(&mut self, key: &str, names: &[Name]) {
        if !names.is_empty() {
            self.names(key, names);
        }
    }
    fn name_if(&mut self, key: &str, name: Option<&Name>) {
        if let Some(name) = name {
            self.name(key, name);
        }
    }
    fn pair(&mut self, verb: &str, what: &Name, on: &Name) {
        self.name(verb, what);
        self.name("on", on);
    }
    fn steps(&mut self, key: &str, steps: &[StreamStep]) {
        let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
        self.value(key, format!("[{}]", steps.join(", ")));
    }
    fn place(&mut self, place: Place) {
        if place.device != 0 {
            self.value("device", place.device);
        }
        if place.priority != Place::default().priority {
            self.text("priority", place.priority.word());
        }
    }

    fn action(&mut self, action: &StreamAction) {
        match action {
            StreamAction::Acquire(acquire) => self.acquire(acquire),
            StreamAction::Switch { stream, task, place } => {
                self.name("switch", stream);
                self.name("task", task);
                self.place(*place);
            }
            StreamAction::Own { stream, owner, place } => {
                self.name("own", stream);
                self.name("owner", owner);
                self.place(*place);
            }
            StreamAction::Over(owner) => self.name("over", owner),
            StreamAction::Release(leases) => self.names("release", leases),
            StreamAction::End(task) => self.name("end", task),
            StreamAction::Forget(what) => self.name("forget", what),
            StreamAction::Drop(what) => self.name("drop", what),
            StreamAction::Run(run) => self.run(run),
            StreamAction::Use { memory, access, on, ticks, name } => {
                let verb = if *access == Access::Write { "use" } else { "read" };
                self.pair(verb, memory, on);
                self.value("ticks", ticks.count());
                self.name_if("as", name.as_ref());
            }
            StreamAction::Copy { future, on, ticks } => {
                self.pair("copy", future, on);
                self.value("ticks", ticks.count());
            }
            StreamAction::Spawn { future, what } => {
                self.name("spawn", future);
                match what {
                    Spawn::Finished { work } => self.name("finished", work),
                    Spawn::Acquire { lease, task, place } => {
                        self.name("acquire", lease);
                        self.name_if("task", task.as_ref());
                        self.place(*place);
                    }
                }
            }
            StreamAction::Poll(future) => self.name("poll", future),
            StreamAction::Tick(ticks) => self.value("tick", ticks.count()),
            StreamAction::TickIdle => self.text("tick", "idle"),
            StreamAction::Finish(on) => self.name("finish", on),
            StreamAction::Alloc { memory, on } => self.pair("alloc", memory, on),
            StreamAction::Free(memory) => self.name("free", memory),
            StreamAction::Disown(lease) => self.name("disown", lease),
            StreamAction::Expose(lease) => self.name("expose", lease),
            StreamAction::Capture(capture) => self.capture(capture),
            StreamAction::Pin(memory) => self.name("pin", memory),
            StreamAction::Fork(lease) => self.name("fork", lease),
            StreamAction::Join(lease) => self.name("join", lease),
            StreamAction::Participant(name) => self.name("participant", name),
            StreamAction::BeginCapture { on, mode } => {
                self.name("begin_capture", on);
                self.text("mode", mode.word());
            }
            StreamAction::EndCapture { graph, on } => self.pair("end_capture", graph, on),
            StreamAction::Launch { graph, on, name } => {
                self.pair("launch", graph, on);
                self.name_if("as", name.as_ref());
            }
            StreamAction::DropGraph(graph) => self.name("drop_graph", graph),
            StreamAction::Query(of) => self.name("query", of),
            StreamAction::Record { event, on } => self.pair("record", event, on),
            StreamAction::Wait { event, on } => self.pair("wait", event, on),
            StreamAction::Create { handle, place } => {
                self.name("create", handle);
                self.place(*place);
            }
            StreamAction::Destroy(of) => self.name("destroy", of),
            StreamAction::Wrap { wrapped, of } => {
                self.name("wrap", wrapped);
                self.text("of", of.as_ref().map_or("per_thread", Name::as_str));
            }
            StreamAction::Unwrap(of) => self.name("unwrap", of),
            StreamAction::Sync { of, limit } => {
                self.name("sync", of);
                self.value("limit", limit);
            }
            StreamAction::Peek { is, place } => {
                self.text("peek", is.word());
                self.place(*place);
            }
            StreamAction::Pump => self.text("pump", "now"),
            StreamAction::Trim => self.text("trim", "now"),
            StreamAction::Reset(device) => self.value("reset", device),
            StreamAction::ShutDown(leaks) => self.shut_down(*leaks),
            StreamAction::Process(leaving) => self.text("process", leaving.word()),
            StreamAction::Fail(fault) => self.fail(fault),
            StreamAction::CountFrom => self.text("count_from", "here"),
            StreamAction::Repeat { times, steps } => {
                self.value("repeat", times);
                self.steps("steps", steps);
            }
            StreamAction::Expect(expect) => self.expect(expect),
        }
    }
    fn acquire(&mut self, acquire: &Acquire) {
        let verb = if acquire.manner == Manner::Reserved { "reserve" } else { "acquire" };
        self.names(verb, &acquire.leases);
        if acquire.times != 1 {
            self.value("times", acquire.times);
        }
        self.name_if("task", acquire.task.as_ref());
        self.place(acquire.place);
        if acquire.manner == Manner::Existing {
            self.value("existing", true);
        }
        if !acquire.while_creating.is_empty() {
            self.steps("while_creating", &acquire.while_creating);
        }
    }
    fn run(&mut self, run: &Run) {
        match run.time {
            RunTime::Ticks(ticks) => self.value("run", ticks.count()),
            RunTime::Endless => self.text("run", "endless"),
        }
        self.names("on", &run.on);
        self.names_if_any("reads", &run.reads);
        self.names_if_any("writes", &run.writes);
        self.name_if("as", run.name.as_ref());
        if run.through == Through::Handle {
            self.value("raw", true);
        }
    }
    fn capture(&mut self, capture: &Capture) {
        self.pair("capture", &capture.graph, &capture.on);
        self.text("mode", capture.mode.word());
        if capture.ends == Ending::Panics {
            self.value("panic", true);
        }
        self.steps("steps", &capture.steps);
    }
    fn shut_down(&mut self, leaks: Leaks) {
        self.text("shutdown", "now");
        for (key, value) in
            [("streams", leaks.streams), ("memory", leaks.memory), ("buffers", leaks.buffers)]
        {
            if value != 0 {
                self.value(key, value);
            }
        }
    }
    fn fail(&mut self, fault: &DriverFault) {
        match fault {
            DriverFault::Call { call, nth, says } => {
                self.text("fail", call.word());
                if *nth != 0 {
                    self.value("nth", nth);
                }
                if let Some(says) = says {
                    self.text("says", says.word());
                }
            }
            DriverFault::AtLive(live) => {
                self.text("fail", "create_at_live");
                self.value("live", live);
            }
            DriverFault::Stream(on) => {
                self.text("fail", "stream");
                self.name("on", on);
            }
            DriverFault::Device => self.text("fail", "device"),
        }
    }
    fn expect(&mut self, expect: &StreamExpect) {
        let (word, of): (&str, &[Name]) = match expect {
            StreamExpect::Same(of) => ("same", of),
            StreamExpect::Distinct(of) => ("distinct", of),
            StreamExpect::Finished(of) => ("finished", of),
            StreamExpect::Unfinished(of) => ("unfinished", of),
            StreamExpect::Complete(of) => ("complete", of),
            StreamExpect::Running(of) => ("running", of),
            StreamExpect::CompletedBefore(of) => ("completed_before", of),
            StreamExpect::Generation { of, .. } => ("generation", of),
            StreamExpect::Ordered(_) => ("ordered", &[]),
            StreamExpect::Freed { of, .. } => ("freed", of),
            StreamExpect::Kept(of) => ("kept", of),
            StreamExpect::Gone(of) => ("gone", of),
            StreamExpect::Status { of, .. } => ("status", of),
            StreamExpect::GraphNodes { of, .. } => ("graph_nodes", of),
            StreamExpect::Answer(_) => ("answer", &[]),
            StreamExpect::Ready(of) => ("ready", of),
            StreamExpect::Pending(of) => ("pending", of),
            StreamExpect::Blocked(blocked) => (Blocked::word(*blocked), &[]),
            StreamExpect::Count { counter, bound, value } => {
                self.text("expect", &format!("{}{}", counter.word(), bound.suffix()));
                return self.value("is", value);
            }
        };
        self.text("expect", word);
        self.names_if_any("of", of);
        match expect {
            StreamExpect::Ordered(is) => self.text("is", is.word()),
            StreamExpect::Freed { is, .. } => self.text("is", is.word()),
            StreamExpect::Status { is, .. } => self.text("is", is.word()),
            StreamExpect::Answer(is) => self.text("is", is.word()),
            StreamExpect::Generation { is, .. } | StreamExpect::GraphNodes { is, .. } => {
                self.value("is", is);
            }
            _ => {}
        }
    }
}
