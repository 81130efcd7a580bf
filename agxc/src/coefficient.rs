//! Inputs of fragment shaders as JSON: written with the shader's information, read as `fragment_inputs` of a key.

use agx_abi::fragment::{CoefficientSource, Corner, Interpolation};
use serde::{Deserialize, Serialize};

/// The source of a coefficient register.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoefficientFile {
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    location: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    component: Option<u32>,
    /// Number of the distance, or 0 to 2 of x, y and w of a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    /// Interpolation; only for locations and positions of vertices, because the other kinds determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interpolation: Option<InterpolationName>,
}

/// The kind of a source. Sources that are vertex outputs have the names of the outputs.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    OneOverW,
    Depth,
    PointX,
    PointY,
    Viewport,
    PrimitiveId,
    ReadClipDistance,
    CullDistance,
    Culled,
    User,
    Position,
    CornerPosition,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum InterpolationName {
    Flat,
    Linear,
    Perspective,
    First,
    Second,
    Third,
}

impl From<Interpolation> for InterpolationName {
    fn from(interpolation: Interpolation) -> InterpolationName {
        match interpolation {
            Interpolation::Flat => InterpolationName::Flat,
            Interpolation::Linear => InterpolationName::Linear,
            Interpolation::Perspective => InterpolationName::Perspective,
            Interpolation::Corner(Corner::First) => InterpolationName::First,
            Interpolation::Corner(Corner::Second) => InterpolationName::Second,
            Interpolation::Corner(Corner::Third) => InterpolationName::Third,
        }
    }
}

impl From<InterpolationName> for Interpolation {
    fn from(name: InterpolationName) -> Interpolation {
        match name {
            InterpolationName::Flat => Interpolation::Flat,
            InterpolationName::Linear => Interpolation::Linear,
            InterpolationName::Perspective => Interpolation::Perspective,
            InterpolationName::First => Interpolation::Corner(Corner::First),
            InterpolationName::Second => Interpolation::Corner(Corner::Second),
            InterpolationName::Third => Interpolation::Corner(Corner::Third),
        }
    }
}

impl From<CoefficientSource> for CoefficientFile {
    fn from(source: CoefficientSource) -> CoefficientFile {
        let (kind, index) = match source {
            CoefficientSource::OneOverW => (Kind::OneOverW, None),
            CoefficientSource::Depth => (Kind::Depth, None),
            CoefficientSource::PointX => (Kind::PointX, None),
            CoefficientSource::PointY => (Kind::PointY, None),
            CoefficientSource::Viewport => (Kind::Viewport, None),
            CoefficientSource::PrimitiveId => (Kind::PrimitiveId, None),
            CoefficientSource::ClipDistance(index) => (Kind::ReadClipDistance, Some(index)),
            CoefficientSource::CullDistance(index) => (Kind::CullDistance, Some(index)),
            CoefficientSource::Culled(index) => (Kind::Culled, Some(index)),
            CoefficientSource::User { .. } => (Kind::User, None),
            CoefficientSource::Position(component) => (Kind::Position, Some(component)),
            CoefficientSource::CornerPosition { component, .. } => (Kind::CornerPosition, Some(component)),
        };
        let (location, component) = match source {
            CoefficientSource::User { location, component, .. } => (Some(location), Some(component)),
            _ => (None, None),
        };
        CoefficientFile {
            kind,
            location,
            component,
            index,
            interpolation: Some(source.interpolation().into()),
        }
    }
}

impl CoefficientFile {
    /// The source.
    ///
    /// # Errors
    /// A field that is missing, or contradicts the kind.
    pub fn read(&self) -> Result<CoefficientSource, &'static str> {
        let index = self.index.ok_or("`index` is missing");
        let source = match self.kind {
            Kind::OneOverW => CoefficientSource::OneOverW,
            Kind::Depth => CoefficientSource::Depth,
            Kind::PointX => CoefficientSource::PointX,
            Kind::PointY => CoefficientSource::PointY,
            Kind::Viewport => CoefficientSource::Viewport,
            Kind::PrimitiveId => CoefficientSource::PrimitiveId,
            Kind::ReadClipDistance => CoefficientSource::ClipDistance(index?),
            Kind::CullDistance => CoefficientSource::CullDistance(index?),
            Kind::Culled => CoefficientSource::Culled(index?),
            Kind::Position => CoefficientSource::Position(index?),
            Kind::CornerPosition => match self.interpolation.map(Interpolation::from) {
                Some(Interpolation::Corner(corner)) => {
                    CoefficientSource::CornerPosition { component: index?, corner }
                }
                _ => return Err("`interpolation` must name a vertex"),
            },
            Kind::User => CoefficientSource::User {
                location: self.location.ok_or("`location` is missing")?,
                component: self.component.filter(|at| *at < 4).ok_or("`component` must be 0 to 3")?,
                interpolation: self.interpolation.ok_or("`interpolation` is missing")?.into(),
            },
        };
        match self.interpolation {
            Some(given) if given != source.interpolation().into() => {
                Err("`interpolation` contradicts the kind")
            }
            _ => Ok(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_survives_its_json() {
        let user = |interpolation| CoefficientSource::User { location: 3, component: 1, interpolation };
        let sources = [
            CoefficientSource::OneOverW,
            CoefficientSource::Depth,
            CoefficientSource::PointX,
            CoefficientSource::PointY,
            CoefficientSource::Viewport,
            CoefficientSource::PrimitiveId,
            CoefficientSource::ClipDistance(1),
            CoefficientSource::CullDistance(2),
            CoefficientSource::Culled(3),
            user(Interpolation::Flat),
            user(Interpolation::Linear),
            user(Interpolation::Perspective),
            user(Interpolation::Corner(Corner::Second)),
            CoefficientSource::Position(2),
            CoefficientSource::CornerPosition { component: 1, corner: Corner::Third },
        ];
        for source in sources {
            let text = serde_json::to_string(&CoefficientFile::from(source)).unwrap();
            let read: CoefficientFile = serde_json::from_str(&text).unwrap();
            assert_eq!(read.read(), Ok(source), "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_contradicts_is_named() {
        let cases = [
            (r#"{"kind": "culled"}"#, "`index` is missing"),
            (r#"{"kind": "user", "component": 0, "interpolation": "flat"}"#, "`location` is missing"),
            (r#"{"kind": "user", "location": 0, "component": 4}"#, "`component` must be 0 to 3"),
            (r#"{"kind": "user", "location": 0, "component": 3}"#, "`interpolation` is missing"),
            (r#"{"kind": "depth", "interpolation": "flat"}"#, "`interpolation` contradicts the kind"),
        ];
        for (text, expected) in cases {
            let read: CoefficientFile = serde_json::from_str(text).unwrap();
            assert_eq!(read.read(), Err(expected), "{text}");
        }
    }
}
