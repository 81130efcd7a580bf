//! The contracts between AGX shaders and the driver that runs them: which registers and uniforms hold what, which parts
//! a shader has, what a driver must know of a compiled shader, how registers limit occupancy; and the records of control
//! streams, descriptors and kernel calls that a driver writes ([`record`]).
//!
//! *Architecture invariant:* this crate knows nothing of the compiler's IR or of instruction encodings.

pub mod agal;
pub mod feedback;
pub mod fragment;
pub mod image_layout;
pub mod info;
pub mod layout;
pub mod occupancy;
pub mod pass;
pub mod pica200;
pub mod pipeline;
pub mod record;
pub mod reference;
pub mod registers;
pub mod stored;
mod stored_forms;
pub mod target;
pub mod textures;
pub mod tile;
pub mod varyings;
pub mod vertex;
pub mod vertex_format;
pub mod words;

pub use fragment::FragmentInfo;
pub use info::{PartRole, ShaderInfo, Stage};
pub use layout::{InterfaceUniform, UniformRange, UniformSource};
pub use target::Target;
pub use textures::{DescriptorKind, SamplerBinding, TextureBinding};
