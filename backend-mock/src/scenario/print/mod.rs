//! A scenario as text: what [`parse`](super::parse()) reads back as the same value.

mod setup;
pub(crate) mod text;

use std::fmt::{self, Display, Write};

use ringfence::{event::EventKind, id::Barrier};

use super::{
    Action, Blocked, By, CopyParts, Expect, Graph, Kind, MachineFault, Name, Run, Scenario, Signal,
    Step, Submit, Timing, Word, parse::failing_word,
};
use text::{Key, List, Quoted};

impl Display for Scenario {
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

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = Row::default();
        row.action(&self.action);
        if let Some(error) = self.fails {
            row.text("error", error.word());
        }
        if let Some(rule) = self.rule {
            row.text("rule", &rule.to_string());
        }
        if let Some(task) = &self.task {
            row.name("task", task);
        }
        if let Some(at) = self.at {
            row.value("at", at.number());
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
    fn word<T: Word>(&mut self, key: &str, value: T) {
        self.text(key, value.word());
    }
    fn word_if<T: Word>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.word(key, value);
        }
    }
    fn event(&mut self, event: &Option<Name>) {
        if let Some(event) = event {
            self.name("event", event);
        }
    }
    fn barrier(&mut self, barrier: Barrier) {
        if barrier == Barrier::Clear {
            self.value("barrier", false);
        }
    }
    fn timing(&mut self, timing: Timing) {
        if timing == Timing::Wanted {
            self.value("timed", true);
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Submit(submit) => self.submit(submit),
            Action::Graph(graph) => self.graph(graph),
            Action::Copy(copy) => self.copy(copy),
            Action::Record { event, on, kind, timing } => {
                self.name("record", event);
                self.name("on", on);
                if *kind != EventKind::Plain {
                    self.word("kind", *kind);
                }
                self.timing(*timing);
            }
            Action::Snapshot { name, of } => {
                self.name("snapshot", name);
                self.name("of", of);
            }
            Action::Wait { on, events, by, packet } => {
                self.names("wait", events);
                self.name("on", on);
                if *by != By::And {
                    self.word("by", *by);
                }
                if let Some(packet) = packet {
                    self.name("packet", packet);
                }
            }
            Action::Query { of } => self.name("query", of),
            Action::SyncEvent { event } => self.name("sync", event),
            Action::SyncStream { stream } => self.name("sync", stream),
            Action::Elapsed { from, to } => self.names("elapsed", &[from.clone(), to.clone()]),
            Action::Destroy { event } => self.name("destroy", event),
            Action::Reclaim { on } => self.name("reclaim", on),
            Action::Probe { on } => self.name("probe", on),
            Action::Drain { on } => self.name("drain", on),
            Action::Switch { on, to } => {
                self.name("switch", on);
                self.name("to", to);
            }
            Action::Share { stream, on } => {
                self.name("share", stream);
                self.name("on", on);
            }
            Action::Close { stream } => self.name("close", stream),
            Action::Handler { event } => self.name("handler", event),
            Action::Deliver => self.text("deliver", "due"),
            Action::DeliverOne { nth } => self.value("deliver", nth),
            Action::Search { on, steps } => {
                self.name("reclaim", on);
                self.value("steps", steps);
            }
            Action::Force { event } => self.name("force", event),
            Action::Start { of } => self.name("start", of),
            Action::Finish { of, parts } => {
                self.names("finish", of);
                if let Some(parts) = parts {
                    self.value("parts", parts);
                }
            }
            Action::ReadIndex { index, of } => {
                self.value("read_index", index);
                self.name("of", of);
            }
            Action::Run(Run::Idle) => self.text("run", "idle"),
            Action::Run(Run::Moves(moves)) => self.value("run", moves),
            Action::Foreign { queue, packets, barrier } => {
                self.value("foreign", packets);
                self.name("on", queue);
                self.barrier(*barrier);
            }
            Action::Restart { queue } => self.name("restart", queue),
            Action::Profiler { device } => self.name("profiler", device),
            Action::Fail(fault) => self.fail(fault),
            Action::Steady(steady) => self.word("steady", *steady),
            Action::CountFrom => self.text("count_from", "here"),
            Action::Repeat { times, steps } => {
                self.value("repeat", times);
                let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
                self.value("steps", format!("[{}]", steps.join(", ")));
            }
            Action::Expect(expect) => self.expect(expect),
        }
    }
    fn submit(&mut self, submit: &Submit) {
        self.name("submit", &submit.name);
        self.name("on", &submit.on);
        if submit.kind != Kind::Kernel {
            self.word("kind", submit.kind);
        }
        self.barrier(submit.barrier);
        if submit.signal == Signal::No {
            self.value("signal", false);
        }
        self.word_if("role", submit.role);
        self.timing(submit.timing);
        if submit.ticks != Submit::TICKS {
            self.value("ticks", submit.ticks);
        }
        self.word_if("release", submit.release);
        self.event(&submit.event);
    }
    fn graph(&mut self, graph: &Graph) {
        self.value("graph", graph.packets);
        self.name("on", &graph.on);
        self.barrier(graph.barrier);
        self.timing(graph.timing);
        if !graph.signals.is_empty() {
            let signals =
                graph.signals.iter().map(|(position, name)| format!("{} = {position}", Key(name)));
            self.value("signals", format!("{{ {} }}", signals.collect::<Vec<_>>().join(", ")));
        }
    }
    fn copy(&mut self, copy: &CopyParts) {
        self.name("copy", &copy.name);
        self.name("on", &copy.on);
        self.name("engine", &copy.engine);
        if copy.parts != 1 {
            self.value("parts", copy.parts);
        }
        self.names_if_any("waits", &copy.waits);
        self.timing(copy.timing);
        self.event(&copy.event);
    }
    fn fail(&mut self, fault: &MachineFault) {
        self.text("fail", failing_word(fault));
        match fault {
            MachineFault::Creation { at }
            | MachineFault::NullHandle { at }
            | MachineFault::FallBack { at }
            | MachineFault::Part { at } => self.value("at", at),
            MachineFault::LateDecrement { of } => self.name("of", of),
            MachineFault::Interrupt => {}
            MachineFault::Timestamps { stamps, times } => {
                self.word("is", *stamps);
                if *times != 1 {
                    self.value("times", times);
                }
            }
            MachineFault::Device { device } => self.name("on", device),
        }
    }
    fn expect(&mut self, expect: &Expect) {
        let (word, of): (&str, &[Name]) = match expect {
            Expect::Retired(of) => ("retired", of),
            Expect::Busy(of) => ("busy", of),
            Expect::Complete(of) => ("complete", of),
            Expect::Running(of) => ("running", of),
            Expect::Same(of) => ("same", of),
            Expect::Distinct(of) => ("distinct", of),
            Expect::CompletedBefore(of) => ("completed_before", of),
            Expect::State { of, .. } => ("state", of),
            Expect::Memory { of, .. } => ("memory", of),
            Expect::Interval { of, .. } => ("interval", of),
            Expect::Error { of, .. } => ("error", of),
            Expect::Blocked(blocked) => (Blocked::word(*blocked), &[]),
            Expect::ElapsedNs(_) => ("elapsed", &[]),
            Expect::Count { counter, bound, value } => {
                self.text("expect", &format!("{}{}", counter.word(), bound.suffix()));
                return self.value("is", value);
            }
        };
        self.text("expect", word);
        self.names_if_any("of", of);
        match expect {
            Expect::State { is, .. } => self.word("is", *is),
            Expect::Memory { is, .. } => self.word("is", *is),
            Expect::Interval { is, .. } => self.word("is", *is),
            Expect::Error { is, .. } => self.word("is", *is),
            Expect::ElapsedNs(Some(ns)) => self.value("ns", ns),
            Expect::ElapsedNs(None) => self.text("is", "none"),
            _ => {}
        }
    }
}
