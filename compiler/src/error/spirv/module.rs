//! Words, header, capabilities and entry points.

use spirv::{AddressingModel, Capability, ExecutionMode, Op};

use crate::error::row::{Example, errors};

errors! {
    /// Errors of a module as a whole.
    enum ModuleError {
        /// The input is not a SPIR-V module. A module begins with the magic number, in either byte order.
        1000 Invalid NotSpirv { found: u32 }
        = "expected SPIR-V's magic number 0x07230203 at the beginning, found {found:#010x}",
        Example::text("spirv", "WGSL or other text");

        /// The input is not a whole number of words. SPIR-V is a sequence of 32-bit words; the file may be truncated.
        1001 Invalid PartialWord { bytes: usize }
        = "expected whole 32-bit words, found {bytes} bytes",
        Example::Words("A module of 22 bytes.");

        /// The module is too long. The limit bounds time and memory on hostile input.
        1002 Limit TooLong { words: usize, most: usize }
        = "the module has {words} words; the limit is {most}",
        Example::Words("A module of more words than docs/spirv.md allows.");

        /// The module ends within its header. The header has five words: magic number, version, generator, id bound and 0.
        1003 Invalid Header { words: usize }
        = "expected a header of 5 words, found {words} words",
        Example::Words("A module of three words.");

        /// The version of SPIR-V is not supported. Versions 1.0 to 1.6 are supported.
        1004 Unsupported Version { word: u32 }
        = "SPIR-V version word {word:#x} is not supported; expected 0x0001xx00",
        Example::Words("A module whose second word is 0x00020000.");

        /// The id bound is too large. Tables are as large as the bound; `spirv-opt --compact-ids` lowers it.
        1005 Limit IdBound { bound: u32, most: u32 }
        = "the id bound is {bound}; the limit is {most}",
        Example::Words("A module whose fourth word is 0xffffffff.");

        /// An instruction is longer than the rest of the module. Its word count is wrong or the module is truncated.
        1006 Invalid Truncated { words: usize }
        = "an instruction of {words} words does not fit into the rest of the module",
        Example::Words("A module whose last instruction states more words than follow.");

        /// The opcode does not exist. It may belong to a newer SPIR-V than this compiler supports.
        1007 Invalid UnknownOpcode { number: u32 }
        = "unknown opcode {number}",
        Example::Words("A module with an instruction whose opcode is 60000.");

        /// An instruction lacks an operand. Its word count is too small for its opcode.
        1008 Invalid MissingOperand { index: usize, count: usize }
        = "expected an operand {index}, found {count} operands",
        Example::body("%p = OpAccessChain %ptr\nOpReturn");

        /// A string does not end. Strings end with a zero byte within their instruction.
        1009 Invalid UnterminatedString
        = "a string does not end within its instruction",
        Example::Words("An OpName whose last word has no zero byte.");

        /// The instruction is not supported. docs/spirv.md lists the supported opcodes.
        1010 Unsupported Opcode { op: Op }
        = "the instruction Op{op:?} is not supported",
        Example::body("OpIgnoreIntersectionNV\nOpReturn");

        /// The instruction needs a feature that the hardware or this compiler lacks. The message names the feature.
        1011 Unsupported Refused { op: Op, reason: &'static str }
        = "Op{op:?} is not supported: {reason}",
        Example::body("%x = OpDepthAttachmentReadEXT %float\nOpReturn");

        /// A declaration is inside a function. Types, constants and decorations come before the functions.
        1012 Invalid Misplaced { op: Op }
        = "Op{op:?} is among the instructions of a block; expected it before the functions",
        Example::body("%t = OpTypeInt 16 0\nOpReturn");

        /// A capability is not supported. Kernels cannot start kernels, and there are no pipes.
        1013 Unsupported Capability { capability: Capability }
        = "capability {capability:?} is not supported",
        Example::declared("OpCapability Pipes");

        /// A capability does not exist. It may belong to a newer SPIR-V than this compiler supports.
        1014 Invalid UnknownCapability { number: u32 }
        = "unknown capability {number}",
        Example::declared("OpCapability 60000");

        /// The addressing model is not supported. Logical and PhysicalStorageBuffer64 are supported, and Physical64 for
        /// OpenCL's kernels: compile these for `spirv64`.
        1015 Unsupported Addressing { model: AddressingModel }
        = "addressing model {model:?} is not supported; expected Logical, PhysicalStorageBuffer64 or Physical64",
        Example::declared("OpMemoryModel Physical32 GLSL450");

        /// The addressing model does not exist. Its number is not in the SPIR-V specification.
        1016 Invalid UnknownAddressing { number: u32 }
        = "unknown addressing model {number}",
        Example::declared("OpMemoryModel 7 1");

        /// An extended instruction set is not supported. GLSL.std.450, OpenCL.std, NonSemantic sets and debug
        /// information are supported.
        1017 Unsupported ExtendedSet { name: String }
        = "the extended instruction set `{name}` is not supported; expected `GLSL.std.450`, `OpenCL.std` or `NonSemantic.…`",
        Example::declared("%cl = OpExtInstImport 'SPV_AMD_gcn_shader'");

        /// An extended instruction does not exist. GLSL.std.450 has instructions 1 to 81.
        1018 Invalid UnknownExtended { number: u32 }
        = "GLSL.std.450 has no instruction {number}",
        Example::body("%x = OpExtInst %float %glsl 99\nOpReturn");

        /// An extended instruction names an id that is not an imported set. OpExtInstImport imports one.
        1019 Invalid NoExtendedSet { id: u32 }
        = "id {id} is not an imported set of extended instructions",
        Example::body("%x = OpExtInst %float %data 1\nOpReturn");

        /// No entry point has the name and stage of the key. The message lists those of the module.
        1020 Invalid NoEntry { wanted: String, found: String }
        = "no entry point{wanted}; the module has {found}",
        Example::Words("A module without the entry point that --entry names.");

        /// Several entry points have the name and stage of the key. Select one by both.
        1021 Invalid SeveralEntries { found: String }
        = "the module has several entry points; select one by name and stage: {found}",
        Example::Words("A module with a vertex and a fragment shader, compiled without --stage.");

        /// The execution model is not supported. Those of vertex, tessellation, geometry, task, mesh, fragment and compute shaders and of kernels are.
        1022 Unsupported ExecutionModel { name: String, model: String }
        = "entry point `{name}` of execution model {model}; expected a vertex, tessellation, geometry, task, mesh, fragment or compute shader, or a kernel",
        Example::Words("A module whose only entry point is a ray generation shader.");

        /// An entry point names an id that is not a function. The second operand of OpEntryPoint is the function.
        1023 Invalid EntryNotFunction { name: String, id: u32 }
        = "entry point `{name}`: id {id} is not a function",
        Example::Words("An OpEntryPoint whose function is a type.");

        /// The workgroup size is not constant. LocalSizeId takes constants and specialization constants.
        1025 Invalid WorkgroupSize { id: u32 }
        = "the workgroup size: id {id} is not a constant",
        Example::declared("OpExecutionModeId %main LocalSizeId %data %data %data");

        /// A dimension of the workgroup is 0. Each is at least 1.
        1026 Invalid EmptyWorkgroup { size: [u32; 3] }
        = "the workgroup size {size:?} is empty; expected at least 1 in each dimension",
        Example::declared("OpExecutionMode %main LocalSize 0 1 1");

        /// The workgroup is too large. The hardware runs at most 1024 invocations in one.
        1027 Limit LargeWorkgroup { size: [u32; 3], most: u64 }
        = "a workgroup of {size:?} has more than {most} invocations",
        Example::declared("OpExecutionMode %main LocalSize 64 64 1");

        /// The workgroup cannot be divided into quads. Derivatives need a multiple of four invocations, or even width and height.
        1028 Invalid NotQuads { size: [u32; 3] }
        = "a workgroup of {size:?} cannot be divided into quads",
        Example::declared("OpExecutionMode %main DerivativeGroupLinearKHR");

        /// A float execution mode is not supported. The hardware flushes denormals of 32 bits, preserves
        /// those of 16 and 64, and rounds to nearest even.
        1029 Unsupported FloatMode { mode: ExecutionMode, bits: u32 }
        = "execution mode {mode:?} for {bits} bits is not supported: the hardware flushes denormals of 32 bits, preserves those of 16 and 64, and rounds to nearest even",
        Example::declared("OpExecutionMode %main RoundingModeRTZ 32");

        /// A fast-math default has the wrong operands. FPFastMathDefault takes a float type and a constant.
        1030 Invalid FastMath
        = "FPFastMathDefault: expected a float type and a constant",
        Example::declared("OpExecutionModeId %main FPFastMathDefault %uint %data");

        /// The module ends within a function. OpFunctionEnd ends one.
        1031 Invalid OpenFunction
        = "the module ends within a function; expected OpFunctionEnd",
        Example::Words("A module without its last OpFunctionEnd.");

        /// An execution mode of the entry point is not supported. It would change the meaning of the program.
        1032 Unsupported Mode { mode: ExecutionMode }
        = "execution mode {mode:?} is not supported",
        Example::declared("OpExecutionMode %main PostDepthCoverage");

        /// An execution mode does not exist. It may belong to a newer SPIR-V than this compiler supports.
        1033 Invalid UnknownMode { number: u32 }
        = "unknown execution mode {number}",
        Example::declared("OpExecutionMode %main 60000");
    }
}
