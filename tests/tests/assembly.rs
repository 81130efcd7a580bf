//! Features that no shader language can express, written in SPIR-V assembly and run on the strict machine.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]

use std::sync::LazyLock;

use agx_abi::fragment::CoefficientSource;
use agx_abi::{PartRole, Stage};
use agx_compiler::{CompileKey, CompiledShader, Input};
use agx_emulator::launch::textures::{
    Dimension, Format, SamplerResource, SamplerState, Shape, TextureResource,
};
use agx_isa::Opcode;
use agx_isa::disasm::{Line, Piece, disassemble};
use agx_tests::driver::{Resources, compile, launch_with, storage_buffer};
use agx_tests::tools::{ToolError, Tools};

/// Shared by all tests, because it numbers the files that it creates.
static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| Tools::find(std::env::temp_dir().join("agx-tests-assembly")));

/// The beginning of compute modules: buffer %data of words at (0, 0), pointers to its words of type %ptr.
const TYPES: &str = "
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
    %void = OpTypeVoid
    %thunk = OpTypeFunction %void
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %float = OpTypeFloat 32
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %blocks = OpTypePointer StorageBuffer %block
    %ptr = OpTypePointer StorageBuffer %uint
    %data = OpVariable %blocks StorageBuffer
";

/// The parts of a compute module besides its body.
#[derive(Default)]
struct Parts<'t> {
    capabilities: &'t str,
    decorations: &'t str,
    declarations: &'t str,
    body: &'t str,
}

impl Parts<'_> {
    /// The text: `#n` is the constant n of type %uint.
    fn text(&self) -> String {
        let mut constants: Vec<u32> = self
            .body
            .split_whitespace()
            .chain(self.declarations.split_whitespace())
            .filter_map(|token| token.strip_prefix('#')?.parse().ok())
            .collect();
        constants.sort_unstable();
        constants.dedup();
        let constants: String =
            constants.iter().map(|number| format!("%c{number} = OpConstant %uint {number}\n")).collect();
        let capabilities: String =
            self.capabilities.split_whitespace().map(|name| format!("OpCapability {name}\n")).collect();
        let named = |text: &str| text.replace('#', "%c");
        format!(
            "OpCapability Shader\n{capabilities}%glsl = OpExtInstImport \"GLSL.std.450\"\n\
             OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
             OpExecutionMode %main LocalSize 1 1 1\n{}{TYPES}{constants}{}\n\
             %main = OpFunction %void None %thunk\n%entry = OpLabel\n{}\nOpReturn\nOpFunctionEnd\n",
            self.decorations,
            named(self.declarations),
            named(self.body)
        )
    }
}

/// Compiles; `None` if spirv-as is not installed.
fn build(text: &str, stage: Stage) -> Option<CompiledShader> {
    let module = match TOOLS.assemble_spirv(text) {
        Ok(module) => module,
        Err(error @ ToolError::Absent { .. }) => {
            eprintln!("skipped: {error}");
            return None;
        }
        Err(error) => panic!("{error}\n{text}"),
    };
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(stage));
    Some(compile(Input::spirv(&module), &key).unwrap_or_else(|outcome| panic!("{outcome:?}\n{text}")))
}

/// Runs one invocation on `given`; returns the resulting words.
fn run_with(
    parts: &Parts<'_>,
    given: &[u32],
    textures: &mut [TextureResource],
    samplers: &[SamplerResource],
) -> Option<Vec<u32>> {
    let shader = build(&parts.text(), Stage::Compute)?;
    let bytes = given.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut buffers = [storage_buffer(0, 0, bytes, true)];
    let resources = Resources { buffers: &mut buffers, textures, samplers, ..Resources::default() };
    launch_with(&shader, resources, [1; 3], 1).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    Some(buffers[0].bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

fn check(parts: &Parts<'_>, given: &[u32], expected: &[u32]) {
    if let Some(words) = run_with(parts, given, &mut [], &[]) {
        assert_eq!(words[..expected.len()], *expected, "{}", parts.body);
    }
}

/// Loads words 0 to `count - 1` as %w0, %w1, ….
fn loads(count: u32) -> String {
    (0..count)
        .map(|at| format!("%a{at} = OpAccessChain %ptr %data #0 #{at}\n%w{at} = OpLoad %uint %a{at}\n"))
        .collect()
}

/// Saturates `exact` to integers of `bits` bits, and truncates it.
fn saturated(exact: i128, bits: u32, signed: bool) -> u64 {
    let (low, high) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let clamped = exact.clamp(low, high) as u64;
    if bits == 64 { clamped } else { clamped & ((1 << bits) - 1) }
}

/// A saturating dot product of two vectors of two components of `bits` bits and an accumulator with the same width.
fn saturating_dot(op: &str, bits: u32, operands: [i64; 4], accumulator: i64) {
    let (first, second) = match op {
        "OpUDotAccSat" => (false, false),
        "OpSDotAccSat" => (true, true),
        _ => (true, false),
    };
    let number = |value: i64, signed: bool| match (signed, bits) {
        (true, _) => i128::from(value),
        (false, 64) => i128::from(value as u64),
        (false, _) => i128::from(value as u64 & ((1 << bits) - 1)),
    };
    let [a, b, c, d] = operands;
    let dot = number(a, first) * number(c, second) + number(b, first) * number(d, second);
    let expected = saturated(dot + number(accumulator, first), bits, first);
    let load = |name: &str, at: u32| {
        format!(
            "%p{name} = OpAccessChain %ptr %data #0 #{at}\n%l{name} = OpLoad %uint %p{name}\n\
             %q{name} = OpAccessChain %ptr %data #0 #{}\n%h{name} = OpLoad %uint %q{name}\n\
             %v{name} = OpCompositeConstruct %pair %l{name} %h{name}\n\
             %s{name} = OpBitcast %long %v{name}\n%x{name} = {} %s{name}\n",
            at + 1,
            if bits == 64 { "OpCopyObject %part".to_owned() } else { "OpUConvert %part".to_owned() }
        )
    };
    let body = format!(
        "{}{}{}{}{}%left = OpCompositeConstruct %parts %x0 %x1\n%right = OpCompositeConstruct %parts %x2 %x3\n\
         %r = {op} %part %left %right %x4\n%rl = {} %r\n%rp = OpBitcast %pair %rl\n\
         %r0 = OpCompositeExtract %uint %rp 0\n%r1 = OpCompositeExtract %uint %rp 1\n\
         OpStore %p0 %r0\nOpStore %q0 %r1\n",
        load("0", 0),
        load("1", 2),
        load("2", 4),
        load("3", 6),
        load("4", 8),
        if bits == 64 { "OpCopyObject %long" } else { "OpUConvert %long" }
    );
    let declarations = format!(
        "%pair = OpTypeVector %uint 2\n%long = OpTypeInt 64 0\n{}%parts = OpTypeVector %part 2\n",
        if bits == 64 { String::new() } else { format!("%part = OpTypeInt {bits} 0\n") }
    );
    let rename = |text: &str| if bits == 64 { text.replace("%part ", "%long ") } else { text.to_owned() };
    let parts = Parts {
        capabilities: "Int8 Int16 Int64 DotProduct DotProductInputAll",
        declarations: &rename(&declarations),
        body: &rename(&body),
        ..Parts::default()
    };
    let given: Vec<u32> =
        [a, b, c, d, accumulator].iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]).collect();
    if let Some(words) = run_with(&parts, &given, &mut [], &[]) {
        let got = u64::from(words[0]) | u64::from(words[1]) << 32;
        assert_eq!(got, expected, "{op} of {bits} bits: {operands:?} + {accumulator}");
    }
}

#[test]
fn dot_products_of_every_width_saturate() {
    for (bits, high) in [(8, 0x7f_i64), (16, 0x7fff), (32, 0x7fff_ffff), (64, i64::MAX)] {
        for op in ["OpSDotAccSat", "OpUDotAccSat", "OpSUDotAccSat"] {
            // The sum of the products itself must not overflow, because the result would be undefined.
            saturating_dot(op, bits, [3, 2, 5, 7], 11);
            saturating_dot(op, bits, [3, 2, 5, 7], high - 1);
            saturating_dot(op, bits, [1, 0, high, 9], high);
        }
        saturating_dot("OpUDotAccSat", bits, [1, 1, high, 1], high.wrapping_mul(2));
        saturating_dot("OpSDotAccSat", bits, [-1, -2, 3, 4], -high);
        saturating_dot("OpSUDotAccSat", bits, [-1, -2, 3, 4], -high);
        saturating_dot("OpSDotAccSat", bits, [-1, 0, 3, 4], 5);
    }
}

#[test]
fn dot_products_have_wider_results_than_their_operands() {
    let body = format!(
        "{}%l = OpCompositeConstruct %pair %w0 %w1\n%r = OpCompositeConstruct %pair %w2 %w3\n\
         %u = OpUDot %long %l %r\n%s = OpSDot %long %l %r\n%m = OpSUDot %long %l %r\n{}",
        loads(6),
        ["u", "s", "m"]
            .iter()
            .enumerate()
            .map(|(at, name)| format!(
                "%{name}p = OpBitcast %pair %{name}\n%{name}0 = OpCompositeExtract %uint %{name}p 0\n\
                 %{name}1 = OpCompositeExtract %uint %{name}p 1\nOpStore %a{} %{name}0\nOpStore %a{} %{name}1\n",
                2 * at,
                2 * at + 1
            ))
            .collect::<String>()
    );
    let parts = Parts {
        capabilities: "Int64 DotProduct DotProductInputAll",
        declarations: "%pair = OpTypeVector %uint 2\n%long = OpTypeInt 64 0\n",
        body: &body,
        ..Parts::default()
    };
    let given = [0xffff_fffe_u32, 7, 0xffff_fff0, 3, 0, 0];
    let (a, c) = (0xffff_fffe_u64, 0xffff_fff0_u64);
    let results =
        [a.wrapping_mul(c).wrapping_add(21), (-2_i64 * -16 + 21) as u64, (-2_i64 * c as i64 + 21) as u64];
    let expected: Vec<u32> = results.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
    check(&parts, &given, &expected);
}

#[test]
fn bits_of_64_bit_integers_are_found() {
    let body = format!(
        "{}%v = OpCompositeConstruct %pair %w0 %w1\n%x = OpBitcast %long %v\n%y = OpBitcast %slong %v\n\
         %l = OpExtInst %long %glsl FindILsb %x\n%u = OpExtInst %long %glsl FindUMsb %x\n\
         %s = OpExtInst %slong %glsl FindSMsb %y\n%l32 = OpUConvert %uint %l\n%u32 = OpUConvert %uint %u\n\
         %s32 = OpUConvert %uint %s\nOpStore %a0 %l32\nOpStore %a1 %u32\nOpStore %a2 %s32\n",
        loads(3)
    );
    let parts = Parts {
        capabilities: "Int64",
        declarations: "%pair = OpTypeVector %uint 2\n%long = OpTypeInt 64 0\n%slong = OpTypeInt 64 1\n",
        body: &body,
        ..Parts::default()
    };
    const NONE: u32 = u32::MAX;
    for (number, expected) in [
        (0_u64, [NONE, NONE, NONE]),
        (u64::MAX, [0, 63, NONE]),
        (1 << 40, [40, 40, 40]),
        (0x50, [4, 6, 6]),
        ((1 << 63) | (1 << 33), [33, 63, 62]),
        (0xffff_fff0_0000_0000, [36, 63, 35]),
    ] {
        check(&parts, &[number as u32, (number >> 32) as u32, 0], &expected);
    }
}

#[test]
fn pointers_are_kept_in_variables_and_chosen() {
    let body = format!(
        "%kept = OpVariable %keeper Function %first\n{}%which = OpINotEqual %bool %w0 #0\n\
         OpSelectionMerge %end None\nOpBranchConditional %which %other %end\n\
         %other = OpLabel\nOpStore %kept %a2\nOpBranch %end\n%end = OpLabel\n\
         %there = OpLoad %ptr %kept\n%x = OpLoad %uint %there\n%y = OpIAdd %uint %x #5\nOpStore %there %y\n",
        loads(3)
    );
    // The first value of the variable is a pointer to another variable of the module.
    let parts = Parts {
        capabilities: "VariablePointersStorageBuffer VariablePointers",
        decorations: "OpDecorate %word Block\nOpMemberDecorate %word 0 Offset 0\nOpDecorate %beside DescriptorSet 0\n\
                      OpDecorate %beside Binding 0\n",
        declarations: "%keeper = OpTypePointer Function %ptr\n%word = OpTypeStruct %uint\n\
                       %word_ptr = OpTypePointer StorageBuffer %word\n%beside = OpVariable %word_ptr StorageBuffer\n",
        body: &body
            .replace("Function %first", "Function")
            .replace("%which =", "%first = OpAccessChain %ptr %beside #0\nOpStore %kept %first\n%which ="),
    };
    check(&parts, &[0, 20, 30], &[5, 20, 30]);
    check(&parts, &[1, 20, 30], &[1, 20, 35]);
}

/// A texture of 4 × 4 texels whose red component is 1 + x + 10 y, times `factor`.
fn grid(binding: u32, element: u32, factor: f32) -> TextureResource {
    let texel = |at: u32| [(1 + at % 4 + 10 * (at / 4)) as f32 * factor, 0.0, 0.0, 1.0];
    let bytes = (0..16).flat_map(texel).flat_map(f32::to_le_bytes).collect();
    let shape = Shape::new(Dimension::Plane, Format::RGBA32F, [4, 4, 1]);
    let mut buffer = storage_buffer(0, binding, bytes, false);
    buffer.element = element;
    TextureResource { buffer, shape, storage: false }
}

const SAMPLED: &str = "%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%sampled = OpTypeSampledImage %image\n\
    %vec2 = OpTypeVector %float 2\n%vec4 = OpTypeVector %float 4\n%ivec2 = OpTypeVector %int 2\n\
    %half = OpConstant %float 0.5\n%zero = OpConstant %float 0\n%centre = OpConstantComposite %vec2 %half %half\n";

#[test]
fn gathers_take_offsets_that_are_computed() {
    let body = format!(
        "{}%o = OpBitcast %int %w0\n%one = OpBitcast %int %w1\n%none = OpBitcast %int %w2\n\
         %oa = OpCompositeConstruct %ivec2 %o %none\n%ob = OpCompositeConstruct %ivec2 %one %one\n\
         %oc = OpCompositeConstruct %ivec2 %none %none\n%od = OpCompositeConstruct %ivec2 %o %o\n\
         %all = OpCompositeConstruct %offsets %oa %ob %oc %od\n%t = OpLoad %sampled %texture\n\
         %r = OpImageGather %vec4 %t %centre #0 Offsets %all\n{}",
        loads(4),
        (0..4)
            .map(|at| format!(
                "%f{at} = OpCompositeExtract %float %r {at}\n%i{at} = OpConvertFToU %uint %f{at}\nOpStore %a{at} %i{at}\n"
            ))
            .collect::<String>()
    );
    let parts = Parts {
        capabilities: "ImageGatherExtended",
        decorations: "OpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 1\n",
        declarations: &format!(
            "{SAMPLED}%offsets = OpTypeArray %ivec2 #4\n%textures = OpTypePointer UniformConstant %sampled\n\
             %texture = OpVariable %textures UniformConstant\n"
        ),
        body: &body,
    };
    let sampler = SamplerResource { set: 0, binding: 1, element: 0, state: SamplerState::default() };
    let given = [-1_i32 as u32, 1, 0, 0];
    let Some(words) = run_with(&parts, &given, &mut [grid(1, 0, 1.0)], &[sampler]) else { return };
    // Texel (1, 1) is the first of the four around the centre.
    let texel = |x: u32, y: u32| 1 + x + 10 * y;
    assert_eq!(words, [texel(0, 1), texel(2, 2), texel(1, 1), texel(0, 0)]);
}

#[test]
fn arrays_of_descriptors_are_loaded_and_passed_whole() {
    let body = format!(
        "{}%all = OpLoad %several %textures\n%copy = OpCopyObject %several %all\n\
         %t = OpCompositeExtract %image %copy 1\n%at = OpCompositeConstruct %ivec2 %w0 %w0\n\
         %r = OpImageFetch %vec4 %t %at\n%f = OpCompositeExtract %float %r 0\n%i = OpConvertFToU %uint %f\n\
         OpStore %a0 %i\n",
        loads(1)
    )
    .replace("%at = OpCompositeConstruct %ivec2", "%at = OpCompositeConstruct %uvec2");
    let parts = Parts {
        decorations: "OpDecorate %textures DescriptorSet 0\nOpDecorate %textures Binding 1\n",
        declarations: &format!(
            "{SAMPLED}%uvec2 = OpTypeVector %uint 2\n%several = OpTypeArray %image #2\n\
             %arrays = OpTypePointer UniformConstant %several\n%textures = OpVariable %arrays UniformConstant\n"
        ),
        body: &body,
        ..Parts::default()
    };
    let mut textures = [grid(1, 0, 1.0), grid(1, 1, 2.0)];
    let Some(words) = run_with(&parts, &[2], &mut textures, &[]) else { return };
    assert_eq!(words, [2 * (1 + 2 + 20)]);
}

#[test]
fn clip_distances_are_interpolated_at_offsets() {
    let text = "OpCapability Shader\nOpCapability ClipDistance\nOpCapability InterpolationFunction\n\
        %glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n\
        OpEntryPoint Fragment %main \"main\" %clip %out\nOpExecutionMode %main OriginUpperLeft\n\
        OpDecorate %clip BuiltIn ClipDistance\nOpDecorate %out Location 0\n\
        %void = OpTypeVoid\n%thunk = OpTypeFunction %void\n%float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n\
        %two = OpConstant %uint 2\n%one = OpConstant %uint 1\n%pair = OpTypeArray %float %two\n\
        %vec2 = OpTypeVector %float 2\n%half = OpConstant %float 0.25\n%at = OpConstantComposite %vec2 %half %half\n\
        %in = OpTypePointer Input %pair\n%element = OpTypePointer Input %float\n%to = OpTypePointer Output %float\n\
        %clip = OpVariable %in Input\n%out = OpVariable %to Output\n\
        %main = OpFunction %void None %thunk\n%entry = OpLabel\n%p = OpAccessChain %element %clip %one\n\
        %x = OpExtInst %float %glsl InterpolateAtOffset %p %at\nOpStore %out %x\nOpReturn\nOpFunctionEnd\n";
    let Some(shader) = build(text, Stage::Fragment) else { return };
    let read = &shader.info.fragment.coefficients;
    assert!(read.contains(&CoefficientSource::ClipDistance(1)), "{read:?}");
    assert!(!read.contains(&CoefficientSource::ClipDistance(0)), "{read:?}");
}

/// Every operation on integers that Vulkan allows for specialization constants, with its result for 100 and 7.
const SPECIALIZED: &[(&str, i64)] = &[
    ("SNegate %whole %a", -100),
    ("Not %whole %a", !100),
    ("IAdd %whole %a %b", 107),
    ("ISub %whole %b %a", -93),
    ("IMul %whole %a %b", 700),
    ("UDiv %whole %a %b", 14),
    ("SDiv %whole %a %b", 14),
    ("UMod %whole %a %b", 2),
    ("SRem %whole %a %b", 2),
    ("SMod %whole %a %b", 2),
    ("ShiftRightLogical %whole %a %b", 0),
    ("ShiftRightArithmetic %whole %a %b", 0),
    ("ShiftLeftLogical %whole %b %b", 896),
    ("BitwiseOr %whole %a %b", 103),
    ("BitwiseXor %whole %a %b", 99),
    ("BitwiseAnd %whole %a %b", 4),
    ("Select %whole %yes %a %b", 100),
    ("CompositeExtract %whole %both 1", 7),
];

/// Comparisons of 100 with 7 and operations on true and false.
const SPECIALIZED_BOOLEANS: &[(&str, bool)] = &[
    ("IEqual %bool %a %b", false),
    ("INotEqual %bool %a %b", true),
    ("ULessThan %bool %a %b", false),
    ("SLessThan %bool %a %b", false),
    ("UGreaterThan %bool %a %b", true),
    ("SGreaterThan %bool %a %b", true),
    ("ULessThanEqual %bool %a %b", false),
    ("SLessThanEqual %bool %a %b", false),
    ("UGreaterThanEqual %bool %a %b", true),
    ("SGreaterThanEqual %bool %a %b", true),
    ("LogicalOr %bool %yes %no", true),
    ("LogicalAnd %bool %yes %no", false),
    ("LogicalNot %bool %no", true),
    ("LogicalEqual %bool %yes %no", false),
    ("LogicalNotEqual %bool %yes %no", true),
];

#[test]
fn operations_on_specialization_constants_fold_in_every_width() {
    for bits in [8_u32, 16, 32, 64] {
        let (mut declarations, mut body) = (String::new(), String::new());
        if bits != 64 {
            declarations += "%long = OpTypeInt 64 0\n";
        }
        let whole = match bits {
            32 => "%uint",
            64 => "%long",
            _ => "%whole",
        };
        if bits != 32 {
            declarations += &format!("{whole} = OpTypeInt {bits} 0\n");
        }
        declarations += "%pair = OpTypeVector %uint 2\n%both_type = OpTypeVector %whole 2\n\
            %a = OpSpecConstant %whole 100\n%b = OpSpecConstant %whole 7\n\
            %yes = OpSpecConstantTrue %bool\n%no = OpSpecConstantFalse %bool\n\
            %both = OpSpecConstantComposite %both_type %a %b\n";
        let mut expected = Vec::new();
        for (at, (operation, value)) in SPECIALIZED.iter().enumerate() {
            let (name, rest) = operation.split_once(' ').expect("an operation");
            let (ty, operands) = rest.split_once(' ').expect("a type");
            declarations += &format!("%r{at} = OpSpecConstantOp {ty} {name} {operands}\n");
            let wide = if bits == 64 { "OpCopyObject" } else { "OpUConvert" };
            body += &format!(
                "%x{at} = {wide} %long %r{at}\n%y{at} = OpBitcast %pair %x{at}\n\
                 %l{at} = OpCompositeExtract %uint %y{at} 0\n%h{at} = OpCompositeExtract %uint %y{at} 1\n\
                 %p{at} = OpAccessChain %ptr %data #0 #{}\n%q{at} = OpAccessChain %ptr %data #0 #{}\n\
                 OpStore %p{at} %l{at}\nOpStore %q{at} %h{at}\n",
                2 * at,
                2 * at + 1
            );
            let number = *value as u64 & (u64::MAX >> (64 - bits));
            expected.extend([number as u32, (number >> 32) as u32]);
        }
        for (at, (operation, value)) in SPECIALIZED_BOOLEANS.iter().enumerate() {
            let (name, operands) = operation.split_once(" %bool ").expect("a boolean operation");
            declarations += &format!("%t{at} = OpSpecConstantOp %bool {name} {operands}\n");
            body += &format!(
                "%u{at} = OpSelect %uint %t{at} #1 #0\n%v{at} = OpAccessChain %ptr %data #0 #{}\nOpStore %v{at} %u{at}\n",
                expected.len()
            );
            expected.push(u32::from(*value));
        }
        let parts = Parts {
            capabilities: "Int8 Int16 Int64",
            declarations: &declarations.replace("%whole ", &format!("{whole} ")),
            body: &body,
            ..Parts::default()
        };
        check(&parts, &vec![0; expected.len()], &expected);
    }
}

/// An opcode, and whether it is true if the first operand is less, equal, greater, or the two are unordered.
type Comparison = (&'static str, [bool; 4]);

const COMPARISONS: [Comparison; 12] = [
    ("OpFOrdEqual", [false, true, false, false]),
    ("OpFUnordEqual", [false, true, false, true]),
    ("OpFOrdNotEqual", [true, false, true, false]),
    ("OpFUnordNotEqual", [true, false, true, true]),
    ("OpFOrdLessThan", [true, false, false, false]),
    ("OpFUnordLessThan", [true, false, false, true]),
    ("OpFOrdGreaterThan", [false, false, true, false]),
    ("OpFUnordGreaterThan", [false, false, true, true]),
    ("OpFOrdLessThanEqual", [true, true, false, false]),
    ("OpFUnordLessThanEqual", [true, true, false, true]),
    ("OpFOrdGreaterThanEqual", [false, true, true, false]),
    ("OpFUnordGreaterThanEqual", [false, true, true, true]),
];

#[test]
fn float_comparisons_are_ordered_or_not() {
    let pairs = [
        (1.0, 2.0),
        (2.0, 2.0),
        (-0.0, 0.0),
        (3.0, 2.0),
        (f32::NAN, 2.0),
        (2.0, f32::NAN),
        (f32::NAN, f32::NAN),
    ];
    let case_of = |(a, b): (f32, f32)| match a.partial_cmp(&b) {
        Some(order) => (order as i8 + 1) as usize,
        None => 3,
    };
    for (opcode, holds) in COMPARISONS {
        let body = format!(
            "%pa = OpAccessChain %ptr %data #0 #0\n%pb = OpAccessChain %ptr %data #0 #1\n\
             %wa = OpLoad %uint %pa\n%wb = OpLoad %uint %pb\n\
             %a = OpBitcast %float %wa\n%b = OpBitcast %float %wb\n\
             %holds = {opcode} %bool %a %b\n%word = OpSelect %uint %holds #1 #0\n\
             %pr = OpAccessChain %ptr %data #0 #2\nOpStore %pr %word"
        );
        let parts = Parts { body: &body, ..Parts::default() };
        for pair in pairs {
            let given = [pair.0.to_bits(), pair.1.to_bits(), 7];
            check(&parts, &given, &[given[0], given[1], u32::from(holds[case_of(pair)])]);
        }
    }
}

#[test]
fn the_sign_of_a_zero_or_nan_is_the_operand_itself() {
    let body = "%p = OpAccessChain %ptr %data #0 #0\n%w = OpLoad %uint %p\n%a = OpBitcast %float %w\n\
                %s = OpExtInst %float %glsl FSign %a\n%r = OpBitcast %uint %s\nOpStore %p %r";
    let parts = Parts { body, ..Parts::default() };
    let smallest = f32::MIN_POSITIVE;
    for (given, expected) in
        [(7.5, 1.0), (smallest, 1.0), (-smallest, -1.0), (f32::NEG_INFINITY, -1.0), (0.0, 0.0), (-0.0, -0.0)]
    {
        check(&parts, &[f32::to_bits(given)], &[f32::to_bits(expected)]);
    }
    let Some(words) = run_with(&parts, &[f32::NAN.to_bits()], &mut [], &[]) else { return };
    assert!(f32::from_bits(words[0]).is_nan(), "{:x}", words[0]);
}

#[test]
fn products_and_sums_without_contraction_are_rounded_one_by_one() {
    // (1 + 2⁻¹²)² − (1 + 2⁻¹¹) is 2⁻²⁴, which rounding the product loses.
    let near = 1.0 + f32::powi(2.0, -12);
    let given = [near.to_bits(), (-1.0 - f32::powi(2.0, -11)).to_bits()];
    let body = loads(2)
        + "%a = OpBitcast %float %w0\n%b = OpBitcast %float %w1\n\
           %product = OpFMul %float %a %a\n%sum = OpFAdd %float %product %b\n\
           %r = OpBitcast %uint %sum\nOpStore %a0 %r";
    for decorated in ["product", "sum"] {
        let decorations = format!("OpDecorate %{decorated} NoContraction\n");
        check(&Parts { body: &body, decorations: &decorations, ..Parts::default() }, &given, &[0]);
    }
    let fused = f32::powi(2.0, -24).to_bits();
    check(&Parts { body: &body, ..Parts::default() }, &given, &[fused]);
}

#[test]
fn atomic_loads_of_one_word_are_done_one_by_one() {
    let body = "%a0 = OpAccessChain %ptr %data #0 #0\n%a1 = OpAccessChain %ptr %data #0 #1\n\
                %x = OpAtomicLoad %uint %a0 #1 #0\n%y = OpAtomicLoad %uint %a0 #1 #0\n\
                %s = OpIAdd %uint %x %y\nOpStore %a1 %s";
    let parts = Parts { body, ..Parts::default() };
    let Some(shader) = build(&parts.text(), Stage::Compute) else { return };
    let main = shader.part(PartRole::Main).expect("a main part");
    let is_load = |line: &Line| matches!(&line.piece, Piece::Inst(inst) if inst.op == Opcode::Load);
    let loads = disassemble(main).iter().filter(|line| is_load(line)).count();
    assert_eq!(loads, 2, "another invocation may store between them");
    check(&parts, &[3, 0], &[3, 6]);
}

/// Three arrays of 1,100 words in the buffer, %a, %b and %c.
const ARRAYS: &str = "%list = OpTypeArray %uint #1100\n%lists = OpTypeStruct %list %list %list\n\
    %lists_ptr = OpTypePointer StorageBuffer %lists\n%list_ptr = OpTypePointer StorageBuffer %list\n\
    %all = OpVariable %lists_ptr StorageBuffer\n%own_list = OpTypePointer Function %list\n";

const ARRAY_LAYOUT: &str = "OpDecorate %list ArrayStride 4\nOpDecorate %lists Block\n\
    OpMemberDecorate %lists 0 Offset 0\nOpMemberDecorate %lists 1 Offset 4400\nOpMemberDecorate %lists 2 Offset 8800\n\
    OpDecorate %all DescriptorSet 0\nOpDecorate %all Binding 0\n";

const ARRAY_POINTERS: &str = "%a = OpAccessChain %list_ptr %all #0\n%b = OpAccessChain %list_ptr %all #1\n\
    %c = OpAccessChain %list_ptr %all #2\n";

/// The words of three arrays afterwards, if they were `first`, `first` + 1, … before. The body has a variable %own.
fn run_arrays(body: &str, first: u32) -> Option<Vec<u32>> {
    let body = format!("%own = OpVariable %own_list Function\n{ARRAY_POINTERS}{body}");
    let parts = Parts { decorations: ARRAY_LAYOUT, declarations: ARRAYS, body: &body, ..Parts::default() };
    let given: Vec<u32> = (first..first + 3300).collect();
    run_with(&parts, &given, &mut [], &[])
}

/// Runs a body on three arrays with the words 0, 1, …; afterwards, each has consecutive words from an expected one on.
fn check_arrays(body: &str, expected: [u32; 3]) {
    let expected: Vec<u32> = expected.into_iter().flat_map(|first| first..first + 1100).collect();
    if let Some(words) = run_arrays(body, 0) {
        assert_eq!(words, expected, "{body}");
    }
}

#[test]
fn large_values_are_read_before_the_memory_changes() {
    let swap = "%x = OpLoad %list %a\n%y = OpLoad %list %b\nOpStore %b %x\nOpStore %a %y\n";
    check_arrays(swap, [1100, 0, 2200]);
    let copies = "%x = OpLoad %list %a\n%z = OpCopyObject %list %x\nOpCopyMemory %a %c\nOpStore %c %z\n";
    check_arrays(copies, [2200, 1100, 0]);
    let variable = "%x = OpLoad %list %a\nOpStore %own %x\nOpCopyMemory %a %b\n%y = OpLoad %list %own\n\
                    OpStore %own %y\nOpStore %b %y\nOpCopyMemory %c %own\n";
    check_arrays(variable, [1100, 0, 0]);
    let elsewhere =
        "%x = OpLoad %list %a\nOpBranch %next\n%next = OpLabel\nOpCopyMemory %a %c\nOpStore %b %x\n";
    check_arrays(elsewhere, [2200, 0, 2200]);
    let part =
        "%x = OpLoad %lists %all\n%y = OpCompositeExtract %list %x 1\nOpCopyMemory %b %c\nOpStore %a %y\n";
    check_arrays(part, [1100, 2200, 2200]);
}

#[test]
fn large_values_are_chosen() {
    let body = "%x = OpLoad %list %a\n%y = OpLoad %list %b\n%first = OpCompositeExtract %uint %x 0\n\
                %which = OpINotEqual %bool %first #0\n%r = OpSelect %list %which %x %y\nOpStore %c %r\n";
    check_arrays(body, [0, 1100, 1100]);
    if let Some(words) = run_arrays(body, 1) {
        assert_eq!(words[2200..], words[..1100]);
    }
}

#[test]
fn large_values_pass_through_phis_at_once() {
    // Three iterations, each of which swaps %x and %y.
    let body = "%x0 = OpLoad %list %a\n%y0 = OpLoad %list %b\nOpBranch %head\n%head = OpLabel\n\
                %x = OpPhi %list %x0 %entry %y %next\n%y = OpPhi %list %y0 %entry %x %next\n\
                %i = OpPhi %uint #0 %entry %more %next\nOpLoopMerge %end %next None\n\
                %goes = OpULessThan %bool %i #3\nOpBranchConditional %goes %next %end\n\
                %next = OpLabel\n%more = OpIAdd %uint %i #1\nOpBranch %head\n\
                %end = OpLabel\nOpStore %c %x\nOpStore %a %y\n";
    check_arrays(body, [0, 1100, 1100]);
}

#[test]
fn parts_of_large_values_are_replaced() {
    // A structure of the arrays, of which the first gets another word and the second is replaced.
    let body = "%x = OpLoad %list %a\n%y = OpLoad %list %b\n%z = OpLoad %list %c\n\
                %triple = OpCompositeConstruct %lists %x %y %z\n%word = OpCompositeInsert %lists #5 %triple 0 7\n\
                %new = OpCompositeInsert %lists %z %word 1\n%part = OpCompositeExtract %list %new 0\n\
                %old = OpCompositeExtract %uint %triple 0 7\n%twice = OpIAdd %uint %old %old\n\
                %last = OpCompositeInsert %list %twice %part 1099\n%third = OpCompositeExtract %list %new 1\n\
                OpStore %b %last\nOpStore %a %third\n";
    let Some(words) = run_arrays(body, 0) else { return };
    let mut second: Vec<u32> = (0..1100).collect();
    (second[7], second[1099]) = (5, 14);
    let third: Vec<u32> = (2200..3300).collect();
    assert_eq!(words, [third.as_slice(), &second, &third].concat());
}

#[test]
fn large_values_are_copied_onto_themselves() {
    // By addresses: upward and downward by four words.
    for (from, to) in [(0_u32, 4_u32), (4, 0)] {
        let body = format!(
            "%p = OpConvertUToPtr %pointer %from\n%q = OpConvertUToPtr %pointer %to\n\
             %x = OpLoad %list %p Aligned 4\nOpStore %q %x Aligned 4\n{}",
            "%w = OpAccessChain %ptr %data #0 #3299\nOpStore %w #1\n"
        );
        // The buffer is the first in memory.
        let address = |words: u32| format!("OpConstant %long {}", (1_u64 << 32) + 4 * u64::from(words));
        let declarations = format!(
            "%long = OpTypeInt 64 0\n%from = {}\n%to = {}\n%list = OpTypeArray %uint #1100\n\
             %pointer = OpTypePointer PhysicalStorageBuffer %list\n",
            address(from),
            address(to)
        );
        let parts = Parts {
            capabilities: "Int64 PhysicalStorageBufferAddresses",
            decorations: "OpDecorate %list ArrayStride 4\n",
            declarations: &declarations,
            body: &body,
        };
        let text = parts.text().replace("OpMemoryModel Logical", "OpMemoryModel PhysicalStorageBuffer64");
        let Some(shader) = build(&text, Stage::Compute) else { return };
        let given: Vec<u32> = (0..3300).collect();
        let bytes = given.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut buffers = [storage_buffer(0, 0, bytes, true)];
        let resources = Resources { buffers: &mut buffers, ..Resources::default() };
        launch_with(&shader, resources, [1; 3], 1).unwrap_or_else(|outcome| panic!("{outcome:?}"));
        let found: Vec<u32> =
            buffers[0].bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (from, to) = (from as usize, to as usize);
        let mut expected = given.clone();
        expected[to..to + 1100].copy_from_slice(&given[from..from + 1100]);
        expected[3299] = 1;
        assert!(found == expected, "from word {from} to {to}");
    }
}

#[test]
fn blocks_of_built_ins_are_inputs_of_compute_shaders() {
    let parts = Parts {
        decorations: "OpDecorate %ids Block\nOpMemberDecorate %ids 0 BuiltIn LocalInvocationId\n\
                      OpMemberDecorate %ids 1 BuiltIn GlobalInvocationId\nOpMemberDecorate %ids 2 BuiltIn LocalInvocationIndex\n",
        declarations: "%uvec3 = OpTypeVector %uint 3\n%ids = OpTypeStruct %uvec3 %uvec3 %uint\n\
                       %ids_ptr = OpTypePointer Input %ids\n%in = OpVariable %ids_ptr Input\n\
                       %vec_ptr = OpTypePointer Input %uvec3\n%in_ptr = OpTypePointer Input %uint\n",
        body: "%gp = OpAccessChain %vec_ptr %in #1\n%g = OpLoad %uvec3 %gp\n%gx = OpCompositeExtract %uint %g 0\n\
               %lp = OpAccessChain %in_ptr %in #0 #1\n%ly = OpLoad %uint %lp\n\
               %ip = OpAccessChain %in_ptr %in #2\n%i = OpLoad %uint %ip\n\
               %twice = OpShiftLeftLogical %uint %gx #1\n%at = OpIAdd %uint %twice %ly\n\
               %p = OpAccessChain %ptr %data #0 %at\n%hundred = OpIMul %uint %gx #100\n%ten = OpIMul %uint %ly #10\n\
               %sum = OpIAdd %uint %hundred %ten\n%r = OpIAdd %uint %sum %i\nOpStore %p %r\n",
        ..Parts::default()
    };
    let text =
        parts.text().replace("\"main\"\n", "\"main\" %in\n").replace("LocalSize 1 1 1", "LocalSize 2 2 1");
    let Some(shader) = build(&text, Stage::Compute) else { return };
    let mut buffers = [storage_buffer(0, 0, vec![0; 32], true)];
    let resources = Resources { buffers: &mut buffers, ..Resources::default() };
    launch_with(&shader, resources, [2, 1, 1], 1).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    let found: Vec<u32> =
        buffers[0].bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    // Of invocation (x, y): 100 x + 10 y, and the index in the workgroup.
    assert_eq!(found, [0, 12, 101, 113, 200, 212, 301, 313]);
}
