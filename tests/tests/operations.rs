//! Operations without cases in other suites, run on the machine with 64 invocations and compared with the host.

use std::sync::LazyLock;

use agx_compiler::{CompileKey, CompiledShader, Input};
use agx_tests::driver::{compile, launch, storage_buffer};
use agx_tests::outcome::Outcome;
use agx_tests::tools::Tools;

const LANES: u32 = 64;

/// Shared by all tests, because it numbers the files that it creates.
static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| Tools::find(std::env::temp_dir().join("agx-tests-operations")));

/// A shader with the buffers of words `input` and `results`, 64 invocations, and `i` the invocation's number.
fn source(extensions: &str, declarations: &str, body: &str) -> String {
    let extensions: String =
        extensions.split_whitespace().map(|name| format!("#extension {name} : require\n")).collect();
    format!(
        "#version 450\n{extensions}layout(local_size_x = {LANES}) in;
        layout(set = 0, binding = 0) buffer Input {{ uint given[]; }};
        layout(set = 0, binding = 1) buffer Results {{ uint results[]; }};
        {declarations}
        void main() {{ uint i = gl_LocalInvocationIndex; {body} }}\n"
    )
}

/// Compiles; `None` if glslang is not installed.
fn build(extensions: &str, declarations: &str, body: &str) -> Option<Result<CompiledShader, Outcome>> {
    let module = TOOLS.glsl_or_skip(&source(extensions, declarations, body), "comp", "vulkan1.3")?;
    let mut key = CompileKey::default();
    key.validate = true;
    Some(compile(Input::spirv(&module), &key))
}

/// Runs on `given` and returns the words of both buffers.
fn run(extensions: &str, declarations: &str, body: &str, given: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
    let shader = build(extensions, declarations, body)?.expect("compiles");
    let bytes = given.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut buffers =
        [storage_buffer(0, 0, bytes, true), storage_buffer(0, 1, vec![0; LANES as usize * 4], true)];
    launch(&shader, &mut buffers, &[], [1; 3], 0).expect("runs");
    let words =
        |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Some((words(&buffers[0].bytes), words(&buffers[1].bytes)))
}

/// Checks that the result of every invocation equals `expected`.
fn check(extensions: &str, declarations: &str, body: &str, given: &[u32], expected: impl Fn(u32) -> u32) {
    let Some((_, results)) = run(extensions, declarations, body, given) else { return };
    for (lane, result) in (0..LANES).zip(results) {
        assert_eq!(result, expected(lane), "lane {lane} of {body}");
    }
}

const HALVES: &str =
    "GL_EXT_shader_explicit_arithmetic_types GL_EXT_shader_16bit_storage GL_EXT_shader_atomic_float2";

fn half(number: f32) -> u32 {
    half::f16::from_f32(number).to_bits().into()
}

#[test]
fn atomics_on_half_floats_leave_the_other_half_alone() {
    let declarations = "layout(set = 0, binding = 0) buffer Halves { float16_t halves[]; };
        shared float16_t sums[2];";
    let body = "float16_t one = float16_t(1.0);
        if (i < 2u) sums[i] = float16_t(0.0);
        barrier();
        atomicAdd(halves[i & 1u], one);
        atomicAdd(sums[i & 1u], float16_t(2.0));
        atomicMax(halves[2], float16_t(i));
        atomicMin(halves[3], float16_t(i));
        float16_t old = atomicExchange(halves[4u + i], float16_t(i));
        barrier();
        results[i] = packFloat2x16(f16vec2(sums[i & 1u], old));";
    let mut given = vec![half(0.5) | half(100.0) << 16, half(-3.0) | half(9.0) << 16];
    given.extend((0..LANES / 2).map(|word| half(word as f32) | half(7.0) << 16));
    let Some((halves, results)) = run(HALVES, declarations, body, &given) else { return };
    assert_eq!(halves[0], half(32.5) | half(132.0) << 16);
    assert_eq!(halves[1], half(63.0) | half(0.0) << 16);
    for (lane, result) in (0..LANES).zip(results) {
        let old = if lane.is_multiple_of(2) { (lane / 2) as f32 } else { 7.0 };
        assert_eq!(result, half(64.0) | half(old) << 16, "lane {lane}");
        assert_eq!(halves[2 + lane as usize / 2] >> (16 * (lane % 2)) & 0xffff, half(lane as f32));
    }
}

/// Address of the first buffer in the launcher.
const FIRST_BUFFER: u64 = 1 << 32;

#[test]
fn addresses_are_followed_and_may_be_odd_halves() {
    let declarations = "layout(buffer_reference, std430, buffer_reference_align = 2) buffer Half { float16_t x; };
        layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { uint64_t next; uint value; };
        layout(set = 0, binding = 2) buffer Start { uint64_t start; uint64_t sum; };";
    let body = "Node node = Node(start);
        uint total = 0u;
        while (node.next != 0ul) { total += node.value; node = Node(node.next); }
        results[i] = total + (node + 1).value;
        atomicAdd(Half(sum).x, float16_t(1.0));";
    let extensions =
        format!("{HALVES} GL_EXT_buffer_reference GL_EXT_buffer_reference2 GL_EXT_buffer_reference_uvec2");
    let Some(shader) = build(&extensions, declarations, body) else { return };
    let shader = shader.expect("compiles");
    // Four nodes of 16 bytes; the third one ends the list, the sum is in the upper half of the fourth one's first word.
    let nodes: [(u64, u64); 4] = [(FIRST_BUFFER + 16, 5), (FIRST_BUFFER + 32, 70), (0, 900), (0, 1000)];
    let list =
        nodes.iter().flat_map(|(next, value)| [next.to_le_bytes(), value.to_le_bytes()].concat()).collect();
    let start = [FIRST_BUFFER, FIRST_BUFFER + 50].iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut buffers = [
        storage_buffer(0, 0, list, true),
        storage_buffer(0, 1, vec![0; LANES as usize * 4], true),
        storage_buffer(0, 2, start, false),
    ];
    launch(&shader, &mut buffers, &[], [1; 3], 0).expect("runs");
    assert!(buffers[1].bytes.as_chunks::<4>().0.iter().all(|word| u32::from_le_bytes(*word) == 1075));
    assert_eq!(buffers[0].bytes[48..52], (half(LANES as f32) << 16).to_le_bytes());
}

#[test]
fn what_the_machine_cannot_do_at_once_is_refused_with_the_reason() {
    let types = "GL_EXT_shader_explicit_arithmetic_types";
    let cases = [
        (
            format!("{types} GL_EXT_shader_atomic_int64"),
            "uint64_t x;",
            "atomicAdd(x, 1ul);",
            "32-bit words only",
        ),
        (
            format!("{types} GL_EXT_shader_atomic_float"),
            "double x;",
            "atomicAdd(x, 1.0LF);",
            "at most 32 bits",
        ),
    ];
    for (extensions, member, body, reason) in cases {
        let declarations = format!("layout(set = 0, binding = 2) buffer Wide {{ {member} }};");
        let Some(result) = build(&extensions, &declarations, body) else { return };
        let refused = matches!(&result, Err(Outcome::Unsupported(message)) if message.contains(reason));
        assert!(refused, "{body}: {result:?}");
    }
}

/// Lanes of the subgroup of `lane` whose number modulo 5 is the same, with even lanes only where `even`.
fn part(lane: u32, active: impl Fn(u32) -> bool) -> Vec<u32> {
    let start = lane / 32 * 32;
    (start..start + 32).filter(|other| active(*other) && other % 5 == lane % 5).collect()
}

#[test]
fn partitions_and_what_is_combined_in_them() {
    let extensions = "GL_NV_shader_subgroup_partitioned GL_KHR_shader_subgroup_basic";
    let mask = |lanes: Vec<u32>| lanes.iter().fold(0, |mask, lane| mask | 1 << (lane % 32));
    check(extensions, "", "results[i] = subgroupPartitionNV(i % 5u).x;", &[0], |lane| {
        mask(part(lane, |_| true))
    });
    check(
        extensions,
        "",
        "if (i % 3u != 0u) results[i] = subgroupPartitionNV(vec2(i % 5u, 1.0)).x;",
        &[0],
        |lane| {
            if lane % 3 == 0 { 0 } else { mask(part(lane, |other| other % 3 != 0)) }
        },
    );
    let body = "uvec4 parts = subgroupPartitionNV(i % 5u);
        results[i] = subgroupPartitionedAddNV(i, parts)
            + 10000u * subgroupPartitionedInclusiveAddNV(1u, parts)
            + 1000000u * subgroupPartitionedExclusiveAddNV(1u, parts);";
    check(extensions, "", body, &[0], |lane| {
        let before = part(lane, |other| other < lane).len() as u32;
        part(lane, |_| true).iter().sum::<u32>() + 10_000 * (before + 1) + 1_000_000 * before
    });
}

#[test]
fn only_operations_marked_precise_keep_their_roundings_apart() {
    let body = "float x = uintBitsToFloat(given[0]), y = uintBitsToFloat(given[1]), z = uintBitsToFloat(given[2]);
        precise float apart = x * y + z;
        float free = x * (y + float(i)) + z;
        vec2 v = vec2(x, z);
        precise float along = dot(v, vec2(y, 1.0));
        results[i] = i == 0u ? floatBitsToUint(apart) : i == 1u ? floatBitsToUint(along) : floatBitsToUint(free);";
    let (x, y, z) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON / 2.0, -1.0f32);
    assert_ne!(x * y + z, x.mul_add(y, z), "the numbers tell the difference");
    check("", "", body, &[x.to_bits(), y.to_bits(), z.to_bits()], |lane| match lane {
        0 | 1 => (x * y + z).to_bits(),
        _ => x.mul_add(y + lane as f32, z).to_bits(),
    });
}

/// The execution mode `mode` for 32 bits, which needs the capability `capability`.
fn float_control(capability: u32, mode: u32) -> String {
    format!(
        "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [{capability}], {mode}, 32);"
    )
}

#[test]
fn zeros_keep_their_signs_where_the_module_asks_for_it() {
    let body = "float x = uintBitsToFloat(given[0]);
        float zero = x * float(i);
        float root = sqrt(zero);
        float quotient = zero / (1.0 + float(i));
        results[i] = floatBitsToUint(i < 20u ? zero : i < 40u ? root : quotient);";
    let declarations = float_control(4466, 4461);
    let sign = (-0.0f32).to_bits();
    check("GL_EXT_spirv_intrinsics", &declarations, body, &[sign], |_| sign);
}

#[test]
fn functions_of_special_values_where_the_module_asks_for_them() {
    let body = "float x = uintBitsToFloat(given[i / 8u]), y = uintBitsToFloat(given[i % 8u]);
        float whole;
        float fraction = modf(x, whole);
        results[i] = floatBitsToUint(atan(x, y));
        given[8u + i] = floatBitsToUint(fraction);
        given[72u + i] = floatBitsToUint(sign(x));";
    let numbers = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 0.0, -1.0, 1.0, 2.5];
    let mut given: Vec<u32> = numbers.map(f32::to_bits).into();
    given.resize(8 + 2 * LANES as usize, 0);
    let declarations = float_control(4466, 4461);
    let Some((given, angles)) = run("GL_EXT_spirv_intrinsics", &declarations, body, &given) else { return };
    for lane in 0..LANES as usize {
        let (x, y) = (numbers[lane / 8], numbers[lane % 8]);
        let [angle, fraction, sign] =
            [angles[lane], given[8 + lane], given[8 + LANES as usize + lane]].map(f32::from_bits);
        let expected = x.atan2(y);
        let is_close =
            (angle - expected).abs() < 1e-5 && angle.is_sign_negative() == expected.is_sign_negative();
        assert!(
            is_close || (angle.is_nan() && expected.is_nan()),
            "atan2({x}, {y}) = {angle}, not {expected}"
        );
        let expected = if x.is_infinite() { 0.0f32.copysign(x) } else { x.fract().copysign(x) };
        assert!(
            fraction.to_bits() == expected.to_bits() || (x.is_nan() && fraction.is_nan()),
            "the fraction of {x} is {fraction}, not {expected}"
        );
        let is_sign = if x.is_nan() { sign.abs() <= 1.0 } else { sign == x.clamp(-1.0, 1.0).trunc() };
        assert!(is_sign, "the sign of {x} is {sign}");
    }
}

#[test]
fn float_modes_the_machine_does_not_have_are_refused() {
    let body = "results[i] = floatBitsToUint(uintBitsToFloat(given[i]) * 2.0);";
    // Flushing and rounding to nearest even are supported; preserving and truncating are not.
    for (capability, mode, is_supported) in
        [(4465, 4460, true), (4467, 4462, true), (4464, 4459, false), (4468, 4463, false)]
    {
        let Some(result) = build("GL_EXT_spirv_intrinsics", &float_control(capability, mode), body) else {
            return;
        };
        let as_wanted = match &result {
            Ok(_) => is_supported,
            Err(Outcome::Unsupported(message)) => !is_supported && message.contains("execution mode"),
            Err(_) => false,
        };
        assert!(as_wanted, "mode {mode}: {result:?}");
    }
}
