//! Values of the modifiers of IR operations: which input is interpolated, how and where; where a level of
//! detail comes from; how lanes are reduced. Front ends write them, passes read them.

use agx_abi::fragment::{CoefficientSource, Corner, Interpolation};
use agx_abi::vertex::Output;
use agx_isa::table::names::{REDUCTIONS, Reduction, Value as _};

/// The input that `interpolate` reads: the modifier `input`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input(pub u32);

impl Input {
    /// First number of the inputs that are not locations.
    const BUILT_IN: u32 = 1 << 16;
    /// 1/w.
    pub const ONE_OVER_W: Input = Input(Self::BUILT_IN);
    /// Depth.
    pub const DEPTH: Input = Input(Self::BUILT_IN + 1);
    /// Horizontal position within a point.
    pub const POINT_X: Input = Input(Self::BUILT_IN + 2);
    /// Vertical position within a point.
    pub const POINT_Y: Input = Input(Self::BUILT_IN + 3);
    /// The viewport index.
    pub const VIEWPORT: Input = Input(Self::BUILT_IN + 4);
    /// Number of the primitive.
    pub const PRIMITIVE_ID: Input = Input(Self::BUILT_IN + 5);
    /// Number of x of the position.
    const POSITION: u32 = Self::BUILT_IN + 8;
    /// Number of x of the position of a vertex.
    const CORNER_POSITION: u32 = Self::BUILT_IN + 11;
    /// One past w of the position of a vertex.
    const CORNER_POSITION_END: u32 = Self::BUILT_IN + 14;
    /// Number of the first clip distance.
    const CLIP_DISTANCE: u32 = Self::BUILT_IN + 16;
    /// Number of the first cull distance.
    const CULL_DISTANCE: u32 = Self::BUILT_IN + 32;
    /// One past the last cull distance.
    const END: u32 = Self::BUILT_IN + 48;

    /// A component of a location.
    pub fn user(location: u32, component: u32) -> Input {
        Input(4 * location + component)
    }

    /// Whether it is a component of a location.
    pub(crate) fn is_user(self) -> bool {
        self.0 < Self::BUILT_IN
    }

    /// The output of a vertex shader that it interpolates, if it is a component of a location.
    pub(crate) fn user_output(self) -> Option<Output> {
        self.is_user().then_some(Output::User { location: self.0 / 4, component: self.0 % 4 })
    }

    /// A clip distance.
    pub fn clip_distance(index: u32) -> Input {
        Input(Self::CLIP_DISTANCE + index % 16)
    }

    /// x, y and w of the clip-space position, by number 0 to 2.
    pub fn position(component: u32) -> Input {
        Input(Self::POSITION + component % 3)
    }

    /// x, y and w of the clip-space position of a vertex, by number 0 to 2.
    pub fn corner_position(component: u32) -> Input {
        Input(Self::CORNER_POSITION + component % 3)
    }

    /// A cull distance.
    pub fn cull_distance(index: u32) -> Input {
        Input(Self::CULL_DISTANCE + index % 16)
    }

    /// The contents of coefficient register `at`, counted from this input.
    pub(crate) fn source(self, at: u32, interpolation: Interpolation) -> Option<CoefficientSource> {
        let number = self.0 + at;
        Some(match number {
            0..Self::BUILT_IN => {
                CoefficientSource::User { location: number / 4, component: number % 4, interpolation }
            }
            Self::CLIP_DISTANCE..Self::CULL_DISTANCE => {
                CoefficientSource::ClipDistance(number - Self::CLIP_DISTANCE)
            }
            Self::POSITION..Self::CORNER_POSITION => CoefficientSource::Position(number - Self::POSITION),
            Self::CORNER_POSITION..Self::CORNER_POSITION_END => {
                let Interpolation::Corner(corner) = interpolation else { return None };
                CoefficientSource::CornerPosition { component: number - Self::CORNER_POSITION, corner }
            }
            Self::CULL_DISTANCE..Self::END => CoefficientSource::CullDistance(number - Self::CULL_DISTANCE),
            _ if at != 0 => return None,
            _ => match self {
                Input::ONE_OVER_W => CoefficientSource::OneOverW,
                Input::DEPTH => CoefficientSource::Depth,
                Input::POINT_X => CoefficientSource::PointX,
                Input::POINT_Y => CoefficientSource::PointY,
                Input::VIEWPORT => CoefficientSource::Viewport,
                Input::PRIMITIVE_ID => CoefficientSource::PrimitiveId,
                _ => return None,
            },
        })
    }
}

/// How `interpolate` interpolates: the modifier `mode`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The value of the provoking vertex.
    Flat = 0,
    /// Linear in screen space.
    Linear = 1,
    /// Perspective-correct.
    Perspective = 2,
    /// The value of the first vertex.
    First = 3,
    /// The value of the second vertex of a triangle.
    Second = 4,
    /// The value of the last vertex.
    Third = 5,
}

/// The interpolation that a modifier `mode` stands for.
pub(crate) fn interpolation(mode: u32) -> Interpolation {
    match mode {
        0 => Interpolation::Flat,
        1 => Interpolation::Linear,
        3 => Interpolation::Corner(Corner::First),
        4 => Interpolation::Corner(Corner::Second),
        5 => Interpolation::Corner(Corner::Third),
        _ => Interpolation::Perspective,
    }
}

impl Mode {
    /// Whether it is the value of one vertex.
    pub(crate) fn is_flat(self) -> bool {
        interpolation(self as u32).is_flat()
    }
}

/// Where in the pixel `interpolate` evaluates the input: the modifier `place`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The centre.
    Centre = 0,
    /// A covered position.
    Centroid = 1,
    /// A sample, by its number.
    Sample = 2,
    /// An offset to the right of and below the centre.
    Offset = 3,
}

/// Integer products, which the hardware cannot reduce.
pub(crate) const INTEGER_PRODUCT: Reduction = Reduction::new(REDUCTIONS.len() as u32);

/// The code of the reduction called `name`: the hardware's, or that of integer products, `imul`.
pub(crate) fn reduction_code(name: &str) -> Option<u32> {
    match name {
        "imul" => Some(INTEGER_PRODUCT.code()),
        _ => REDUCTIONS.iter().position(|known| *known == name).map(|code| code as u32),
    }
}
