//! What a page told of itself in a browser.

use std::fmt;

/// In pixels of the page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Measured {
    /// How wide the browser shows it.
    shown: u32,
    /// How wide it would have to.
    needed: u32,
    pub(super) height: u32,
    /// Colours, as the browser writes them.
    pub(super) paper: String,
    ink: String,
    plots: u32,
    /// What reaches over the edge, and text of plots that does: a few of each, by name.
    wide: String,
    clipped: String,
}

impl Measured {
    /// In the page around it, as the browser dumps that.
    pub(super) fn find(dumped: &str) -> Option<Self> {
        let (_, rest) = dumped.split_once("data-told=\"")?;
        let (told, _) = rest.split_once('"')?;
        let value = |key: &str| {
            told.split('|')
                .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('=').map(str::to_owned))
        };
        let number = |key: &str| value(key)?.parse().ok();
        Some(Self {
            shown: number("shown")?,
            needed: number("needed")?,
            height: number("height")?,
            paper: value("paper")?,
            ink: value("ink")?,
            plots: number("plots")?,
            wide: value("wide")?,
            clipped: value("clipped")?,
        })
    }
    /// What is wrong with it at this width.
    pub(super) fn faults(&self, width: u32) -> Vec<String> {
        let Self { shown, needed, plots, wide, clipped, .. } = self;
        let mut faults = Vec::new();
        if *shown != width {
            faults
                .push(format!("{width} px: the browser showed {shown}, so that nothing is known"));
        }
        if needed > shown {
            faults.push(format!("{width} px: the page needs {needed}"));
        }
        if !wide.is_empty() {
            faults.push(format!("{width} px: over the edge: {wide}"));
        }
        if !clipped.is_empty() {
            faults.push(format!("{width} px: cut off in a plot: {clipped}"));
        }
        if *plots == 0 {
            faults.push(format!("{width} px: there is no plot"));
        }
        faults
    }
}
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shown, needed, height, paper, ink, plots, .. } = self;
        write!(
            f,
            "shown {shown} wide, needs {needed}, {height} high, {plots} plots, {ink} on {paper}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "<html><body style=\"margin:0\" data-told=\"shown=390|needed=390|height=9000|paper=rgb(255, 255, 255)|\
                        ink=rgb(26, 29, 33)|plots=10|wide=|clipped=\"><iframe></iframe></body></html>";

    #[test]
    fn a_page_that_fits_has_no_fault() {
        let measured = Measured::find(TOLD).expect("all of it was told");
        assert_eq!((measured.height, measured.paper.as_str()), (9_000, "rgb(255, 255, 255)"));
        assert_eq!(measured.faults(390), Vec::<String>::new());
    }

    #[test]
    fn each_fault_is_told() {
        let faults = |from: &str, to: &str| {
            let told = TOLD.replace(from, to);
            assert_ne!(told, TOLD, "{from} is there");
            Measured::find(&told).expect("all of it was told").faults(390)
        };
        assert_eq!(faults("needed=390", "needed=412"), ["390 px: the page needs 412"]);
        assert_eq!(faults("wide=", "wide=TABLE:x"), ["390 px: over the edge: TABLE:x"]);
        assert_eq!(faults("clipped=", "clipped=text:a"), ["390 px: cut off in a plot: text:a"]);
        assert_eq!(faults("plots=10", "plots=0"), ["390 px: there is no plot"]);
        let other = faults("shown=390|needed=390", "shown=500|needed=500");
        assert_eq!(other, ["390 px: the browser showed 500, so that nothing is known"]);
    }

    #[test]
    fn a_page_that_tells_nothing_is_no_page_that_fits() {
        assert_eq!(Measured::find("<html><body></body></html>"), None);
        assert_eq!(Measured::find(&TOLD.replace("|plots=10", "")), None);
    }
}
