//! Stages that the hardware lacks: geometry and tessellation shaders, and the programs around them.

use agx_abi::Stage;
use agx_abi::tessellation::{Domain, Spacing, TessellationInfo};
use agx_abi::vertex::{RunsAs, stored_words};
use agx_compiler::link::{Assembly, AttributeKey, IndexSize, Parts, Primitives, VertexPrologKey, link};
use agx_compiler::{CompileKey, GeometryKey};

use crate::error::AgxError;
use crate::key::{AgxCompiler, AgxKey, numbered};
use crate::program::{AgxProgram, inputs_of, source_of};
use crate::shader::AgxShader;

/// Modes of a geometry shader, and its use of memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxGeometryInfo {
    /// Vertices of an input primitive, including adjacent ones.
    pub input_vertices: u32,
    /// Vertices of an output primitive: 1 point, 2 line, 3 triangle.
    pub corners: u32,
    /// Invocations for each primitive.
    pub invocations: u32,
    /// Maximum number of vertices that an invocation emits.
    pub max_vertices: u32,
    /// Number of indices of an invocation.
    pub indices: u32,
    /// Bytes of an emitted vertex.
    pub vertex_bytes: u32,
    /// Whether vertices go to several streams. The slot of `AGX_OUTPUT_KIND_STREAM` tells the stream of the primitive that a
    /// vertex in memory completes, `UINT32_MAX` if it completes none, and those of `AGX_OUTPUT_KIND_STREAM_CORNER` its
    /// corners if it is not a point; the indices are those of stream 0.
    pub streams: bool,
}

/// Shapes of domains.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxDomain {
    /// The other tessellation shader declares it.
    Undeclared = 0,
    /// Triangles.
    Triangles = 1,
    /// Quads.
    Quads = 2,
    /// Parallel lines.
    Isolines = 3,
}

/// How edges of domains are divided.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxSpacing {
    /// The other tessellation shader declares it.
    Undeclared = 0,
    /// Segments of equal length.
    Equal = 1,
    /// An even number of segments, two of which may be shorter.
    FractionalEven = 2,
    /// An odd number of segments, two of which may be shorter.
    FractionalOdd = 3,
}

/// Orders of the vertices of triangles in the domain.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxOrder {
    /// The other tessellation shader declares it.
    Undeclared = 0,
    /// Clockwise.
    Clockwise = 1,
    /// Counterclockwise.
    Counterclockwise = 2,
}

/// Modes of a tessellation shader, and its use of memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxTessellationInfo {
    /// Bytes of a vertex that a control shader reads.
    pub input_bytes: u32,
    /// Bytes of the record of a patch.
    pub record_bytes: u32,
    /// Vertices of the patch: the invocations of a control shader.
    pub vertices: u32,
    /// Shape of the domain.
    pub domain: AgxDomain,
    /// Division of edges.
    pub spacing: AgxSpacing,
    /// Order of the vertices of triangles.
    pub order: AgxOrder,
    /// Whether the result is a point for each vertex.
    pub points: bool,
}

/// Primitives that the vertices of a draw form.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxPrimitives {
    /// Lists of any primitives or patches.
    List = 0,
    /// Line strips.
    LineStrip = 1,
    /// Triangle strips.
    TriangleStrip = 2,
    /// Triangle fans.
    TriangleFan = 3,
    /// Line strips with adjacent vertices.
    LineStripAdjacency = 4,
    /// Triangle strips with adjacent vertices.
    TriangleStripAdjacency = 5,
}

/// Selects geometry entry points that read the outputs of `vertex`; no geometry entry point without it.
pub(crate) fn set_geometry(
    key: &mut AgxKey,
    vertex: Option<&AgxShader>,
    last_provokes: bool,
) -> Result<(), AgxError> {
    vertex.map_or(Ok(()), runs_as_compute)?;
    key.0.geometry = vertex.map(|shader| GeometryKey {
        inputs: shader.0.info.varyings.clone(),
        last_provokes,
        ..GeometryKey::default()
    });
    Ok(())
}

/// Checks that a shader is a vertex or evaluation shader that runs as a compute shader.
fn runs_as_compute(shader: &AgxShader) -> Result<(), AgxError> {
    shader.expect(Stage::Vertex, "the shader")?;
    match shader.0.info.runs_as {
        RunsAs::Compute => Ok(()),
        RunsAs::Vertex => Err(AgxError::argument("the shader does not run as a compute shader")),
    }
}

/// The properties of a tessellation control shader.
fn control_of(shader: &AgxShader) -> Result<TessellationInfo, AgxError> {
    let info = tessellation_of(shader)?;
    shader.expect(Stage::Compute, "the control shader").map(|()| info)
}

/// The properties of a tessellation shader.
fn tessellation_of(shader: &AgxShader) -> Result<TessellationInfo, AgxError> {
    shader.0.info.tessellation.ok_or_else(|| AgxError::argument("the shader is not a tessellation shader"))
}

/// Selects tessellation entry points, with the record of a patch that `control` stores.
pub(crate) fn set_tessellation(
    key: &mut AgxKey,
    is_tessellation: bool,
    control: Option<&AgxShader>,
) -> Result<(), AgxError> {
    let record = control.map(control_of).transpose()?.map(|info| info.record);
    key.0.tessellation = is_tessellation.then(|| record.unwrap_or_default());
    Ok(())
}

/// Stores the outputs of a vertex shader in the rows that `control` reads; in slots without it.
pub(crate) fn set_stored_rows(key: &mut AgxKey, control: Option<&AgxShader>) -> Result<(), AgxError> {
    key.0.stored_rows = control.map(control_of).transpose()?.map(|info| info.inputs);
    Ok(())
}

impl AgxShader {
    /// Modes of a geometry shader.
    pub(crate) fn geometry(&self) -> Result<AgxGeometryInfo, AgxError> {
        let missing = || AgxError::argument("the shader is not a geometry shader");
        let modes = self.0.info.geometry.ok_or_else(missing)?;
        Ok(AgxGeometryInfo {
            input_vertices: modes.input_vertices,
            corners: modes.corners,
            invocations: modes.invocations,
            max_vertices: modes.max_vertices,
            indices: modes.indices(),
            vertex_bytes: 4 * stored_words(&self.0.info.varyings),
            streams: modes.streams,
        })
    }

    /// Modes of a tessellation shader.
    pub(crate) fn tessellation(&self) -> Result<AgxTessellationInfo, AgxError> {
        let TessellationInfo { inputs, record, domain, spacing, clockwise, points } = tessellation_of(self)?;
        Ok(AgxTessellationInfo {
            input_bytes: inputs.bytes(),
            record_bytes: record.bytes(),
            vertices: record.vertices,
            domain: match domain {
                None => AgxDomain::Undeclared,
                Some(Domain::Triangles) => AgxDomain::Triangles,
                Some(Domain::Quads) => AgxDomain::Quads,
                Some(Domain::Isolines) => AgxDomain::Isolines,
            },
            spacing: match spacing {
                None => AgxSpacing::Undeclared,
                Some(Spacing::Equal) => AgxSpacing::Equal,
                Some(Spacing::FractionalEven) => AgxSpacing::FractionalEven,
                Some(Spacing::FractionalOdd) => AgxSpacing::FractionalOdd,
            },
            order: match clockwise {
                None => AgxOrder::Undeclared,
                Some(true) => AgxOrder::Clockwise,
                Some(false) => AgxOrder::Counterclockwise,
            },
            points,
        })
    }
}

/// The source of vertex numbers of a draw with indices of this size.
pub(crate) fn assembly(index_bytes: u32, primitives: u32, last_provokes: bool) -> Result<Assembly, AgxError> {
    let all = [
        Primitives::List,
        Primitives::LineStrip,
        Primitives::TriangleStrip { last_provokes },
        Primitives::TriangleFan { last_provokes },
        Primitives::LineStripAdjacency,
        Primitives::TriangleStripAdjacency { last_provokes },
    ];
    let index = match index_bytes {
        0 => None,
        1 => Some(IndexSize::B8),
        2 => Some(IndexSize::B16),
        4 => Some(IndexSize::B32),
        other => {
            return Err(AgxError::argument(format!("indices of {other} bytes: expected 0, 1, 2 or 4")));
        }
    };
    Ok(Assembly { index, primitives: numbered("primitives", &all, primitives)? })
}

/// The program of a vertex or evaluation shader that runs as a compute shader.
pub(crate) fn stored_vertex(
    compiler: &mut AgxCompiler,
    shader: &AgxShader,
    attributes: &[AttributeKey],
    assembly: Assembly,
) -> Result<AgxProgram, AgxError> {
    let info = &shader.0.info;
    runs_as_compute(shader)?;
    let mut key = VertexPrologKey::new(info, source_of(attributes));
    key.assembly = assembly;
    let AgxCompiler { compiler, scratch } = compiler;
    let prolog = compiler.vertex_prolog(scratch, &key, &CompileKey::default())?;
    let parts = Parts { prolog: Some(&prolog), ..Parts::new(&shader.0) };
    Ok(AgxProgram(link(&parts)?))
}

/// The vertex shader that draws the vertices that a geometry shader emits.
pub(crate) fn emitted_vertex(
    compiler: &mut AgxCompiler,
    geometry: &AgxShader,
    fragment: Option<&AgxShader>,
) -> Result<AgxShader, AgxError> {
    geometry.geometry()?;
    let mut key = CompileKey::default();
    key.fragment_inputs = inputs_of(fragment)?.map(<[_]>::to_vec);
    let AgxCompiler { compiler, scratch } = compiler;
    Ok(AgxShader(compiler.emitted_vertex(scratch, &geometry.0.info, &key)?.shader))
}
