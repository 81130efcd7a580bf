//! Exit codes, diagnostics, outputs, and the bundled shaders.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Folder, agxc, agxc_with, alone, fails, out, shader, stderr};

#[test]
fn exit_codes() {
    let cases: [(&[&str], &[u8], i32, &str); 16] = [
        (&[], b"", 2, "error[AGX0001]: no command"),
        (&["fry"], b"", 2, "unrecognized subcommand 'fry'"),
        (&["compile"], b"", 2, "AGX0001"),
        (&["compile"], b"", 2, "arguments were not provided: <FILE>...\n"),
        (&["batch"], b"", 2, "arguments were not provided: <COMMAND>, <PATH>...\n"),
        (&["--color", "egg", "compile", "-"], b"", 2, "[possible values: auto, always, never]\n"),
        (&["compile", "-x", "egg", "-"], b"", 2, "unknown input type `egg`"),
        (&["compile", "-"], b"???", 2, "AGX0100"),
        (&["compile", "--target", "g99", "-x", "ir", "-"], b"", 2, "unknown target `g99`"),
        (&["compile", "no-such-file.spv"], b"", 3, "no-such-file.spv: error[AGX0002]"),
        (&["compile", "-"], b"\x03\x02\x23\x07\0\0\0\0", 1, "-: "),
        (&["compile", "-x", "wgsl", "-"], b"\xff\xfe", 1, "AGX0103"),
        (&["compile", "-x", "wgsl", "-"], b"", 1, "error[AGX1020]: no entry point; the module has none"),
        (
            &["compile", "-x", "spirv", "-"],
            b"",
            1,
            "error[AGX1003]: expected a header of 5 words, found 0 words",
        ),
        (&["compile", "-"], b"#version 450\nvoid main() {}\n", 2, "error[AGX0105]"),
        (&["explain", "AGX9999"], b"", 2, "AGX9999"),
    ];
    for (arguments, stdin, code, message) in cases {
        fails(arguments, stdin, code, message);
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_named() {
    use std::os::unix::ffi::OsStrExt as _;
    let name = std::ffi::OsStr::from_bytes(b"a\xff.wgsl");
    let output = Command::new(env!("CARGO_BIN_EXE_agxc")).arg("compile").arg(name).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("error[AGX0001]: the argument `a\u{fffd}.wgsl` is not UTF-8"),
        "{}",
        stderr(&output)
    );
}

/// An option without effect, or one given twice for the same thing, is a mistake.
#[test]
fn options_without_effect_are_rejected() {
    let folder = Folder::new("no-effect");
    let file = folder.file("a.wgsl", b"@compute @workgroup_size(1) fn main() {}\n");
    let cases: [(&[&str], &str); 16] = [
        (&["compile", "--part", "preamble"], "--part has no effect without --emit bin"),
        (&["compile", "--baseline", "b.json"], "--baseline has no effect without --emit html"),
        (&["stats", "--update"], "--update has no effect without --baseline"),
        (&["stats", "--threshold", "cycles=5"], "--threshold has no effect without --baseline"),
        (&["stats", "--baseline", "b.json", "-o", "c"], "--output has no effect with --baseline"),
        (&["stats", "--baseline", "b.json", "--format", "csv"], "--format has no effect with --baseline"),
        (&["batch", "stats", "--emit", "json"], "--emit has no effect on stats"),
        (&["batch", "stats", "--journal", "j"], "--journal has no effect on stats"),
        (&["validate", "--registers", "2"], "--registers has no effect on shaders"),
        (&["batch", "validate", "-o", "c"], "--output has no effect on validate"),
        (&["run", "--args", "u32:1"], "--args has no effect on compute shaders"),
        (&["run", "--groups", "1,1,1,1"], "--groups: expected at most three numbers"),
        (&["run", "--buffer", "0.0=u32:1,,2"], "expected a value of type u32, found ``"),
        (&["run", "--seed", "x"], "--seed: expected a number in range, found `x`"),
        (&["run", "--buffer", "0.0=u32:1", "--buffer", "0.0=u32:2"], "another buffer is already bound there"),
        (&["run", "--save", "0.0=f", "--save", "0.1=f"], "two outputs would be written to `f`"),
    ];
    for (arguments, message) in cases {
        fails(&[arguments, &[&file]].concat(), b"", 2, message);
    }
    assert_eq!(folder.names(), ["a.wgsl"]);
}

#[test]
fn aliases_and_phases_are_explained() {
    let shift = out(&["explain", "shr"]);
    assert!(shift.starts_with("shr: `bfeil` with a = 0, width = 0\n\nbfeil: "), "{shift}");
    let phase = out(&["explain", "cross_lane"]);
    assert!(
        phase.starts_with("cross_lane: ")
            && phase.ends_with("After: stage source.\nlower_retired lower_subgroups\n"),
        "{phase}"
    );
    let all = out(&["explain", "all"]);
    assert!(all.contains("\nmov  `bitop` with table = 10, b = 0\n") && all.contains("\nimprove  "), "{all}");
}

#[test]
fn figures_are_explained_and_mistyped_topics_are_answered() {
    let figure = "FSCIB: ";
    for word in ["FSCIB", "fscib"] {
        assert!(out(&["explain", word]).starts_with(figure), "{word}");
    }
    let text = out(&["explain", "Instrs"]);
    assert_eq!(text, out(&["explain", "instructions"]));
    assert!(text.starts_with("Instrs: ") && text.contains("Lower values are better."), "{text}");
    assert!(out(&["explain", "Threads"]).contains("Higher values are better."));
    assert!(out(&["explain", "AGX0102"]).contains("HLSL needs dxc"));
    fails(&["explain", "FADD"], b"", 2, "unknown topic `FADD`; did you mean fadd");
    fails(&["explain", "elephant"], b"", 2, "unknown topic `elephant`; `agxc explain all` lists codes");
    fails(
        &["pass", "opt_sce", "-"],
        b"",
        2,
        "unknown pass `opt_sce`; did you mean opt_dce or opt_cse? `agxc pass list`",
    );
    fails(
        &["compile", "--disable-pass", "opt_sce", "-x", "ir", "-"],
        b"",
        2,
        "did you mean opt_dce or opt_cse?",
    );
}

#[test]
fn help_lists_the_options_of_a_command_first() {
    let help = out(&["compile", "--help"]);
    let at = |option: &str| help.find(option).unwrap_or_else(|| panic!("no {option}"));
    assert!(at("--emit") < at("--output") && at("--output") < at("--error-format"), "{help}");
}

#[test]
fn runs_end() {
    let endless: &[u8] = b"@compute @workgroup_size(1) fn main() { loop { workgroupBarrier(); } }";
    let short: &[u8] = b"@compute @workgroup_size(1) fn main() { }";
    let run = ["run", "-x", "wgsl", "-", "--budget", "1000"];
    for (groups, stdin) in [("1", endless), ("4294967295,1,1", short)] {
        let arguments = [&run[..], &["--groups", groups]].concat();
        let output = agxc_with(&arguments, stdin);
        assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
        assert!(stderr(&output).contains("error[AGX0403]"), "{}", stderr(&output));
        assert!(stderr(&output).contains("budget of 1000 instructions"), "{}", stderr(&output));
    }
    fails(
        &["run", &shader("life.comp"), "--buffer", "0.0=file:/dev/zero"],
        b"",
        3,
        "more than 268435456 bytes",
    );
}

#[test]
fn raw_code_is_checked_as_the_part_it_is() {
    let barrier: &[u8] = b"barrier\nmov r1, 0\n";
    fails(
        &["validate", "-x", "asm", "-", "--part", "preamble"],
        barrier,
        1,
        "a preamble cannot use `barrier`",
    );
    fails(&["validate", "-x", "asm", "-"], barrier, 1, "the program continues past its end");
    for arguments in [&["--part", "prolog"][..], &["--continues"], &["--part", "main", "--continues"]] {
        let arguments = [&["validate", "-x", "asm", "-"], arguments].concat();
        let output = agxc_with(&arguments, barrier);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
    fails(&["validate", "-x", "asm", "-", "--part", "middle"], barrier, 2, "unknown part `middle`");
    fails(&["validate", "-x", "code", "-"], b"", 1, "the program continues past its end");
}

#[test]
fn diagnostics_as_json_are_one_object_a_line() {
    let output = agxc(&["--error-format=json", "compile", "no-such-file.spv"]);
    let value: serde_json::Value = serde_json::from_str(stderr(&output).trim()).unwrap();
    assert_eq!(value["code"], "AGX0002");
    assert_eq!(value["file"], "no-such-file.spv");
    assert_eq!(value["severity"], "error");
    let output = agxc(&["--error-format=json", "fry"]);
    assert!(stderr(&output).starts_with("{\""), "{}", stderr(&output));
}

/// A log for code hosts: one for a run, whatever failed.
#[test]
fn diagnostics_as_sarif_are_one_log() {
    let folder = Folder::new("sarif");
    let bad = folder.file("bad.wgsl", b"fn f() {\n    let x = y;\n}\n");
    let log = |arguments: &[&str]| -> serde_json::Value {
        let output = agxc(&[&["--error-format", "sarif"], arguments].concat());
        serde_json::from_str(&stderr(&output)).unwrap()
    };
    let found = log(&["stats", &bad, "missing.spv"]);
    assert_eq!(found["version"], "2.1.0");
    let results = &found["runs"][0]["results"];
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 2, "{found}");
    assert_eq!(results[1]["ruleId"], "AGX0002");
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "missing.spv");
    let rules = found["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == results[0]["ruleId"]), "{found}");
    assert_eq!(log(&["batch", "stats", &bad])["runs"][0]["results"].as_array().unwrap().len(), 2);
    let fine = folder.file("fine.wgsl", b"@compute @workgroup_size(1) fn main() {}\n");
    assert_eq!(log(&["stats", &fine])["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(log(&["fry"])["runs"][0]["results"][0]["level"], "error");
}

#[cfg(not(feature = "glsl"))]
#[test]
fn glsl_without_its_compiler_says_what_to_install() {
    let output = alone(&["compile", &shader("life.comp")]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("error[AGX0102]: GLSL needs glslangValidator"), "{}", stderr(&output));
}

#[cfg(feature = "glsl")]
#[test]
fn glsl_without_its_compiler_goes_through_naga() {
    let output = alone(&["compile", &shader("life.comp")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("compute shader `main`") && text.contains("life.comp:"), "{text}");
    let folder = Folder::new("naga-glsl");
    let path = folder.file("bad.comp", b"#version 450\nvoid main() {\n    int y = x;\n}\n");
    let output = alone(&["compile", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("bad.comp:3:13: error[AGX2205]"), "{}", stderr(&output));
}

#[test]
fn assembly_names_the_lines_of_its_source() {
    let folder = Folder::new("lines");
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
        @compute @workgroup_size(32)\nfn main(@builtin(local_invocation_index) i: u32) {\n\
        let x = sqrt(data[i]);\n    data[i] = x;\n}\n";
    let path = folder.file("root.wgsl", text.as_bytes());
    let listing = out(&["compile", &path]);
    let at = |what: &str| listing.find(what).unwrap_or_else(|| panic!("no {what} in {listing}"));
    assert!(at("root.wgsl:4:") < at("rsqrts") && at("rsqrts") < at("root.wgsl:5:"), "{listing}");
    let assembly = folder.file("root.s", listing.as_bytes());
    assert!(out(&["asm", "--hex", "--part", "main", &assembly]).len() > 20);
    let json: serde_json::Value = serde_json::from_str(&out(&["compile", "--emit", "json", &path])).unwrap();
    assert_eq!(json["files"][0], path.as_str());
    let last = json["parts"][0]["lines"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last[2], 5, "{last}");
}

#[test]
fn glsl_compiles_and_its_errors_have_lines() {
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    assert!(out(&["compile", &shader("life.comp")]).contains("compute shader `main`"));
    let folder = Folder::new("glsl");
    folder.file("part.glsl", b"\n#error no\n");
    let source = b"#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"part.glsl\"\nvoid main() {}\n";
    let path = folder.file("bad.comp", source);
    fails(&["compile", &path], b"", 1, "part.glsl:2:1: error[AGX0200]");
    let source = b"#version 450\nvoid main() {\n    x = 1;\n}\n";
    fails(&["compile", "--stage", "compute", "-"], source, 1, "-:3:1: error[AGX0200]: 'x'");
}

#[test]
fn a_wgsl_error_has_line_and_column() {
    fails(
        &["compile", "-x", "wgsl", "-"],
        b"@compute @workgroup_size(1)\nfn main() { let x = y; }\n",
        1,
        "-:2:21: error[AGX2205]",
    );
}

#[test]
fn a_failed_run_leaves_what_was_there() {
    let folder = Folder::new("failed");
    let target = folder.file("out.bin", b"old");
    let input = folder.file("bad.spv", b"\x03\x02\x23\x07");
    fails(&["compile", "--emit", "bin", &input, "-o", &target], b"", 1, "bad.spv");
    assert_eq!(std::fs::read(&target).unwrap(), b"old");
    assert_eq!(folder.names(), ["bad.spv", "out.bin"]);
}

#[test]
fn outputs_go_to_files_and_to_standard_output() {
    let folder = Folder::new("outputs");
    let target = folder.path("nbody.bin");
    assert_eq!(out(&["compile", "--emit", "bin", &shader("nbody.wgsl"), "-o", &target]), "");
    let code = std::fs::read(&target).unwrap();
    let output = agxc(&["compile", "--emit", "bin", &shader("nbody.wgsl"), "-o", "-"]);
    assert!(!code.is_empty());
    assert_eq!(output.stdout, code);
    assert_eq!(folder.names(), ["nbody.bin"]);
    fails(&["compile", &shader("nbody.wgsl"), "-o", "/no/such/folder/x"], b"", 3, "/no/such/folder/x");
}

#[test]
#[cfg(unix)]
fn a_device_or_a_link_is_written_to_and_never_replaced() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let folder = Folder::new("special");
    let kept = folder.file("kept.s", b"before");
    let link = folder.path("link.s");
    symlink(&kept, &link).expect("the folder takes links");
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let source = shader("nbody.wgsl");
    out(&["compile", &source, "--emit", "asm", "-o", &link]);
    assert!(std::fs::symlink_metadata(&link).expect("the link is there").is_symlink());
    assert!(!std::fs::read(&kept).expect("the file is there").starts_with(b"before"));
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe)
    });
    out(&["compile", &source, "--emit", "asm", "-o", &pipe]);
    let read = reader.join().expect("the reader ends").expect("the pipe is read");
    assert_eq!(read, std::fs::read(&kept).expect("the file is there"));
    assert!(std::fs::metadata(&pipe).expect("the pipe is there").file_type().is_fifo());
}

/// An output keeps its permissions, and a link its place.
#[test]
#[cfg(unix)]
fn outputs_keep_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new("modes");
    let source = shader("nbody.wgsl");
    let kept = folder.file("kept.s", b"before");
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o600)).unwrap();
    out(&["compile", &source, "-o", &kept]);
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read(&kept).unwrap().starts_with(b"before"));
    let (link, first) = (folder.path("link.s"), folder.path("first.s"));
    symlink("first.s", &link).unwrap();
    symlink("new.s", &first).unwrap();
    out(&["compile", &source, "-o", &link]);
    assert_eq!(std::fs::read(folder.path("new.s")).unwrap(), std::fs::read(&kept).unwrap());
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink(), "the link stays");
    let circle = folder.path("circle.s");
    symlink("circle.s", &circle).unwrap();
    fails(&["compile", &source, "-o", &circle], b"", 3, "circle.s: error[AGX0002]");
    assert!(std::fs::symlink_metadata(&circle).unwrap().is_symlink());
    assert_eq!(folder.names(), ["circle.s", "first.s", "kept.s", "link.s", "new.s"], "nothing else is left");
}

/// Foreign bytes are refused without a listing in memory, and with --force a listing needs little.
#[test]
#[cfg(target_os = "linux")]
fn long_machine_code_needs_little_memory() {
    let folder = Folder::new("long-code");
    let mut state = 7u64;
    let bytes: Vec<u8> = (0..8 << 20)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect();
    let file = folder.file("random.bin", &bytes);
    let limited = |arguments: &str| {
        let line = format!("ulimit -v 400000; exec {} disasm {file} {arguments}", env!("CARGO_BIN_EXE_agxc"));
        Command::new("sh").args(["-c", &line]).output().unwrap()
    };
    let refused = limited("");
    assert_eq!(refused.status.code(), Some(1), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("error[AGX0300]: this is not code for G13 or G14 chips"));
    let short = folder.file("short.bin", &bytes[..1 << 20]);
    let target = folder.path("short.s");
    out(&["disasm", "--force", "--plain", &short, "-o", &target]);
    let again = agxc(&["asm", &target]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert!(again.stdout == bytes[..1 << 20], "the listing assembles to the same bytes");
}

/// Code that ends within an instruction is listed, with a warning.
#[test]
fn truncated_code_is_listed() {
    let folder = Folder::new("truncated");
    let code = folder.path("nbody.bin");
    out(&["compile", "--emit", "bin", &shader("nbody.wgsl"), "-o", &code]);
    let whole = std::fs::read(&code).unwrap();
    // The first instruction that ends past byte 100.
    let json: serde_json::Value =
        serde_json::from_str(&out(&["compile", "--emit", "json", &shader("nbody.wgsl")])).unwrap();
    let rows = json["parts"][0]["instructions"].as_array().unwrap();
    let at = rows.iter().map(|row| row["offset"].as_u64().unwrap()).find(|offset| *offset > 100).unwrap();
    let cut = folder.file("cut.bin", &whole[..at as usize + 1]);
    let output = agxc(&["disasm", &cut]);
    let warning = "warning[AGX0506]: 1 byte does not decode; the code is damaged or ends too early";
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
    assert!(String::from_utf8(output.stdout).unwrap().lines().last().unwrap().contains("<unknown "));
}

#[test]
fn machine_code_and_assembly_are_two_faces_of_one_program() {
    let folder = Folder::new("faces");
    let code = folder.path("life.bin");
    out(&["compile", "--emit", "bin", &shader("life.spv"), "-o", &code]);
    let text = out(&["disasm", &code, "--plain"]);
    let assembly = folder.file("life.s", text.as_bytes());
    let again = agxc(&["asm", &assembly, "-o", "-"]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!(again.stdout, std::fs::read(&code).unwrap());
    fails(&["asm", "-x", "asm", "-"], b"stop\nfrob r0, r1\n", 1, "-:2:1: error[AGX0301]");
}

#[test]
fn edited_code_runs_in_place_of_the_compiled() {
    let folder = Folder::new("edited");
    let kernel =
        b"kernel @k(%0:32) stage source {\nb0:\n    %1:32 = iadd %0, #40\n    keep %1\n    halt\n}\n";
    let kernel = folder.file("k.ir", kernel);
    assert_eq!(out(&["run", &kernel, "--args", "u32:2", "--results", "1"]), "42\n");
    let assembly = out(&["compile", &kernel]);
    assert!(assembly.contains(", 40"), "{assembly}");
    let edited = folder.file("k.s", assembly.replace(", 40", ", 50").as_bytes());
    assert_eq!(out(&["validate", &edited]), "");
    let words = ["run", &kernel, "--code", &edited, "--args", "u32:2", "--results", "1"];
    assert_eq!(out(&words), "52\n");
    fails(&["validate", &edited, "--registers", "0"], b"", 1, "AGX0302");
}

#[test]
fn single_passes() {
    let text =
        b"kernel @k(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0\n    %2:32 = fmul %0, %0\n    \
                 keep %1, %2\n    halt\n}\n";
    let folder = Folder::new("passes");
    let file = folder.file("k.ir", text);
    assert_eq!(out(&["pass", &file]).as_bytes(), text);
    let merged = out(&["pass", "opt_cse", "opt_dce", &file]);
    assert!(merged.contains("keep %1, %1") && !merged.contains("%2:32"), "{merged}");
    assert_eq!(out(&["compile", "--emit", "ir", &file]).trim_end().as_bytes(), text.trim_ascii_end());
    fails(&["pass", "opt_fry", &file], b"", 2, "unknown pass `opt_fry`");
    fails(&["pass", "opt_cse", "-"], b"kernel @k() {\n", 1, "-:");
    let early =
        "error[AGX0203]: `regalloc` takes functions from stage machine on, and `k` is at stage source";
    fails(&["pass", "regalloc", "-"], b"kernel @k() {\nb0:\n    keep #1\n}\n", 1, early);
}

#[test]
fn run_checks_what_it_is_told_to() {
    let folder = Folder::new("run");
    let source = folder.file(
        "double.wgsl",
        b"@group(0) @binding(1) var<storage, read_write> data: array<f32>;\n\
          @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
          data[id.x] = data[id.x] * 2.0; }\n",
    );
    let buffer = ["--buffer", "0.1=f32:1,2,3,4"];
    let run = |more: &[&str]| {
        [&["run", &source], &buffer[..], more].concat().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let words = run(&["--dump", "0.1:f32", "--expect", "0.1=f32:2,4,6,8"]);
    assert_eq!(out(&words.iter().map(String::as_str).collect::<Vec<_>>()), "2, 4, 6, 8\n");
    let words = run(&["--expect", "0.1=f32:2,4,7,8"]);
    fails(
        &words.iter().map(String::as_str).collect::<Vec<_>>(),
        b"",
        1,
        "buffer 0.1: element 2: expected 7, got 6",
    );
    fails(&["run", &source], b"", 1, "AGX0400");
    let wild =
        b"kernel @wild() stage source {\nb0:\n    %0:32 = load_global #16:64, #0\n    keep %0\n    halt\n}\n";
    fails(&["run", "-x", "ir", "-", "--results", "1"], wild, 1, "AGX0401");
    fails(&["run", &source, "--buffer", "0.1"], b"", 2, "SET.BINDING=SPEC");
}

#[test]
fn the_key_is_printed_and_read_back() {
    let folder = Folder::new("key");
    let printed =
        out(&["compile", "--print-key", "--target", "g14x", "--spec", "3=1.0", "--entry", "main", "-"]);
    let file = folder.file("key.json", printed.as_bytes());
    assert_eq!(out(&["compile", "--print-key", "--key", &file, "-"]), printed);
    assert!(printed.contains("\"g14x\"") && printed.contains("1065353216"), "{printed}");
    let bad = folder.file("bad.json", b"{\"colour\": 1}");
    fails(
        &["compile", "--print-key", "--key", &bad, "-"],
        b"",
        1,
        "bad.json:1:9: error[AGX0104]: unknown field `colour`",
    );
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_agxc"))
        .args(["compile", "--emit", "json", &shader("raymarch.spv")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn statistics_in_three_formats() {
    let file = shader("nbody.wgsl");
    assert!(out(&["stats", &file]).contains("Instrs: "));
    let csv = out(&["stats", "--format", "csv", &file]);
    assert_eq!(csv.lines().count(), 2);
    let json: serde_json::Value = serde_json::from_str(&out(&["stats", "--format", "json", &file])).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert!(json["shaders"][0]["statistics"]["instructions"].as_u64().unwrap() > 10);
}

/// A bundled shader computes what the host expects.
fn demonstration(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let text = out(&["demo", "--brief", "--only", name, "--pictures", &folder.path("out")]);
    assert_eq!(text.matches("\ncheck: ").count(), 1, "{text}");
    (folder, text)
}

#[test]
fn nbody() {
    demonstration("nbody");
}

#[test]
fn matmul() {
    demonstration("matmul");
}

#[test]
fn mandelbrot() {
    let (folder, text) = demonstration("mandelbrot");
    let picture = std::fs::read(Path::new(&folder.path("out")).join("mandelbrot.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && text.contains("mandelbrot.png"), "{text}");
}

#[test]
fn life() {
    demonstration("life");
}

#[test]
fn raymarch() {
    demonstration("raymarch");
}

#[test]
fn scenes_are_listed_and_drawn() {
    let list = out(&["demo", "--list"]);
    for name in ["nbody", "raymarch", "spheres", "glass", "plasma", "mirror", "floor"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    let folder = Folder::new("scenes");
    let text = out(&["demo", "--only", "plasma", "--pictures", &folder.path("out")]);
    let picture = std::fs::read(Path::new(&folder.path("out")).join("plasma.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && text.contains("plasma.png, 256 × 192"), "{text}");
    let wrong = folder.file("wrong.json", b"{\n\"size\": [8, 8],\n\"colour\": 1, \"draws\": []}");
    let output = agxc(&["render", &wrong, "-o", &folder.path("none.png")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("wrong.json:3:8: error[AGX0104]: unknown field `colour`"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_shader_reads_a_texture_and_writes_an_image() {
    let folder = Folder::new("textures");
    let file = folder.file(
        "halve.wgsl",
        b"@group(0) @binding(0) var texels: texture_2d<f32>;
@group(0) @binding(1) var smooth_repeat: sampler;
@group(0) @binding(2) var to: texture_storage_2d<r32float, write>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let place = (vec2<f32>(id.xy) + 0.5) / vec2<f32>(2.0, 1.0);
    textureStore(to, id.xy, textureSampleLevel(texels, smooth_repeat, place, 0.0));
}",
    );
    // Between four texels each: their means.
    let texture = "0.0=r32f:4x2:f32:1,2,5,6,3,4,7,8";
    let (sampler, image) = ("0.1=linear,repeat", "0.2=r32f:2x1:zero:8");
    let arguments = ["run", &file, "--texture", texture, "--sampler", sampler, "--image", image];
    assert_eq!(out(&[&arguments[..], &["--dump", "0.2:f32"]].concat()), "2.5, 6.5\n");
    let missing = agxc(&arguments[..6]);
    assert_eq!(missing.status.code(), Some(1), "{}", stderr(&missing));
}
