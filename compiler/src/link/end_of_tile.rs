//! Builds the IR of end-of-tile programs: a block store for each target.
//!
//! One lane runs per tile. The store addresses the block of the tile by implicit coordinates; the coordinate
//! register holds the layer, in bits 16 and up, above the sample of multisampled pixels (Mesa 26.1).

use agx_abi::pass;
use agx_abi::tile::ColourFormat;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::{Format, Value as _};

use super::background::dimension;
use super::pass_targets::PassTargets;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, Builder, Function, Src, Type};

/// Bit position of the layer in the coordinate register, above the sample.
const LAYER_SHIFT: u32 = 16;

/// Builds the program that stores `stored`; returns the mask of stored targets, bit 0 the first.
pub(super) fn build(
    f: &mut Function<'_>,
    targets: &PassTargets,
    stored: impl Iterator<Item = (u32, ColourFormat)>,
) -> u8 {
    let mut b = Builder::start(f);
    let layout = targets.layout();
    let multisampled = targets.samples > 1;
    let coords = layer(&mut b, targets);
    let mut bound = 0;
    for (target, format) in stored {
        let Some(offset) = layout.offsets.get(target as usize).copied().flatten() else { continue };
        bound |= 1 << target;
        let access = mods(Opcode::Imgwblk)
            .with(key::FORMAT, Format::from_code(format.desc().tile.code()))
            .with(key::DIM, dimension(targets.layered, multisampled));
        let texture = Src::imm(pass::state_register(target).into(), 16);
        let srcs = [Src::imm(offset.into(), 16), coords, Src::imm(0, 16), texture, Src::NONE];
        b.effect(Opcode::Imgwblk, &srcs, &access);
    }
    b.finish();
    bound
}

/// The coordinate register.
fn layer(b: &mut Builder<'_, '_>, targets: &PassTargets) -> Src {
    if !targets.layered {
        return Src::imm32(0);
    }
    let register = mods(Opcode::Mfsr).with(key::SR, Sr::GROUP_Z);
    let layer = b.value(Opcode::Mfsr, Type::B32, &[], &register).into();
    match targets.samples {
        1 => layer,
        _ => b.shl(layer, Src::imm32(LAYER_SHIFT)),
    }
}
