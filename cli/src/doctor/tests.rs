use ringfence_hsa::RuntimeVersion;

use super::{
    advice,
    cuda::{Cuda, CudaGpu},
    diagnosis::{Choice, Gpu},
    hip::{Hip, HipGpu},
    surroundings::{Contained, Device, Surroundings},
    text,
};

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

fn hip() -> Hip {
    Hip {
        usable: true,
        library: Some("libamdhip64.so.5".to_owned()),
        tried: vec!["libamdhip64.so.7".to_owned(), "libamdhip64.so.5".to_owned()],
        version: Some("5.2.21153".to_owned()),
        problem: None,
        gpus: vec![HipGpu { name: None, gfx: Some("gfx90a:xnack-".to_owned()) }],
        missing: vec!["no hipStreamGetId".to_owned()],
        quirks: vec!["kernels are not recorded".to_owned()],
    }
}

#[test]
fn hip_has_a_section_of_its_own() {
    let text = text::of_hip(&hip());
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "HIP",
            "verdict    a GPU can be used through HIP",
            "runtime    libamdhip64.so.5",
            "version    5.2.21153",
            "GPU        gfx90a:xnack- (not told)",
            "missing    no hipStreamGetId",
            "quirk      kernels are not recorded",
        ]
    );
}

#[test]
fn a_machine_without_hip_is_told_why() {
    let found = Hip {
        usable: false,
        library: None,
        version: None,
        problem: Some("HIP could not be loaded".to_owned()),
        gpus: Vec::new(),
        ..hip()
    };
    let text = text::of_hip(&found);
    assert!(text.contains("verdict    no GPU through HIP\nruntime    none\n"), "{text}");
    assert!(text.contains("problem    HIP could not be loaded\n"), "{text}");
    let json = serde_json::to_value(&found).expect("text and lists");
    assert_eq!(json["usable"], false);
    assert_eq!(json["library"], serde_json::Value::Null);
}

fn cuda() -> Cuda {
    Cuda {
        usable: true,
        library: Some("libcuda.so.1".to_owned()),
        tried: vec!["libcuda.so.1".to_owned()],
        version: Some("13.0".to_owned()),
        driver: Some("580.159.04".to_owned()),
        problem: None,
        gpus: vec![CudaGpu { name: Some("H200".to_owned()), compute_capability: None }],
        missing: Vec::new(),
        quirks: vec!["handles are not checked".to_owned()],
    }
}

#[test]
fn cuda_has_a_section_of_its_own() {
    let text = text::of_cuda(&cuda());
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(
        lines,
        [
            "CUDA",
            "verdict    a GPU can be used through CUDA",
            "runtime    libcuda.so.1",
            "version    13.0",
            "driver     580.159.04",
            "GPU        H200 (compute capability not told)",
            "quirk      handles are not checked",
        ]
    );
}

#[test]
fn a_machine_without_cuda_is_told_why() {
    let problem = Some("the CUDA driver could not be loaded".to_owned());
    let found = Cuda { usable: false, library: None, problem, gpus: Vec::new(), ..cuda() };
    let text = text::of_cuda(&found);
    assert!(text.contains("verdict    no GPU through CUDA\nruntime    none\n"), "{text}");
    assert!(text.contains("problem    the CUDA driver could not be loaded\n"), "{text}");
}

#[test]
fn an_old_runtime_is_told() {
    let version = |extensions| RuntimeVersion { interface: [1, 1], extensions, build: None };
    let told = advice::on_runtime(&version(None)).expect("ROCr 5");
    assert!(told.contains("does not report a GPU that is lost"), "{told}");
    assert_eq!(advice::on_runtime(&version(Some([1, 4]))), None);
}

#[test]
fn a_gpu_without_a_large_bar_is_told() {
    let gpu = |large_bar| Gpu {
        name: "gfx1030".to_owned(),
        product: "RX 6800".to_owned(),
        large_bar,
        host_stores: "coherent",
        device_signals: String::new(),
        interrupts: true,
        barrier_value: true,
        clock_hz: 100_000_000,
        queue_packets: 131_072,
        choice: Choice { tracker: "retiring", why: String::new(), placement: Vec::new() },
    };
    let told = advice::on_gpu(&gpu(false)).expect("a small window");
    assert!(told.starts_with("gfx1030: ") && told.contains("resizable BAR"), "{told}");
    assert_eq!(advice::on_gpu(&gpu(true)), None);
}
