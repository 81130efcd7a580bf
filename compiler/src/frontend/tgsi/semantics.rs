//! Locations of semantics, which match vertex outputs with fragment inputs.

use agx_tgsi::{Semantic, SemanticName};

/// First location of each semantic passed from vertex to fragment programs, spaced for their indices.
const LOCATIONS: &[(SemanticName, u32)] = &[
    (SemanticName::Generic, 0),
    (SemanticName::TexCoord, 1000),
    (SemanticName::Color, 1100),
    (SemanticName::BackColor, 1200),
    (SemanticName::Fog, 1300),
    (SemanticName::Normal, 1400),
    (SemanticName::ClipVertex, 1500),
    (SemanticName::Patch, 1600),
    (SemanticName::EdgeFlag, 1700),
    (SemanticName::PointCoord, 1800),
    (SemanticName::Face, 1900),
    (SemanticName::PrimitiveId, 2000),
];

/// Greatest index of a generic semantic.
const MAX_GENERIC: u32 = 999;

/// Greatest index of another semantic.
const MAX_INDEX: u32 = 99;

/// The location of a semantic; `None` for those with a dedicated output, and for indices out of range.
pub(super) fn location(semantic: Semantic) -> Option<u32> {
    let (name, first) = LOCATIONS.iter().find(|(name, _)| *name == semantic.name)?;
    let last = if *name == SemanticName::Generic { MAX_GENERIC } else { MAX_INDEX };
    (semantic.index <= last).then(|| first.wrapping_add(semantic.index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_do_not_overlap() {
        let mut seen = std::collections::HashSet::new();
        for (name, _) in LOCATIONS {
            for index in 0..=MAX_INDEX {
                let semantic = Semantic { name: *name, index, streams: [0; 4] };
                assert!(location(semantic).is_some_and(|location| seen.insert(location)), "{semantic:?}");
            }
        }
        let far = Semantic { name: SemanticName::Color, index: 100, streams: [0; 4] };
        assert_eq!(location(far), None);
    }
}
