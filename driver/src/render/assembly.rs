//! Primitives of draws, for programs that run before the pass with a thread for each vertex of each primitive.
//!
//! The number of vertices may be known to the device only. Primitives with restart indices are decomposed first, and so
//! are those that the hardware cannot draw as they are.

use agx_abi::tessellation::MAX_PATCH_VERTICES;
use agx_compiler::link::{Assembly, IndexSize, Primitives};
use ash::vk;
use ash::vk::PrimitiveTopology as T;

use super::Graphics;
use super::draw::{DrawNumbers, Drawn, IndexBuffer};
use crate::Error;
use crate::command::Recorder;
use crate::kernels::Kernel;
use crate::stages::FragmentStage;
use crate::words::Direct;

/// How the vertices of a topology form primitives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    topology: T,
    /// Vertices of a primitive.
    pub corners: u32,
    /// This number of vertices begins no primitive, and each further primitive takes `step` vertices.
    pub base: u32,
    pub step: u32,
    /// Kind of `kernels/restart.comp`.
    kind: u32,
    /// The topology after decomposition.
    list: T,
    /// The corners that are drawn, bit 0 the first, and their topology.
    drawn: (u32, T),
}

const fn list(topology: T, corners: u32, drawn: (u32, T)) -> Shape {
    Shape { topology, corners, base: 0, step: corners, kind: 0, list: topology, drawn }
}

const fn strip(topology: T, corners: u32, kind: u32, list: T, drawn: (u32, T)) -> Shape {
    Shape { topology, corners, base: corners - 1, step: 1, kind, list, drawn }
}

/// All corners of points, lines and triangles; those that are not adjacent vertices.
const POINT: (u32, T) = (0b1, T::POINT_LIST);
const LINE: (u32, T) = (0b11, T::LINE_LIST);
const TRIANGLE: (u32, T) = (0b111, T::TRIANGLE_LIST);
const INNER_LINE: (u32, T) = (0b0110, T::LINE_LIST);
const INNER_TRIANGLE: (u32, T) = (0b01_0101, T::TRIANGLE_LIST);

const SHAPES: [Shape; 10] = [
    list(T::POINT_LIST, 1, POINT),
    list(T::LINE_LIST, 2, LINE),
    strip(T::LINE_STRIP, 2, 1, T::LINE_LIST, LINE),
    list(T::TRIANGLE_LIST, 3, TRIANGLE),
    strip(T::TRIANGLE_STRIP, 3, 1, T::TRIANGLE_LIST, TRIANGLE),
    strip(T::TRIANGLE_FAN, 3, 2, T::TRIANGLE_LIST, TRIANGLE),
    list(T::LINE_LIST_WITH_ADJACENCY, 4, INNER_LINE),
    strip(T::LINE_STRIP_WITH_ADJACENCY, 4, 1, T::LINE_LIST_WITH_ADJACENCY, INNER_LINE),
    list(T::TRIANGLE_LIST_WITH_ADJACENCY, 6, INNER_TRIANGLE),
    Shape {
        base: 4,
        step: 2,
        ..strip(T::TRIANGLE_STRIP_WITH_ADJACENCY, 6, 3, T::TRIANGLE_LIST_WITH_ADJACENCY, INNER_TRIANGLE)
    },
];

/// The shape of a topology, with this number of vertices of patches; other topologies are lists of points.
fn shape(topology: T, patch_vertices: u32) -> Shape {
    if topology == T::PATCH_LIST {
        let corners = patch_vertices.clamp(1, MAX_PATCH_VERTICES);
        return list(topology, corners, (all(corners), topology));
    }
    SHAPES.into_iter().find(|shape| shape.topology == topology).unwrap_or(SHAPES[0])
}

/// Vertices of a primitive of a topology that are drawn.
pub(super) fn drawn_vertices(topology: T) -> u32 {
    shape(topology, 1).drawn.0.count_ones()
}

/// Whether the hardware cannot draw a topology as it is: it cannot leave out adjacent vertices, and does not have the
/// order of Vulkan within the triangles of strips and fans, which the fragment shader may observe.
pub(super) fn is_decomposed(topology: T, fragments: Option<&FragmentStage>) -> bool {
    match topology {
        T::TRIANGLE_STRIP | T::TRIANGLE_FAN => fragments.is_some_and(FragmentStage::reads_vertices),
        _ => drawn_vertices(topology) != shape(topology, 1).corners,
    }
}

/// The bits of this number of corners.
const fn all(corners: u32) -> u32 {
    u32::MAX >> (32 - corners)
}

/// Maximum number of vertices that an indirect draw without indices decomposes.
const MOST_INDIRECT: u32 = 1 << 16;

/// Bytes of the parameters of a decomposed draw, and of the number of its vertices before.
const DECOMPOSED: usize = 24;

/// The primitives of a draw.
pub(super) struct Draw {
    /// Address of its parameters.
    pub numbers: u64,
    /// Its indices.
    pub indices: Option<IndexBuffer>,
    topology: T,
    patch_vertices: u32,
    last_provokes: bool,
    /// Maximum number of primitives of all instances, if it does not depend on memory.
    pub most: Option<u64>,
    /// The word after the address of its parameters that has the number of its vertices, without restart indices.
    pub vertices: u32,
}

impl Draw {
    pub fn shape(&self) -> Shape {
        shape(self.topology, self.patch_vertices)
    }

    /// The source of vertex numbers.
    pub fn assembly(&self) -> Assembly {
        let last_provokes = self.last_provokes;
        let index = self.indices.map(|indices| match indices.kind {
            vk::IndexType::UINT32 => IndexSize::B32,
            vk::IndexType::UINT8_EXT => IndexSize::B8,
            _ => IndexSize::B16,
        });
        let primitives = match self.topology {
            T::LINE_STRIP => Primitives::LineStrip,
            T::TRIANGLE_STRIP => Primitives::TriangleStrip { last_provokes },
            T::TRIANGLE_FAN => Primitives::TriangleFan { last_provokes },
            T::LINE_STRIP_WITH_ADJACENCY => Primitives::LineStripAdjacency,
            T::TRIANGLE_STRIP_WITH_ADJACENCY => Primitives::TriangleStripAdjacency { last_provokes },
            _ => Primitives::List,
        };
        Assembly { index, primitives }
    }

    /// Address of base vertex and base instance.
    pub fn base(&self) -> u64 {
        self.numbers + if self.indices.is_some() { 12 } else { 8 }
    }

    /// Address, number and logarithm of the size of the indices, in words.
    pub fn index_words(&self) -> [u32; 4] {
        let none = IndexBuffer { address: 0, bytes: 0, kind: vk::IndexType::UINT32 };
        let indices = self.indices.unwrap_or(none);
        let [low, high] = [indices.address as u32, (indices.address >> 32) as u32];
        [low, high, indices.elements(), indices.shift() as u32]
    }
}

/// Maximum number of primitives of all instances of a draw, if it does not depend on memory.
pub(super) fn most_primitives(drawn: &Drawn) -> Option<u64> {
    let dynamic = &drawn.graphics.dynamic;
    let Shape { base, step, .. } = shape(dynamic.topology, dynamic.patch.vertices);
    match drawn.numbers {
        DrawNumbers::Direct { count, instances, .. } => {
            Some(u64::from(count.saturating_sub(base) / step) * u64::from(instances))
        }
        DrawNumbers::Indirect(_) => None,
    }
}

impl IndexBuffer {
    fn elements(&self) -> u32 {
        (self.bytes >> self.shift()).min(u64::from(u32::MAX)) as u32
    }
}

/// The corners of primitives that a decomposition writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    All,
    Drawn,
}

impl Recorder {
    /// The primitives of a draw, without restart indices.
    pub(super) fn assemble(&mut self, drawn: &Drawn) -> Result<Draw, Error> {
        let Graphics { dynamic, indices, .. } = &drawn.graphics;
        let (topology, patch_vertices) = (dynamic.topology, dynamic.patch.vertices);
        let draw = Draw {
            numbers: self.numbers(drawn)?,
            indices: indices.filter(|_| drawn.indexed),
            topology,
            patch_vertices,
            last_provokes: dynamic.raster.provoking_last,
            most: most_primitives(drawn),
            vertices: 0,
        };
        match dynamic.restart && drawn.indexed {
            true => self.decompose(draw, drawn, Kept::All),
            false => Ok(draw),
        }
    }

    /// The draw as one of a topology that the hardware draws as it is, for draws without geometry shader.
    pub(super) fn decomposed(&mut self, mut drawn: Drawn) -> Result<Drawn, Error> {
        let patch_vertices = drawn.graphics.dynamic.patch.vertices;
        let topology = drawn.graphics.dynamic.topology;
        if !is_decomposed(topology, drawn.graphics.shaders.fragment.as_deref()) {
            return Ok(drawn);
        }
        let draw = Draw {
            numbers: self.numbers(&drawn)?,
            indices: drawn.graphics.indices.filter(|_| drawn.indexed),
            topology,
            patch_vertices,
            last_provokes: drawn.graphics.dynamic.raster.provoking_last,
            most: None,
            vertices: 0,
        };
        let draw = self.decompose(draw, &drawn, Kept::Drawn)?;
        (drawn.numbers, drawn.indexed) = (DrawNumbers::Indirect(draw.numbers), true);
        (drawn.graphics.indices, drawn.graphics.record) = (draw.indices, None);
        (drawn.graphics.dynamic.topology, drawn.graphics.dynamic.restart) = (draw.topology, false);
        Ok(drawn)
    }

    /// Address of a draw's parameters.
    fn numbers(&mut self, drawn: &Drawn) -> Result<u64, Error> {
        let words = match drawn.numbers {
            DrawNumbers::Indirect(address) => return Ok(address),
            DrawNumbers::Direct { count, instances, first, base, first_instance } if drawn.indexed => {
                vec![count, instances, first, base as u32, first_instance]
            }
            DrawNumbers::Direct { count, instances, first, first_instance, .. } => {
                vec![count, instances, first, first_instance]
            }
        };
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.upload.put(&bytes, 16)
    }

    /// Decomposes primitives: the result is a list with indices and without restarts.
    fn decompose(&mut self, draw: Draw, drawn: &Drawn, kept: Kept) -> Result<Draw, Error> {
        let shape = draw.shape();
        let (kept, topology) = match kept {
            Kept::All => (all(shape.corners), shape.list),
            Kept::Drawn => shape.drawn,
        };
        let none = IndexBuffer { address: self.device.zeros.address, bytes: 0, kind: vk::IndexType::UINT32 };
        let indices = draw.indices.unwrap_or(none);
        let count = match drawn.numbers {
            DrawNumbers::Direct { count, .. } => count,
            // Only the device has the number of indices; those outside the buffer are useless.
            DrawNumbers::Indirect(_) if drawn.indexed => indices.elements(),
            DrawNumbers::Indirect(_) => MOST_INDIRECT,
        };
        let most = u64::from(count) * u64::from(kept.count_ones().div_ceil(shape.step));
        let bytes = 4 * most.max(1);
        let list = self.upload.reserve(bytes)?;
        let record = self.upload.put(&[0; DECOMPOSED], 16)?;
        let skew = indices.address % 4;
        let parameters = [
            indices.shift() as u32,
            skew as u32,
            indices.elements(),
            most as u32,
            shape.kind,
            draw.last_provokes.into(),
            shape.corners,
            shape.base,
            shape.step,
            kept,
            (drawn.graphics.dynamic.restart && drawn.indexed).into(),
        ];
        let descriptors = [
            Direct::Buffer(draw.numbers, 20),
            Direct::Buffer(indices.address - skew, (skew + indices.bytes).next_multiple_of(4)),
            Direct::Buffer(list, bytes),
            Direct::Buffer(record, DECOMPOSED as u64),
        ];
        self.run_kernel(Kernel::Restart, &parameters, &descriptors, [1; 3])?;
        let indices = IndexBuffer { address: list, bytes: 4 * most, kind: vk::IndexType::UINT32 };
        Ok(Draw { numbers: record, indices: Some(indices), topology, vertices: 5, ..draw })
    }
}
