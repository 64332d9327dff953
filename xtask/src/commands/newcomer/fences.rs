//! The blocks of code of a Markdown file.

/// One block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fence {
    pub(super) language: String,
    pub(super) text: String,
}

/// All blocks, in their order. One that never ends is none.
pub(super) fn fences(text: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        match (open.take(), line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.trim().to_owned(), Vec::new())),
            (Some((language, lines)), Some("")) => {
                found.push(Fence { language, text: lines.join("\n") });
            }
            (Some((language, mut lines)), _) => {
                lines.push(line);
                open = Some((language, lines));
            }
            (None, None) => {}
        }
    }
    found
}
/// What stands below a heading of the second level, up to the next one.
pub(super) fn section<'t>(text: &'t str, heading: &str) -> Option<&'t str> {
    let begin = text.find(&format!("\n## {heading}\n"))? + 1;
    let rest = &text[begin..];
    let end = rest[1..].find("\n## ").map_or(rest.len(), |at| at + 1);
    Some(&rest[..end])
}
