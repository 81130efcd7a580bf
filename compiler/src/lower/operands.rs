//! Legalises operands: makes every source of a hardware instruction encodable.
//!
//! Constants that do not fit are loaded into registers, once per block; uniforms that an operand cannot
//! address are copied (Mesa 25.0's table of legal uniform sources is in the rows of the instruction table).
//!
//! Before: stage selected. After: stage machine.

use agx_isa::desc::{OperandDesc, Role};
use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::texture::lod_mode_for;
use crate::error::CompileError;
use crate::ir::key;
use crate::ir::machine::is_legal_source;
use crate::ir::op::mods;
use crate::ir::rewrite::map_some;
use crate::ir::{
    Block, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, Src, SrcKind, Type, Value,
};

/// Loads constants and copies uniforms where operands cannot encode them.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_operands(f: &mut Function<'_>) -> Result<(), CompileError> {
    let mut legalizer = Legalizer { block: None, loaded: HashMap::with_hasher(FxBuildHasher) };
    map_some(f, may_change, |r, inst| legalizer.legalize(r, inst));
    Ok(())
}

/// Whether an instruction may have an operand that cannot be encoded, or a form that depends on its operands.
fn may_change(data: &InstData<'_>) -> bool {
    let Op::Hw(op) = data.op else { return false };
    let may_be_illegal = |(src, (_, operand)): (&Src, (usize, &OperandDesc))| {
        src.kind != SrcKind::Value && (operand.name == "texture" || !is_legal_source(operand, *src))
    };
    let reads_others = data.srcs.iter().any(|src| src.kind != SrcKind::Value);
    reads_others && data.srcs.iter().zip(op.desc().with_role(Role::Src)).any(may_be_illegal)
        || op_lod_mode(op).is_some()
}

/// Index of the level of detail among the sources of texture instructions.
const LOD_SOURCE: usize = 1;

/// Index of the level-of-detail mode among the modifiers of texture instructions; `None` for others.
fn op_lod_mode(op: Opcode) -> Option<usize> {
    matches!(op, Opcode::Smpf | Opcode::Smpi).then(|| Op::Hw(op).mod_index("lod_mode")).flatten()
}

/// Whether an instruction names its texture by an offset into a table.
fn has_table(op: Opcode, srcs: &[Src]) -> bool {
    let mut operands = op.desc().with_role(Role::Src).zip(srcs);
    operands.any(|((_, operand), src)| operand.name == "heap" && src.kind != SrcKind::None)
}

struct Legalizer {
    block: Option<Block>,
    /// Registers that hold a constant or uniform in this block.
    loaded: HashMap<Src, Value, FxBuildHasher>,
}

impl Legalizer {
    fn legalize(&mut self, r: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        let data = r.f.insts[inst];
        let Op::Hw(op) = data.op else { return Rewrite::Keep };
        if self.block != Some(r.block) {
            self.block = Some(r.block);
            self.loaded.clear();
        }
        self.prefer_subtraction(r, inst, op);
        let data = r.f.insts[inst];
        let bump = r.f.bump;
        let mut changed: Option<&mut [Src]> = None;
        for (index, (src, (_, operand))) in data.srcs.iter().zip(op.desc().with_role(Role::Src)).enumerate() {
            // A constant texture operand is a state register; an offset into a table is never an immediate.
            let is_offset =
                || operand.name == "texture" && src.kind == SrcKind::Imm && has_table(op, data.srcs);
            if is_legal_source(operand, *src) && !is_offset() {
                continue;
            }
            let srcs = changed.get_or_insert_with(|| bump.alloc_slice_copy(data.srcs));
            srcs[index] = Src { flags: src.flags, ..Src::value(self.in_register(r, src.plain())) };
        }
        let mut srcs = data.srcs;
        if let Some(changed) = changed {
            srcs = changed;
            r.f.insts[inst].srcs = srcs;
        }
        if let (Some(mode), Some(lod)) = (op_lod_mode(op), srcs.get(LOD_SOURCE)) {
            let mods = r.f.bump.alloc_slice_copy(data.mods);
            mods[mode] = lod_mode_for(mods[mode], lod.kind);
            r.f.insts[inst].mods = mods;
        }
        Rewrite::Keep
    }

    /// Adding a small negative constant becomes subtracting a positive one, which fits the operand.
    fn prefer_subtraction(&self, r: &mut Rewriter<'_, '_>, inst: Inst, op: Opcode) {
        let data = r.f.insts[inst];
        let other = match op {
            Opcode::Iadd => Opcode::Isub,
            Opcode::Isub => Opcode::Iadd,
            _ => return,
        };
        let (width, saturates) = (data.dst().map_or(0, |dst| r.f.ty(dst).bits), data.get(key::SAT));
        let [a, b] = [data.srcs[0], data.srcs[1]];
        let commutes = op == Opcode::Iadd && a.as_imm().is_some() && data.get(key::SHIFT) == 0;
        let (a, b) = if commutes { (b, a) } else { (a, b) };
        let Some(imm) = b.as_imm().filter(|_| b.bits == width && width <= 32 && !saturates) else { return };
        let negated = imm.wrapping_neg() & ((1 << width) - 1);
        if imm > 0xff && (1..=0xff).contains(&negated) {
            r.f.insts[inst].op = other.into();
            r.f.insts[inst].srcs = r.f.alloc(&[a, Src::imm(negated, width)]);
        }
    }

    /// A register that holds `src`, a constant or uniform.
    fn in_register(&mut self, r: &mut Rewriter<'_, '_>, src: Src) -> Value {
        if let Some(value) = self.loaded.get(&src) {
            return *value;
        }
        let value = match (src.kind, src.bits) {
            (SrcKind::Imm, 64) => {
                let halves = [src.payload & 0xffff_ffff, src.payload >> 32].map(|half| Src::imm(half, 32));
                self.pair(r, halves)
            }
            (SrcKind::Uniform, 64) => {
                let start = src.payload as u16;
                self.pair(r, [Src::uniform(start, 32), Src::uniform(start + 2, 32)])
            }
            (SrcKind::Imm, 32) => r.value(Opcode::Ldimm32, Type::B32, &[src], &mods(Opcode::Ldimm32)),
            (SrcKind::Imm, _) => r.value(Opcode::Ldimm16, Type::B16, &[src], &mods(Opcode::Ldimm16)),
            _ => {
                let mods = mods(Opcode::Bitop).with(key::TABLE, Truth::FIRST);
                r.value(Opcode::Bitop, Type::scalar(src.bits), &[src, Src::imm(0, 16)], &mods)
            }
        };
        self.loaded.insert(src, value);
        value
    }

    fn pair(&mut self, r: &mut Rewriter<'_, '_>, halves: [Src; 2]) -> Value {
        let halves = halves.map(|half| Src::value(self.in_register(r, half)));
        r.value(IrOp::Collect, Type::B64, &halves, &[])
    }
}
