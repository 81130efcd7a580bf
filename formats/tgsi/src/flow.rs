//! Structure of control flow: pairs of related instructions.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use crate::error::{Fault, ValidateError};
use crate::model::{Instruction, Shader};
use crate::opcode::Opcode;

/// The related instructions of a shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// By instruction:
    ///
    /// * IF, UIF, IFC: its ELSE or ENDIF; ELSE: its ENDIF; ENDIF: its IF or ELSE;
    /// * BGNLOOP and ENDLOOP, SWITCH and ENDSWITCH, BGNSUB and ENDSUB: each other;
    /// * BRK, BREAKC: the ENDLOOP or ENDSWITCH; CONT: the BGNLOOP; CASE, DEFAULT: the SWITCH;
    /// * CAL, CALLNZ: the BGNSUB; BRA: the instruction at its label.
    pub partner: Vec<Option<u32>>,
    /// The innermost block of each instruction, as the index of its first instruction.
    pub block: Vec<Option<u32>>,
    /// The first END outside of all blocks, where the main program ends.
    pub end: u32,
}

impl Flow {
    /// The related instruction, if there is one.
    pub fn partner_of(&self, instruction: usize) -> Option<usize> {
        self.partner.get(instruction).copied().flatten().map(|partner| partner as usize)
    }

    /// The first instructions of the blocks around an instruction, from the innermost outwards.
    pub fn blocks_around(&self, instruction: usize) -> impl Iterator<Item = usize> + '_ {
        let enclosing = |at: usize| self.block.get(at).copied().flatten().map(|block| block as usize);
        std::iter::successors(enclosing(instruction), move |at| enclosing(*at))
    }

    /// The CASE and DEFAULT instructions of a SWITCH, in order.
    pub fn cases(&self, shader: &Shader, switch: usize) -> Vec<usize> {
        let end = self.partner_of(switch).unwrap_or(switch);
        let is_case = |at: &usize| {
            let opcode = shader.instructions.get(*at).map(|instruction| instruction.opcode);
            matches!(opcode, Some(Opcode::Case | Opcode::Default)) && self.partner_of(*at) == Some(switch)
        };
        (switch..end).filter(is_case).collect()
    }

    fn set_partner(&mut self, instruction: u32, partner: Option<u32>) {
        if let Some(place) = self.partner.get_mut(instruction as usize) {
            *place = partner;
        }
    }

    fn set_block(&mut self, instruction: u32, block: Option<u32>) {
        if let Some(place) = self.block.get_mut(instruction as usize) {
            *place = block;
        }
    }
}

/// State of the scan: the open blocks.
struct Reader<'a> {
    shader: &'a Shader,
    flow: Flow,
    open: Vec<u32>,
}

/// Finds the related instructions.
///
/// # Errors
///
/// Blocks that are not balanced, and invalid labels.
pub fn flow(shader: &Shader) -> Result<Flow, ValidateError> {
    let count = shader.instructions.len();
    let flow = Flow { partner: vec![None; count], block: vec![None; count], end: u32::MAX };
    let mut reader = Reader { shader, flow, open: Vec::new() };
    for (at, instruction) in shader.instructions.iter().enumerate() {
        reader.read(at as u32, instruction).map_err(|fault| locate(instruction, fault))?;
    }
    if let Some(instruction) = reader.open.last().and_then(|open| shader.instructions.get(*open as usize)) {
        let fault = Fault::Nesting { opcode: instruction.opcode.name(), partner: closer(instruction.opcode) };
        return Err(locate(instruction, fault));
    }
    for (at, instruction) in shader.instructions.iter().enumerate() {
        reader.link(at as u32, instruction).map_err(|fault| locate(instruction, fault))?;
    }
    if reader.flow.end == u32::MAX {
        let place = shader.instructions.last().map(|last| last.place).unwrap_or_default();
        return Err(ValidateError { place, fault: Fault::Missing { what: "END" } });
    }
    Ok(reader.flow)
}

fn locate(instruction: &Instruction, fault: Fault) -> ValidateError {
    ValidateError { place: instruction.place, fault }
}

/// The name of the instruction that ends a block.
fn closer(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::Bgnloop => "ENDLOOP",
        Opcode::Bgnsub => "ENDSUB",
        Opcode::Switch => "ENDSWITCH",
        _ => "ENDIF",
    }
}

impl Reader<'_> {
    fn opcode(&self, at: u32) -> Option<Opcode> {
        self.shader.instructions.get(at as usize).map(|instruction| instruction.opcode)
    }

    /// Whether the instruction at `at` is one of `opcodes`.
    fn is_any(&self, at: u32, opcodes: &[Opcode]) -> bool {
        self.opcode(at).is_some_and(|opcode| opcodes.contains(&opcode))
    }

    fn read(&mut self, at: u32, instruction: &Instruction) -> Result<(), Fault> {
        use Opcode::*;
        self.flow.set_block(at, self.open.last().copied());
        let opcode = instruction.opcode;
        match opcode {
            If | Uif | Ifc | Bgnloop | Switch => self.open.push(at),
            Bgnsub if self.open.is_empty() => self.open.push(at),
            Bgnsub => {
                return Err(Fault::Nesting { opcode: "BGNSUB", partner: "the end of the block around it" });
            }
            Else => {
                self.close(at, opcode, &[If, Uif, Ifc], "an IF")?;
                self.open.push(at);
            }
            Endif => self.close(at, opcode, &[If, Uif, Ifc, Else], "an IF")?,
            Endloop => self.close(at, opcode, &[Bgnloop], "a BGNLOOP")?,
            Endsub => self.close(at, opcode, &[Bgnsub], "a BGNSUB")?,
            Endswitch => self.close(at, opcode, &[Switch], "a SWITCH")?,
            Brk | Breakc => self.leave(at, opcode, &[Bgnloop, Switch], "a BGNLOOP or SWITCH")?,
            Cont => self.leave(at, opcode, &[Bgnloop], "a BGNLOOP")?,
            Case | Default => match self.open.last().copied().filter(|open| self.is_any(*open, &[Switch])) {
                Some(open) => self.flow.set_partner(at, Some(open)),
                None => return Err(Fault::Nesting { opcode: opcode.name(), partner: "a SWITCH" }),
            },
            End if self.open.is_empty() => self.flow.end = self.flow.end.min(at),
            _ => {}
        }
        Ok(())
    }

    /// Ends the innermost block, which must begin with one of `openers`.
    fn close(
        &mut self,
        at: u32,
        opcode: Opcode,
        openers: &[Opcode],
        partner: &'static str,
    ) -> Result<(), Fault> {
        let opener = self.open.pop().filter(|open| self.is_any(*open, openers));
        let opener = opener.ok_or(Fault::Nesting { opcode: opcode.name(), partner })?;
        self.flow.set_partner(opener, Some(at));
        self.flow.set_partner(at, Some(opener));
        self.flow.set_block(at, self.open.last().copied());
        Ok(())
    }

    /// Records the first instruction of the block that a break or continue leaves; `link` replaces it with
    /// the last.
    fn leave(
        &mut self,
        at: u32,
        opcode: Opcode,
        openers: &[Opcode],
        partner: &'static str,
    ) -> Result<(), Fault> {
        let opener = self.open.iter().rev().find(|open| self.is_any(**open, openers));
        let opener = opener.ok_or(Fault::Nesting { opcode: opcode.name(), partner })?;
        self.flow.set_partner(at, Some(*opener));
        Ok(())
    }

    /// Completes breaks and labels after the end of every block is known.
    fn link(&mut self, at: u32, instruction: &Instruction) -> Result<(), Fault> {
        use Opcode::*;
        let opcode = instruction.opcode;
        match opcode {
            Brk | Breakc => {
                let opener = self.flow.partner_of(at as usize);
                let closer = opener.and_then(|opener| self.flow.partner_of(opener));
                self.flow.set_partner(at, closer.map(|closer| closer as u32));
            }
            Cal | Callnz => {
                let target = self.target(instruction)?;
                let found = self.opcode(target);
                if found != Some(Bgnsub) {
                    return Err(label_fault(opcode, target, found, "BGNSUB"));
                }
                self.flow.set_partner(at, Some(target));
            }
            Bra => {
                let target = self.target(instruction)?;
                let found = self.opcode(target);
                if found.is_none() {
                    return Err(label_fault(opcode, target, found, "an instruction"));
                }
                self.flow.set_partner(at, Some(target));
            }
            _ => {}
        }
        Ok(())
    }

    /// The instruction at a label: the one at this position, or else the one with this number.
    fn target(&self, instruction: &Instruction) -> Result<u32, Fault> {
        let target = instruction.target.ok_or(Fault::Missing { what: "the label of a call or branch" })?;
        let instructions = &self.shader.instructions;
        let is_call = instruction.opcode != Opcode::Bra;
        let fits = |found: &Instruction| !is_call || found.opcode == Opcode::Bgnsub;
        if instructions.get(target as usize).is_some_and(fits) {
            return Ok(target);
        }
        let numbered = instructions.iter().position(|found| found.label == Some(target) && fits(found));
        Ok(numbered.map_or(target, |at| at as u32))
    }
}

fn label_fault(opcode: Opcode, target: u32, found: Option<Opcode>, expected: &'static str) -> Fault {
    let found = found.map_or("after the end", |found| found.name());
    Fault::Label { opcode: opcode.name(), target, found, expected }
}
