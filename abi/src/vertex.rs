//! Registers, uniforms and output slots of vertex shaders.
//!
//! The layout is that of programs composed of parts (Mesa 25.0 AGX compiler): a prolog fetches the attributes
//! into registers, from which the main part reads them.

use crate::layout::{InterfaceUniform, UniformRange, UniformSource};
use crate::{Stage, registers};

/// Half index of r8, the first register of attribute 0.
pub const FIRST_ATTRIBUTE: u8 = 16;

/// Half registers of an attribute: a vector of four 32-bit components.
pub const ATTRIBUTE_HALVES: u8 = 8;

/// Number of attributes that fit into registers.
pub const REGISTER_ATTRIBUTES: u32 = 30;

/// Maximum number of attributes of a shader; those that do not fit into registers are on the stack.
pub const MAX_ATTRIBUTES: u32 = 32;

/// Size of an attribute on the stack in bytes.
pub const STACK_ATTRIBUTE_BYTES: u32 = 16;

/// Half registers that are undefined when the main part starts, so that the prolog may use them: r0 to r4 and
/// r7.
pub const UNDEFINED: [std::ops::Range<u8>; 2] = [0..10, 14..16];

/// Half registers that the prolog preserves: vertex number in r5, instance number in r6.
pub const KEPT: [u8; 2] = [registers::VERTEX_ID, registers::INSTANCE_ID];

/// Half index of component `component` of attribute `attribute`, numbered among the attributes that the
/// shader reads; `None` if it is not in a register.
pub fn attribute_register(attribute: u32, component: u32) -> Option<u8> {
    (attribute < REGISTER_ATTRIBUTES && component < 4)
        .then(|| FIRST_ATTRIBUTE + ATTRIBUTE_HALVES * attribute as u8 + 2 * component as u8)
}

/// Number of half registers up to the last one in which the prolog passes vertex number, instance number or
/// one of `attributes` attributes. The main part may use fewer if it does not read all of them.
pub fn interface_halves(attributes: u32) -> u16 {
    match attributes.min(REGISTER_ATTRIBUTES) {
        0 => u16::from(registers::INSTANCE_ID) + 2,
        count => u16::from(FIRST_ATTRIBUTE) + u16::from(ATTRIBUTE_HALVES) * count as u16,
    }
}

/// Byte offset, in the main part's stack frame, of component `component` of attribute `attribute`, numbered
/// among the attributes that the shader reads; `None` if it is not on the stack.
///
/// The prolog allocates the frame of such a main part, with at least the size that the main part needs, so
/// that both use the same addresses.
pub fn attribute_stack_byte(attribute: u32, component: u32) -> Option<u32> {
    ((REGISTER_ATTRIBUTES..MAX_ATTRIBUTES).contains(&attribute) && component < 4)
        .then(|| STACK_ATTRIBUTE_BYTES * (attribute - REGISTER_ATTRIBUTES) + 4 * component)
}

/// Size in bytes of the attributes at the start of the stack frame, for a shader that reads `attributes`
/// attributes.
pub fn stack_attribute_bytes(attributes: u32) -> u32 {
    STACK_ATTRIBUTE_BYTES * attributes.saturating_sub(REGISTER_ATTRIBUTES)
}

/// The hardware stage that runs a vertex shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum RunsAs {
    /// As a vertex shader.
    #[default]
    Vertex,
    /// As a compute shader, for geometry stages in software.
    Compute,
}

impl RunsAs {
    /// The stage of the hardware.
    pub fn stage(self) -> Stage {
        match self {
            RunsAs::Vertex => Stage::Vertex,
            RunsAs::Compute => Stage::Compute,
        }
    }
}

/// Half-words at the start of the uniform file that are reserved for a shader with `attributes` attributes.
pub fn reserved_halves(attributes: u32, runs_as: RunsAs) -> u32 {
    match runs_as {
        RunsAs::Vertex => 6 * attributes + 5,
        RunsAs::Compute => 6 * attributes + 12,
    }
}

/// The uniforms at the start of the file for a shader with `attributes` attributes: base addresses, clamps,
/// base vertex and base instance, draw number; for compute shaders also the address of the input assembly
/// buffer.
pub fn uniforms(attributes: u32, runs_as: RunsAs) -> Vec<UniformRange> {
    let mut ranges = Vec::with_capacity(2 * attributes as usize + 3);
    let mut next = 0;
    let mut add = |halves: u16, uniform: InterfaceUniform| {
        ranges.push(UniformRange { start: next, halves, source: UniformSource::Interface(uniform) });
        next += halves;
    };
    for attribute in 0..attributes {
        add(4, InterfaceUniform::AttributeBase { attribute });
    }
    for attribute in 0..attributes {
        add(2, InterfaceUniform::AttributeClamp { attribute });
    }
    add(4, InterfaceUniform::BaseVertexAndInstance);
    add(1, InterfaceUniform::DrawNumber);
    if runs_as == RunsAs::Compute {
        let start = next + COMPUTE_PADDING;
        let source = UniformSource::Interface(InterfaceUniform::InputAssembly);
        ranges.push(UniformRange { start, halves: 4, source });
    }
    ranges
}

/// The input assembly buffer: the 64-bit address of the indices, their number (32 bits), the number of primitives of an
/// instance (32 bits), which only triangle strips with adjacency read.
#[derive(Clone, Copy, Debug)]
pub struct InputAssembly;

impl InputAssembly {
    /// Size of the buffer in bytes.
    pub const BYTES: usize = 16;
    /// The word with the number of indices; the address is in the two words before it.
    pub const INDEX_COUNT_WORD: usize = 2;
    /// The word with the number of primitives of an instance.
    pub const PRIMITIVE_COUNT_WORD: usize = 3;
}

/// Half-words of padding before the address of the input assembly buffer.
const COMPUTE_PADDING: u16 = 3;

/// Number of output slots: words that `st_var` writes.
pub const MAX_SLOTS: u32 = 256;

/// The contents of an output slot; the position is always present and first. [`crate::varyings`] defines the
/// numbering of slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Output {
    /// Component of the clip-space position.
    Position(u32),
    /// Size of a point in pixels.
    PointSize,
    /// A clip distance, against which primitives are clipped.
    ClipDistance(u32),
    /// A clip distance again, for fragment shaders to read.
    ReadClipDistance(u32),
    /// A cull distance, which only fragment shaders read.
    CullDistance(u32),
    /// x, y or w of the position again, by number 0 to 2, for fragment shaders to interpolate.
    ReadPosition(u32),
    /// x, y or w of the position again, by number 0 to 2, for fragment shaders to read of each vertex.
    CornerPosition(u32),
    /// 0 if a cull distance is negative, else 1: primitives with 0 at every vertex are culled.
    Culled(u32),
    /// Layer in the low half, viewport in the high half.
    LayerAndViewport,
    /// The viewport again, for fragment shaders to read.
    Viewport,
    /// The number of the primitive that a geometry shader gives its vertices, for fragment shaders to read.
    PrimitiveId,
    /// The stream of the primitive that a vertex completes, of a geometry shader with several, in memory;
    /// [`crate::geometry::NO_STREAM`] if it completes none.
    Stream,
    /// The number of a corner of that primitive, if it is a line or a triangle.
    StreamCorner(u32),
    /// A component of a location.
    User {
        /// Location.
        location: u32,
        /// Component, 0 to 3.
        component: u32,
    },
}

/// An attribute that a vertex shader reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// Location in the module; the position in the list is the attribute's number.
    pub location: u32,
    /// Components the shader reads, bit 0 the first.
    pub components: u8,
}

/// A main part's store of an output, which the linker renumbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutputStore {
    /// First byte of the instruction.
    pub offset: u32,
    /// The slot in the instruction.
    pub slot: u16,
}

/// A slot that a vertex shader writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Varying {
    /// Slot number, in words.
    pub slot: u16,
    /// Its contents.
    pub output: Output,
}

/// Consecutive slot numbers for `outputs` in memory, which may be in any order and repeated: the position's
/// four first.
pub fn assign_slots(outputs: &[Output]) -> Vec<Varying> {
    let mut sorted: Vec<Output> = (0..4).map(Output::Position).chain(outputs.iter().copied()).collect();
    sorted.sort_unstable();
    sorted.dedup();
    (0..).zip(sorted).map(|(slot, output)| Varying { slot, output }).collect()
}

/// Number of words of a vertex in memory whose outputs are in these slots.
pub fn stored_words(slots: &[Varying]) -> u32 {
    slots.iter().map(|varying| u32::from(varying.slot) + 1).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r8_onwards_contains_a_128_bit_vector_for_each_attribute() {
        assert_eq!(attribute_register(0, 0), Some(2 * 8));
        assert_eq!(attribute_register(1, 0), Some(2 * 12));
        assert_eq!(attribute_register(3, 2), Some(2 * (8 + 4 * 3 + 2)));
    }

    #[test]
    fn registers_accommodate_30_attributes() {
        let last = attribute_register(29, 3).expect("in registers");
        assert_eq!(u16::from(last) + 2, crate::occupancy::MAX_GPR_HALVES);
        assert_eq!(attribute_register(30, 0), None);
    }

    #[test]
    fn for_32_attributes_the_stack_is_used() {
        assert_eq!(MAX_ATTRIBUTES, 32);
        for attribute in 0..MAX_ATTRIBUTES + 1 {
            let places =
                [attribute_register(attribute, 3).is_some(), attribute_stack_byte(attribute, 3).is_some()];
            assert_eq!(places, [attribute < 30, (30..32).contains(&attribute)], "attribute {attribute}");
        }
        assert_eq!(attribute_stack_byte(31, 2), Some(16 + 8));
        assert_eq!([30, 31, 32].map(stack_attribute_bytes), [0, 16, 32]);
    }

    #[test]
    fn r0_to_r4_and_r7_are_undefined_and_r5_and_r6_keep_their_meaning() {
        for half in 0..FIRST_ATTRIBUTE {
            let undefined = UNDEFINED.iter().any(|range| range.contains(&half));
            let kept = KEPT.iter().any(|first| (*first..first + 2).contains(&half));
            assert!(undefined != kept, "half register {half}");
        }
        assert_eq!(KEPT, [2 * 5, 2 * 6]);
    }

    /// Start and length of the range of `uniform`.
    fn place(ranges: &[UniformRange], uniform: InterfaceUniform) -> (u16, u16) {
        let range = ranges.iter().find(|range| range.source == UniformSource::Interface(uniform));
        range.map(|range| (range.start, range.halves)).expect("in the layout")
    }

    #[test]
    fn the_first_n_64_bit_uniforms_are_base_addresses_and_the_next_n_32_bit_uniforms_clamps() {
        let ranges = uniforms(5, RunsAs::Vertex);
        for attribute in 0..5 {
            let number = attribute as u16;
            assert_eq!(place(&ranges, InterfaceUniform::AttributeBase { attribute }), (4 * number, 4));
            assert_eq!(place(&ranges, InterfaceUniform::AttributeClamp { attribute }), (20 + 2 * number, 2));
        }
    }

    #[test]
    fn base_vertex_base_instance_and_draw_number_follow_and_are_always_reserved() {
        for attributes in [0, 1, 7, 30] {
            let ranges = uniforms(attributes, RunsAs::Vertex);
            let start = 6 * attributes as u16;
            assert_eq!(place(&ranges, InterfaceUniform::BaseVertexAndInstance), (start, 4));
            assert_eq!(place(&ranges, InterfaceUniform::DrawNumber), (start + 4, 1));
        }
    }

    #[test]
    fn a_compute_shader_has_48_bits_of_padding_and_a_pointer_to_the_input_assembly_buffer() {
        let ranges = uniforms(2, RunsAs::Compute);
        assert_eq!(place(&ranges, InterfaceUniform::InputAssembly), (12 + 5 + 3, 4));
        let hardware = uniforms(2, RunsAs::Vertex);
        let known = UniformSource::Interface(InterfaceUniform::InputAssembly);
        assert!(hardware.iter().all(|range| range.source != known));
    }

    #[test]
    fn in_total_6n_plus_5_or_6n_plus_12_slots_are_reserved() {
        for attributes in 0..=MAX_ATTRIBUTES {
            for (runs_as, extra) in [(RunsAs::Vertex, 5), (RunsAs::Compute, 12)] {
                let ranges = uniforms(attributes, runs_as);
                let end = ranges.iter().map(|range| range.start + range.halves).max().unwrap_or(0);
                assert_eq!(u32::from(end), 6 * attributes + extra);
                assert_eq!(reserved_halves(attributes, runs_as), 6 * attributes + extra);
                assert!(ranges.is_sorted_by_key(|range| range.start));
            }
        }
    }

    #[test]
    fn slots_have_the_position_first_then_fixed_outputs_then_locations() {
        let user = |location, component| Output::User { location, component };
        let outputs = [user(1, 2), user(0, 3), Output::PointSize, user(1, 2), Output::ClipDistance(1)];
        let slots = assign_slots(&outputs);
        let expected = [
            Output::Position(0),
            Output::Position(1),
            Output::Position(2),
            Output::Position(3),
            Output::PointSize,
            Output::ClipDistance(1),
            user(0, 3),
            user(1, 2),
        ];
        assert_eq!(slots.iter().map(|varying| varying.output).collect::<Vec<_>>(), expected);
        assert!(slots.iter().enumerate().all(|(at, varying)| usize::from(varying.slot) == at));
    }
}
