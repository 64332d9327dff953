use std::collections::BTreeSet;

use super::*;

/// A target version in the spelling that compilers use: stepping and minor are single hexadecimal digits.
fn spelt(target: u32) -> String {
    format!("gfx{}{:x}{:x}", target / 10_000, target / 100 % 100, target % 100)
}

#[test]
fn gpu_names_spell_their_target_versions() {
    for gfx in Gfx::ALL {
        let model = gfx.model();
        assert_eq!(model.name, spelt(model.target_version));
        assert_eq!(gfx.to_string(), model.name);
        let name = format!("ringfence softgpu ({})", model.name);
        assert_eq!(model.marketing_name.to_str(), Ok(&*name));
    }
}

#[test]
fn gpu_catalogue_has_what_runtimes_divide_by() {
    for gfx in Gfx::ALL {
        let m = gfx.model();
        let factors = [m.xccs, m.simds_per_unit, m.arrays_per_engine, m.engines, m.wave];
        assert!(factors.iter().all(|factor| *factor != 0), "{gfx}: {factors:?}");
        assert_eq!(m.engines % m.xccs, 0, "{gfx}: the kernel multiplies engines by XCCs");
        let places = m.engines * m.arrays_per_engine * m.units_per_array;
        assert!(m.compute_units <= places, "{gfx}: {} units in {places} places", m.compute_units);
        assert!(m.firmware < 1 << 10 && m.copy_firmware < 1 << 10, "{gfx}: runtimes read 10 bits");
    }
}

#[test]
fn gpu_catalogue_tells_the_families_apart() {
    let devices: BTreeSet<u32> = Gfx::ALL.iter().map(|gfx| gfx.model().device).collect();
    assert_eq!(devices.len(), Gfx::ALL.len(), "a runtime looks its name up by the device");
    for gfx in Gfx::ALL {
        let m = gfx.model();
        let expected = match m.target_version / 10_000 {
            9 => (141, 64, Ecc::On, m.xgmi_copy_engines),
            10 => (143, 32, Ecc::Off, 0),
            11 => (145, 32, Ecc::Off, 0),
            other => panic!("no family is known for gfx{other}"),
        };
        assert_eq!((m.family, m.wave, m.ecc, m.xgmi_copy_engines), expected, "{gfx}");
        assert_eq!(m.links.contains(&Link::Xgmi), m.xgmi_copy_engines > 0, "{gfx}");
    }
}
