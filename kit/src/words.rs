//! Words that drivers write without a known meaning, and the variants of them that are tried.
//!
//! A variant runs experiments on the hardware with other words in every submission. What the machine gives for the usual words is what
//! they should give: a variant that gives something else shows that the hardware uses the word, and for what.

/// A kind of words.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// What it asks.
    pub asks: &'static str,
    /// The experiments that each variant runs.
    pub experiments: &'static [&'static str],
    /// The variants.
    variants: Variants,
}

/// How variants are made.
#[derive(Clone, Copy, Debug)]
enum Variants {
    /// These fields without one of their bits that are given, one after the other; then without all.
    Bits(&'static [(&'static str, u64)]),
    /// These changes.
    Listed(&'static [&'static str]),
}

/// All kinds of words.
pub const SUBJECTS: &[Subject] = &[
    Subject {
        name: "launch-barrier",
        asks: "Which bits of the barrier after a launch does the next launch need?",
        experiments: &["launches", "rewrites"],
        variants: Variants::Bits(&[
            ("compute barrier.BITS_0_2", 0x7),
            ("compute barrier.INVALIDATE_SHADERS", 0x1),
            ("compute barrier.BITS_4_20", 0xffff),
        ]),
    },
    Subject {
        name: "draw-barrier",
        asks: "Which bits of the first barrier of a draw stream do draws need?",
        experiments: &["triangle", "indices"],
        variants: Variants::Listed(&[
            "draw barrier.INVALIDATE_SHADERS-1",
            "draw barrier.BITS_4_6+6",
            "draw barrier.BIT_8+1",
            "draw barrier.BIT_11+1",
            "draw barrier.BIT_20+1",
        ]),
    },
    Subject {
        name: "program-kinds",
        asks: "Do the bits of shader words that tell the kind of a program matter?",
        experiments: &["lanes", "triangle"],
        variants: Variants::Listed(&[
            "shader word.BITS_10_15=0",
            "shader word.BITS_10_15=2",
            "shader word.BITS_10_15=3",
            "register word.BIT_13-1",
            "register word.BIT_13+1",
            "register word.BITS_24_31=0",
            "register word.BITS_24_31=1",
            "fragment word.BIT_9-1",
            "fragment word.BITS_12_15=0",
            "fragment word.BITS_16_23=0",
        ]),
    },
    Subject {
        name: "background-tag",
        asks: "Do the tag of the background object and the low bits of the programs of tiles matter?",
        experiments: &["clear", "blend"],
        variants: Variants::Listed(&[
            "render command.CLEAR_STENCIL-0x300",
            "render command.CLEAR_STENCIL-0x200",
            "render command.CLEAR_STENCIL-0x100",
            "render command.BACKGROUND-4",
            "render command.END_OF_TILE-4",
        ]),
    },
];

/// The kind of words of a name.
pub fn find(name: &str) -> Option<&'static Subject> {
    SUBJECTS.iter().find(|subject| subject.name == name)
}

impl Subject {
    /// Its variants, as the driver reads them.
    pub fn variants(&self) -> Vec<String> {
        match self.variants {
            Variants::Listed(list) => list.iter().map(|change| (*change).to_owned()).collect(),
            Variants::Bits(fields) => {
                let each = fields.iter().flat_map(|(field, bits)| {
                    let set = (0..u64::BITS).map(|bit| 1_u64 << bit).filter(move |bit| bits & bit != 0);
                    set.map(move |bit| format!("{field}-{bit:#x}"))
                });
                let all: Vec<String> =
                    fields.iter().map(|(field, bits)| format!("{field}-{bits:#x}")).collect();
                each.chain([all.join(";")]).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use agx_device::Change;

    use super::*;
    use crate::experiments;

    #[test]
    fn variants_are_changes_and_run_programs() {
        for subject in SUBJECTS {
            let variants = subject.variants();
            assert!(variants.len() >= 5, "{}", subject.name);
            for variant in &variants {
                assert!(Change::parse_list(variant).is_ok_and(|list| !list.is_empty()), "{variant}");
            }
            for name in subject.experiments {
                let row = experiments::find(name).expect("an experiment");
                assert!(matches!(row.run, experiments::Run::Programs(_)), "{name}");
            }
        }
        let barrier = find("launch-barrier").expect("known").variants();
        assert_eq!(barrier.len(), 3 + 1 + 16 + 1);
        assert_eq!(barrier[4], "compute barrier.BITS_4_20-0x1");
    }
}
