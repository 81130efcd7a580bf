//! The form of scene files.

use serde::Deserialize;

/// A scene file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Samples of a pixel: 1, 2 or 4.
    #[serde(default = "one")]
    pub samples: u8,
    /// Format of the render target: `R8G8B8A8_UNORM` or `R8G8B8A8_SRGB`.
    #[serde(default = "unorm")]
    pub format: String,
    /// What the targets hold at first.
    #[serde(default)]
    pub clear: Clear,
    /// Buffers of all shaders.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// What is drawn, in order.
    pub draws: Vec<Draw>,
}

fn one() -> u8 {
    1
}

fn unorm() -> String {
    "R8G8B8A8_UNORM".into()
}

/// What the targets hold at first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Clear {
    /// Red, green, blue, alpha.
    pub colour: [f32; 4],
    /// Depth.
    pub depth: f32,
}

impl Default for Clear {
    fn default() -> Self {
        Clear { colour: [0.0, 0.0, 0.0, 1.0], depth: 1.0 }
    }
}

/// Numbers of one type.
#[derive(Debug, Default, Deserialize)]
pub struct Data {
    f32: Option<Vec<f32>>,
    u32: Option<Vec<u32>>,
    i16: Option<Vec<i16>>,
    u8: Option<Vec<u8>>,
}

impl Data {
    /// The bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.f32.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.u32.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.i16.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.u8.iter().flatten());
        bytes
    }
}

/// A uniform or storage buffer.
#[derive(Debug, Deserialize)]
pub struct Buffer {
    /// Descriptor set.
    #[serde(default)]
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Contents.
    #[serde(flatten)]
    pub data: Data,
}

/// A shader.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shader {
    /// File, beside the scene file.
    pub file: String,
    /// Entry point; absent takes the only one of the stage.
    pub entry: Option<String>,
}

/// A vertex buffer.
#[derive(Debug, Deserialize)]
pub struct VertexBuffer {
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Instances that share an element; absent gives each vertex one of its own.
    pub divisor: Option<u32>,
    /// What the elements hold.
    pub attributes: Vec<Attribute>,
    /// Contents.
    #[serde(flatten)]
    pub data: Data,
}

/// A vertex attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Location in the shader.
    pub location: u32,
    /// Vulkan's name of the format.
    pub format: String,
    /// First byte within an element.
    #[serde(default)]
    pub offset: u32,
}

/// Depth test.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Depth {
    /// `new OP stored`.
    pub compare: String,
    /// Whether passing samples replace the stored depth.
    #[serde(default)]
    pub write: bool,
}

/// Arithmetic of some components.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equation {
    /// What the source is multiplied by.
    pub source: String,
    /// What the destination is multiplied by.
    pub destination: String,
    /// How the products are combined.
    #[serde(default = "add")]
    pub op: String,
}

fn add() -> String {
    "add".into()
}

/// Blending.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// Of red, green, blue.
    pub colour: Equation,
    /// Of alpha; absent takes that of the colour.
    pub alpha: Option<Equation>,
}

/// A draw.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// Vertex shader.
    pub vertex: Shader,
    /// Fragment shader.
    pub fragment: Shader,
    /// `triangles`, `lines` or `points`.
    #[serde(default)]
    pub topology: Option<String>,
    /// Number of vertices, when there are no indices.
    #[serde(default)]
    pub vertices: u32,
    /// Vertex numbers.
    #[serde(default)]
    pub indices: Vec<u32>,
    /// Number of instances.
    #[serde(default = "one_instance")]
    pub instances: u32,
    /// Vertex data.
    #[serde(default)]
    pub vertex_buffers: Vec<VertexBuffer>,
    /// Depth test; absent passes and writes nothing.
    pub depth: Option<Depth>,
    /// Faces that are not drawn: `none`, `front` or `back`.
    pub cull: Option<String>,
    /// Corners of front faces run clockwise on the screen.
    #[serde(default)]
    pub front_clockwise: bool,
    /// Blending; absent replaces.
    pub blend: Option<Blend>,
    /// Blend constant.
    #[serde(default)]
    pub blend_constant: [f32; 4],
    /// Components written, some of `rgba`; absent writes all.
    pub write_mask: Option<String>,
    /// The fragment's alpha becomes coverage.
    #[serde(default)]
    pub alpha_to_coverage: bool,
    /// Samples drawn, bit 0 the first.
    pub sample_mask: Option<u8>,
}

fn one_instance() -> u32 {
    1
}
