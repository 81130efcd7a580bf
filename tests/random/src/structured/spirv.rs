//! Programs as SPIR-V compute shaders: uniforms in binding 0, the results of each lane in binding 1.

use super::{COUNT_MASK, Comparison, Condition, Operand, Operation, Program, Statement, VARIABLES};

// Opcodes of the specification.
const EXT_INST_IMPORT: u16 = 11;
const EXT_INST: u16 = 12;
const MEMORY_MODEL: u16 = 14;
const ENTRY_POINT: u16 = 15;
const EXECUTION_MODE: u16 = 16;
const CAPABILITY: u16 = 17;
const TYPE_VOID: u16 = 19;
const TYPE_BOOL: u16 = 20;
const TYPE_INT: u16 = 21;
const TYPE_VECTOR: u16 = 23;
const TYPE_RUNTIME_ARRAY: u16 = 29;
const TYPE_STRUCT: u16 = 30;
const TYPE_POINTER: u16 = 32;
const TYPE_FUNCTION: u16 = 33;
const CONSTANT: u16 = 43;
const FUNCTION: u16 = 54;
const FUNCTION_END: u16 = 56;
const VARIABLE: u16 = 59;
const LOAD: u16 = 61;
const STORE: u16 = 62;
const ACCESS_CHAIN: u16 = 65;
const DECORATE: u16 = 71;
const MEMBER_DECORATE: u16 = 72;
const COMPOSITE_CONSTRUCT: u16 = 80;
const BITCAST: u16 = 124;
const IADD: u16 = 128;
const ISUB: u16 = 130;
const IMUL: u16 = 132;
const IEQUAL: u16 = 170;
const INOT_EQUAL: u16 = 171;
const SLESS_THAN: u16 = 177;
const BITWISE_XOR: u16 = 198;
const BITWISE_AND: u16 = 199;
const LOOP_MERGE: u16 = 246;
const SELECTION_MERGE: u16 = 247;
const LABEL: u16 = 248;
const BRANCH: u16 = 249;
const BRANCH_CONDITIONAL: u16 = 250;
const RETURN: u16 = 253;

// Instructions of GLSL.std.450.
const SMIN: u32 = 39;
const SMAX: u32 = 42;

// Storage classes.
const INPUT: u32 = 1;
const UNIFORM: u32 = 2;
const IN_FUNCTION: u32 = 7;
const STORAGE_BUFFER: u32 = 12;

// Ids of the declarations.
const GLSL: u32 = 1;
const MAIN: u32 = 2;
const VOID: u32 = 3;
const THUNK: u32 = 4;
const BOOL: u32 = 5;
const INT: u32 = 6;
const UINT: u32 = 7;
const IVEC4: u32 = 8;
const UNIFORM_BLOCK: u32 = 9;
const UNIFORM_BLOCK_POINTER: u32 = 10;
const UNIFORM_INT_POINTER: u32 = 11;
const UNIFORMS_VARIABLE: u32 = 12;
const RESULT_ARRAY: u32 = 13;
const RESULT_BLOCK: u32 = 14;
const RESULT_BLOCK_POINTER: u32 = 15;
const RESULT_POINTER: u32 = 16;
const RESULTS: u32 = 17;
const INDEX_POINTER: u32 = 18;
const INDEX: u32 = 19;
const INT_POINTER: u32 = 20;
/// The variables.
const FIRST_VARIABLE: u32 = 21;
const FIRST_FREE: u32 = FIRST_VARIABLE + VARIABLES as u32;

/// The words of a module that computes a program.
pub fn words(program: &Program) -> Vec<u32> {
    let mut writer = Writer { next: FIRST_FREE, ..Writer::default() };
    let entry = writer.id();
    writer.body.push_label(entry);
    let locals = writer.body.0.len();
    writer.start();
    writer.statements(&program.body);
    writer.end();
    let mut module = vec![0x0723_0203, 0x0001_0300, 0, writer.next, 0];
    module.extend(declarations());
    module.extend(writer.constants.0);
    let mut function = Words::default();
    function.push(FUNCTION, &[VOID, MAIN, 0, THUNK]);
    module.extend(function.0);
    let (label, body) = writer.body.0.split_at(locals);
    module.extend_from_slice(label);
    for variable in (FIRST_VARIABLE..FIRST_FREE).chain(writer.counters) {
        let mut local = Words::default();
        local.push(VARIABLE, &[INT_POINTER, variable, IN_FUNCTION]);
        module.extend(local.0);
    }
    module.extend_from_slice(body);
    module
}

#[derive(Default)]
struct Words(Vec<u32>);

impl Words {
    fn push(&mut self, opcode: u16, operands: &[u32]) {
        self.0.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
        self.0.extend_from_slice(operands);
    }

    fn push_label(&mut self, label: u32) {
        self.push(LABEL, &[label]);
    }
}

#[rustfmt::skip]
fn declarations() -> Vec<u32> {
    let text = |text: &[u8]| -> Vec<u32> {
        let mut bytes = text.to_vec();
        bytes.resize(text.len() / 4 * 4 + 4, 0);
        bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    };
    let mut w = Words::default();
    w.push(CAPABILITY, &[1]);
    w.push(EXT_INST_IMPORT, &[&[GLSL], text(b"GLSL.std.450").as_slice()].concat());
    w.push(MEMORY_MODEL, &[0, 1]);
    w.push(ENTRY_POINT, &[&[5, MAIN], text(b"main").as_slice(), &[INDEX]].concat());
    w.push(EXECUTION_MODE, &[MAIN, 17, 32, 1, 1]);
    // Block, Offset, DescriptorSet, Binding, ArrayStride, BuiltIn LocalInvocationIndex.
    w.push(DECORATE, &[UNIFORM_BLOCK, 2]);
    w.push(MEMBER_DECORATE, &[UNIFORM_BLOCK, 0, 35, 0]);
    w.push(MEMBER_DECORATE, &[UNIFORM_BLOCK, 1, 35, 16]);
    w.push(DECORATE, &[UNIFORMS_VARIABLE, 34, 0]);
    w.push(DECORATE, &[UNIFORMS_VARIABLE, 33, 0]);
    w.push(DECORATE, &[RESULT_ARRAY, 6, 16]);
    w.push(DECORATE, &[RESULT_BLOCK, 2]);
    w.push(MEMBER_DECORATE, &[RESULT_BLOCK, 0, 35, 0]);
    w.push(DECORATE, &[RESULTS, 34, 0]);
    w.push(DECORATE, &[RESULTS, 33, 1]);
    w.push(DECORATE, &[INDEX, 11, 29]);
    w.push(TYPE_VOID, &[VOID]);
    w.push(TYPE_FUNCTION, &[THUNK, VOID]);
    w.push(TYPE_BOOL, &[BOOL]);
    w.push(TYPE_INT, &[INT, 32, 1]);
    w.push(TYPE_INT, &[UINT, 32, 0]);
    w.push(TYPE_VECTOR, &[IVEC4, INT, 4]);
    w.push(TYPE_STRUCT, &[UNIFORM_BLOCK, IVEC4, IVEC4]);
    w.push(TYPE_POINTER, &[UNIFORM_BLOCK_POINTER, UNIFORM, UNIFORM_BLOCK]);
    w.push(TYPE_POINTER, &[UNIFORM_INT_POINTER, UNIFORM, INT]);
    w.push(VARIABLE, &[UNIFORM_BLOCK_POINTER, UNIFORMS_VARIABLE, UNIFORM]);
    w.push(TYPE_RUNTIME_ARRAY, &[RESULT_ARRAY, IVEC4]);
    w.push(TYPE_STRUCT, &[RESULT_BLOCK, RESULT_ARRAY]);
    w.push(TYPE_POINTER, &[RESULT_BLOCK_POINTER, STORAGE_BUFFER, RESULT_BLOCK]);
    w.push(TYPE_POINTER, &[RESULT_POINTER, STORAGE_BUFFER, IVEC4]);
    w.push(VARIABLE, &[RESULT_BLOCK_POINTER, RESULTS, STORAGE_BUFFER]);
    w.push(TYPE_POINTER, &[INDEX_POINTER, INPUT, UINT]);
    w.push(VARIABLE, &[INDEX_POINTER, INDEX, INPUT]);
    w.push(TYPE_POINTER, &[INT_POINTER, IN_FUNCTION, INT]);
    w.0
}

#[derive(Default)]
struct Writer {
    constants: Words,
    /// Constants with their ids.
    known: Vec<(i32, u32)>,
    body: Words,
    next: u32,
    /// Counters of loops.
    counters: Vec<u32>,
    /// Merge block and continue block of open loops.
    loops: Vec<(u32, u32)>,
}

impl Writer {
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn constant(&mut self, number: i32) -> u32 {
        if let Some((_, id)) = self.known.iter().find(|(known, _)| *known == number) {
            return *id;
        }
        let id = self.id();
        self.constants.push(CONSTANT, &[INT, id, number as u32]);
        self.known.push((number, id));
        id
    }

    /// An instruction with a result.
    fn value(&mut self, opcode: u16, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.body.push(opcode, &[&[ty, id], operands].concat());
        id
    }

    fn uniform(&mut self, at: usize) -> u32 {
        let (member, component) = (self.constant(at as i32 / 4), self.constant(at as i32 % 4));
        let pointer = self.value(ACCESS_CHAIN, UNIFORM_INT_POINTER, &[UNIFORMS_VARIABLE, member, component]);
        self.value(LOAD, INT, &[pointer])
    }

    fn operand(&mut self, operand: Operand) -> u32 {
        match operand {
            Operand::Variable(at) => self.value(LOAD, INT, &[FIRST_VARIABLE + at as u32]),
            Operand::Uniform(at) => self.uniform(at),
            Operand::Constant(number) => self.constant(number),
            Operand::Lane => {
                let index = self.value(LOAD, UINT, &[INDEX]);
                self.value(BITCAST, INT, &[index])
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> u32 {
        let [a, b] = condition.operands.map(|operand| self.operand(operand));
        let opcode = match condition.comparison {
            Comparison::Equal => IEQUAL,
            Comparison::NotEqual => INOT_EQUAL,
            Comparison::Less => SLESS_THAN,
        };
        self.value(opcode, BOOL, &[a, b])
    }

    fn start(&mut self) {
        for variable in 0..VARIABLES {
            let first = self.uniform(variable);
            self.body.push(STORE, &[FIRST_VARIABLE + variable as u32, first]);
        }
    }

    fn end(&mut self) {
        let parts: [u32; VARIABLES] = std::array::from_fn(|at| self.operand(Operand::Variable(at)));
        let (result, index) =
            (self.value(COMPOSITE_CONSTRUCT, IVEC4, &parts), self.value(LOAD, UINT, &[INDEX]));
        let first = self.constant(0);
        let pointer = self.value(ACCESS_CHAIN, RESULT_POINTER, &[RESULTS, first, index]);
        self.body.push(STORE, &[pointer, result]);
        self.body.push(RETURN, &[]);
        self.body.push(FUNCTION_END, &[]);
    }

    fn statements(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    /// Branches by a condition to two new blocks, which end at a third one: returns all.
    fn branch(&mut self, condition: &Condition) -> [u32; 3] {
        let condition = self.condition(condition);
        let [then, otherwise, merge] = [0; 3].map(|_| self.id());
        self.body.push(SELECTION_MERGE, &[merge, 0]);
        self.body.push(BRANCH_CONDITIONAL, &[condition, then, otherwise]);
        [then, otherwise, merge]
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { variable, operation, operands } => {
                let [a, b] = operands.map(|operand| self.operand(operand));
                let value = match operation {
                    Operation::Add => self.value(IADD, INT, &[a, b]),
                    Operation::Sub => self.value(ISUB, INT, &[a, b]),
                    Operation::Mul => self.value(IMUL, INT, &[a, b]),
                    Operation::Xor => self.value(BITWISE_XOR, INT, &[a, b]),
                    Operation::Min => self.value(EXT_INST, INT, &[GLSL, SMIN, a, b]),
                    Operation::Max => self.value(EXT_INST, INT, &[GLSL, SMAX, a, b]),
                };
                self.body.push(STORE, &[FIRST_VARIABLE + *variable as u32, value]);
            }
            Statement::If { condition, arms } => {
                let [then, otherwise, merge] = self.branch(condition);
                for (label, arm) in [then, otherwise].into_iter().zip(arms) {
                    self.body.push_label(label);
                    self.statements(arm);
                    self.body.push(BRANCH, &[merge]);
                }
                self.body.push_label(merge);
            }
            Statement::Loop { count, extra, body } => self.repeat(*count, *extra, body),
            Statement::Break(condition) | Statement::Continue(condition) => {
                let [then, otherwise, merge] = self.branch(condition);
                let (after, next) = self.loops.last().copied().unwrap_or((merge, merge));
                self.body.push_label(then);
                let leaves = matches!(statement, Statement::Break(_));
                self.body.push(BRANCH, &[if leaves { after } else { next }]);
                self.body.push_label(otherwise);
                self.body.push(BRANCH, &[merge]);
                self.body.push_label(merge);
            }
        }
    }

    fn repeat(&mut self, count: usize, extra: bool, body: &[Statement]) {
        let [counter, header, check, inside, next, merge] = [0; 6].map(|_| self.id());
        self.counters.push(counter);
        let (zero, one) = (self.constant(0), self.constant(1));
        self.body.push(STORE, &[counter, zero]);
        self.body.push(BRANCH, &[header]);
        self.body.push_label(header);
        self.body.push(LOOP_MERGE, &[merge, next, 0]);
        self.body.push(BRANCH, &[check]);
        self.body.push_label(check);
        let (number, count, mask) =
            (self.value(LOAD, INT, &[counter]), self.uniform(count), self.constant(COUNT_MASK));
        let mut bound = self.value(BITWISE_AND, INT, &[count, mask]);
        if extra {
            bound = self.value(IADD, INT, &[bound, one]);
        }
        let goes_on = self.value(SLESS_THAN, BOOL, &[number, bound]);
        self.body.push(BRANCH_CONDITIONAL, &[goes_on, inside, merge]);
        self.body.push_label(inside);
        self.loops.push((merge, next));
        self.statements(body);
        self.loops.pop();
        self.body.push(BRANCH, &[next]);
        self.body.push_label(next);
        let number = self.value(LOAD, INT, &[counter]);
        let more = self.value(IADD, INT, &[number, one]);
        self.body.push(STORE, &[counter, more]);
        self.body.push(BRANCH, &[header]);
        self.body.push_label(merge);
    }
}
