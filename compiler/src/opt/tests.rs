//! Random kernels keep their results through every optimisation, alone and together.

use agx_random::kernel::{
    Kernel, LANE_REGISTER, LANES, MEMORY_WORDS, OWN_WORDS, RESULTS, SHARED_WORDS, any_accesses, any_kernel,
};
use agx_random::{Entropy, Random};
use bumpalo::Bump;

use crate::CompileKey;
use crate::analysis::divergence::divergence;
use crate::analysis::dominance::dominance;
use crate::context::Context;
use crate::ir::interpret::{FlatMemory, Limits, interpret};
use crate::ir::{Block, Function, IrOp, Src, Stage, Value, parse};
use crate::pipeline::{PASSES, Pass, run_pass};

/// Address of a kernel's memory.
const BASE: u64 = 0x1_0000;
/// The lanes to run, with their arguments.
const RUNS: [(u32, [u64; 4]); 4] = [
    (0, [0, 0, 0, 0]),
    (5, [1, 2, 0x3f80_0000, 0xc020_0000]),
    (17, [0xffff_ffff, 7, 0x7f80_0000, 1]),
    (31, [31, 0x8000_0000, 0x4049_0fdb, 0x7fc0_0000]),
];

/// The kernel that `make` creates from a seed's choices.
fn parsed<'a>(bump: &'a Bump, seed: u64, make: fn(&mut Entropy<'_>) -> Kernel) -> Function<'a> {
    let choices = Random::new(seed).bytes(384);
    let text = make(&mut Entropy::new(&choices)).text;
    let functions = parse(bump, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    functions.into_iter().next().expect("a kernel")
}

fn generate<'a>(bump: &'a Bump, seed: u64) -> Function<'a> {
    parsed(bump, seed, any_kernel)
}

/// The kept values of a lane and the memory after it.
fn run(f: &Function<'_>, lane: u32, arguments: &[u64]) -> (Vec<u64>, Vec<u8>) {
    let mut random = Random::new(lane.into());
    let arguments = [&[BASE], arguments].concat();
    let device = random.bytes(4 * MEMORY_WORDS);
    let special = vec![(LANE_REGISTER, lane)];
    let mut memory = FlatMemory { base: BASE, device, special, ..FlatMemory::default() };
    match interpret(f, &arguments, &[], &mut memory, Limits { steps: 200_000 }) {
        Ok(outcome) => (outcome.kept, memory.device),
        Err(error) => panic!("{error}\n{f}"),
    }
}

/// The final memory of each lane: its own words, then its results.
fn results(f: &Function<'_>) -> Vec<(Vec<u8>, Vec<u64>)> {
    let split = |(lane, arguments): (u32, [u64; 4])| {
        let (_, mut words) = run(f, lane, &arguments);
        let results = words.split_off(4 * (SHARED_WORDS + LANES * OWN_WORDS));
        let kinds = RESULTS.iter().cycle();
        let results = results.as_chunks().0.iter().zip(kinds);
        (words, results.map(|(bits, kind)| kind.canonical(u64::from_le_bytes(*bits))).collect())
    };
    RUNS.into_iter().map(split).collect()
}

/// Optimisations before lowering, each once, in order.
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
    // The test concerns the pass and not the stage.
    f.stage = Stage::Source;
    if let Err(error) = run.and_then(|()| f.check(pass.name)) {
        panic!("{error}\nbefore:\n{before}\nafter:\n{f}");
    }
}

#[test]
fn kernels_are_valid_and_contain_every_construct() {
    let wanted =
        ["loop {", "scope {", "phi", "jump", "halt\n    }", "load_global", "store_global", ":64", ":16"];
    let mut seen = [0; 9];
    for seed in 0..300 {
        let bump = Bump::new();
        let choices = Random::new(seed).bytes(512);
        let text = any_kernel(&mut Entropy::new(&choices)).text;
        let functions = parse(&bump, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        functions[0].check("the generator").unwrap_or_else(|error| panic!("{error}\n{text}"));
        seen.iter_mut().zip(wanted).for_each(|(seen, wanted)| *seen += u32::from(text.contains(wanted)));
    }
    for (seen, wanted) in seen.iter().zip(wanted) {
        assert!(*seen > 30, "{seen} of 300 kernels with `{wanted}`");
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
    let memory = ["opt_memory", "opt_vectorize_memory", "opt_simplify"];
    for seed in 0..300 {
        let bump = Bump::new();
        let mut f = parsed(&bump, seed, any_accesses);
        let expected = results(&f);
        let order = if seed % 2 == 0 { [1, 2, 0] } else { [0, 2, 1] };
        for pass in order.map(|index| crate::pipeline::find_pass(memory[index]).expect("a pass")) {
            apply(&mut f, pass, &key);
            let before = || parsed(&bump, seed, any_accesses);
            assert_eq!(results(&f), expected, "seed {seed}, {}\n{}\nbecame\n{f}", pass.name, before());
        }
    }
}

/// Adds keeps of uniform values in blocks that all lanes execute. Returns the number of keeps.
fn keep_what_is_uniform(f: &mut Function<'_>) -> usize {
    f.compute_cfg();
    let known = divergence(f, agx_abi::Stage::Compute);
    let scratch = Bump::new();
    let tree = dominance(f, &scratch);
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
fn uniform_values_are_the_same_in_all_lanes() {
    let mut checked = 0;
    for seed in 0..600 {
        let bump = Bump::new();
        let mut f = generate(&bump, seed);
        checked += keep_what_is_uniform(&mut f);
        let (_, arguments) = RUNS[1];
        let kept = RUNS.map(|(lane, _)| run(&f, lane, &arguments).0);
        assert!(kept.iter().all(|other| *other == kept[0]), "seed {seed}\n{f}");
    }
    assert!(checked > 1000, "{checked} uniform sources");
}

/// Most conditions of the kernels vary between lanes, and arms with stores must stay; a third of the blocks
/// can be removed.
#[test]
fn unnecessary_control_flow_is_removed() {
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
    assert!(after * 3 < before * 2, "{before} blocks became {after}");
}
