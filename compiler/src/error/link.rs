//! Errors of the linker.

use agx_abi::vertex::Output;
use agx_abi::{PartRole, Stage, Target};

use super::row::{Example, errors};

errors! {
    /// Why parts do not form a program.
    #[non_exhaustive]
    pub enum LinkError {
        /// A part has the wrong role for its position. A prolog precedes the main part, an epilog follows it.
        3020 Invalid Role {
            /// The role required there.
            wanted: PartRole,
            /// The part's.
            found: PartRole,
        }
        = "expected a part of role {wanted}, found one of role {found}",
        Example::Words("An epilog as the prolog of a fragment shader.");

        /// The stage does not have such a part. Vertex shaders have prologs, fragment shaders prologs and epilogs, compute
        /// shaders neither.
        3021 Invalid Stage {
            /// Stage of the main part.
            stage: Stage,
            /// The part that the stage does not have.
            role: PartRole,
        }
        = "a {stage} shader has no {role}",
        Example::Words("A vertex shader with an epilog.");

        /// A vertex prolog writes registers beyond those of the main part. VertexPrologKey::new computes the limit.
        3022 Invalid PrologRaisesRegisters {
            /// Half-registers of the prolog.
            prolog: u16,
            /// Half-registers of the main part and of the attributes.
            main: u16,
        }
        = "the prolog uses {prolog} half-registers, the main part {main}",
        Example::Words("A vertex shader with the prolog of a larger one.");

        /// The main part needs a stack frame that its prolog allocates. Attributes beyond the registers are in it.
        3023 Invalid Frame {
            /// Bytes that the main part needs.
            main: u32,
            /// Bytes that the prolog allocates.
            prolog: u32,
        }
        = "the main part needs a stack frame of {main} bytes, but its prolog allocates {prolog}",
        Example::Words("A vertex shader with 32 attributes and a prolog of another one with 32 attributes.");

        /// The layout of the outputs lacks an output that the main part stores. The layout is that of another shader.
        3024 Invalid Output {
            /// The output.
            output: Output,
        }
        = "the layout of the outputs has no slot for {output:?}, which the shader stores",
        Example::Words("A vertex shader with the output layout of another one.");

        /// An output store is not at the offset that the main part's info states. Code and info are of different shaders.
        3025 Invalid Store {
            /// The offset in bytes.
            offset: u32,
        }
        = "the main part stores no output at byte {offset}",
        Example::Words("The code of a vertex shader with the info of another one.");

        /// The number of samples is not possible. The hardware has 1, 2 or 4 per pixel.
        3026 Invalid Samples {
            /// The number.
            samples: u8,
        }
        = "expected a loop over 1, 2 or 4 samples, found {samples}",
        Example::Words("A fragment shader in a loop over 3 samples.");

        /// A part was generated for shaders of another stage. Prologs of vertex and fragment shaders differ.
        3027 Invalid OtherStage {
            /// Stage of the main part.
            stage: Stage,
            /// Role of the part.
            role: PartRole,
            /// Stage of the shaders that have such a part.
            found: Stage,
        }
        = "a {stage} shader with the {role} of a {found} shader",
        Example::Words("A fragment shader with a vertex prolog.");

        /// A part is missing. Attributes are fetched by a prolog; colours, depths and tests need an epilog.
        3028 Invalid Missing {
            /// Stage of the main part.
            stage: Stage,
            /// The role of the part that is missing.
            role: PartRole,
            /// What it provides.
            provides: &'static str,
        }
        = "a {stage} shader without the {role} that {provides}",
        Example::Words("A vertex shader with attributes, linked without a prolog.");

        /// The main part is a whole shader. It includes the fetch of attributes, or tests and stores of colours.
        3029 Invalid Whole {
            /// The role of the part that it includes.
            role: PartRole,
        }
        = "a whole shader with another {role}: it includes its own",
        Example::Words("The shader of a background program with an epilog.");

        /// Parts are compiled for different chips. The code of one may be wrong on the other.
        3030 Invalid Target {
            /// The chip of the main part.
            main: Target,
            /// The role of the part.
            role: PartRole,
            /// The chip of the part.
            part: Target,
        }
        = "the main part is for {main}, the {role} for {part}",
        Example::Words("A shader for g13x with a prolog for g14g.");

        /// The prolog fetches another number of attributes. Their number determines the places of the uniforms.
        3031 Invalid AttributeCount {
            /// Attributes that the main part reads.
            main: u32,
            /// Attributes that the prolog fetches.
            prolog: u32,
        }
        = "the main part reads {main} attributes, the prolog fetches {prolog}",
        Example::Words("A vertex shader with two attributes and the prolog of one with three.");

        /// The prolog fetches another attribute. Attributes are numbered by location.
        3032 Invalid AttributeLocation {
            /// Number of the attribute.
            attribute: u32,
            /// Its location in the main part.
            main: u32,
            /// Its location in the prolog.
            prolog: u32,
        }
        = "attribute {attribute} has location {main} in the main part and {prolog} in the prolog",
        Example::Words("A vertex shader that reads locations 0 and 1 with the prolog of one that reads 0 and 2.");

        /// The prolog does not fetch all components that the main part reads. Their registers would be undefined.
        3033 Invalid AttributeComponents {
            /// Location of the attribute.
            location: u32,
            /// Mask of the components that the main part reads, bit 0 the first.
            main: u8,
            /// Mask of the components that the prolog fetches.
            prolog: u8,
        }
        = "location {location}: the main part reads the components {main:#06b}, the prolog fetches {prolog:#06b}",
        Example::Words("A vertex shader that reads a vec4 with the prolog of one that reads a vec2.");

        /// Prolog and main part run in different stages of the hardware. They find vertex numbers and uniforms elsewhere.
        3034 Invalid RunsAs {
            /// The stage of the hardware that runs the main part.
            main: Stage,
            /// The stage for which the prolog was generated.
            prolog: Stage,
        }
        = "the main part runs as a {main} shader, the prolog as part of a {prolog} shader",
        Example::Words("A vertex shader that runs as a compute shader with the prolog of one that does not.");

        /// The part was generated for another main part. EpilogKey::new and FragmentState::keys compute the keys for a shader.
        3035 Invalid Expects {
            /// The role of the part.
            role: PartRole,
            /// The property of the main part.
            property: &'static str,
            /// Its value in the part's key.
            expected: u8,
            /// Its value in the main part.
            found: u8,
        }
        = "the {role} expects another main part: {property} is {expected:#b} in its key and {found:#b} in the main part",
        Example::Words("A fragment shader that writes two colours with the epilog of one that writes a depth.");

        /// A loop over samples is missing. A shader that runs for each sample finds the sample in a register that the loop
        /// sets.
        3036 Invalid NoLoop
        = "a fragment shader that runs for each sample without a loop over samples",
        Example::Words("A fragment shader that reads gl_SampleID without a loop over samples.");

        /// A loop over samples is superfluous. Only shaders that run for each sample are repeated.
        3037 Invalid Loop {
            /// Stage of the main part.
            stage: Stage,
        }
        = "a {stage} shader that does not run for each sample in a loop over samples",
        Example::Words("A vertex shader in a loop over 4 samples.");

        /// The loop has another number of samples than the epilog. Both have the number of samples of a pixel.
        3038 Invalid LoopSamples {
            /// Samples of the loop.
            samples: u8,
            /// Samples of the epilog's key.
            epilog: u8,
        }
        = "a loop over {samples} samples with an epilog for {epilog}",
        Example::Words("A fragment shader in a loop over 2 samples with an epilog for 4.");

        /// The epilog expects that tests ran before the program, but another part kills samples. FragmentState::keys computes
        /// keys that agree.
        3039 Invalid Untested {
            /// The part that kills samples.
            role: PartRole,
        }
        = "the epilog expects that tests ran before the program, but the {role} kills samples",
        Example::Words("A fragment shader with a discard and the epilog of one without.");

        /// The prolog takes a coefficient for the flag of a cull distance that has other contents.
        /// FragmentPrologKey::with_cull_distances chooses registers.
        3040 Invalid Flag {
            /// The coefficient register.
            register: u8,
        }
        = "the prolog expects the flag of a cull distance in coefficient register {register}, which has other contents",
        Example::Words("A fragment shader with the prolog of one with fewer inputs, which reads cull distances.");

        /// The shader has no output slots. Only shaders that run as vertex shaders store outputs for the rasteriser.
        3041 Invalid NoOutputs {
            /// Stage of the hardware that runs the shader.
            stage: Stage,
        }
        = "a layout of outputs for a {stage} shader",
        Example::Words("A fragment shader with the output layout of a vertex shader.");

        /// The shader is of another stage. The program of a vertex shader is made of a vertex shader.
        3042 Invalid Shader {
            /// The stage required.
            wanted: Stage,
            /// The shader's.
            found: Stage,
        }
        = "expected a {wanted} shader, found a {found} shader",
        Example::Words("A fragment shader for Compiler::vertex_program.");

        /// The shader is neither a geometry nor a mesh shader. Only those store vertices that can be drawn.
        3043 Invalid NotGeometry
        = "expected a geometry or mesh shader",
        Example::Words("A compute shader for Compiler::emitted_vertex.");
    }
}
