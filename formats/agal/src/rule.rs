//! The rules of valid programs, with Adobe's error number and the behaviour of the tolerant mode.

use std::fmt;

use crate::register::RegisterFile;

/// The part of a program with a violation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// The whole program.
    Program,
    /// The opcode of a token.
    Opcode,
    /// The destination field of a token.
    Destination,
    /// The first source of a token.
    Source1,
    /// The second source of a token.
    Source2,
    /// The sampler field of a token.
    Sampler,
    /// The varyings of a pair of programs.
    Linkage,
}

impl Field {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Field::Program => "program",
            Field::Opcode => "opcode",
            Field::Destination => "destination",
            Field::Source1 => "source 1",
            Field::Source2 => "source 2",
            Field::Sampler => "sampler",
            Field::Linkage => "linkage",
        }
    }
}

/// The meaning of the offending value of a violation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Found {
    /// There is none: the rule says everything.
    Nothing,
    /// A number.
    Count,
    /// A register number.
    Register,
    /// The number of a register file.
    File,
    /// Components, bit 0 for x; 0 if none was found.
    Mask,
    /// A swizzle as it is encoded.
    Swizzle,
    /// Bits.
    Bits,
}

impl Found {
    /// A value in words; `None` if nothing was found.
    fn describe(self, value: u64) -> Option<String> {
        let letters = |components: &mut dyn Iterator<Item = u64>| -> String {
            components.filter_map(|component| "xyzw".chars().nth(component as usize)).collect()
        };
        match self {
            Found::Nothing => None,
            Found::Mask if value == 0 => None,
            Found::Count => Some(format!("found {value}")),
            Found::Register => Some(format!("register {value}")),
            Found::File => Some(match u8::try_from(value).ok().and_then(RegisterFile::from_number) {
                Some(file) => format!("found the {} file", file.row().name),
                None => format!("found file {value}"),
            }),
            Found::Mask => Some(format!(
                "found .{}",
                letters(&mut (0..4).filter(|component| value >> component & 1 == 1))
            )),
            Found::Swizzle => Some(format!(
                "found .{}",
                letters(&mut [0, 2, 4, 6].into_iter().map(|shift| value >> shift & 3))
            )),
            Found::Bits => Some(format!("found {value:#x}")),
        }
    }
}

/// A row of the table of rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// Adobe's error number, if one is known.
    pub adobe: Option<u16>,
    /// The behaviour of the tolerant mode if the rule is broken; empty if the program is rejected.
    pub tolerance: &'static str,
    /// What [`Violation::found`] is.
    pub found: Found,
    /// Description of the violation.
    pub text: &'static str,
}

macro_rules! rules {
    ($($variant:ident $adobe:literal $found:ident $text:literal, $tolerance:literal;)*) => {
        /// A rule of valid programs, named after its violation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule {
            $(#[doc = $text] $variant,)*
        }

        /// Every rule, in the order of [`Rule`].
        pub static RULES: &[RuleRow] = &[$(RuleRow {
            rule: Rule::$variant,
            adobe: if $adobe == 0 { None } else { Some($adobe) },
            tolerance: $tolerance,
            found: Found::$found,
            text: $text,
        },)*];
    };
}

rules! {
    EmptyProgram 3615 Nothing "the program has no tokens", "";
    TooManyTokens 3629 Count "more tokens than the version allows", "up to 4096 are accepted";
    TokenLimit 3629 Count "more than 4096 tokens", "";
    OpcodeStage 3622 Bits "the stage does not have the opcode", "";
    OpcodeVersion 3726 Bits "the opcode needs a later version", "the opcode is accepted";
    EndIfWithoutIf 3623 Nothing "`eif` without an open block", "";
    ElseWithoutIf 3752 Nothing "`els` without an open block, or after another `els`", "";
    OpenBlock 3739 Count "a block is open at the end", "";
    NestingTooDeep 3624 Count "blocks nest more than 16 deep", "";
    EmptyBlock 3748 Nothing "a block has no instructions", "the block does nothing";
    ConstantCondition 3758 Register "both sources of a condition are the same", "the condition is evaluated";
    BothConstants 3625 Register "both sources are constants", "the operation is done";
    BothRelative 3626 Register "both sources are relative", "both are read";
    DestinationNotZero 3627 Bits "an opcode without destination has one", "the field is ignored";
    UnusedSource 3636 Bits "a source that the opcode does not use is not zero", "the field is ignored";
    MaskHasW 3628 Mask "the destination of an opcode with three results includes w", "w keeps its value";
    MaskZero 3653 Nothing "the write mask is zero", "nothing is written";
    ReservedBits 3654 Bits "reserved bits are not zero", "the bits are ignored";
    UnknownFile 3655 File "unknown register type", "";
    RegisterBounds 0 Register "the register number is out of bounds", "registers up to a higher limit are accepted";
    RegisterLimit 0 Register "the register number is beyond every limit", "";
    SwizzleNotScalar 3703 Swizzle "the source must be a scalar (`xxxx`, `yyyy`, `zzzz` or `wwww`)", "conditions hold where all four components do; `kil` reads the first component";
    MatrixSwizzle 3689 Swizzle "the second source of a matrix opcode has a swizzle", "each row is swizzled";
    SamplerAsSource 3638 Register "a sampler is the source of an opcode other than a texture opcode", "";
    SamplerExpected 3693 File "the second source of a texture opcode must be a sampler", "the field is read as a sampler";
    OutputRead 3646 Register "an output is read", "";
    VaryingReadInVertex 3644 Register "a varying is read in a vertex program", "what was written before is read";
    AttributeInFragment 3645 Register "an attribute is read in a fragment program", "";
    InstanceInFragment 3788 Nothing "the instance number is read in a fragment program", "";
    TemporaryUnwritten 3647 Register "a temporary is read before it is written", "zeros are read";
    ComponentUnwritten 3648 Register "a component of a temporary is read before it is written", "zero is read";
    SamplerWritten 3649 Register "a sampler is written", "";
    VaryingInFragment 3650 Register "a varying is written in a fragment program", "";
    AttributeWritten 3651 Register "an attribute is written", "";
    ConstantWritten 3652 Register "a constant is written", "";
    InstanceWritten 3786 Nothing "the instance number is written", "";
    DepthInVertex 3750 Nothing "the depth output is written in a vertex program", "";
    RelativeInFragment 3639 Register "a relative source in a fragment program", "it is read as in vertex programs";
    RelativeFile 3640 File "a relative source that is not a constant", "";
    IndexFile 3642 File "the index is not an attribute, constant or temporary", "an index in a varying is read in fragment programs";
    DirectWithIndex 3643 Bits "a direct source has fields of a relative one", "the fields are ignored";
    DimensionUnknown 3664 Count "unknown dimension", "2 is a texture of three dimensions";
    FilterUnknown 3665 Count "unknown filter", "2 to 5 are anisotropic filters";
    MipUnknown 3666 Count "unknown mipmapping", "";
    WrapUnknown 3667 Count "unknown wrapping", "2 and 3 clamp one direction and repeat the other";
    SpecialFlags 3668 Bits "special flags must be zero", "4 makes the application's settings count, others are ignored";
    CubeNotClamped 3662 Nothing "a cube texture must clamp", "the setting is ignored";
    CubeWithoutMips 3704 Nothing "a cube texture must use levels", "the first level is used";
    SamplerDiffers 3696 Register "two uses of a sampler have different settings", "each use keeps its own";
    TedBias 3740 Nothing "`ted` has a bias", "the bias is added";
    TedWithoutMips 3743 Nothing "`ted` must use levels", "the first level is used";
    ComputedTexInBlock 3741 Register "`tex` in a block has computed coordinates", "derivatives are those of the registers, whatever lanes are active";
    DerivativeInBlock 3742 Nothing "a derivative in a block", "derivatives are those of the registers, whatever lanes are active";
    OutputInBlock 3751 Register "an output is written in a block", "it is written where the block runs";
    ColourTwice 3744 Register "the colour is written more than once", "each write counts";
    ColourMask 3701 Mask "the colour has a write mask", "the other components keep their value";
    DepthMask 3756 Mask "the depth output must be written with mask x", "x is the depth";
    FragmentOutputIncomplete 3634 Mask "a fragment program must write all components of its colour", "the others are zero";
    VertexOutputIncomplete 3635 Mask "a vertex program must write all components of its position", "the others are zero";
    NotVertex 3631 Nothing "the first program of a pair is not a vertex program", "";
    NotFragment 3630 Nothing "the second program of a pair is not a fragment program", "";
    VersionsDiffer 3757 Count "the programs of a pair have different versions", "each has its own limits";
    VaryingUnwritten 3632 Register "a varying is read that the vertex program does not write", "";
    VaryingIncomplete 3633 Register "a varying is written in part", "the other components are zero";
}

impl Rule {
    /// Its row.
    pub fn row(self) -> &'static RuleRow {
        &RULES[self as usize]
    }
}

/// A place where a program breaks a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Index of the token, if the violation is in one.
    pub token: Option<usize>,
    /// The part of the token or program.
    pub field: Field,
    /// The offending value: a register number, mask, bits or count.
    pub found: u64,
    /// Adobe's error number, if one is known.
    pub adobe: Option<u16>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(token) = self.token {
            write!(f, "token {token}, ")?;
        }
        let row = self.rule.row();
        write!(f, "{}: {}", self.field.name(), row.text)?;
        match (row.found.describe(self.found), self.adobe) {
            (Some(found), Some(number)) => write!(f, " ({found}; Adobe error {number})"),
            (Some(found), None) => write!(f, " ({found})"),
            (None, Some(number)) => write!(f, " (Adobe error {number})"),
            (None, None) => Ok(()),
        }
    }
}

impl std::error::Error for Violation {}
