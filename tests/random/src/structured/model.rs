//! What programs compute.

use super::{COUNT_MASK, Comparison, Condition, Operand, Operation, Program, Statement, UNIFORMS, VARIABLES};

/// How a list of statements ends.
#[derive(PartialEq, Eq)]
enum End {
    Falls,
    Breaks,
    Continues,
}

struct Machine<'m> {
    variables: [i32; VARIABLES],
    uniforms: &'m [i32; UNIFORMS],
    lane: i32,
    /// Numbers that are set stay between this and its negative.
    limit: Option<i32>,
}

impl Program {
    /// The results of a lane. With a `limit`, every number that is set is limited to it and its negative.
    pub fn results(&self, uniforms: &[i32; UNIFORMS], lane: i32, limit: Option<i32>) -> [i32; VARIABLES] {
        let variables = std::array::from_fn(|at| uniforms[at]);
        let mut machine = Machine { variables, uniforms, lane, limit };
        machine.run(&self.body);
        machine.variables
    }
}

impl Machine<'_> {
    fn run(&mut self, body: &[Statement]) -> End {
        for statement in body {
            let end = match statement {
                Statement::Assign { variable, operation, operands } => {
                    self.variables[*variable] = self.limited(self.result(*operation, *operands));
                    End::Falls
                }
                Statement::If { condition, arms } => self.run(&arms[usize::from(!self.holds(condition))]),
                Statement::Loop { count, extra, body } => {
                    for _ in 0..(self.uniforms[*count] & COUNT_MASK) + i32::from(*extra) {
                        if self.run(body) == End::Breaks {
                            break;
                        }
                    }
                    End::Falls
                }
                Statement::Break(condition) if self.holds(condition) => End::Breaks,
                Statement::Continue(condition) if self.holds(condition) => End::Continues,
                Statement::Break(_) | Statement::Continue(_) => End::Falls,
            };
            if end != End::Falls {
                return end;
            }
        }
        End::Falls
    }

    fn number(&self, operand: Operand) -> i32 {
        match operand {
            Operand::Variable(at) => self.variables[at],
            Operand::Uniform(at) => self.uniforms[at],
            Operand::Constant(number) => number,
            Operand::Lane => self.lane,
        }
    }

    fn result(&self, operation: Operation, operands: [Operand; 2]) -> i32 {
        let [a, b] = operands.map(|operand| self.number(operand));
        match operation {
            Operation::Add => a.wrapping_add(b),
            Operation::Sub => a.wrapping_sub(b),
            Operation::Min => a.min(b),
            Operation::Max => a.max(b),
            Operation::Mul => a.wrapping_mul(b),
            Operation::Xor => a ^ b,
        }
    }

    fn limited(&self, number: i32) -> i32 {
        self.limit.map_or(number, |limit| number.clamp(-limit, limit))
    }

    fn holds(&self, condition: &Condition) -> bool {
        let [a, b] = condition.operands.map(|operand| self.number(operand));
        match condition.comparison {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
        }
    }
}

#[test]
fn loops_and_conditions_have_their_meaning() {
    use Operand::{Constant, Uniform, Variable};
    let add = |variable, operands| Statement::Assign { variable, operation: Operation::Add, operands };
    let is = |comparison, operands| Condition { comparison, operands };
    // v0 += 1; if v0 = 6 continue; v1 += v0; if u5 < v1 break
    let body = vec![
        add(0, [Variable(0), Constant(1)]),
        Statement::Continue(is(Comparison::Equal, [Variable(0), Constant(6)])),
        add(1, [Variable(1), Variable(0)]),
        Statement::Break(is(Comparison::Less, [Uniform(5), Variable(1)])),
    ];
    let program = Program { body: vec![Statement::Loop { count: 4, extra: true, body }] };
    let uniforms = [4, 0, 9, 9, 3, 7, 0, 0];
    // Iterations 5, 6 (continued), 7, of which the last breaks.
    assert_eq!(program.results(&uniforms, 0, None), [7, 12, 9, 9]);
    assert_eq!(program.results(&uniforms, 0, Some(6)), [6, 5, 9, 9]);
}
