//! The table of opcodes, and the bit fields of each instruction format.
//!
//! Numbers and fields are as on 3dbrew's page on the instruction set.

/// A named bit field of an instruction word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Field {
    /// Number of the operand descriptor.
    Descriptor,
    /// Destination register: outputs 0–15, temporaries 16–31.
    Dst,
    /// First source register.
    Src1,
    /// Second source register.
    Src2,
    /// Third source register.
    Src3,
    /// Address register added to the wide source: 0 none, 1 a0.x, 2 a0.y, 3 aL.
    Address,
    /// Comparison of the x components.
    CompareX,
    /// Comparison of the y components.
    CompareY,
    /// Number of instructions.
    Count,
    /// Address of an instruction, in words.
    Target,
    /// Combination of the two tests of a condition: 0 or, 1 and, 2 x alone, 3 y alone.
    Combine,
    /// Reference value for cmp.x.
    RefX,
    /// Reference value for cmp.y.
    RefY,
    /// Number of a boolean uniform.
    Bool,
    /// Number of an integer uniform.
    Int,
    /// Index into the vertex buffer of a geometry program.
    Vertex,
    /// Whether the next EMIT completes a primitive.
    Primitive,
    /// Whether the primitive's winding is inverted.
    Winding,
}

/// Position of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldDesc {
    /// The field.
    pub field: Field,
    /// Lowest bit.
    pub shift: u8,
    /// Number of bits.
    pub width: u8,
}

const fn at(field: Field, shift: u8, width: u8) -> FieldDesc {
    FieldDesc { field, shift, width }
}

/// The fields of each format: name, lowest bit, number of bits.
macro_rules! fields {
    ($($format:ident: $($field:ident $shift:literal $width:literal),*;)*) => {
        $(const $format: &[FieldDesc] = &[$(at(Field::$field, $shift, $width)),*];)*
    };
}

fields! {
    UNARY: Descriptor 0 7, Src1 12 7, Address 19 2, Dst 21 5;
    ADDRESS_MOVE: Descriptor 0 7, Src1 12 7, Address 19 2;
    BINARY: Descriptor 0 7, Src2 7 5, Src1 12 7, Address 19 2, Dst 21 5;
    BINARY_INVERTED: Descriptor 0 7, Src2 7 7, Src1 14 5, Address 19 2, Dst 21 5;
    COMPARE: Descriptor 0 7, Src2 7 5, Src1 12 7, Address 19 2, CompareY 21 3, CompareX 24 3;
    MULTIPLY_ADD: Descriptor 0 5, Src3 5 5, Src2 10 7, Src1 17 5, Address 22 2, Dst 24 5;
    MULTIPLY_ADD_INVERTED: Descriptor 0 5, Src3 5 7, Src2 12 5, Src1 17 5, Address 22 2, Dst 24 5;
    CALL: Count 0 8, Target 10 12;
    CONDITIONAL: Count 0 8, Target 10 12, Combine 22 2, RefY 24 1, RefX 25 1;
    UNIFORM: Count 0 8, Target 10 12, Bool 22 4;
    BREAK: Combine 22 2, RefY 24 1, RefX 25 1;
    LOOP: Target 10 12, Int 22 2;
    SET_EMIT: Winding 22 1, Primitive 23 1, Vertex 24 2;
}

/// The operands of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// No operands.
    Plain,
    /// Destination and one wide source.
    Unary,
    /// One wide source; the mask of the descriptor names address registers.
    AddressMove,
    /// Destination, wide first and narrow second source.
    Binary,
    /// Destination, narrow first and wide second source.
    BinaryInverted,
    /// Wide first and narrow second source, two comparisons.
    Compare,
    /// Destination, three sources, the second wide.
    MultiplyAdd,
    /// Destination, three sources, the third wide.
    MultiplyAddInverted,
    /// Target and count.
    Call,
    /// Condition, target and count.
    Conditional,
    /// Boolean uniform, target and count.
    Uniform,
    /// Condition only.
    Break,
    /// Integer uniform, and the address of the last instruction of the body.
    Loop,
    /// Settings of the next EMIT.
    SetEmit,
}

impl Format {
    /// The fields of the format, apart from the opcode.
    pub const fn fields(self) -> &'static [FieldDesc] {
        match self {
            Format::Plain => &[],
            Format::Unary => UNARY,
            Format::AddressMove => ADDRESS_MOVE,
            Format::Binary => BINARY,
            Format::BinaryInverted => BINARY_INVERTED,
            Format::Compare => COMPARE,
            Format::MultiplyAdd => MULTIPLY_ADD,
            Format::MultiplyAddInverted => MULTIPLY_ADD_INVERTED,
            Format::Call => CALL,
            Format::Conditional => CONDITIONAL,
            Format::Uniform => UNIFORM,
            Format::Break => BREAK,
            Format::Loop => LOOP,
            Format::SetEmit => SET_EMIT,
        }
    }

    /// The source, counted from 1, that may name a uniform and have an address register.
    pub const fn wide_source(self) -> Option<usize> {
        match self {
            Format::Unary | Format::AddressMove | Format::Binary | Format::Compare => Some(1),
            Format::BinaryInverted | Format::MultiplyAdd => Some(2),
            Format::MultiplyAddInverted => Some(3),
            _ => None,
        }
    }

    /// The number of source registers.
    pub const fn sources(self) -> usize {
        match self {
            Format::Unary | Format::AddressMove => 1,
            Format::Binary | Format::BinaryInverted | Format::Compare => 2,
            Format::MultiplyAdd | Format::MultiplyAddInverted => 3,
            _ => 0,
        }
    }

    /// Whether the format has a descriptor.
    pub const fn has_descriptor(self) -> bool {
        self.sources() > 0
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeDesc {
    /// The opcode.
    pub opcode: Opcode,
    /// Its mnemonic.
    pub name: &'static str,
    /// Its number in bits 31 to 26.
    pub value: u8,
    /// How many of these six bits, from the top, belong to the opcode; the others belong to operands.
    pub bits: u8,
    /// The format of its words.
    pub format: Format,
    /// A sentence about its effect.
    pub meaning: &'static str,
}

impl OpcodeDesc {
    /// Mask of the opcode's bits in a word.
    pub const fn mask(&self) -> u32 {
        u32::MAX << (32 - self.bits as u32)
    }

    /// A word with the opcode alone.
    pub const fn base(&self) -> u32 {
        (self.value as u32) << 26
    }
}

macro_rules! opcodes {
    ($($opcode:ident $name:literal $value:literal / $bits:literal $format:ident: $meaning:literal;)*) => {
        /// An operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Opcode {
            $(#[doc = $meaning] $opcode,)*
        }

        /// Every opcode, in the order of [`Opcode`].
        pub static OPCODES: &[OpcodeDesc] = &[
            $(OpcodeDesc {
                opcode: Opcode::$opcode,
                name: $name,
                value: $value,
                bits: $bits,
                format: Format::$format,
                meaning: $meaning,
            },)*
        ];
    };
}

opcodes! {
    Add "add" 0x00 / 6 Binary: "Sums of components.";
    Dp3 "dp3" 0x01 / 6 Binary: "Dot product of three components, in every component.";
    Dp4 "dp4" 0x02 / 6 Binary: "Dot product of four components, in every component.";
    Dph "dph" 0x03 / 6 Binary: "Dot product of (x, y, z, 1) of the first source and the second source.";
    Dst "dst" 0x04 / 6 Binary: "Distance vector: (1, y·y, z of the first source, w of the second).";
    Ex2 "ex2" 0x05 / 6 Unary: "Two to the power of x, in every component.";
    Lg2 "lg2" 0x06 / 6 Unary: "Logarithm to the base 2 of x, in every component.";
    Lit "litp" 0x07 / 6 Unary: "Clamps for lighting: (max(x, 0), y within ±127.99609375, 0, max(w, 0)).";
    Mul "mul" 0x08 / 6 Binary: "Products of components.";
    Sge "sge" 0x09 / 6 Binary: "1 where the first component is not smaller, else 0.";
    Slt "slt" 0x0a / 6 Binary: "1 where the first component is smaller, else 0.";
    Flr "flr" 0x0b / 6 Unary: "The largest integers not above the components.";
    Max "max" 0x0c / 6 Binary: "The first component where it is larger, else the second.";
    Min "min" 0x0d / 6 Binary: "The first component where it is smaller, else the second.";
    Rcp "rcp" 0x0e / 6 Unary: "Reciprocal of x, in every component.";
    Rsq "rsq" 0x0f / 6 Unary: "Reciprocal of the square root of x, in every component.";
    Mova "mova" 0x12 / 6 AddressMove: "Truncates x and y to the address registers a0.x and a0.y that the mask names.";
    Mov "mov" 0x13 / 6 Unary: "The source.";
    Dphi "dphi" 0x18 / 6 BinaryInverted: "As dph, with a wide second source.";
    Dsti "dsti" 0x19 / 6 BinaryInverted: "As dst, with a wide second source.";
    Sgei "sgei" 0x1a / 6 BinaryInverted: "As sge, with a wide second source.";
    Slti "slti" 0x1b / 6 BinaryInverted: "As slt, with a wide second source.";
    Break "break" 0x20 / 6 Plain: "Leaves the innermost loop.";
    Nop "nop" 0x21 / 6 Plain: "Does nothing.";
    End "end" 0x22 / 6 Plain: "Ends the program.";
    Breakc "breakc" 0x23 / 6 Break: "Leaves the innermost loop if the condition holds.";
    Call "call" 0x24 / 6 Call: "Executes `count` instructions from the target on, then continues.";
    Callc "callc" 0x25 / 6 Conditional: "As call, if the condition holds.";
    Callu "callu" 0x26 / 6 Uniform: "As call, if the boolean uniform is true.";
    Ifu "ifu" 0x27 / 6 Uniform: "If the boolean uniform is true, executes up to the target and skips `count` instructions; else goes to the target.";
    Ifc "ifc" 0x28 / 6 Conditional: "As ifu, on a condition.";
    Loop "for" 0x29 / 6 Loop: "Executes what follows, up to the target inclusive, x + 1 times; aL begins with y and grows by z.";
    Emit "emit" 0x2a / 6 Plain: "Stores the outputs as a vertex and, if so set, completes a primitive.";
    Setemit "setemit" 0x2b / 6 SetEmit: "Sets what the next emit does.";
    Jmpc "jmpc" 0x2c / 6 Conditional: "Goes to the target if the condition holds.";
    Jmpu "jmpu" 0x2d / 6 Uniform: "Goes to the target if the boolean uniform is true or, with an odd count, false.";
    Cmp "cmp" 0x2e / 5 Compare: "Compares x and y of both sources and sets cmp.x and cmp.y.";
    Madi "madi" 0x30 / 3 MultiplyAddInverted: "As mad, with a wide third source.";
    Mad "mad" 0x38 / 3 MultiplyAdd: "Products of the first two sources plus the third; the product is rounded.";
}

impl Opcode {
    /// Its row.
    pub fn desc(self) -> &'static OpcodeDesc {
        &OPCODES[self as usize]
    }

    /// The opcode of a word; `None` if it is unknown.
    pub fn of_word(word: u32) -> Option<Opcode> {
        OPCODES.iter().find(|row| word & row.mask() == row.base()).map(|row| row.opcode)
    }

    /// The opcode for a mnemonic in any case. Also accepts `loop`, `lit` and picasso's mnemonics that stand
    /// for two forms.
    pub fn by_name(name: &str) -> Option<Opcode> {
        let name = match name.to_ascii_lowercase().as_str() {
            "loop" => "for".to_owned(),
            "lit" => "litp".to_owned(),
            other => other.to_owned(),
        };
        OPCODES.iter().find(|row| row.name == name).map(|row| row.opcode)
    }

    /// The form with the wide source in the other position, if there is one.
    pub fn inverted(self) -> Option<Opcode> {
        match self {
            Opcode::Dph => Some(Opcode::Dphi),
            Opcode::Dst => Some(Opcode::Dsti),
            Opcode::Sge => Some(Opcode::Sgei),
            Opcode::Slt => Some(Opcode::Slti),
            Opcode::Mad => Some(Opcode::Madi),
            _ => None,
        }
    }

    /// The form with the wide source in its usual position.
    pub fn effective(self) -> Opcode {
        OPCODES.iter().map(|row| row.opcode).find(|opcode| opcode.inverted() == Some(self)).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inst::FIELDS;

    #[test]
    fn rows_are_sorted_and_do_not_overlap() {
        for (index, row) in OPCODES.iter().enumerate() {
            assert_eq!(row.opcode as usize, index);
            for other in &OPCODES[..index] {
                let common = row.mask() & other.mask();
                assert_ne!(row.base() & common, other.base() & common, "{} {}", row.name, other.name);
                assert_ne!(row.name, other.name);
            }
        }
    }

    #[test]
    fn fields_are_disjoint_and_below_the_opcode() {
        for row in OPCODES {
            let mut used = row.mask();
            for field in row.format.fields() {
                assert!((field.field as usize) < FIELDS);
                let mask = ((1u32 << field.width) - 1) << field.shift;
                assert_eq!(used & mask, 0, "{} {:?}", row.name, field.field);
                used |= mask;
            }
        }
    }

    #[test]
    fn inverted_forms_have_an_inverse() {
        assert_eq!(Opcode::Sgei.effective(), Opcode::Sge);
        assert_eq!(Opcode::Madi.effective(), Opcode::Mad);
        assert_eq!(Opcode::Add.effective(), Opcode::Add);
        assert_eq!(Opcode::by_name("LOOP"), Some(Opcode::Loop));
        assert_eq!(Opcode::of_word(0x10 << 26), None);
    }
}
