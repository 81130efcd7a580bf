//! A line of `conformance/amber.jsonl`: shaders as SPIR-V text, buffers, pipelines, commands.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::shared::from_hex;

/// A test in the file's form.
#[derive(Clone, Debug, Deserialize)]
pub struct Test {
    /// Name, unique in the file.
    pub name: String,
    /// `compute` or `fragment`.
    pub kind: String,
    /// Shaders by name.
    pub shaders: BTreeMap<String, Shader>,
    /// Buffers by name.
    pub buffers: BTreeMap<String, Buffer>,
    /// Pipelines by name.
    pub pipelines: BTreeMap<String, Pipeline>,
    /// Commands in order.
    pub commands: Vec<Command>,
}

/// A shader.
#[derive(Clone, Debug, Deserialize)]
pub struct Shader {
    /// `compute`, `vertex` or `fragment`.
    pub stage: String,
    /// SPIR-V assembly; absent for the trivial vertex shader.
    pub spvasm: Option<String>,
    /// Whether it is the trivial vertex shader, which passes positions through.
    #[serde(default)]
    pub passthrough: bool,
}

/// A buffer with contents, or an image of a framebuffer.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Buffer {
    /// Contents in hexadecimal.
    Data {
        /// The bytes.
        bytes: String,
        /// Bytes from one element to the next.
        stride: usize,
        /// Numbers of an element: byte offset and format letter.
        leaves: Vec<(usize, char)>,
    },
    /// A framebuffer attachment.
    Image {
        /// Vulkan's format name without prefix.
        format: String,
    },
}

impl Buffer {
    /// The bytes of a buffer with contents.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Buffer::Data { bytes, .. } => from_hex(bytes),
            Buffer::Image { .. } => None,
        }
    }
}

/// A pipeline.
#[derive(Clone, Debug, Deserialize)]
pub struct Pipeline {
    /// `compute` or `graphics`.
    pub kind: String,
    /// Shaders, one per stage.
    pub attach: Vec<Attachment>,
    /// Buffers by their use.
    pub bind: Vec<Binding>,
    /// Width and height of the framebuffer.
    pub fb: [u32; 2],
}

/// A shader in a pipeline.
#[derive(Clone, Debug, Deserialize)]
pub struct Attachment {
    /// Name of the shader.
    pub shader: String,
    /// Name of the entry point.
    pub entry: String,
    /// Specialization constants by their SpecId.
    pub spec: BTreeMap<String, SpecValue>,
}

/// Value of a specialization constant.
#[derive(Clone, Debug, Deserialize)]
pub struct SpecValue {
    /// `uint32`, `int32`, `float` …
    #[serde(rename = "type")]
    pub kind: String,
    /// The number.
    pub value: serde_json::Number,
}

impl SpecValue {
    /// The raw bits, if the type is known.
    pub fn bits(&self) -> Option<u64> {
        match self.kind.as_str() {
            "float" => Some(u64::from((self.value.as_f64()? as f32).to_bits())),
            "double" => Some(self.value.as_f64()?.to_bits()),
            "uint32" | "int32" | "bool" => {
                let wide = self.value.as_i64().map(i64::cast_unsigned).or(self.value.as_u64())?;
                Some(wide & 0xffff_ffff)
            }
            _ => None,
        }
    }
}

/// Use of a buffer by a pipeline.
#[derive(Clone, Debug, Deserialize)]
pub struct Binding {
    /// Name of the buffer.
    pub buffer: String,
    /// `storage`, `uniform`, `push_constant` or `color`.
    #[serde(rename = "as")]
    pub role: String,
    /// Descriptor set of buffers.
    #[serde(default)]
    pub set: u32,
    /// Binding within the set.
    #[serde(default)]
    pub binding: u32,
    /// Location of a colour attachment.
    #[serde(default)]
    pub location: u32,
}

/// A step of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Command {
    /// Dispatch.
    Run {
        /// Pipeline.
        pipeline: String,
        /// Number of workgroups.
        groups: [u32; 3],
    },
    /// Draw a rectangle.
    DrawRect {
        /// Pipeline.
        pipeline: String,
        /// x, y, width, height in pixels.
        rect: [f64; 4],
    },
    /// Set the colour of later clears.
    ClearColor {
        /// Pipeline.
        pipeline: String,
        /// Colour, 0 to 255.
        rgba: [f64; 4],
    },
    /// Fill the colour attachments.
    Clear {
        /// Pipeline.
        pipeline: String,
    },
    /// Check a buffer.
    Expect(Expect),
}

/// The expected contents of a buffer.
#[derive(Clone, Debug, Deserialize)]
pub struct Expect {
    /// Buffer.
    pub buffer: String,
    /// Comparison: EQ, EQ_BUFFER, EQ_RGBA, EQ_RGB, EQ_HISTOGRAM_EMD_BUFFER.
    pub cmp: String,
    /// The other buffer of a comparison.
    #[serde(default)]
    pub other: String,
    /// Expected numbers with their positions.
    #[serde(default)]
    pub values: Vec<ExpectedNumber>,
    /// Tolerances: a number, with `%` for a relative one. Values use them in turn.
    #[serde(default)]
    pub tolerance: Vec<String>,
    /// Corner of a rectangle of pixels.
    #[serde(default)]
    pub idx: Vec<u32>,
    /// Width and height of the rectangle.
    #[serde(default)]
    pub size: Vec<u32>,
    /// Expected colour, 0 to 255.
    #[serde(default)]
    pub rgba: Vec<f64>,
}

/// A number at a position in a buffer.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpectedNumber {
    /// Byte offset in the buffer.
    pub offset: usize,
    /// Format letter: b h i q signed, B H I Q unsigned, e f d floats.
    pub fmt: char,
    /// The number.
    pub value: serde_json::Number,
}
