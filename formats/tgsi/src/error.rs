//! Errors in text, in tokens and in shaders.

use crate::model::Place;

/// A syntax error.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Where the unexpected text begins.
    pub place: Place,
    /// The expected text.
    pub expected: String,
    /// The text that was found.
    pub found: String,
}

/// An error in the binary form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// The tokens end too early.
    #[error("token {at}: expected {expected}, found the end")]
    Short {
        /// Index of the word that is missing.
        at: usize,
        /// The expected token.
        expected: &'static str,
    },
    /// A field has an unknown value.
    #[error("token {at}: unknown {what} {value}")]
    Unknown {
        /// Index of the word.
        at: usize,
        /// The field.
        what: &'static str,
        /// Its value.
        value: u32,
    },
    /// A name has no number in this edition of the binary form.
    #[error("{what} `{name}` has no number in this edition of the binary form")]
    NoCode {
        /// Its kind.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A number does not fit its field.
    #[error("{what} {value} does not fit {bits} bits")]
    Wide {
        /// The field.
        what: &'static str,
        /// The number.
        value: i64,
        /// Width of the field.
        bits: u32,
    },
}

/// A shader that breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct ValidateError {
    /// Place of the violation; zero if the shader does not come from text.
    pub place: Place,
    /// The violation.
    pub fault: Fault,
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The number of operands is wrong.
    #[error("{opcode} has {found} {what}; expected {expected}")]
    Count {
        /// The opcode.
        opcode: &'static str,
        /// Destinations or sources.
        what: &'static str,
        /// Expected number.
        expected: usize,
        /// Number of operands.
        found: usize,
    },
    /// A register is not declared.
    #[error("{register} is not declared")]
    Undeclared {
        /// The register.
        register: String,
    },
    /// An invalid range in a declaration.
    #[error("{file}[{first}..{last}] is not a range of registers")]
    Range {
        /// The file.
        file: &'static str,
        /// First register.
        first: u32,
        /// Last register.
        last: u32,
    },
    /// A register is declared twice.
    #[error("{register} is declared twice")]
    Twice {
        /// The register.
        register: String,
    },
    /// An operand with the wrong file.
    #[error("{opcode} cannot {action} {file}; expected {expected}")]
    File {
        /// The opcode.
        opcode: &'static str,
        /// Read, write or address.
        action: &'static str,
        /// The file.
        file: &'static str,
        /// The allowed files.
        expected: &'static str,
    },
    /// Blocks are not balanced.
    #[error("{opcode} without {partner}")]
    Nesting {
        /// The instruction.
        opcode: &'static str,
        /// The missing partner.
        partner: &'static str,
    },
    /// An invalid label.
    #[error("{opcode} goes to {target}, which is {found}; expected {expected}")]
    Label {
        /// The instruction.
        opcode: &'static str,
        /// The label.
        target: u32,
        /// The instruction at the label.
        found: &'static str,
        /// The instructions that are allowed there.
        expected: &'static str,
    },
    /// A subroutine calls itself.
    #[error("the subroutine at {target} calls itself")]
    Recursion {
        /// Its label.
        target: u32,
    },
    /// A feature that this kind of program does not have.
    #[error("{what} in a {processor} program")]
    Stage {
        /// The feature.
        what: String,
        /// The processor.
        processor: &'static str,
    },
    /// The wrong texture target.
    #[error("{opcode} cannot use the target {target}")]
    Target {
        /// The opcode.
        opcode: &'static str,
        /// The target.
        target: &'static str,
    },
    /// A texel of a cube, whose coordinates no edition of the document defines.
    #[error("{opcode} of the target {target} is undefined: texels of a cube have no integer coordinates")]
    CubeTexel {
        /// The opcode.
        opcode: &'static str,
        /// The target.
        target: &'static str,
    },
    /// A modifier that is not allowed.
    #[error("{what} on {opcode}, whose {where_} is not a float")]
    Modifier {
        /// The modifier.
        what: &'static str,
        /// The opcode.
        opcode: &'static str,
        /// The operand.
        where_: &'static str,
    },
    /// A required element is missing.
    #[error("{what} is missing")]
    Missing {
        /// The element.
        what: &'static str,
    },
    /// An unknown value of a property.
    #[error("{property} is {value}; expected {expected}")]
    Property {
        /// The property.
        property: &'static str,
        /// The value.
        value: u32,
        /// The allowed values.
        expected: &'static str,
    },
}
