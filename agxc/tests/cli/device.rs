//! Recordings: listed, replayed, damaged; programs started on the device.

use crate::harness::{Folder, agxc, fails, out, stderr};

/// A launch of 40 threads that store their numbers; a test of the device keeps it current.
const LAUNCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../device/tests/recordings/launch.agxrec");

#[test]
fn a_recording_is_listed() {
    let listing = out(&["trace", LAUNCH]);
    for piece in ["submission 1, compute command", "threads [40, 1, 1]", "store.i32.x r0, u0_u1, r0", "end"] {
        assert!(listing.contains(piece), "{piece}: {listing}");
    }
    assert_eq!(out(&["trace", LAUNCH, "--submission", "1"]), listing);
    fails(&["trace", LAUNCH, "--submission", "2"], b"", 2, "the recording has 1 submissions");
    fails(&["trace", LAUNCH, "--submission", "x"], b"", 2, "expected a number, found `x`");
}

/// The program at the end of a tile stores to an image, and a fragment program reads a texture.
#[test]
fn images_are_listed_as_images() {
    let listing = out(&["trace", DRAW]);
    for piece in ["ts0: image DIMENSION=2d-array", "WIDTH=48 HEIGHT=40", "ts0: texture DIMENSION=2d-array"] {
        assert!(listing.contains(piece), "{piece}: {listing}");
    }
}

/// Two drivers would write other barriers.
#[test]
fn recordings_are_compared_record_by_record() {
    assert_eq!(out(&["trace", LAUNCH, "--compare", LAUNCH]), "0 differences in 0 fields\n");
    let folder = Folder::new("compared");
    let mut bytes = std::fs::read(LAUNCH).unwrap();
    let barrier = [0xff, 0xff, 0x0f, 0x60];
    let at = bytes.windows(4).position(|piece| piece == barrier).unwrap();
    bytes[at + 2] = 0x07;
    let other = folder.file("other.agxrec", &bytes);
    let expected = "launches: compute barrier: BITS_4_20 is 0xffff, then 0x7fff\n1 differences in 1 fields\n";
    assert_eq!(out(&["trace", LAUNCH, "--compare", &other]), expected);
    fails(&["trace", LAUNCH, "--compare", LAUNCH, "--submission", "1"], b"", 2, "no effect with --compare");
}

#[test]
fn a_recording_replays() {
    assert_eq!(out(&["replay", LAUNCH]), "1 submissions, 1 launches, 0 draws\n");
    assert_eq!(out(&["replay", LAUNCH, "--seed", "7"]), "1 submissions, 1 launches, 0 draws\n");
    let statistics = out(&["replay", LAUNCH, "--statistics"]);
    assert!(
        statistics.contains("0x1100000100 launch          1             6                120"),
        "{statistics}"
    );
    let lines = out(&["replay", LAUNCH, "--instructions"]);
    assert_eq!(lines.lines().filter(|line| line.contains("store.i32.x")).count(), 2, "{lines}");
    assert!(out(&["replay", LAUNCH, "--list"]).contains("threads [40, 1, 1]"));
}

/// A draw of three triangles of three vertices each on a cleared target of 48 × 40 pixels.
const DRAW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../device/tests/recordings/draw.agxrec");

/// The last bytes of each pixel are those of lavapipe's picture of the draw.
#[test]
fn a_pixel_of_a_recording_has_a_history() {
    let history = |pixel: &str| -> Vec<String> {
        let text = out(&["replay", DRAW, "--pixel", pixel]);
        text.lines().filter(|line| line.contains("passed")).map(str::to_owned).collect()
    };
    let cases: [(&str, &[&str], [u8; 4]); 3] = [
        ("24,20", &["primitive 0", "primitive 2"], [50, 29, 123, 157]),
        ("1,1", &[], [26, 51, 77, 255]),
        ("40,33", &["primitive 1"], [18, 49, 106, 121]),
    ];
    for (pixel, primitives, last) in cases {
        let lines = history(pixel);
        assert_eq!(lines.len(), primitives.len() + 1, "{pixel}: {lines:?}");
        assert!(lines[0].contains(", tile: passed") && lines[0].contains("to 26,51,77,255,"), "{lines:?}");
        for (line, primitive) in lines[1..].iter().zip(primitives) {
            assert!(line.contains(primitive), "{pixel}: {line} lacks {primitive}");
        }
        let [r, g, b, a] = last;
        assert!(lines[primitives.len()].contains(&format!("to {r},{g},{b},{a},")), "{pixel}: {lines:?}");
    }
    fails(&["replay", DRAW, "--pixel", "24"], b"", 2, "expected X,Y, found `24`");
}

#[test]
fn damage_is_noticed() {
    let folder = Folder::new("recordings");
    let bytes = std::fs::read(LAUNCH).unwrap();
    let damaged = |name: &str, from: &[u8], to: &[u8]| {
        let at = bytes.windows(from.len()).position(|piece| piece == from).unwrap();
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        folder.file(name, &bytes)
    };
    let short = folder.file("short.agxrec", &bytes[..bytes.len() - 3]);
    fails(&["replay", &short], b"", 1, "error[AGX0110]");
    let magic = folder.file("magic.agxrec", b"something else");
    fails(&["trace", &magic], b"", 1, "error[AGX0110]");
    // What the last thread stores is recorded as another number.
    let result = damaged("result.agxrec", &39_u32.to_le_bytes(), &38_u32.to_le_bytes());
    let output = agxc(&["replay", &result]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("error[AGX0402]: byte 0x110000109c: expected 0x26, found 0x27"));
    // The shader reads four uniforms from the address of the results: move it where nothing is bound.
    let unbound =
        damaged("unbound.agxrec", &0x11_0000_1000_u64.to_le_bytes(), &0x17_0000_1000_u64.to_le_bytes());
    let output = agxc(&["replay", &unbound]);
    assert_eq!(output.status.code(), Some(1));
    let message = "error[AGX0401]: submission 1, command 0, launch 0, record 0x1100000200, program 0x1100000100: 0x0004";
    assert!(stderr(&output).contains(message), "{output:?}");
    assert!(stderr(&output).contains("error[AGX0402]: byte 0x1100001004: expected 0x01"), "{output:?}");
}

#[test]
fn a_program_needs_its_library() {
    fails(&["device"], b"", 2, "no program");
    fails(&["device", "--library", "/no/such/file", "--", "true"], b"", 3, "--library");
}

/// The program takes the place of the command: its exit code and its output are passed on.
#[cfg(target_os = "linux")]
#[test]
fn a_program_sees_the_variables() {
    // Any file does: the dynamic loader ignores what it cannot preload.
    let folder = Folder::new("device");
    let library = folder.file("library.so", b"");
    let output = agxc(&[
        "device",
        "--library",
        &library,
        "--strict",
        "no",
        "--record",
        "r",
        "--calls",
        "--",
        "sh",
        "-c",
        "echo $AGX_DEVICE_STRICT $AGX_DEVICE_RECORD $AGX_DEVICE_CALLS; exit 9",
    ]);
    assert_eq!(output.status.code(), Some(9));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "no r 1\n");
    assert_eq!(agxc(&["device", "--library", &library, "--", "/no/such/program"]).status.code(), Some(3));
}
