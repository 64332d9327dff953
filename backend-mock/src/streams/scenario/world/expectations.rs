//! Whether what a scenario of streams expects is so.

use ringfence::backend::streams::CaptureStatus;

use super::{
    Hand, StreamFailure,
    failure::Stop,
    things::{Polled, find},
};
use crate::{
    scenario::{Blocked, Bound, Name, Word},
    streams::{
        model::MemoryState,
        scenario::{StatusWord, StreamCounter, StreamExpect},
    },
};

type Held = Result<(), Box<StreamFailure>>;

impl Hand {
    pub(super) fn expect(&self, expect: &StreamExpect) -> Result<(), Stop> {
        match expect {
            StreamExpect::Same(of) => self.expect_same(of),
            StreamExpect::Distinct(of) => self.expect_distinct(of),
            StreamExpect::Finished(of) => self.each_work(of, "the library to know that", true),
            StreamExpect::Unfinished(of) => {
                self.each_work(of, "the library not to know that", false)
            }
            StreamExpect::Complete(of) => self.each_completion(of, true),
            StreamExpect::Running(of) => self.each_completion(of, false),
            StreamExpect::CompletedBefore(of) => self.expect_order(of),
            StreamExpect::Count { counter, bound, value } => {
                Ok(self.expect_count(*counter, *bound, *value)?)
            }
            StreamExpect::Generation { of, is } => {
                let names = self.state().expand(of);
                for name in names {
                    let seen = self.state().tenant(&name)?.stream.generation().as_u32();
                    let expected = format!("`{name}` to be generation {is} of its stream");
                    so(seen == *is, expected, || format!("it is generation {seen}"))?;
                }
                Ok(())
            }
            StreamExpect::Ordered(is) => {
                let seen = self.state().ordered;
                let expected = format!("the last work to be ordered `{}`", is.word());
                Ok(so(seen == Some(*is), expected, || match seen {
                    Some(seen) => format!("it is ordered `{}`", seen.word()),
                    None => "nothing had to be ordered".to_owned(),
                })?)
            }
            StreamExpect::Freed { of, is } => {
                for name in of {
                    let seen = self.state().array(name)?.freed;
                    let expected = format!("the free of `{name}` to be `{}`", is.word());
                    so(seen == Some(*is), expected, || match seen {
                        Some(seen) => format!("it is `{}`", seen.word()),
                        None => "it was not given up".to_owned(),
                    })?;
                }
                Ok(())
            }
            StreamExpect::Kept(of) => self.each_memory(of, true),
            StreamExpect::Gone(of) => self.each_memory(of, false),
            StreamExpect::Status { of, is } => {
                let names = self.state().expand(of);
                for name in names {
                    let raw = self.raw_of(&name)?;
                    let seen = match self.driver().with_model(|model| model.status_of(raw)) {
                        CaptureStatus::Active => StatusWord::Active,
                        CaptureStatus::Invalidated => StatusWord::Invalidated,
                        _ => StatusWord::None,
                    };
                    let expected = format!("the capture status of `{name}` to be `{}`", is.word());
                    so(seen == *is, expected, || format!("it is `{}`", seen.word()))?;
                }
                Ok(())
            }
            StreamExpect::GraphNodes { of, is } => {
                for name in of {
                    let seen = find(&mut self.state().graphs, "graph", name)?.nodes;
                    let expected = format!("`{name}` to have {is} nodes");
                    so(seen == *is as usize, expected, || format!("it has {seen}"))?;
                }
                Ok(())
            }
            StreamExpect::Answer(is) => {
                let seen = self.state().answer;
                let expected = format!("the user's last query to bring `{}`", is.word());
                Ok(so(seen == Some(*is), expected, || match seen {
                    Some(seen) => format!("it brought `{}`", seen.word()),
                    None => "there was none".to_owned(),
                })?)
            }
            StreamExpect::Ready(of) => self.each_future(of, Polled::Ready),
            StreamExpect::Pending(of) => self.each_future(of, Polled::Pending),
            StreamExpect::Blocked(blocked) => {
                let seen = self.state().waited;
                let (expected, got) = match blocked {
                    Blocked::Waited => ("the step before to wait", "no time passed in it"),
                    Blocked::NotWaited => ("the step before not to wait", "time passed in it"),
                };
                Ok(so(seen == (*blocked == Blocked::Waited), expected, || got.to_owned())?)
            }
        }
    }
    fn raw_of(&self, name: &Name) -> Result<ringfence::id::RawStream, Stop> {
        let handle = self.state().handles.get(name).map(|handle| handle.raw);
        match handle {
            Some(raw) => Ok(raw),
            None => Ok(self.state().tenant(name)?.raw),
        }
    }
    fn streams(&self, of: &[Name]) -> Result<Vec<(Name, ringfence::id::StreamId)>, Stop> {
        let names = self.state().expand(of);
        names
            .into_iter()
            .map(|name| {
                let id = self.state().tenant(&name)?.stream.id();
                Ok((name, id))
            })
            .collect()
    }
    fn expect_same(&self, of: &[Name]) -> Result<(), Stop> {
        for pair in self.streams(of)?.windows(2) {
            let expected = format!("`{}` and `{}` to be of one stream", pair[0].0, pair[1].0);
            so(pair[0].1 == pair[1].1, expected, || {
                format!("they are of {} and {}", pair[0].1, pair[1].1)
            })?;
        }
        Ok(())
    }
    fn expect_distinct(&self, of: &[Name]) -> Result<(), Stop> {
        let mut streams = self.streams(of)?;
        streams.sort_by_key(|(_, id)| *id);
        for pair in streams.windows(2) {
            let expected = format!("`{}` and `{}` to be of two streams", pair[0].0, pair[1].0);
            so(pair[0].1 != pair[1].1, expected, || format!("both are of {}", pair[0].1))?;
        }
        Ok(())
    }
    fn each_work(&self, of: &[Name], expected: &str, finished: bool) -> Result<(), Stop> {
        for name in of {
            let touch = find(&mut self.state().work, "piece of work", name)?.touch;
            let Some(touch) = touch else {
                let what = format!("`{name}` went past the pool: nothing remembers it");
                return Err(StreamFailure::misuse(what).into());
            };
            let seen = self.pool().is_finished(touch);
            so(seen == finished, format!("{expected} `{name}` is finished"), || {
                if seen { "it does".to_owned() } else { "it does not".to_owned() }
            })?;
        }
        Ok(())
    }
    fn each_completion(&self, of: &[Name], complete: bool) -> Result<(), Stop> {
        self.note_completions();
        for name in of {
            let seen = find(&mut self.state().work, "piece of work", name)?.completed.is_some();
            let not = if complete { "" } else { "not " };
            so(seen == complete, format!("the device {not}to have completed `{name}`"), || {
                if seen { "it has".to_owned() } else { "it has not".to_owned() }
            })?;
        }
        Ok(())
    }
    fn expect_order(&self, of: &[Name]) -> Result<(), Stop> {
        self.note_completions();
        let mut before: Option<(&Name, u64)> = None;
        for name in of {
            let at = find(&mut self.state().work, "piece of work", name)?.completed;
            let expected = format!("the device to have completed `{name}` in this order");
            let Some(at) = at else {
                return Err(StreamFailure::not_so(expected, "it has not completed it").into());
            };
            if let Some((earlier, then)) = before {
                so(then < at, expected, || format!("it did so before `{earlier}`"))?;
            }
            before = Some((name, at));
        }
        Ok(())
    }
    fn each_memory(&self, of: &[Name], kept: bool) -> Result<(), Stop> {
        for name in of {
            let raw = self.state().array(name)?.raw;
            let seen = self.driver().with_model(|model| model.memory_state(raw));
            let wanted = if kept { MemoryState::Allocated } else { MemoryState::Gone };
            let say = |state| match state {
                MemoryState::Allocated => "there",
                MemoryState::Freeing => "about to be freed",
                MemoryState::Gone => "freed",
            };
            so(seen == wanted, format!("`{name}` to be {}", say(wanted)), || {
                format!("it is {}", say(seen))
            })?;
        }
        Ok(())
    }
    fn each_future(&self, of: &[Name], polled: Polled) -> Result<(), Stop> {
        for name in of {
            let seen = find(&mut self.state().futures, "future", name)?.polled;
            so(seen == Some(polled), format!("`{name}` to be {polled:?}"), || match seen {
                Some(seen) => format!("its last poll said {seen:?}"),
                None => "it was not polled".to_owned(),
            })?;
        }
        Ok(())
    }
    fn expect_count(&self, counter: StreamCounter, bound: Bound, value: u64) -> Held {
        let seen = self.count(counter);
        let side = match bound {
            Bound::Exactly => "",
            Bound::AtMost => "at most ",
            Bound::AtLeast => "at least ",
        };
        let expected = format!("`{}` to be {side}{value}", counter.word());
        so(bound.admits(seen, value), expected, || format!("it is {seen}"))
    }
}

fn so(is: bool, expected: impl Into<String>, seen: impl FnOnce() -> String) -> Held {
    if is { Ok(()) } else { Err(StreamFailure::not_so(expected, seen())) }
}
