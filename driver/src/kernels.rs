//! Compute programs of the driver's own: copies, clears, blits, resolves.
//!
//! They are written in GLSL, compiled like any shader the first time they are used, and see nothing but push constants and
//! descriptors that the driver makes for each launch. A launch has exactly the threads that have something to do, and what they
//! touch is there: nothing is checked. The workgroup that a text is compiled with is not the one it runs with.

use std::sync::{Arc, OnceLock};

use agx_abi::Stage;
use agx_compiler::{CompileKey, Compiler, Input, Scratch};

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::program::{Code, Program};
use crate::render::ClearShaders;
use crate::stages::FragmentStage;
use crate::words::Use;

/// What a program is compiled from.
#[derive(Clone, Copy)]
enum Source {
    /// GLSL.
    Text(&'static str),
    /// The bytes of a SPIR-V module, for programs that read memory by addresses.
    Module(&'static [u8]),
}

impl Source {
    fn input(self) -> Input<'static> {
        match self {
            Source::Text(text) => Input::glsl(text, Stage::Compute),
            Source::Module(bytes) => Input::spirv(bytes),
        }
    }
}

macro_rules! kernels {
    (texts { $($(#[$doc:meta])* $name:ident $file:literal $(+ $more:literal)* $($define:literal)*;)* }
        modules { $($(#[$module_doc:meta])* $module:ident $path:literal;)* }) => {
        /// A program of the driver's own.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kernel {
            $($(#[$doc])* $name,)*
            $($(#[$module_doc])* $module,)*
        }

        /// Source of each.
        const SOURCES: &[Source] = &[
            $(Source::Text(concat!(
                "#version 450\nlayout(local_size_x = 64) in;\n",
                $("#define ", $define, "\n",)*
                include_str!(concat!("kernels/", $file, ".comp")),
                $(include_str!(concat!("kernels/", $more, ".comp")),)*
            )),)*
            $(Source::Module(include_bytes!(concat!("kernels/", $path, ".spv"))),)*
        ];
    };
}

kernels! {
texts {
    /// Copies texels.
    Copy "copy";
    /// Copies texels of 4 bytes to memory.
    TexelsToWords "texels_to_memory" "Element uint" "OF(v) v.x";
    /// Copies texels of 8 bytes to memory.
    TexelsToPairs "texels_to_memory" "Element uvec2" "OF(v) v.xy";
    /// Copies texels of 16 bytes to memory.
    TexelsToQuads "texels_to_memory" "Element uvec4" "OF(v) v";
    /// Copies memory to texels of 4 bytes.
    WordsToTexels "memory_to_texels" "Element uint" "TEXEL(v) uvec4(v, 0, 0, 0)" "FORMAT r32ui";
    /// Copies memory to texels of 8 bytes.
    PairsToTexels "memory_to_texels" "Element uvec2" "TEXEL(v) uvec4(v, 0, 0)" "FORMAT rg32ui";
    /// Copies memory to texels of 16 bytes.
    QuadsToTexels "memory_to_texels" "Element uvec4" "TEXEL(v) v" "FORMAT rgba32ui";
    /// Copies texels to a stretch of memory.
    TexelsToStretch "texels_to_stretch";
    /// Copies a stretch of memory to texels.
    StretchToTexels "stretch_to_texels";
    /// Copies a stretch of memory to another.
    CopyStretch "copy_stretch";
    /// Copies elements of words.
    CopyWords "copy_words";
    /// Copies words of memory.
    CopyMemoryWords "copy_memory" "Element uint";
    /// Copies memory 16 bytes at a time.
    CopyMemoryQuads "copy_memory" "Element uvec4";
    /// Fills memory with a word.
    FillMemoryWords "fill_memory" "Element uint";
    /// Fills memory with 16 bytes.
    FillMemoryQuads "fill_memory" "Element uvec4";
    /// Fills with floats.
    FillFloat "fill" "Value vec4" "FORMAT rgba32f" "Image image2DArray";
    /// Fills with unsigned integers.
    FillUint "fill" "Value uvec4" "FORMAT rgba32ui" "Image uimage2DArray";
    /// Fills with signed integers.
    FillSint "fill" "Value ivec4" "FORMAT rgba32i" "Image iimage2DArray";
    /// Scales floats without filter.
    BlitFloat "blit" "Texture texture2DArray" "Sampled sampler2DArray" "FORMAT rgba32f" "Image image2DArray";
    /// Scales unsigned integers.
    BlitUint "blit" "Texture utexture2DArray" "Sampled usampler2DArray" "FORMAT rgba32ui" "Image uimage2DArray";
    /// Scales signed integers.
    BlitSint "blit" "Texture itexture2DArray" "Sampled isampler2DArray" "FORMAT rgba32i" "Image iimage2DArray";
    /// Scales layers with a linear filter.
    BlitLinear "blit_linear";
    /// Scales a 3D image with a linear filter.
    BlitVolume "blit_volume";
    /// Takes the mean of samples.
    ResolveMean "resolve" "Texture texture2DMS" "Sampled sampler2DMS" "FORMAT rgba32f" "Image image2DArray" "Value vec4"
        "JOIN(a, b) (a + b)" "MEAN";
    /// Takes the least sample of floats.
    ResolveLeastFloat "resolve" "Texture texture2DMS" "Sampled sampler2DMS" "FORMAT rgba32f" "Image image2DArray" "Value vec4"
        "JOIN(a, b) min(a, b)";
    /// Takes the greatest sample of floats.
    ResolveMostFloat "resolve" "Texture texture2DMS" "Sampled sampler2DMS" "FORMAT rgba32f" "Image image2DArray" "Value vec4"
        "JOIN(a, b) max(a, b)";
    /// Takes the least sample of unsigned integers.
    ResolveLeastUint "resolve" "Texture utexture2DMS" "Sampled usampler2DMS" "FORMAT rgba32ui" "Image uimage2DArray"
        "Value uvec4" "JOIN(a, b) min(a, b)";
    /// Takes the greatest sample of unsigned integers.
    ResolveMostUint "resolve" "Texture utexture2DMS" "Sampled usampler2DMS" "FORMAT rgba32ui" "Image uimage2DArray"
        "Value uvec4" "JOIN(a, b) max(a, b)";
    /// Takes the first sample of floats.
    ResolveFloat "resolve" "Texture texture2DMS" "Sampled sampler2DMS" "FORMAT rgba32f" "Image image2DArray" "Value vec4";
    /// Takes the first sample of unsigned integers.
    ResolveUint "resolve" "Texture utexture2DMS" "Sampled usampler2DMS" "FORMAT rgba32ui" "Image uimage2DArray" "Value uvec4";
    /// Takes the first sample of signed integers.
    ResolveSint "resolve" "Texture itexture2DMS" "Sampled isampler2DMS" "FORMAT rgba32i" "Image iimage2DArray" "Value ivec4";
    /// Copies results of queries.
    Queries "queries";
    /// Writes links that depend on a condition.
    Condition "condition";
    /// Copies the parameters of draws, whose number is in memory.
    Draws "draws";
    /// Prepares a launch that captures vertices.
    Capture "capture";
    /// Counts the primitives of a draw.
    Count "count";
    /// Adds the vertices and primitives of a draw to statistics.
    CountDraw "statistics" + "count_draw";
    /// Adds the invocations of a dispatch to a statistic.
    CountDispatch "statistics" + "count_dispatch";
    /// Adds the invocations of generated launches to a statistic.
    CountLaunches "statistics" + "count_launches";
    /// Writes generated launches.
    Sequences "sequences";
    /// Chooses among the programs of generated draws.
    SequenceChoices "sequence_choices";
    /// Writes push constants of generated draws.
    SequencePush "sequence_push";
    /// Writes the places of attributes of generated draws.
    SequenceBuffers "sequence_buffers";
    /// Writes records of generated draws with index buffers.
    SequenceIndices "sequence_indices";
    /// Takes primitives apart that indices restart, or that have adjacent vertices.
    Restart "restart";
    /// Prepares the launches and the draw of a geometry shader.
    Geometry "geometry";
    /// Prepares the launch of the workgroups of a draw of meshes.
    MeshGroups "mesh" + "mesh_groups";
    /// Prepares the launch of the workgroups that task workgroups emit.
    MeshTasks "mesh" + "mesh_tasks";
    /// Counts the primitives of meshes.
    MeshPrimitives "statistics" + "mesh_primitives";
    /// Captures and counts what a geometry shader emitted.
    Gather "gather";
    /// Writes the numbers of a draw of captured vertices.
    ByteCount "byte_count";
    /// Prepares the launches of a tessellated draw.
    Tessellation "tessellation";
    /// Describes tessellated patches.
    Patches "domain" + "patches";
    /// Places the points and indices of tessellated patches.
    PatchSums "domain" + "patch_sums";
    /// Writes the points of tessellated patches.
    DomainPoints "domain" + "domain_points";
    /// Writes the indices of tessellated patches.
    DomainPrimitives "domain" + "domain_primitives";
}
modules {
    /// Copies the parameters of several generated draws of each sequence.
    SequenceCounts "sequences/draw_counts";
    /// Copies the indices of a generated draw.
    SequenceIndexCopies "sequences/index_copies";
    /// Writes records and boxes of triangles.
    StructureTriangles "acceleration/triangles";
    /// Writes records and boxes of boxes.
    StructureBoxes "acceleration/boxes";
    /// Writes records and boxes of instances.
    StructureInstances "acceleration/instances";
    /// Writes the pairs by which leaves are sorted.
    StructureKeys "acceleration/keys";
    /// Does a step of sorting.
    StructureSort "acceleration/sort";
    /// Writes the leaves of a tree in their order.
    StructurePlace "acceleration/place";
    /// Writes the nodes of a tree at a depth.
    StructureJoin "acceleration/join";
    /// Writes a size of a structure.
    StructureMeasure "acceleration/measure";
    /// Writes the serialised form of a structure.
    StructureSerialize "acceleration/serialize";
    /// Writes a structure from its serialised form.
    StructureDeserialize "acceleration/deserialize";
}
}

/// The error of a kernel that the tables do not have.
const UNKNOWN: Error = Error::Invalid { what: "a kernel without text" };

/// The programs of a device.
pub struct Kernels {
    code: Arc<Code>,
    programs: Vec<OnceLock<Result<Arc<Program>, Error>>>,
    no_fragment: OnceLock<Result<Arc<FragmentStage>, Error>>,
    /// The shaders of clears in passes.
    pub(crate) clears: ClearShaders,
}

impl Kernels {
    /// None is compiled yet.
    pub fn new(code: Arc<Code>) -> Kernels {
        let programs = SOURCES.iter().map(|_| OnceLock::new()).collect();
        Kernels { code, programs, no_fragment: OnceLock::new(), clears: ClearShaders::default() }
    }

    /// A program.
    ///
    /// # Errors
    /// Memory is used up.
    #[inline(always)]
    pub fn get(&self, compiler: &Compiler, kernel: Kernel) -> Result<&Arc<Program>, Error> {
        match self.programs.get(kernel as usize).and_then(OnceLock::get) {
            Some(Ok(program)) => Ok(program),
            _ => self.make(compiler, kernel),
        }
    }

    /// As [`Kernels::get`], for a program that may be new.
    #[cold]
    fn make(&self, compiler: &Compiler, kernel: Kernel) -> Result<&Arc<Program>, Error> {
        let place = self.programs.get(kernel as usize).ok_or(UNKNOWN)?;
        place.get_or_init(|| self.compile(compiler, kernel)).as_ref().map_err(Error::clone)
    }

    /// The fragment stage of draws without fragment shader.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn no_fragment(&self, device: &Device) -> Result<Arc<FragmentStage>, Error> {
        let make = || FragmentStage::new(device, None, None, [false, true], Known::default()).map(Arc::new);
        self.no_fragment.get_or_init(make).clone()
    }

    fn compile(&self, compiler: &Compiler, kernel: Kernel) -> Result<Arc<Program>, Error> {
        let source = SOURCES.get(kernel as usize).ok_or(UNKNOWN)?;
        let shader = compiler.compile(&mut Scratch::default(), source.input(), &CompileKey::default())?;
        Ok(Arc::new(Program::used(&self.code, shader, Use::Direct)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_compile_and_read_only_what_launches_give() {
        let compiler = Compiler::default();
        let device = Device::in_test();
        for source in SOURCES {
            let text = match source {
                Source::Text(text) => text,
                Source::Module(_) => "a module",
            };
            let found = compiler.compile(&mut Scratch::default(), source.input(), &CompileKey::default());
            let shader = found.unwrap_or_else(|error| panic!("{text}\n{error}"));
            let placed = Program::used(&device.code, shader, Use::Direct);
            assert!(
                placed.is_ok(),
                "{text}\n{}",
                placed.err().map(|error| error.to_string()).unwrap_or_default()
            );
        }
    }
}
