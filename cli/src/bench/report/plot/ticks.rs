//! Where an axis is labelled.

/// From 0 to at least `most`, at round numbers, five or six of them.
pub(super) fn linear(most: f64) -> Vec<f64> {
    let most = if most > 0.0 { most } else { 1.0 };
    let rough = most / 5.0;
    let unit = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * unit);
    let step = step.into_iter().find(|step| *step >= rough).unwrap_or(unit * 10.0);
    let count = (most / step - 1e-9).ceil().max(1.0) as u32;
    (0..=count).map(|number| f64::from(number) * step).collect()
}

/// Decimal logarithms of round numbers from at most `least` to at least `most`: of whole decades, where there are several.
pub(super) fn decades(least: f64, most: f64) -> Vec<f64> {
    let (first, last) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let last = last.max(first + 1);
    let within: &[f64] = if last - first < 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks: Vec<_> = (first..last)
        .flat_map(|decade| within.iter().map(move |times| f64::from(decade) + times.log10()))
        .collect();
    ticks.push(f64::from(last));
    // What lies outside on either side but for one is of no use.
    let from = ticks.iter().rposition(|tick| *tick <= least.log10() + 1e-9).unwrap_or(0);
    let to = ticks.iter().position(|tick| *tick >= most.log10() - 1e-9);
    ticks[from..=to.unwrap_or(ticks.len() - 1).max((from + 1).min(ticks.len() - 1))].to_vec()
}

/// As short as it can be written without a loss that matters on an axis.
pub(super) fn label(value: f64) -> String {
    let text = match value.abs() {
        size if size >= 1e6 => return format!("{}M", label(value / 1e6)),
        size if size >= 1e4 => return format!("{}k", label(value / 1e3)),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
