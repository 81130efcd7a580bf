//! Control flow instructions.

use super::Machine;
use crate::model::Instruction;
use crate::opcode::Opcode;

impl Machine<'_, '_> {
    /// Executes a control flow instruction. `next` of the active invocations is already the following
    /// instruction.
    pub(super) fn control(&mut self, at: usize, instruction: &Instruction, active: &[usize]) {
        let partner = self.flow.partner_of(at);
        for lane in active.iter().copied() {
            let a = self.fetch(lane, instruction, 0)[0];
            let is_set = f32::from_bits(a) != 0.0;
            let after = Some(at + 1);
            self.lanes[lane].next = match instruction.opcode {
                Opcode::If | Opcode::Ifc if !is_set => self.otherwise(partner),
                Opcode::Uif if a == 0 => self.otherwise(partner),
                Opcode::Else | Opcode::Endloop | Opcode::Bra => partner,
                Opcode::Brk => partner.map(|end| end + 1),
                Opcode::Breakc if is_set => partner.map(|end| end + 1),
                // Continues at the end of the loop, so that the next iteration starts together.
                Opcode::Cont => partner.and_then(|begin| self.flow.partner_of(begin)),
                Opcode::Switch => self.case(lane, at, a),
                // A subroutine's definition is skipped.
                Opcode::Bgnsub => partner.map(|end| end + 1),
                Opcode::Cal => self.call(lane, at, partner),
                Opcode::Callnz if is_set => self.call(lane, at, partner),
                Opcode::Ret | Opcode::Endsub => self.lanes[lane].calls.pop(),
                Opcode::End => None,
                _ => after,
            };
        }
    }

    /// The target of an if with a false condition: after its ELSE or ENDIF.
    fn otherwise(&self, partner: Option<usize>) -> Option<usize> {
        partner.map(|end| end + 1)
    }

    fn call(&mut self, lane: usize, at: usize, target: Option<usize>) -> Option<usize> {
        self.lanes[lane].calls.push(at + 1);
        target.map(|begin| begin + 1)
    }

    /// The target of a switch.
    fn case(&mut self, lane: usize, switch: usize, selector: u32) -> Option<usize> {
        let cases = self.flow.cases(self.shader, switch);
        let instructions = &self.shader.instructions;
        let is_equal = |case: &&usize| {
            let instruction = &instructions[**case];
            instruction.opcode == Opcode::Case && self.fetch(lane, instruction, 0)[0] == selector
        };
        let default = cases.iter().find(|case| instructions[**case].opcode == Opcode::Default);
        let found = cases.iter().find(is_equal).or(default).copied();
        found.or_else(|| self.flow.partner_of(switch))
    }
}
