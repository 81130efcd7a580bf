//! The instructions of a program, its loops, and where its source lines begin.

use std::ops::Range;

use agx_isa::Opcode;
use agx_isa::desc::Effects;
use agx_isa::disasm::{Line, Piece, disassemble};

use crate::symbols::{LineRow, PartSymbols};

/// A part of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// What runs first, on one lane.
    Preamble,
    /// What every lane runs.
    Main,
}

impl Part {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Part::Preamble => "preamble",
            Part::Main => "main",
        }
    }
}

/// An instruction of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spot {
    /// The part.
    pub part: Part,
    /// Its first byte.
    pub offset: u32,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its first byte.
    pub offset: u32,
    /// Its length in bytes.
    pub len: u32,
    /// Assembly.
    pub text: String,
    /// Whether another instruction than the next may follow, or a jump may lead to the next.
    ends_block: bool,
    /// Whether it only directs control flow, or is padding: no line begins with it.
    is_control: bool,
}

/// The code of a part.
#[derive(Clone, Debug, Default)]
pub struct Code {
    instructions: Vec<Instruction>,
    /// First and last instruction of each loop.
    loops: Vec<Range<u32>>,
}

impl Code {
    /// Disassembles a part.
    pub fn new(bytes: &[u8]) -> Code {
        let lines = disassemble(bytes);
        let targets: Vec<usize> = lines.iter().filter_map(Line::target).collect();
        let mut code = Code::default();
        for line in &lines {
            let end = line.pc.saturating_add(line.len);
            if let Some(target) = line.target().filter(|target| *target <= line.pc) {
                code.loops.push(target as u32..end as u32);
            }
            let (text, jumps, is_control) = match &line.piece {
                Piece::Inst(inst) => {
                    let ends = Effects::MASK | Effects::JUMP | Effects::STOP;
                    let effects = inst.op.desc().effects;
                    let decides = inst.registers_read().any(|halves| halves.start > 0);
                    let is_control = effects.intersects(ends) && !decides || inst.op == Opcode::Trap;
                    (inst.to_string(), effects.intersects(ends), is_control)
                }
                Piece::Unknown(value) => (format!("<unknown {value:#x}>"), true, true),
            };
            let ends_block = jumps || targets.contains(&end);
            code.instructions.push(Instruction {
                offset: line.pc as u32,
                len: line.len as u32,
                text,
                ends_block,
                is_control,
            });
        }
        code
    }

    /// The instructions in order.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instruction that starts at `offset`.
    pub fn at(&self, offset: u32) -> Option<&Instruction> {
        let at = self.instructions.binary_search_by_key(&offset, |one| one.offset).ok()?;
        self.instructions.get(at)
    }

    /// The innermost loop around the instruction at `offset`.
    pub fn loop_around(&self, offset: u32) -> Option<Range<u32>> {
        let around = self.loops.iter().filter(|range| range.contains(&offset));
        around.min_by_key(|range| range.len()).cloned()
    }

    /// Where `line` of file `file` begins: the first of its instructions in each block.
    pub fn starts(&self, symbols: &PartSymbols, file: u32, line: u32) -> Vec<u32> {
        let of_line = |offset: &u32| symbols.line(*offset).is_some_and(|row| row.place() == (file, line));
        self.line_starts(symbols).into_iter().filter(of_line).collect()
    }

    /// Where lines begin: the first instruction of each line in each block.
    pub fn line_starts(&self, symbols: &PartSymbols) -> Vec<u32> {
        let mut starts = Vec::new();
        let mut known: Vec<(u32, u32)> = Vec::new();
        for one in &self.instructions {
            let line = symbols.line(one.offset).map(LineRow::place);
            if let Some(line) = line.filter(|line| !one.is_control && !known.contains(line)) {
                starts.push(one.offset);
                known.push(line);
            }
            if one.ends_block {
                known.clear();
            }
        }
        starts
    }
}
