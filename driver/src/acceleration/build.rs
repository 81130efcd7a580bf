//! Builds: records and boxes of all primitives, their order along a curve through space, and the tree over that order.

use agx_abi::acceleration::{OPAQUE, StructureKind, nodes};
use ash::vk;

use super::{padded, pairs_at, run_pieces, words};
use crate::Error;
use crate::command::Recorder;
use crate::kernels::Kernel;

/// How the coordinates of vertices are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexFormat {
    /// The number that the program knows it by.
    code: u32,
}

impl VertexFormat {
    /// Formats that vertices may have: floats, halves, and signed normalised numbers; with 4, of two components.
    const ALL: [(vk::Format, u32); 9] = [
        (vk::Format::R32G32B32_SFLOAT, 0),
        (vk::Format::R32G32B32A32_SFLOAT, 0),
        (vk::Format::R32G32_SFLOAT, 4),
        (vk::Format::R16G16B16_SFLOAT, 1),
        (vk::Format::R16G16B16A16_SFLOAT, 1),
        (vk::Format::R16G16_SFLOAT, 5),
        (vk::Format::R16G16B16_SNORM, 2),
        (vk::Format::R16G16B16A16_SNORM, 2),
        (vk::Format::R16G16_SNORM, 6),
    ];

    /// The encoding of a format; `None` if vertices cannot have it.
    pub fn find(format: vk::Format) -> Option<VertexFormat> {
        let found = VertexFormat::ALL.iter().find(|(known, _)| *known == format);
        found.map(|(_, code)| VertexFormat { code: *code })
    }
}

/// The indices of triangles.
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    /// Address of the first.
    pub address: u64,
    /// Bytes of each: 1, 2 or 4.
    pub bytes: u32,
}

/// Triangles in memory.
#[derive(Clone, Copy, Debug)]
pub struct Triangles {
    /// Address of the first vertex.
    pub vertices: u64,
    /// Bytes between vertices.
    pub stride: u32,
    /// Their format.
    pub format: VertexFormat,
    /// Without indices, successive vertices are triangles.
    pub indices: Option<Indices>,
    /// Address of a matrix of 3 × 4 floats; 0 for none.
    pub transform: u64,
}

/// The primitives of a geometry.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Triangles.
    Triangles(Triangles),
    /// Boxes of six floats, at an address and a stride in bytes.
    Boxes(u64, u32),
    /// Instances, at an address, or addresses of instances.
    Instances {
        /// Address of the first.
        data: u64,
        /// Whether the data are addresses.
        has_addresses: bool,
    },
}

impl Shape {
    /// The kind of structures of them.
    pub fn kind(&self) -> StructureKind {
        match self {
            Shape::Triangles(_) => StructureKind::Triangles,
            Shape::Boxes(..) => StructureKind::Boxes,
            Shape::Instances { .. } => StructureKind::Instances,
        }
    }
}

/// A geometry.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Its primitives.
    pub shape: Shape,
    /// Their number.
    pub count: u32,
    /// Whether it is opaque.
    pub is_opaque: bool,
}

/// A structure to be built.
#[derive(Clone, Debug)]
pub struct Build {
    /// What its leaves are.
    pub kind: StructureKind,
    /// The address of the structure.
    pub structure: u64,
    /// The address of scratch memory.
    pub scratch: u64,
    /// The geometries, all of the kind.
    pub geometries: Vec<Geometry>,
}

/// What the steps of a build share.
#[derive(Clone, Copy)]
struct Places {
    kind: StructureKind,
    structure: u64,
    scratch: u64,
    /// The address of the pairs that are sorted.
    pairs: u64,
    /// Number of leaves.
    leaves: u32,
}

impl Build {
    fn places(&self) -> Places {
        let Build { kind, structure, scratch, ref geometries } = *self;
        let leaves = geometries.iter().fold(0, |sum: u32, geometry| sum.saturating_add(geometry.count));
        Places { kind, structure, scratch, pairs: scratch + pairs_at(kind, leaves), leaves }
    }
}

/// Builds a structure.
///
/// # Errors
/// Out of memory.
pub fn build(recorder: &mut Recorder, build: &Build) -> Result<(), Error> {
    let places = build.places();
    let leaves = places.leaves;
    let header = [nodes(leaves), leaves, build.kind as u32, 0];
    let header: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
    recorder.update_memory(build.structure, &header)?;
    if leaves == 0 {
        return Ok(());
    }
    // No bounds: the largest word for the smallest coordinates.
    recorder.fill_memory(build.scratch, 12, u32::MAX)?;
    recorder.fill_memory(build.scratch + 12, 12, 0)?;
    let mut first = 0;
    for (geometry, number) in build.geometries.iter().zip(0..) {
        add_geometry(recorder, places, geometry, (number, first))?;
        first += geometry.count;
    }
    sort_leaves(recorder, places)?;
    join_leaves(recorder, places)
}

/// Writes records and boxes of a geometry with a number, whose first leaf has another.
fn add_geometry(
    recorder: &mut Recorder,
    Places { scratch, leaves, .. }: Places,
    geometry: &Geometry,
    (number, first): (u32, u32),
) -> Result<(), Error> {
    let word = number | if geometry.is_opaque { OPAQUE } else { 0 };
    let (kernel, threads) = (kernel_of(&geometry.shape), geometry.count.into());
    run_pieces(recorder, kernel, threads, |start| match geometry.shape {
        Shape::Triangles(of) => {
            let indices = of.indices.map_or(0, |indices| indices.address);
            let bytes = of.indices.map_or(0, |indices| indices.bytes);
            let mut list = words([of.vertices, indices, of.transform, scratch]);
            list.extend([of.stride, of.format.code, bytes, first, start, word, leaves]);
            list
        }
        Shape::Boxes(data, stride) => {
            let mut list = words([data, scratch]);
            list.extend([stride, first, start, word, leaves]);
            list
        }
        Shape::Instances { data, has_addresses } => {
            let mut list = words([data, scratch]);
            list.extend([has_addresses.into(), first, start, leaves]);
            list
        }
    })
}

/// Sorts pairs of a key and a leaf.
fn sort_leaves(recorder: &mut Recorder, places: Places) -> Result<(), Error> {
    let Places { scratch, pairs, leaves, .. } = places;
    let count = padded(leaves);
    run_pieces(recorder, Kernel::StructureKeys, count.into(), |start| {
        let mut list = words([scratch, pairs]);
        list.extend([leaves, start]);
        list
    })?;
    let mut run = 2;
    while run <= count {
        let mut distance = run / 2;
        while distance > 0 {
            run_pieces(recorder, Kernel::StructureSort, u64::from(count / 2), |start| {
                let mut list = words([pairs]);
                list.extend([run, distance, start]);
                list
            })?;
            distance /= 2;
        }
        run *= 2;
    }
    Ok(())
}

/// Writes the leaves in their order, then the nodes above them from the deepest to the root.
fn join_leaves(recorder: &mut Recorder, places: Places) -> Result<(), Error> {
    let Places { kind, structure, scratch, pairs, leaves } = places;
    run_pieces(recorder, Kernel::StructurePlace, leaves.into(), |start| {
        let mut list = words([scratch, pairs, structure]);
        list.extend([leaves, kind.leaf_bytes(), start]);
        list
    })?;
    let depths = padded(leaves).trailing_zeros();
    for depth in (0..depths).rev() {
        run_pieces(recorder, Kernel::StructureJoin, 1 << depth, |start| {
            let mut list = words([structure]);
            list.extend([leaves, depth, start]);
            list
        })?;
    }
    Ok(())
}
fn kernel_of(shape: &Shape) -> Kernel {
    match shape {
        Shape::Triangles(_) => Kernel::StructureTriangles,
        Shape::Boxes(..) => Kernel::StructureBoxes,
        Shape::Instances { .. } => Kernel::StructureInstances,
    }
}
