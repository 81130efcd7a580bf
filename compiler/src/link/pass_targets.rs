//! The targets of a render pass, and the operations of its programs on them.

use agx_abi::fragment::MAX_TARGETS;
#[cfg(doc)]
use agx_abi::pass;
use agx_abi::tile::{ColourFormat, TileLayout};

use crate::error::{CompileError, PartError};

/// The targets of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PassTargets {
    /// Formats of the targets.
    pub formats: [Option<ColourFormat>; MAX_TARGETS as usize],
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// The pass is layered: images are arrays, and the layer being rendered is loaded and stored.
    pub layered: bool,
}

impl PassTargets {
    /// The positions of the targets in the tile.
    pub fn layout(&self) -> TileLayout {
        TileLayout::new(&self.formats, self.samples.into())
    }

    /// The targets that `wanted` has entries for, each with its entry; all must exist.
    pub(super) fn chosen<'t, T>(
        &self,
        wanted: &'t [Option<T>; MAX_TARGETS as usize],
    ) -> Result<Vec<(u32, ColourFormat, &'t T)>, CompileError> {
        if !matches!(self.samples, 1 | 2 | 4) {
            return Err(PartError::Samples { samples: self.samples }.into());
        }
        let wanted = (0..).zip(wanted).filter_map(|(target, wanted)| Some((target, wanted.as_ref()?)));
        wanted
            .map(|(target, wanted)| match self.formats.get(target as usize).copied().flatten() {
                Some(format) => Ok((target, format, wanted)),
                None => Err(PartError::NoTarget { target }.into()),
            })
            .collect()
    }
}

/// How the samples of a pixel are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResolveMode {
    /// The first one.
    First,
    /// Their mean; for floats and fixed-point numbers only.
    Average,
    /// The minimum of each component.
    Least,
    /// The maximum of each component.
    Greatest,
}

/// The initial contents that a background program gives a target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BackgroundOp {
    /// The colour in its uniforms ([`pass::clear_colour`]).
    Clear,
    /// The contents of the image. A spilled target is unchanged.
    Load,
    /// The resolved samples of a multisampled image.
    Resolve {
        /// Samples of the image: 2 or 4.
        samples: u8,
        /// How they are resolved.
        mode: ResolveMode,
    },
}
