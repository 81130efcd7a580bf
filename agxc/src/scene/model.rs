//! The form of scene files.

use serde::{Deserialize, Serialize};

/// A scene file.
#[derive(Debug, Serialize, Deserialize)]
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
    /// Initial contents of the targets.
    #[serde(default)]
    pub clear: Clear,
    /// Buffers of all shaders.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// Textures of all shaders.
    #[serde(default)]
    pub textures: Vec<Texture>,
    /// Samplers of all shaders.
    #[serde(default)]
    pub samplers: Vec<Sampler>,
    /// The draws, in order.
    pub draws: Vec<Draw>,
}

fn one() -> u8 {
    1
}

fn unorm() -> String {
    "R8G8B8A8_UNORM".into()
}

/// Initial contents of the targets.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Clear {
    /// Red, green, blue, alpha.
    pub colour: [f32; 4],
    /// Depth.
    pub depth: f32,
    /// Stencil.
    pub stencil: u8,
}

impl Default for Clear {
    fn default() -> Self {
        Clear { colour: [0.0, 0.0, 0.0, 1.0], depth: 1.0, stencil: 0 }
    }
}

/// Structures with numbers in fields named after their types. Flattening a common part would accept unknown fields.
macro_rules! with_numbers {
    ($($(#[$attribute:meta])* pub struct $name:ident { $($(#[$field:meta])* pub $field_name:ident: $type:ty,)* })*) => {$(
        $(#[$attribute])*
        #[derive(Debug, Default, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$field])* pub $field_name: $type,)*
            #[serde(default)]
            f32: Vec<f32>,
            #[serde(default)]
            u32: Vec<u32>,
            #[serde(default)]
            i16: Vec<i16>,
            #[serde(default)]
            u8: Vec<u8>,
        }

        impl $name {
            /// The numbers as bytes, concatenated in the order of the declaration.
            pub fn bytes(&self) -> Vec<u8> {
                let mut bytes = Vec::new();
                bytes.extend(self.f32.iter().flat_map(|number| number.to_le_bytes()));
                bytes.extend(self.u32.iter().flat_map(|number| number.to_le_bytes()));
                bytes.extend(self.i16.iter().flat_map(|number| number.to_le_bytes()));
                bytes.extend(&self.u8);
                bytes
            }
        }
    )*};
}

with_numbers! {
    /// Numbers.
    pub struct Data {}

    /// A uniform or storage buffer.
    pub struct Buffer {
        /// Descriptor set.
        #[serde(default)]
        pub set: u32,
        /// Binding within the set.
        pub binding: u32,
    }

    /// A texture. Exactly one of `file`, `checker` and numbers gives its contents.
    pub struct Texture {
        /// Descriptor set.
        #[serde(default)]
        pub set: u32,
        /// Binding within the set.
        pub binding: u32,
        /// Array element.
        #[serde(default)]
        pub element: u32,
        /// A PNG in the folder of the scene file.
        pub file: Option<String>,
        /// A checkerboard.
        pub checker: Option<Checker>,
        /// Width and height, if numbers are given.
        pub size: Option<[u32; 2]>,
        /// Name of the format; `rgba8` if absent.
        pub format: Option<String>,
        /// Generate smaller levels, each texel as the mean of four.
        #[serde(default)]
        pub levels: bool,
    }

    /// A vertex buffer.
    pub struct VertexBuffer {
        /// Bytes from one element to the next.
        pub stride: u32,
        /// Instances that share an element; if absent, each vertex has its own.
        pub divisor: Option<u32>,
        /// The attributes in an element.
        pub attributes: Vec<Attribute>,
    }
}

/// A checkerboard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checker {
    /// Width and height in texels.
    pub size: [u32; 2],
    /// Squares along a side.
    pub squares: u32,
    /// The two colours, 0 to 255.
    pub colours: [[u8; 4]; 2],
}

/// A sampler.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampler {
    /// Descriptor set.
    #[serde(default)]
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Array element.
    #[serde(default)]
    pub element: u32,
    /// Words that describe it: `linear`, `repeat` and the like.
    #[serde(default)]
    pub state: Vec<String>,
}

/// A shader.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shader {
    /// File, in the folder of the scene file.
    pub file: String,
    /// Entry point; if absent, the only one of the stage.
    pub entry: Option<String>,
}

/// A vertex attribute.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Depth {
    /// `new OP stored`.
    pub compare: String,
    /// Whether passing samples replace the stored depth.
    #[serde(default)]
    pub write: bool,
}

/// Stencil test of front and back faces.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stencil {
    /// `reference OP stored`.
    #[serde(default = "always")]
    pub compare: String,
    /// The reference.
    #[serde(default)]
    pub reference: u8,
    /// Bits compared.
    #[serde(default = "all_bits")]
    pub read_mask: u8,
    /// Bits written.
    #[serde(default = "all_bits")]
    pub write_mask: u8,
    /// If the stencil test fails.
    #[serde(default = "keep")]
    pub fail: String,
    /// If the depth test fails.
    #[serde(default = "keep")]
    pub depth_fail: String,
    /// If both pass.
    #[serde(default = "keep")]
    pub pass: String,
}

fn always() -> String {
    "always".into()
}

fn all_bits() -> u8 {
    0xff
}

fn keep() -> String {
    "keep".into()
}

/// Blend equation of some components.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equation {
    /// Factor of the source.
    pub source: String,
    /// Factor of the destination.
    pub destination: String,
    /// How the products are combined.
    #[serde(default = "add")]
    pub op: String,
}

fn add() -> String {
    "add".into()
}

/// Blending: by `colour` and `alpha`, or by `advanced`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// For red, green, blue.
    pub colour: Option<Equation>,
    /// For alpha; if absent, that of the colour.
    pub alpha: Option<Equation>,
    /// An advanced operation.
    pub advanced: Option<Advanced>,
}

/// An advanced blend operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advanced {
    /// Vulkan's name in lower case.
    pub op: String,
    /// Whether colours of the shader are multiplied by their alpha.
    #[serde(default = "yes")]
    pub source_premultiplied: bool,
    /// Whether colours of the target are.
    #[serde(default = "yes")]
    pub destination_premultiplied: bool,
    /// `uncorrelated`, `disjoint` or `conjoint`.
    #[serde(default = "uncorrelated")]
    pub overlap: String,
}

fn yes() -> bool {
    true
}

fn uncorrelated() -> String {
    "uncorrelated".into()
}

/// A draw.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// Vertex shader.
    pub vertex: Shader,
    /// Fragment shader.
    pub fragment: Shader,
    /// `triangles`, `lines` or `points`.
    #[serde(default)]
    pub topology: Option<String>,
    /// Number of vertices, if there are no indices.
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
    /// Added to vertex numbers.
    #[serde(default)]
    pub base_vertex: u32,
    /// Number of the first instance.
    #[serde(default)]
    pub base_instance: u32,
    /// Push constants of both shaders.
    #[serde(default)]
    pub push_constants: Data,
    /// Left, top, right, bottom of the area that can be drawn to; the last two exclusive.
    pub scissor: Option<[u32; 4]>,
    /// Depth test; if absent it passes and writes nothing.
    pub depth: Option<Depth>,
    /// Stencil test; if absent it passes and writes nothing.
    pub stencil: Option<Stencil>,
    /// Faces that are not drawn: `none`, `front` or `back`.
    pub cull: Option<String>,
    /// Whether vertices of front faces run clockwise on the screen.
    #[serde(default)]
    pub front_clockwise: bool,
    /// Blending; if absent, the target is replaced.
    pub blend: Option<Blend>,
    /// Blend constant.
    #[serde(default)]
    pub blend_constant: [f32; 4],
    /// Written components, letters of `rgba`; all if absent.
    pub write_mask: Option<String>,
    /// Whether the fragment's alpha becomes coverage.
    #[serde(default)]
    pub alpha_to_coverage: bool,
    /// Samples drawn, bit 0 the first.
    pub sample_mask: Option<u8>,
}

fn one_instance() -> u32 {
    1
}
