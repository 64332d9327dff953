use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt, path::Path};

use clap::Parser;

use super::{Launch, Options, Places, Setting, is_loadable, look_up, setting};
use crate::commands::rocm::Release;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

fn parsed(line: &str) -> Result<Options, clap::Error> {
    let words = ["softgpu"].into_iter().chain(line.split_whitespace());
    Line::try_parse_from(words).map(|line| line.options)
}

fn places(loader: Option<&str>) -> Places {
    Places {
        libraries: vec!["/r/usr/lib".into(), "/r/lib".into()],
        loader: loader.map(Into::into),
        softgpu: "/t/libringfence_softgpu.so".into(),
    }
}

#[test]
fn what_follows_the_dashes_is_the_commands() {
    let options = parsed("--settings GPUS=2 gfx=gfx942 --rocm 6.4 -- prog --rocm 5.2 -- x")
        .expect("it is a line");
    assert_eq!(options.rocm, Release::V6_4);
    assert_eq!(options.command, ["prog", "--rocm", "5.2", "--", "x"]);
    let names: Vec<&str> = options.settings.iter().map(|own| &*own.name).collect();
    assert_eq!(names, ["RINGFENCE_SOFTGPU_GPUS", "RINGFENCE_SOFTGPU_GFX"]);
    assert_eq!(parsed("-- prog").expect("it is a line").rocm, Release::V5_2);
}

#[test]
fn a_line_without_a_command_or_with_a_faulty_setting_is_refused() {
    for line in ["", "--", "prog", "--settings GPUS -- prog", "--rocm 5.3 -- prog"] {
        assert!(parsed(line).is_err(), "{line}");
    }
}

#[test]
fn settings_have_the_prefix_once() {
    let of = |name: &str, value: &str| Ok(Setting { name: name.into(), value: value.into() });
    assert_eq!(setting("copy_mbps=5=6"), of("RINGFENCE_SOFTGPU_COPY_MBPS", "5=6"));
    assert_eq!(setting("RINGFENCE_SOFTGPU_GPUS="), of("RINGFENCE_SOFTGPU_GPUS", ""));
    for wrong in ["GPUS", "=1", "A B=1", "A-B=1"] {
        assert!(setting(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_release_without_a_c_library_is_preloaded() {
    let users = |name: &str| (name == "LD_PRELOAD").then(|| OsString::from("/u.so"));
    let launch = Launch::new(&places(None), Path::new("/bin/p"), users);
    assert_eq!(launch.program, Path::new("/bin/p"));
    assert!(launch.first.is_empty());
    let expected = [
        ("LD_PRELOAD", "/t/libringfence_softgpu.so:/u.so".into()),
        ("LD_LIBRARY_PATH", "/r/usr/lib:/r/lib".into()),
    ];
    assert_eq!(launch.variables, expected);
    // An empty part of a list would be the current folder.
    let empty = Launch::new(&places(None), Path::new("/bin/p"), |_| Some(OsString::new()));
    assert_eq!(empty.variables[1], expected[1]);
}

#[test]
fn a_release_with_a_c_library_is_started_by_its_loader() {
    let launch = Launch::new(&places(Some("/r/ld.so")), Path::new("/bin/p"), |_| Some("x".into()));
    assert_eq!(launch.program, Path::new("/r/ld.so"));
    let expected = [
        "--preload",
        "/t/libringfence_softgpu.so",
        "--library-path",
        "/r/usr/lib:/r/lib",
        "/bin/p",
    ];
    assert_eq!(launch.first, expected);
    assert!(launch.variables.is_empty());
}

#[test]
fn a_program_is_looked_up_and_a_script_is_not_loadable() {
    let folder = std::env::temp_dir().join(format!("ringfence-xtask-{}", std::process::id()));
    let empty = folder.join("empty");
    fs::create_dir_all(&empty).expect("a temporary folder can be made");
    for (name, start, mode) in [
        ("elf", "\x7fELF\x02", 0o755),
        ("script", "#!/bin/sh\n", 0o755),
        ("text", "echo", 0o755),
        ("data", "\x7fELF", 0o644),
    ] {
        let file = folder.join(name);
        fs::write(&file, start).expect("it can be written");
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
    }
    let path = std::env::join_paths([&empty, &folder]).expect("no separator in it");
    let found =
        ["elf", "script", "data", "empty", "./elf"].map(|name| look_up(name.as_ref(), &path));
    let by_path = look_up(folder.join("elf").as_os_str(), "".as_ref());
    let loadable = ["elf", "script", "text", "none"].map(|name| is_loadable(&folder.join(name)));
    fs::remove_dir_all(&folder).expect("it is ours");

    assert_eq!(found[0], Ok(folder.join("elf")));
    assert_eq!(found[1], Ok(folder.join("script")));
    assert_eq!(by_path, Ok(folder.join("elf")));
    for none in &found[2..] {
        assert!(none.as_ref().is_err_and(|why| why.contains("no program")), "{found:?}");
    }
    assert_eq!(loadable[0], Ok(()));
    for (why, part) in loadable[1..].iter().zip(["is a script", "no program", "none: "]) {
        assert!(why.as_ref().is_err_and(|why| why.contains(part)), "{part}: {why:?}");
    }
}
