//! The vertex shader of the hardware that draws the vertices which a geometry or mesh shader stored.

use agx_abi::vertex::{Output, Varying, stored_words};
use agx_abi::{MeshKind, ShaderInfo, Stage, UniformSource};

use super::whole::Whole;
use super::{LinkError, WholeShader};
use crate::context::Facts;
use crate::error::CompileError;
use crate::frontend::kit::Kit;
use crate::frontend::kit::vertex::{self, VertexInput, VertexOutput};
use crate::ir::{Access, Arithmetic, Build, Function, IrOp, Src, Type};
use crate::{CompileKey, Compiler, Input, Scratch};

/// Bytes of a word.
const WORD_BYTES: u32 = 4;

impl Compiler {
    /// A vertex shader that loads its outputs, which the geometry or mesh shader `emitter` stored
    /// ([`agx_abi::geometry`], [`agx_abi::mesh`]); the number of a vertex is its index.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`]; an emitter that is neither a geometry nor a mesh shader.
    pub fn emitted_vertex(
        &self,
        scratch: &mut Scratch,
        emitter: &ShaderInfo,
        key: &CompileKey,
    ) -> Result<WholeShader, CompileError> {
        if emitter.geometry.is_none() && emitter.mesh.is_none_or(|mesh| mesh.kind != MeshKind::Mesh) {
            return Err(LinkError::NotGeometry.into());
        }
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "emitted");
        let mut kit = Kit::start(&mut f, Stage::Vertex, key);
        vertex::begin(&mut kit, [])?;
        let words = load(&mut kit, &emitter.varyings);
        vertex::end(&mut kit, &words)?;
        let info = ShaderInfo { whole: true, ..kit.finish("emitted")? };
        let facts = Facts { info, ..Facts::new(self.target(), key) };
        self.finish_whole(f, facts.into(), Input::spirv(&[]), Whole::default())
    }
}

/// Loads the words of a vertex.
fn load(kit: &mut Kit<'_, '_>, varyings: &[Varying]) -> Vec<(VertexOutput, Src)> {
    let slots = stored_words(varyings);
    let base = kit.uniforms.get(UniformSource::GeometryVertices, 0, 64);
    let number = vertex::input(kit, VertexInput::VertexIndex);
    let first = kit.b.imul(number, Src::imm32(WORD_BYTES * slots));
    let mut words = Vec::with_capacity(varyings.len());
    for varying in varyings {
        let offset = kit.b.iadd(first, Src::imm32(WORD_BYTES * u32::from(varying.slot)));
        let mods = [Access::READONLY.bits(), WORD_BYTES];
        let word = Src::value(kit.b.value(IrOp::LoadGlobal, Type::B32, &[base, offset], &mods));
        let output = match varying.output {
            Output::Position(component) => VertexOutput::Position(component),
            Output::PointSize => VertexOutput::PointSize,
            Output::ClipDistance(index) => VertexOutput::ClipDistance(index),
            Output::CullDistance(index) => VertexOutput::CullDistance(index),
            Output::PrimitiveId => VertexOutput::PrimitiveId,
            Output::User { location, component } => VertexOutput::User { location, component },
            Output::LayerAndViewport => {
                let layer = kit.b.and(word, Src::imm32(0xffff));
                words.push((VertexOutput::Layer, layer));
                words.push((VertexOutput::Viewport, kit.b.ushr(word, Src::imm32(16))));
                continue;
            }
            // The indices are those of the drawn stream. Outputs that derive from others are not stored.
            Output::Stream
            | Output::StreamCorner(_)
            | Output::ReadClipDistance(_)
            | Output::ReadPosition(_)
            | Output::CornerPosition(_)
            | Output::Culled(_)
            | Output::Viewport => continue,
        };
        words.push((output, word));
    }
    words
}
