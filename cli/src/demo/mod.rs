//! `ringfence demo`: the main job, on the modelled device, with five ways to track signals.

mod checks;
mod dice;
mod idle;
mod json;
mod machine;
mod player;
mod report;
mod run;
mod table;
mod workload;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ringfence_mock::chooser::Profile;

use crate::output::{Output, complain};
use run::{Configuration, Figures};
use workload::Mix;

/// The most uses of one run: more would take minutes.
const MOST_USES: u32 = 20_000_000;

/// How the demonstration runs.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Signals that the mix uses in each run, besides those that a tracker adds
    #[arg(long, value_name = "N", default_value = "200000", value_parser = parse_uses, allow_negative_numbers = true)]
    uses: u32,
    /// What the mix and the device's choices follow from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How the modelled device behaves
    #[arg(long, value_enum, default_value_t = Behaviour::Hostile)]
    profile: Behaviour,
}

/// How the modelled device behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Behaviour {
    /// Prompt and in order; the read index tells the truth
    Tame,
    /// In no order and not prompt; the read index leads and lags
    Busy,
    /// All that may go wrong without a fault of the host, often
    Hostile,
}
impl Behaviour {
    fn profile(self) -> Profile {
        match self {
            Self::Tame => Profile::Tame,
            Self::Busy => Profile::Busy,
            Self::Hostile => Profile::Hostile,
        }
    }
    fn name(self) -> &'static str {
        match self {
            Self::Tame => "tame",
            Self::Busy => "busy",
            Self::Hostile => "hostile",
        }
    }
}

fn parse_uses(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(0) => Err("a run needs at least 1 use".to_owned()),
        Ok(uses) if uses <= MOST_USES => Ok(uses),
        _ => Err(format!("not a whole number from 1 to {MOST_USES}")),
    }
}

/// Runs all configurations, prints what they did, and says whether all rules were kept.
pub(crate) fn demo(options: &Options, out: &mut Output) -> ExitCode {
    let mix = Mix::roll(options.seed, options.uses);
    if !options.json {
        out.print(report::opening(options, &mix));
    }
    let bar = progress_bar(mix.steps().len() * Configuration::ALL.len());
    let mut all = Vec::with_capacity(Configuration::ALL.len());
    for configuration in Configuration::ALL {
        bar.set_message(configuration.to_string());
        let mut progress = |steps| bar.inc(steps as u64);
        let profile = options.profile.profile();
        match run::run(configuration, &mix, options.seed, profile, &mut progress) {
            Ok(figures) => all.push(figures),
            Err(aborted) => {
                bar.finish_and_clear();
                complain(report::aborted(&aborted));
                return ExitCode::FAILURE;
            }
        }
    }
    bar.finish_and_clear();
    let checks = checks::all(&all);
    if options.json {
        out.print(json::object(options, &all, &checks));
    } else {
        out.print(table::table(&all));
        out.print(report::notes());
        out.print(report::checks(&checks, out.colours()));
    }
    verdict(&all, &checks)
}

fn verdict(all: &[Figures], checks: &[checks::Check]) -> ExitCode {
    if let Some(broken) = all.iter().find(|figures| figures.violations > 0) {
        complain(report::broken(broken));
        return ExitCode::FAILURE;
    }
    let missed = checks.iter().filter(|check| check.result == checks::Held::No).count();
    if missed > 0 {
        let all = checks.len();
        complain(format!(
            "ringfence: no rule was broken, but {missed} of {all} checks do not hold\n"
        ));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// On a terminal; elsewhere it draws nothing.
fn progress_bar(steps: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:32} {percent:>3} % of the steps  {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
