//! `agxc run`: buffers from and to files, expectations.

use crate::harness::{Folder, fails, out};

const DOUBLE: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
    data[id.x] = data[id.x] * 2.0; }\n";

#[test]
fn arrays_of_numpy_are_read_and_written() {
    let folder = Folder::new("npy");
    let source = folder.file("double.wgsl", DOUBLE);
    let array = folder.path("in.npy");
    let buffer = "0.0=f32:1,2,3,4";
    out(&["run", &source, "--buffer", buffer, "--save", &format!("0.0:f32={array}")]);
    assert!(std::fs::read(&array).unwrap().starts_with(b"\x93NUMPY"));
    let from_array = format!("0.0=file:{array}");
    assert_eq!(out(&["run", &source, "--buffer", &from_array, "--dump", "0.0:f32"]), "4, 8, 12, 16\n");
    out(&["run", &source, "--buffer", buffer, "--expect", &from_array]);
    let raw = folder.path("out.raw");
    out(&["run", &source, "--buffer", buffer, "--save", &format!("0.0={raw}")]);
    let expected: Vec<u8> = [2f32, 4.0, 6.0, 8.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&raw).unwrap(), expected);
    let wrong = folder.file("big.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '>f4'}");
    fails(&["run", &source, "--buffer", &format!("0.0=file:{wrong}")], b"", 1, "error[AGX0107]");
    fails(
        &["run", &source, "--buffer", "0.0=file:/dev/zero"],
        b"",
        3,
        "error[AGX0108]: more than 268435456 bytes",
    );
}

#[test]
fn dumps_go_where_the_output_goes() {
    let folder = Folder::new("dump");
    let source = folder.file("double.wgsl", DOUBLE);
    let target = folder.path("out.txt");
    let words = ["run", &source, "--buffer", "0.0=f32:1,2,3,4", "--dump", "0.0:f32", "-o", &target];
    assert_eq!(out(&words), "");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "2, 4, 6, 8\n");
}

#[test]
fn expectations_cover_the_whole_buffer() {
    let folder = Folder::new("expect");
    let source = folder.file("double.wgsl", DOUBLE);
    let words = |expect| ["run", &source, "--buffer", "0.0=f32:1,2,3,4", "--expect", expect];
    out(&words("0.0=f32:2,4,6,8"));
    out(&words("0.0=f32:2,4,..."));
    fails(&words("0.0=f32:2,4"), b"", 1, "buffer 0.0: expected 8 bytes, got 16");
    fails(&words("0.0=f32:2,4,6,8,10"), b"", 1, "buffer 0.0: expected 20 bytes, got 16");
    fails(&words("0.0=f32:2,5,..."), b"", 1, "element 1: expected 5, got 4");
}

#[test]
fn a_vertex_runs_with_its_attributes() {
    let folder = Folder::new("run-vertex");
    let source = b"@vertex fn main(@location(0) at: vec2<f32>) -> @builtin(position) vec4<f32> { return vec4<f32>(2.0 * at, 0.5, 1.0); }\n";
    let file = folder.file("v.wgsl", source);
    assert_eq!(out(&["run", &file, "--register", "location0=3,4"]), "position: 6.0, 8.0, 0.5, 1.0\n");
    fails(&["run", &file, "--register", "va0=3"], b"", 2, "expected location0=");
}

/// GLSL for the built-in reader: the push constants are an output.
#[cfg(feature = "glsl")]
const PUSHED: &[u8] = b"#version 450\nlayout(push_constant) uniform Push { vec4 value; } push;\n\
    layout(location = 0) in vec4 at;\nlayout(location = 0) out vec4 result;\n\
    void main() { gl_Position = at; result = push.value; }\n";

#[test]
#[cfg(feature = "glsl")]
fn a_vertex_runs_with_its_push_constants() {
    let folder = Folder::new("run-vertex-push");
    let file = folder.file("v.vert", PUSHED);
    let words = ["run", &file, "--register", "location0=5,6,7,8", "--push", "f32:1,2,3,4"];
    let output = crate::harness::alone(&words);
    assert_eq!(crate::harness::stderr(&output), "");
    let expected = "position: 5.0, 6.0, 7.0, 8.0\nlocation 0: 1.0, 2.0, 3.0, 4.0\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn a_vertex_runs_with_textures_and_buffers() {
    let folder = Folder::new("run-vertex-resources");
    let source = b"@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var<uniform> scale: vec4<f32>;\n\
        @vertex fn main() -> @builtin(position) vec4<f32> { return textureLoad(t, vec2(1, 0), 0).x * scale; }\n";
    let file = folder.file("v.wgsl", source);
    let texture = "0.0=r32f:2x1:f32:5,7";
    let run = ["run", &file, "--texture", texture, "--buffer", "0.1=f32:1,2,3,4"];
    let with = |more: &[&'static str]| -> String { out(&[&run[..], more].concat()) };
    let position = "position: 7.0, 14.0, 21.0, 28.0\n";
    assert_eq!(with(&[]), position);
    assert_eq!(
        with(&["--expect", "0.1=f32:1,2,3,4", "--dump", "0.1:f32"]),
        format!("1, 2, 3, 4\n{position}")
    );
    assert!(with(&["--report"]).contains(" instructions, "));
    assert!(with(&["--profile"]).len() > position.len());
    let expect = [&run[..], &["--expect", "0.1=f32:1,2,3,5"]].concat();
    fails(&expect, b"", 1, "element 3: expected 5, got 4");
    fails(&run[..4], b"", 1, "AGX0400");
}

/// What a run ignores is refused, and resources that the shader does not use are named.
#[test]
fn options_of_other_programs_are_refused() {
    let folder = Folder::new("run-effects");
    let compute = folder.file("double.wgsl", DOUBLE);
    let vertex =
        folder.file("v.wgsl", b"@vertex fn main() -> @builtin(position) vec4<f32> { return vec4(); }\n");
    let pica = folder.file("v.pica", b".proc main\n    mov o0, v0\n    end\n.end\n.out o0 position\n");
    let kernel = folder.file("k.ir", b"kernel @k(%0:32) stage source {\nb0:\n    keep %0\n    halt\n}\n");
    let buffer = ["--buffer", "0.0=f32:1,2,3,4"];
    for (file, option, value, on) in [
        (&compute, "--register", "location0=1", "compute shaders"),
        (&compute, "--results", "1", "compute shaders"),
        (&compute, "--args", "u32:1", "compute shaders"),
        (&kernel, "--register", "location0=1", "IR kernels"),
        (&vertex, "--args", "u32:1", "vertex shaders"),
        (&vertex, "--groups", "2", "vertex shaders"),
        (&vertex, "--code", "a.s", "vertex shaders"),
        (&pica, "--push", "u32:1", "PICA200 programs"),
        (&pica, "--groups", "2", "PICA200 programs"),
        (&pica, "--texture", "0.0=r32f:1x1:f32:1", "PICA200 programs"),
        (&pica, "--image", "0.0=r32f:1x1:f32:1", "PICA200 programs"),
        (&pica, "--sampler", "0.0=linear", "PICA200 programs"),
        (&pica, "--expect", "0.0=u32:1", "PICA200 programs"),
        (&pica, "--dump", "0.0", "PICA200 programs"),
        (&pica, "--save", "0.0=x", "PICA200 programs"),
        (&pica, "--code", "a.s", "PICA200 programs"),
    ] {
        let words =
            [&["run", file, option, value][..], if file == &compute { &buffer[..] } else { &[] }].concat();
        fails(&words, b"", 2, &format!("error[AGX0001]: {option} has no effect on {on}"));
    }
    let with = |more: &[&'static str]| [&["run", &compute], &buffer[..], more].concat();
    fails(&with(&["--tolerance", "1"]), b"", 2, "--tolerance has no effect without --expect");
    for (option, value, kind) in [
        ("--buffer", "9.9=f32:1", "buffer"),
        ("--texture", "9.9=r32f:1x1:f32:1", "texture"),
        ("--image", "9.9=r32f:1x1:f32:1", "image"),
        ("--sampler", "9.9=linear", "sampler"),
    ] {
        let output = crate::harness::agxc(&with(&[option, value]));
        let warning = format!("warning[AGX0505]: the shader does not use the {kind} at 9.9\n");
        assert_eq!(output.status.code(), Some(0));
        assert!(crate::harness::stderr(&output).ends_with(&warning), "{}", crate::harness::stderr(&output));
    }
    fails(&with(&["--buffer", "0.1=f32:1", "--deny", "AGX0505"]), b"", 1, "error[AGX0505]");
    fails(&with(&["--push", "f32:1", "--deny", "505"]), b"", 1, "the shader does not use push constants");
    let attribute = ["run", &vertex, "--register", "location7=1", "--deny", "all"];
    fails(&attribute, b"", 1, "error[AGX0505]: the shader does not read location7");
}

/// A grid that would take years ends at once, unless a budget is given.
#[test]
fn grids_have_a_limit() {
    let folder = Folder::new("run-grid");
    let file = folder.file("double.wgsl", DOUBLE);
    let run = ["run", &file, "--buffer", "0.0=f32:1,2", "--groups"];
    let with = |groups: &'static str, more: &[&'static str]| [&run[..], &[groups], more].concat();
    let begin = std::time::Instant::now();
    let huge = "4000000000,4000000000,4000000000";
    let message = "error[AGX0403]: --groups: 64000000000000000000000000000 workgroups take too long; the limit is 1048576 unless --budget";
    fails(&with(huge, &[]), b"", 4, message);
    fails(&with("1048577", &[]), b"", 4, "the limit is 1048576");
    fails(&with(huge, &["--budget", "1000"]), b"", 4, "budget of 1000 instructions");
    assert!(begin.elapsed().as_secs() < 20);
    fails(&with("1,0,1", &[]), b"", 2, "--groups: expected numbers of at least 1, found `1,0,1`");
}

#[test]
fn fragment_shaders_are_refused_with_one_sentence() {
    let folder = Folder::new("run-fragment");
    let source = b"@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }\n";
    let file = folder.file("f.wgsl", source);
    fails(
        &["run", &file],
        b"",
        1,
        "error[AGX0101]: `run` supports compute and vertex shaders, not fragment shaders",
    );
}

/// A texel of each format whose channels are 1, in words: name, channels, type of the result, words.
const TEXELS: &[(&str, usize, &str, &str)] = &[
    ("r8", 1, "f32", "u8:255"),
    ("r8_snorm", 1, "f32", "i8:127"),
    ("r8ui", 1, "u32", "u8:1"),
    ("r8i", 1, "i32", "i8:1"),
    ("rg8", 2, "f32", "u8:255,255"),
    ("rg8_snorm", 2, "f32", "i8:127,127"),
    ("rg8ui", 2, "u32", "u8:1,1"),
    ("rg8i", 2, "i32", "i8:1,1"),
    ("rgba8", 4, "f32", "u8:255,255,255,255"),
    ("srgba8", 4, "f32", "u8:255,255,255,255"),
    ("rgba8_snorm", 4, "f32", "i8:127,127,127,127"),
    ("rgba8ui", 4, "u32", "u8:1,1,1,1"),
    ("rgba8i", 4, "i32", "i8:1,1,1,1"),
    ("r16", 1, "f32", "u16:65535"),
    ("r16_snorm", 1, "f32", "i16:32767"),
    ("r16ui", 1, "u32", "u16:1"),
    ("r16i", 1, "i32", "i16:1"),
    ("r16f", 1, "f32", "f16:1"),
    ("rg16", 2, "f32", "u16:65535,65535"),
    ("rg16_snorm", 2, "f32", "i16:32767,32767"),
    ("rg16ui", 2, "u32", "u16:1,1"),
    ("rg16i", 2, "i32", "i16:1,1"),
    ("rg16f", 2, "f32", "f16:1,1"),
    ("rgba16", 4, "f32", "u16:65535,65535,65535,65535"),
    ("rgba16_snorm", 4, "f32", "i16:32767,32767,32767,32767"),
    ("rgba16ui", 4, "u32", "u16:1,1,1,1"),
    ("rgba16i", 4, "i32", "i16:1,1,1,1"),
    ("rgba16f", 4, "f32", "f16:1,1,1,1"),
    ("r32ui", 1, "u32", "u32:1"),
    ("r32i", 1, "i32", "i32:1"),
    ("r32f", 1, "f32", "f32:1"),
    ("rg32ui", 2, "u32", "u32:1,1"),
    ("rg32i", 2, "i32", "i32:1,1"),
    ("rg32f", 2, "f32", "f32:1,1"),
    ("rgba32ui", 4, "u32", "u32:1,1,1,1"),
    ("rgba32i", 4, "i32", "i32:1,1,1,1"),
    ("rgba32f", 4, "f32", "f32:1,1,1,1"),
    ("rgb10_a2", 4, "f32", "u32:0xffffffff"),
    ("rgb10_a2ui", 4, "u32", "u32:0x40100401"),
    ("r11f_g11f_b10f", 3, "f32", "u32:0x781e03c0"),
];

#[test]
fn textures_of_every_format_are_read() {
    let folder = Folder::new("formats");
    for (name, channels, kind, words) in TEXELS {
        let source = format!(
            "@group(0) @binding(0) var t: texture_2d<{kind}>;\n\
            @group(0) @binding(1) var<storage, read_write> result: vec4<{kind}>;\n\
            @compute @workgroup_size(1) fn main() {{ result = textureLoad(t, vec2(0, 0), 0); }}\n"
        );
        let file = folder.file(&format!("{name}.wgsl"), source.as_bytes());
        // Channels that the format lacks are 0, and alpha is 1.
        let expected =
            [1, u8::from(*channels > 1), u8::from(*channels > 2), 1].map(|value| value.to_string());
        out(&[
            "run",
            &file,
            "--texture",
            &format!("0.0={name}:1x1:{words}"),
            "--buffer",
            "0.1=zero:16",
            "--expect",
            &format!("0.1={kind}:{}", expected.join(",")),
        ]);
    }
}

/// Textures of a kind: name, WGSL type, arguments of a load, size, and the number of texels.
const KINDS: &[(&str, &str, &str, &str, usize)] = &[
    ("1d", "texture_1d<u32>", "1, 0", "3", 3),
    ("2d", "texture_2d<u32>", "vec2(2, 1), 0", "3x2", 6),
    ("2d_array", "texture_2d_array<u32>", "vec2(0, 1), 2, 0", "3x2x3", 18),
    ("3d", "texture_3d<u32>", "vec3(2, 0, 1), 0", "3x2x2", 12),
];

/// Indices of the texels that the loads of `KINDS` read.
const READ: [usize; 4] = [1, 5, 15, 8];

#[test]
fn textures_of_every_kind_are_read_and_written() {
    let folder = Folder::new("kinds");
    for ((kind, ty, at, size, texels), read) in KINDS.iter().zip(READ) {
        let list: Vec<String> = (0..*texels).map(|texel| (texel + 10).to_string()).collect();
        let spec = format!("r32ui:{kind}:{size}:u32:{}", list.join(","));
        let source = format!(
            "@group(0) @binding(0) var t: {ty};\n\
            @group(0) @binding(1) var<storage, read_write> result: u32;\n\
            @compute @workgroup_size(1) fn main() {{ result = textureLoad(t, {at}).x; }}\n"
        );
        let file = folder.file(&format!("{kind}.wgsl"), source.as_bytes());
        let expected = format!("0.1=u32:{}", read + 10);
        out(&[
            "run",
            &file,
            "--texture",
            &format!("0.0={spec}"),
            "--buffer",
            "0.1=zero:4",
            "--expect",
            &expected,
        ]);
        let storage = ty.replace("texture", "texture_storage").replace("<u32>", "<r32uint, write>");
        let source = format!(
            "@group(0) @binding(0) var t: {storage};\n\
            @compute @workgroup_size(1) fn main() {{ textureStore(t, {}, vec4(7u)); }}\n",
            at.strip_suffix(", 0").unwrap()
        );
        let file = folder.file(&format!("{kind}-store.wgsl"), source.as_bytes());
        let mut stored = list.clone();
        stored[read] = "7".to_owned();
        out(&[
            "run",
            &file,
            "--image",
            &format!("0.0={spec}"),
            "--expect",
            &format!("0.0=u32:{}", stored.join(",")),
        ]);
    }
}

#[test]
fn faces_of_cubes_are_sampled() {
    let folder = Folder::new("cubes");
    for (kind, ty, layer, size) in
        [("cube", "texture_cube<f32>", "", "1x1"), ("cube_array", "texture_cube_array<f32>", "1, ", "1x1x2")]
    {
        let source = format!(
            "@group(0) @binding(0) var t: {ty};\n\
            @group(0) @binding(1) var s: sampler;\n\
            @group(0) @binding(2) var<storage, read_write> result: f32;\n\
            @compute @workgroup_size(1) fn main() {{ result = textureSampleLevel(t, s, vec3(0.0, -1.0, 0.0), {layer}0).x; }}\n"
        );
        let file = folder.file(&format!("{kind}.wgsl"), source.as_bytes());
        let faces = if layer.is_empty() { "1,2,3,4,5,6" } else { "0,0,0,0,0,0,1,2,3,4,5,6" };
        out(&[
            "run",
            &file,
            "--texture",
            &format!("0.0=r32f:{kind}:{size}:f32:{faces}"),
            "--sampler",
            "0.1=nearest",
            "--buffer",
            "0.2=zero:4",
            "--expect",
            "0.2=f32:4",
        ]);
    }
}

/// A kernel whose invocations each add their number to a texel of an image of three columns.
const ATOMICS: &str = "@group(0) @binding(0) var t: texture_storage_2d<r32uint, atomic>;\n\
    @compute @workgroup_size(3, 2) fn main(@builtin(local_invocation_id) id: vec3<u32>) {\n\
    textureAtomicAdd(t, id.xy, id.x + 3 * id.y); }\n";

#[test]
fn atomics_reach_the_texels_of_images_with_narrow_rows() {
    let folder = Folder::new("image-atomics");
    let file = folder.file("add.wgsl", ATOMICS.as_bytes());
    out(&["run", &file, "--image", "0.0=r32ui:3x2:u32:1,1,1,1,1,1", "--expect", "0.0=u32:1,2,3,4,5,6"]);
}

/// A TGSI kernel that adds the index of an element to each element of a texel buffer.
const TEXEL_BUFFER: &str = "COMP\n\
    PROPERTY CS_FIXED_BLOCK_WIDTH 4\n\
    PROPERTY CS_FIXED_BLOCK_HEIGHT 1\n\
    PROPERTY CS_FIXED_BLOCK_DEPTH 1\n\
    DCL SV[0], THREAD_ID\n\
    DCL IMAGE[0], BUFFER, PIPE_FORMAT_R32_UINT, WR\n\
    DCL TEMP[0]\n\
    LOAD TEMP[0], IMAGE[0], SV[0].xxxx, BUFFER, PIPE_FORMAT_R32_UINT\n\
    UADD TEMP[0], TEMP[0].xxxx, SV[0].xxxx\n\
    STORE IMAGE[0], SV[0].xxxx, TEMP[0].xxxx, BUFFER, PIPE_FORMAT_R32_UINT\n\
    END\n";

#[test]
fn texel_buffers_are_read_and_written() {
    let folder = Folder::new("texel-buffers");
    let file = folder.file("add.tgsi", TEXEL_BUFFER.as_bytes());
    // The fourth invocation is outside.
    out(&["run", &file, "--image", "2.0=r32ui:buffer:3:u32:5,6,7", "--expect", "2.0=u32:5,7,9"]);
}
