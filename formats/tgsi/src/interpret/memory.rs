//! Buffers, images, memory, and exchange between the invocations of a subgroup.

use super::{Address, Machine, Resource, SUBGROUP, Vector};
use crate::model::Instruction;
use crate::names::File;
use crate::opcode::{Class, Opcode};

/// Bytes of a word.
const WORD: u32 = 4;

impl Machine<'_, '_> {
    /// LOAD, STORE, ATOM*, RESQ and handles.
    pub(super) fn access(&mut self, instruction: &Instruction, active: &[usize]) {
        for lane in active.iter().copied() {
            match instruction.opcode.info().class {
                Class::Load => self.load(lane, instruction),
                Class::Store => self.write(lane, instruction),
                Class::Atomic => self.atomic(lane, instruction),
                class => {
                    let resource = self.source_resource(lane, instruction);
                    let value = match class {
                        Class::Query => swizzled(instruction, self.world.size(resource)),
                        _ => [resource.number, 0, 0, 0],
                    };
                    self.store(lane, instruction, 0, value);
                }
            }
        }
    }

    fn source_resource(&self, lane: usize, instruction: &Instruction) -> Resource {
        match instruction.srcs.first() {
            Some(src) => self.resource(lane, src.file, src.dimension, src.index),
            None => Resource { file: File::Null, buffer: 0, number: 0 },
        }
    }

    /// The address of a load or atomic. Counters are addressed in words from their register on.
    fn source_address(&self, lane: usize, instruction: &Instruction) -> Address {
        let mut resource = self.source_resource(lane, instruction);
        let mut at = self.fetch(lane, instruction, 1);
        if resource.file == File::HwAtomic {
            at = [resource.number.wrapping_add(at[0]).wrapping_mul(WORD), 0, 0, 0];
            resource.number = 0;
        }
        Address { resource, at }
    }

    fn load(&mut self, lane: usize, instruction: &Instruction) {
        let address = self.source_address(lane, instruction);
        let value = match address.resource.file {
            File::Constant | File::ConstantBuffer => self.load_constant(address),
            _ => self.world.load(lane, address),
        };
        self.store(lane, instruction, 0, swizzled(instruction, value));
    }

    /// Four words of a constant buffer at a byte address.
    fn load_constant(&self, address: Address) -> Vector {
        std::array::from_fn(|component| {
            let word = address.at[0] / WORD + component as u32;
            self.world.constant(address.resource.number, i64::from(word / 4))[word as usize % 4]
        })
    }

    fn write(&mut self, lane: usize, instruction: &Instruction) {
        let Some(dst) = instruction.dsts.first() else { return };
        let resource = self.resource(lane, dst.file, dst.dimension, dst.index);
        let (at, value) = (self.fetch(lane, instruction, 0), self.fetch(lane, instruction, 1));
        if !self.lanes[lane].is_helper {
            self.world.store(lane, Address { resource, at }, dst.mask, value);
        }
    }

    fn atomic(&mut self, lane: usize, instruction: &Instruction) {
        let address = self.source_address(lane, instruction);
        let [operand, other] = [2, 3].map(|number| self.fetch(lane, instruction, number)[0]);
        if self.lanes[lane].is_helper {
            return;
        }
        let opcode = instruction.opcode;
        let update = |old: u32| updated(opcode, old, operand, other);
        let old = self.world.atomic(lane, address, &update);
        self.store(lane, instruction, 0, [old; 4]);
    }

    /// VOTE_*, BALLOT, READ_*.
    pub(super) fn exchange(&mut self, instruction: &Instruction, active: &[usize]) {
        let values: Vec<Vector> =
            (0..self.lanes.len()).map(|lane| self.fetch(lane, instruction, 0)).collect();
        let results: Vec<Vector> = active
            .iter()
            .map(|lane| {
                let group = lane / SUBGROUP;
                let peers: Vec<usize> =
                    active.iter().copied().filter(|peer| peer / SUBGROUP == group).collect();
                let other = group * SUBGROUP + self.fetch(*lane, instruction, 1)[0] as usize % SUBGROUP;
                exchanged(instruction.opcode, &values, &peers, other)
            })
            .collect();
        for (lane, value) in active.iter().zip(results) {
            self.store(*lane, instruction, 0, value);
        }
    }
}

/// Applies the swizzle of the resource operand.
fn swizzled(instruction: &Instruction, value: Vector) -> Vector {
    let swizzle = instruction.srcs.first().map_or(crate::model::IDENTITY, |src| src.swizzle);
    swizzle.map(|component| value[usize::from(component)])
}

/// The new value of an atomic operation.
fn updated(opcode: Opcode, old: u32, operand: u32, other: u32) -> u32 {
    use Opcode::*;
    match opcode {
        Atomuadd => old.wrapping_add(operand),
        Atomfadd => (f32::from_bits(old) + f32::from_bits(operand)).to_bits(),
        Atomxchg => operand,
        Atomcas => {
            if old == operand {
                other
            } else {
                old
            }
        }
        Atomand => old & operand,
        Atomor => old | operand,
        Atomxor => old ^ operand,
        Atomumin => old.min(operand),
        Atomumax => old.max(operand),
        Atomimin => (old as i32).min(operand as i32) as u32,
        Atomimax => (old as i32).max(operand as i32) as u32,
        AtomincWrap => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        AtomdecWrap => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        _ => old,
    }
}

fn exchanged(opcode: Opcode, values: &[Vector], peers: &[usize], other: usize) -> Vector {
    let first = |lane: usize| values.get(lane).copied().unwrap_or_default();
    let truth = |value: bool| [if value { u32::MAX } else { 0 }; 4];
    let of_peers = || peers.iter().map(|peer| first(*peer)[0]);
    match opcode {
        Opcode::VoteAny => truth(of_peers().any(|value| value != 0)),
        Opcode::VoteAll => truth(of_peers().all(|value| value != 0)),
        Opcode::VoteEq => truth(of_peers().all(|value| Some(value) == of_peers().next())),
        Opcode::Ballot => {
            let set = peers.iter().filter(|peer| first(**peer)[0] != 0);
            [set.fold(0, |mask, peer| mask | 1 << (peer % SUBGROUP)), 0, 0, 0]
        }
        Opcode::ReadFirst => peers.first().map_or([0; 4], |peer| first(*peer)),
        _ => first(other),
    }
}
