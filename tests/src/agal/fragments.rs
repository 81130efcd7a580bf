//! Fragment programs: a draw of a triangle that covers a small screen.

use agx_abi::tile::ColourFormat;
use agx_abi::{Stage, Target, agal};
use agx_agal::interpret::{Inputs, Outputs, Vector};
use agx_agal::{AssembleOptions, Shader, assemble};
use agx_compiler::link::{FragmentState, LinkedProgram, Target as RenderTarget};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use agx_emulator::launch::{AttributeData, DrawLaunch, LaunchError};
use agx_emulator::{Comparison, Framebuffer, Options, Tests};

use super::texture::{Texture, samplers};
use super::vertices::four_floats;
use super::{constant_bytes, input, shader, validated};
use crate::driver::{stage, storage_buffer, validate_program};
use crate::outcome::Outcome;

/// The value of a pixel without a stored fragment; no program computes these bits.
const UNTOUCHED: u32 = 0x7fa5_5a5a;

/// Positions of the lanes of a quad: right and down.
const LANES: [[u32; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];

/// The inputs of a fragment program.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// Byte code.
    pub program: &'r [u8],
    /// Constants from register 0 on.
    pub constants: &'r [Vector],
    /// Varyings at the corners (−1, −1), (3, −1), (−1, 3) of clip space.
    pub corners: &'r [[Vector; 16]; 3],
    /// Textures by sampler register.
    pub textures: &'r [Texture],
    /// Pixels along each side, an even number.
    pub side: u32,
}

/// A quad: inputs and outputs of its lanes.
pub type Quad = ([Inputs; 4], [Outputs; 4]);

impl Run<'_> {
    /// The reference machine's results for each quad, in rows from the top. The inputs are read by a program that
    /// copies its varyings to its outputs, so that they are exactly those of the draw.
    ///
    /// # Errors
    /// The outcome that is not a pass.
    pub fn quads(&self, key: &CompileKey) -> Result<Vec<Quad>, Outcome> {
        let checked = shader(self.program)?;
        let read = checked.interface.varyings_read;
        let registers: Vec<usize> = (0..16).filter(|register| read[*register] != 0).collect();
        let mut quads = vec![Quad::default(); (self.side * self.side / 4) as usize];
        for register in &registers {
            let text = format!(".agal 3 fragment\nmov oc, v{register}");
            let program = assemble(&text, AssembleOptions::default())
                .map_err(|error| Outcome::Fail(error.to_string()))?;
            let hands_on = Run { program: &program.write(), ..*self };
            let drawn =
                hands_on.draw(&shader(hands_on.program)?, 0, (&[*register], &CompileKey::default()))?;
            self.each(|quad, lane, at| {
                quads[quad].0[lane].varyings[*register] = colour(&drawn, at).unwrap_or([0.0; 4]);
            });
        }
        for target in (0..4).filter(|target| checked.interface.outputs[*target] != 0 || *target == 0) {
            let drawn = self.draw(&checked, target, (&registers, key))?;
            self.each(|quad, lane, at| {
                let outputs = &mut quads[quad].1[lane];
                match colour(&drawn, at) {
                    Some(colour) => outputs.outputs[target] = colour,
                    None => outputs.killed = true,
                }
                if checked.interface.depth {
                    outputs.depth = drawn.depth_stencil(at[0], at[1], 0).map_or(0.0, |(depth, _)| depth);
                }
            });
        }
        Ok(quads)
    }

    /// Calls `visit` with the number of each quad, its lanes, and their pixels.
    fn each(&self, mut visit: impl FnMut(usize, usize, [u32; 2])) {
        let columns = self.side / 2;
        for quad in 0..columns * columns {
            for (lane, [right, down]) in LANES.into_iter().enumerate() {
                visit(quad as usize, lane, [2 * (quad % columns) + right, 2 * (quad / columns) + down]);
            }
        }
    }

    /// Draws with one render target.
    fn draw(
        &self,
        checked: &Shader,
        target: usize,
        (registers, key): (&[usize], &CompileKey),
    ) -> Result<Framebuffer, Outcome> {
        let (vertex, first) = hand_on(registers)?;
        let (fragment, second, sample_bytes) = compile(self.program, target, key)?;
        let mut framebuffer = Framebuffer::new(self.side, self.side, 1, sample_bytes);
        framebuffer.clear(&UNTOUCHED.to_le_bytes().repeat(sample_bytes as usize / 4), 0.5, 0);
        let mut buffers = vec![
            storage_buffer(0, 0, vec![0; 16], false),
            storage_buffer(0, 1, constant_bytes(checked, self.constants), false),
        ];
        let mut textures: Vec<_> = (0..)
            .zip(self.textures)
            .map(|(binding, texture)| texture.resource(agal::TEXTURE_SET, binding))
            .collect();
        let data = self.attributes(&vertex, registers);
        let attributes: Vec<AttributeData<'_>> = data
            .iter()
            .map(|bytes| AttributeData { bytes, offset: 0, stride: 16, element_bytes: 16 })
            .collect();
        let launch = DrawLaunch {
            buffers: &mut buffers,
            textures: &mut textures,
            samplers: &samplers(&fragment),
            attributes: &attributes,
            vertices: &[0, 1, 2],
            tests: Tests { depth: Comparison::Always, depth_write: true, ..Tests::default() },
            late_tests: second.late_tests,
            options: Options { strict: true, ..Options::default() },
            ..DrawLaunch::new(stage(&vertex, &first, &[]), stage(&fragment, &second, &[]), [self.side; 2])
        };
        match launch.run(&mut framebuffer) {
            Ok(report) => match report.findings.first() {
                None => Ok(framebuffer),
                Some(finding) => Err(Outcome::Fail(format!("strict: {finding}"))),
            },
            Err(LaunchError::Stopped(stop)) => Err(Outcome::Fail(format!("strict: {}", stop.finding))),
            Err(error) => Err(Outcome::Fail(format!("launch: {error}"))),
        }
    }

    /// The bytes of the attributes of the pass-through vertex program.
    fn attributes(&self, vertex: &CompiledShader, registers: &[usize]) -> Vec<Vec<u8>> {
        let positions = [[-1.0, -1.0, 0.25, 1.0], [3.0, -1.0, 0.25, 1.0], [-1.0, 3.0, 0.25, 1.0]];
        let of = |location: u32| {
            let value = |corner: usize| match location {
                0 => positions[corner],
                _ => registers.get(location as usize - 1).map_or([0.0; 4], |at| self.corners[corner][*at]),
            };
            (0..3).flat_map(value).flat_map(f32::to_le_bytes).collect()
        };
        vertex.info.attributes.iter().map(|attribute| of(attribute.location)).collect()
    }
}

/// The colour of a pixel; `None` if no fragment was stored.
fn colour(framebuffer: &Framebuffer, [x, y]: [u32; 2]) -> Option<Vector> {
    let bytes = framebuffer.colour(x, y, 0)?;
    let words = bytes.as_chunks::<4>().0;
    let words: [u32; 4] = std::array::from_fn(|at| words.get(at).map_or(0, |word| u32::from_le_bytes(*word)));
    (words != [UNTOUCHED; 4]).then(|| words.map(f32::from_bits))
}

/// A vertex program that passes through its position and these varyings.
fn hand_on(registers: &[usize]) -> Result<(CompiledShader, LinkedProgram), Outcome> {
    if registers.len() > 15 {
        return Err(Outcome::Unsupported("more than 15 varyings".to_owned()));
    }
    let moves = (1..).zip(registers).map(|(attribute, register)| format!("mov v{register}, va{attribute}\n"));
    let text = format!(".agal 3 vertex\nmov op, va0\n{}", moves.collect::<String>());
    let program =
        assemble(&text, AssembleOptions::default()).map_err(|error| Outcome::Fail(error.to_string()))?;
    let key = validated(&CompileKey::default());
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let shader = compiler.compile(&mut scratch, input(&program.write()), &key)?;
    let program = compiler.vertex_program(&mut scratch, &shader, four_floats, &key)?;
    validate_program(&program)?;
    Ok((shader, program))
}

fn compile(
    bytes: &[u8],
    target: usize,
    key: &CompileKey,
) -> Result<(CompiledShader, LinkedProgram, u32), Outcome> {
    let mut key = validated(key);
    key.stage = Some(Stage::Fragment);
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let mut shader = compiler.compile(&mut scratch, input(bytes), &key)?;
    let mut state = FragmentState::default();
    state.targets[target] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
    let program = compiler.fragment_program(&mut scratch, &shader, &state, &key)?;
    shader.info = program.info(&shader.info);
    validate_program(&program)?;
    Ok((shader, program, state.layout().sample_bytes.into()))
}
