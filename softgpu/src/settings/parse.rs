//! From variables to settings.

use std::{env, time::Duration};

use super::{
    Bar, Dependencies, Faults, Gfx, HostStores, Link, Mistake, Priority, Profile, ReadIndex,
    Settings, SettingsError, Span, Trace,
    table::{self, PREFIX, PROFILE, PROFILES, ROWS},
};

impl Settings {
    /// The settings of this process's environment.
    ///
    /// # Errors
    ///
    /// As [`from_variables`](Self::from_variables).
    pub fn from_environment() -> Result<Self, SettingsError> {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        Self::from_variables(env::vars_os().map(|(name, value)| (text(name), text(value))))
    }

    /// The settings that these variables make. Others than `RINGFENCE_SOFTGPU_*` are ignored; of a
    /// variable that comes twice, the last value counts.
    ///
    /// # Errors
    ///
    /// Every variable of that prefix that is no setting, and every value that its setting cannot have.
    pub fn from_variables(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SettingsError> {
        let ours: Vec<(String, String)> = variables
            .into_iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(PREFIX)?.to_owned(), value)))
            .collect();
        let mut mistakes = Vec::new();
        let mut profile = Profile::Quiet;
        for (_, value) in ours.iter().filter(|(name, _)| name == PROFILE) {
            match Profile::named(value) {
                Some(named) => profile = named,
                None => mistakes.push(bad(PROFILE, value, PROFILES)),
            }
        }
        let mut settings = Self::of(profile);
        for (name, value) in ours.iter().filter(|(name, _)| name != PROFILE) {
            match ROWS.iter().find(|row| row.name == name) {
                None => mistakes.push(unknown(name)),
                Some(row) if (row.read)(value, &mut settings).is_none() => {
                    mistakes.push(bad(row.name, value, row.allowed));
                }
                Some(_) => {}
            }
        }
        if mistakes.is_empty() && !settings.gfx.model().links.contains(&settings.link) {
            let (variable, value) = (format!("{PREFIX}LINK"), "xgmi".to_owned());
            mistakes.push(Mistake::Link { variable, value, gfx: settings.gfx, allowed: "pcie" });
        }
        SettingsError::unless_empty(mistakes)?;
        Ok(settings)
    }

    /// What a profile sets.
    pub fn of(profile: Profile) -> Self {
        let mut settings = NEUTRAL;
        for row in ROWS {
            (row.read)(row.default(profile), &mut settings).expect("a test reads every default");
        }
        settings
    }

    /// The table of all settings, in Markdown, as it stands in this package's README.
    pub fn help() -> String {
        table::help()
    }
}

impl Profile {
    /// The profile of this name.
    fn named(name: &str) -> Option<Self> {
        table::one_of(&[("quiet", Self::Quiet), ("hostile", Self::Hostile)])(name)
    }
}

/// What the table's defaults are read into. Nothing of it is left then.
pub(super) const NEUTRAL: Settings = Settings {
    gpus: 0,
    gfx: Gfx::Gfx90a,
    bar: Bar::Large,
    vram: 0,
    link: Link::Pcie,
    kfd_minor: 0,
    events: 0,
    kernel: Span { least: Duration::ZERO, most: Duration::ZERO },
    copy_rate: None,
    completion_lag: Span { least: Duration::ZERO, most: Duration::ZERO },
    read_index: ReadIndex::Early,
    dependencies: Dependencies::Latched,
    host_stores: HostStores::Coherent,
    peer_stores: HostStores::Coherent,
    lose_interrupt: None,
    faults: Faults { packet: None, vm: None, lost: None, queue: None, event: None, memory: None },
    seed: 0,
    priority: Priority::RealTime,
    trace: Trace::Off,
};

/// A value that a setting cannot have.
fn bad(name: &str, value: &str, allowed: &'static str) -> Mistake {
    Mistake::Value { variable: format!("{PREFIX}{name}"), value: value.to_owned(), allowed }
}

/// A name that no setting has.
fn unknown(name: &str) -> Mistake {
    let names = ROWS.iter().map(|row| row.name).chain([PROFILE]);
    let nearest = names.min_by_key(|known| edits(name, known)).expect("the table has rows");
    Mistake::Unknown { variable: format!("{PREFIX}{name}"), nearest: format!("{PREFIX}{nearest}") }
}

/// How many characters have to be put in, left out or replaced to make one word of another.
pub(super) fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
