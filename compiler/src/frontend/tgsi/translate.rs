//! Translates a program: stage inputs, blocks, stage outputs.

use agx_tgsi::{Class, File, Flow, Instruction, Opcode, Shader};

use super::blocks::{Blocks, blocks};
use super::program::{Program, option};
use super::registers::RegisterFile;
use super::{FILE, location, stage};
use crate::CompileKey;
use crate::error::{CompileError, TgsiError};
use crate::frontend::kit::control::{Body, Node, build};
use crate::frontend::kit::{Kit, lines};
use crate::ir::FloatMode;
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::{Arithmetic, Src};

/// Translates a valid program.
///
/// # Errors
/// Unsupported features, with the location of the instruction.
pub(super) fn translate(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    flow: &Flow,
    key: &CompileKey,
) -> Result<(), CompileError> {
    let blocks = blocks(shader, flow)?;
    let inputs = stage::begin(kit, shader, key)?;
    let written = [
        File::Temporary,
        File::TemporaryArray,
        File::HalfTemporary,
        File::Output,
        File::Address,
        File::Predicate,
    ];
    let mut files = Vec::with_capacity(written.len());
    for file in written {
        files.push(RegisterFile::new(kit, shader, file)?);
    }
    let zero_wins = shader.zero_wins();
    let second_if_nan = option(key, "second_if_nan").is_some_and(|value| value != 0);
    let mut program = Program { shader, key, files, inputs, stack: Vec::new(), zero_wins, second_if_nan };
    let mut walk = Walk { program: &mut program, blocks: &blocks };
    build(kit, &blocks.graph, &mut walk)?;
    lines::clear(kit);
    stage::end(kit, &program)
}

/// The blocks during translation.
struct Walk<'w, 's> {
    program: &'w mut Program<'s>,
    blocks: &'w Blocks,
}

impl Walk<'_, '_> {
    fn instruction(&self, at: usize) -> Result<&Instruction, CompileError> {
        let missing = || CompileError::internal("a missing instruction");
        self.program.shader.instructions.get(at).ok_or_else(missing)
    }
}

impl<'f, 'a> Body<'f, 'a> for Walk<'_, '_> {
    fn block(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<(), CompileError> {
        let shader = self.program.shader;
        for at in self.blocks.blocks[node].instructions.clone() {
            let Some(instruction) = shader.instructions.get(at) else { continue };
            let place = instruction.place;
            lines::set(kit, FILE, place.line, place.column);
            kit.b.mode = FloatMode { separate: instruction.is_precise, ..FloatMode::default() };
            self.program.instruction(kit, instruction).map_err(|error| error.at(location(place)))?;
        }
        Ok(())
    }

    fn condition(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<Src, CompileError> {
        let decides = self.blocks.blocks[node].decides;
        let at = decides.ok_or_else(|| CompileError::internal("a branch without an instruction"))?;
        let instruction = self.instruction(at)?.clone();
        let word = self.program.fetch(kit, &instruction, 0, 0);
        Ok(match instruction.opcode {
            Opcode::Uif => kit.b.icmp(IntCond::NE, word, Src::imm32(0)),
            _ => kit.b.fcmp(FloatCond::NE, word, Src::f32(0.0)),
        })
    }

    fn case(&mut self, kit: &mut Kit<'f, 'a>, node: Node, to: Node) -> Result<Src, CompileError> {
        let block = &self.blocks.blocks[node];
        let switch =
            block.decides.ok_or_else(|| CompileError::internal("a switch without an instruction"))?;
        let selector = self.program.fetch(kit, &self.instruction(switch)?.clone(), 0, 0);
        let mut matches = Src::imm(0, 1);
        for (_, case) in block.cases.iter().filter(|(target, _)| *target == to) {
            let literal = self.program.fetch(kit, &self.instruction(*case)?.clone(), 0, 0);
            let equal = kit.b.icmp(IntCond::EQ, selector, literal);
            matches = if matches == Src::imm(0, 1) { equal } else { kit.b.or(matches, equal) };
        }
        Ok(matches)
    }
}

impl Program<'_> {
    fn instruction(&mut self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        match instruction.opcode.info().class {
            Class::Component => self.component(kit, instruction),
            Class::Scalar => self.scalar(kit, instruction),
            Class::Vector => self.vector(kit, instruction)?,
            Class::Pair | Class::PairCount | Class::PairFlag | Class::Split => self.pairs(kit, instruction),
            Class::Widen => self.widen(kit, instruction),
            Class::Narrow => self.narrow(kit, instruction),
            Class::Address => self.address(kit, instruction)?,
            Class::Texture => self.texture(kit, instruction)?,
            Class::View => self.view(kit, instruction)?,
            Class::Load => self.load(kit, instruction)?,
            Class::Store => self.store_memory(kit, instruction)?,
            Class::Atomic => self.atomic(kit, instruction)?,
            Class::Query => self.query(kit, instruction)?,
            Class::Handle => self.handle(kit, instruction),
            Class::Derivative => self.derivative(kit, instruction)?,
            Class::Interpolate => self.interpolate(kit, instruction)?,
            Class::Framebuffer => self.framebuffer(kit, instruction)?,
            Class::Lanes => self.lanes(kit, instruction),
            Class::Discard => self.discard(kit, instruction)?,
            Class::Barrier => self.barrier(kit, instruction),
            Class::Geometry => {
                return Err(TgsiError::Feature {
                    what: "an emission of geometry outside geometry programs",
                    why: "other programs have no output stream",
                }
                .into());
            }
            Class::Flow | Class::Nothing => {}
        }
        Ok(())
    }
}
