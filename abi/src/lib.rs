//! The interface between AGX shaders and the driver that runs them: the contents of registers and uniforms,
//! the parts of a shader, the information about a compiled shader, and the effect of register use on
//! occupancy; also the records of control streams, descriptors and kernel calls that a driver writes
//! ([`record`]).
//!
//! *Architecture invariant:* this crate does not depend on the compiler's IR or on instruction encodings.

pub mod acceleration;
pub mod agal;
pub mod barrier_sets;
pub mod feedback;
pub mod fragment;
pub mod geometry;
pub mod image_layout;
pub mod info;
pub mod kernel;
pub mod layout;
pub mod linking;
pub mod mesh;
pub mod occupancy;
pub mod page_table;
pub mod pass;
pub mod pica200;
pub mod pipeline;
pub mod record;
pub mod reference;
pub mod registers;
pub mod render;
pub mod stored;
mod stored_forms;
pub mod streams;
pub mod target;
pub mod tessellation;
pub mod textures;
pub mod tile;
pub mod variables;
pub mod varyings;
pub mod vertex;
pub mod vertex_format;
pub mod words;

pub use fragment::FragmentInfo;
pub use geometry::GeometryInfo;
pub use info::{PartRole, ShaderInfo, Stage};
pub use kernel::{ArgumentKind, KernelArgument, KernelInfo};
pub use layout::{InterfaceUniform, UniformRange, UniformSource};
pub use mesh::{MeshInfo, MeshKind};
pub use target::Target;
pub use tessellation::TessellationInfo;
pub use textures::{DescriptorKind, SamplerBinding, TextureBinding};
