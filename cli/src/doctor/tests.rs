use super::surroundings::{Contained, Device, Surroundings};

fn around(device: Device, contained: Contained) -> Surroundings {
    Surroundings { device, variables: Vec::new(), contained }
}

#[test]
fn each_state_of_the_device_has_its_own_remedy() {
    let remedies: Vec<_> = [
        (Device::Absent, Contained::Yes, "--device=/dev/kfd"),
        (Device::Absent, Contained::No, "modprobe amdgpu"),
        (Device::Forbidden, Contained::No, "render and video"),
        (Device::Broken, Contained::No, "dmesg"),
    ]
    .into_iter()
    .map(|(device, contained, remedy)| (around(device, contained).advice(), remedy))
    .collect();
    for (advice, remedy) in remedies {
        assert_eq!(advice.len(), 1, "{advice:?}");
        assert!(advice[0].contains(remedy), "{advice:?}");
    }
    assert!(around(Device::Open, Contained::No).advice().is_empty());
}

#[test]
fn variables_that_change_the_runtime_are_told() {
    let mut found = around(Device::Open, Contained::No);
    found.variables = vec![
        ("HSA_ENABLE_INTERRUPT", "0".to_owned()),
        ("HSA_TOOLS_LIB", "libprofiler.so".to_owned()),
        ("ROCM_PATH", "/opt/rocm".to_owned()),
    ];
    let advice = found.advice();
    assert_eq!(advice.len(), 2, "{advice:?}");
    assert!(advice[0].contains("spins"), "{advice:?}");
    assert!(advice[1].contains("libprofiler.so"), "{advice:?}");
    found.variables = vec![("HSA_ENABLE_INTERRUPT", "1".to_owned())];
    assert!(found.advice().is_empty());
}
