//! Random structured functions keep their results through every optimisation, alone and together.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use agx_random::Random;
use bumpalo::Bump;

use crate::CompileKey;
use crate::analysis::divergence::divergence;
use crate::analysis::dominance::dominance;
use crate::context::Context;
use crate::ir::interpret::{FlatMemory, Limits, interpret};
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{
    Access, Block, Build, Builder, Function, Inst, InstData, IrOp, Rewrite, Src, Stage, Type, Value,
};
use crate::pipeline::{PASSES, Pass, run_pass};

const PARAMETERS: usize = 3;
const DEEPEST: u32 = 4;
/// Address of the buffer.
const BASE: u64 = 0x1_0000;
const BUFFER_BYTES: usize = 0x1c + 5 * 4 + 4 * 4;

/// A block that can be jumped to, and what arrives there.
struct Target {
    block: Block,
    /// The trip counter of a loop, which a continue increments.
    counter: Option<Src>,
    arrivals: Vec<(Block, Vec<Src>)>,
}

struct Generator<'f, 'a, 'r> {
    b: Builder<'f, 'a>,
    random: &'r mut Random,
    values: Vec<Src>,
    /// Byte offsets that differ from input to input.
    roots: Vec<Src>,
    targets: Vec<Target>,
}

/// Builds a function of three words that keeps a few.
fn generate<'a>(bump: &'a Bump, seed: u64) -> Function<'a> {
    generate_with(bump, seed, |generator| generator.region(0))
}

/// Builds a function of one block that mostly accesses memory.
fn generate_accesses<'a>(bump: &'a Bump, seed: u64) -> Function<'a> {
    generate_with(bump, seed, |generator| {
        for _ in 0..12 {
            if generator.random.below(2) == 0 {
                generator.store();
            } else {
                let loaded = generator.load().into();
                generator.b.effect(IrOp::Keep, &[loaded], &[]);
            }
        }
        true
    })
}

/// Builds a function of three words from what `fill` makes; `fill` says whether the end is reached.
fn generate_with<'a>(
    bump: &'a Bump,
    seed: u64,
    fill: impl FnOnce(&mut Generator<'_, 'a, '_>) -> bool,
) -> Function<'a> {
    let mut f = Function::new(bump, "random");
    let params: Vec<Value> = (0..PARAMETERS).map(|_| f.add_value(Type::B32)).collect();
    f.params = params.clone();
    let mut random = Random::new(seed);
    let values: Vec<Src> = params.into_iter().map(Src::value).collect();
    let mut b = Builder::start(&mut f);
    let mask = mods(Opcode::Bitop).with(key::TABLE, Truth::AND);
    let root =
        |index: usize| b.value(Opcode::Bitop, Type::B32, &[values[index], Src::imm32(0x1c)], &mask).into();
    let roots = [0, 1].map(root).to_vec();
    let mut generator = Generator { b, random: &mut random, values, roots, targets: Vec::new() };
    if fill(&mut generator) {
        let last = generator.any();
        generator.b.effect(IrOp::Keep, &[last], &[]);
        generator.b.halt();
    }
    generator.b.finish();
    f
}

impl Generator<'_, '_, '_> {
    fn any(&mut self) -> Src {
        match self.random.below(5) {
            0 => Src::imm32([0, 1, 2, 31, 0xfff, u32::MAX][self.random.below(6)]),
            _ => self.values[self.values.len() - 1 - self.random.below(self.values.len().min(8))],
        }
    }

    fn operation(&mut self) {
        let (x, y) = (self.any(), self.any());
        let value = match self.random.below(16) {
            0 => self.b.value(Opcode::Iadd, Type::B32, &[x, y], &mods(Opcode::Iadd)),
            1 => self.b.value(Opcode::Isub, Type::B32, &[x, y], &mods(Opcode::Isub)),
            2 => self.b.value(IrOp::Imul, Type::B32, &[x, y], &[]),
            3 => self.b.value(IrOp::Mov, Type::B32, &[x], &[]),
            4 => {
                let amount = Src::imm32(1 + self.random.below(31) as u32);
                let op = if self.random.below(2) == 0 { IrOp::Shl } else { IrOp::Ushr };
                self.b.value(op, Type::B32, &[x, amount], &[])
            }
            5 => {
                let cond = self.condition();
                self.b.value(IrOp::Select, Type::B32, &[cond, x, y], &[])
            }
            7..=10 => self.load(),
            11..=13 => return self.store(),
            6 => {
                let parts = [self.b.f.add_value(Type::B16), self.b.f.add_value(Type::B16)];
                self.b.push(IrOp::Split, &parts, &[x], &[]);
                self.b.value(IrOp::Collect, Type::B32, &parts.map(Src::value), &[])
            }
            _ => {
                let table = [Truth::AND, Truth::OR, Truth::XOR, Truth::NOT][self.random.below(4)];
                let mods = mods(Opcode::Bitop).with(key::TABLE, table);
                self.b.value(Opcode::Bitop, Type::B32, &[x, y], &mods)
            }
        };
        self.values.push(value.into());
    }

    /// A byte offset into the buffer: one of two values that change little, plus a constant.
    fn offset(&mut self) -> Src {
        let constant = Src::imm32(4 * self.random.below(6) as u32);
        if self.random.below(3) == 0 {
            return constant;
        }
        let root = self.roots[self.random.below(2)];
        self.b.value(Opcode::Iadd, Type::B32, &[root, constant], &mods(Opcode::Iadd)).into()
    }

    fn access(&mut self) -> [u32; 2] {
        [if self.random.below(8) == 0 { Access::VOLATILE.bits() } else { 0 }, 4]
    }

    /// Loads a vector of up to four and picks a component.
    fn load(&mut self) -> Value {
        let (offset, access) = (self.offset(), self.access());
        let count = 1 + self.random.below(4);
        let base = Src::imm(BASE, 64);
        let vector = self.b.value(IrOp::LoadGlobal, Type::vector(32, count as u8), &[base, offset], &access);
        if count == 1 {
            return vector;
        }
        let parts: Vec<Value> = (0..count).map(|_| self.b.f.add_value(Type::B32)).collect();
        self.b.push(IrOp::Split, &parts, &[vector.into()], &[]);
        parts[self.random.below(count)]
    }

    fn store(&mut self) {
        let (offset, access) = (self.offset(), self.access());
        let count = 1 + self.random.below(3);
        let parts: Vec<Src> = (0..count).map(|_| self.any()).collect();
        let data = match parts.as_slice() {
            [part] => *part,
            _ => Src::value(self.b.value(IrOp::Collect, Type::vector(32, count as u8), &parts, &[])),
        };
        self.b.effect(IrOp::StoreGlobal, &[data, Src::imm(BASE, 64), offset], &access);
    }

    fn condition(&mut self) -> Src {
        if self.random.below(6) == 0 {
            return Src::bool(self.random.below(2) == 0);
        }
        let (x, y) = (self.any(), self.any());
        let cond = [0, 1, 2, 4, 5, 6][self.random.below(6)];
        Src::value(self.b.value(IrOp::Icmp, Type::BOOL, &[x, y], &[cond, self.random.below(2) as u32]))
    }

    /// Statements; false when the region's end is not reached.
    fn region(&mut self, depth: u32) -> bool {
        let outer = self.values.len();
        for _ in 0..1 + self.random.below(4) {
            let goes_on = match self.random.below(if depth < DEEPEST { 10 } else { 5 }) {
                0 => {
                    let kept = self.any();
                    self.b.effect(IrOp::Keep, &[kept], &[]);
                    true
                }
                1 if depth > 0 => self.leave(),
                5 | 6 => self.selection(depth),
                7 => self.scope(depth),
                8 => self.repetition(depth),
                _ => {
                    self.operation();
                    true
                }
            };
            if !goes_on {
                self.values.truncate(outer);
                return false;
            }
        }
        true
    }

    /// A jump to an open target, or a halt; sometimes neither.
    fn leave(&mut self) -> bool {
        if self.random.below(8) == 0 {
            self.b.halt();
            return false;
        }
        if self.targets.is_empty() || self.random.below(3) == 0 {
            return true;
        }
        let index = self.random.below(self.targets.len());
        self.jump(index);
        false
    }

    fn jump(&mut self, index: usize) {
        let mut values = vec![self.any()];
        if let Some(counter) = self.targets[index].counter {
            values.push(self.next(counter));
        }
        let block = self.b.block();
        self.targets[index].arrivals.push((block, values));
        let target = self.targets[index].block;
        self.b.jump(target);
    }

    fn next(&mut self, counter: Src) -> Src {
        let mods = mods(Opcode::Iadd);
        self.b.value(Opcode::Iadd, Type::B32, &[counter, Src::imm32(1)], &mods).into()
    }

    /// Begins the block after a construct with a phi of what arrives; false when nothing does.
    fn arrive(&mut self, arrivals: &[(Block, Vec<Src>)]) -> bool {
        if arrivals.is_empty() {
            self.b.halt();
            return false;
        }
        let phi = self.phi(arrivals, 0);
        self.values.push(phi);
        true
    }

    fn phi(&mut self, arrivals: &[(Block, Vec<Src>)], index: usize) -> Src {
        let srcs: Vec<Src> = arrivals.iter().map(|(_, values)| values[index]).collect();
        let blocks: Vec<u32> = arrivals.iter().map(|(block, _)| block.0).collect();
        self.b.value(IrOp::Phi, Type::B32, &srcs, &blocks).into()
    }

    fn selection(&mut self, depth: u32) -> bool {
        let cond = self.condition();
        let outer = self.values.len();
        let mut arrivals = Vec::new();
        self.b.begin_if(cond);
        for arm in 0..2 {
            if arm == 1 {
                self.b.begin_else();
            }
            if self.random.below(4) == 0 || self.region(depth + 1) {
                let last = self.any();
                arrivals.push((self.b.block(), vec![last]));
            }
            self.values.truncate(outer);
        }
        self.b.end_if();
        self.arrive(&arrivals)
    }

    fn scope(&mut self, depth: u32) -> bool {
        let outer = self.values.len();
        let after = self.b.begin_scope();
        self.targets.push(Target { block: after, counter: None, arrivals: Vec::new() });
        if self.region(depth + 1) {
            let last = self.any();
            let block = self.b.block();
            self.targets.last_mut().expect("open").arrivals.push((block, vec![last]));
        }
        self.values.truncate(outer);
        self.b.end_scope();
        let target = self.targets.pop().expect("open");
        self.arrive(&target.arrivals)
    }

    fn repetition(&mut self, depth: u32) -> bool {
        let outer = self.values.len();
        let start = (self.b.block(), vec![self.any(), Src::imm32(0)]);
        let blocks = self.b.begin_loop();
        let phis: Vec<Inst> = (0..2)
            .map(|_| {
                let dst = self.b.f.add_value(Type::B32);
                self.b.push(IrOp::Phi, &[dst], &[], &[])
            })
            .collect();
        let [carried, counter] = [0, 1].map(|index| Src::value(self.b.f.insts[phis[index]].dsts[0]));
        self.values.push(carried);
        self.targets.push(Target { block: blocks.after, counter: None, arrivals: Vec::new() });
        self.targets.push(Target { block: blocks.header, counter: Some(counter), arrivals: vec![start] });
        let limit = Src::imm32(self.random.below(4) as u32);
        let done = self.b.value(IrOp::Icmp, Type::BOOL, &[counter, limit], &[1, 1]);
        self.b.begin_if(done.into());
        let leaving = self.targets.len() - 2;
        self.jump(leaving);
        self.b.begin_else();
        self.b.end_if();
        if self.region(depth + 1) {
            let last = self.targets.len() - 1;
            let values = vec![self.any(), self.next(counter)];
            let block = self.b.block();
            self.targets[last].arrivals.push((block, values));
        }
        self.values.truncate(outer);
        self.b.end_loop();
        let header = self.targets.pop().expect("open");
        self.fill_phis(&phis, &header.arrivals);
        let after = self.targets.pop().expect("open");
        self.arrive(&after.arrivals)
    }

    fn fill_phis(&mut self, phis: &[Inst], arrivals: &[(Block, Vec<Src>)]) {
        for (index, phi) in phis.iter().enumerate() {
            let srcs: Vec<Src> = arrivals.iter().map(|(_, values)| values[index]).collect();
            let blocks: Vec<u32> = arrivals.iter().map(|(block, _)| block.0).collect();
            let (srcs, mods) = (self.b.f.alloc(&srcs), self.b.f.alloc(&blocks));
            let data = self.b.f.insts[*phi];
            self.b.f.set_inst(*phi, InstData { srcs, mods, ..data });
        }
    }
}

/// What `f` keeps for each of a few inputs, and leaves in memory.
fn results(f: &Function<'_>) -> Vec<Vec<u64>> {
    kept_and_memory(f).into_iter().map(|(kept, memory)| [kept, memory].concat()).collect()
}

fn kept_and_memory(f: &Function<'_>) -> Vec<(Vec<u64>, Vec<u64>)> {
    let inputs = [[0, 0, 0], [1, 2, 3], [0xffff_ffff, 7, 0x8000_0000], [5, 5, 31]];
    let run = |input: &[u64; PARAMETERS]| {
        let limits = Limits { steps: 200_000 };
        let device = (0..BUFFER_BYTES as u32).map(|byte| (byte * 37) as u8).collect();
        let mut memory = FlatMemory { base: BASE, device, ..FlatMemory::default() };
        match interpret(f, input, &[], &mut memory, limits) {
            Ok(outcome) => {
                let words = memory
                    .device
                    .chunks(4)
                    .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                (outcome.kept, words.map(u64::from).collect())
            }
            Err(error) => panic!("{error}\n{f}"),
        }
    };
    inputs.iter().map(run).collect()
}

/// Optimisations that run before lowering, each once, in order.
fn passes() -> Vec<&'static Pass> {
    let mut passes: Vec<&'static Pass> = Vec::new();
    for pass in
        PASSES.iter().copied().filter(|pass| pass.stages.0 <= Stage::Lowered && pass.name.starts_with("opt_"))
    {
        if !passes.iter().any(|known| known.name == pass.name) {
            passes.push(pass);
        }
    }
    passes
}

fn apply<'a>(f: &mut Function<'a>, pass: &'static Pass, key: &CompileKey) {
    let before = f.to_string();
    let mut context = Context::new(Default::default(), key);
    let run = run_pass(pass, f, &mut context, false);
    // What is tested here is not a stage's but the pass's.
    f.stage = Stage::Source;
    if let Err(error) = run.and_then(|()| f.check(pass.name)) {
        panic!("{error}\nbefore:\n{before}\nafter:\n{f}");
    }
}

#[test]
fn results_survive_every_pass() {
    let key = CompileKey::default();
    for seed in 0..150 {
        let bump = Bump::new();
        let expected = results(&generate(&bump, seed));
        for pass in passes() {
            let mut f = generate(&bump, seed);
            f.check("the generator").expect("valid");
            apply(&mut f, pass, &key);
            let before = || generate(&bump, seed);
            assert_eq!(results(&f), expected, "seed {seed}, {}\n{}\nbecame\n{f}", pass.name, before());
        }
    }
}

#[test]
fn results_survive_random_sequences_of_passes() {
    let key = CompileKey::default();
    let passes = passes();
    assert!(passes.len() >= 6, "the pipeline's optimisations");
    for seed in 1000..1120 {
        let bump = Bump::new();
        let mut f = generate(&bump, seed);
        let expected = results(&f);
        let mut random = Random::new(seed);
        for _ in 0..12 {
            let pass = passes[random.below(passes.len())];
            apply(&mut f, pass, &key);
            assert_eq!(results(&f), expected, "seed {seed}, {}\n{f}", pass.name);
        }
    }
}

#[test]
fn accesses_keep_their_meaning() {
    let key = CompileKey::default();
    let memory = ["opt_forward_memory", "opt_vectorize_memory", "opt_copy_prop"];
    for seed in 0..800 {
        let bump = Bump::new();
        let mut f = generate_accesses(&bump, seed);
        let expected = results(&f);
        let order = if seed % 2 == 0 { [1, 2, 0] } else { [0, 2, 1] };
        for pass in order.map(|index| crate::pipeline::find_pass(memory[index]).expect("a pass")) {
            apply(&mut f, pass, &key);
            let before = || generate_accesses(&bump, seed);
            assert_eq!(results(&f), expected, "seed {seed}, {}\n{}\nbecame\n{f}", pass.name, before());
        }
    }
}

/// Keeps what is uniform in blocks that all lanes execute, and nothing else. Loads are volatile: lanes that are run one
/// after the other do not see each other's stores. Returns the number of keeps.
fn keep_what_is_uniform(f: &mut Function<'_>) -> usize {
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        if data.op == IrOp::LoadGlobal.into() {
            r.f.insts[inst].mods = r.f.alloc(&[Access::VOLATILE.bits(), 4]);
        }
        if data.op == IrOp::Keep.into() { Rewrite::Remove } else { Rewrite::Keep }
    });
    f.compute_cfg();
    let known = divergence(f, agx_abi::Stage::Compute);
    let tree = dominance(f);
    let defined: Vec<(Value, Block)> = f
        .blocks_in_order()
        .flat_map(|block| f.block(block).insts.iter().map(move |inst| (block, *inst)))
        .flat_map(|(block, inst)| f.insts[inst].dsts.iter().map(move |dst| (*dst, block)))
        .collect();
    let mut count = 0;
    for block in f.blocks_in_order().filter(|block| !known.is_partial(*block)) {
        let phis = f.phi_count(block);
        let available = |(value, home): &(Value, Block)| {
            let is_phi = f.def((*value).into()).is_some_and(|data| data.op == IrOp::Phi.into());
            tree.dominates(*home, block) && (*home != block || is_phi)
        };
        let srcs: Vec<Src> = (defined.iter().filter(|defined| available(defined)))
            .map(|(value, _)| Src::value(*value))
            .filter(|src| known.is_uniform_in(*src, block))
            .collect();
        count += srcs.len();
        let keep = f.make_inst(IrOp::Keep, &[], &srcs, &[], 0);
        f.block_mut(block).insts.insert(phis, keep);
    }
    count
}

#[test]
fn uniform_values_do_not_depend_on_parameters() {
    let mut checked = 0;
    for seed in 0..600 {
        let bump = Bump::new();
        let mut f = generate(&bump, seed);
        checked += keep_what_is_uniform(&mut f);
        let lanes = kept_and_memory(&f);
        for (kept, _) in &lanes {
            assert_eq!(*kept, lanes[0].0, "seed {seed}\n{f}");
        }
    }
    assert!(checked > 1000, "{checked} uniform sources");
}

#[test]
fn most_control_flow_of_random_functions_goes() {
    let key = CompileKey::default();
    let (mut before, mut after) = (0, 0);
    for seed in 0..100 {
        let bump = Bump::new();
        let mut f = generate(&bump, seed);
        before += f.layout.len();
        for _ in 0..3 {
            for pass in passes().into_iter().filter(|pass| pass.name != "opt_unroll") {
                apply(&mut f, pass, &key);
            }
        }
        after += f.layout.len();
    }
    assert!(after * 2 < before, "{before} blocks became {after}");
}
