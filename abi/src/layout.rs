//! The uniform file of a compiled shader: the half-words that the driver fills, and their contents.
//!
//! A compiled shader lists its uniform registers as [`UniformRange`]s in ascending order. The driver writes
//! each range before it launches the shader. The default layout contains only what the shader uses, in this
//! order:
//!
//! 1. addresses of texture tables, 64 bits each: texture operands can only address half-words below 128;
//! 2. addresses of buffers, 64 bits each, by (set, binding, element): below half-word 256, the limit of memory operands
//!    (Mesa 25.0 AGX compiler), or the program copies them to registers;
//! 3. addresses of descriptor tables, for arrays of buffers indexed by a run-time value, and of the constant section;
//! 4. sizes of buffers in bytes, 32 bits each;
//! 5. the number of workgroups, three 32-bit values, and descriptors of textures, six 32-bit words each;
//! 6. push constants, as many as fit, with 64-bit values where memory operands read them;
//! 7. constants that the compiler promoted.

use std::fmt;

use crate::textures::DescriptorKind;

/// Half-words in the uniform file.
pub const UNIFORM_HALVES: u16 = 512;

/// Memory operands can address uniforms below this half-word.
pub const MEMORY_BASE_HALVES: u16 = 256;

/// Texture operands can address table addresses that start below this half-word.
pub const TEXTURE_TABLE_HALVES: u16 = 128;

/// Number of tables of textures whose whole addresses a shader reads. Others are found from [`UniformSource::TableBase`], because
/// this many addresses nearly fill the half-words that texture operands can address.
pub const MOST_TEXTURE_TABLES: usize = 24;

/// Size of one record in a descriptor table: 64-bit address, 32-bit size in bytes, 32 bits of zero.
pub const DESCRIPTOR_BYTES: u32 = 16;

/// Properties common to all uniforms of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceDesc {
    /// Name in listings and JSON.
    pub name: &'static str,
    /// Number of half-words; 0 if that differs between ranges.
    pub halves: u16,
    /// Position in the resource layout: lower ranks come first.
    pub rank: u8,
    /// The half-word of the uniform file at or before which it must end.
    pub reach: u16,
    /// Description of the contents. `{place}` denotes set, binding and element; other names in braces denote
    /// the field with that name.
    pub text: &'static str,
}

/// A field of a [`UniformSource`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue {
    /// A number.
    Number(u32),
    /// A word.
    Word(&'static str),
}

impl From<u32> for FieldValue {
    fn from(number: u32) -> Self {
        FieldValue::Number(number)
    }
}

impl From<DescriptorKind> for FieldValue {
    fn from(kind: DescriptorKind) -> Self {
        FieldValue::Word(kind.name())
    }
}

impl From<InterfaceUniform> for FieldValue {
    fn from(uniform: InterfaceUniform) -> Self {
        FieldValue::Word(uniform.describe())
    }
}

/// Defines [`UniformSource`] with a row for each variant: name, half-words, rank, reach, text.
macro_rules! sources {
    ($($(#[$doc:meta])* $variant:ident
        $({ $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)* })?
        $(($inner:ident: $inner_type:ty))?
        => $name:literal, $halves:expr, $rank:literal, $reach:expr, $text:literal;)*) => {
        /// The contents of a range of the uniform file.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum UniformSource {
            $($(#[$doc])* $variant $({ $($(#[$field_doc])* $field: $field_type,)* })? $(($inner_type))?,)*
        }

        impl UniformSource {
            /// Its row.
            pub fn desc(self) -> &'static SourceDesc {
                match self {
                    $(UniformSource::$variant { .. } => &SourceDesc {
                        name: $name, halves: $halves, rank: $rank, reach: $reach, text: $text,
                    },)*
                }
            }

            /// Names and values of its fields, in declaration order. A uniform of the interface has its kind as a
            /// word, then the number of its attribute or target, if it belongs to one.
            pub fn fields(self) -> Vec<(&'static str, FieldValue)> {
                let mut fields: Vec<(&'static str, FieldValue)> = match self {
                    $(UniformSource::$variant $({ $($field),* })? $(($inner))? => vec![
                        $($((stringify!($field), $field.into()),)*)? $((stringify!($inner), $inner.into()),)?
                    ],)*
                };
                if let UniformSource::Interface(uniform) = self {
                    fields.extend(uniform.number().map(|(name, number)| (name, number.into())));
                }
                fields
            }
        }
    };
}

/// Number of half-words of a 64-bit address.
const ADDRESS: u16 = 4;

/// Granularity of the offsets of uniform buffers if bounds are checked. All bytes up to the next multiple
/// after the size are readable, at least the first granule, and count as inside.
pub const BLOCK_GRANULE_BYTES: u32 = 64;

/// Number of zero bytes at [`UniformSource::Zeros`]: the maximum size of a uniform buffer.
pub const ZEROS_BYTES: u32 = 1 << 16;

sources! {
    /// 64-bit address of the buffer bound at (set, binding), array element `element`. For a uniform block,
    /// all bytes of its type must be readable there, even in invocations that the program's conditions would
    /// exclude.
    BufferAddress {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 if the binding is not an array.
        element: u32,
    } => "buffer_address", ADDRESS, 1, MEMORY_BASE_HALVES, "address of buffer {place}";
    /// 64-bit address of a table of [`DESCRIPTOR_BYTES`] records, one for each array element of (set, binding).
    DescriptorTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
    } => "descriptor_table", ADDRESS, 2, MEMORY_BASE_HALVES, "address of the table of buffers {place}";
    /// 64-bit address of a table of descriptors of textures or images, [`crate::textures::DESCRIPTOR_BYTES`] for each
    /// array element of (set, binding).
    TextureTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Which descriptors.
        kind: DescriptorKind,
    } => "texture_table", ADDRESS, 0, TEXTURE_TABLE_HALVES, "address of the table of {kind}s {place}";
    /// 64-bit address of which all tables of textures have the upper half, and whose lower half is zero. Only shaders with more
    /// than [`MOST_TEXTURE_TABLES`] tables read it, and only for them the driver has to place all tables within such four gigabytes.
    TableBase => "table_base", ADDRESS, 0, TEXTURE_TABLE_HALVES, "address with the upper half of those of all tables of textures";
    /// The lower 32 bits of the address of a table of textures or images ([`UniformSource::TextureTable`]).
    TextureTableLow {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Which descriptors.
        kind: DescriptorKind,
    } => "texture_table_low", 2, 5, UNIFORM_HALVES, "lower half of the address of the table of {kind}s {place}";
    /// 64-bit address of a table of 16-bit numbers, one for each array element of (set, binding),
    /// [`crate::textures::NUMBER_STRIDE`] bytes apart: the number of the sampler state register that holds
    /// the element's sampler, or of its position in the heap.
    SamplerTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
    } => "sampler_table", ADDRESS, 2, MEMORY_BASE_HALVES, "address of the table of samplers {place}";
    /// The level bias of the sampler bound at (set, binding), array element `element`: a 16-bit float, then
    /// 16 unused bits. The hardware's samplers have no bias.
    SamplerBias {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 if the binding is not an array.
        element: u32,
    } => "sampler_bias", 2, 5, UNIFORM_HALVES, "level bias of sampler {place}";
    /// 64-bit address of the level biases of the samplers of (set, binding): a 16-bit float for each array
    /// element, [`crate::textures::BIAS_STRIDE`] bytes apart.
    SamplerBiasTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
    } => "sampler_bias_table", ADDRESS, 2, MEMORY_BASE_HALVES, "address of the level biases of samplers {place}";
    /// 64-bit address of the memory of a descriptor set, laid out according to [`crate::pipeline`].
    SetAddress {
        /// Descriptor set.
        set: u32,
    } => "set_address", ADDRESS, 0, TEXTURE_TABLE_HALVES, "address of descriptor set {set}";
    /// 32-bit offset in bytes that is added to the address of a buffer ([`crate::pipeline::BindingLayout::dynamic_offset`]).
    DynamicOffset {
        /// Its number.
        index: u32,
    } => "dynamic_offset", 2, 5, UNIFORM_HALVES, "dynamic offset {index}";
    /// The texture descriptor bound at (set, binding), array element `element`: six 32-bit words.
    TextureWords {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 if the binding is not an array.
        element: u32,
    } => "texture_words", 12, 5, UNIFORM_HALVES, "descriptor of texture {place}";
    /// 64-bit address of the shader's constant section ([`crate::ShaderInfo::constants`]).
    ConstantAddress => "constant_address", ADDRESS, 3, MEMORY_BASE_HALVES, "address of the constant section";
    /// 32-bit size in bytes, at most 2^32 - 64, of the buffer bound at (set, binding), array element `element`.
    BufferSize {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 if the binding is not an array.
        element: u32,
    } => "buffer_size", 2, 4, UNIFORM_HALVES, "size of buffer {place} in bytes";
    /// 64-bit address of [`ZEROS_BYTES`] bytes of zeros, for buffer loads out of bounds.
    Zeros => "zeros", ADDRESS, 5, UNIFORM_HALVES, "address of zeros";
    /// Number of workgroups in x, y and z, 32 bits each.
    WorkgroupCount => "workgroup_count", 6, 5, UNIFORM_HALVES, "number of workgroups";
    /// Number of the first workgroup in x, y and z, 32 bits each.
    WorkgroupBase => "workgroup_base", 6, 5, UNIFORM_HALVES, "number of the first workgroup";
    /// A uniform shared by the parts of a vertex or fragment shader, at a fixed position.
    Interface(what: InterfaceUniform) => "interface", ADDRESS, 5, MEMORY_BASE_HALVES, "{what}";
    /// The sample positions of a pixel, 32 bits: see [`crate::fragment::pack_sample_positions`].
    SamplePositions => "sample_positions", 2, 5, UNIFORM_HALVES, "sample positions";
    /// 64-bit address of the outputs of a vertex shader that runs as a compute shader: the words of a
    /// vertex's slots are consecutive, then the vertices of an instance, then the instances.
    VertexOutputs => "vertex_outputs", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the vertex outputs";
    /// 64-bit address of the vertices that a geometry shader stores ([`crate::geometry`]).
    GeometryVertices => "geometry_vertices", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the vertices of a geometry shader";
    /// 64-bit address of the indices that a geometry shader stores, 32 bits each.
    GeometryIndices => "geometry_indices", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the indices of a geometry shader";
    /// 64-bit address of the records of patches that a tessellation control shader stores, and an evaluation shader loads
    /// ([`crate::tessellation`]).
    PatchOutputs => "patch_outputs", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the records of patches";
    /// 64-bit address of the domain points of tessellated patches ([`crate::tessellation`]).
    DomainPoints => "domain_points", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the domain points";
    /// Number of vertices of a patch that a tessellation control shader reads, 32 bits.
    PatchVertices => "patch_vertices", 2, 5, UNIFORM_HALVES, "vertices of a patch";
    /// Number of vertices of a primitive of the draw, 32 bits: 1 for points, 2 for lines, 3 for triangles.
    PrimitiveVertices => "primitive_vertices", 2, 5, UNIFORM_HALVES, "vertices of a primitive";
    /// 64-bit address of the table of the workgroups of a task or mesh shader ([`crate::mesh`]).
    WorkgroupTable => "workgroup_table", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the table of workgroups";
    /// 64-bit address of the records that a task shader stores, and a mesh shader loads ([`crate::mesh`]).
    TaskRecords => "task_records", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the records of task workgroups";
    /// Number of vertices per instance, 32 bits: the width of the grid of a vertex or geometry shader that runs as a
    /// compute shader.
    VertexCount => "vertex_count", 2, 5, UNIFORM_HALVES, "vertices of an instance";
    /// 64-bit address at which a vertex shader that captures its outputs stores those of its first vertex ([`crate::feedback`]).
    FeedbackBuffer {
        /// The buffer.
        buffer: u32,
    } => "feedback_buffer", ADDRESS, 5, MEMORY_BASE_HALVES, "address in feedback buffer {buffer}";
    /// Number of captured vertices, 32 bits: vertices with a greater number, counted through all instances,
    /// are not captured.
    FeedbackCount => "feedback_count", 2, 5, UNIFORM_HALVES, "vertices that are captured";
    /// Index of the view being drawn, 32 bits; 0 without multiview.
    ViewIndex => "view_index", 2, 5, UNIFORM_HALVES, "number of the view";
    /// Samples that the draw may cover, 32 bits: the sample mask of the API.
    SampleMask => "sample_mask", 2, 5, UNIFORM_HALVES, "sample mask of the draw";
    /// 64-bit address of the push constants, for those indexed by a run-time value or not in the uniform file.
    PushConstantAddress => "push_constant_address", ADDRESS, 3, MEMORY_BASE_HALVES, "address of the push constants";
    /// Push constants, starting at byte `offset`.
    PushConstants {
        /// First byte.
        offset: u32,
    } => "push_constants", 0, 6, UNIFORM_HALVES, "push constants from byte {offset}";
    /// Bytes of [`crate::ShaderInfo::promoted`], starting at `offset`.
    Promoted {
        /// First byte.
        offset: u32,
    } => "promoted", 0, 7, UNIFORM_HALVES, "constants from byte {offset}";
    /// 64-bit address of memory for the results of a test kernel, eight bytes each.
    KernelResults => "kernel_results", ADDRESS, 5, MEMORY_BASE_HALVES, "address of the results";
    /// An argument of a test kernel, zero-extended to 64 bits: `index` counts the kernel's parameters.
    KernelArgument {
        /// Which parameter.
        index: u32,
    } => "kernel_argument", ADDRESS, 5, MEMORY_BASE_HALVES, "argument {index}";
}

/// Describes the contents: `address of buffer 0.3`.
impl fmt::Display for UniformSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let UniformSource::Interface(uniform) = self {
            return uniform.fmt(f);
        }
        let fields = self.fields();
        let mut text = self.desc().text;
        while let Some((before, rest)) = text.split_once('{') {
            let (name, after) = rest.split_once('}').unwrap_or((rest, ""));
            f.write_str(before)?;
            match name {
                "place" => write_place(f, &fields)?,
                _ => write_fields(f, fields.iter().filter(|(known, _)| *known == name))?,
            }
            text = after;
        }
        f.write_str(text)
    }
}

/// `set.binding`, with the element if it is not the first.
fn write_place(f: &mut fmt::Formatter<'_>, fields: &[(&'static str, FieldValue)]) -> fmt::Result {
    let first = ("element", FieldValue::Number(0));
    let numbers = fields.iter().filter(|field| **field != first);
    write_fields(f, numbers.filter(|(name, _)| ["set", "binding", "element"].contains(name)))
}

fn write_fields<'f>(
    f: &mut fmt::Formatter<'_>,
    fields: impl Iterator<Item = &'f (&'static str, FieldValue)>,
) -> fmt::Result {
    for (position, (_, value)) in fields.enumerate() {
        if position > 0 {
            f.write_str(".")?;
        }
        match value {
            FieldValue::Number(number) => write!(f, "{number}")?,
            FieldValue::Word(word) => f.write_str(word)?,
        }
    }
    Ok(())
}

/// Uniforms do not fit into the uniform file, or are out of the range of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the {what} would end at half-word {end} of the uniform file; the limit is {reach}")]
pub struct LayoutError {
    /// The uniform that does not fit.
    pub what: UniformSource,
    /// Where it would end.
    pub end: u32,
    /// Where it must end.
    pub reach: u16,
}

/// A source that a shader reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The source.
    pub source: UniformSource,
    /// Length in half-words, if the row of the source does not specify one.
    pub halves: u16,
    /// Position of a 64-bit value, in half-words from the start. Memory operands read it at multiples of four half-words only; at
    /// others the program copies it to registers.
    pub address: Option<u16>,
}

impl From<UniformSource> for Wanted {
    fn from(source: UniformSource) -> Self {
        Wanted { source, halves: 0, address: None }
    }
}

impl Wanted {
    /// Half-words to leave free at `next` so that the 64-bit value is where memory operands read it.
    fn padding(&self, next: u32) -> u32 {
        self.address.map_or(0, |address| {
            let end = next + u32::from(address);
            end.next_multiple_of(u32::from(ADDRESS)) - end
        })
    }
}

/// Assigns a range to each of `wanted`, in the order of the resource layout, after the ranges of `fixed`,
/// which are ascending. A source in `fixed` keeps its range.
///
/// # Errors
/// The first uniform that does not fit.
pub fn place(fixed: &[UniformRange], wanted: &[Wanted]) -> Result<Vec<UniformRange>, LayoutError> {
    let is_free = |source: UniformSource| fixed.iter().all(|range| range.source != source);
    let mut order: Vec<Wanted> = wanted.iter().copied().filter(|wanted| is_free(wanted.source)).collect();
    order.sort_by_key(|wanted| (wanted.source.desc().rank, wanted.source));
    let mut ranges = fixed.to_vec();
    let end = fixed.last().map_or(0, |last| last.start + last.halves);
    let mut next = u32::from(end).next_multiple_of(u32::from(ADDRESS));
    for wanted in order {
        let source = wanted.source;
        let SourceDesc { halves, reach, .. } = *source.desc();
        let halves = if halves == 0 { wanted.halves } else { halves };
        // Whatever memory operands do not reach is copied to registers. The operands of textures are uniforms only.
        let most = if reach == TEXTURE_TABLE_HALVES { reach } else { UNIFORM_HALVES };
        let padding = wanted.padding(next);
        let start = if next + padding + u32::from(halves) > u32::from(most) { next } else { next + padding };
        next = start + u32::from(halves);
        if next > u32::from(most) {
            return Err(LayoutError { what: source, end: next, reach: most });
        }
        ranges.push(UniformRange { start: start as u16, halves, source });
    }
    Ok(ranges)
}

/// Uniforms at fixed positions, shared by the parts of a vertex or fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum InterfaceUniform {
    /// 64-bit address of the data of a vertex attribute. If the prolog does not know the stride, it is in the upper 24 bits.
    AttributeBase {
        /// Number among the attributes the shader reads.
        attribute: u32,
    },
    /// 32-bit number of the last element of a vertex attribute inside its buffer; later elements are not
    /// fetched. If there is none, the address is that of zeros and this is 0.
    AttributeClamp {
        /// Number among the attributes the shader reads.
        attribute: u32,
    },
    /// Base vertex, then base instance, 32 bits each.
    BaseVertexAndInstance,
    /// 16-bit number of the draw.
    DrawNumber,
    /// 64-bit address of the input assembly buffer.
    InputAssembly,
    /// 64-bit address of the texture heap of the render targets.
    TargetHeap,
    /// Blend constant: red, green, blue, alpha as 32-bit floats.
    BlendConstant,
    /// 64-bit address of the root descriptor.
    RootDescriptor,
    /// The clear colour of a target in a background program: four 32-bit floats, or integers for integer
    /// formats.
    ClearColour {
        /// The target.
        target: u32,
    },
}

/// Describes the contents: `address of vertex attribute 1`.
impl fmt::Display for InterfaceUniform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterfaceUniform::AttributeBase { attribute } => {
                write!(f, "address of vertex attribute {attribute}")
            }
            InterfaceUniform::AttributeClamp { attribute } => {
                write!(f, "clamp of vertex attribute {attribute}")
            }
            InterfaceUniform::ClearColour { target } => write!(f, "clear colour of target {target}"),
            other => f.write_str(other.describe()),
        }
    }
}

impl InterfaceUniform {
    /// Name and value of its number, if several uniforms of its kind exist.
    pub fn number(self) -> Option<(&'static str, u32)> {
        match self {
            InterfaceUniform::AttributeBase { attribute }
            | InterfaceUniform::AttributeClamp { attribute } => Some(("attribute", attribute)),
            InterfaceUniform::ClearColour { target } => Some(("target", target)),
            InterfaceUniform::BaseVertexAndInstance
            | InterfaceUniform::DrawNumber
            | InterfaceUniform::InputAssembly
            | InterfaceUniform::TargetHeap
            | InterfaceUniform::BlendConstant
            | InterfaceUniform::RootDescriptor => None,
        }
    }

    /// A short description of its kind.
    pub fn describe(self) -> &'static str {
        match self {
            InterfaceUniform::AttributeBase { .. } => "address of a vertex attribute",
            InterfaceUniform::AttributeClamp { .. } => "clamp of a vertex attribute",
            InterfaceUniform::BaseVertexAndInstance => "base vertex and base instance",
            InterfaceUniform::DrawNumber => "number of the draw",
            InterfaceUniform::InputAssembly => "address of the input assembly buffer",
            InterfaceUniform::TargetHeap => "address of the texture heap of the render targets",
            InterfaceUniform::BlendConstant => "blend constant",
            InterfaceUniform::RootDescriptor => "address of the root descriptor",
            InterfaceUniform::ClearColour { .. } => "clear colour of a target",
        }
    }
}

/// The uniforms with a fixed place that a program reads. A driver need not fill the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct InterfaceReads {
    /// [`InterfaceUniform::BaseVertexAndInstance`].
    pub base: bool,
    /// [`InterfaceUniform::DrawNumber`].
    pub draw: bool,
    /// [`InterfaceUniform::TargetHeap`].
    pub heap: bool,
    /// [`InterfaceUniform::BlendConstant`].
    pub blend: bool,
    /// [`InterfaceUniform::RootDescriptor`].
    pub root: bool,
}

impl InterfaceReads {
    /// The uniforms of these ranges for which a function returns true.
    pub fn new(uniforms: &[UniformRange], reads: impl Fn(&UniformRange) -> bool) -> InterfaceReads {
        let mut all = InterfaceReads::default();
        for range in uniforms {
            if let UniformSource::Interface(uniform) = range.source
                && let Some(place) = all.place(uniform)
            {
                *place |= reads(range);
            }
        }
        all
    }

    fn place(&mut self, uniform: InterfaceUniform) -> Option<&mut bool> {
        match uniform {
            InterfaceUniform::BaseVertexAndInstance => Some(&mut self.base),
            InterfaceUniform::DrawNumber => Some(&mut self.draw),
            InterfaceUniform::TargetHeap => Some(&mut self.heap),
            InterfaceUniform::BlendConstant => Some(&mut self.blend),
            InterfaceUniform::RootDescriptor => Some(&mut self.root),
            InterfaceUniform::AttributeBase { .. }
            | InterfaceUniform::AttributeClamp { .. }
            | InterfaceUniform::InputAssembly
            | InterfaceUniform::ClearColour { .. } => None,
        }
    }

    /// Whether the program may read a uniform.
    pub fn may_read(mut self, source: UniformSource) -> bool {
        match source {
            UniformSource::Interface(uniform) => self.place(uniform).is_none_or(|reads| *reads),
            _ => true,
        }
    }
}

impl std::ops::BitOr for InterfaceReads {
    type Output = InterfaceReads;

    fn bitor(self, other: InterfaceReads) -> InterfaceReads {
        InterfaceReads {
            base: self.base || other.base,
            draw: self.draw || other.draw,
            heap: self.heap || other.heap,
            blend: self.blend || other.blend,
            root: self.root || other.root,
        }
    }
}

/// A filled range of the uniform file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UniformRange {
    /// First half-word.
    pub start: u16,
    /// Length in half-words.
    pub halves: u16,
    /// Its contents.
    pub source: UniformSource,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: UniformSource = UniformSource::BufferAddress { set: 0, binding: 3, element: 0 };
    const TABLE: UniformSource =
        UniformSource::TextureTable { set: 1, binding: 2, kind: DescriptorKind::Image };

    #[test]
    fn provenance_is_printed_in_words() {
        let element = UniformSource::BufferSize { set: 0, binding: 3, element: 2 };
        let interface = UniformSource::Interface(InterfaceUniform::DrawNumber);
        let words =
            [BUFFER, element, TABLE, interface, UniformSource::Promoted { offset: 8 }].map(|s| s.to_string());
        assert_eq!(words[0], "address of buffer 0.3");
        assert_eq!(words[1], "size of buffer 0.3.2 in bytes");
        assert_eq!(words[2], "address of the table of images 1.2");
        assert_eq!(words[3], "number of the draw");
        assert_eq!(words[4], "constants from byte 8");
    }

    #[test]
    fn a_uniform_of_the_interface_has_the_number_of_its_attribute_or_target() {
        let base = UniformSource::Interface(InterfaceUniform::AttributeBase { attribute: 1 });
        let clamp = UniformSource::Interface(InterfaceUniform::AttributeClamp { attribute: 31 });
        let colour = UniformSource::Interface(InterfaceUniform::ClearColour { target: 7 });
        let draw = UniformSource::Interface(InterfaceUniform::DrawNumber);
        let words = [base, clamp, colour, draw].map(|source| source.to_string());
        assert_eq!(words[0], "address of vertex attribute 1");
        assert_eq!(words[1], "clamp of vertex attribute 31");
        assert_eq!(words[2], "clear colour of target 7");
        assert_eq!(words[3], "number of the draw");
        let number = |name, number| [("what", None), (name, Some(FieldValue::Number(number)))];
        let found = |source: UniformSource| {
            let value = |value| Some(value).filter(|value| matches!(value, FieldValue::Number(_)));
            source.fields().into_iter().map(|(name, found)| (name, value(found))).collect::<Vec<_>>()
        };
        assert_eq!(found(base), number("attribute", 1));
        assert_eq!(found(clamp), number("attribute", 31));
        assert_eq!(found(colour), number("target", 7));
        assert_eq!(found(draw), [("what", None)]);
    }

    #[test]
    fn texture_tables_come_first_and_push_constants_last() {
        let push = UniformSource::PushConstants { offset: 4 };
        let count = UniformSource::WorkgroupCount;
        let pushed = Wanted { halves: 6, ..push.into() };
        let wanted = [pushed, count.into(), BUFFER.into(), TABLE.into()];
        let ranges = place(&[], &wanted).expect("they fit");
        let places: Vec<(UniformSource, u16)> =
            ranges.iter().map(|range| (range.source, range.start)).collect();
        assert_eq!(places, [(TABLE, 0), (BUFFER, 4), (count, 8), (push, 14)]);
        assert_eq!(ranges[3].halves, 6);
    }

    #[test]
    fn addresses_in_push_constants_are_where_memory_operands_read_them_if_there_is_room() {
        let push = UniformSource::PushConstants { offset: 4 };
        let start = |halves, address| {
            let pushed = Wanted { halves, address: Some(address), ..push.into() };
            let ranges = place(&[], &[pushed, UniformSource::WorkgroupCount.into()]).expect("they fit");
            ranges[1].start
        };
        assert_eq!([start(6, 0), start(6, 2), start(6, 4)], [8, 6, 8]);
        assert_eq!([start(UNIFORM_HALVES - 8, 0), start(UNIFORM_HALVES - 6, 0)], [8, 6]);
    }

    #[test]
    fn fixed_ranges_keep_their_places() {
        let source = UniformSource::Interface(InterfaceUniform::DrawNumber);
        let fixed = [UniformRange { start: 0, halves: 1, source }];
        let ranges = place(&fixed, &[BUFFER.into(), source.into()]).expect("they fit");
        assert_eq!(ranges.iter().map(|range| range.start).collect::<Vec<_>>(), [0, 4]);
    }

    #[test]
    fn uniforms_out_of_reach_are_errors() {
        let buffer = |binding| UniformSource::BufferAddress { set: 0, binding, element: 0 };
        let table = |binding| UniformSource::TextureTable { set: 0, binding, kind: DescriptorKind::Texture };
        let limits: [(&dyn Fn(u32) -> UniformSource, u32, u16); 2] =
            [(&buffer, 128, UNIFORM_HALVES), (&table, 32, TEXTURE_TABLE_HALVES)];
        for (source, most, reach) in limits {
            let wanted: Vec<Wanted> = (0..=most).map(|binding| source(binding).into()).collect();
            assert!(place(&[], &wanted[..most as usize]).is_ok());
            let error = place(&[], &wanted).expect_err("one too many");
            assert_eq!((error.what, error.end, error.reach), (source(most), 4 * most + 4, reach));
        }
    }
}
