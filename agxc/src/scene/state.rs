//! The state of draws: the meaning of the words in scene files.

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_compiler::link::{
    AdvancedBlend, AdvancedOp, AttributeKey, Blend, BlendOp, Blending, Equation, Factor, FragmentState,
    Overlap, Target,
};
use agx_emulator::launch::AttributeData;
use agx_emulator::{Comparison, Cull, Stencil, StencilOp, Tests, Topology};

use super::model::{self, Draw, Scene, VertexBuffer};

/// A sentence about an error in a scene, with its path.
pub type Wrong = String;

/// Names with their values, to choose by name.
pub type Names<T> = &'static [(&'static str, T)];

const COMPARISONS: Names<Comparison> = &[
    ("never", Comparison::Never),
    ("less", Comparison::Less),
    ("equal", Comparison::Equal),
    ("less_equal", Comparison::LessEqual),
    ("greater", Comparison::Greater),
    ("not_equal", Comparison::NotEqual),
    ("greater_equal", Comparison::GreaterEqual),
    ("always", Comparison::Always),
];
const STENCIL_OPS: Names<StencilOp> = &[
    ("keep", StencilOp::Keep),
    ("zero", StencilOp::Zero),
    ("replace", StencilOp::Replace),
    ("increment_clamp", StencilOp::IncrementClamp),
    ("decrement_clamp", StencilOp::DecrementClamp),
    ("invert", StencilOp::Invert),
    ("increment_wrap", StencilOp::IncrementWrap),
    ("decrement_wrap", StencilOp::DecrementWrap),
];
const TOPOLOGIES: Names<Topology> =
    &[("triangles", Topology::Triangles), ("lines", Topology::Lines), ("points", Topology::Points)];
const CULLS: Names<Cull> = &[("none", Cull::None), ("front", Cull::Front), ("back", Cull::Back)];
const FORMATS: Names<ColourFormat> =
    &[("R8G8B8A8_UNORM", ColourFormat::Rgba8Unorm), ("R8G8B8A8_SRGB", ColourFormat::Rgba8Srgb)];
const OPS: Names<BlendOp> = &[
    ("add", BlendOp::Add),
    ("subtract", BlendOp::Subtract),
    ("reverse_subtract", BlendOp::ReverseSubtract),
    ("min", BlendOp::Min),
    ("max", BlendOp::Max),
];
const OVERLAPS: Names<Overlap> = &[
    ("uncorrelated", Overlap::Uncorrelated),
    ("disjoint", Overlap::Disjoint),
    ("conjoint", Overlap::Conjoint),
];
const FACTORS: Names<Factor> = &[
    ("zero", Factor::Zero),
    ("one", Factor::One),
    ("source", Factor::Source),
    ("one_minus_source", Factor::OneMinusSource),
    ("destination", Factor::Destination),
    ("one_minus_destination", Factor::OneMinusDestination),
    ("source_alpha", Factor::SourceAlpha),
    ("one_minus_source_alpha", Factor::OneMinusSourceAlpha),
    ("destination_alpha", Factor::DestinationAlpha),
    ("one_minus_destination_alpha", Factor::OneMinusDestinationAlpha),
    ("constant", Factor::Constant),
    ("one_minus_constant", Factor::OneMinusConstant),
    ("constant_alpha", Factor::ConstantAlpha),
    ("one_minus_constant_alpha", Factor::OneMinusConstantAlpha),
    ("source_alpha_saturate", Factor::SourceAlphaSaturate),
    ("second", Factor::Second),
    ("one_minus_second", Factor::OneMinusSecond),
    ("second_alpha", Factor::SecondAlpha),
    ("one_minus_second_alpha", Factor::OneMinusSecondAlpha),
];

/// Alignment of buffers in scene files: every buffer begins at a page.
const BUFFER_ALIGNMENT: u32 = 4096;

/// The value called `name`; `at` is its path in the file.
pub fn choose<T: Copy>(at: &str, what: &str, name: &str, names: Names<T>) -> Result<T, Wrong> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("{at}: unknown {what} `{name}`; expected one of {}", known.join(", "))
    })
}

impl Scene {
    /// The format of the picture.
    pub fn picture_format(&self) -> Result<ColourFormat, Wrong> {
        choose("format", "format of pictures", &self.format, FORMATS)
    }
}

/// A vertex attribute and its buffer.
pub struct Source {
    key: AttributeKey,
    offset: usize,
    /// Number of the buffer.
    buffer: usize,
}

/// The attributes of a draw.
pub struct Sources(Vec<Source>);

impl Sources {
    /// The attribute at a location.
    pub fn key(&self, location: u32) -> Option<AttributeKey> {
        self.0.iter().find(|source| source.key.location == location).map(|source| source.key)
    }

    /// The data of the attribute at a location, or of one that begins at the previous location and continues here.
    pub fn data<'d>(&self, location: u32, buffers: &'d [Vec<u8>]) -> AttributeData<'d> {
        let at = |location: u32| self.0.iter().find(|source| source.key.location == location);
        let before = || at(location.checked_sub(1)?).filter(|source| source.key.format.locations() == 2);
        at(location).or_else(before).map_or_else(AttributeData::default, |source| AttributeData {
            bytes: buffers.get(source.buffer).map_or(&[], Vec::as_slice),
            offset: source.offset,
            stride: source.key.stride as usize,
            element_bytes: source.key.format.bytes.into(),
        })
    }
}

impl Draw {
    /// The primitives that the vertices form.
    pub fn shapes(&self, at: &str) -> Result<Topology, Wrong> {
        let name = self.topology.as_deref().unwrap_or("triangles");
        choose(&format!("{at}.topology"), "topology", name, TOPOLOGIES)
    }

    /// Faces that are not drawn.
    pub fn culled(&self, at: &str) -> Result<Cull, Wrong> {
        choose(&format!("{at}.cull"), "cull mode", self.cull.as_deref().unwrap_or("none"), CULLS)
    }

    /// The attributes of the draw.
    pub fn sources(&self, at: &str) -> Result<Sources, Wrong> {
        let mut sources = Vec::new();
        for (number, buffer) in self.vertex_buffers.iter().enumerate() {
            for (index, attribute) in buffer.attributes.iter().enumerate() {
                let key = attribute_key(buffer, attribute)
                    .map_err(|why| format!("{at}.vertex_buffers[{number}].attributes[{index}]: {why}"))?;
                let offset = attribute.offset as usize;
                sources.push(Source { key, offset, buffer: number });
            }
        }
        Ok(Sources(sources))
    }

    /// The state on which the fragment program depends.
    pub fn state(&self, at: &str, format: ColourFormat, samples: u8) -> Result<FragmentState, Wrong> {
        let mut target = Target::new(format);
        if let Some(mask) = &self.write_mask {
            target.write_mask = write_mask(at, mask)?;
        }
        target.blend =
            self.blend.as_ref().map(|blend| blending(&format!("{at}.blend"), blend)).transpose()?;
        let mut state = FragmentState::default();
        state.samples = samples;
        state.alpha_to_coverage = self.alpha_to_coverage;
        state.sample_mask = self.sample_mask.unwrap_or(0xff);
        state.targets[0] = Some(target);
        Ok(state)
    }

    /// Depth and stencil tests.
    pub fn tests(&self, at: &str) -> Result<Tests, Wrong> {
        let mut tests = Tests::default();
        if let Some(depth) = &self.depth {
            tests.depth = choose(&format!("{at}.depth.compare"), "comparison", &depth.compare, COMPARISONS)?;
            tests.depth_write = depth.write;
        }
        if let Some(stencil) = &self.stencil {
            tests.front = stencil_test(&format!("{at}.stencil"), stencil)?;
            tests.back = tests.front;
        }
        Ok(tests)
    }
}

/// The components whose letters are given, bit 0 red.
pub fn write_mask(at: &str, letters: &str) -> Result<u8, Wrong> {
    letters.chars().try_fold(0, |mask, letter| {
        let place = "rgba".find(letter);
        let place = place
            .ok_or_else(|| format!("{at}.write_mask: unknown component `{letter}`; expected r, g, b or a"))?;
        Ok(mask | 1 << place)
    })
}

fn attribute_key(buffer: &VertexBuffer, attribute: &model::Attribute) -> Result<AttributeKey, Wrong> {
    let format = VertexFormat::from_name(&attribute.format)
        .ok_or_else(|| format!("unknown vertex attribute format `{}`", attribute.format))?;
    // The lowest bit set in the offset limits the alignment of the address.
    let alignment = 1 << (attribute.offset | BUFFER_ALIGNMENT).trailing_zeros();
    let VertexBuffer { stride, divisor, .. } = *buffer;
    let location = attribute.location;
    Ok(AttributeKey { location, format, stride, divisor, alignment, exact: false })
}

fn stencil_test(at: &str, stencil: &model::Stencil) -> Result<Stencil, Wrong> {
    let op =
        |field: &str, name: &str| choose(&format!("{at}.{field}"), "stencil operation", name, STENCIL_OPS);
    Ok(Stencil {
        compare: choose(&format!("{at}.compare"), "comparison", &stencil.compare, COMPARISONS)?,
        reference: stencil.reference,
        read_mask: stencil.read_mask,
        write_mask: stencil.write_mask,
        fail: op("fail", &stencil.fail)?,
        depth_fail: op("depth_fail", &stencil.depth_fail)?,
        pass: op("pass", &stencil.pass)?,
    })
}

/// How colours are blended.
pub fn blending(at: &str, blend: &model::Blend) -> Result<Blending, Wrong> {
    match (&blend.colour, &blend.alpha, &blend.advanced) {
        (None, None, Some(blend)) => advanced(&format!("{at}.advanced"), blend),
        (Some(colour), alpha, None) => {
            let colour = equation(&format!("{at}.colour"), colour)?;
            let alpha = alpha.as_ref().map_or(Ok(colour), |alpha| equation(&format!("{at}.alpha"), alpha))?;
            Ok(Blend { colour, alpha }.into())
        }
        (None, _, None) => Err(format!("{at}: expected `colour` or `advanced`")),
        _ => Err(format!("{at}: `advanced` excludes `colour` and `alpha`")),
    }
}

fn advanced(at: &str, blend: &model::Advanced) -> Result<Blending, Wrong> {
    let op = AdvancedOp::from_name(&blend.op).ok_or_else(|| {
        let known: Vec<&str> = AdvancedOp::ALL.iter().map(|op| op.name()).collect();
        format!(
            "{at}.op: unknown advanced blend operation `{}`; expected one of {}",
            blend.op,
            known.join(", ")
        )
    })?;
    Ok(AdvancedBlend {
        source_premultiplied: blend.source_premultiplied,
        destination_premultiplied: blend.destination_premultiplied,
        overlap: choose(&format!("{at}.overlap"), "overlap", &blend.overlap, OVERLAPS)?,
        ..AdvancedBlend::new(op)
    }
    .into())
}

fn equation(at: &str, equation: &model::Equation) -> Result<Equation, Wrong> {
    Ok(Equation {
        source: choose(&format!("{at}.source"), "blend factor", &equation.source, FACTORS)?,
        destination: choose(&format!("{at}.destination"), "blend factor", &equation.destination, FACTORS)?,
        op: choose(&format!("{at}.op"), "blend operation", &equation.op, OPS)?,
    })
}
