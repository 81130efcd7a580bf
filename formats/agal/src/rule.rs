//! The rules of valid programs, with Adobe's error number and the behaviour of the tolerant mode.

use std::fmt;

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

/// A row of the table of rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// Adobe's error number, if one is known.
    pub adobe: Option<u16>,
    /// The behaviour of the tolerant mode if the rule is broken; empty if the program is rejected.
    pub tolerance: &'static str,
    /// Description of the violation.
    pub text: &'static str,
}

macro_rules! rules {
    ($($variant:ident $adobe:literal $text:literal, $tolerance:literal;)*) => {
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
            text: $text,
        },)*];
    };
}

rules! {
    EmptyProgram 3615 "the program has no tokens", "its outputs are zero";
    TooManyTokens 3629 "more tokens than the version allows", "up to 4096 are accepted";
    TokenLimit 3629 "more than 4096 tokens", "";
    OpcodeStage 3622 "the opcode exists in fragment programs only", "";
    OpcodeVersion 3726 "the opcode needs a later version", "the opcode is accepted";
    EndIfWithoutIf 3623 "`eif` without an open block", "";
    ElseWithoutIf 3752 "`els` without an open block, or after another `els`", "";
    OpenBlock 3739 "a block is open at the end", "";
    NestingTooDeep 3624 "blocks nest more than 16 deep", "";
    EmptyBlock 3748 "a block has no instructions", "the block does nothing";
    ConstantCondition 3758 "both sources of a condition are the same", "the condition is evaluated";
    BothConstants 3625 "both sources are constants", "the operation is done";
    BothRelative 3626 "both sources are relative", "both are read";
    DestinationNotZero 3627 "an opcode without destination has one", "the field is ignored";
    UnusedSource 3636 "a source that the opcode does not use is not zero", "the field is ignored";
    MaskHasW 3628 "the destination of an opcode with three results includes w", "w keeps its value";
    MaskZero 3653 "the write mask is zero", "nothing is written";
    ReservedBits 3654 "reserved bits are not zero", "the bits are ignored";
    UnknownFile 3655 "unknown register type", "";
    RegisterBounds 0 "the register number is out of bounds", "registers up to a higher limit are accepted";
    RegisterLimit 0 "the register number is beyond every limit", "";
    SwizzleNotScalar 3703 "the source must be a scalar (`xxxx`, `yyyy`, `zzzz` or `wwww`)", "conditions hold where all four components do; `kil` reads the first component";
    MatrixSwizzle 3689 "the second source of a matrix opcode has a swizzle", "each row is swizzled";
    SamplerAsSource 3638 "a sampler is the source of an opcode other than a texture opcode", "";
    SamplerExpected 3693 "the second source of a texture opcode must be a sampler", "the field is read as a sampler";
    OutputRead 3646 "an output is read", "";
    VaryingReadInVertex 3644 "a varying is read in a vertex program", "what was written before is read";
    AttributeInFragment 3645 "an attribute is read in a fragment program", "";
    InstanceInFragment 3788 "the instance number is read in a fragment program", "";
    TemporaryUnwritten 3647 "a temporary is read before it is written", "zeros are read";
    ComponentUnwritten 3648 "a component of a temporary is read before it is written", "zero is read";
    SamplerWritten 3649 "a sampler is written", "";
    VaryingInFragment 3650 "a varying is written in a fragment program", "";
    AttributeWritten 3651 "an attribute is written", "";
    ConstantWritten 3652 "a constant is written", "";
    InstanceWritten 3786 "the instance number is written", "";
    DepthInVertex 3750 "the depth output is written in a vertex program", "";
    RelativeInFragment 3639 "a relative source in a fragment program", "it is read as in vertex programs";
    RelativeFile 3640 "a relative source that is not a constant", "";
    IndexFile 3642 "the index is not an attribute, constant or temporary", "an index in a varying is read in fragment programs";
    DirectWithIndex 3643 "a direct source has fields of a relative one", "the fields are ignored";
    DimensionUnknown 3664 "unknown dimension", "2 is a texture of three dimensions";
    FilterUnknown 3665 "unknown filter", "2 to 5 are anisotropic filters";
    MipUnknown 3666 "unknown mipmapping", "";
    WrapUnknown 3667 "unknown wrapping", "2 and 3 clamp one direction and repeat the other";
    SpecialFlags 3668 "special flags must be zero", "4 makes the application's settings count, others are ignored";
    CubeNotClamped 3662 "a cube texture must clamp", "the setting is ignored";
    CubeWithoutMips 3704 "a cube texture must use levels", "the first level is used";
    SamplerDiffers 3696 "two uses of a sampler have different settings", "each use keeps its own";
    TedBias 3740 "`ted` has a bias", "the bias is added";
    TedWithoutMips 3743 "`ted` must use levels", "the first level is used";
    ComputedTexInBlock 3741 "`tex` in a block has computed coordinates", "derivatives are those of the registers, whatever lanes are active";
    DerivativeInBlock 3742 "a derivative in a block", "derivatives are those of the registers, whatever lanes are active";
    OutputInBlock 3751 "an output is written in a block", "it is written where the block runs";
    ColourTwice 3744 "the colour is written more than once", "each write counts";
    ColourMask 3701 "the colour has a write mask", "the other components keep their value";
    DepthMask 3756 "the depth output must be written with mask x", "x is the depth";
    FragmentOutputIncomplete 3634 "a fragment program must write all components of its colour", "the others are zero";
    VertexOutputIncomplete 3635 "a vertex program must write all components of its position", "the others are zero";
    NotVertex 3631 "the first program of a pair is not a vertex program", "";
    NotFragment 3630 "the second program of a pair is not a fragment program", "";
    VersionsDiffer 3757 "the programs of a pair have different versions", "each has its own limits";
    VaryingUnwritten 3632 "a varying is read that the vertex program does not write", "";
    VaryingIncomplete 3633 "a varying is written in part", "the other components are zero";
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
        write!(f, "{}: {} (found {:#x}", self.field.name(), self.rule.row().text, self.found)?;
        if let Some(number) = self.adobe {
            write!(f, "; Adobe error {number}")?;
        }
        write!(f, ")")
    }
}

impl std::error::Error for Violation {}
