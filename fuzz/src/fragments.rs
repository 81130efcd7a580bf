//! Compiled fragment shaders have the effects and results that the interpreter computes, quad by quad, with discards that
//! demote, as in WGSL, and with discards that end the invocation, as in GLSL.

use agx_abi::tile::ColourFormat;
use agx_abi::{PartRole, Stage, UniformSource};
use agx_compiler::internal::frontend::{self, wgsl};
use agx_compiler::internal::ir::interpret::{
    FlatMemory, Fragment, InterpreterMemory, Limits, MemoryFault, Space, quad,
};
use agx_compiler::link::{FragmentState, Target as RenderTarget};
use agx_compiler::{CompileKey, Compiler, Input, Scratch};
use agx_emulator::launch::{BufferBinding, ShadeLaunch, StageProgram};
use agx_emulator::{Framebuffer, Options, Tests};
use agx_isa::sr::Sr;
use agx_random::fragment::{OWN_WORDS, READ_WORDS, SHARED_WORDS, SIDE, any_fragment};
use agx_random::{Entropy, Random};
use bumpalo::Bump;
use std::cell::RefCell;

use crate::semantics::left_out;

/// Words of the buffers, by binding.
const WORDS: [usize; 3] = [SHARED_WORDS, OWN_WORDS * SIDE * SIDE, READ_WORDS];

/// Address of the first buffer in the interpreter, and the distance of the next ones.
const RANGE: u64 = 1 << 16;

/// What a shader leaves: its buffers, and the pixels that it draws.
#[derive(PartialEq, Eq)]
struct Left {
    buffers: [Vec<u8>; 3],
    drawn: Vec<bool>,
}

/// Tests `data` as choices for a shader, the passes that are disabled and the contents of its buffers.
pub fn fragments(data: &[u8]) {
    let mut entropy = Entropy::new(data);
    let ends = entropy.flip();
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Fragment));
    key.disabled_passes = left_out(&mut entropy);
    key.schedule_seed = (entropy.below(3) == 0).then(|| entropy.below(1 << 16) as u64);
    let buffers = contents(&mut entropy);
    // Pixels outside are helpers.
    let sides = [entropy.below(2), entropy.below(2), SIDE - entropy.below(2), SIDE - entropy.below(2)];
    let rectangle = sides.map(|side| side as u32);
    let shader = any_fragment(&mut entropy, ends);
    let words = match ends {
        true => wgsl::to_spirv_with_kills(&shader.text, &key),
        false => wgsl::to_spirv(&shader.text, &key),
    };
    let words = words.unwrap_or_else(|error| panic!("{error}\n{}", shader.text));
    let module: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let about = || format!("ends {ends}, without {:?}, {rectangle:?}\n{}", key.disabled_passes, shader.text);
    let wanted = interpreted(&module, &key, &buffers, rectangle)
        .unwrap_or_else(|error| panic!("{error}; {}", about()));
    for (left, how) in executed(&module, &key, &buffers, rectangle, &about).iter().zip(["parts", "the whole"])
    {
        if let Some(difference) = difference(&wanted, left) {
            panic!("{how}: {difference}; {}", about());
        }
    }
}

/// The buffers before the run.
fn contents(entropy: &mut Entropy<'_>) -> [Vec<u8>; 3] {
    let mut random = Random::new(entropy.word().into());
    let [shared, own, read] = WORDS;
    let bytes = |words: Vec<u32>| words.into_iter().flat_map(u32::to_le_bytes).collect();
    let few = (0..read).map(|_| random.below(16) as u32).collect();
    [bytes(vec![0; shared]), bytes(vec![0; own]), bytes(few)]
}

/// Describes the first difference.
fn difference(wanted: &Left, found: &Left) -> Option<String> {
    for (binding, (wanted, found)) in wanted.buffers.iter().zip(&found.buffers).enumerate() {
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes).collect()
        };
        let (wanted, found) = (words(wanted), words(found));
        if let Some(at) = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found) {
            return Some(format!("word {at} of binding {binding} is {}; expected {}", found[at], wanted[at]));
        }
    }
    let at = wanted.drawn.iter().zip(&found.drawn).position(|(wanted, found)| wanted != found)?;
    Some(format!("pixel {}, {} is drawn: {}", at % SIDE, at / SIDE, found.drawn[at]))
}

/// The environment of an interpreted lane.
struct Pixel<'m> {
    memory: &'m RefCell<FlatMemory>,
    position: [u32; 2],
}

impl InterpreterMemory for Pixel<'_> {
    fn read(&mut self, space: Space, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        self.memory.borrow_mut().read(space, address, bytes)
    }

    fn write(&mut self, space: Space, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.memory.borrow_mut().write(space, address, bytes)
    }

    fn interpolated(&mut self, _: u32) -> Option<u32> {
        // Depth and w, which the shaders do not use.
        Some(0)
    }

    fn special_register(&mut self, number: u32) -> Option<u32> {
        let place = number.checked_sub(Sr::THREAD_X.0.into())?;
        self.position.get(place as usize).copied()
    }
}

/// What the interpreter leaves.
fn interpreted(
    module: &[u8],
    key: &CompileKey,
    buffers: &[Vec<u8>; 3],
    [left, top, right, bottom]: [u32; 4],
) -> Result<Left, String> {
    let bump = Bump::new();
    let (mut f, info) =
        frontend::read(&bump, Input::spirv(module), key).map_err(|error| error.to_string())?;
    f.compute_cfg();
    let mut uniforms = vec![0; 512];
    for range in &info.uniforms {
        // The others belong to the next part.
        let UniformSource::BufferAddress { binding, .. } = range.source else { continue };
        let address = (RANGE * u64::from(binding + 1)).to_le_bytes();
        let halves = address.as_chunks::<2>().0.iter().copied().map(u16::from_le_bytes);
        let place = uniforms.iter_mut().skip(range.start.into()).take(range.halves.into());
        place.zip(halves).for_each(|(half, word)| *half = word);
    }
    let mut device = vec![0; 3 * RANGE as usize];
    for (number, bytes) in buffers.iter().enumerate() {
        device[number * RANGE as usize..][..bytes.len()].copy_from_slice(bytes);
    }
    let memory = RefCell::new(FlatMemory { base: RANGE, device, ..FlatMemory::default() });
    let mut drawn = vec![false; SIDE * SIDE];
    for start in (0..SIDE as u32).step_by(2).flat_map(|y| (0..SIDE as u32).step_by(2).map(move |x| [x, y])) {
        let positions = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[x, y]: [u32; 2]| [start[0] + x, start[1] + y]);
        let is_covered = |[x, y]: [u32; 2]| (left..right).contains(&x) && (top..bottom).contains(&y);
        if !positions.into_iter().any(is_covered) {
            continue;
        }
        let mut pixels = positions.map(|position| Pixel { memory: &memory, position });
        let fragments =
            pixels.each_mut().map(|pixel| Fragment { is_covered: is_covered(pixel.position), memory: pixel });
        let outcomes =
            quad(&f, &uniforms, fragments, Limits::default()).map_err(|error| error.to_string())?;
        for (outcome, [x, y]) in outcomes.into_iter().zip(positions) {
            drawn[SIDE * y as usize + x as usize] = !outcome.is_helper;
        }
    }
    let device = memory.into_inner().device;
    let buffers = [0, 1, 2].map(|number| device[number * RANGE as usize..][..4 * WORDS[number]].to_vec());
    Ok(Left { buffers, drawn })
}

/// What the machine leaves: with linked parts, and with the program as a whole.
fn executed(
    module: &[u8],
    key: &CompileKey,
    buffers: &[Vec<u8>; 3],
    rectangle: [u32; 4],
    about: &dyn Fn() -> String,
) -> [Left; 2] {
    let (compiler, mut scratch) = (Compiler::default(), Scratch::default());
    let mut state = FragmentState::default();
    state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba8Unorm));
    let input = Input::spirv(module);
    let shader = compiler.compile(&mut scratch, input, key);
    let mut shader = shader.unwrap_or_else(|error| panic!("{error}; {}", about()));
    let program = compiler.fragment_program(&mut scratch, &shader, &state, key);
    let program = program.unwrap_or_else(|error| panic!("{error}; {}", about()));
    shader.info = program.info(&shader.info);
    let whole = compiler.whole_fragment(&mut scratch, input, key, &state);
    let whole = whole.unwrap_or_else(|error| panic!("{error}; {}", about()));
    [(shader, program), (whole.shader, whole.program)].map(|(shader, program)| {
        let mut bindings: Vec<BufferBinding> = (0..)
            .zip(buffers)
            .map(|(binding, bytes)| BufferBinding {
                set: 0,
                binding,
                element: 0,
                bytes: bytes.clone(),
                writable: binding < 2,
            })
            .collect();
        let mut framebuffer =
            Framebuffer::new(SIDE as u32, SIDE as u32, 1, state.layout().sample_bytes.into());
        let launch = ShadeLaunch {
            fragment: StageProgram {
                code: &program.code,
                preamble: shader.part(PartRole::Preamble),
                info: &shader.info,
                scratch_bytes: program.scratch_bytes,
                push_constants: &[],
            },
            buffers: &mut bindings,
            textures: &mut [],
            samplers: &[],
            targets: &mut [],
            blend_constant: [0.0; 4],
            stipple: None,
            rectangle,
            depth: 0.5,
            tests: Tests::default(),
            late_tests: program.late_tests,
            options: Options::default(),
        };
        let report = launch.run(&mut framebuffer).unwrap_or_else(|error| panic!("{error}; {}", about()));
        assert!(report.findings.is_empty(), "{}; {}", report.findings[0], about());
        let pixels = (0..SIDE as u32).flat_map(|y| (0..SIDE as u32).map(move |x| (x, y)));
        let is_drawn = |(x, y)| framebuffer.colour(x, y, 0).is_some_and(|bytes| bytes[0] != 0);
        let drawn = pixels.map(is_drawn).collect();
        let buffers = [0, 1, 2].map(|at: usize| std::mem::take(&mut bindings[at].bytes));
        Left { buffers, drawn }
    })
}
