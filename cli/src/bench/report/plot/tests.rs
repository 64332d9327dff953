use super::*;

fn series(label: &str, figures: &[f64]) -> Series {
    numbered(0, label, figures)
}
fn numbered(number: usize, label: &str, figures: &[f64]) -> Series {
    let point = |(at, figure): (usize, &f64)| Point {
        x: at as f64,
        named: format!("n{at}"),
        y: Figure::new(format!("/{label}/{at}"), *figure, |value| value.to_string()),
    };
    Series {
        label: label.to_owned(),
        number,
        points: figures.iter().enumerate().map(point).collect(),
    }
}
fn words() -> Words {
    Words {
        id: "plot",
        title: "Cost <of> a use".to_owned(),
        description: "What it costs & why.".to_owned(),
        across: "queues",
        up: "µs",
    }
}
fn lines(scale: Scale, series: Vec<Series>) -> Lines {
    let places = ["n0", "n1", "n2"].map(str::to_owned).to_vec();
    Lines { words: words(), scale, places, series }
}
/// The numbers of each `points` of a drawing.
fn polylines(page: &str) -> Vec<Vec<(i32, i32)>> {
    let lists = page.split(" points=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let place = |pair: &str| {
        let (x, y) = pair.split_once(',').expect("two numbers");
        (x.parse().expect("a number"), y.parse().expect("a number"))
    };
    lists.map(|list| list.split_whitespace().map(place).collect()).collect()
}

#[test]
fn a_line_rises_with_its_figures() {
    let drawn = lines(Scale::Linear, vec![series("a", &[1.0, 2.0, 3.0])]).draw().expect("figures");
    let line = polylines(&drawn.into_string()).into_iter().find(|line| line.len() == 3);
    let line = line.expect("a line of three places");
    assert!(line.windows(2).all(|two| two[0].0 < two[1].0), "to the right: {line:?}");
    assert!(line.windows(2).all(|two| two[0].1 > two[1].1), "upwards: {line:?}");
    let steps = [line[0].1 - line[1].1, line[1].1 - line[2].1];
    assert!((steps[0] - steps[1]).abs() <= 1, "the same figure, the same step: {steps:?}");
}

#[test]
fn decades_are_as_far_apart_as_each_other_and_zero_has_none() {
    let draw = |figures: &[f64]| {
        let drawn = lines(Scale::Decades, vec![series("a", figures)]).draw().expect("figures");
        let lines = polylines(&drawn.into_string());
        lines.into_iter().find(|line| line.len() == 3).expect("a line of three places")
    };
    let line = draw(&[0.1, 1.0, 10.0]);
    assert!(((line[0].1 - line[1].1) - (line[1].1 - line[2].1)).abs() <= 1, "{line:?}");
    let line = draw(&[0.0, 1.0, 10.0]);
    assert!((line[0].1 - line[1].1) * 5 < line[1].1 - line[2].1, "not by decades: {line:?}");
}

#[test]
fn no_colour_is_fixed_and_every_series_has_its_own() {
    let all: Vec<_> =
        (0..8).map(|n| numbered(n, &format!("s{n}"), &[1.0, 2.0 + n as f64])).collect();
    let page = lines(Scale::Linear, all).draw().expect("figures").into_string();
    assert!(!page.contains('#'), "a fixed colour in\n{page}");
    for colour in
        ["--ink", "--grid"].map(str::to_owned).into_iter().chain((1..=8).map(|n| format!("--s{n}")))
    {
        assert!(page.contains(&format!("var({colour})")), "{colour} in\n{page}");
    }
    let alone = lines(Scale::Linear, vec![numbered(5, "s5", &[1.0, 2.0])]).draw();
    let alone = alone.expect("figures").into_string();
    assert!(
        alone.contains("var(--s6)") && alone.contains(r#"class="k6""#),
        "its own, whoever else is there"
    );
    assert!(!alone.contains("var(--s1)"), "{alone}");
    let marks: std::collections::HashSet<_> =
        (0..8).map(|at| (paint::mark_of(at), paint::colour_of(at))).collect();
    assert_eq!(marks.len(), 8);
}

#[test]
fn a_plot_says_what_it_is_and_its_table_has_every_figure() {
    let all = vec![series("a", &[1.5, 2.5]), series("b", &[3.5])];
    let page = lines(Scale::Linear, all).draw().expect("figures").into_string();
    for part in [
        r#"role="img" aria-labelledby="plot-title plot-text""#,
        r#"<title id="plot-title">Cost &lt;of&gt; a use</title>"#,
        r#"<desc id="plot-text">What it costs &amp; why.</desc>"#,
        r#"<data value="1.5" data-at="/a/0">1.5</data>"#,
        r#"<data value="2.5" data-at="/a/1">2.5</data>"#,
        r#"<data value="3.5" data-at="/b/0">3.5</data>"#,
        r#"<th scope="row">n1</th>"#,
    ] {
        assert!(page.contains(part), "{part} in\n{page}");
    }
    assert_eq!(page.matches("<td>-</td>").count(), 1, "b has one figure less");
}

#[test]
fn bars_are_as_long_as_their_figures() {
    let bars = Bars {
        words: words(),
        series: vec![numbered(0, "a", &[1.0, 2.0]), numbered(1, "b", &[3.0, 0.0])],
    };
    let page = bars.draw().expect("figures").into_string();
    let widths: Vec<i32> = page
        .split("<rect ")
        .skip(1)
        .filter(|rect| rect.contains("var(--s"))
        .map(|rect| {
            let width = rect.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
            width.and_then(|width| width.parse().ok()).expect("a width")
        })
        .collect();
    let [a0, b0, a1, b1] = widths[..] else { panic!("four parts: {widths:?}") };
    assert!((b0 - 3 * a0).abs() <= 3 && (a1 - 2 * a0).abs() <= 2 && b1 == 0, "{widths:?}");
}

#[test]
fn nothing_is_drawn_of_nothing() {
    assert!(lines(Scale::Linear, Vec::new()).draw().is_none());
    assert!(lines(Scale::Decades, vec![series("a", &[])]).draw().is_none());
    assert!(Bars { words: words(), series: vec![series("a", &[])] }.draw().is_none());
    assert!(lines(Scale::Decades, vec![series("a", &[0.0, 0.0])]).draw().is_some(), "all is 0");
}

#[test]
fn ticks_are_round_and_reach_around_the_figures() {
    assert_eq!(ticks::linear(4.2), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(ticks::linear(0.0).last(), Some(&1.0));
    for most in [0.003, 0.9, 1.0, 7.0, 20.0, 999.0, 16_384.0] {
        let ticks = ticks::linear(most);
        let last = ticks[ticks.len() - 1];
        assert!(last >= most && last <= most * 2.0, "{most}: {ticks:?}");
        assert!((3..=7).contains(&ticks.len()), "{most}: {ticks:?}");
    }
    for (least, most) in [(0.08, 0.09), (0.01, 50.0), (1.0, 1.0), (3.0, 40.0), (100.0, 1_000.0)] {
        let ticks = ticks::decades(least, most);
        assert!(ticks.len() >= 2 && ticks.is_sorted(), "{least} to {most}: {ticks:?}");
        assert!(10_f64.powf(ticks[0]) <= least * 1.001, "{least}: {ticks:?}");
        assert!(10_f64.powf(ticks[ticks.len() - 1]) >= most * 0.999, "{most}: {ticks:?}");
    }
}

#[test]
fn labels_are_short() {
    let labels = [0.0, 0.05, 0.25, 1.0, 2.5, 250.0, 16_000.0, 2e6].map(ticks::label);
    assert_eq!(labels, ["0", "0.05", "0.25", "1", "2.5", "250", "16k", "2M"]);
}
