//! What the manifests say: members, and the dependencies of each.

use std::path::Path;

use super::{
    Finding,
    table::{CRATES, Crate, Others},
};

/// One dependency, as a manifest names it.
struct Dependency<'a> {
    /// The table it stands in: `dependencies`, `dev-dependencies`, `target.'cfg(..)'.dependencies`.
    table: &'a str,
    package: &'a str,
    line: usize,
}

/// Members of the workspace that the table does not know.
pub(super) fn members(manifest: &str) -> Vec<Finding> {
    let Some((before, list)) = manifest.split_once("members = [") else {
        return vec![root(1, "no `members = [` in the manifest of the workspace")];
    };
    let line = before.lines().count();
    let list = list.split(']').next().unwrap_or_default();
    list.split('"')
        .skip(1)
        .step_by(2)
        .filter(|member| !CRATES.iter().any(|own| own.directory == *member))
        .map(|member| root(line, &format!("member `{member}` has no row in the table of crates")))
        .collect()
}

fn root(line: usize, what: &str) -> Finding {
    Finding { file: "Cargo.toml".into(), line, what: what.to_owned() }
}

/// Dependencies of one crate that its row does not allow.
pub(super) fn check(own: &Crate, file: &Path, manifest: &str) -> Vec<Finding> {
    let finding = |line, what| Finding { file: file.to_owned(), line, what };
    let mut findings = Vec::new();
    if !manifest.contains(&format!("name = \"{}\"", own.package)) {
        findings.push(finding(1, format!("the package is not called `{}`", own.package)));
    }
    for Dependency { table, package, line } in dependencies(manifest) {
        let is_ours = CRATES.iter().any(|other| other.package == package);
        let allowed = match &own.others {
            _ if is_ours => own.ours.contains(&package),
            Others::Any => true,
            Others::Only(list) => list.contains(&(table, package)),
        };
        if !allowed {
            let what = format!("`{}` may not depend on `{package}` in [{table}]", own.package);
            findings.push(finding(line, what));
        }
    }
    findings
}

/// The dependencies in a manifest. Of TOML it reads what Cargo's manifests use: headers, and one
/// dependency a line or one a table.
fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut table = "";
    for (index, line) in manifest.lines().enumerate() {
        let line_number = index + 1;
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            table = header.split(']').next().unwrap_or_default();
            // `[dependencies.name]` is a dependency of its own.
            if let Some((parent, package)) = table.rsplit_once('.')
                && is_dependencies(parent)
            {
                found.push(Dependency { table: parent, package, line: line_number });
            }
        } else if is_dependencies(table)
            && !line.starts_with('#')
            && let Some((key, value)) = line.split_once('=')
        {
            let key = key.split('.').next().unwrap_or_default().trim().trim_matches('"');
            let package = renamed(value).unwrap_or(key);
            found.push(Dependency { table, package, line: line_number });
        }
    }
    found
}

/// Whether a table lists dependencies, one a line.
fn is_dependencies(table: &str) -> bool {
    let last = table.rsplit('.').next().unwrap_or_default();
    matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies")
}

/// The package behind another name: `x = { package = "y" }`.
fn renamed(value: &str) -> Option<&str> {
    value.split_once("package = \"")?.1.split('"').next()
}
