//! A scanned module: types, constants, global variables, decorations, entry points, and the positions of
//! functions and blocks. Function bodies are read during translation.

use agx_abi::fragment::DepthLayout;
use agx_abi::{GeometryInfo, MeshInfo, MeshKind, Stage, TessellationInfo};
use bumpalo::collections::Vec as ArenaVec;
use spirv::{AddressingModel, Capability, ExecutionMode, ExecutionModel, Op, StorageClass};

use super::decorations::Decorations;
use super::pointer::Pointer;
use super::resource::Resource;
use super::tessellation_modes::TessellationKind;
use super::types::{Ty, Types};
use super::words::{Inst, Words};
use super::{geometry_modes, mesh_modes, tessellation_modes};
use crate::CompileKey;
use crate::error::{CompileError, ModuleError};
use crate::frontend::kit::derivatives::Quads;
use crate::frontend::kit::fragment::FragmentModes;
use crate::frontend::kit::limits::MAX_INVOCATIONS;
use crate::ir::function::UnrollHint;
use crate::ir::src::Src;

/// The meaning of an id.
#[derive(Clone, Copy, Default)]
pub(super) enum Def<'a> {
    /// Undefined so far.
    #[default]
    None,
    /// A type.
    Type(Ty),
    /// A value: its type and scalars.
    Value(Ty, &'a [Src]),
    /// A large value: its type, and the memory that holds it wherever it is visible.
    Stored(Ty, &'a Pointer<'a>),
    /// A pointer.
    Pointer(&'a Pointer<'a>),
    /// An image, a sampler, or both.
    Resource(&'a Resource),
    /// A module-scope variable, by index.
    Global(u32),
    /// A function, by index.
    Function(u32),
    /// A block, by index in its function.
    Label(u32),
    /// The extended instructions of GLSL.
    GlslSet,
    /// The extended instructions of OpenCL.
    OpenClSet,
    /// Extended instructions without effect on the result.
    NonSemanticSet,
    /// Debug information.
    DebugSet,
    /// A string, or the file name of a debug source.
    Text(&'a str),
}

/// A variable of module scope.
#[derive(Clone, Copy)]
pub(super) struct Global<'a> {
    /// Its id.
    pub id: u32,
    /// Type of its contents.
    pub ty: Ty,
    /// Type of the pointer to it.
    pub pointer: Ty,
    /// Its storage class.
    pub class: StorageClass,
    /// Initial value.
    pub init: Option<Init<'a>>,
}

/// Initial value of a variable of module scope.
#[derive(Clone, Copy)]
pub(super) enum Init<'a> {
    /// The scalars of a constant.
    Constant(&'a [Src]),
    /// The pointer to another variable, by its id.
    Variable(u32),
}

/// A function body, not yet read.
pub(super) struct FunctionBody<'a> {
    /// Its id.
    pub id: u32,
    /// Type of its result.
    pub result: Ty,
    /// Word offset of its OpFunction.
    pub start: usize,
    /// Ids of its parameters.
    pub params: ArenaVec<'a, u32>,
    /// Its blocks, entry first.
    pub blocks: ArenaVec<'a, BlockBody>,
}

/// A block of a function body.
#[derive(Clone, Copy)]
pub(super) struct BlockBody {
    /// Id of its label.
    pub label: u32,
    /// Word offset of the first instruction after the label.
    pub start: usize,
    /// Word offset of the terminator.
    pub end: usize,
    /// Label of the merge block; 0 if there is no merge instruction.
    pub merge: u32,
    /// Label of the continue target; 0 for a selection.
    pub continue_target: u32,
    /// Whether to unroll the loop that begins with it, if the module says so.
    pub unroll_hint: Option<UnrollHint>,
    /// Whether an operation in it depends on which invocations are active.
    pub is_convergent: bool,
    /// Whether it calls functions.
    pub has_calls: bool,
}

/// An entry point as declared.
pub(super) struct EntryPoint<'a> {
    pub model: u32,
    pub function: u32,
    pub name: String,
    /// Ids of the variables it uses, at least its inputs and outputs.
    pub interface: &'a [u32],
}

/// A module after the scan.
pub(super) struct Module<'a> {
    pub words: Words<'a>,
    pub types: Types<'a>,
    pub defs: &'a mut [Def<'a>],
    pub decorations: Decorations<'a>,
    pub globals: ArenaVec<'a, Global<'a>>,
    pub functions: ArenaVec<'a, FunctionBody<'a>>,
    pub entry_points: Vec<EntryPoint<'a>>,
    /// Execution modes: function, mode, operands.
    pub modes: ArenaVec<'a, (u32, u32, &'a [u32])>,
    /// Structure types with the deprecated decoration of storage buffers.
    pub buffer_blocks: ArenaVec<'a, Ty>,
    /// Structure types that describe memory with an explicit layout.
    pub blocks: ArenaVec<'a, Ty>,
    pub workgroup_size: Option<u32>,
    /// Whether any operation depends on which invocations are active.
    pub is_convergent: bool,
}

/// The selected entry point.
pub(super) struct Entry<'a> {
    /// Its stage.
    pub stage: Stage,
    /// Ids of its interface, which includes its inputs and outputs.
    pub interface: &'a [u32],
    /// Whether transform feedback captures outputs.
    pub feedback: bool,
    /// The declared modes of a fragment shader.
    pub fragment: FragmentModes,
    /// Id of its function.
    pub id: u32,
    /// Index of its function.
    pub function: usize,
    /// Its name.
    pub name: String,
    /// Workgroup size.
    pub workgroup_size: [u32; 3],
    /// The arrangement of invocations in quads (compute).
    pub quads: Option<Quads>,
    /// The modes of a geometry shader, whose stage is compute.
    pub geometry: Option<GeometryInfo>,
    /// Which tessellation shader it is, and its modes: the stage of a control shader is compute, that of an evaluation
    /// shader vertex.
    pub tessellation: Option<(TessellationKind, TessellationInfo)>,
    /// The modes of a task or mesh shader, whose stage is compute.
    pub mesh: Option<MeshInfo>,
}

impl<'a> Module<'a> {
    /// The function with this index.
    pub fn function(&self, index: usize) -> Result<&FunctionBody<'a>, CompileError> {
        self.functions.get(index).ok_or_else(|| CompileError::internal("a missing function"))
    }

    /// The entry points by name and execution model.
    fn entry_names(&self) -> String {
        let name = |point: &EntryPoint| match ExecutionModel::from_u32(point.model) {
            Some(model) => format!("`{}` ({model:?})", point.name),
            None => format!("`{}` (execution model {})", point.name, point.model),
        };
        self.entry_points.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The error that no entry point matches `key`.
    fn no_entry(&self, key: &CompileKey) -> ModuleError {
        let stage = key.stage.map_or(String::new(), |stage| format!(" of stage {}", stage.name()));
        let name = key.entry_point.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
        let found = if self.entry_points.is_empty() { "none".to_owned() } else { self.entry_names() };
        ModuleError::NoEntry { wanted: name + &stage, found }
    }

    /// Selects the entry point for `key`.
    pub fn entry(&self, key: &CompileKey) -> Result<Entry<'a>, CompileError> {
        let wanted = |point: &&EntryPoint| {
            key.entry_point.as_ref().is_none_or(|name| *name == point.name)
                && key.stage.is_none_or(|stage| {
                    stage_of(point.model) == Some(stage)
                        && is_geometry(point.model) == key.geometry.is_some()
                        && TessellationKind::of(point.model).is_some() == key.tessellation.is_some()
                        && mesh_kind(point.model) == key.mesh
                })
        };
        let mut matching = self.entry_points.iter().filter(wanted);
        let point = matching.next().ok_or_else(|| self.no_entry(key))?;
        if matching.next().is_some() {
            return Err(ModuleError::SeveralEntries { found: self.entry_names() }.into());
        }
        let Some(stage) = stage_of(point.model).filter(|_| is_kernel(point.model) == self.types.is_kernel)
        else {
            let model = ExecutionModel::from_u32(point.model);
            let name = model.map_or(format!("number {}", point.model), |model| format!("{model:?}"));
            return Err(ModuleError::ExecutionModel { name: point.name.clone(), model: name }.into());
        };
        let Some(Def::Function(function)) = self.defs.get(point.function as usize) else {
            return Err(ModuleError::EntryNotFunction { name: point.name.clone(), id: point.function }.into());
        };
        let of_this = self.modes.iter().filter(|known| known.0 == point.function);
        super::execution_modes::check(of_this.clone().map(|known| known.1))?;
        let workgroup_size = self.workgroup_size(point.function, key)?;
        let has = |mode: ExecutionMode| {
            self.modes.iter().any(|known| (known.0, known.1) == (point.function, mode as u32))
        };
        let quads = of_this.filter_map(|known| quads(known.1)).next();
        if let Some(quads) = quads {
            check_quads(quads, workgroup_size)?;
        }
        let modes = is_geometry(point.model)
            .then(|| geometry_modes::modes(&self.modes, point.function, self.has_streams()));
        let tessellation = TessellationKind::of(point.model).map(|kind| {
            tessellation_modes::modes(&self.modes, point.function, kind).map(|modes| (kind, modes))
        });
        let mesh = mesh_kind(point.model).map(|kind| mesh_modes::modes(&self.modes, point.function, kind));
        Ok(Entry {
            stage,
            interface: point.interface,
            feedback: has(ExecutionMode::Xfb),
            fragment: fragment_modes(has),
            id: point.function,
            function: *function as usize,
            name: point.name.clone(),
            workgroup_size,
            quads,
            geometry: modes.transpose()?,
            tessellation: tessellation.transpose()?,
            mesh: mesh.transpose()?,
        })
    }

    /// Whether geometry shaders may emit to several streams.
    fn has_streams(&self) -> bool {
        let is_declared = |inst: &Inst<'_>| inst.word(0).ok() == Some(Capability::GeometryStreams as u32);
        let declarations = self.words.instructions().map_while(Result::ok);
        declarations.take_while(|inst| inst.op == Op::Capability).any(|inst| is_declared(&inst))
    }

    /// Whether the module has addresses that are not bounds-checked.
    pub fn has_addresses(&self) -> bool {
        let mut declarations = self.words.instructions().map_while(Result::ok);
        let model = declarations.find(|inst| inst.op == Op::MemoryModel);
        model.is_none_or(|inst| inst.word(0).ok() != Some(AddressingModel::Logical as u32))
    }

    /// Whether a function has a loop.
    pub fn has_loops(&self) -> bool {
        self.functions.iter().flat_map(|function| &function.blocks).any(|block| block.continue_target != 0)
    }

    /// Execution modes: function, mode, operands.
    pub fn modes(&self) -> &[(u32, u32, &'a [u32])] {
        &self.modes
    }

    /// Whether a structure type is a storage buffer with the deprecated decoration.
    pub fn is_buffer_block(&self, ty: Ty) -> bool {
        self.buffer_blocks.contains(&ty)
    }

    /// Whether a structure type describes memory with an explicit layout.
    pub fn is_block(&self, ty: Ty) -> bool {
        self.blocks.contains(&ty)
    }

    /// Whether the module fixes the workgroup size of a kernel.
    pub fn fixes_size(&self, function: u32) -> bool {
        let is_size =
            |mode: u32| [ExecutionMode::LocalSize as u32, ExecutionMode::LocalSizeId as u32].contains(&mode);
        self.workgroup_size.is_some() || self.modes.iter().any(|mode| mode.0 == function && is_size(mode.1))
    }

    /// The workgroup size of a kernel that does not fix it: that of the key, or the one that it hints at.
    fn chosen_size(&self, function: u32, key: &CompileKey) -> [u32; 3] {
        let hint = self
            .modes
            .iter()
            .find(|mode| (mode.0, mode.1) == (function, ExecutionMode::LocalSizeHint as u32));
        let hint = hint.and_then(|(_, _, size)| size.first_chunk::<3>().copied());
        key.workgroup_size.or(hint).unwrap_or(DEFAULT_SIZE)
    }

    fn workgroup_size(&self, function: u32, key: &CompileKey) -> Result<[u32; 3], CompileError> {
        let constant = |id: u32| match self.defs.get(id as usize) {
            Some(Def::Value(_, [leaf])) => leaf.as_imm().map(|bits| bits as u32),
            _ => None,
        };
        let is_chosen = self.types.is_kernel && !self.fixes_size(function);
        let mut size = if is_chosen { self.chosen_size(function, key) } else { [1; 3] };
        for (target, mode, operands) in &self.modes {
            if *target != function || operands.len() < 3 {
                continue;
            }
            for (dimension, operand) in size.iter_mut().zip(*operands) {
                if *mode == ExecutionMode::LocalSize as u32 {
                    *dimension = *operand;
                } else if *mode == ExecutionMode::LocalSizeId as u32 {
                    *dimension = constant(*operand).ok_or(ModuleError::WorkgroupSize { id: *operand })?;
                }
            }
        }
        if let Some(Def::Value(_, [x, y, z])) = self.workgroup_size.and_then(|id| self.defs.get(id as usize))
        {
            size = [x, y, z].map(|leaf| leaf.as_imm().unwrap_or(1) as u32);
        }
        let threads = size.iter().fold(1u64, |all, count| all.saturating_mul(u64::from(*count)));
        match threads {
            0 => Err(ModuleError::EmptyWorkgroup { size }.into()),
            1..=MAX_INVOCATIONS => Ok(size),
            _ => Err(ModuleError::LargeWorkgroup { size, most: MAX_INVOCATIONS }.into()),
        }
    }
}

/// The size of workgroups of kernels if neither the module nor the key gives one.
const DEFAULT_SIZE: [u32; 3] = [64, 1, 1];

/// Whether entry points of an execution model are OpenCL's kernels.
fn is_kernel(model: u32) -> bool {
    ExecutionModel::from_u32(model) == Some(ExecutionModel::Kernel)
}

/// The declared modes of a fragment shader.
fn fragment_modes(has: impl Fn(ExecutionMode) -> bool) -> FragmentModes {
    let layout = DEPTH_LAYOUTS.iter().find(|(mode, _)| has(*mode));
    FragmentModes {
        early_tests: has(ExecutionMode::EarlyFragmentTests),
        depth_layout: layout.map_or(DepthLayout::Any, |(_, layout)| *layout),
        // Maximal reconvergence keeps them active.
        helpers_take_part: has(ExecutionMode::MaximallyReconvergesKHR),
        ..FragmentModes::default()
    }
}

/// Depth layouts of execution modes.
const DEPTH_LAYOUTS: &[(ExecutionMode, DepthLayout)] = &[
    (ExecutionMode::DepthGreater, DepthLayout::Greater),
    (ExecutionMode::DepthLess, DepthLayout::Less),
    (ExecutionMode::DepthUnchanged, DepthLayout::Unchanged),
];

/// Whether entry points of an execution model are geometry shaders.
fn is_geometry(model: u32) -> bool {
    ExecutionModel::from_u32(model) == Some(ExecutionModel::Geometry)
}

/// Which of the shaders of a mesh pipeline entry points of an execution model are.
fn mesh_kind(model: u32) -> Option<MeshKind> {
    match ExecutionModel::from_u32(model)? {
        ExecutionModel::TaskEXT => Some(MeshKind::Task),
        ExecutionModel::MeshEXT => Some(MeshKind::Mesh),
        _ => None,
    }
}

/// The stage in which the hardware runs an execution model.
fn stage_of(model: u32) -> Option<Stage> {
    match ExecutionModel::from_u32(model)? {
        ExecutionModel::GLCompute
        | ExecutionModel::Kernel
        | ExecutionModel::Geometry
        | ExecutionModel::TessellationControl
        | ExecutionModel::TaskEXT
        | ExecutionModel::MeshEXT => Some(Stage::Compute),
        ExecutionModel::Vertex | ExecutionModel::TessellationEvaluation => Some(Stage::Vertex),
        ExecutionModel::Fragment => Some(Stage::Fragment),
        _ => None,
    }
}

/// The quads of an execution mode.
fn quads(mode: u32) -> Option<Quads> {
    match ExecutionMode::from_u32(mode)? {
        ExecutionMode::DerivativeGroupQuadsKHR => Some(Quads::Square),
        ExecutionMode::DerivativeGroupLinearKHR => Some(Quads::Linear),
        _ => None,
    }
}

/// Checks that a workgroup can be divided into such quads.
fn check_quads(quads: Quads, size: [u32; 3]) -> Result<(), CompileError> {
    let fits = match quads {
        Quads::Square => size[0].is_multiple_of(2) && size[1].is_multiple_of(2),
        Quads::Linear => size.iter().product::<u32>().is_multiple_of(4),
    };
    if fits {
        return Ok(());
    }
    Err(ModuleError::NotQuads { size }.into())
}
