//! Checks of the hardware's rules.
//!
//! Errors are programs that hardware does not execute as intended. Warnings are programs that work but are
//! likely mistaken or documented as unreliable. Only reachable words are checked, so there may be data
//! between procedures.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use std::fmt;

use crate::descriptor::Descriptor;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::program::{MAX_CODE, MAX_DESCRIPTORS, Program, Shader, Stage};
use crate::register::{Compare, Source};

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Works, but may be a mistake.
    Warning,
    /// Does not work.
    Error,
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// The address of the instruction, in words; `None` for the whole program.
    pub address: Option<u32>,
    /// A sentence about the violation.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        match self.address {
            Some(address) => write!(f, "{severity}: at {address}: {}", self.message),
            None => write!(f, "{severity}: {}", self.message),
        }
    }
}

/// Depth of the stack of calls.
const CALL_DEPTH: usize = 4;

/// Checks a shader of a program.
pub fn validate(program: &Program, shader: &Shader) -> Vec<Finding> {
    let mut check = Check { program, shader, findings: Vec::new() };
    check.sizes();
    let reached = reachable(program, shader.entry);
    let mut previous = None;
    for (address, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        let address = address as u32;
        check.word(address);
        let inst = program.inst(address);
        if let (Some(before), Some(inst)) = (previous, inst) {
            check.pair(address, before, &inst);
        }
        previous = inst.map(|inst| inst.opcode);
    }
    check.interface();
    check.findings
}

/// Marks the instructions that are reachable from `entry`.
pub fn reachable(program: &Program, entry: u32) -> Vec<bool> {
    let mut reached = vec![false; program.code.len()];
    let mut open = vec![entry];
    while let Some(address) = open.pop() {
        let Some(mark) = reached.get_mut(address as usize) else { continue };
        if std::mem::replace(mark, true) {
            continue;
        }
        let Some(inst) = program.inst(address) else { continue };
        match inst.opcode {
            Opcode::End => continue,
            Opcode::Ifu | Opcode::Ifc => open.extend([inst.target(), inst.range_end()]),
            Opcode::Call | Opcode::Callc | Opcode::Callu | Opcode::Jmpc | Opcode::Jmpu => {
                open.push(inst.target());
            }
            Opcode::Loop => open.push(inst.target().saturating_add(1)),
            _ => {}
        }
        open.push(address.saturating_add(1));
    }
    reached
}

/// State of a check.
struct Check<'a> {
    program: &'a Program,
    shader: &'a Shader,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn error(&mut self, address: Option<u32>, message: String) {
        self.findings.push(Finding { severity: Severity::Error, address, message });
    }

    fn warn(&mut self, address: Option<u32>, message: String) {
        self.findings.push(Finding { severity: Severity::Warning, address, message });
    }

    /// Checks the sizes of tables, and the entry.
    fn sizes(&mut self) {
        let (words, descriptors) = (self.program.code.len(), self.program.descriptors.len());
        if words > MAX_CODE {
            self.error(None, format!("{words} instructions; the hardware has room for {MAX_CODE}"));
        }
        if descriptors > MAX_DESCRIPTORS {
            self.error(
                None,
                format!("{descriptors} operand descriptors; expected at most {MAX_DESCRIPTORS}"),
            );
        }
        let entry = self.shader.entry;
        if entry as usize >= words {
            self.error(
                None,
                format!("the entry {entry} is past the end of the program ({words} instructions)"),
            );
        }
        let depth = call_depth(self.program, self.shader.entry);
        match depth {
            Some(depth) if depth > CALL_DEPTH => {
                self.warn(None, format!("calls nest {depth} deep; the stack holds {CALL_DEPTH} returns"));
            }
            None => self.warn(None, "calls are recursive; the stack holds 4 returns".to_owned()),
            Some(_) => {}
        }
    }

    /// Checks one word.
    fn word(&mut self, address: u32) {
        let Some(inst) = self.program.inst(address) else {
            let word = self.program.code.get(address as usize).copied().unwrap_or_default();
            return self.error(Some(address), format!("the word {word:#010x} has no known opcode"));
        };
        let name = inst.opcode.desc().name;
        if inst.unused != 0 {
            self.warn(Some(address), format!("`{name}` has bits without a meaning: {:#010x}", inst.unused));
        }
        if let Some(index) = inst.descriptor().filter(|index| *index >= self.program.descriptors.len()) {
            let count = self.program.descriptors.len();
            self.error(Some(address), format!("descriptor {index} is missing; the program has {count}"));
        }
        self.operands(address, &inst);
        self.targets(address, &inst);
        let emits = matches!(inst.opcode, Opcode::Emit | Opcode::Setemit);
        if emits && self.shader.stage == Stage::Vertex {
            self.warn(Some(address), format!("`{name}` has no effect in a vertex shader"));
        }
        if inst.opcode == Opcode::Setemit && inst.get(crate::opcode::Field::Vertex) > 2 {
            self.error(Some(address), "vertex 3 is outside the buffer; expected 0 to 2".to_owned());
        }
    }

    /// Checks sources and comparisons.
    fn operands(&mut self, address: u32, inst: &Inst) {
        let mut inputs: Vec<u8> = (1..=3)
            .filter_map(|number| match inst.source(number) {
                Some(Source::Input(index)) => Some(index),
                _ => None,
            })
            .collect();
        inputs.dedup();
        if inputs.len() > 1 {
            self.warn(
                Some(address),
                "sources name different input registers, which is unreliable".to_owned(),
            );
        }
        if let Some(unknown) = (inst.opcode == Opcode::Cmp)
            .then(|| inst.comparisons())
            .and_then(|pair| pair.into_iter().find(|c| matches!(c, Compare::Always6 | Compare::Always7)))
        {
            let number = unknown.name();
            self.warn(
                Some(address),
                format!("comparison {number} is undocumented; it seems to be always true"),
            );
        }
        if inst.dest().is_some() && self.program.descriptor(inst).0 & 0xf == 0 {
            self.warn(Some(address), format!("`{}` writes no component", inst.opcode.desc().name));
        }
    }

    /// Checks targets.
    fn targets(&mut self, address: u32, inst: &Inst) {
        let words = self.program.code.len() as u32;
        let name = inst.opcode.desc().name;
        let (target, end) = match inst.opcode {
            Opcode::Jmpc | Opcode::Jmpu => (inst.target(), inst.target()),
            Opcode::Loop => (inst.target(), inst.target()),
            Opcode::Call | Opcode::Callc | Opcode::Callu | Opcode::Ifu | Opcode::Ifc => {
                (inst.target(), inst.range_end())
            }
            _ => return,
        };
        if target >= words || end > words {
            let message = format!("`{name}` extends to {}; the program has {words} words", end.max(target));
            self.error(Some(address), message);
        }
        if inst.opcode == Opcode::Loop && target <= address {
            self.error(
                Some(address),
                format!("the last instruction of the loop is {target}, before its body"),
            );
        }
    }

    /// Checks an instruction and the one before it.
    fn pair(&mut self, address: u32, before: Opcode, inst: &Inst) {
        if before == Opcode::Mova && inst.opcode == Opcode::Mova {
            self.warn(Some(address), "two `mova` in a row stop the hardware".to_owned());
        }
    }

    /// Checks outputs and named registers.
    fn interface(&mut self) {
        for output in &self.shader.outputs {
            if output.mask == 0 {
                let (name, register) = (output.semantic.name(), output.register);
                self.warn(None, format!("output {name} takes no component of o{register}"));
            }
        }
        for uniform in &self.shader.uniforms {
            if uniform.last < uniform.first || uniform.last > 0x87 {
                let (name, first, last) = (&uniform.name, uniform.first, uniform.last);
                self.warn(None, format!("`{name}` names the registers {first:#x} to {last:#x}"));
            }
        }
        let unused = self.program.descriptors.iter().position(|Descriptor(bits)| bits >> 31 != 0);
        if let Some(index) = unused {
            self.warn(None, format!("bit 31 of descriptor {index} is set; it has no known meaning"));
        }
    }
}

/// The deepest nesting of calls from `entry`; `None` if they are recursive.
fn call_depth(program: &Program, entry: u32) -> Option<usize> {
    // Depths only grow, so iterating beyond the depth of the stack means excessive nesting or recursion.
    let calls: Vec<(u32, Inst)> = (0..program.code.len() as u32)
        .filter_map(|address| program.inst(address).map(|inst| (address, inst)))
        .filter(|(_, inst)| matches!(inst.opcode, Opcode::Call | Opcode::Callc | Opcode::Callu))
        .collect();
    let mut ranges = vec![(entry, program.code.len() as u32)];
    let reached = reachable(program, entry);
    for depth in 0..=calls.len() {
        let inside = |address: u32| ranges.iter().any(|(start, end)| (*start..*end).contains(&address));
        let live = |address: u32| reached.get(address as usize).copied().unwrap_or(false);
        let mut next: Vec<(u32, u32)> = calls
            .iter()
            .filter(|(address, _)| live(*address) && inside(*address))
            .map(|(_, inst)| (inst.target(), inst.range_end()))
            .collect();
        if depth == 0 {
            // The main procedure ends where the first called range begins, if that follows it.
            let own = calls.iter().map(|(_, inst)| inst.target()).filter(|start| *start > entry).min();
            let own = own.unwrap_or(program.code.len() as u32);
            next = calls
                .iter()
                .filter(|(address, _)| live(*address) && (entry..own).contains(address))
                .map(|(_, inst)| (inst.target(), inst.range_end()))
                .collect();
        }
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Some(depth);
        }
        ranges = next;
    }
    None
}
