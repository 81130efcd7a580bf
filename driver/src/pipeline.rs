//! Pipelines: shaders compiled for a layout and a state.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use agx_abi::Stage;
use agx_compiler::{Bounds, CompileKey, Conversion, Input, Robustness};

use rustc_hash::FxHasher;

use crate::Error;
use crate::cache::Known;
use crate::device::{Device, Enabled};
use crate::program::Program;

/// The bytes of a shader module, with a hash that is computed once.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Module {
    hash: u64,
    bytes: Vec<u8>,
}

impl Module {
    /// The module of these bytes.
    pub fn new(bytes: Vec<u8>) -> Arc<Module> {
        let mut hasher = FxHasher::default();
        hasher.write(&bytes);
        Arc::new(Module { hash: hasher.finish(), bytes })
    }

    /// A name of the module, which other builds of the compiler do not have.
    pub fn identifier(&self, device: &Device) -> [u8; 16] {
        device.compiler.cache_key(Input::spirv(self), &CompileKey::default()).to_le_bytes()
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module")
            .field("hash", &self.hash)
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

impl std::ops::Deref for Module {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Hash for Module {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// A shader of a pipeline.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ShaderSource {
    /// SPIR-V.
    pub code: Arc<Module>,
    /// Name of the entry point.
    pub entry_point: String,
    /// Specialization constants by id, as raw bits.
    pub constants: Vec<(u32, u64)>,
    /// Whether workgroup numbers may start at a number other than 0.
    pub has_base: bool,
    /// The results of accesses outside buffers, if they differ from the device's.
    pub robustness: PipelineRobustness,
    /// Bindings whose colours are converted.
    pub conversions: Vec<Conversion>,
    /// Whether it is compiled as for a device without features, whichever the device has.
    pub featureless: bool,
}

/// Robustness of a pipeline; `None` means the device's. The device's is always the minimum, because it may be needed
/// for null descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PipelineRobustness {
    /// Uniform buffers.
    pub uniform: Option<Bounds>,
    /// Storage buffers.
    pub storage: Option<Bounds>,
    /// Images.
    pub image: Option<Bounds>,
    /// Vertex attributes.
    pub vertex: Option<Bounds>,
}

impl PipelineRobustness {
    fn of(self, device: Robustness) -> Robustness {
        let more = |device: Bounds, wanted: Option<Bounds>| match (device, wanted) {
            (Bounds::Unchecked, Some(wanted)) | (Bounds::Clamped, Some(wanted @ Bounds::Exact)) => wanted,
            _ => device,
        };
        Robustness {
            uniform: more(device.uniform, self.uniform),
            storage: more(device.storage, self.storage),
            image: more(device.image, self.image),
        }
    }
}

/// First word of SPIR-V's `OpCapability`, which has two words.
const CAPABILITY: u32 = 2 << 16 | 17;

/// SPIR-V's capability for cull distances.
const CULL_DISTANCE: u32 = 33;

/// SPIR-V's capability for barycentric coordinates and values at each vertex.
const FRAGMENT_BARYCENTRIC: u32 = 5284;

impl ShaderSource {
    /// The shader with the robustness of its pipeline, unless its stage has its own.
    #[must_use]
    pub fn or(mut self, robustness: Option<PipelineRobustness>) -> ShaderSource {
        if self.robustness == PipelineRobustness::default() {
            self.robustness = robustness.unwrap_or_default();
        }
        self
    }

    /// Whether vertex attributes beyond the end of their buffer are zeros.
    pub fn has_exact_attributes(&self, device: &Device) -> bool {
        let Robustness { storage, .. } = device.enabled.robustness;
        [Some(storage), self.robustness.vertex].contains(&Some(Bounds::Exact))
    }

    /// Whether it may write cull distances.
    pub fn culls(&self) -> bool {
        self.declares(CULL_DISTANCE)
    }

    /// Whether it may read values at each vertex of a primitive.
    pub fn reads_vertices(&self) -> bool {
        self.declares(FRAGMENT_BARYCENTRIC)
    }

    /// Whether it declares a capability.
    fn declares(&self, wanted: u32) -> bool {
        let words = self.code.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        let mut words = words.skip(5);
        // Capabilities precede all other instructions.
        while let (Some(first), Some(capability)) = (words.next(), words.next()) {
            if first != CAPABILITY {
                return false;
            }
            if capability == wanted {
                return true;
            }
        }
        false
    }

    /// The compiler's key for a stage.
    pub fn key(&self, device: &Device, stage: Stage) -> CompileKey {
        let enabled = if self.featureless { Enabled::default() } else { device.enabled };
        let mut key = CompileKey::default();
        key.entry_point = Some(self.entry_point.clone());
        key.stage = Some(stage);
        key.spec_constants = self.constants.clone();
        key.robustness = self.robustness.of(enabled.robustness);
        key.sampler_bias = true;
        key.pairs_samplers = enabled.open_borders;
        key.texel_triples = true;
        key.conversions.clone_from(&self.conversions);
        key.workgroup_base = self.has_base;
        key
    }
}

/// A compute pipeline.
pub struct ComputePipeline {
    /// Its program.
    pub program: Program,
}

impl ComputePipeline {
    /// The pipeline of a shader, compiled if it is not known.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn new(
        device: &Device,
        source: ShaderSource,
        known: Known<'_>,
    ) -> Result<Arc<ComputePipeline>, Error> {
        known.made(
            |made| &made.compute,
            source,
            |source| {
                let (input, key) = (Input::spirv(&source.code), source.key(device, Stage::Compute));
                let name = device.compiler.cache_key(input, &key).to_le_bytes().to_vec();
                let shader = known.shader(name, || device.compile(input, &key))?;
                Ok(ComputePipeline { program: Program::new(&device.code, shader)? })
            },
        )
    }
}
