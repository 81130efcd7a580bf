//! Random structured programs over uniforms: ifs, and loops with breaks and continues, whose conditions are nearly all equal in
//! all lanes, so that most of a program, or all of it, can run before the lanes begin.
//!
//! A program reads numbers of a uniform buffer and the number of its lane, and leaves four numbers. [`Program::results`]
//! computes them; the modules write it in the languages of the compiler.

mod generate;
mod model;
pub mod pica200;
pub mod spirv;
mod text;
pub mod tgsi;
pub mod wgsl;

pub use generate::Features;

/// Variables of a program, which are its results.
pub const VARIABLES: usize = 4;

/// Numbers in the uniform buffer.
pub const UNIFORMS: usize = 8;

/// A source of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A variable.
    Variable(usize),
    /// A number of the uniform buffer.
    Uniform(usize),
    /// A number between -8 and 8.
    Constant(i32),
    /// The number of the lane.
    Lane,
}

/// An operation on two numbers, which wraps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The smaller number.
    Min,
    /// The larger number.
    Max,
    /// The product; not in PICA200 programs.
    Mul,
    /// The bitwise exclusive or; not in PICA200 programs.
    Xor,
}

/// A condition on two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// How they are compared.
    pub comparison: Comparison,
    /// The numbers.
    pub operands: [Operand; 2],
}

/// A comparison of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// They are equal.
    Equal,
    /// They differ.
    NotEqual,
    /// The first is smaller.
    Less,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Sets a variable.
    Assign {
        /// The variable.
        variable: usize,
        /// What it is set to.
        operation: Operation,
        /// The operands.
        operands: [Operand; 2],
    },
    /// Chooses statements.
    If {
        /// Whether the first list is executed.
        condition: Condition,
        /// The lists.
        arms: [Vec<Statement>; 2],
    },
    /// Repeats statements as often as the low bits of a uniform say, and once more if `extra`.
    Loop {
        /// The uniform.
        count: usize,
        /// One more iteration.
        extra: bool,
        /// The statements.
        body: Vec<Statement>,
    },
    /// Leaves the innermost loop.
    Break(Condition),
    /// Begins the next iteration of the innermost loop.
    Continue(Condition),
}

/// Low bits of a uniform that count iterations.
pub const COUNT_MASK: i32 = 3;

/// A program. Its variables begin with the first uniforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The statements.
    pub body: Vec<Statement>,
}
