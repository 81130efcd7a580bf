//! The IR of end-of-tile programs: a block store for each target.
//!
//! One lane runs for a tile. The store takes the block of the tile itself from implicit coordinates; the register of the
//! coordinates holds the layer, above 16 bits for the sample where pixels have several (Mesa 26.1).

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

/// Where the layer stands in the register of the coordinates, above the sample.
const LAYER_SHIFT: u32 = 16;

/// Builds the program that stores `stored`; the targets it stores, bit 0 the first.
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

/// The register of the coordinates.
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
