//! The order of vertex outputs in the hardware, and the coefficient registers from which fragment shaders
//! read them.
//!
//! The words of a vertex form five groups: position, varyings, point size, layer and viewport, clip
//! distances. The varyings are ordered by interpolation: perspective-correct ones, then flat, then linear in
//! screen space; the fragment shader determines the interpolation. A vertex shader is compiled with flat
//! locations ([`OutputLayout::new`] without inputs), and the linker renumbers its stores for a fragment
//! shader. The hardware reads clip distances and the viewport from separate groups and never interpolates
//! those, so they are also varyings.
//!
//! A location has words up to its last written component; the order within a group is that of the locations,
//! built-in ones first (Mesa 26.1 does the same; like Mesa, we have no 16-bit varyings: their counts are 0).

use crate::fragment::{CoefficientSource, Corner, Interpolation};
use crate::record::{FieldError, cf_binding, cf_header, output_select, varying_counts, vertex_outputs};
use crate::vertex::{Output, Varying};

/// A group of vertex outputs, in hardware order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OutputGroup {
    /// Clip-space position, four words.
    Position,
    /// Varyings, which fragment shaders read.
    Varyings,
    /// Size of a point.
    PointSize,
    /// Layer in the low half, viewport in the high half.
    LayerAndViewport,
    /// Distances against which primitives are clipped.
    ClipDistances,
}

impl OutputGroup {
    /// Every group in order.
    pub const ALL: [OutputGroup; 5] = [
        OutputGroup::Position,
        OutputGroup::Varyings,
        OutputGroup::PointSize,
        OutputGroup::LayerAndViewport,
        OutputGroup::ClipDistances,
    ];
}

impl Output {
    /// The group it belongs to.
    pub fn group(self) -> OutputGroup {
        match self {
            Output::Position(_) => OutputGroup::Position,
            Output::PointSize => OutputGroup::PointSize,
            Output::LayerAndViewport => OutputGroup::LayerAndViewport,
            Output::ClipDistance(_) => OutputGroup::ClipDistances,
            _ => OutputGroup::Varyings,
        }
    }

    /// The vector of a varying, which determines the order of slots, and its component.
    fn vector(self) -> ((u32, u32), u32) {
        match self {
            Output::ReadClipDistance(index) => ((0, index / 4), index % 4),
            Output::CullDistance(index) => ((1, index / 4), index % 4),
            Output::Viewport => ((2, 0), 0),
            Output::PrimitiveId => ((2, 1), 0),
            Output::Stream => ((2, 2), 0),
            Output::StreamCorner(corner) => ((2, 2), 1 + corner),
            Output::Culled(index) => ((3, index / 4), index % 4),
            Output::ReadPosition(component) => ((3, 8), component),
            Output::CornerPosition(component) => ((3, 9), component),
            Output::User { location, component } => ((4, location), component),
            Output::Position(component) => ((5, 0), component),
            Output::ClipDistance(index) => ((5, 1), index),
            Output::PointSize | Output::LayerAndViewport => ((5, 2), 0),
        }
    }
}

/// Number of varying words by kind, in hardware order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct VaryingCounts {
    /// Perspective-correct.
    pub smooth: u16,
    /// Flat.
    pub flat: u16,
    /// Linear in screen space.
    pub linear: u16,
}

impl VaryingCounts {
    /// The total number of words.
    pub fn total(self) -> u16 {
        self.smooth + self.flat + self.linear
    }

    /// The hardware record with the counts.
    ///
    /// # Errors
    /// More words of a kind than it can hold.
    pub fn to_bytes(self) -> Result<Vec<u8>, FieldError> {
        use varying_counts::*;
        let counts = [(SMOOTH, self.smooth), (FLAT, self.flat), (LINEAR, self.linear)];
        RECORD.build(&counts.map(|(field, count)| (field, count.into())))
    }
}

/// The slots of a vertex shader's outputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutputLayout {
    /// The contents of the slots, ascending. Slots of components that are not written are omitted.
    pub varyings: Vec<Varying>,
    /// First slot of each group, in the order of [`OutputGroup::ALL`].
    pub groups: [u16; OutputGroup::ALL.len()],
    /// Words of the varyings, 32 bits each.
    pub counts: VaryingCounts,
    /// Number of words per vertex.
    pub words: u16,
}

impl OutputLayout {
    /// Assigns slots to `outputs`, which may be in any order and repeated, for a fragment shader that reads
    /// `inputs`. Locations that it does not read are flat.
    pub fn new(outputs: &[Output], inputs: &[CoefficientSource]) -> OutputLayout {
        let mut sorted: Vec<Output> = (0..4).map(Output::Position).chain(outputs.iter().copied()).collect();
        sorted.sort_by_key(|output| (output.group(), output.vector()));
        sorted.dedup();
        let mut layout =
            OutputLayout { varyings: Vec::with_capacity(sorted.len()), ..OutputLayout::default() };
        for (at, group) in OutputGroup::ALL.into_iter().enumerate() {
            layout.groups[at] = layout.words;
            // They are sorted by group.
            let start = sorted.partition_point(|output| output.group() < group);
            let end = sorted.partition_point(|output| output.group() <= group);
            let members = &sorted[start..end];
            if group != OutputGroup::Varyings {
                layout.place(members);
                continue;
            }
            let kinds = [Interpolation::Perspective, Interpolation::Flat, Interpolation::Linear];
            let [smooth, flat, linear] = kinds.map(|kind| {
                let of_kind = members.chunk_by(|a, b| a.vector().0 == b.vector().0);
                let of_kind = of_kind.filter(|vector| interpolation(vector[0], inputs) == kind);
                let before = layout.words;
                of_kind.for_each(|vector| layout.place(vector));
                layout.words - before
            });
            layout.counts = VaryingCounts { smooth, flat, linear };
        }
        layout
    }

    /// Assigns slots to the components of a vector.
    fn place(&mut self, vector: &[Output]) {
        let slot = |output: &Output| self.words + output.vector().1 as u16;
        let placed: Vec<Varying> =
            vector.iter().map(|output| Varying { slot: slot(output), output: *output }).collect();
        self.words = placed.last().map_or(self.words, |last| last.slot + 1);
        self.varyings.extend(placed);
    }

    /// The slot of an output, if it is written.
    pub fn slot(&self, output: Output) -> Option<u16> {
        self.varyings.iter().find(|varying| varying.output == output).map(|varying| varying.slot)
    }

    /// Number of words of a group.
    pub fn group_words(&self, group: OutputGroup) -> u16 {
        let ends = self.groups.iter().copied().skip(1).chain([self.words]);
        let mut sizes = self.groups.iter().zip(ends).map(|(start, end)| end - start);
        sizes.nth(group as usize).unwrap_or(0)
    }

    /// The record with the number of words per vertex.
    ///
    /// # Errors
    /// More than the record can hold.
    pub fn vertex_outputs(&self) -> Result<Vec<u8>, FieldError> {
        use vertex_outputs::*;
        RECORD.build(&[(COUNT_1, self.words.into()), (COUNT_2, self.words.into())])
    }

    /// The record that lists the groups, and the requirements of the fragment shader's coefficients.
    ///
    /// # Errors
    /// More clip distances than there are planes.
    pub fn output_select(&self, coefficients: &CoefficientBindings) -> Result<Vec<u8>, FieldError> {
        use output_select::*;
        let has = |group| u64::from(self.group_words(group) != 0);
        let planes = (1_u64 << self.group_words(OutputGroup::ClipDistances)) - 1;
        RECORD.build(&[
            (CLIP_PLANES, planes),
            (VARYINGS, u64::from(!coefficients.bindings.is_empty())),
            (POINT_SIZE, has(OutputGroup::PointSize)),
            (VIEWPORT_TARGET, has(OutputGroup::LayerAndViewport)),
            (RENDER_TARGET, has(OutputGroup::LayerAndViewport)),
            (FRAG_COORD_Z, u64::from(coefficients.reads_depth)),
        ])
    }
}

/// The interpolation of a varying's vector.
fn interpolation(output: Output, inputs: &[CoefficientSource]) -> Interpolation {
    match output {
        Output::Viewport
        | Output::PrimitiveId
        | Output::Stream
        | Output::StreamCorner(_)
        | Output::CornerPosition(_) => return Interpolation::Flat,
        Output::Culled(_) => return Interpolation::Linear,
        _ => {}
    }
    let reads = |source: &&CoefficientSource| {
        source.output().is_some_and(|other| other.vector().0 == output.vector().0)
    };
    let kinds = inputs.iter().filter(reads).map(|source| match source.interpolation() {
        Interpolation::Corner(_) => Interpolation::Flat,
        interpolation => interpolation,
    });
    // Unread locations are flat, built-in varyings perspective-correct (Mesa 26.1 does the same).
    let unread = match output {
        Output::User { .. } => Interpolation::Flat,
        _ => Interpolation::Perspective,
    };
    // A location has one interpolation in each language; flat takes precedence because the hardware cannot
    // derive a flat value from another kind.
    kinds.min().unwrap_or(unread)
}

/// The source of coefficients.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindingSource {
    /// Words of vertices, including w.
    Varying,
    /// Depth.
    Depth,
    /// The position within a point.
    PointCoordinate,
    /// The number of the primitive.
    PrimitiveId,
}

/// Up to four consecutive coefficient registers that are filled from consecutive words of vertices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CoefficientBinding {
    /// First coefficient register.
    pub register: u16,
    /// Registers, 1 to 4.
    pub count: u8,
    /// First word: 0 is w, then depth if it is read, then the varyings.
    pub slot: u16,
    /// Their source.
    pub source: BindingSource,
    /// Their interpolation.
    pub interpolation: Interpolation,
}

impl CoefficientBinding {
    /// Whether `next` extends this binding.
    fn takes(&self, next: &CoefficientBinding) -> bool {
        let consecutive = match self.source {
            BindingSource::Varying => self.slot != 0 && next.slot == self.slot + u16::from(self.count),
            BindingSource::PointCoordinate => self.count == 1,
            BindingSource::Depth | BindingSource::PrimitiveId => false,
        };
        consecutive
            && self.count < 4
            && next.register == self.register + u16::from(self.count)
            && (self.source, self.interpolation) == (next.source, next.interpolation)
    }

    fn to_bytes(self, provoking: Corner) -> Result<Vec<u8>, FieldError> {
        use cf_binding::*;
        let shade = match (self.interpolation, provoking) {
            (Interpolation::Perspective, _) => 7,
            (Interpolation::Linear, _) => 3,
            (Interpolation::Flat, vertex) | (Interpolation::Corner(vertex), _) => match vertex {
                Corner::First => 0,
                Corner::Second => 6,
                Corner::Third => 2,
            },
        };
        let source = match self.source {
            BindingSource::Varying => 0,
            BindingSource::Depth => 1,
            BindingSource::PointCoordinate => 2,
            BindingSource::PrimitiveId => 3,
        };
        RECORD.build(&[
            (COMPONENTS, self.count.into()),
            (SHADE, shade),
            (SOURCE, source),
            (SLOT, self.slot.into()),
            (REGISTER, self.register.into()),
        ])
    }
}

/// The bindings of a fragment program's coefficient registers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoefficientBindings {
    /// Number of words per vertex that can be bound.
    pub slots: u16,
    /// Coefficient registers.
    pub registers: u16,
    /// Whether depth is among the words that can be bound.
    pub reads_depth: bool,
    /// The bindings, by register.
    pub bindings: Vec<CoefficientBinding>,
}

impl CoefficientBindings {
    /// Binds registers, whose contents `sources` lists from 0 on, to the outputs of a vertex shader. Outputs
    /// that it does not write are undefined and read w.
    pub fn new(sources: &[CoefficientSource], outputs: &OutputLayout) -> CoefficientBindings {
        let reads_depth = sources.contains(&CoefficientSource::Depth);
        let first = 1 + u16::from(reads_depth);
        let before = outputs.groups[OutputGroup::Varyings as usize];
        let mut bindings: Vec<CoefficientBinding> = Vec::new();
        for (register, source) in (0..).zip(sources) {
            let (kind, slot) = match source {
                CoefficientSource::OneOverW => (BindingSource::Varying, 0),
                CoefficientSource::Depth => (BindingSource::Depth, 1),
                CoefficientSource::PointX | CoefficientSource::PointY => (BindingSource::PointCoordinate, 0),
                CoefficientSource::PrimitiveId if outputs.slot(Output::PrimitiveId).is_none() => {
                    (BindingSource::PrimitiveId, 0)
                }
                _ => {
                    let slot = source.output().and_then(|output| outputs.slot(output));
                    (BindingSource::Varying, slot.map_or(0, |slot| first + slot - before))
                }
            };
            let interpolation = source.interpolation();
            let binding = CoefficientBinding { register, count: 1, slot, source: kind, interpolation };
            match bindings.last_mut().filter(|last| last.takes(&binding)) {
                Some(last) => last.count += 1,
                None => bindings.push(binding),
            }
        }
        let slots = first + outputs.counts.total();
        CoefficientBindings { slots, registers: sources.len() as u16, reads_depth, bindings }
    }

    /// The header and the bindings in the hardware's format; empty without bindings.
    ///
    /// # Errors
    /// More slots or registers than the records can hold.
    pub fn to_bytes(&self, provoking: Corner) -> Result<Vec<u8>, FieldError> {
        if self.bindings.is_empty() {
            return Ok(Vec::new());
        }
        let counts = [(cf_header::SLOTS, self.slots.into()), (cf_header::REGISTERS, self.registers.into())];
        let mut bytes = cf_header::RECORD.build(&counts)?;
        for binding in &self.bindings {
            bytes.extend(binding.to_bytes(provoking)?);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(location: u32, component: u32) -> Output {
        Output::User { location, component }
    }

    fn read(location: u32, component: u32, interpolation: Interpolation) -> CoefficientSource {
        CoefficientSource::User { location, component, interpolation }
    }

    /// Outputs of every group.
    const OUTPUTS: [Output; 10] = [
        Output::ClipDistance(0),
        Output::ClipDistance(1),
        Output::ReadClipDistance(0),
        Output::ReadClipDistance(1),
        Output::PointSize,
        Output::LayerAndViewport,
        Output::Viewport,
        Output::User { location: 2, component: 1 },
        Output::User { location: 0, component: 0 },
        Output::User { location: 1, component: 0 },
    ];

    #[test]
    fn groups_and_kinds_come_in_the_order_of_the_hardware() {
        let inputs = [read(0, 0, Interpolation::Linear), read(1, 0, Interpolation::Flat)];
        let layout = OutputLayout::new(&OUTPUTS, &inputs);
        let slots: Vec<(u16, Output)> = layout.varyings[4..].iter().map(|v| (v.slot, v.output)).collect();
        let expected = [
            (4, Output::ReadClipDistance(0)),
            (5, Output::ReadClipDistance(1)),
            (6, Output::Viewport),
            (7, user(1, 0)),
            // Component 0 of location 2 is not written and has a slot; no fragment shader reads the location.
            (9, user(2, 1)),
            (10, user(0, 0)),
            (11, Output::PointSize),
            (12, Output::LayerAndViewport),
            (13, Output::ClipDistance(0)),
            (14, Output::ClipDistance(1)),
        ];
        assert_eq!(slots, expected);
        assert_eq!(layout.counts, VaryingCounts { smooth: 2, flat: 4, linear: 1 });
        assert_eq!((layout.groups, layout.words), ([0, 4, 11, 12, 13], 15));
        assert_eq!(layout.vertex_outputs(), Ok(vec![15, 15, 0, 0]));
    }

    #[test]
    fn without_inputs_all_locations_are_flat() {
        let layout = OutputLayout::new(&[user(1, 2), user(0, 0), user(1, 2)], &[]);
        assert_eq!(layout.counts, VaryingCounts { smooth: 0, flat: 4, linear: 0 });
        assert_eq!(
            [layout.slot(user(0, 0)), layout.slot(user(1, 2)), layout.slot(user(1, 0))],
            [Some(4), Some(7), None]
        );
    }

    #[test]
    fn registers_in_a_row_share_a_binding() {
        let inputs = [
            CoefficientSource::OneOverW,
            read(2, 0, Interpolation::Perspective),
            read(2, 1, Interpolation::Perspective),
            read(2, 2, Interpolation::Flat),
            CoefficientSource::Depth,
            CoefficientSource::PointX,
            CoefficientSource::PointY,
            CoefficientSource::PrimitiveId,
            read(9, 0, Interpolation::Perspective),
        ];
        let outputs = OutputLayout::new(&[user(2, 0), user(2, 1), user(1, 0)], &[]);
        let found = CoefficientBindings::new(&inputs, &outputs);
        let places: Vec<_> = found.bindings.iter().map(|b| (b.register, b.count, b.slot, b.source)).collect();
        let expected = [
            (0, 1, 0, BindingSource::Varying),
            (1, 2, 3, BindingSource::Varying),
            (3, 1, 0, BindingSource::Varying),
            (4, 1, 1, BindingSource::Depth),
            (5, 2, 0, BindingSource::PointCoordinate),
            (7, 1, 0, BindingSource::PrimitiveId),
            (8, 1, 0, BindingSource::Varying),
        ];
        assert_eq!(places, expected);
        assert_eq!((found.slots, found.registers, found.reads_depth), (5, 9, true));
        let select = outputs.output_select(&found).expect("fits");
        assert_eq!(select, (1_u32 << 16 | 1 << 21).to_le_bytes());
    }

    #[test]
    fn words_match_submissions_of_the_production_driver() {
        // Mesa 26.1, a flat and two linear words: `coefficient header SLOTS=4 REGISTERS=3`, then two bindings.
        let inputs = [
            read(1, 0, Interpolation::Linear),
            read(1, 1, Interpolation::Linear),
            read(0, 0, Interpolation::Flat),
        ];
        let outputs = OutputLayout::new(&[user(0, 0), user(1, 0), user(1, 1)], &inputs);
        assert_eq!(outputs.counts.to_bytes(), Ok(vec![0, 1, 2, 0]));
        let bytes = CoefficientBindings::new(&inputs, &outputs).to_bytes(Corner::First).expect("fits");
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words, [4 | 3 << 8, 1 | 3 << 2 | 2 << 8, 1 << 8 | 2 << 16]);
        assert_eq!(CoefficientBindings::default().to_bytes(Corner::First), Ok(Vec::new()));
    }

    /// For draws of `tests/device/draw.cases`: outputs after the position, inputs, and Mesa 26.1.6's values
    /// on the device: words of a vertex, output select, counts of varyings, slots and registers of the
    /// coefficient header.
    type Submitted<'s> = (&'s str, Vec<Output>, Vec<CoefficientSource>, (u16, u32, [u8; 3], [u16; 2]));

    fn submitted() -> Vec<Submitted<'static>> {
        use CoefficientSource::{Depth, OneOverW, PointX, PointY, PrimitiveId};
        let colour = |count| (0..count).map(|at| user(0, at)).collect::<Vec<_>>();
        let smooth = |count| {
            let components = (0..count).map(|at| read(0, at, Interpolation::Perspective));
            [OneOverW].into_iter().chain(components).collect::<Vec<_>>()
        };
        let clipped = |count| {
            let distances =
                (0..count).flat_map(|at| [Output::ClipDistance(at), Output::ReadClipDistance(at)]);
            distances.chain(colour(3)).collect::<Vec<_>>()
        };
        let and = |mut outputs: Vec<Output>, output| {
            outputs.push(output);
            outputs
        };
        let flat = vec![
            read(1, 0, Interpolation::Linear),
            read(1, 1, Interpolation::Linear),
            read(0, 0, Interpolation::Flat),
        ];
        let with_depth = [Depth].into_iter().chain(smooth(4)).collect();
        let (varyings, depth, points, targets) = (1 << 16, 1 << 21, 1 << 18, 3 << 19);
        vec![
            ("topology", colour(4), smooth(4), (8, varyings, [4, 0, 0], [5, 5])),
            ("attribute-r32f", colour(1), smooth(1), (5, varyings, [1, 0, 0], [2, 2])),
            ("builtin-depth", vec![], vec![Depth], (4, varyings | depth, [0; 3], [2, 1])),
            ("builtin-primitive", vec![], vec![PrimitiveId], (4, varyings, [0; 3], [1, 1])),
            ("clip-distances-1", clipped(1), smooth(3), (9, varyings | 1, [4, 0, 0], [5, 4])),
            ("clip-distances-3", clipped(3), smooth(3), (13, varyings | 7, [6, 0, 0], [7, 4])),
            ("clip-distances-5", clipped(5), smooth(3), (17, varyings | 0x1f, [8, 0, 0], [9, 4])),
            ("flat", vec![user(0, 0), user(1, 0), user(1, 1)], flat, (7, varyings, [0, 1, 2], [4, 3])),
            ("fragment-buffer", colour(4), with_depth, (8, varyings | depth, [4, 0, 0], [6, 6])),
            (
                "layers",
                and(colour(3), Output::LayerAndViewport),
                smooth(3),
                (8, varyings | targets, [3, 0, 0], [4, 4]),
            ),
            (
                "points",
                and(colour(4), Output::PointSize),
                smooth(4),
                (9, varyings | points, [4, 0, 0], [5, 5]),
            ),
            (
                "point-coordinate",
                vec![Output::PointSize],
                vec![OneOverW, PointX, PointY],
                (5, varyings | points, [0; 3], [1, 3]),
            ),
        ]
    }

    #[test]
    fn layouts_agree_with_submissions_of_the_production_driver() {
        for (name, outputs, inputs, (words, select, counts, header)) in submitted() {
            let layout = OutputLayout::new(&outputs, &inputs);
            let bindings = CoefficientBindings::new(&inputs, &layout);
            assert_eq!(layout.words, words, "{name}");
            assert_eq!(layout.counts.to_bytes().expect("fits")[..3], counts, "{name}");
            assert_eq!(layout.output_select(&bindings), Ok(select.to_le_bytes().to_vec()), "{name}");
            assert_eq!([bindings.slots, bindings.registers], header, "{name}");
        }
    }

    #[test]
    fn varyings_outside_the_record_are_errors() {
        let outputs: Vec<Output> = (0..64).flat_map(|at| (0..4).map(move |c| user(at, c))).collect();
        let layout = OutputLayout::new(&outputs, &[]);
        assert_eq!(layout.words, 260);
        assert!(layout.vertex_outputs().is_err());
        assert!(layout.counts.to_bytes().is_err());
    }
}
