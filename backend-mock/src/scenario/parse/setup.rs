//! The machine and the settings.

use std::collections::BTreeMap;

use toml::de::DeTable;

use crate::scenario::{
    Feature, Name, Setup,
    fields::{At, Fields, number, text, word},
    problem::Faults,
    scope::{NameKind, Scope},
};

/// Reads the set-up, and makes its names known.
pub(super) fn setup(fields: &mut Fields<'_>, scope: &mut Scope, faults: &mut Faults) -> Setup {
    let ring = fields.count("ring", 1..=4096, faults).unwrap_or(Setup::default().ring);
    let mut setup = Setup::with_ring(ring);
    set(&mut setup.devices, fields.count("devices", 1..=8, faults));
    set(&mut setup.queues, fields.count("queues", 1..=64, faults));
    set(&mut setup.engines, fields.count("engines", 0..=16, faults));
    set(&mut setup.tracker, fields.word("tracker", faults));
    set(&mut setup.signals, fields.word("signals", faults));
    set(&mut setup.events, fields.word("events", faults));
    set(&mut setup.cap, fields.count("cap", setup.ring..=65_536, faults));
    set(&mut setup.batch, fields.count("batch", 1..=4096, faults));
    set(&mut setup.spares, fields.count("spares", 0..=4096, faults));
    set(&mut setup.submission_batch, fields.count("submission_batch", 1..=4096, faults));
    if let Some(features) = fields.texts("features", faults) {
        setup.features = features.iter().filter_map(|at| word::<Feature>(at, faults)).collect();
    }
    set(&mut setup.rings, fields.word("rings", faults));
    set(&mut setup.path, fields.word("path", faults));
    set(&mut setup.slots, fields.count("slots", 1..=65_536, faults));
    set(&mut setup.hertz, fields.number("hertz", 1..=10_000_000_000, faults).map(|at| at.value));
    set(
        &mut setup.wait_limit_us,
        fields.number("wait_limit_us", 1..=u64::MAX, faults).map(|at| at.value),
    );
    set(&mut setup.interrupts, fields.count("interrupts", 0..=65_536, faults));
    set(&mut setup.audit, fields.word("audit", faults));
    set(&mut setup.profile, fields.word("profile", faults));
    set(&mut setup.seeds, fields.count("seeds", 1..=10_000, faults));
    declare_machine(&setup, scope);
    if let Some(at) = fields.table("on_device", faults) {
        setup.on_device = on_device(&at, setup.devices, scope, faults);
    }
    if let Some(at) = fields.table("streams", faults) {
        setup.streams = streams(&at, scope, faults);
    }
    declare_streams(&setup, scope);
    setup
}

/// Makes the names of a set-up known.
pub(super) fn declare(setup: &Setup, scope: &mut Scope) {
    declare_machine(setup, scope);
    declare_streams(setup, scope);
}

fn declare_machine(setup: &Setup, scope: &mut Scope) {
    let kinds = [
        ("gpu", setup.devices, NameKind::Device),
        ("q", setup.queues, NameKind::Queue),
        ("sdma", setup.engines, NameKind::Engine),
    ];
    for (prefix, count, kind) in kinds {
        (0..count).for_each(|n| scope.declare(Name::new(format!("{prefix}{n}")), kind));
    }
}

fn declare_streams(setup: &Setup, scope: &mut Scope) {
    setup.stream_queues().into_keys().for_each(|stream| scope.declare(stream, NameKind::Stream));
}

fn set<T>(field: &mut T, read: Option<T>) {
    if let Some(value) = read {
        *field = value;
    }
}

fn on_device(
    table: &At<&DeTable<'_>>,
    devices: u32,
    scope: &Scope,
    faults: &mut Faults,
) -> BTreeMap<Name, u32> {
    let fields = Fields::new("the table of devices", table.value, table.span.clone());
    let mut map = BTreeMap::new();
    for (key, value) in fields.entries() {
        let name = Name::new(key.value);
        scope.need(&name, &[NameKind::Queue, NameKind::Engine], key.span, faults);
        let last = u64::from(devices) - 1;
        if let Some(device) = number(key.value, &value, 0..=last, faults) {
            map.insert(name, u32::try_from(device.value).unwrap_or(0));
        }
    }
    map
}

fn streams(table: &At<&DeTable<'_>>, scope: &Scope, faults: &mut Faults) -> BTreeMap<Name, Name> {
    let fields = Fields::new("the table of streams", table.value, table.span.clone());
    let mut map = BTreeMap::new();
    for (key, value) in fields.entries() {
        if let Some(queue) = text(key.value, &value, faults) {
            let queue_name = Name::new(queue.value);
            scope.need(&queue_name, &[NameKind::Queue], queue.span, faults);
            map.insert(Name::new(key.value), queue_name);
        }
    }
    map
}
