//! Acts as the driver for vertex shaders that run as compute shaders: attributes, uniforms, and outputs in memory.

use agx_abi::UniformSource;

use super::draw::{Interface, Programs, place};
use super::textures::{SamplerResource, TextureResource};
use super::{AttributeData, BufferBinding, LaunchError, Layout, StageProgram, take_back, write_range};
use crate::{Access, Dispatch, Options, Report, States, dispatch};

/// Maximum number of vertices of a run, which is one workgroup.
pub const MAX_VERTICES: u32 = 1024;

/// A run of a vertex shader that was compiled as a compute shader: prolog and main part, linked.
#[derive(Debug)]
pub struct VertexLaunch<'a> {
    /// The linked program.
    pub program: StageProgram<'a>,
    /// Buffers, which the shader may write.
    pub buffers: &'a mut [BufferBinding],
    /// Textures and images, of which the shader may write the images.
    pub textures: &'a mut [TextureResource],
    /// Samplers.
    pub samplers: &'a [SamplerResource],
    /// Data of the attributes, by their number.
    pub attributes: &'a [AttributeData<'a>],
    /// Number of vertices, from vertex 0 on: at most [`MAX_VERTICES`].
    pub vertices: u32,
    /// Number of instances; all vertices run for each.
    pub instances: u32,
    /// Options of the machine.
    pub options: Options,
}

impl VertexLaunch<'_> {
    /// Runs the shader. Returns the outputs of each vertex of each instance in order, with a word for each of the
    /// shader's varyings.
    ///
    /// # Errors
    /// [`LaunchError`]: a resource of the shader is missing, or the machine stopped on a fatal finding.
    pub fn run(self) -> Result<(Vec<u8>, Report), LaunchError> {
        let info = self.program.info;
        let mut layout = Layout::new(self.buffers, self.textures, self.samplers)?;
        let attributes =
            self.attributes.iter().map(|data| place(&mut layout, data)).collect::<Result<Vec<_>, _>>()?;
        let count = (self.vertices as usize).saturating_mul(self.instances as usize);
        let bytes = info.varyings.len().saturating_mul(4).saturating_mul(count);
        let outputs = layout.map(vec![0; bytes], Access::READ | Access::WRITE)?;
        let interface = Interface {
            attributes,
            base: [0; 2],
            blend_constant: [0.0; 4],
            root: 0,
            heap: 0,
            samples: 1,
            primitive_vertices: 3,
        };
        let mut state = interface.state(&mut layout, &self.program)?;
        for range in &info.uniforms {
            let value = match range.source {
                UniformSource::VertexOutputs => outputs,
                UniformSource::VertexCount => self.vertices.into(),
                _ => continue,
            };
            write_range(&mut state.uniforms, range, &value.to_le_bytes(), [1; 3])?;
        }
        let programs = Programs::new(&self.program);
        let stage = programs.stage(&self.program, &state);
        let result = dispatch(
            &mut layout.memory,
            &Dispatch {
                program: stage.program,
                preamble: stage.preamble,
                uniforms: stage.uniforms,
                states: States { ..stage.states },
                workgroups: [1, self.instances, 1],
                workgroup_size: [self.vertices, 1, 1],
                threads: None,
                tile: None,
                local_bytes: 0,
                scratch_bytes: stage.scratch_bytes,
                options: self.options,
            },
        );
        let (memory, addresses) = (layout.memory, layout.addresses);
        take_back(&memory, &addresses, self.buffers, self.textures);
        let words = memory.bytes(outputs, bytes).unwrap_or_default().to_vec();
        Ok((words, result?))
    }
}
