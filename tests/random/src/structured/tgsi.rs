//! Programs as TGSI compute programs: uniforms in constant buffer 0, the results of each lane in buffer 0.

use super::text::Text;
use super::{COUNT_MASK, Comparison, Condition, Operand, Operation, Program, Statement};

const HEAD: &str = "COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 32
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL CONST[0][0..1]
DCL BUFFER[0]
DCL TEMP[0..63]
";

/// The first register of a loop's counter, and the one with conditions.
const FIRST_COUNTER: usize = 8;
const CONDITION: &str = "TEMP[7]";

/// The text of a program.
pub fn text(program: &Program) -> String {
    let mut writer = Writer { out: Text::default(), immediates: Vec::new(), open: 0 };
    writer.out.line("MOV TEMP[0], CONST[0][0]");
    writer.body(&program.body);
    let shift = writer.immediate(4);
    writer.out.line(&format!("SHL TEMP[6].x, SV[0].xxxx, {shift}"));
    writer.out.line("STORE BUFFER[0].xyzw, TEMP[6].xxxx, TEMP[0]");
    let immediates: String =
        writer.immediates.iter().map(|number| format!("IMM INT32 {{{number}, 0, 0, 0}}\n")).collect();
    format!("{HEAD}{immediates}{}END\n", writer.out.text)
}

struct Writer {
    out: Text,
    immediates: Vec<i32>,
    /// Open loops.
    open: usize,
}

impl Writer {
    fn immediate(&mut self, number: i32) -> String {
        let known = self.immediates.iter().position(|known| *known == number);
        let at = known.unwrap_or(self.immediates.len());
        if known.is_none() {
            self.immediates.push(number);
        }
        format!("IMM[{at}].xxxx")
    }

    fn operand(&mut self, operand: Operand) -> String {
        let component = |at: usize| ["xxxx", "yyyy", "zzzz", "wwww"][at % 4];
        match operand {
            Operand::Variable(at) => format!("TEMP[0].{}", component(at)),
            Operand::Uniform(at) => format!("CONST[0][{}].{}", at / 4, component(at)),
            Operand::Constant(number) => self.immediate(number),
            Operand::Lane => "SV[0].xxxx".to_owned(),
        }
    }

    fn body(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn condition(&mut self, condition: &Condition) {
        let [a, b] = condition.operands.map(|operand| self.operand(operand));
        let opcode = match condition.comparison {
            Comparison::Equal => "USEQ",
            Comparison::NotEqual => "USNE",
            Comparison::Less => "ISLT",
        };
        self.out.line(&format!("{opcode} {CONDITION}.x, {a}, {b}"));
        self.out.line(&format!("UIF {CONDITION}.xxxx"));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { variable, operation, operands: [a, b] } => {
                let opcode = match operation {
                    Operation::Add => "UADD",
                    Operation::Sub => {
                        let b = self.operand(*b);
                        self.out.line(&format!("INEG TEMP[5].x, {b}"));
                        return self.assign(*variable, "UADD", *a, "TEMP[5].xxxx".to_owned());
                    }
                    Operation::Min => "IMIN",
                    Operation::Max => "IMAX",
                    Operation::Mul => "UMUL",
                    Operation::Xor => "XOR",
                };
                let b = self.operand(*b);
                self.assign(*variable, opcode, *a, b);
            }
            Statement::If { condition, arms: [then, otherwise] } => {
                self.condition(condition);
                self.body(then);
                self.out.line("ELSE");
                self.body(otherwise);
                self.out.line("ENDIF");
            }
            Statement::Loop { count, extra, body } => self.repeat(*count, *extra, body),
            Statement::Break(condition) | Statement::Continue(condition) => {
                self.condition(condition);
                let leaves = matches!(statement, Statement::Break(_));
                self.out.line(if leaves { "BRK" } else { "CONT" });
                self.out.line("ENDIF");
            }
        }
    }

    fn assign(&mut self, variable: usize, opcode: &str, a: Operand, b: String) {
        let (a, component) = (self.operand(a), ["x", "y", "z", "w"][variable]);
        self.out.line(&format!("{opcode} TEMP[0].{component}, {a}, {b}"));
    }

    /// A loop that counts down to 0 at its beginning.
    fn repeat(&mut self, count: usize, extra: bool, body: &[Statement]) {
        let counter = format!("TEMP[{}]", FIRST_COUNTER + self.open);
        let (mask, count) = (self.immediate(COUNT_MASK), self.operand(Operand::Uniform(count)));
        let [less, more] = [-1, if extra { 2 } else { 1 }].map(|number| self.immediate(number));
        self.out.line(&format!("AND {counter}.x, {count}, {mask}"));
        self.out.line(&format!("UADD {counter}.x, {counter}.xxxx, {more}"));
        self.out.line("BGNLOOP");
        self.out.line(&format!("UADD {counter}.x, {counter}.xxxx, {less}"));
        let zero = self.immediate(0);
        self.out.line(&format!("USEQ {CONDITION}.x, {counter}.xxxx, {zero}"));
        self.out.line(&format!("UIF {CONDITION}.xxxx"));
        self.out.line("BRK");
        self.out.line("ENDIF");
        self.open += 1;
        self.body(body);
        self.open -= 1;
        self.out.line("ENDLOOP");
    }
}
