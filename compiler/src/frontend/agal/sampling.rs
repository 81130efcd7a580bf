//! Texture instructions.

use agx_abi::Stage;
use agx_abi::agal::{SamplerState, TEXTURE_SET, VERTEX_TEXTURE_SET};
use agx_agal::{Dimension, Filter, Mip, SamplerSettings, TextureUse, Wrap};

use super::options::Options;
use super::registers::Vector;
use crate::error::CompileError;
use crate::frontend::kit::Kit;
use crate::frontend::kit::sampling::{self, Dim, Lod, Sample, Shape};
use crate::frontend::kit::textures::Handle;
use crate::ir::Src;

/// The texel at `coordinates`.
pub(super) fn sample(
    kit: &mut Kit<'_, '_>,
    texture: &TextureUse,
    coordinates: &Vector,
    options: &Options,
) -> Result<Vector, CompileError> {
    let settings = options.settings(texture);
    let binding = u32::from(texture.register);
    let set = if kit.stage == Stage::Vertex { VERTEX_TEXTURE_SET } else { TEXTURE_SET };
    let place = Handle::new(set, binding);
    let sampler = Handle { fixed: state(&settings).element(), ..place };
    let dim = match settings.dimension {
        Dimension::D2 => Dim::D2,
        Dimension::Cube => Dim::Cube,
        Dimension::D3 => Dim::D3,
    };
    let shape = Shape::texture(dim);
    let coords = coordinates.iter().take(shape.axes()).copied().collect();
    let level = level(kit.stage, &settings);
    Ok(sampling::sample(kit, place, sampler, &Sample::new(shape, coords, level))?.components)
}

/// The level of detail. If only one level is used, it does not depend on neighbouring lanes. Vertices have no
/// neighbours: their level is the bias.
fn level(stage: Stage, settings: &SamplerSettings) -> Lod {
    let one_level = settings.mip == Mip::None && matches!(settings.filter, Filter::Nearest | Filter::Linear);
    if one_level && !settings.ignored {
        Lod::Explicit(Src::f32(0.0))
    } else if stage == Stage::Vertex {
        Lod::Explicit(Src::f32(settings.bias().max(0.0)))
    } else if settings.bias_eighths != 0 {
        Lod::Bias(Src::f32(settings.bias()))
    } else {
        Lod::Quad
    }
}

/// The sampler state that the driver must bind.
fn state(settings: &SamplerSettings) -> SamplerState {
    if settings.ignored {
        return SamplerState::Application;
    }
    let filter = match settings.filter {
        Filter::Nearest => 0,
        Filter::Linear => 1,
        Filter::Anisotropic(samples) => (samples.ilog2() as u8).saturating_add(1),
    };
    let mip = match settings.mip {
        Mip::None => 0,
        Mip::Nearest => 1,
        Mip::Linear => 2,
    };
    let wrap = match settings.wrap {
        Wrap::Clamp => 0,
        Wrap::Repeat => 1,
        Wrap::ClampRepeat => 2,
        Wrap::RepeatClamp => 3,
    };
    SamplerState::Token { filter, mip, wrap }
}
