//! Errors in inputs and keys, and errors shared by all front ends.

use super::row::{Example, errors};

errors! {
    /// Errors in an input or a key, independent of the language.
    #[cfg_attr(not(feature = "glsl"), allow(dead_code, reason = "GLSL alone has no stage"))]
    enum InputError {
        /// An option is unknown. Options belong to a language; docs/ and --help list them.
        2000 Invalid UnknownOption { name: String, language: &'static str, expected: String }
        = "unknown option `{name}` of {language}; expected {expected}",
        Example::Words("--option colour=1 with an input of IR.");

        /// An option has a value out of range. The message names the values that it takes.
        2001 Invalid OptionValue { name: String, expected: String, found: u64 }
        = "option {name}: expected {expected}, found {found}",
        Example::Words("--option strict=2 with an AGAL program.");

        /// The language needs a feature that this build lacks. Build with the feature that the message names.
        2002 Unsupported NoFeature { feature: &'static str }
        = "this build lacks the feature `{feature}`",
        Example::Words("WGSL with a compiler built without the feature `wgsl`.");

        /// The language is not an input language. docs/ lists the input languages.
        2003 Unsupported NotAnInput { language: &'static str }
        = "{language} is not a supported input language",
        Example::Words("Machine code as an input of `compile`.");

        /// The input is not text. The language is text in UTF-8.
        2004 Invalid NotText { byte: usize, language: &'static str }
        = "byte {byte} is not UTF-8, but {language} is text",
        Example::Words("WGSL with a byte 0xff.");

        /// The stage is not specified. GLSL does not declare a stage; the input or the key must specify it.
        2005 Invalid NoStage
        = "a GLSL shader without a stage; specify it in the input or the key",
        Example::text("glsl", "#version 450\nvoid main() {}\n");

        /// The program is of another stage than the key's. Omit the stage, or specify the program's.
        2006 Invalid WrongStage { expected: &'static str, found: &'static str }
        = "expected a {expected} program, found a {found} program",
        Example::Words("An AGAL vertex program compiled with --stage fragment.");

        /// The entry point does not exist. The message names the existing ones.
        2007 Invalid UnknownEntry { name: String, expected: &'static str }
        = "unknown entry point `{name}`; expected {expected}",
        Example::Words("An AGAL program compiled with --entry other.");

        /// A pass is unknown. `agxc explain all` lists the passes.
        2008 Invalid UnknownPass { name: String }
        = "unknown pass `{name}`; `agxc explain all` lists the passes",
        Example::Words("--disable-pass opt_magic.");

        /// A required pass is disabled. Only optional passes can be disabled.
        2009 Invalid RequiredPass { name: String }
        = "pass `{name}` is required and cannot be disabled",
        Example::Words("--disable-pass lower_select.");

        /// A phase or pass is unknown. docs/debugging.md lists the phases.
        2010 Invalid UnknownPhase { name: String }
        = "unknown phase or pass `{name}`",
        Example::Words("--emit ir-after=magic.");

        /// The compilation creates too many instructions. CompileLimits sets the limit.
        2011 Limit TooManyInstructions { most: u32 }
        = "more than {most} IR instructions",
        Example::Words("A long shader compiled with CompileLimits of 100 instructions.");

        /// The compilation uses too much memory. CompileLimits sets the limit.
        2012 Limit TooMuchMemory { most: usize }
        = "more than {most} bytes of scratch memory",
        Example::Words("A long shader compiled with CompileLimits of 1000 bytes.");

        /// The compilation was stopped. The caller's callback requested it.
        2013 Limit Stopped
        = "the compilation was stopped",
        Example::Words("A driver that abandons a pipeline during compilation.");
    }
}

errors! {
    /// Limits and rules that all front ends share.
    enum KitError {
        /// The shader is too long after inlining. The limit bounds time and memory on hostile input.
        2100 Limit Instructions { most: usize }
        = "more than {most} instructions after inlining",
        Example::Words("Functions that call each other twice, thirty levels deep.");

        /// Constructs nest too deeply. The hardware counts levels in 16 bits.
        2101 Limit Nesting { most: u32 }
        = "constructs nest deeper than {most}",
        Example::Words("A switch with more cases than docs/spirv.md allows, each falling into the next.");

        /// Calls nest too deeply. Calls are inlined; the limit bounds the stack of the translation.
        2102 Limit Calls { most: usize }
        = "calls nest deeper than {most}",
        Example::Words("More functions than docs/spirv.md allows, each calling the next.");

        /// The resources do not fit into the uniform registers. Use fewer buffers and push constants, or descriptors.
        2103 Limit Uniforms { what: String }
        = "the shader uses more resources than fit into the uniform registers: {what}",
        Example::Words("A shader with 300 storage buffers.");

        /// The shader uses too many samplers. The hardware has a limited number of sampler registers.
        2104 Limit Samplers { most: usize }
        = "the shader uses more than {most} samplers",
        Example::Words("A shader with 32 samplers.");

        /// The shader uses too many vertex attributes. Attributes are in registers at entry.
        2105 Limit Attributes { most: u32, found: u32 }
        = "{found} vertex attributes; the limit is {most}",
        Example::Words("A vertex shader with 64 inputs.");

        /// The vertex shader writes too many outputs. The hardware has a limited number of output words.
        2106 Limit VertexOutputs { most: u32, found: usize }
        = "{found} words of vertex outputs; the limit is {most}",
        Example::Words("A vertex shader with 64 outputs of type vec4.");

        /// The number of a colour target is too large. The hardware has eight targets.
        2107 Limit Target { target: u32, most: u32 }
        = "colour target {target} is not below {most}",
        Example::Words("A fragment shader with an output at location 8.");

        /// A loop has several entries. Structure it, for example by duplicating its first part.
        2108 Unsupported Irreducible
        = "irreducible control flow: a loop with several entries",
        Example::body("%p = OpAccessChain %ptr %data %uint_0 %uint_0\n%i = OpLoad %uint %p\n%c = OpIEqual %bool %i %uint_1\nOpBranchConditional %c %a %b\n%a = OpLabel\nOpBranchConditional %c %b %out\n%b = OpLabel\nOpBranchConditional %c %a %out\n%out = OpLabel\nOpReturn");

        /// A discarding terminator is used outside fragment shaders. It ends the invocation of a fragment.
        2109 Unsupported Discard
        = "a discarding terminator outside fragment shaders",
        Example::body("OpKill");

        /// A feature of fragment shaders is used elsewhere. The message names it.
        2110 Invalid NotFragment { what: &'static str }
        = "{what} outside fragment shaders",
        Example::Words("A compute shader that reads a subpass input.");

        /// The shader reads a render target of unknown format. The key's tile pass specifies the formats.
        2111 Unsupported TargetFormat { target: u32 }
        = "the shader reads render target {target}, whose format is not specified in the key",
        Example::Words("A fragment shader with framebuffer fetch, compiled without a tile pass.");

        /// The number of samples is not possible. The hardware has 1, 2 or 4 per pixel.
        2112 Invalid Samples { samples: u8 }
        = "{samples} samples; expected 1, 2 or 4",
        Example::Words("A tile pass with 8 samples.");

        /// A coordinate has too few components. It needs one for each axis and the layer.
        2113 Invalid Coordinate { expected: usize, found: usize }
        = "the coordinate has {found} components; expected {expected}",
        Example::Words("A load from a 3D image with two coordinates.");

        /// An image has a shape that is not supported. The hardware has no such texture.
        2115 Unsupported Shape { shape: String }
        = "images of {shape} are not supported",
        Example::Words("A multisampled 3D image.");

        /// Dynamically indexed registers need too much stack. The hardware maps a limited stack for each invocation.
        2116 Limit IndexedRegisters { most: u32 }
        = "dynamically indexed registers need more than {most} bytes",
        Example::Words("A TGSI program that indexes 16,384 temporaries.");

        /// The workgroup is too large. The hardware runs at most 1024 invocations in one.
        2117 Limit LargeWorkgroup { threads: u64, most: u64 }
        = "a workgroup of {threads} invocations; the limit is {most}",
        Example::Words("A TGSI program with a block of 64 by 64 by 1.");

        /// The pipeline's layout lacks a binding. It must contain every binding that the shader uses.
        2118 Invalid NoBinding { set: u32, binding: u32 }
        = "the pipeline's layout has nothing at set {set}, binding {binding}",
        Example::Words("A shader with a buffer at binding 3, compiled with a layout of bindings 0 to 2.");

        /// The pipeline's layout has an inline block where the shader reads a descriptor. Textures, images and samplers need one.
        2119 Invalid InlineBinding { set: u32, binding: u32 }
        = "the pipeline's layout has the contents of a block at set {set}, binding {binding}; expected descriptors",
        Example::Words("A shader with a texture, compiled with a layout that has an inline block there.");

        /// A buffer with a dynamic offset is selected at run time. Dynamic offsets are uniforms, one for each
        /// element.
        2120 Unsupported DynamicOffset { set: u32, binding: u32 }
        = "set {set}, binding {binding}: an array with dynamic offsets is indexed by a run-time value",
        Example::Words("An array of uniform buffers with dynamic offsets and a computed index.");

        /// Transform feedback captures an output at an invalid offset. Offsets must be multiples of the
        /// component size, the captured data must end before the stride, and a buffer has one stride.
        2121 Invalid Capture { bytes: u32, offset: u32, buffer: u32, stride: u32, most: u32 }
        = "transform feedback: {bytes} bytes at byte {offset} of a vertex of {stride} bytes in buffer {buffer}; expected an aligned range within the vertex and one of {most} buffers",
        Example::Words("A vertex shader with an output at xfb_offset 12 whose xfb_stride is 8.");

        /// A geometry shader captures an output of less than 32 bits. Its outputs are stored as words; use a type of
        /// 32 bits.
        2122 Unsupported CapturedBits { bits: u8 }
        = "a geometry shader captures an output of {bits} bits; expected 32 or 64",
        Example::Words("A geometry shader with an output of type float16_t and an xfb_offset.");

        /// Transform feedback captures vertices of a stream that does not exist, or of two streams in one buffer. There are
        /// four streams, and a buffer captures the vertices of one.
        2123 Invalid CapturedStream { stream: u32, buffer: u32 }
        = "transform feedback: buffer {buffer} captures vertices of stream {stream}; expected one of four streams, and the same for the whole buffer",
        Example::Words("A geometry shader with outputs of streams 0 and 1 and the same xfb_buffer.");
    }
}
