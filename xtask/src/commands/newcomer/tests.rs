use super::*;

const TEXT: &str = "# A\n\n```sh\ncargo run   # the demo\ncargo xtask softgpu -- PROGRAM  # fill in\n```\n\n## One\n\n```rust\nfn main() {}\n```\n\n## Two\n\n```rust\nfn other() {}\n";

#[test]
fn blocks_have_their_language_and_their_lines() {
    let all = fences(TEXT);
    let languages: Vec<_> = all.iter().map(|fence| fence.language.as_str()).collect();
    assert_eq!(languages, ["sh", "rust"], "the last one never ends");
    assert_eq!(all[1].text, "fn main() {}");
}

#[test]
fn a_section_ends_at_the_next_heading() {
    let one = fences::section(TEXT, "One").expect("it is there");
    assert!(one.contains("main") && !one.contains("other"), "{one}");
    assert!(fences::section(TEXT, "Two").expect("the last").contains("other"));
    assert_eq!(fences::section(TEXT, "Three"), None);
}

#[test]
fn commands_are_without_their_remarks() {
    let all = commands(TEXT);
    assert_eq!(all, ["cargo run", "cargo xtask softgpu -- PROGRAM"]);
    assert!(is_whole(&all[0]));
    assert!(!is_whole(&all[1]), "the reader fills it in");
}

#[test]
fn the_pages_have_what_is_run() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |page: &str| fs::read_to_string(here.join(page)).expect("it is there");
    assert!(commands(&read(README)).iter().any(|command| command == "cargo run --release"));
    assert!(commands(&read(README)).iter().any(|command| command == LONG));
    let guide = read(GUIDE);
    let all = fences(fences::section(&guide, "Ten minutes").expect("the section"));
    assert_eq!(all.iter().filter(|fence| fence.language == "rust").count(), 2);
}
