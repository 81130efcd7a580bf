//! OpenCL's kernels: arguments, pointers, private memory, and the instructions of OpenCL.std.

use agx_abi::{ArgumentKind, ShaderInfo, UniformSource};
use bumpalo::Bump;

use super::{BASE, SPIRV, assemble_with, read};
use crate::CompileKey;
use crate::error::CompileError;
use crate::ir::interpret::{FlatMemory, Limits, interpret};

/// The prelude of modules with a kernel %main.
const PRELUDE: &str = "
    Capability 6
    Capability 4
    Capability 11
    ExtInstImport %cl 'OpenCL.std'
    MemoryModel 2 2
    EntryPoint 6 %main 'main'
    TypeVoid %void
    TypeBool %bool
    TypeInt %uint 32 0
    TypeInt %ulong 64 0
    TypeInt %uchar 8 0
    TypeInt %ushort 16 0
    TypeFloat %float 32
    TypeVector %uvec3 %uint 3
    TypeVector %uvec4 %uint 4
    TypePointer %global 5 %uint
    TypePointer %bytes 5 %uchar
    TypePointer %private 7 %uint
    TypePointer %generic 8 %uint
    Constant %ulong %minus1 -1 -1
    Constant %ulong %long0 0 0
    Constant %ulong %long1 1 0
";

/// The text of a kernel with these parameters after the buffer %data, and this body.
fn kernel(declarations: &str, parameters: &[(&str, &str)], body: &str) -> String {
    let types: String = parameters.iter().map(|(ty, _)| format!(" {ty}")).collect();
    let names: String =
        parameters.iter().map(|(ty, name)| format!("FunctionParameter {ty} {name}\n")).collect();
    format!(
        "{declarations}\nTypeFunction %type %void %global{types}\nFunction %void %main 0 %type\n\
         FunctionParameter %global %data\n{names}Label %entry\n{body}\nReturn\nFunctionEnd"
    )
}

/// Compiles a kernel.
fn info(text: &str) -> Result<ShaderInfo, CompileError> {
    let bump = Bump::new();
    let (_, info) = read(&bump, &assemble_with(PRELUDE, text), &CompileKey::default(), SPIRV)?;
    Ok(info)
}

/// Runs one work-item of a kernel with a buffer of words as first argument and a block of arguments; returns the words afterwards.
#[track_caller]
fn run(text: &str, data: &[u32], values: &[(usize, &[u8])]) -> Vec<u32> {
    let bump = Bump::new();
    let read = read(&bump, &assemble_with(PRELUDE, text), &CompileKey::default(), SPIRV);
    let (f, info) = read.expect("compiles");
    let problems = crate::ir::validate(&f, crate::ir::Stage::Source);
    assert!(problems.is_ok(), "{problems:?}\n{f}");
    let kernel = info.kernel.as_ref().expect("a kernel");
    let mut block = vec![0u8; kernel.block_bytes as usize + 4];
    // The constant section follows the buffer.
    let section = BASE + data.len() as u64 * 4;
    block[..8].copy_from_slice(&BASE.to_le_bytes());
    for (index, bytes) in values {
        let start = kernel.arguments[*index].offset as usize;
        block[start..start + bytes.len()].copy_from_slice(bytes);
    }
    let mut uniforms = vec![0u16; 512];
    for range in &info.uniforms {
        let address = section.to_le_bytes();
        let bytes = match range.source {
            UniformSource::PushConstants { offset } => &block[offset as usize..],
            UniformSource::ConstantAddress => &address[..],
            _ => &[],
        };
        let halves = bytes.chunks(2).take(range.halves.into());
        for (place, half) in uniforms[usize::from(range.start)..].iter_mut().zip(halves) {
            *place = u16::from_le_bytes([half[0], half.get(1).copied().unwrap_or(0)]);
        }
    }
    let mut device: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    device.extend_from_slice(&info.constants);
    let scratch = vec![0; info.scratch_bytes as usize];
    let local = vec![0; info.local_bytes as usize + 64];
    let mut memory = FlatMemory { base: BASE, device, local, scratch, special: Vec::new() };
    let outcome = interpret(&f, &[], &uniforms, &mut memory, Limits::default());
    assert!(outcome.is_ok(), "{outcome:?}\n{f}");
    let words = memory.device.chunks(4).take(data.len());
    words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

#[test]
fn arguments_are_listed_with_their_places() {
    let declarations =
        "TypeStruct %pair %uchar %uvec3\nTypePointer %pairs 7 %pair\nTypePointer %local 4 %uint";
    let parameters =
        [("%uchar", "%a"), ("%uvec3", "%b"), ("%pairs", "%c"), ("%local", "%d"), ("%ulong", "%e")];
    let info = info(&kernel(declarations, &parameters, "")).expect("compiles");
    let kernel = info.kernel.expect("a kernel");
    let list: Vec<_> =
        kernel.arguments.iter().map(|argument| (argument.kind, argument.offset, argument.size)).collect();
    let expected = [
        (ArgumentKind::Global, 0, 8),
        (ArgumentKind::Value, 8, 1),
        (ArgumentKind::Value, 16, 16),
        (ArgumentKind::Value, 32, 32),
        (ArgumentKind::Local, 64, 4),
        (ArgumentKind::Value, 72, 8),
    ];
    assert_eq!(list, expected);
    assert_eq!((kernel.block_bytes, info.workgroup_size), (80, [64, 1, 1]));
}

#[test]
fn values_and_structures_are_read_from_the_block() {
    let declarations =
        "TypeStruct %pair %uchar %uvec3\nTypePointer %pairs 7 %pair\nTypePointer %part 7 %uvec3";
    let parameters = [("%uchar", "%a"), ("%pairs", "%c")];
    let body = "UConvert %uint %wide %a
        AccessChain %part %p %c #1
        Load %uvec3 %v %p
        CompositeExtract %uint %z %v 2
        IAdd %uint %sum %wide %z
        Store %data %sum 2 4";
    let text = kernel(declarations, &parameters, body);
    let mut pair = [0u8; 32];
    pair[24] = 30;
    assert_eq!(run(&text, &[0, 7], &[(1, &[200]), (2, &pair)]), [230, 7]);
}

#[test]
fn pointers_move_backward_and_point_to_other_types() {
    let body = "InBoundsPtrAccessChain %global %end %data #3
        PtrAccessChain %global %before %end %minus1
        Load %uint %x %before 2 4
        Bitcast %bytes %b %before
        PtrAccessChain %bytes %second %b #1
        Load %uchar %y %second 2 1
        UConvert %uint %z %y
        Store %data %z 2 4
        Store %end %x 2 4
        ConvertPtrToU %ulong %address %end
        ConvertUToPtr %global %again %address
        PtrAccessChain %global %next %again #1
        PtrDiff %ulong %distance %next %data
        UConvert %uint %count %distance
        Store %next %count 2 4";
    let result = run(&kernel("", &[], body), &[0, 1, 0x0403_0201, 3, 0], &[]);
    assert_eq!(result, [2, 1, 0x0403_0201, 0x0403_0201, 4]);
}

#[test]
fn bytes_of_unaligned_words_are_loaded_and_stored_one_by_one() {
    let body = "Bitcast %bytes %b %data
        PtrAccessChain %bytes %odd %b #1
        Bitcast %global %p %odd
        Load %uint %x %p 2 1
        PtrAccessChain %bytes %other %b #6
        Bitcast %global %q %other
        Store %q %x 2 2";
    assert_eq!(run(&kernel("", &[], body), &[0x4433_2211, 0x55, 0], &[]), [0x4433_2211, 0x3322_0055, 0x5544]);
}

#[test]
fn private_arrays_have_addresses() {
    let declarations = "TypeArray %array %uint #8\nTypePointer %arrays 7 %array\nTypePointer %places 7 %private\n\
                        TypePointer %chars 7 %uchar";
    let body = "Variable %arrays %a 7
        Variable %places %place 7
        InBoundsPtrAccessChain %private %third %a %long0 #3
        Store %place %third 2 8
        Load %uint %x %data 2 4
        Load %private %p %place 2 8
        Store %p %x 2 4
        PtrAccessChain %private %q %p #1
        Store %q #77 2 4
        Bitcast %chars %c %a
        PtrAccessChain %chars %byte %c #13
        Load %uchar %y %byte 2 1
        UConvert %uint %z %y
        InBoundsPtrAccessChain %private %fourth %a %long0 #4
        Load %uint %w %fourth 2 4
        IAdd %uint %sum %z %w
        Store %data %sum 2 4";
    assert_eq!(run(&kernel(declarations, &[], body), &[0x0500], &[]), [82]);
}

#[test]
fn generic_pointers_reach_their_memory() {
    let body = "Variable %private %v 7
        Store %v #5 2 4
        Load %uint %choice %data 2 4
        IEqual %bool %first %choice #0
        PtrCastToGeneric %generic %g %data
        PtrCastToGeneric %generic %p %v
        Select %generic %chosen %first %g %p
        Load %uint %x %chosen 2 4
        PtrAccessChain %global %next %data #1
        Store %next %x 2 4
        Store %chosen #9 2 4
        Load %uint %y %v 2 4
        PtrAccessChain %global %last %data #2
        Store %last %y 2 4
        GenericCastToPtrExplicit %global %back %chosen 5
        ConvertPtrToU %ulong %address %back
        INotEqual %bool %found %address %long0
        Select %uint %flag %found #1 #0
        PtrAccessChain %global %flags %data #3
        Store %flags %flag 2 4";
    let text = kernel("", &[], body);
    assert_eq!(run(&text, &[0, 0, 0, 0], &[]), [9, 0, 5, 1]);
    assert_eq!(run(&text, &[1, 0, 0, 8], &[]), [1, 5, 9, 0]);
}

#[test]
fn tables_and_addresses_in_them_are_constants() {
    let declarations = "TypeArray %array %uint #3\nTypePointer %tables 0 %array\nTypePointer %entries 0 %uint\n\
        ConstantComposite %array %numbers #11 #22 #33\nVariable %tables %table 0 %numbers\n\
        SpecConstantOp %entries %second 70 %table %long0 %long1";
    let body = "Load %uint %i %data 2 4
        InBoundsPtrAccessChain %entries %p %table %long0 %i
        Load %uint %x %p 2 4
        Load %uint %y %second 2 4
        IAdd %uint %sum %x %y
        Store %data %sum 2 4";
    assert_eq!(run(&kernel(declarations, &[], body), &[2], &[]), [55]);
}

#[test]
fn copies_of_bytes_may_loop() {
    let declarations =
        "TypeArray %array %uint #300\nTypePointer %arrays 7 %array\nConstant %ulong %size 1200 0";
    let body = "Variable %arrays %a 7
        CopyMemorySized %a %data %size 2 4
        InBoundsPtrAccessChain %private %last %a %long0 #299
        Load %uint %x %last 2 4
        Store %data %x 2 4";
    let data: Vec<u32> = (0..300).collect();
    let mut expected = data.clone();
    expected[0] = 299;
    assert_eq!(run(&kernel(declarations, &[], body), &data, &[]), expected);
}

#[test]
fn instructions_of_the_set_compute_and_access_memory() {
    // The number of the instruction, its operands, and its result.
    let cases = [
        (143, "#2147483647 #5", 0x7fff_ffff),
        (144, "%all #5", u32::MAX),
        (145, "%all #5", 2),
        (148, "#4 #7", 6),
        (151, "#255", 24),
        (152, "#8", 3),
        (153, "#1073741824 #16 #7", 11),
        (155, "#65536 #65536 #1", 0x7fff_ffff),
        (161, "#2147483649 #1", 3),
        (163, "#3 #5", 0),
        (166, "#255", 8),
        (186, "#12 #3 #5", 9),
        (187, "#12 #3 #1", 3),
        (202, "#3 #10", 7),
    ];
    for (number, operands, expected) in cases {
        let body = format!("ExtInst %uint %x %cl {number} {operands}\nStore %data %x 2 4");
        let text = kernel("Constant %uint %all -1", &[], &body);
        assert_eq!(run(&text, &[0], &[]), [expected], "{number} {operands}");
    }
    let body = "ExtInst %uvec3 %v %cl 171 %long1 %data 3
        CompositeExtract %uint %z %v 2
        CompositeConstruct %uvec3 %w %z %z %z
        ExtInst %void %n %cl 172 %w %long0 %data";
    assert_eq!(run(&kernel("", &[], body), &[1, 2, 3, 4, 5, 6], &[]), [6, 6, 6, 4, 5, 6]);
}

#[test]
fn functions_of_floats_are_precise() {
    let cases: [(u32, f32, f32); 12] = [
        (0, 0.25, 0.25f32.acos()),
        (6, -3.0, (-3.0f32).atan()),
        (14, 1.0e6, 0.936_752_13),
        (18, 0.5, 0.520_499_9),
        (19, 10.5, 36_315.504),
        (22, 1.0e-5, 1.000_005e-5),
        (37, 1.000_1, 1.000_115_9e-4),
        (57, 1.0e22, -0.734_081_5),
        (60, 0.25, std::f32::consts::FRAC_1_SQRT_2),
        (63, 0.3, 0.291_312_6),
        (65, 4.5, 11.631_728),
        (11, 27.0, 3.0),
    ];
    for (number, x, expected) in cases {
        let body = format!(
            "Load %uint %bits %data 2 4\nBitcast %float %x %bits\nExtInst %float %y %cl {number} %x\n\
             Bitcast %uint %z %y\nStore %data %z 2 4"
        );
        let result = f32::from_bits(run(&kernel("", &[], &body), &[x.to_bits()], &[])[0]);
        let distance = result.to_bits().abs_diff(expected.to_bits());
        assert!(distance <= 4, "{number}: {result:e}, expected {expected:e}");
    }
}

#[test]
fn conversions_round_and_limit_as_decorated() {
    let cases: [(&str, f32, u32); 6] = [
        ("Decorate %y 39 0", 2.5, 2),
        ("Decorate %y 39 2", 2.25, 3),
        ("Decorate %y 39 3", -2.25, -3i32 as u32),
        ("Decorate %y 28", 3.0e9, i32::MAX as u32),
        ("Decorate %y 28", f32::NAN, 0),
        ("Decorate %y 39 1", -2.75, -2i32 as u32),
    ];
    for (decoration, x, expected) in cases {
        let body = "Load %uint %bits %data 2 4
            Bitcast %float %x %bits
            ConvertFToS %uint %y %x
            Store %data %y 2 4";
        assert_eq!(run(&kernel(decoration, &[], body), &[x.to_bits()], &[]), [expected], "{decoration} {x}");
    }
}

#[test]
fn legacy_atomics_of_libraries_are_known() {
    let declarations = "Decorate %inc 41 '_Z10atomic_incPU3AS1Vj' 1\nDecorate %other 41 '_Z4blahi' 1\n\
        TypeFunction %atomic %uint %global\nFunction %uint %inc 0 %atomic\nFunctionParameter %global %ip\n\
        FunctionEnd\nFunction %uint %other 0 %atomic\nFunctionParameter %global %op\nFunctionEnd";
    let call = |function: &str| {
        kernel("", &[], &format!("FunctionCall %uint %old {function} %data")).replacen(
            "Function %void",
            &format!("{declarations}\nFunction %void"),
            1,
        )
    };
    // Decorations come before types.
    let ordered = |text: String| {
        let (first, rest): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.trim().starts_with("Decorate"));
        [first, rest].concat().join("\n")
    };
    assert_eq!(run(&ordered(call("%inc")), &[41], &[]), [42]);
    let error = info(&ordered(call("%other"))).expect_err("is not defined");
    assert!(error.code() == 1810 && error.message().contains("_Z4blahi"), "{error}");
}

#[test]
fn operations_of_the_workgroup_take_samplers_and_images_as_arguments() {
    let declarations = "TypeSampler %sampler\nTypeImage %image %void 1 0 0 0 0 0 0\nTypeSampledImage %both %image\n\
        TypeVector %vec2 %float 2\nTypeVector %vec4 %float 4\nConstantNull %vec2 %origin\n\
        Constant %float %level 0.0\nConstantSampler %sampler %literal 2 1 1";
    let body = "SampledImage %both %pair %i %literal
        ImageSampleExplicitLod %vec4 %texel %pair %origin 2 %level
        CompositeExtract %float %red %texel 0
        ConvertFToS %uint %x %red
        GroupIAdd %uint %sum #2 0 %x
        GroupSMax %uint %most #3 1 %sum
        Store %data %most 2 4";
    let info = info(&kernel(declarations, &[("%image", "%i"), ("%sampler", "%s")], body)).expect("compiles");
    let kernel = info.kernel.expect("a kernel");
    let kinds: Vec<ArgumentKind> = kernel.arguments.iter().map(|argument| argument.kind).collect();
    assert_eq!(kinds, [ArgumentKind::Global, ArgumentKind::Image, ArgumentKind::Sampler]);
    let sampler = kernel.samplers[0];
    assert!(sampler.normalized && sampler.linear && sampler.addressing == agx_abi::kernel::Addressing::Clamp);
    // A workgroup of 64 has two subgroups, which share memory.
    assert!(info.uses_barrier && info.local_bytes >= 16);
}

#[test]
fn mutated_kernels_are_errors_or_compile() {
    let declarations = "TypeArray %array %uint #8\nTypePointer %arrays 7 %array\nTypePointer %places 7 %private\n\
        TypePointer %chars 7 %uchar\nConstant %ulong %size 32 0";
    let body = "Variable %arrays %a 7
        InBoundsPtrAccessChain %private %third %a %long0 #3
        CopyMemorySized %a %data %size 2 4
        PtrCastToGeneric %generic %g %third
        Load %uint %x %g 2 4
        ExtInst %uint %y %cl 155 %x %x #7
        ExtInst %uvec3 %v %cl 171 %long1 %data 3
        ExtInst %void %n %cl 172 %v %long0 %data
        GroupIAdd %uint %sum #2 1 %y
        AtomicIAdd %uint %old %data #1 #0 %sum
        Bitcast %chars %c %a
        PtrAccessChain %chars %byte %c %minus1
        Load %uchar %z %byte 2 1";
    let module = assemble_with(PRELUDE, &kernel(declarations, &[("%uvec3", "%w")], body));
    let mut random = agx_random::Random::new(7);
    let mut compiled = 0;
    for _ in 0..3000 {
        let mut bytes = module.clone();
        for _ in 0..=random.below(2) {
            let word = random.below(bytes.len() / 4) * 4;
            let value = match random.below(3) {
                0 => random.next_u64() as u32,
                1 => random.below(90) as u32,
                _ => {
                    u32::from_le_bytes(bytes[word..word + 4].try_into().expect("a word"))
                        ^ 1 << random.below(32)
                }
            };
            bytes[word..word + 4].copy_from_slice(&value.to_le_bytes());
        }
        let bump = Bump::new();
        match read(&bump, &bytes, &CompileKey::default(), SPIRV) {
            Ok((f, _)) => {
                compiled += 1;
                let problems = crate::ir::validate(&f, crate::ir::Stage::Source);
                assert!(problems.is_ok(), "{problems:?}\n{f}");
            }
            Err(error) => assert_ne!(error.code(), 70, "{error}"),
        }
    }
    assert!(compiled > 100, "{compiled}");
}

#[test]
fn what_kernels_cannot_do_is_refused() {
    let code = |declarations: &str, parameters: &[(&str, &str)], body: &str| {
        info(&kernel(declarations, parameters, body)).expect_err("is refused").code()
    };
    let double = "TypeFloat %double 64\nConstant %double %one 0 1072693248";
    assert_eq!(code(double, &[], "ExtInst %double %x %cl 57 %one"), 1806);
    assert_eq!(code("", &[], "ExtInst %uint %x %cl 250 #1"), 1807);
    assert_eq!(code("", &[], "ExtInst %uint %x %cl 57 #1"), 1808);
    let variable = "Variable %global %v 5 #1";
    assert_eq!(code(variable, &[], "Load %uint %x %v 2 4"), 1802);
    assert_eq!(code("", &[("%bool", "%b")], ""), 1800);
    let huge = "TypeArray %array %uint #2000\nTypePointer %arrays 7 %array";
    assert_eq!(code(huge, &[("%arrays", "%b")], ""), 1801);
    let body = "Load %uint %n %data\nUConvert %ulong %m %n\nCopyMemorySized %data %data %m 2 4";
    assert_eq!(code("", &[], body), 1809);
}
