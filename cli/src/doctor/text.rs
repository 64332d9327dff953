//! The diagnosis as text.

use std::fmt::Write;

use comfy_table::{Table, presets::UTF8_FULL_CONDENSED};

use super::{
    cuda::Cuda,
    diagnosis::{Diagnosis, Gpu},
    hip::Hip,
};

/// For people.
pub(super) fn of(found: &Diagnosis) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |label: &str, what: &str| _ = writeln!(text, "{label:<10} {what}");
    line(
        "verdict",
        if found.usable { "a GPU can be used through HSA" } else { "no GPU through HSA" },
    );
    line("/dev/kfd", found.device);
    match &found.library {
        Some(library) => line("runtime", library),
        None => line("runtime", &format!("none; looked for {}", found.tried.join(", "))),
    }
    if let Some(version) = &found.version {
        line("version", version);
    }
    if !found.agents.is_empty() {
        line("agents", &found.agents.join(", "));
    }
    for variable in &found.variables {
        line("set", &format!("{}={}", variable.name, variable.value));
    }
    for (nth, gpu) in found.gpus.iter().enumerate() {
        text.push_str(&one(nth, gpu));
    }
    let problem = found.problem.iter().map(|why| ("problem", why));
    for (label, what) in problem.chain(found.missing.iter().map(|why| ("missing", why))) {
        let _ = writeln!(text, "{label:<10} {what}");
    }
    text.push_str(&of_hip(&found.hip));
    text.push_str(&of_cuda(&found.cuda));
    text
}

/// The part of HIP, under a heading of its own.
pub(super) fn of_hip(hip: &Hip) -> String {
    let told = |what: &Option<String>| what.clone().unwrap_or_else(|| "not told".to_owned());
    let verdict = if hip.usable { "a GPU can be used through HIP" } else { "no GPU through HIP" };
    let runtime = match (&hip.library, hip.problem.is_some()) {
        (Some(library), _) => library.clone(),
        // The problem says what was tried.
        (None, true) => "none".to_owned(),
        (None, false) => format!("none; looked for {}", hip.tried.join(", ")),
    };
    let mut lines = vec![("verdict", verdict.to_owned()), ("runtime", runtime)];
    lines.extend(hip.version.clone().map(|version| ("version", version)));
    lines.extend(
        hip.gpus.iter().map(|gpu| ("GPU", format!("{} ({})", told(&gpu.gfx), told(&gpu.name)))),
    );
    lines.extend(hip.problem.clone().map(|why| ("problem", why)));
    lines.extend(hip.missing.iter().map(|what| ("missing", what.clone())));
    lines.extend(hip.quirks.iter().map(|what| ("quirk", what.clone())));
    let mut text = "\nHIP\n".to_owned();
    for (label, what) in lines {
        let _ = writeln!(text, "{label:<10} {what}");
    }
    text
}

/// The part of CUDA, under a heading of its own.
pub(super) fn of_cuda(cuda: &Cuda) -> String {
    let told = |what: &Option<String>| what.clone().unwrap_or_else(|| "not told".to_owned());
    let verdict =
        if cuda.usable { "a GPU can be used through CUDA" } else { "no GPU through CUDA" };
    let runtime = match (&cuda.library, cuda.problem.is_some()) {
        (Some(library), _) => library.clone(),
        // The problem says what was tried.
        (None, true) => "none".to_owned(),
        (None, false) => format!("none; looked for {}", cuda.tried.join(", ")),
    };
    let mut lines = vec![("verdict", verdict.to_owned()), ("runtime", runtime)];
    lines.extend(cuda.version.clone().map(|version| ("version", version)));
    lines.extend(cuda.driver.clone().map(|driver| ("driver", driver)));
    lines.extend(cuda.gpus.iter().map(|gpu| {
        let capability = told(&gpu.compute_capability);
        ("GPU", format!("{} (compute capability {capability})", told(&gpu.name)))
    }));
    lines.extend(cuda.problem.clone().map(|why| ("problem", why)));
    lines.extend(cuda.missing.iter().map(|what| ("missing", what.clone())));
    lines.extend(cuda.quirks.iter().map(|what| ("quirk", what.clone())));
    let mut text = "\nCUDA\n".to_owned();
    for (label, what) in lines {
        let _ = writeln!(text, "{label:<10} {what}");
    }
    text
}

fn one(nth: usize, gpu: &Gpu) -> String {
    let yes = |one| if one { "yes" } else { "no" };
    let mut text = format!("\nGPU {nth}: {} ({})\n", gpu.name, gpu.product);
    let facts = [
        ("large BAR", yes(gpu.large_bar).to_owned()),
        ("host stores", gpu.host_stores.to_owned()),
        ("signals in its memory", gpu.device_signals.clone()),
        ("interrupt signals", yes(gpu.interrupts).to_owned()),
        ("barrier-value packets", yes(gpu.barrier_value).to_owned()),
        ("clock", format!("{} MHz", gpu.clock_hz / 1_000_000)),
        ("packets of a queue", format!("up to {}", gpu.queue_packets)),
        ("tracker", format!("{}: {}", gpu.choice.tracker, gpu.choice.why)),
    ];
    for (label, what) in facts {
        let _ = writeln!(text, "  {label:<22} {what}");
    }
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(["a signal for", "lives in", "with device signals on"]);
    for placed in &gpu.choice.placement {
        table.add_row([placed.role, &placed.by_default, &placed.with_device_signals]);
    }
    let _ = writeln!(text, "{table}\n");
    text
}
