//! A compute shader with one operation: invocation i reads its operands from one buffer and stores the result to
//! another.

/// The operation.
#[derive(Clone, Copy)]
pub enum Operation {
    /// A core instruction, by opcode.
    Core(u32),
    /// An instruction of GLSL.std.450, by number.
    Glsl(u32),
}

/// The type of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A float.
    Scalar,
    /// Three floats.
    Vector,
    /// An integer, converted from a float.
    Integer,
}

impl Operand {
    /// Number of floats that it reads from the buffer.
    pub fn floats(self) -> usize {
        if self == Operand::Vector { 3 } else { 1 }
    }
}

/// The type of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// A float.
    Scalar,
    /// A vector; its first component is stored.
    Vector,
    /// Two floats; one of them is stored.
    Floats(u32),
    /// A float and an integer; the float is stored.
    FloatAndInteger,
}

/// The operation with its operands.
#[derive(Clone, Copy)]
pub struct Call {
    pub operation: Operation,
    pub operands: &'static [Operand],
    pub gives: Gives,
    /// Bits of the operands' floats and of the result's.
    pub source_bits: u32,
    pub result_bits: u32,
    /// Whether the result is decorated `RelaxedPrecision`; four times the result is then stored.
    pub relaxed: bool,
}

/// Invocations of a workgroup.
pub const GROUP: usize = 64;

const STORAGE_BUFFER: u32 = 12;
const INPUT: u32 = 1;
const BUILT_IN: u32 = 11;
const INVOCATION_ID: u32 = 28;

/// A module under construction.
struct Words {
    next: u32,
    annotations: Vec<u32>,
    globals: Vec<u32>,
    body: Vec<u32>,
    /// Types that may be declared only once, by opcode and operands.
    types: Vec<(u32, Vec<u32>, u32)>,
}

fn put(to: &mut Vec<u32>, opcode: u32, operands: &[u32]) {
    to.push((operands.len() as u32 + 1) << 16 | opcode);
    to.extend_from_slice(operands);
}

impl Words {
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// A declaration whose result is its first operand.
    fn ty(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        let unique = !matches!(opcode, 29 | 30);
        let known = self.types.iter().find(|known| known.0 == opcode && known.1 == operands);
        if let Some((_, _, id)) = known.filter(|_| unique) {
            return *id;
        }
        let id = self.id();
        put(&mut self.globals, opcode, &[&[id], operands].concat());
        self.types.push((opcode, operands.to_vec(), id));
        id
    }

    /// A declaration whose first operand is its type.
    fn global(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.globals, opcode, &[&[ty, id], operands].concat());
        id
    }

    fn value(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.body, opcode, &[&[ty, id], operands].concat());
        id
    }

    /// A storage buffer that is an array of floats: the variable, and the type of a pointer to an element.
    fn buffer(&mut self, float: u32, bits: u32, binding: u32) -> (u32, u32) {
        let array = self.ty(29, &[float]);
        let block = self.ty(30, &[array]);
        let (to_block, to_float) =
            (self.ty(32, &[STORAGE_BUFFER, block]), self.ty(32, &[STORAGE_BUFFER, float]));
        let variable = self.global(59, to_block, &[STORAGE_BUFFER]);
        for (opcode, operands) in [
            (71, vec![array, 6, bits / 8]),
            (72, vec![block, 0, 35, 0]),
            (71, vec![block, 2]),
            (71, vec![variable, 34, 0]),
            (71, vec![variable, 33, binding]),
        ] {
            put(&mut self.annotations, opcode, &operands);
        }
        (variable, to_float)
    }
}

impl Call {
    /// Number of floats that an invocation reads.
    pub fn floats(&self) -> usize {
        self.operands.iter().map(|operand| operand.floats()).sum()
    }

    /// The module.
    pub fn module(&self) -> Vec<u8> {
        let mut w = Words {
            next: 3,
            annotations: Vec::new(),
            globals: Vec::new(),
            body: Vec::new(),
            types: Vec::new(),
        };
        let (main, set) = (1, 2);
        let (void, word, integer) = (w.ty(19, &[]), w.ty(21, &[32, 0]), w.ty(21, &[32, 1]));
        let source = w.ty(22, &[self.source_bits]);
        let result = w.ty(22, &[self.result_bits]);
        let (from, from_pointer) = w.buffer(source, self.source_bits, 0);
        let (to, to_pointer) = w.buffer(result, self.result_bits, 1);
        let triple = w.ty(23, &[word, 3]);
        let triple_pointer = w.ty(32, &[INPUT, triple]);
        let invocation = w.global(59, triple_pointer, &[INPUT]);
        put(&mut w.annotations, 71, &[invocation, BUILT_IN, INVOCATION_ID]);
        let function = w.ty(33, &[void]);
        let zero = w.global(43, word, &[0]);
        put(&mut w.body, 54, &[void, main, 0, function]);
        let label = w.id();
        put(&mut w.body, 248, &[label]);
        let id = w.value(61, triple, &[invocation]);
        let index = w.value(81, word, &[id, 0]);
        let mut operands = self.read(&mut w, from, from_pointer, (source, word, integer), zero, index);
        let gives = self.result_type(&mut w, result, integer);
        let mut value = match self.operation {
            Operation::Core(opcode) => w.value(opcode, gives, &operands),
            Operation::Glsl(number) => {
                operands.splice(0..0, [set, number]);
                w.value(12, gives, &operands)
            }
        };
        if self.relaxed {
            put(&mut w.annotations, 71, &[value, 0]);
        }
        match self.gives {
            Gives::Scalar => {}
            Gives::Vector | Gives::FloatAndInteger => value = w.value(81, result, &[value, 0]),
            Gives::Floats(member) => value = w.value(81, result, &[value, member]),
        }
        if self.relaxed {
            let four = w.global(43, result, &[4f32.to_bits()]);
            value = w.value(133, result, &[value, four]);
        }
        let pointer = w.value(65, to_pointer, &[to, zero, index]);
        put(&mut w.body, 62, &[pointer, value]);
        put(&mut w.body, 253, &[]);
        put(&mut w.body, 56, &[]);
        self.assemble(w, main, set, invocation)
    }

    /// Reads the operands.
    fn read(
        &self,
        w: &mut Words,
        from: u32,
        pointer: u32,
        (source, word, integer): (u32, u32, u32),
        zero: u32,
        index: u32,
    ) -> Vec<u32> {
        let count = w.global(43, word, &[self.floats() as u32]);
        let first = w.value(132, word, &[index, count]);
        let vector = if self.operands.contains(&Operand::Vector) { w.ty(23, &[source, 3]) } else { 0 };
        let mut floats = Vec::new();
        for number in 0..self.floats() as u32 {
            let number = w.global(43, word, &[number]);
            let place = w.value(128, word, &[first, number]);
            let place = w.value(65, pointer, &[from, zero, place]);
            floats.push(w.value(61, source, &[place]));
        }
        let mut rest = floats.as_slice();
        let mut operands = Vec::new();
        for operand in self.operands {
            let (now, later) = rest.split_at(operand.floats());
            rest = later;
            operands.push(match operand {
                Operand::Scalar => now[0],
                Operand::Vector => w.value(80, vector, now),
                Operand::Integer => w.value(110, integer, now),
            });
        }
        operands
    }

    fn result_type(&self, w: &mut Words, float: u32, integer: u32) -> u32 {
        match self.gives {
            Gives::Scalar => float,
            Gives::Vector => w.ty(23, &[float, 3]),
            Gives::Floats(_) => w.ty(30, &[float, float]),
            Gives::FloatAndInteger => w.ty(30, &[float, integer]),
        }
    }

    fn assemble(&self, w: Words, main: u32, set: u32, invocation: u32) -> Vec<u8> {
        let mut words = vec![0x0723_0203, 0x1_0300, 0, w.next, 0];
        let mut capabilities = vec![1];
        for bits in [self.source_bits, self.result_bits] {
            capabilities.extend_from_slice(match bits {
                16 => &[9, 4433],
                64 => &[10],
                _ => &[],
            });
        }
        for capability in capabilities {
            put(&mut words, 17, &[capability]);
        }
        let name: Vec<u32> = b"GLSL.std.450\0\0\0\0"
            .chunks_exact(4)
            .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        put(&mut words, 11, &[&[set], name.as_slice()].concat());
        put(&mut words, 14, &[0, 1]);
        put(&mut words, 15, &[5, main, u32::from_le_bytes(*b"main"), 0, invocation]);
        put(&mut words, 16, &[main, 17, GROUP as u32, 1, 1]);
        [words, w.annotations, w.globals, w.body].concat().into_iter().flat_map(u32::to_le_bytes).collect()
    }
}
