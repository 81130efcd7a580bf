//! Handwritten main parts, and programs with them.

use agx_abi::fragment::FragmentInfo;
use agx_abi::{ShaderInfo, Stage, Target};
use agx_compiler::link::{EpilogKey, FragmentPrologKey, LinkPart, LinkedProgram, Parts, link};
use agx_compiler::{CompileKey, Compiler, Scratch};
use agx_emulator::launch::{ShadeLaunch, StageProgram};
use agx_emulator::{Framebuffer, Options, Report, Tests};
use agx_isa::inst::{Inst, Operand, Size};
use agx_isa::table::Opcode;
use agx_isa::validate::{Limits, validate};
use agx_random::Random;

/// Seeded numbers.
pub struct Numbers(Random);

impl Numbers {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Numbers {
        Numbers(Random::new(seed))
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0.below(end as usize) as u32
    }

    /// A number from `low` to `high` in steps of a thousandth.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.below(1001) as f32 / 1000.0
    }
}

/// Code of a main part.
#[derive(Default)]
pub struct Code(pub Vec<u8>);

impl Code {
    pub fn op(mut self, op: Opcode, operands: &[(&str, Operand)]) -> Self {
        let mut inst = Inst::new(op);
        operands.iter().for_each(|(name, operand)| inst.set(name, *operand));
        self.0.extend_from_slice(&agx_isa::encode(&inst).expect("encodes"));
        self
    }

    /// Sets register `half` / 2 to a constant.
    pub fn word(self, half: u8, bits: u32) -> Self {
        self.op(Opcode::Ldimm32, &[("dst", Operand::reg(half, Size::B32)), ("a", Operand::imm(bits))])
    }

    pub fn half(self, half: u8, bits: u16) -> Self {
        self.op(Opcode::Ldimm16, &[("dst", Operand::reg(half, Size::B16)), ("a", Operand::imm(bits.into()))])
    }

    /// Sets the colour of a target.
    pub fn colour(self, target: u32, bits: [u32; 4]) -> Self {
        (0..).zip(bits).fold(self, |code, (component, bits)| {
            let half = agx_abi::fragment::colour_register(target, component).expect("a register");
            code.word(half, bits)
        })
    }
}

pub fn floats(colour: [f32; 4]) -> [u32; 4] {
    colour.map(f32::to_bits)
}

/// Information about a main part that writes all components of `targets` colours.
pub fn info(targets: usize) -> ShaderInfo {
    let mut fragment = FragmentInfo::default();
    fragment.components[..targets].fill(0xf);
    ShaderInfo {
        stage: Stage::Fragment,
        gpr_halves: 80,
        uniform_halves: 16,
        uniforms: agx_abi::fragment::UNIFORMS.to_vec(),
        fragment,
        ..ShaderInfo::default()
    }
}

/// Links a main part with the epilog of `key`, and validates the program.
pub fn linked(code: &Code, info: &ShaderInfo, key: &EpilogKey, sample_loop: Option<u8>) -> LinkedProgram {
    linked_with(&FragmentPrologKey::default(), code, info, key, sample_loop)
}

/// The same with a prolog, if it is needed.
pub fn linked_with(
    prolog: &FragmentPrologKey,
    code: &Code,
    info: &ShaderInfo,
    key: &EpilogKey,
    sample_loop: Option<u8>,
) -> LinkedProgram {
    let info = &as_expected(info, prolog, key);
    let epilog = epilog(key);
    let prolog = prolog.is_needed().then(|| {
        let compiler = Compiler::new(Target::default());
        compiler.fragment_prolog(&mut Scratch::default(), prolog, &validated()).expect("a prolog")
    });
    checked(&Parts {
        main: &code.0,
        info,
        prolog: prolog.as_ref(),
        epilog: Some(&epilog),
        sample_loop,
        outputs: None,
    })
}

/// The info of a handwritten main part that passes what the keys of its prolog and epilog expect.
fn as_expected(info: &ShaderInfo, prolog: &FragmentPrologKey, key: &EpilogKey) -> ShaderInfo {
    let fragment = FragmentInfo {
        components: key.components,
        opaque: key.opaque,
        dual_source: key.dual_source,
        writes_depth: key.depth,
        writes_stencil: key.stencil,
        writes_sample_mask: key.sample_mask,
        early_tests: key.early_tests,
        sample_shading: key.sample_shading,
        ..info.fragment.clone()
    };
    ShaderInfo { fragment, writes_memory: info.writes_memory || prolog.writes_memory, ..info.clone() }
}

/// Options that validate after every pass.
fn validated() -> CompileKey {
    let mut options = CompileKey::default();
    options.validate = true;
    options
}

/// The epilog of `key`.
pub fn epilog(key: &EpilogKey) -> LinkPart {
    Compiler::new(Target::default())
        .fragment_epilog(&mut Scratch::default(), key, &validated())
        .unwrap_or_else(|error| panic!("{error}: {key:?}"))
}

/// Links, and validates the program.
pub fn checked(parts: &Parts<'_>) -> LinkedProgram {
    let program = link(parts).expect("parts fit");
    let limits = Limits {
        register_halves: program.gpr_halves,
        uniform_halves: program.uniform_halves,
        ..Limits::MACHINE
    };
    assert_eq!(validate(&program.code, limits), []);
    program
}

/// Shades the whole framebuffer; there must be no findings.
pub fn shade(
    program: &LinkedProgram,
    info: &ShaderInfo,
    framebuffer: &mut Framebuffer,
    blend_constant: [f32; 4],
    depth: f32,
    tests: Tests,
) {
    shade_stippled(program, info, framebuffer, (blend_constant, None), depth, tests);
}

/// The same with a polygon stipple.
pub fn shade_stippled(
    program: &LinkedProgram,
    info: &ShaderInfo,
    framebuffer: &mut Framebuffer,
    (blend_constant, stipple): ([f32; 4], Option<&[u32; 32]>),
    depth: f32,
    tests: Tests,
) -> Report {
    let [width, height] = framebuffer.size();
    let launch = ShadeLaunch {
        fragment: StageProgram {
            code: &program.code,
            preamble: None,
            info,
            scratch_bytes: program.scratch_bytes,
            push_constants: &[],
        },
        buffers: &mut [],
        textures: &mut [],
        samplers: &[],
        targets: &mut [],
        blend_constant,
        stipple,
        rectangle: [0, 0, width, height],
        depth,
        tests,
        late_tests: program.late_tests,
        options: Options::default(),
    };
    let report = launch.run(framebuffer).expect("runs");
    assert_eq!(report.findings, []);
    report
}
