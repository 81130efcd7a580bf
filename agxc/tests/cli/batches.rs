//! `agxc batch` and `agxc reduce`.

use crate::harness::{Folder, agxc, fails, out, stderr};

const GOOD: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 2.0; }\n";

#[test]
fn a_batch_goes_past_failures_and_resumes() {
    let folder = Folder::new("batch");
    std::fs::create_dir_all(folder.path("in/deep")).unwrap();
    folder.file("in/a.wgsl", GOOD);
    folder.file("in/bad.wgsl", b"fn main( {}\n");
    folder.file("in/deep/a.wgsl", GOOD);
    folder.file("in/notes.txt", b"no shader");
    let (inputs, results, journal) = (folder.path("in"), folder.path("out"), folder.path("journal"));
    let words = ["batch", "compile", &inputs, "-o", &results, "--jobs", "2", "--journal", &journal];
    let output = agxc(&words);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("bad.wgsl:1:") && text.contains("3 inputs: 2 succeeded, 1 failed, in "), "{text}");
    assert!(text.contains("1 of 3 inputs failed: "), "{text}");
    assert!(text.trim_end().ends_with("bad.wgsl"), "{text}");
    let mut made: Vec<String> = std::fs::read_dir(&results)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    made.sort();
    assert!(made.len() == 2 && made.iter().all(|name| name.ends_with("a.wgsl.s")), "{made:?}");
    // What succeeded is skipped; a changed input, and other settings, are not.
    assert!(stderr(&agxc(&words)).contains("3 inputs: 0 succeeded, 1 failed, 2 skipped"));
    folder.file("in/bad.wgsl", GOOD);
    assert!(stderr(&agxc(&words)).contains("3 inputs: 1 succeeded, 0 failed, 2 skipped"));
    let other = [&words[..], &["--target", "g14x"]].concat();
    assert!(stderr(&agxc(&other)).contains("3 inputs: 3 succeeded, 0 failed, in "));
}

#[test]
fn a_batch_of_statistics_keeps_the_order_of_its_inputs() {
    let folder = Folder::new("batch-stats");
    let names: Vec<String> = (0..9).map(|number| folder.file(&format!("{number}.wgsl"), GOOD)).collect();
    let list =
        folder.file("list", names.iter().map(|name| format!("{name}\n")).collect::<String>().as_bytes());
    let output = agxc(&["batch", "stats", "--format", "csv", &format!("@{list}"), "--jobs", "3"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let found: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(found, names, "{}", stderr(&output));
    let output = agxc(&["batch", "validate", &folder.path("")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let two = folder.file(
        "two.wgsl",
        b"@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }\n@compute @workgroup_size(1) fn cs() {}\n",
    );
    let output = agxc(&["batch", "validate", &two]);
    assert!(stderr(&output).starts_with("1 input: 1 succeeded, 0 failed"), "{}", stderr(&output));
    let output = agxc(&["--color", "always", "batch", "stats", "missing.wgsl"]);
    let text = stderr(&output);
    assert_eq!((output.status.code(), text.matches("\x1b[1;31merror").count()), (Some(3), 2), "{text}");
    let output = agxc(&["--error-format", "json", "batch", "stats", "missing.wgsl"]);
    let text = stderr(&output);
    assert!(text.lines().count() == 2 && text.lines().all(|line| line.starts_with('{')), "{text}");
    fails(&["batch", "fry", "a"], b"", 2, "unknown command `fry`");
    fails(&["batch", "compile", "a"], b"", 2, "batch compile needs -o FOLDER");
}

#[test]
fn failing_inputs_are_reduced() {
    let folder = Folder::new("reduce");
    let text = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
        fn helper(x: f32) -> f32 {\n    return x * 2.0;\n}\n\
        @compute @workgroup_size(4)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
        \x20   if (id.x > 3u) {\n        data[id.x] = helper(1.0);\n    }\n    data[id.x] = missing;\n}\n";
    let file = folder.file("a.wgsl", text);
    let small = folder.path("small.wgsl");
    out(&["reduce", &file, "-o", &small, "--message", "missing"]);
    let left = std::fs::read_to_string(&small).unwrap();
    assert!(left.contains("missing") && left.lines().count() <= 4, "{left}");
    assert!(stderr(&agxc(&["compile", &small])).contains("missing"));
    fails(&["reduce", &folder.file("good.wgsl", GOOD)], b"", 1, "error[AGX0600]");
    fails(&["reduce", &file, "--message", "elephant"], b"", 1, "does not print `elephant`");
    // The line of the excerpt is not a message.
    fails(
        &["reduce", &file, "--message", "data[id.x] = missing"],
        b"",
        1,
        "does not print `data[id.x] = missing`",
    );
    // Without a message the first error stays, not its code alone: every error of the reader has that code.
    let own = folder.path("own.wgsl");
    out(&["reduce", &file, "-o", &own]);
    let errors = stderr(&agxc(&["compile", &own]));
    assert!(errors.contains("no definition in scope for identifier: `missing`"), "{errors}");

    // Standard input has no extension.
    let from_stdin = crate::harness::out_with(&["reduce", "-x", "wgsl", "-"], text);
    assert_eq!(from_stdin, std::fs::read_to_string(&own).unwrap());

    // A module that an own command rejects for one instruction: OpCapability Geometry.
    let words: [u32; 11] =
        [0x0723_0203, 0x1_0000, 0, 9, 0, 2 << 16 | 17, 1, 2 << 16 | 17, 2, 2 << 16 | 17, 9];
    let module: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let module = folder.file("m.spv", &module);
    let script = folder.file(
        "probe",
        b"#!/bin/sh\nod -An -tx4 -v -w1024 \"$1\" | grep -q '00020011 00000002' && echo bug && exit 7\nexit 0\n",
    );
    let reduced = folder.path("small.spv");
    out(&["reduce", &module, "-o", &reduced, "--message", "bug", "--", "sh", &script, "{}"]);
    assert_eq!(std::fs::read(&reduced).unwrap().len(), 20 + 8);
}

/// Runs that exceed the time limit are no failures, and neither are those that a signal ends where the first run fails.
#[test]
#[cfg(unix)]
fn runs_that_do_not_end_are_no_failures() {
    let folder = Folder::new("reduce-time");
    let file = folder.file("a.wgsl", b"one\ntwo\n");
    let (small, limit) = (folder.path("small.wgsl"), ["--timeout", "1"]);
    let words = |script: &'static str| {
        [&["reduce", &file, "-o", &small][..], &limit, &["--", "sh", "-c", script]].concat()
    };
    fails(&words("sleep 20; cat {}"), b"", 1, "error[AGX0600]: the command takes more than 1 s on the input");
    assert!(!std::fs::exists(&small).unwrap(), "nothing is written");
    // Without the second line the command does not end; without the first it succeeds.
    out(&words("grep -q one {} || exit 0; grep -q two {} || sleep 20; exit 3"));
    assert_eq!(std::fs::read(&small).unwrap(), b"one\ntwo\n");
    // Without the second line a signal ends the command.
    out(&words("grep -q one {} || exit 0; grep -q two {} || kill -9 $$; exit 3"));
    assert_eq!(std::fs::read(&small).unwrap(), b"one\ntwo\n");
}

/// A signal leaves the smallest input so far, and no temporary folder.
#[test]
#[cfg(unix)]
fn an_interrupted_reduction_keeps_its_result() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("reduce-signal");
    let temporary = folder.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let lines: String = (0..8).map(|line| format!("line {line}\n")).collect();
    let file = folder.file("a.s", lines.as_bytes());
    let small = folder.path("small.s");
    // Inputs with `line 7` fail at once; the others take longer than the test.
    let waiting = folder.path("waiting");
    let script = format!("grep -q 'line 7' {{}} && exit 3; touch {waiting}; sleep 30");
    let mut child = Command::new(env!("CARGO_BIN_EXE_agxc"))
        .args(["reduce", &file, "-o", &small, "--timeout", "60", "--", "sh", "-c", &script])
        .env("TMPDIR", &temporary)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = std::time::Instant::now();
    while !std::fs::exists(&waiting).unwrap() {
        assert!(begin.elapsed().as_secs() < 60, "the command is not run on smaller inputs");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2), "{status}");
    // The first half of the lines is gone; the run without the other half was the one that waited.
    assert_eq!(std::fs::read_to_string(&small).unwrap(), "line 4\nline 5\nline 6\nline 7\n");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "no temporary folder is left");
}

/// A file whose name is not text fails alone.
#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_not_utf_8_does_not_stop_a_batch() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new("batch-names");
    folder.file("a.wgsl", GOOD);
    let odd = folder.0.join(std::ffi::OsStr::from_bytes(b"caf\xe9.wgsl"));
    std::fs::write(odd, GOOD).unwrap();
    let list =
        folder.file("list", &[b"caf\xe9.wgsl\n".as_slice(), folder.path("a.wgsl").as_bytes()].concat());
    for path in [folder.path(""), format!("@{list}")] {
        let output = agxc(&["batch", "stats", "--format", "csv", &path]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("error[AGX0002]: the name is not UTF-8"), "{text}");
        assert!(text.contains("2 inputs: 1 succeeded, 1 failed, in "), "{text}");
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2, "the other has its row");
    }
}

#[test]
fn the_version_is_printed_at_once() {
    assert_eq!(out(&["--version"]), format!("agxc {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(out(&["-V"]), out(&["--version"]));
}

/// Start-up stays cheap, in instructions, where valgrind can count them.
#[test]
fn the_version_takes_few_instructions() {
    let run = std::process::Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_agxc"), "--version"])
        .output();
    let Ok(run) = run else {
        eprintln!("skipped: valgrind is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&run.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected : ")).map(|(_, count)| count.trim());
    let count: u64 = count.and_then(|count| count.parse().ok()).expect("callgrind counts");
    assert!(count < 3_000_000, "{count} instructions");
}

#[test]
fn every_entry_point_of_an_input_is_compiled() {
    let folder = Folder::new("entries");
    let source = b"@vertex fn vs() -> @builtin(position) vec4<f32> { return vec4(1.0); }\n\
        @fragment fn fs() -> @location(0) vec4<f32> { return vec4(1.0); }\n";
    let input = folder.file("two.wgsl", source);
    let good = folder.file("one.wgsl", GOOD);
    for (command, number) in [(vec!["batch", "compile"], 0), (vec!["compile"], 1)] {
        let results = folder.path(&format!("out{number}"));
        let words = [command, vec![&input, &good, "-o", &results]].concat();
        let output = agxc(&words);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut made: Vec<String> = std::fs::read_dir(&results)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        made.sort();
        let ends = ["one.wgsl.s", "two.wgsl.fs.s", "two.wgsl.vs.s"];
        assert!(made.len() == 3 && made.iter().zip(ends).all(|(name, end)| name.ends_with(end)), "{made:?}");
    }
    // A single input gives a single output.
    assert_eq!(agxc(&["compile", &input]).status.code(), Some(1));
    let one = agxc(&["batch", "compile", &input, "--stage", "vertex", "-o", &folder.path("vertex")]);
    assert_eq!(one.status.code(), Some(0), "{}", stderr(&one));
    assert_eq!(std::fs::read_dir(folder.path("vertex")).unwrap().count(), 1);
}
