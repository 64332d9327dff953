//! The page of `ringfence bench --report` in a real browser: nothing is wider than a phone, and dark is dark.
//!
//! Installs nothing. Without Chromium the page is made all the same, and only that is skipped which needs one.

mod measured;

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use clap::Args;

use crate::{
    process::{Presence, Program},
    step::{self, Failure, Outcome},
    tree::Tree,
};
use measured::Measured;

/// Where everything goes, below the folder that cargo builds in.
const FOLDER: &str = "report";
/// What Chromium is called.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Told by the page to the one around it, once everything that can be opened is open.
const PROBE: &str = include_str!("report/probe.js");
/// The longest picture that Chromium takes, in pixels.
const LONGEST: u32 = 16_000;
/// The narrowest window that it opens; what is narrower is shown in a frame.
const NARROWEST: u32 = 500;
/// Seconds after which a browser hangs; one look takes a few, or some ten where all processors are busy.
const PATIENCE_S: &str = "120";
/// Of a phone, and of a desk.
const WIDTHS: [u32; 2] = [390, 1_280];

/// What is looked at.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Look at this page; else a short one is measured on the model.
    #[arg(long, value_name = "FILE")]
    page: Option<std::path::PathBuf>,
}

/// What the reader prefers, as Chromium counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scheme {
    Light,
    Dark,
}
impl Scheme {
    const ALL: [Self; 2] = [Self::Light, Self::Dark];
    const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
    const fn setting(self) -> &'static str {
        match self {
            Self::Light => "--blink-settings=preferredColorScheme=1",
            Self::Dark => "--blink-settings=preferredColorScheme=0",
        }
    }
}

/// Makes a page, measures it in a browser, and leaves pictures of it.
pub(crate) fn run(tree: &Tree, options: &Options) -> Result<Outcome, Failure> {
    let folder = tree.target(FOLDER);
    fs::create_dir_all(&folder).map_err(|source| file(&folder, source))?;
    let page = match &options.page {
        Some(page) => page.clone(),
        None => {
            let page = folder.join("report.html");
            let line = "run --quiet --release --package ringfence-cli -- bench --backend mock --size small --report";
            let _tables = Program::cargo(tree, line).arguments([&page]).output()?;
            page
        }
    };
    println!("page {}", page.display());
    let Some(browser) = Browser::find(tree) else {
        let names = NAMES.join(", ");
        return Ok(Outcome::Skipped(format!(
            "the page is made, and no browser is here to look at it ({names}): install Chromium"
        )));
    };
    let html = fs::read_to_string(&page).map_err(|source| file(&page, source))?;
    let probed = folder.join("probed.html");
    write(&probed, &format!("{html}\n<script>{PROBE}</script>\n"))?;
    write(&folder.join("page.html"), &html)?;
    let mut findings = Vec::new();
    for width in WIDTHS {
        let mut papers = Vec::new();
        for scheme in Scheme::ALL {
            let measured = browser.measure(&folder, width, scheme)?;
            println!("{width} px, {}: {measured}", scheme.name());
            findings.extend(measured.faults(width));
            papers.push(measured.paper.clone());
            browser.picture(&folder, width, measured.height.min(LONGEST), scheme)?;
        }
        if papers[0] == papers[1] {
            findings.push(format!("{width} px: dark is as light as light: {}", papers[0]));
        }
    }
    step::report(&findings, "the page does not fit")
}

/// A Chromium without a window.
struct Browser<'a> {
    tree: &'a Tree,
    name: &'static str,
}
impl<'a> Browser<'a> {
    fn find(tree: &'a Tree) -> Option<Self> {
        let is_here = |name: &&str| {
            Program::new(tree, name).arguments(["--version"]).presence() == Presence::Here
        };
        Some(Self { tree, name: NAMES.into_iter().find(is_here)? })
    }
    fn open(&self, width: u32, height: u32, scheme: Scheme) -> Program {
        let size = format!("--window-size={},{height}", width.max(NARROWEST));
        let program = Program::new(self.tree, "timeout").arguments([
            PATIENCE_S,
            self.name,
            "--headless",
            "--disable-gpu",
            "--hide-scrollbars",
            "--log-level=3",
            "--virtual-time-budget=2000",
            scheme.setting(),
            &size,
        ]);
        // Its sandbox refuses to run for root, who in a container is everybody.
        let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        if is_root { program.arguments(["--no-sandbox"]) } else { program }
    }
    /// A page in a frame of this width, and what it tells of itself.
    fn measure(&self, folder: &Path, width: u32, scheme: Scheme) -> Result<Measured, Failure> {
        let around = folder.join("around.html");
        write(&around, &frame("probed.html", width, 900))?;
        let opened = self.open(width, 900, scheme).arguments(["--dump-dom"]);
        let dumped = opened.arguments([address(&around)]).quiet().output()?;
        Measured::find(&dumped).ok_or_else(|| {
            Failure::Found(format!("the page told nothing of itself at {width} px:\n{dumped}"))
        })
    }
    fn picture(
        &self,
        folder: &Path,
        width: u32,
        height: u32,
        scheme: Scheme,
    ) -> Result<(), Failure> {
        let around = folder.join("around.html");
        write(&around, &frame("page.html", width, height))?;
        let picture = folder.join(format!("report-{width}-{}.png", scheme.name()));
        let to = format!("--screenshot={}", picture.display());
        let _silence =
            self.open(width, height, scheme).arguments([to, address(&around)]).quiet().output()?;
        let taken = fs::metadata(&picture).map_err(|source| file(&picture, source))?;
        println!("picture {} ({} bytes)", picture.display(), taken.len());
        Ok(())
    }
}

/// A page with nothing but a frame around another one; what that one tells stands in an attribute.
fn frame(page: &str, width: u32, height: u32) -> String {
    format!(
        "<!DOCTYPE html><html><body style=\"margin:0\"><script>addEventListener('message', told => \
         document.body.setAttribute('data-told', told.data));</script>\
         <iframe src=\"{page}\" style=\"border:0;display:block;width:{width}px;height:{height}px\"></iframe></body></html>\n"
    )
}
fn address(path: &Path) -> String {
    format!("file://{}", path.display())
}
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| file(path, source))
}
fn file(path: &Path, source: std::io::Error) -> Failure {
    Failure::File { path: path.to_owned(), source }
}
