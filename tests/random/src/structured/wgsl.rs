//! Programs as WGSL compute shaders: uniforms in binding 0, the results of each lane in binding 1.

use super::text::Text;
use super::{COUNT_MASK, Comparison, Condition, Operand, Operation, Program, Statement};

const HEAD: &str = "struct Uniforms { a: vec4<i32>, b: vec4<i32> }
@group(0) @binding(0) var<uniform> u: Uniforms;
@group(0) @binding(1) var<storage, read_write> results: array<vec4<i32>>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) index: u32) {
    let lane = i32(index);
    var v0 = u.a[0];
    var v1 = u.a[1];
    var v2 = u.a[2];
    var v3 = u.a[3];
";

/// The text of a program.
pub fn text(program: &Program) -> String {
    let mut writer = Writer { out: Text { text: HEAD.to_owned(), depth: 1 }, counters: 0 };
    writer.body(&program.body);
    writer.out.line("results[index] = vec4<i32>(v0, v1, v2, v3);");
    writer.out.text + "}\n"
}

struct Writer {
    out: Text,
    /// Counters of loops so far.
    counters: usize,
}

impl Writer {
    fn body(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn indented(&mut self, body: &[Statement]) {
        self.out.depth += 1;
        self.body(body);
        self.out.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { variable, operation, operands } => {
                let [a, b] = operands.map(operand);
                let value = match operation {
                    Operation::Add => format!("{a} + {b}"),
                    Operation::Sub => format!("{a} - {b}"),
                    Operation::Min => format!("min({a}, {b})"),
                    Operation::Max => format!("max({a}, {b})"),
                    Operation::Mul => format!("{a} * {b}"),
                    Operation::Xor => format!("{a} ^ {b}"),
                };
                self.out.line(&format!("v{variable} = {value};"));
            }
            Statement::If { condition, arms: [then, otherwise] } => {
                self.out.line(&format!("if {} {{", holds(condition)));
                self.indented(then);
                self.out.line("} else {");
                self.indented(otherwise);
                self.out.line("}");
            }
            Statement::Loop { count, extra, body } => {
                let (name, comparison) = (format!("i{}", self.counters), if *extra { "<=" } else { "<" });
                self.counters += 1;
                let bound = format!("({} & {COUNT_MASK})", operand(Operand::Uniform(*count)));
                let head = format!("for (var {name} = 0; {name} {comparison} {bound}; {name}++) {{");
                self.out.line(&head);
                self.indented(body);
                self.out.line("}");
            }
            Statement::Break(condition) => {
                self.out.line(&format!("if {} {{ break; }}", holds(condition)));
            }
            Statement::Continue(condition) => {
                self.out.line(&format!("if {} {{ continue; }}", holds(condition)));
            }
        }
    }
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Variable(at) => format!("v{at}"),
        Operand::Uniform(at) => format!("u.{}[{}]", ["a", "b"][at / 4], at % 4),
        // Constants of a type, so that no expression is evaluated when the text is read.
        Operand::Constant(number) => format!("i32({number})"),
        Operand::Lane => "lane".to_owned(),
    }
}

fn holds(condition: &Condition) -> String {
    let [a, b] = condition.operands.map(operand);
    let comparison = match condition.comparison {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
    };
    format!("({a} {comparison} {b})")
}
