//! What is wrong with a text, a stream of tokens or a shader.

use crate::model::Place;

/// Text that is not a shader.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Where the unexpected text begins.
    pub place: Place,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// Tokens that are not a shader.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// The tokens end too early.
    #[error("token {at}: expected {expected}, found the end")]
    Short {
        /// Index of the word that is missing.
        at: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// A field has a value that means nothing.
    #[error("token {at}: unknown {what} {value}")]
    Unknown {
        /// Index of the word.
        at: usize,
        /// The field.
        what: &'static str,
        /// Its value.
        value: u32,
    },
    /// Something has no number in this edition of the binary form.
    #[error("{what} `{name}` has no number in this edition of the binary form")]
    NoCode {
        /// What it is.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A number does not fit its field.
    #[error("{what} {value} does not fit {bits} bits")]
    Wide {
        /// What it is.
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
    /// Where the culprit stands; zero if the shader does not come from text.
    pub place: Place,
    /// What is wrong.
    pub fault: Fault,
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// An operand count differs from the opcode's.
    #[error("{opcode} has {found} {what}; expected {expected}")]
    Count {
        /// The opcode.
        opcode: &'static str,
        /// Destinations or sources.
        what: &'static str,
        /// How many it takes.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A register is used that no declaration covers.
    #[error("{register} is not declared")]
    Undeclared {
        /// The register.
        register: String,
    },
    /// A declaration ends before it begins, or is too large.
    #[error("{file}[{first}..{last}] is not a range of registers")]
    Range {
        /// The file.
        file: &'static str,
        /// First register.
        first: u32,
        /// Last register.
        last: u32,
    },
    /// Two declarations cover a register.
    #[error("{register} is declared twice")]
    Twice {
        /// The register.
        register: String,
    },
    /// A file cannot stand in this place.
    #[error("{opcode} cannot {action} {file}; expected {expected}")]
    File {
        /// The opcode.
        opcode: &'static str,
        /// Read, write or address.
        action: &'static str,
        /// The file.
        file: &'static str,
        /// What may stand there.
        expected: &'static str,
    },
    /// Blocks do not nest.
    #[error("{opcode} without {partner}")]
    Nesting {
        /// The instruction.
        opcode: &'static str,
        /// What it belongs to.
        partner: &'static str,
    },
    /// A label names nothing that control can pass to.
    #[error("{opcode} goes to {target}, which is {found}; expected {expected}")]
    Label {
        /// The instruction.
        opcode: &'static str,
        /// The label.
        target: u32,
        /// What stands there.
        found: &'static str,
        /// What should stand there.
        expected: &'static str,
    },
    /// A subroutine calls itself.
    #[error("the subroutine at {target} calls itself")]
    Recursion {
        /// Its label.
        target: u32,
    },
    /// Something that this kind of program cannot have.
    #[error("{what} in a {processor} program")]
    Stage {
        /// What.
        what: String,
        /// The processor.
        processor: &'static str,
    },
    /// A target that an instruction cannot use.
    #[error("{opcode} cannot use the target {target}")]
    Target {
        /// The opcode.
        opcode: &'static str,
        /// The target.
        target: &'static str,
    },
    /// A modifier that an operand cannot have.
    #[error("{what} on {opcode}, whose {where_} is not a float")]
    Modifier {
        /// The modifier.
        what: &'static str,
        /// The opcode.
        opcode: &'static str,
        /// Which operand.
        where_: &'static str,
    },
    /// Something that must be there is missing.
    #[error("{what} is missing")]
    Missing {
        /// What.
        what: &'static str,
    },
    /// A property's value means nothing.
    #[error("{property} is {value}; expected {expected}")]
    Property {
        /// The property.
        property: &'static str,
        /// The value.
        value: u32,
        /// What is allowed.
        expected: &'static str,
    },
}
