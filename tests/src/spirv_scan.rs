//! The facts about a SPIR-V module that the suites need: its entry points, and its image variables.

use agx_abi::Stage;

/// First word of a module.
const MAGIC: u32 = 0x0723_0203;

/// OpEntryPoint, with the number of words before the name.
const OP_ENTRY_POINT: u32 = 15;

/// SPIR-V's numbers of instructions.
pub mod op {
    /// `OpTypeInt`.
    pub const TYPE_INT: u32 = 21;
    /// `OpTypeFloat`.
    pub const TYPE_FLOAT: u32 = 22;
    /// `OpTypeVector`.
    pub const TYPE_VECTOR: u32 = 23;
    /// `OpTypeMatrix`.
    pub const TYPE_MATRIX: u32 = 24;
    /// `OpTypeImage`.
    pub const TYPE_IMAGE: u32 = 25;
    /// `OpTypeSampler`.
    pub const TYPE_SAMPLER: u32 = 26;
    /// `OpTypeSampledImage`.
    pub const TYPE_SAMPLED_IMAGE: u32 = 27;
    /// `OpTypeArray`.
    pub const TYPE_ARRAY: u32 = 28;
    /// `OpTypeRuntimeArray`.
    pub const TYPE_RUNTIME_ARRAY: u32 = 29;
    /// `OpTypeStruct`.
    pub const TYPE_STRUCT: u32 = 30;
    /// `OpTypePointer`.
    pub const TYPE_POINTER: u32 = 32;
    /// `OpConstant`.
    pub const CONSTANT: u32 = 43;
    /// `OpSpecConstant`.
    pub const SPEC_CONSTANT: u32 = 50;
    /// `OpVariable`.
    pub const VARIABLE: u32 = 59;
    /// `OpDecorate`.
    pub const DECORATE: u32 = 71;
    /// `OpMemberDecorate`.
    pub const MEMBER_DECORATE: u32 = 72;
}

/// SPIR-V's numbers of decorations.
pub mod decorations {
    /// `BufferBlock`.
    pub const BUFFER_BLOCK: u32 = 3;
    /// `BuiltIn`.
    pub const BUILT_IN: u32 = 11;
    /// `Location`.
    pub const LOCATION: u32 = 30;
    /// `Component`.
    pub const COMPONENT: u32 = 31;
    /// `Binding`.
    pub const BINDING: u32 = 33;
    /// `DescriptorSet`.
    pub const SET: u32 = 34;
}

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    /// Its stage; `None` if this project does not have it.
    pub stage: Option<Stage>,
    /// Its name.
    pub name: String,
}

/// An instruction: opcode and operand words.
pub type Instruction = (u32, Vec<u32>);

/// The values of a decoration of an object, by SPIR-V's number; `None` without the decoration.
pub fn decoration(instructions: &[Instruction], id: u32, number: u32) -> Option<&[u32]> {
    let decorates = |(opcode, operands): &&Instruction| {
        *opcode == op::DECORATE && operands.get(..2) == Some(&[id, number])
    };
    instructions.iter().find(decorates).and_then(|(_, operands)| operands.get(2..))
}

/// The instruction that defines a type.
pub fn definition(instructions: &[Instruction], id: u32) -> Option<&Instruction> {
    let defines =
        |(opcode, operands): &&Instruction| (19..=33).contains(opcode) && operands.first() == Some(&id);
    instructions.iter().find(defines)
}

/// The first word of a constant, which may be specialized.
pub fn constant(instructions: &[Instruction], id: u32) -> Option<u32> {
    let defines = |(opcode, operands): &&Instruction| {
        [op::CONSTANT, op::SPEC_CONSTANT].contains(opcode) && operands.get(1) == Some(&id)
    };
    instructions.iter().find(defines).and_then(|(_, operands)| operands.get(2).copied())
}

/// The instructions of a module in either byte order, up to the first error.
pub fn instructions(module: &[u8]) -> Vec<Instruction> {
    let words: Vec<u32> = module.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let swapped = words.first() == Some(&MAGIC.swap_bytes());
    let words: Vec<u32> = words.iter().map(|word| if swapped { word.swap_bytes() } else { *word }).collect();
    let mut rest = words.get(5..).unwrap_or_default();
    let mut found = Vec::new();
    while let Some(first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some((instruction, next)) = rest.split_at_checked(length).filter(|_| length > 0) else { break };
        found.push((first & 0xffff, instruction[1..].to_vec()));
        rest = next;
    }
    found
}

/// The entry points of a module in either byte order, in the order of declaration, up to the first error.
pub fn entry_points(module: &[u8]) -> Vec<EntryPoint> {
    let mut found = Vec::new();
    for (opcode, operands) in instructions(module) {
        if opcode == OP_ENTRY_POINT && operands.len() > 2 {
            let bytes: Vec<u8> = operands[2..].iter().flat_map(|word| word.to_le_bytes()).collect();
            let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            let stage = match operands[0] {
                0 => Some(Stage::Vertex),
                4 => Some(Stage::Fragment),
                5 => Some(Stage::Compute),
                _ => None,
            };
            found.push(EntryPoint { stage, name: String::from_utf8_lossy(name).into_owned() });
        }
    }
    found
}

/// The type of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texel {
    /// Floats, or normalised integers.
    Float,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
}

/// A variable that holds images, or an array of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageVariable {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// SPIR-V's `Dim`: 0 to 2 for one to three dimensions, 3 a cube, 5 a texel buffer, 6 an input attachment.
    pub dim: u32,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it is multisampled.
    pub multisampled: bool,
    /// Whether it is a storage image.
    pub storage: bool,
    /// Type of its texels.
    pub texel: Texel,
    /// Number of components of the declared format; 4 without one.
    pub components: usize,
}

/// Numbers of components of the formats that SPIR-V numbers from 0 on.
const COMPONENTS: [usize; 42] = [
    4, 4, 4, 1, 4, 4, 2, 2, 3, 1, 4, 4, 2, 2, 1, 1, 4, 2, 2, 1, 1, 4, 4, 4, 1, 2, 2, 2, 1, 1, 4, 4, 4, 1, 4,
    2, 2, 2, 1, 1, 1, 1,
];

/// The image variables of a module that have a set and a binding.
pub fn images(module: &[u8]) -> Vec<ImageVariable> {
    let instructions = instructions(module);
    let decoration = |id: u32, number: u32| {
        decoration(&instructions, id, number).and_then(|values| values.first().copied())
    };
    let definition = |id: u32| definition(&instructions, id);
    // Find the image's type through pointers, arrays and combined images.
    let image_type = |mut id: u32| {
        for _ in 0..4 {
            let (opcode, operands) = definition(id)?;
            match *opcode {
                op::TYPE_IMAGE => return Some(operands),
                op::TYPE_SAMPLED_IMAGE | op::TYPE_ARRAY | op::TYPE_RUNTIME_ARRAY => id = *operands.get(1)?,
                op::TYPE_POINTER => id = *operands.get(2)?,
                _ => return None,
            }
        }
        None
    };
    let variable = |operands: &[u32]| {
        let [pointer, id, ..] = *operands else { return None };
        let [_, sampled_type, dim, _, arrayed, multisampled, sampled, format, ..] =
            *image_type(pointer)?.as_slice()
        else {
            return None;
        };
        let texel = match definition(sampled_type)? {
            (op::TYPE_INT, operands) if operands.get(2) == Some(&0) => Texel::Unsigned,
            (op::TYPE_INT, _) => Texel::Signed,
            _ => Texel::Float,
        };
        Some(ImageVariable {
            set: decoration(id, decorations::SET)?,
            binding: decoration(id, decorations::BINDING)?,
            dim,
            arrayed: arrayed != 0,
            multisampled: multisampled != 0,
            storage: sampled == 2 && dim != 6,
            texel,
            components: COMPONENTS.get(format as usize).copied().unwrap_or(4),
        })
    };
    instructions
        .iter()
        .filter(|(opcode, _)| *opcode == op::VARIABLE)
        .filter_map(|(_, operands)| variable(operands))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(swap: bool) -> Vec<u8> {
        let name = u32::from_le_bytes(*b"main");
        let words = [
            [MAGIC, 0x1_0000, 0, 9, 0].as_slice(),
            &[2 << 16 | 17, 1],
            &[5 << 16 | OP_ENTRY_POINT, 5, 1, name, 0],
            &[5 << 16 | OP_ENTRY_POINT, 4, 2, name, 0],
            &[4 << 16 | OP_ENTRY_POINT, 5313, 3, u32::from_le_bytes(*b"ray\0")],
            // Truncated: four words announced, but only two present.
            &[4 << 16 | OP_ENTRY_POINT, 0],
        ];
        let to_bytes = |word: u32| if swap { word.to_be_bytes() } else { word.to_le_bytes() };
        words.concat().into_iter().flat_map(to_bytes).collect()
    }

    #[test]
    fn both_byte_orders_and_a_truncated_end() {
        for swap in [false, true] {
            let found = entry_points(&module(swap));
            let found: Vec<_> = found.iter().map(|entry| (entry.stage, entry.name.as_str())).collect();
            assert_eq!(
                found,
                [(Some(Stage::Compute), "main"), (Some(Stage::Fragment), "main"), (None, "ray")]
            );
        }
        assert_eq!(entry_points(&[1, 2, 3]), []);
    }

    #[test]
    fn images_are_found_through_pointers_arrays_and_sampled_images() {
        let words = [
            [MAGIC, 0x1_0000, 0, 9, 0].as_slice(),
            &[4 << 16 | 71, 9, 34, 1],
            &[4 << 16 | 71, 9, 33, 5],
            &[3 << 16 | 22, 1, 32],
            &[9 << 16 | 25, 2, 1, 3, 0, 1, 0, 1, 0],
            &[3 << 16 | 27, 3, 2],
            &[4 << 16 | 28, 4, 3, 7],
            &[4 << 16 | 32, 5, 0, 4],
            &[4 << 16 | 59, 5, 9, 0],
        ];
        let module: Vec<u8> = words.concat().into_iter().flat_map(u32::to_le_bytes).collect();
        let expected = ImageVariable {
            set: 1,
            binding: 5,
            dim: 3,
            arrayed: true,
            multisampled: false,
            storage: false,
            texel: Texel::Float,
            components: 4,
        };
        assert_eq!(images(&module), [expected]);
    }
}
