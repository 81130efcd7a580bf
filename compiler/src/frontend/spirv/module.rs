//! One scan over the module: types, constants, global variables, decorations, entry points, and where the functions and
//! their blocks lie. Function bodies are read when they are translated.

use agx_abi::Stage;
use agx_abi::fragment::DepthLayout;
use bumpalo::Bump;
use spirv::{BuiltIn, Decoration, Dim, ExecutionMode, ExecutionModel, Op, StorageClass};

use super::decorations::Decorations;
use super::eval::Eval;
use super::interface::Decorated;
use super::pointers::Pointer;
use super::resources::Resource;
use super::types::{ImageType, Kind, MatrixLayout, Member, Ty, Types};
use super::words::{Inst, Words};
use crate::CompileKey;
use crate::error::CompileError;
use crate::ir::builder::Builder;
use crate::ir::function::Function;
use crate::ir::src::Src;

/// What an id stands for.
#[derive(Clone, Copy, Default)]
pub(super) enum Def<'a> {
    /// Nothing yet.
    #[default]
    None,
    /// A type.
    Type(Ty),
    /// A value: its type and scalars.
    Value(Ty, &'a [Src]),
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
    /// Extended instructions without meaning for the result.
    NonSemanticSet,
    /// Debug information.
    DebugSet,
    /// A string, or the file a piece of debug information names.
    Text(&'a str),
}

/// A variable of module scope.
#[derive(Clone, Copy)]
pub(super) struct Global<'a> {
    /// Its id.
    pub id: u32,
    /// Type of what it holds.
    pub ty: Ty,
    /// Type of the pointer to it.
    pub pointer: Ty,
    /// Where it lives.
    pub class: StorageClass,
    /// Initial value.
    pub init: Option<&'a [Src]>,
}

/// A function body, not yet read.
pub(super) struct FunctionBody {
    /// Its id.
    pub id: u32,
    /// Type of its result.
    pub result: Ty,
    /// Word offset of its head.
    pub start: usize,
    /// Ids of its parameters.
    pub params: Vec<u32>,
    /// Its blocks, entry first.
    pub blocks: Vec<BlockBody>,
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
    /// Label of the merge block that the block's merge instruction names; 0 when it has none.
    pub merge: u32,
    /// Label of the continue target that it names; 0 for a selection.
    pub next_round: u32,
    /// Operations in it depend on which invocations are active.
    pub is_convergent: bool,
    /// It calls functions.
    pub has_calls: bool,
}

struct EntryPoint<'a> {
    model: u32,
    function: u32,
    name: String,
    /// Ids of the variables it uses, at least those that are inputs and outputs.
    interface: &'a [u32],
}

/// A module after the scan.
pub(super) struct Module<'a> {
    pub words: Words<'a>,
    pub types: Types<'a>,
    pub defs: Vec<Def<'a>>,
    pub decorations: Decorations,
    pub globals: Vec<Global<'a>>,
    pub functions: Vec<FunctionBody>,
    entry_points: Vec<EntryPoint<'a>>,
    /// Execution modes: function, mode, operands.
    modes: Vec<(u32, u32, &'a [u32])>,
    /// Structure types with the old decoration of storage buffers.
    buffer_blocks: Vec<Ty>,
    /// Structure types that describe memory with an explicit layout.
    blocks: Vec<Ty>,
    workgroup_size: Option<u32>,
    /// Operations somewhere depend on which invocations are active.
    pub is_convergent: bool,
}

/// The chosen entry point.
pub(super) struct Entry<'a> {
    /// Its stage.
    pub stage: Stage,
    /// Ids of its inputs and outputs, among others.
    pub interface: &'a [u32],
    /// Tests come before the program whatever it does.
    pub early_tests: bool,
    /// What the depths it writes are promised to be.
    pub depth_layout: DepthLayout,
    /// Id of its function.
    pub id: u32,
    /// Index of its function.
    pub function: usize,
    /// Its name.
    pub name: String,
    /// Workgroup size.
    pub workgroup_size: [u32; 3],
}

impl<'a> Module<'a> {
    /// Scans a module.
    pub fn scan(bump: &'a Bump, bytes: &[u8], key: &CompileKey) -> Result<Self, CompileError> {
        let words = Words::new(bump, bytes)?;
        let module = Module {
            words,
            types: Types::new(bump),
            defs: vec![Def::None; words.bound as usize],
            decorations: Decorations::default(),
            globals: Vec::new(),
            functions: Vec::new(),
            entry_points: Vec::new(),
            modes: Vec::new(),
            buffer_blocks: Vec::new(),
            blocks: Vec::new(),
            workgroup_size: None,
            is_convergent: false,
        };
        let mut constants = Function::new(bump, "constants");
        let mut scan = Scan { bump, key, module, b: Builder::start(&mut constants), open: None };
        for inst in words.instructions() {
            let inst = inst?;
            scan.instruction(&inst).map_err(|error| inst.locate(error))?;
        }
        if scan.open.is_some() {
            return Err(CompileError::invalid("the module ends within a function"));
        }
        Ok(scan.module)
    }

    /// Chooses the entry point that `key` wants.
    pub fn entry(&self, key: &CompileKey) -> Result<Entry<'a>, CompileError> {
        let wanted = |point: &&EntryPoint| {
            key.entry_point.as_ref().is_none_or(|name| *name == point.name)
                && key.stage.is_none_or(|stage| stage_of(point.model) == Some(stage))
        };
        let mut matching = self.entry_points.iter().filter(wanted);
        let point =
            matching.next().ok_or_else(|| CompileError::invalid("the module has no such entry point"))?;
        if matching.next().is_some() {
            return Err(CompileError::invalid(
                "the module has several entry points: choose one by name and stage",
            ));
        }
        let Some(stage) = stage_of(point.model) else {
            let model = ExecutionModel::from_u32(point.model);
            let name = model.map_or(format!("number {}", point.model), |model| format!("{model:?}"));
            return Err(CompileError::unsupported(format!(
                "entry point {:?} of execution model {name}",
                point.name
            )));
        };
        let Some(Def::Function(function)) = self.defs.get(point.function as usize) else {
            return Err(CompileError::invalid(format!("entry point {:?} is not a function", point.name)));
        };
        let workgroup_size = self.workgroup_size(point.function)?;
        let has = |mode: ExecutionMode| {
            self.modes.iter().any(|known| (known.0, known.1) == (point.function, mode as u32))
        };
        Ok(Entry {
            stage,
            interface: point.interface,
            early_tests: has(ExecutionMode::EarlyFragmentTests),
            depth_layout: DEPTH_LAYOUTS
                .iter()
                .find(|(mode, _)| has(*mode))
                .map_or(DepthLayout::Any, |(_, layout)| *layout),
            id: point.function,
            function: *function as usize,
            name: point.name.clone(),
            workgroup_size,
        })
    }

    /// Execution modes: function, mode, operands.
    pub fn modes(&self) -> &[(u32, u32, &'a [u32])] {
        &self.modes
    }

    /// Whether a structure type is a storage buffer in the old style.
    pub fn is_buffer_block(&self, ty: Ty) -> bool {
        self.buffer_blocks.contains(&ty)
    }

    /// Whether a structure type describes memory with an explicit layout.
    pub fn is_block(&self, ty: Ty) -> bool {
        self.blocks.contains(&ty)
    }

    fn workgroup_size(&self, function: u32) -> Result<[u32; 3], CompileError> {
        let constant = |id: u32| match self.defs.get(id as usize) {
            Some(Def::Value(_, [leaf])) => leaf.as_imm().map(|bits| bits as u32),
            _ => None,
        };
        let mut size = [1; 3];
        for (target, mode, operands) in &self.modes {
            if *target != function || operands.len() < 3 {
                continue;
            }
            for (dimension, operand) in size.iter_mut().zip(*operands) {
                if *mode == ExecutionMode::LocalSize as u32 {
                    *dimension = *operand;
                } else if *mode == ExecutionMode::LocalSizeId as u32 {
                    *dimension = constant(*operand)
                        .ok_or_else(|| CompileError::invalid("the workgroup size is not a constant"))?;
                }
            }
        }
        if let Some(Def::Value(_, [x, y, z])) = self.workgroup_size.and_then(|id| self.defs.get(id as usize))
        {
            size = [x, y, z].map(|leaf| leaf.as_imm().unwrap_or(1) as u32);
        }
        let threads = size.iter().fold(1u64, |all, count| all.saturating_mul(u64::from(*count)));
        match threads {
            0 => Err(CompileError::invalid(format!("the workgroup size {size:?} is empty"))),
            1..=1024 => Ok(size),
            _ => Err(CompileError::limit(format!("a workgroup of {size:?} has more than 1024 invocations"))),
        }
    }
}

/// What execution modes promise of the depths that a shader writes.
const DEPTH_LAYOUTS: &[(ExecutionMode, DepthLayout)] = &[
    (ExecutionMode::DepthGreater, DepthLayout::Greater),
    (ExecutionMode::DepthLess, DepthLayout::Less),
    (ExecutionMode::DepthUnchanged, DepthLayout::Unchanged),
];

fn stage_of(model: u32) -> Option<Stage> {
    match ExecutionModel::from_u32(model)? {
        ExecutionModel::GLCompute => Some(Stage::Compute),
        ExecutionModel::Vertex => Some(Stage::Vertex),
        ExecutionModel::Fragment => Some(Stage::Fragment),
        _ => None,
    }
}

/// The scan in progress.
struct Scan<'s, 'a> {
    bump: &'a Bump,
    key: &'s CompileKey,
    module: Module<'a>,
    b: Builder<'s, 'a>,
    /// Inside a function: whether a block is open.
    open: Option<bool>,
}

impl<'a> Scan<'_, 'a> {
    fn instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        if self.open.is_some() {
            return self.body(inst);
        }
        match inst.op {
            Op::ExtInstImport => self.import(inst),
            Op::EntryPoint => self.entry_point(inst),
            Op::ExecutionMode | Op::ExecutionModeId => {
                self.module.modes.push((inst.word(0)?, inst.word(1)?, inst.rest(2)));
                Ok(())
            }
            Op::Decorate
            | Op::MemberDecorate
            | Op::DecorateId
            | Op::GroupDecorate
            | Op::GroupMemberDecorate => self.module.decorations.record(inst),
            Op::Function => self.function(inst),
            Op::Variable => self.variable(inst),
            Op::String => {
                let text = self.bump.alloc_str(&inst.string(1)?.0);
                self.define(inst.word(0)?, Def::Text(text))
            }
            Op::ExtInst => self.debug_source(inst),
            Op::Capability => super::capability::check(inst.word(0)?),
            Op::MemoryModel => super::capability::check_addressing(inst.word(0)?),
            op if op.is_type() => self.type_declaration(inst),
            op if op.is_constant() || op == Op::Undef => self.constant(inst),
            // Debug information, extensions (capabilities say what they are used for) and the like.
            _ => Ok(()),
        }
    }

    fn define(&mut self, id: u32, def: Def<'a>) -> Result<(), CompileError> {
        let bound = self.module.words.bound;
        match self.module.defs.get_mut(id as usize) {
            Some(slot @ Def::None) if id != 0 => {
                *slot = def;
                Ok(())
            }
            Some(_) if id != 0 => Err(CompileError::invalid(format!("id {id} is defined twice"))),
            _ => Err(CompileError::invalid(format!("id {id} is not within the bound {bound}"))),
        }
    }

    fn ty(&self, id: u32) -> Result<Ty, CompileError> {
        match self.module.defs.get(id as usize) {
            Some(Def::Type(ty)) => Ok(*ty),
            _ => Err(CompileError::invalid(format!("id {id} is not a type"))),
        }
    }

    fn import(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (name, _) = inst.string(1)?;
        let def = match name.as_str() {
            "GLSL.std.450" => Def::GlslSet,
            name if super::debug::is_debug_set(name) => Def::DebugSet,
            name if name.starts_with("NonSemantic.") => Def::NonSemanticSet,
            name => return Err(CompileError::unsupported(format!("the extended instruction set {name:?}"))),
        };
        self.define(inst.word(0)?, def)
    }

    /// A `DebugSource` stands for the name of its file.
    fn debug_source(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let defs = &self.module.defs;
        let is_debug = matches!(defs.get(inst.word(2)? as usize), Some(Def::DebugSet));
        if is_debug
            && inst.word(3)? == super::debug::DEBUG_SOURCE
            && let Some(Def::Text(name)) = defs.get(inst.word(4)? as usize).copied()
        {
            self.define(inst.word(1)?, Def::Text(name))?;
        }
        Ok(())
    }

    fn entry_point(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (name, next) = inst.string(2)?;
        let (model, function, interface) = (inst.word(0)?, inst.word(1)?, inst.rest(next));
        self.module.entry_points.push(EntryPoint { model, function, name, interface });
        Ok(())
    }

    fn type_declaration(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.module.decorations.sort();
        if inst.op == Op::TypeForwardPointer {
            let class = storage_class(inst.word(1)?)?;
            let ty = self.module.types.add(Kind::Pointer { class, pointee: None, stride: 0 })?;
            return self.define(inst.word(0)?, Def::Type(ty));
        }
        let id = inst.word(0)?;
        let kind = self.type_kind(inst)?;
        if inst.op == Op::TypePointer
            && let Some(Def::Type(ty)) = self.module.defs.get(id as usize).copied()
            && matches!(self.module.types.kind(ty), Kind::Pointer { pointee: None, .. })
        {
            self.module.types.complete(ty, kind);
            return Ok(());
        }
        let ty = self.module.types.add(kind)?;
        if self.module.decorations.has(id, Decoration::BufferBlock) {
            self.module.buffer_blocks.push(ty);
        }
        if self.module.decorations.has(id, Decoration::Block) {
            self.module.blocks.push(ty);
        }
        self.define(id, Def::Type(ty))
    }

    fn type_kind(&mut self, inst: &Inst<'a>) -> Result<Kind<'a>, CompileError> {
        let id = inst.word(0)?;
        let stride = self.module.decorations.of(id, Decoration::ArrayStride).unwrap_or(0);
        Ok(match inst.op {
            Op::TypeVoid => Kind::Void,
            Op::TypeBool => Kind::Bool,
            Op::TypeInt => Kind::Int { bits: scalar_bits(inst, &[8, 16, 32, 64])? },
            Op::TypeFloat => Kind::Float { bits: scalar_bits(inst, &[16, 32, 64])? },
            Op::TypeVector => {
                let elem = self.ty(inst.word(1)?)?;
                if !matches!(self.module.types.kind(elem), Kind::Bool | Kind::Int { .. } | Kind::Float { .. })
                {
                    return Err(CompileError::invalid("a vector's components are not scalars"));
                }
                Kind::Vector { elem, count: small_count(inst, 2, 16)? }
            }
            Op::TypeMatrix => {
                let column = self.ty(inst.word(1)?)?;
                if !matches!(self.module.types.kind(column), Kind::Vector { .. }) {
                    return Err(CompileError::invalid("a matrix's columns are not vectors"));
                }
                Kind::Matrix { column, count: small_count(inst, 2, 4)? }
            }
            Op::TypeArray => {
                let elem = self.ty(inst.word(1)?)?;
                Kind::Array { elem, count: self.length(inst.word(2)?)?, stride }
            }
            Op::TypeRuntimeArray => Kind::RuntimeArray { elem: self.ty(inst.word(1)?)?, stride },
            Op::TypeStruct => Kind::Struct { members: self.members(id, inst.rest(1))? },
            Op::TypePointer => {
                let class = storage_class(inst.word(1)?)?;
                Kind::Pointer { class, pointee: self.ty(inst.word(2)?).ok(), stride }
            }
            Op::TypeFunction => Kind::Function,
            Op::TypeImage => Kind::Image(self.image_type(inst)?),
            Op::TypeSampler => Kind::Sampler,
            Op::TypeSampledImage => Kind::SampledImage { image: self.ty(inst.word(1)?)? },
            op => Kind::Opaque(super::opcode::name(op).unwrap_or("of a vendor")),
        })
    }

    fn image_type(&self, inst: &Inst<'a>) -> Result<ImageType, CompileError> {
        let dim = inst.word(2)?;
        Ok(ImageType {
            texel: self.ty(inst.word(1)?)?,
            dim: Dim::from_u32(dim)
                .ok_or_else(|| CompileError::invalid(format!("unknown dimension {dim} of an image")))?,
            arrayed: inst.word(4)? != 0,
            multisampled: inst.word(5)? != 0,
            storage: inst.word(6)? == 2,
        })
    }

    fn length(&self, id: u32) -> Result<u32, CompileError> {
        let length = match self.module.defs.get(id as usize) {
            Some(Def::Value(_, [leaf])) => leaf.as_imm(),
            _ => None,
        };
        match length.map(u32::try_from) {
            Some(Ok(0)) | None => Err(CompileError::invalid("an array's length is not a positive constant")),
            Some(Ok(length)) => Ok(length),
            Some(Err(_)) => Err(CompileError::limit("an array has more than 2^32 elements")),
        }
    }

    fn members(&self, id: u32, types: &[u32]) -> Result<&'a [Member], CompileError> {
        let decorations = &self.module.decorations;
        let mut members: Vec<Member> = Vec::with_capacity(types.len());
        let mut leaf = 0u32;
        for (index, ty) in types.iter().enumerate() {
            let (index, ty) = (index as u32, self.ty(*ty)?);
            let of = |decoration| decorations.of_member(id, index, decoration);
            let natural_offset = self.module.types.natural_offset_after(members.last(), ty);
            members.push(Member {
                ty,
                leaf,
                offset: of(Decoration::Offset).unwrap_or(0),
                natural_offset: natural_offset
                    .ok_or_else(|| CompileError::limit("a structure is larger than 4 GiB"))?,
                matrix: MatrixLayout {
                    stride: of(Decoration::MatrixStride).unwrap_or(0),
                    row_major: of(Decoration::RowMajor).is_some(),
                },
                readonly: of(Decoration::NonWritable).is_some(),
                volatile: of(Decoration::Volatile).is_some() || of(Decoration::Coherent).is_some(),
                decorated: Decorated::read(of),
            });
            let count = self.module.types.get(ty).leaves.map_or(0, |leaves| leaves.len() as u32);
            leaf = leaf.saturating_add(count);
        }
        Ok(self.bump.alloc_slice_copy(&members))
    }

    fn constant(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.module.decorations.sort();
        let (ty, id) = (self.ty(inst.word(0)?)?, inst.word(1)?);
        let special = self.module.decorations.of(id, Decoration::SpecId);
        let chosen = special.and_then(|special| {
            self.key.spec_constants.iter().find(|(known, _)| *known == special).map(|(_, bits)| *bits)
        });
        let Module { types, defs, .. } = &self.module;
        let mut eval = Eval { b: &mut self.b, bump: self.bump, types, defs, site: None, masks_shifts: false };
        let leaves = super::spec::constant(&mut eval, inst, ty, chosen)?;
        if self.module.decorations.of(id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32) {
            self.module.workgroup_size = Some(id);
        }
        self.define(id, Def::Value(ty, leaves))
    }

    fn variable(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (pointer, id) = (self.ty(inst.word(0)?)?, inst.word(1)?);
        let Kind::Pointer { class, pointee: Some(ty), .. } = self.module.types.kind(pointer) else {
            return Err(CompileError::invalid("a variable's type is not a pointer"));
        };
        let init = match inst.rest(3) {
            [init, ..] => match self.module.defs.get(*init as usize) {
                Some(Def::Value(_, leaves)) => Some(*leaves),
                _ => return Err(CompileError::unsupported("an initializer that is not a constant")),
            },
            [] => None,
        };
        let index = self.module.globals.len() as u32;
        self.module.globals.push(Global { id, ty, pointer, class, init });
        self.define(id, Def::Global(index))
    }

    fn function(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.module.decorations.sort();
        let (result, id) = (self.ty(inst.word(0)?)?, inst.word(1)?);
        let index = self.module.functions.len() as u32;
        self.module.functions.push(FunctionBody {
            id,
            result,
            start: inst.offset,
            params: Vec::new(),
            blocks: Vec::new(),
        });
        self.open = Some(false);
        self.define(id, Def::Function(index))
    }

    /// An instruction between a function's head and its end.
    fn body(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let in_block = self.open == Some(true);
        let function = self.module.functions.last_mut().expect("invariant: a function is open");
        match inst.op {
            Op::FunctionEnd if in_block => Err(CompileError::invalid("a function ends within a block")),
            Op::FunctionEnd => {
                self.open = None;
                Ok(())
            }
            Op::FunctionParameter => {
                function.params.push(inst.word(1)?);
                Ok(())
            }
            Op::Label if in_block => Err(CompileError::invalid("a block has no terminator")),
            Op::Label => {
                let label = inst.word(0)?;
                let start = inst.offset + 2;
                let index = function.blocks.len() as u32;
                function.blocks.push(BlockBody {
                    label,
                    start,
                    end: start,
                    merge: 0,
                    next_round: 0,
                    is_convergent: false,
                    has_calls: false,
                });
                self.open = Some(true);
                self.define(label, Def::Label(index))
            }
            op if is_terminator(op) => {
                let block = function.blocks.last_mut().filter(|_| in_block);
                block.ok_or_else(|| CompileError::invalid("a terminator stands outside any block"))?.end =
                    inst.offset;
                self.open = Some(false);
                Ok(())
            }
            Op::Line | Op::NoLine | Op::Nop => Ok(()),
            Op::ExtInst if !in_block => Ok(()),
            op if in_block => {
                let block = function.blocks.last_mut().expect("invariant: a block is open");
                match op {
                    Op::LoopMerge => (block.merge, block.next_round) = (inst.word(0)?, inst.word(1)?),
                    Op::SelectionMerge => block.merge = inst.word(0)?,
                    Op::FunctionCall => block.has_calls = true,
                    op => block.is_convergent |= super::reconverge::is_convergent(op),
                }
                self.module.is_convergent |= block.is_convergent;
                Ok(())
            }
            _ => Err(CompileError::invalid("an instruction stands outside any block")),
        }
    }
}

/// Whether `op` ends a block.
pub(super) fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
    )
}

fn scalar_bits(inst: &Inst<'_>, allowed: &[u8]) -> Result<u8, CompileError> {
    let bits = inst.word(1)?;
    let known = allowed.iter().copied().find(|known| u32::from(*known) == bits);
    known.ok_or_else(|| CompileError::unsupported(format!("scalars of {bits} bits")))
}

fn small_count(inst: &Inst<'_>, index: usize, most: u32) -> Result<u32, CompileError> {
    match inst.word(index)? {
        count @ 2.. if count <= most => Ok(count),
        count => Err(CompileError::invalid(format!("{count} components or columns"))),
    }
}

fn storage_class(number: u32) -> Result<StorageClass, CompileError> {
    StorageClass::from_u32(number)
        .ok_or_else(|| CompileError::invalid(format!("unknown storage class {number}")))
}
