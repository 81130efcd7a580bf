//! OpenCL's kernels as clang compiles them, on the machine. The committed module is tested everywhere, and what an installed
//! clang makes of its source as well.

use std::process::{Command, Stdio};

use agx_abi::{ArgumentKind, KernelInfo};
use agx_compiler::{CompileKey, CompiledShader, Input};
use agx_emulator::launch::BufferBinding;
use agx_tests::driver::{compile, launch, storage_buffer};
use agx_tests::tools::Tools;

const SOURCE: &str = "tests/kernels/typical.cl";
const MODULE: &[u8] = include_bytes!("kernels/typical.spv");

/// Compilers that may produce modules: those from version 20 on do it without another program.
const COMPILERS: [&str; 4] = ["clang-22", "clang-21", "clang-20", "clang"];

/// The committed module, and those that an installed compiler makes with different effort.
#[expect(clippy::print_stderr, reason = "a test says what it skips")]
fn modules() -> Vec<Vec<u8>> {
    let folder = std::env::temp_dir().join("agx-tests-kernels");
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let tools = Tools::find(folder);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let made = |effort: &str| {
        COMPILERS.iter().find_map(|compiler| {
            let output = tools.scratch_path("spv");
            let mut command = Command::new(compiler);
            command.args(["-cl-std=CL3.0", "-target", "spirv64", effort, "-c", "-o"]).arg(&output);
            command
                .arg(format!("{source}{SOURCE}"))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command.status().ok().filter(std::process::ExitStatus::success)?;
            std::fs::read(output).ok()
        })
    };
    let made: Vec<Vec<u8>> = ["-O2", "-O0"].into_iter().filter_map(made).collect();
    if made.is_empty() {
        eprintln!(
            "skipped: no clang that makes SPIR-V is installed (package clang-22); the committed module is tested"
        );
    }
    [vec![MODULE.to_vec()], made].concat()
}

/// An argument.
enum Argument<'a> {
    Buffer(&'a [u8]),
    Value(&'a [u8]),
    Local(u32),
}

fn build(module: &[u8], entry: &str, size: [u32; 3]) -> CompiledShader {
    let mut key = CompileKey::default();
    key.entry_point = Some(entry.to_owned());
    key.workgroup_size = Some(size);
    key.validate = true;
    compile(Input::spirv(module), &key).unwrap_or_else(|outcome| panic!("{entry}: {outcome:?}"))
}

/// Runs a kernel; returns the contents of its buffers.
fn run(
    module: &[u8],
    entry: &str,
    (size, groups): ([u32; 3], [u32; 3]),
    arguments: &[Argument<'_>],
) -> Vec<Vec<u8>> {
    let mut shader = build(module, entry, size);
    let kernel = shader.info.kernel.clone().expect("a kernel");
    let mut block = vec![0; kernel.block_bytes as usize];
    let mut put = |offset: u32, bytes: &[u8]| block[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    let mut buffers: Vec<BufferBinding> = Vec::new();
    for ((index, argument), known) in (0..).zip(arguments).zip(&kernel.arguments) {
        match argument {
            Argument::Buffer(bytes) => buffers.push(storage_buffer(0, index, bytes.to_vec(), true)),
            Argument::Value(bytes) => put(known.offset, bytes),
            Argument::Local(bytes) => {
                let start = shader.info.local_bytes.next_multiple_of(agx_abi::kernel::LOCAL_ALIGN);
                shader.info.local_bytes = start + bytes;
                put(known.offset, &start.to_le_bytes());
            }
        }
    }
    implicit(&kernel, (size, groups), &mut put, &mut buffers);
    for seed in 0..2 {
        let mut buffers = buffers.clone();
        launch(&shader, &mut buffers, &block, groups, seed)
            .unwrap_or_else(|outcome| panic!("{entry}: {outcome:?}"));
        if seed == 1 {
            return buffers.into_iter().map(|buffer| buffer.bytes).collect();
        }
    }
    Vec::new()
}

/// What a driver provides.
fn implicit(
    kernel: &KernelInfo,
    (size, groups): ([u32; 3], [u32; 3]),
    put: &mut impl FnMut(u32, &[u8]),
    buffers: &mut Vec<BufferBinding>,
) {
    for argument in kernel.arguments.iter().filter(|argument| argument.kind.is_implicit()) {
        match argument.kind {
            ArgumentKind::GlobalSize => {
                let global: Vec<u8> = size
                    .iter()
                    .zip(groups)
                    .flat_map(|(size, groups)| (size * groups).to_le_bytes())
                    .collect();
                put(argument.offset, &global);
            }
            ArgumentKind::PrintfBuffer => {
                let mut bytes = vec![0; 1032];
                bytes[4..8].copy_from_slice(&1024u32.to_le_bytes());
                buffers.push(storage_buffer(0, argument.index, bytes, true));
            }
            _ => {}
        }
    }
}

fn ints(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_le_bytes).collect()
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Checks a buffer of every module's run.
#[track_caller]
fn check(
    entry: &str,
    sizes: ([u32; 3], [u32; 3]),
    arguments: &[Argument<'_>],
    (buffer, expected): (usize, &[u8]),
) {
    for (number, module) in modules().iter().enumerate() {
        let results = run(module, entry, sizes, arguments);
        assert_eq!(results[buffer], expected, "{entry} of module {number}");
    }
}

#[test]
fn values_beyond_the_number_stay() {
    let (a, b) = (floats((0..64).map(|i| i as f32)), floats((0..64).map(|i| i as f32 * 0.5)));
    let expected = floats((0..64).map(|i| if i < 50 { i as f32 * 1.5 } else { 0.0 }));
    let n = 50i32.to_le_bytes();
    let arguments =
        [Argument::Buffer(&a), Argument::Buffer(&b), Argument::Buffer(&[0; 256]), Argument::Value(&n)];
    check("add", ([32, 1, 1], [2, 1, 1]), &arguments, (2, &expected));
}

#[test]
fn workgroups_reduce_in_memory_of_which_the_host_gives_the_size() {
    let values = ints(1..129);
    let expected = ints([(1..65).sum(), (65..129).sum()]);
    let arguments = [Argument::Buffer(&values), Argument::Buffer(&[0; 8]), Argument::Local(256)];
    check("reduce", ([64, 1, 1], [2, 1, 1]), &arguments, (1, &expected));
}

#[test]
fn tiles_of_matrices_are_multiplied() {
    let (a, b) = (|y: i32, x: i32| (y * 3 + x) % 7 - 3, |y: i32, x: i32| (y + x * 5) % 5 - 2);
    let matrix = |of: fn(i32, i32) -> i32| floats((0..256).map(|i| of(i / 16, i % 16) as f32));
    let product = |i: i32| (0..16).map(|k| a(i / 16, k) * b(k, i % 16)).sum::<i32>() as f32;
    let (left, right, n) = (matrix(a), matrix(b), 16i32.to_le_bytes());
    let arguments = [
        Argument::Buffer(&left),
        Argument::Buffer(&right),
        Argument::Buffer(&[0; 1024]),
        Argument::Value(&n),
    ];
    check("multiply", ([8, 8, 1], [2, 2, 1]), &arguments, (2, &floats((0..256).map(product))));
}

#[test]
fn histograms_count_with_atomics() {
    let data: Vec<u8> = (0..500u32).map(|i| (i * i % 251) as u8).collect();
    let expected =
        ints((0..16).map(|bin| data.iter().filter(|value| *value & 15 == bin as u8).count() as i32));
    let n = 500i32.to_le_bytes();
    let arguments = [Argument::Buffer(&data), Argument::Buffer(&[0; 64]), Argument::Value(&n)];
    check("histogram", ([64, 1, 1], [2, 1, 1]), &arguments, (1, &expected));
}

#[test]
fn structures_have_the_layout_of_c() {
    // A vector of three floats takes the place of four, then a byte, padding, and three integers.
    let body = |position: [f32; 3], kind: u8, link: [i32; 3]| {
        [floats(position), vec![0; 4], vec![kind, 0, 0, 0], ints(link)].concat()
    };
    let one = body([1.0, 2.0, 3.0], 9, [7, 8, 9]);
    let before: Vec<u8> = (0..4).flat_map(|i| body([i as f32, 0.0, 1.0], 2, [10, 11, 12])).collect();
    let after: Vec<u8> = (0..4)
        .flat_map(|i| {
            let mut link = [10, 11, 12];
            link[(i as usize + 1) % 3] = [7, 8, 9][i as usize % 3];
            body([i as f32 + 2.0, 4.0, 7.0], 2, link)
        })
        .collect();
    check("bodies", ([4, 1, 1], [1, 1, 1]), &[Argument::Value(&one), Argument::Buffer(&before)], (0, &after));
}

#[test]
fn generic_pointers_reach_global_local_and_private_memory() {
    let data: Vec<i32> = (0..32).map(|i| i * 7 % 30).collect();
    let expected = ints((0..32).map(|i: i32| {
        let value = data[i as usize];
        let own = |k: i32| k % 24 * i;
        let pointee = match i % 3 {
            0 => value,
            1 => 1000 + i,
            _ => own(value),
        };
        pointee + own(value + 5)
    }));
    let arguments = [Argument::Buffer(&ints(data.clone())), Argument::Local(64)];
    check("memories", ([16, 1, 1], [2, 1, 1]), &arguments, (0, &expected));
}

#[test]
fn workgroups_scan_across_their_subgroups() {
    let mut sum = 0;
    let expected = ints((0..80).map(|i| {
        sum += i;
        sum + 10000
    }));
    let arguments = [Argument::Buffer(&ints(0..80)), Argument::Buffer(&[0; 320])];
    check("scan", ([80, 1, 1], [1, 1, 1]), &arguments, (1, &expected));
}

#[test]
fn calls_of_printf_leave_records() {
    let data = floats([0.5, 1.5]);
    for module in modules() {
        let buffers = run(&module, "print", ([2, 1, 1], [1, 1, 1]), &[Argument::Buffer(&data)]);
        let kernel = build(&module, "print", [2, 1, 1]).info.kernel.expect("a kernel");
        assert_eq!(kernel.formats[0].text, b"%d: %.1f %s\n");
        assert_eq!(kernel.formats[0].sizes, [4, 8, 4]);
        let words: Vec<u32> =
            buffers[1].as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words[..2], [40, 1024]);
        let mut records: Vec<&[u32]> = words[2..12].chunks(5).collect();
        records.sort_unstable();
        let half = 0.5f64.to_bits();
        assert_eq!(records[0][..4], [0, 0, half as u32, (half >> 32) as u32]);
        assert_eq!(records[1][1], 1);
    }
}
