//! What is drawn of tasks and their streams.

use maud::Markup;

use super::{three, touch_figures};
use crate::bench::{
    report::{
        figure::{Figure, figure, tenth},
        plot::{Lines, Point, Scale, Series, Words},
    },
    streams::{Looked, Run, Touch, text},
    table::grouped,
};

/// A plot against iterations.
pub(super) struct Against {
    id: &'static str,
    title: &'static str,
    description: &'static str,
    up: &'static str,
    figure: fn(&str, &Looked) -> Option<Figure>,
}
pub(super) const TIME: Against = Against {
    id: "streams-time",
    title: "Time against iterations",
    description: "Four loops of producers and consumers: how long the iterations since the point before took. What rises gets slower \
                  as it goes on.",
    up: "s",
    figure: |at, look| Some(figure!(at, look.seconds, three)),
};
pub(super) const MODELLED: Against = Against {
    id: "streams-modelled",
    title: "Modelled time against iterations",
    description: "The same loops: what the driver's calls and the device would have taken since the point before, by the model.",
    up: "ms, modelled",
    figure: |at, look| Some(Figure::new(format!("{at}/modelled_ms"), look.modelled_ms?, tenth)),
};
pub(super) const MEMORY: Against = Against {
    id: "streams-memory",
    title: "Resident memory against iterations",
    description: "The same loops: memory of the process at each point. The policies run one after another in one process, so that a \
                  later one begins where those before it ended.",
    up: "MiB",
    figure: |at, look| Some(figure!(at, look.rss_mib, tenth)),
};

pub(super) fn against_iterations(runs: &[(String, &Run)], of: &Against) -> Option<Markup> {
    let mut series = Vec::new();
    for (at, run) in runs {
        let Some(looks) = &run.looks else { continue };
        let points: Vec<_> = looks
            .iter()
            .enumerate()
            .filter_map(|(number, look)| {
                Some(Point {
                    x: look.iterations.into(),
                    named: grouped(look.iterations.into()),
                    y: (of.figure)(&format!("{at}/looks/{number}"), look)?,
                })
            })
            .collect();
        if !points.is_empty() {
            series.push(of_policy(run.policy, points));
        }
    }
    let words = Words {
        id: of.id,
        title: of.title.to_owned(),
        description: of.description.to_owned(),
        across: "iterations of each loop",
        up: of.up,
    };
    Lines { words, scale: Scale::Linear, places: Vec::new(), series }.draw()
}

/// A plot of how long tasks waited for their streams.
pub(super) struct Waits {
    id: &'static str,
    title: &'static str,
    name: &'static str,
    of: fn(&Run) -> Option<&Touch>,
}
pub(super) const FIRST: Waits = Waits {
    id: "streams-first",
    title: "Wait for a stream, none there yet",
    name: "first_touch_ms",
    of: |run| run.first_touch_ms.as_ref(),
};
pub(super) const AGAIN: Waits = Waits {
    id: "streams-again",
    title: "Wait for a stream, once more",
    name: "next_touch_ms",
    of: |run| run.next_touch_ms.as_ref(),
};

pub(super) fn waits(runs: &[(String, &Run)], waits: &Waits) -> Option<Markup> {
    const PLACES: [&str; 4] = ["p50", "p75", "p90", "max"];
    let mut series = Vec::new();
    for (at, run) in runs {
        let Some(touch) = (waits.of)(run) else { continue };
        let at = format!("{at}/{}", waits.name);
        let points = touch_figures(&at, touch).into_iter().zip(PLACES).enumerate();
        let points = points.map(|(place, (y, named))| {
            let named = named.to_owned();
            Point { x: place as f64, named, y }
        });
        series.push(of_policy(run.policy, points.collect()));
    }
    let words = Words {
        id: waits.id,
        title: waits.title.to_owned(),
        description: text::touches_title() + " Lower is better.",
        across: "so many of the tasks waited no longer",
        up: "ms",
    };
    let places = PLACES.map(str::to_owned).to_vec();
    Lines { words, scale: Scale::Decades, places, series }.draw()
}

fn of_policy(policy: &str, points: Vec<Point>) -> Series {
    let number = text::policies().position(|(one, _)| one.name() == policy);
    Series { label: policy.to_owned(), number: number.unwrap_or_default(), points }
}
