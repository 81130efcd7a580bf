//! Generates SPIR-V modules of a shape and any size: a compute shader with one storage buffer of words.

use rustc_hash::FxHashMap;

/// Writes a shape with a size to a builder.
pub type Shape = fn(&mut Builder, u32);

/// Every shape by name.
pub const SHAPES: &[(&str, Shape)] = &[
    ("loads", loads),
    ("stores", stores),
    ("blocks", blocks),
    ("branches", branches),
    ("nested branches", nested_branches),
    ("phis", phis),
    ("live values", live_values),
    ("live values across branches", live_values_across_branches),
    ("loop phis", loop_phis),
    ("switch cases", switch_cases),
    ("switch phis", switch_phis),
    ("functions", functions),
    ("loops", loops),
];

/// Maximum nesting; compilers may limit it.
const MAX_NESTING: u32 = 64;

const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const UINT: u32 = 3;
const BOOL: u32 = 4;
const ARRAY: u32 = 5;
const BLOCK: u32 = 6;
const BLOCK_POINTER: u32 = 7;
const WORD_POINTER: u32 = 8;
const BUFFER: u32 = 9;
const MAIN: u32 = 10;
const LOOKUP: u32 = 11;

/// A module under construction, with an open function `main`.
pub struct Builder {
    next: u32,
    globals: Vec<u32>,
    body: Vec<u32>,
    other_functions: Vec<u32>,
    constants: FxHashMap<u32, u32>,
}

/// Appends an instruction.
fn put(to: &mut Vec<u32>, opcode: u32, operands: &[u32]) {
    to.push((operands.len() as u32 + 1) << 16 | opcode);
    to.extend_from_slice(operands);
}

impl Builder {
    /// The module of `shape` with `size`.
    pub fn module(shape: Shape, size: u32) -> Vec<u8> {
        let mut builder = Builder {
            next: LOOKUP,
            globals: Vec::new(),
            body: Vec::new(),
            other_functions: Vec::new(),
            constants: FxHashMap::default(),
        };
        let entry = builder.id();
        put(&mut builder.body, 54, &[VOID, MAIN, 0, FUNCTION]);
        put(&mut builder.body, 248, &[entry]);
        shape(&mut builder, size);
        put(&mut builder.body, 253, &[]);
        put(&mut builder.body, 56, &[]);
        builder.finish()
    }

    fn finish(self) -> Vec<u8> {
        let mut words = vec![0x0723_0203, 0x1_0300, 0, self.next, 0];
        put(&mut words, 17, &[1]);
        put(&mut words, 14, &[0, 1]);
        put(&mut words, 15, &[5, MAIN, u32::from_le_bytes(*b"main"), 0]);
        put(&mut words, 16, &[MAIN, 17, 32, 1, 1]);
        put(&mut words, 71, &[ARRAY, 6, 4]);
        put(&mut words, 72, &[BLOCK, 0, 35, 0]);
        put(&mut words, 71, &[BLOCK, 2]);
        put(&mut words, 71, &[BUFFER, 34, 0]);
        put(&mut words, 71, &[BUFFER, 33, 0]);
        put(&mut words, 19, &[VOID]);
        put(&mut words, 33, &[FUNCTION, VOID]);
        put(&mut words, 21, &[UINT, 32, 0]);
        put(&mut words, 20, &[BOOL]);
        put(&mut words, 29, &[ARRAY, UINT]);
        put(&mut words, 30, &[BLOCK, ARRAY]);
        put(&mut words, 32, &[BLOCK_POINTER, 12, BLOCK]);
        put(&mut words, 32, &[WORD_POINTER, 12, UINT]);
        put(&mut words, 59, &[BLOCK_POINTER, BUFFER, 12]);
        [words, self.globals, self.body, self.other_functions]
            .concat()
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect()
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// A constant word.
    fn constant(&mut self, value: u32) -> u32 {
        if let Some(id) = self.constants.get(&value) {
            return *id;
        }
        let id = self.id();
        put(&mut self.globals, 43, &[UINT, id, value]);
        self.constants.insert(value, id);
        id
    }

    /// An instruction with a result.
    fn value(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.body, opcode, &[&[ty, id], operands].concat());
        id
    }

    /// Pointer to word `index` of the buffer.
    fn word(&mut self, index: u32) -> u32 {
        let operands = [BUFFER, self.constant(0), self.constant(index)];
        self.value(65, WORD_POINTER, &operands)
    }

    fn load(&mut self, index: u32) -> u32 {
        let pointer = self.word(index);
        self.value(61, UINT, &[pointer])
    }

    fn store(&mut self, index: u32, value: u32) {
        let pointer = self.word(index);
        put(&mut self.body, 62, &[pointer, value]);
    }

    fn add(&mut self, a: u32, b: u32) -> u32 {
        self.value(128, UINT, &[a, b])
    }

    fn multiply(&mut self, a: u32, b: u32) -> u32 {
        self.value(132, UINT, &[a, b])
    }

    /// Whether `value` is greater than `limit`.
    fn exceeds(&mut self, value: u32, limit: u32) -> u32 {
        let limit = self.constant(limit);
        self.value(172, BOOL, &[value, limit])
    }

    fn label(&mut self, id: u32) {
        put(&mut self.body, 248, &[id]);
    }

    fn branch(&mut self, to: u32) {
        put(&mut self.body, 249, &[to]);
    }

    /// Ends the block with a selection: to `then` if `condition` is true, otherwise to `merge`.
    fn select(&mut self, condition: u32, then: u32, merge: u32) {
        put(&mut self.body, 247, &[merge, 0]);
        put(&mut self.body, 250, &[condition, then, merge]);
    }
}

fn loads(b: &mut Builder, size: u32) {
    let mut sum = b.load(0);
    for index in 0..size {
        let loaded = b.load(index * 3 + 1);
        let product = b.multiply(sum, loaded);
        sum = b.add(product, loaded);
    }
    b.store(0, sum);
}

fn stores(b: &mut Builder, size: u32) {
    let mut value = b.load(0);
    for index in 0..size {
        value = b.multiply(value, value);
        b.store(index * 2, value);
    }
}

fn blocks(b: &mut Builder, size: u32) {
    let mut value = b.load(0);
    for index in 0..size {
        let next = b.id();
        b.branch(next);
        b.label(next);
        let factor = b.constant(index + 3);
        value = b.multiply(value, factor);
        b.store(index, value);
    }
}

fn branches(b: &mut Builder, size: u32) {
    let value = b.load(0);
    for index in 0..size {
        let (then, merge) = (b.id(), b.id());
        let condition = b.exceeds(value, index);
        b.select(condition, then, merge);
        b.label(then);
        b.store(index + 1, value);
        b.branch(merge);
        b.label(merge);
    }
}

/// Consecutive nests with the maximum depth.
fn nested_branches(b: &mut Builder, size: u32) {
    let value = b.load(0);
    for start in (0..size).step_by(MAX_NESTING as usize) {
        let mut merges = Vec::new();
        for index in start..size.min(start + MAX_NESTING) {
            let (then, merge) = (b.id(), b.id());
            let condition = b.exceeds(value, index);
            b.select(condition, then, merge);
            b.label(then);
            b.store(index + 1, value);
            merges.push(merge);
        }
        for merge in merges.into_iter().rev() {
            b.branch(merge);
            b.label(merge);
        }
    }
}

fn phis(b: &mut Builder, size: u32) {
    let value = b.load(0);
    let (before, then, merge) = (b.id(), b.id(), b.id());
    b.branch(before);
    b.label(before);
    let condition = b.exceeds(value, 7);
    b.select(condition, then, merge);
    b.label(then);
    let changed: Vec<u32> = (0..size)
        .map(|index| {
            let factor = b.constant(index + 3);
            b.multiply(value, factor)
        })
        .collect();
    b.branch(merge);
    b.label(merge);
    let joined: Vec<u32> =
        changed.into_iter().map(|changed| b.value(245, UINT, &[value, before, changed, then])).collect();
    for (index, joined) in (0..).zip(joined) {
        b.store(index * 2, joined);
    }
}

fn live_values(b: &mut Builder, size: u32) {
    let loaded: Vec<u32> = (0..size).map(|index| b.load(index * 2)).collect();
    let mut sum = b.constant(1);
    for (index, loaded) in (0..).zip(loaded).collect::<Vec<_>>().into_iter().rev() {
        sum = b.multiply(sum, loaded);
        b.store(index * 2, sum);
    }
}

/// As many values as branches, all of them live in every block.
fn live_values_across_branches(b: &mut Builder, size: u32) {
    let loaded: Vec<u32> = (0..size).map(|index| b.load(index * 2)).collect();
    branches(b, size);
    for (index, loaded) in (0..).zip(loaded) {
        let squared = b.multiply(loaded, loaded);
        b.store(index * 2, squared);
    }
}

/// A loop with `size` loop-carried values.
fn loop_phis(b: &mut Builder, size: u32) {
    let count = b.load(0);
    let [before, header, body, merge] = [(); 4].map(|()| b.id());
    b.branch(before);
    b.label(before);
    b.branch(header);
    b.label(header);
    let next: Vec<u32> = (0..size + 1).map(|_| b.id()).collect();
    let carried: Vec<u32> = (0..)
        .zip(&next)
        .map(|(index, next)| {
            let first = b.constant(index);
            b.value(245, UINT, &[first, before, *next, body])
        })
        .collect();
    let again = b.value(176, BOOL, &[carried[0], count]);
    put(&mut b.body, 246, &[merge, body, 0]);
    put(&mut b.body, 250, &[again, body, merge]);
    b.label(body);
    for (index, next) in next.iter().enumerate() {
        let factor = b.constant(index as u32 + 3);
        put(&mut b.body, 132, &[UINT, *next, carried[index], factor]);
    }
    b.branch(header);
    b.label(merge);
    for (index, carried) in (0..).zip(carried) {
        b.store(index * 2, carried);
    }
}

/// Begins a switch over a loaded value with `size` cases; returns their labels and that of the merge block.
fn begin_switch(b: &mut Builder, size: u32) -> (u32, Vec<u32>, u32) {
    let value = b.load(0);
    let merge = b.id();
    let labels: Vec<u32> = (0..size).map(|_| b.id()).collect();
    let mut operands = vec![value, merge];
    operands.extend((0..).zip(&labels).flat_map(|(index, label)| [index * 5, *label]));
    put(&mut b.body, 247, &[merge, 0]);
    put(&mut b.body, 251, &operands);
    (value, labels, merge)
}

/// Every case, and the default path, has its own value at the end.
fn switch_phis(b: &mut Builder, size: u32) {
    let before = b.id();
    b.branch(before);
    b.label(before);
    let (value, labels, merge) = begin_switch(b, size);
    let mut sources = vec![value, before];
    for (index, label) in (0..).zip(labels) {
        b.label(label);
        let factor = b.constant(index + 3);
        sources.extend([b.multiply(value, factor), label]);
        b.branch(merge);
    }
    b.label(merge);
    let joined = b.value(245, UINT, &sources);
    b.store(0, joined);
}

fn switch_cases(b: &mut Builder, size: u32) {
    let (value, labels, merge) = begin_switch(b, size);
    for (index, label) in (0..).zip(labels) {
        b.label(label);
        b.store(index + 1, value);
        b.branch(merge);
    }
    b.label(merge);
}

fn functions(b: &mut Builder, size: u32) {
    for index in 0..size {
        let function = b.id();
        b.value(57, VOID, &[function]);
        let caller = std::mem::take(&mut b.body);
        let entry = b.id();
        put(&mut b.body, 54, &[VOID, function, 0, FUNCTION]);
        b.label(entry);
        let loaded = b.load(index * 2);
        let squared = b.multiply(loaded, loaded);
        b.store(index * 2 + 1, squared);
        put(&mut b.body, 253, &[]);
        put(&mut b.body, 56, &[]);
        let callee = std::mem::replace(&mut b.body, caller);
        b.other_functions.extend(callee);
    }
}

fn loops(b: &mut Builder, size: u32) {
    let value = b.load(0);
    for index in 0..size {
        let [before, header, body, next, merge] = [(); 5].map(|()| b.id());
        let (zero, one, counted) = (b.constant(0), b.constant(1), b.id());
        b.branch(before);
        b.label(before);
        b.branch(header);
        b.label(header);
        let counter = b.value(245, UINT, &[zero, before, counted, next]);
        let again = b.value(176, BOOL, &[counter, value]);
        put(&mut b.body, 246, &[merge, next, 0]);
        put(&mut b.body, 250, &[again, body, merge]);
        b.label(body);
        b.store(index + 1, counter);
        b.branch(next);
        b.label(next);
        put(&mut b.body, 128, &[UINT, counted, counter, one]);
        b.branch(header);
        b.label(merge);
    }
}
