//! Mistakes of an operator: every command line of `operator.txt` fails with its exit code and message, prints nothing,
//! writes nothing, and ends soon.

use std::time::{Duration, Instant};

use crate::harness::{Folder, agxc_with, shader, stderr};

const CASES: &str = include_str!("operator.txt");

/// Most time that a command line may take on a busy computer.
const LIMIT: Duration = Duration::from_secs(60);

const GOOD: &str = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 2.0; }\n";
const VERTEX: &str = "@vertex fn vs() -> @builtin(position) vec4<f32> { return vec4<f32>(); }\n";
const FRAGMENT: &str = "@fragment fn fs() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }\n";
const FORMAT: &str = "{\"draw\": {\"targets\": [{\"format\": \"R8G8B8A8\"}]}}";

/// Texts by the names of their files.
const TEXTS: &[(&str, &str)] = &[
    ("good.wgsl", GOOD),
    ("vert.wgsl", VERTEX),
    ("frag.wgsl", FRAGMENT),
    ("noext", GOOD),
    ("good.txt", GOOD),
    ("good.s", "mov r0, 1\nstop\n"),
    ("good.hex", "8800\n"),
    ("good.ir", "kernel @k(%0:32) stage source {\nb0:\n    %1:32 = iadd %0, #40\n    keep %1\n    halt\n}\n"),
    ("loop.wgsl", "@compute @workgroup_size(1) fn main() { loop { workgroupBarrier(); } }\n"),
    (
        "spec.wgsl",
        "@id(7) override gain: f32 = 1.0;\n@id(8) override count: i32 = 1;\n\
         @group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
         @compute @workgroup_size(1) fn main() { data[count] = gain; }\n",
    ),
    ("stage.glsl", "#version 450\nvoid main() {}\n"),
    ("a.rgen", "#version 450\nvoid main() {}\n"),
    ("bad.wgsl", "fn main( {}\n"),
    ("nul.wgsl", "fn main() \0{}\n"),
    ("bad.ir", "colonel @k\n"),
    ("good.tgsi", "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n"),
    ("good.agal", "mov op, va0\n"),
    ("bad.tgsi", "VERT\nFRY TEMP[0]\nEND\n"),
    ("bad.agal", "fry vt0, va0\n"),
    ("bad.pica", "fry r0, v0\n"),
    ("bad.s", "stop\nfrob r0, r1\n"),
    ("part.s", ".part middle\nstop\n"),
    ("twice.s", ".part main\nstop\n.part main\nstop\n"),
    ("odd.hex", "880\n"),
    ("k.list.json", "[\"g14x\"]"),
    ("k.field.json", "{\"colours\": 1}"),
    ("k.twice.json", "{\"target\": \"g13g\", \"target\": \"g14g\"}"),
    ("k.type.json", "{\"target\": 14}"),
    ("k.target.json", "{\"target\": \"g99\"}"),
    ("k.stage.json", "{\"stage\": \"pixel\"}"),
    ("k.pass.json", "{\"disabled_passes\": [\"opt_fry\"]}"),
    ("k.format.json", FORMAT),
    ("k.draw.json", "{\"draw\": {\"targets\": [{\"format\": \"R8G8B8A8_UNORM\"}]}}"),
    ("k.number.json", "{\"schedule_seed\": 1e999}"),
    ("b.json", "{\"schema_version\": 1, \"shaders\": []}"),
    ("b.version.json", "{\"schema_version\": 99, \"shaders\": []}"),
    ("s.list.json", "[[4, 4], 1]"),
    ("s.field.json", "{\"colours\": 1}"),
    (
        "s.file.json",
        "{\"size\": [4, 4], \"draws\": [{\"vertex\": {\"file\": \"missing.vert\"}, \"fragment\": {\"file\": \"missing.frag\"}, \
         \"vertices\": 3}]}",
    ),
];

/// Names of files without contents.
const EMPTY: &[&str] =
    &["empty.wgsl", "empty.ir", "empty.tgsi", "empty.spv", "empty.bin", "empty.json", "empty.png"];

/// Creates every file that the cases name.
fn fill(folder: &Folder) {
    for (name, text) in TEXTS {
        folder.file(name, text.as_bytes());
    }
    EMPTY.iter().for_each(|name| drop(folder.file(name, b"")));
    folder.file("two.wgsl", [VERTEX, FRAGMENT].concat().as_bytes());
    folder.file("latin.wgsl", b"\xff// caf\xe9\n");
    folder.file("utf16.wgsl", b"\xff\xfef\0n\0\n\0");
    let deep = format!("{{\"draw\": {}", "[".repeat(1000));
    folder.file("k.deep.json", deep.as_bytes());
    let module = std::fs::read(shader("life.spv")).unwrap();
    folder.file("good.spv", &module);
    folder.file("magic.spv", &module[..4]);
    folder.file("header.spv", &module[..20]);
    folder.file("odd.spv", &module[..module.len() - 1]);
    folder.file("cut.spv", &module[..(module.len() / 2) & !3]);
    // No instruction of this hardware, of SPIR-V or of anything else.
    folder.file("random.bin", &[0xff; 64]);
    folder.file("cut.npy", b"\x93NUMPY\x01\x00\xff\x00{");
    folder.file("big.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '>f4'}");
    folder.file("cut.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    folder.file("version.rec", b"AGXREC\x00\x02\0\0\0\0\0\0\0\0");
    folder.file("cut.rec", b"AGXREC\x00\x01\x01\0\0\0\0\0\0\0\x09");
    for name in ["dir", "dir.wgsl"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    assert!(std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    #[cfg(unix)]
    for (name, target) in [("circle.wgsl", "circle.wgsl"), ("dangling.wgsl", "nowhere.wgsl")] {
        std::os::unix::fs::symlink(target, folder.path(name)).unwrap();
    }
}

/// What is wrong with a run of the case, if anything is.
fn deviation(case: &str, folder: &Folder) -> Option<String> {
    let mut columns = case.splitn(4, '|').map(str::trim);
    let (code, line, message) = (columns.next()?, columns.next()?, columns.next()?);
    let place = folder.path("");
    let place = place.trim_end_matches('/');
    let words: Vec<String> = line.split_whitespace().map(|word| word.replace('%', place)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let begin = Instant::now();
    let output = agxc_with(&words, columns.next().unwrap_or_default().as_bytes());
    let (printed, taken) = (stderr(&output), begin.elapsed());
    let is_right = output.status.code() == code.parse().ok() && printed.contains(message);
    let is_quiet = output.stdout.is_empty() && taken < LIMIT;
    (!is_right || !is_quiet).then(|| {
        let length = output.stdout.len();
        format!("{case}\n  {}, {length} bytes of output, {taken:.1?}: {printed}", output.status)
    })
}

#[test]
#[cfg(target_os = "linux")]
fn every_mistake_has_its_message() {
    let cases: Vec<&str> = CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(cases.len() > 217, "{} cases", cases.len());
    let folder = Folder::new("operator");
    fill(&folder);
    let before = folder.names();
    let failed: Vec<String> = cases.iter().filter_map(|case| deviation(case, &folder)).collect();
    assert!(failed.is_empty(), "{} of {} deviate:\n{}", failed.len(), cases.len(), failed.join("\n"));
    assert_eq!(folder.names(), before, "nothing is written");
}
