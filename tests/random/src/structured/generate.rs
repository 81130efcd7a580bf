//! Programs made of choices.

use super::{Comparison, Condition, Operand, Operation, Program, Statement, UNIFORMS, VARIABLES};
use crate::entropy::Entropy;

/// Maximum nesting of constructs.
const MOST_NESTED: usize = 4;

/// Maximum number of statements of a program.
const MOST_STATEMENTS: usize = 40;

/// What a language has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Operations.
    pub operations: &'static [Operation],
    /// Loops without iterations, and continues.
    pub free_loops: bool,
}

impl Features {
    /// Languages with integers.
    pub const INTEGERS: Features = Features {
        operations: &[
            Operation::Add,
            Operation::Sub,
            Operation::Min,
            Operation::Max,
            Operation::Mul,
            Operation::Xor,
        ],
        free_loops: true,
    };

    /// PICA200, which has floats, and loops with at least one iteration.
    pub const PICA200: Features = Features {
        operations: &[Operation::Add, Operation::Sub, Operation::Min, Operation::Max],
        free_loops: false,
    };
}

impl Program {
    /// A program with choices from `entropy`.
    pub fn any(entropy: &mut Entropy<'_>, features: Features) -> Program {
        // In some programs, lanes differ nowhere.
        let mut generator =
            Generator { features, statements: 0, loops: 0, depth: 0, has_lanes: entropy.below(4) != 0 };
        Program { body: generator.body(entropy, 8) }
    }

    /// Uniforms with choices from `entropy`: small numbers, which are likely to be equal.
    pub fn any_uniforms(entropy: &mut Entropy<'_>) -> [i32; UNIFORMS] {
        std::array::from_fn(|_| entropy.below(9) as i32 - 2)
    }
}

struct Generator {
    features: Features,
    statements: usize,
    /// Open loops.
    loops: usize,
    /// Open constructs.
    depth: usize,
    has_lanes: bool,
}

impl Generator {
    fn body(&mut self, entropy: &mut Entropy<'_>, most: usize) -> Vec<Statement> {
        let count = 1 + entropy.below(most);
        let mut body = Vec::new();
        for _ in 0..count {
            if entropy.is_empty() || self.statements >= MOST_STATEMENTS {
                break;
            }
            self.statements += 1;
            body.push(self.statement(entropy));
        }
        body
    }

    fn statement(&mut self, entropy: &mut Entropy<'_>) -> Statement {
        let nests = self.depth < MOST_NESTED;
        match entropy.below(12) {
            0 | 1 if nests => {
                let condition = self.condition(entropy);
                self.depth += 1;
                let arms = [self.body(entropy, 3), self.body(entropy, 2)];
                self.depth -= 1;
                Statement::If { condition, arms }
            }
            2..=4 if nests => {
                let (count, extra) = (entropy.below(UNIFORMS), !self.features.free_loops || entropy.flip());
                (self.depth, self.loops) = (self.depth + 1, self.loops + 1);
                let body = self.body(entropy, 5);
                (self.depth, self.loops) = (self.depth - 1, self.loops - 1);
                Statement::Loop { count, extra, body }
            }
            5 | 6 if self.loops > 0 => Statement::Break(self.condition(entropy)),
            7 if self.loops > 0 && self.features.free_loops => Statement::Continue(self.condition(entropy)),
            _ => Statement::Assign {
                variable: entropy.below(VARIABLES),
                operation: self.features.operations[entropy.below(self.features.operations.len())],
                operands: [self.operand(entropy), self.operand(entropy)],
            },
        }
    }

    fn condition(&mut self, entropy: &mut Entropy<'_>) -> Condition {
        let comparison = [Comparison::Equal, Comparison::NotEqual, Comparison::Less][entropy.below(3)];
        Condition { comparison, operands: [self.operand(entropy), self.operand(entropy)] }
    }

    fn operand(&mut self, entropy: &mut Entropy<'_>) -> Operand {
        match entropy.below(16) {
            0..=5 => Operand::Variable(entropy.below(VARIABLES)),
            6 | 7 => Operand::Constant(entropy.below(17) as i32 - 8),
            8 if self.has_lanes => Operand::Lane,
            _ => Operand::Uniform(entropy.below(UNIFORMS)),
        }
    }
}
