//! Programs as PICA200 vertex programs, with numbers as floats: uniforms in two float registers and four integer ones, the lane
//! in an attribute, results in the first output. Every number that is set is limited.

use super::text::Text;
use super::{COUNT_MASK, Comparison, Condition, Operand, Operation, Program, Statement};

/// The limit of numbers, which floats of 24 bits represent exactly.
pub const LIMIT: i32 = 64;

/// Integer registers, which hold the number of iterations after the first: those of the uniforms with their numbers, modulo the
/// number of registers.
pub const COUNTERS: usize = 4;

const HEAD: &str = ".fvec first, second
.ivec count0, count1, count2, count3
.constf limits(64.0, -64.0, 0.0, 0.0)
";

const MAIN: &str = ".in value
.out result position
.proc main
";

/// The uniform that an integer register holds.
fn counter(count: usize) -> usize {
    count % COUNTERS
}

/// What the integer registers hold for some uniforms.
pub fn counts(uniforms: &[i32]) -> [u8; COUNTERS] {
    std::array::from_fn(|at| (uniforms.get(at).copied().unwrap_or(0) & COUNT_MASK) as u8)
}

/// The program with loops that read the uniforms of integer registers.
pub fn counted(body: &[Statement]) -> Vec<Statement> {
    let one = |statement: &Statement| match statement {
        Statement::Loop { count, extra, body } => {
            Statement::Loop { count: counter(*count), extra: *extra, body: counted(body) }
        }
        Statement::If { condition, arms } => {
            Statement::If { condition: *condition, arms: [counted(&arms[0]), counted(&arms[1])] }
        }
        other => other.clone(),
    };
    body.iter().map(one).collect()
}

/// The text of a program.
pub fn text(program: &Program) -> String {
    let mut writer = Writer { out: Text { text: String::new(), depth: 1 }, constants: Vec::new() };
    writer.out.line("mov r0, first");
    writer.body(&program.body);
    writer.out.line("mov result, r0");
    writer.out.line("end");
    let constants: String = (0..)
        .zip(&writer.constants)
        .map(|(at, number)| format!(".constf c{at}({number}.0, {number}.0, {number}.0, {number}.0)\n"))
        .collect();
    format!("{HEAD}{constants}{MAIN}{}.end\n", writer.out.text)
}

struct Writer {
    out: Text,
    constants: Vec<i32>,
}

impl Writer {
    fn body(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
        // The ends of two constructs are apart.
        self.out.line("nop");
    }

    fn operand(&mut self, operand: Operand) -> String {
        let component = |at: usize| ["xxxx", "yyyy", "zzzz", "wwww"][at % 4];
        match operand {
            Operand::Variable(at) => format!("r0.{}", component(at)),
            Operand::Uniform(at) => format!("{}.{}", ["first", "second"][at / 4], component(at)),
            Operand::Lane => "value.xxxx".to_owned(),
            Operand::Constant(number) => {
                let known = self.constants.iter().position(|known| *known == number);
                let at = known.unwrap_or(self.constants.len());
                if known.is_none() {
                    self.constants.push(number);
                }
                format!("c{at}.xxxx")
            }
        }
    }

    /// Two operands, of which an instruction can read at most one from a uniform register.
    fn operands(&mut self, [a, b]: [Operand; 2]) -> [String; 2] {
        let b = self.operand(b);
        self.out.line(&format!("mov r1, {b}"));
        [self.operand(a), "r1.xxxx".to_owned()]
    }

    /// Sets the flags: the first one is the condition.
    fn condition(&mut self, condition: &Condition) {
        let [a, b] = self.operands(condition.operands);
        let comparison = match condition.comparison {
            Comparison::Equal => "eq",
            Comparison::NotEqual => "ne",
            Comparison::Less => "lt",
        };
        self.out.line(&format!("cmp {a}, {comparison}, {comparison}, {b}"));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { variable, operation, operands } => {
                let [a, b] = self.operands(*operands);
                let component = ["x", "y", "z", "w"][*variable];
                let (opcode, sign) = match operation {
                    Operation::Min => ("min", ""),
                    Operation::Max => ("max", ""),
                    Operation::Sub => ("add", "-"),
                    _ => ("add", ""),
                };
                self.out.line(&format!("{opcode} r2, {a}, {sign}{b}"));
                self.out.line("min r2, limits.xxxx, r2");
                self.out.line(&format!("max r0.{component}, limits.yyyy, r2"));
            }
            Statement::If { condition, arms: [then, otherwise] } => {
                self.condition(condition);
                self.out.line("ifc cmp.x");
                self.body(then);
                self.out.line(".else");
                self.body(otherwise);
                self.out.line(".end");
            }
            Statement::Loop { count, body, .. } => {
                self.out.line(&format!("for count{}", counter(*count)));
                self.body(body);
                self.out.line(".end");
            }
            Statement::Break(condition) | Statement::Continue(condition) => {
                self.condition(condition);
                self.out.line("breakc cmp.x");
            }
        }
    }
}
