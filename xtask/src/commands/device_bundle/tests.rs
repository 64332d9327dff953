use super::*;

#[test]
fn the_test_is_found_in_what_cargo_says() {
    let said = concat!(
        r#"{"reason":"compiler-artifact","target":{"name":"ringfence"},"executable":null}"#,
        "\n",
        r#"{"reason":"compiler-artifact","target":{"name":"conformance_cuda"},"executable":"/b/deps/conformance_cuda-1f"}"#,
        "\n",
        r#"{"reason":"build-finished","success":true}"#,
    );
    assert_eq!(
        executable(said, "conformance_cuda"),
        Some(PathBuf::from("/b/deps/conformance_cuda-1f"))
    );
    assert_eq!(executable(said, "ringfence"), None, "a library is no program");
    assert_eq!(executable("", "conformance_cuda"), None);
}

#[test]
fn the_script_runs_each_test() {
    for (_, name) in TESTS {
        assert!(SCRIPT.contains(&format!("./{name} ")), "{name}");
    }
}

#[test]
fn each_program_of_the_script_has_a_limit() {
    for line in SCRIPT.lines().filter(|line| line.contains("./")) {
        assert!(line.trim_start().starts_with("run "), "{line}");
    }
    assert!(SCRIPT.contains("timeout"), "which `run` sets");
}
