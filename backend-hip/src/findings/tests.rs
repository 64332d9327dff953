use super::*;

#[test]
fn each_version_that_was_tried_has_its_quirks() {
    let of = |number| Quirk::of(HipVersion::from_number(number));
    assert_eq!(
        of(50_221_153),
        [Quirk::DestroyWaitsForThePool, Quirk::KernelsAreNotCaptured, Quirk::ForksStayCapturing]
    );
    assert_eq!(of(50_731_921), [Quirk::QueriesByOwnCapture]);
    assert_eq!(of(60_443_484), [Quirk::QueriesBreakCaptures, Quirk::HostFillsAreForgotten]);
    assert_eq!(of(70_000_000), [Quirk::QueriesBreakCaptures, Quirk::HandlesAreNotChecked]);
}

#[test]
fn a_look_says_what_there_is_or_why_there_is_nothing() {
    let findings = Findings::collect();
    println!("{findings}");
    assert!(!findings.tried().is_empty());
    let usable = findings.usable() == Usable::Yes;
    assert_eq!(usable, findings.error().is_none(), "{findings}");
    assert_eq!(usable, findings.version().is_some(), "{findings}");
    // Over the GPU in software each GPU has a name, on every version.
    for device in findings.devices() {
        assert!(device.gfx().is_some_and(|gfx| gfx.starts_with("gfx")), "{device}");
        assert!(device.name().is_some(), "{device}");
    }
}
