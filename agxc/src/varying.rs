//! Output slots and the joining of geometry shaders as JSON: written with a shader's information, read as `geometry`
//! of a key.

use agx_abi::vertex::{Output, Varying};
use agx_compiler::GeometryKey;
use serde::{Deserialize, Serialize};

/// An output slot.
#[derive(Serialize, Deserialize)]
pub struct VaryingFile {
    slot: u16,
    #[serde(flatten)]
    output: OutputFile,
}

/// Defines the JSON of an enum whose fields are words, and both conversions: its attributes, its name, that of the enum, and
/// the variants as in the enum.
macro_rules! mirrored {
    ($(#[$meta:meta])* $file:ident $type:ident; $($name:ident $(($inner:ident))? $({ $($field:ident),* })?;)*) => {
        #[derive(Serialize, Deserialize)]
        $(#[$meta])*
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum $file {
            $($name $({ $inner: u32 })? $({ $($field: u32),* })?,)*
        }

        impl From<$type> for $file {
            fn from(value: $type) -> $file {
                match value {
                    $($type::$name $(($inner))? $({ $($field),* })? =>
                        $file::$name $({ $inner })? $({ $($field),* })?,)*
                }
            }
        }

        impl From<$file> for $type {
            fn from(file: $file) -> $type {
                match file {
                    $($file::$name $({ $inner })? $({ $($field),* })? =>
                        $type::$name $(($inner))? $({ $($field),* })?,)*
                }
            }
        }
    };
}

pub(crate) use mirrored;

mirrored! {
    /// The contents of a slot.
    OutputFile Output;
    Position(component);
    PointSize;
    ClipDistance(index);
    ReadClipDistance(index);
    CullDistance(index);
    Culled(index);
    LayerAndViewport;
    Viewport;
    PrimitiveId;
    Stream;
    StreamCorner(index);
    ReadPosition(index);
    CornerPosition(index);
    User { location, component };
}

impl From<Varying> for VaryingFile {
    fn from(varying: Varying) -> VaryingFile {
        VaryingFile { slot: varying.slot, output: varying.output.into() }
    }
}

/// How a geometry shader is joined to its draw.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeometryFile {
    inputs: Vec<VaryingFile>,
    #[serde(default)]
    last_provokes: bool,
    #[serde(default)]
    stream: u32,
}

impl GeometryFile {
    /// The JSON of a key's field.
    pub fn of(key: &GeometryKey) -> GeometryFile {
        let inputs = key.inputs.iter().copied().map(VaryingFile::from).collect();
        GeometryFile { inputs, last_provokes: key.last_provokes, stream: key.stream }
    }

    /// The key's field.
    pub fn read(self) -> GeometryKey {
        let of = |file: VaryingFile| Varying { slot: file.slot, output: file.output.into() };
        GeometryKey {
            inputs: self.inputs.into_iter().map(of).collect(),
            last_provokes: self.last_provokes,
            stream: self.stream,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_survives_its_json() {
        let outputs = [
            Output::Position(1),
            Output::PointSize,
            Output::ClipDistance(2),
            Output::ReadClipDistance(3),
            Output::CullDistance(4),
            Output::Culled(5),
            Output::LayerAndViewport,
            Output::Viewport,
            Output::PrimitiveId,
            Output::Stream,
            Output::StreamCorner(1),
            Output::ReadPosition(2),
            Output::CornerPosition(0),
            Output::User { location: 6, component: 3 },
        ];
        let inputs = (7..).zip(outputs).map(|(slot, output)| Varying { slot, output }).collect();
        let key = GeometryKey { inputs, last_provokes: true, stream: 2 };
        let text = serde_json::to_string(&GeometryFile::of(&key)).unwrap();
        let read: GeometryFile = serde_json::from_str(&text).unwrap();
        assert_eq!(read.read(), key, "{text}");
    }
}
