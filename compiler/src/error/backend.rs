//! Errors of prologs, epilogs and linking; limits of lowering, registers and stack.

use super::row::{Example, errors};

errors! {
    /// Errors in the key of a prolog or epilog, or in linked parts.
    enum PartError {
        /// The number of samples is not possible. The hardware has 1, 2 or 4 per pixel.
        3000 Invalid Samples { samples: u8 }
        = "expected 1, 2 or 4 samples, found {samples}",
        Example::Words("An epilog key with 8 samples.");

        /// A blend factor reads a second colour that the shader does not write. Dual-source blending needs an output of index 1.
        3001 Invalid NoSecondColour
        = "a blend factor reads a second colour that the shader does not write",
        Example::Words("An epilog key with the factor Src1Color for a shader with one output.");

        /// An advanced blend operation is applied to integers. Only floats and normalised formats blend.
        3002 Invalid IntegerBlend { format: &'static str }
        = "an advanced blend operation on {format}, an integer format, which cannot blend",
        Example::Words("An epilog key with Multiply on r32ui.");

        /// A shader with early tests writes depth or stencil. Early tests exclude such outputs.
        3003 Invalid EarlyTests
        = "a shader with early tests has a depth or stencil output",
        Example::Words("An epilog key with early tests and a depth output.");

        /// A spilled render target is read without a sampler register. EpilogKey::with_load_sampler chooses one.
        3004 Invalid NoSampler
        = "a spilled render target is read without a sampler register",
        Example::Words("An epilog key that blends a spilled target and has no load sampler.");

        /// No sampler register is left. Reading spilled render targets needs one in addition to the shader's
        /// own.
        3005 Limit SamplersUsed { most: usize }
        = "no sampler register is left for reading spilled render targets; the shader uses all {most}",
        Example::Words("A fragment shader with all sampler registers in use and a spilled target.");

        /// A vertex prolog of a hardware vertex shader fetches indices. The hardware fetches them itself.
        3006 Invalid IndicesOfVertex
        = "an index buffer in the prolog of a hardware vertex shader, whose indices the hardware fetches",
        Example::Words("A vertex prolog key with an index size for a vertex shader that is not a compute shader.");

        /// A vertex prolog has too many attributes. Attributes are in registers at entry.
        3007 Limit Attributes { most: u32, found: u32 }
        = "{found} vertex attributes; the limit is {most}",
        Example::Words("A vertex prolog key with 64 attributes.");

        /// The stack frame of a main part is too short. Attributes beyond the registers are passed on the stack.
        3008 Invalid ShortFrame { bytes: u32, needed: u32 }
        = "the main part's stack frame has {bytes} bytes; its attributes need {needed}",
        Example::Words("A vertex prolog key with 32 attributes and no frame.");

        /// A resolve is not possible. It reads an image of 2 or 4 samples in a pass of one sample, and
        /// integers cannot be averaged.
        3010 Invalid Resolve { target: u32, what: String }
        = "target {target}: a resolve {what}",
        Example::Words("A background key that resolves an image of 8 samples.");

        /// The pass lacks a target. Operations must name targets that have a format.
        3011 Invalid NoTarget { target: u32 }
        = "the pass has no target {target}",
        Example::Words("A background key with an operation on target 3 of a pass with one target.");

        /// The source of an attribute is that of another location. AttributeKey::location is the attribute's location in the
        /// module; a wide attribute also provides the location after its own.
        3012 Invalid AttributeLocation { location: u32, found: u32 }
        = "location {location}: expected the source of the attribute there, found that of location {found}",
        Example::Words("A vertex program with an attribute key of location 0 for an attribute at location 3.");

        /// The alignment of an attribute is not possible. It is the alignment of an address in bytes: a power of two.
        3013 Invalid Alignment { location: u32, found: u32 }
        = "location {location}: expected an alignment that is a power of two, found {found}",
        Example::Words("A vertex program with an attribute key of alignment 0.");
    }
}

errors! {
    /// Limits of the back end.
    enum BackEndError {
        /// An operation on 64-bit floats is not supported. Convert to 32 bits.
        3100 Unsupported Double { name: &'static str }
        = "`{name}` on 64-bit floats is not supported",
        Example::text("ir", "kernel @f(%0:64) stage source {\nb0:\n    %1:64 = fsin %0\n    keep %1\n}\n");

        /// `keep` has a vector operand. `keep`, which only tests use, takes scalars; split the vector first.
        3101 Unsupported KeptVector
        = "`keep` of a vector is not supported: split it first",
        Example::Words("IR with `keep` of a value of type 2x32.");

        /// The shader needs too much stack. The hardware maps a limited stack for each invocation.
        3102 Limit Stack { bytes: u32, most_words: u32 }
        = "the shader needs {bytes} bytes of stack; the hardware maps fewer than {most_words} words",
        Example::Words("IR with 256 KiB of scratch memory.");

        /// The shader reads too many inputs. The hardware has a limited number of coefficient registers.
        3103 Limit Coefficients { most: u32 }
        = "the inputs need more than {most} coefficient registers",
        Example::Words("A fragment shader with 64 inputs of type vec4.");

        /// The program exchanges values with another part in registers beyond the limit. Raise
        /// --max-registers.
        3104 Limit FixedRegisters { what: String, end: u16, limit: u16 }
        = "the program {what} registers up to half-register {end}; the limit is {limit}",
        Example::Words("A fragment shader that leaves outputs in r8, compiled with --max-registers 8.");

        /// Values that are live at the same time do not fit into the registers. Raise --max-registers.
        3105 Limit Registers { what: String }
        = "the values needed {what} do not fit into the registers",
        Example::Words("A shader with vectors, compiled with a very small --max-registers.");

        /// One instruction needs more registers than are available. Raise --max-registers.
        3106 Limit OneInstruction { needed: u32, budget: u32 }
        = "one instruction needs {needed} half-registers, but only {budget} are available",
        Example::Words("A texture instruction, compiled with --max-registers 14.");

        /// Spilled values need too much stack. Immediate offsets have a limited range.
        3107 Limit SpillStack { reach: u32 }
        = "spilled values need more stack than the {reach} bytes that immediate offsets can address",
        Example::Words("A shader with thousands of long-lived values, compiled with a small --max-registers.");
    }
}
