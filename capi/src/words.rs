//! Rasteriser words for a pair of shaders.

use agx_abi::Stage;
use agx_abi::fragment::Corner;
use agx_abi::varyings::CoefficientBindings;

use crate::bytes::AgxBuffer;
use crate::error::AgxError;
use crate::key::numbered;
use crate::program::AgxProgram;
use crate::shader::AgxShader;

/// Records that depend on the vertex and the fragment shader.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxWords {
    /// The output groups that exist, and their use by the rasteriser.
    OutputSelect = 0,
    /// Number of output words per vertex.
    VertexOutputs = 1,
    /// Number of varyings of each kind.
    VaryingCounts = 2,
    /// Sources of the fragment shader's coefficient registers.
    CoefficientBindings = 3,
    /// The second word of fragment control.
    FragmentControl = 4,
}

/// The vertex of a primitive that provides flat values.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxProvoking {
    /// The first.
    First = 0,
    /// The second, of triangle fans.
    Second = 1,
    /// The last of a triangle.
    Third = 2,
}

/// The records of `kind` for a pair of shaders.
pub(crate) fn words(
    vertex: &AgxShader,
    fragment: &AgxShader,
    program: &AgxProgram,
    kind: u32,
    provoking: u32,
) -> Result<AgxBuffer, AgxError> {
    vertex.expect(Stage::Vertex, "the vertex shader")?;
    fragment.expect(Stage::Fragment, "the fragment shader")?;
    let kinds = [
        AgxWords::OutputSelect,
        AgxWords::VertexOutputs,
        AgxWords::VaryingCounts,
        AgxWords::CoefficientBindings,
        AgxWords::FragmentControl,
    ];
    let provoking = numbered("provoking vertex", &[Corner::First, Corner::Second, Corner::Third], provoking)?;
    let layout = vertex.0.info.output_layout(&fragment.0.info.fragment.coefficients);
    let info = program.0.info(&fragment.0.info);
    let coefficients = CoefficientBindings::new(&info.fragment.coefficients, &layout);
    let bytes = match numbered("words", &kinds, kind)? {
        AgxWords::OutputSelect => layout.output_select(&coefficients),
        AgxWords::VertexOutputs => layout.vertex_outputs(),
        AgxWords::VaryingCounts => layout.counts.to_bytes(),
        AgxWords::CoefficientBindings => coefficients.to_bytes(provoking),
        AgxWords::FragmentControl => Ok(program.0.fragment_control().packed().bytes().to_vec()),
    };
    bytes.map(AgxBuffer).map_err(|error| AgxError::argument(error.to_string()))
}
