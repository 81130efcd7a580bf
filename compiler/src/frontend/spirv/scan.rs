//! The scan of a module, which fills the module's tables instruction by instruction.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use spirv::{BuiltIn, Decoration, Dim, FPEncoding, ImageFormat, LoopControl, Op, StorageClass};

use super::cooperative;
use super::decorations::Decorated;
use super::decorations::Decorations;
use super::eval::Eval;
use super::module::{BlockBody, Def, EntryPoint, FunctionBody, Global, Init, Module};
use super::ray_query;
use super::types::{ImageType, Kind, MatrixLayout, Member, Ty, Types, format_components};
use super::usage::Usage;
use super::usage_scan::UsageScan;
use super::words::{Inst, Words};
use crate::error::{CompileError, FlowError, ModuleError, TypeError};
use crate::frontend::kit::robustness::Bounds;
use crate::ir::builder::Builder;
use crate::ir::function::{UnrollHint, with_rows};
use crate::{CompileKey, stopping};

impl<'a> Module<'a> {
    /// Scans a module, and the uses of its variables.
    pub fn scan(bump: &'a Bump, bytes: &[u8], key: &CompileKey) -> Result<(Self, Usage<'a>), CompileError> {
        let words = Words::new(bump, bytes)?;
        let module = Module {
            words,
            types: Types::new(bump, key.robustness.storage != Bounds::Unchecked),
            defs: bump.alloc_slice_fill_copy(words.bound as usize, Def::None),
            decorations: Decorations::new_in(bump),
            globals: ArenaVec::new_in(bump),
            functions: ArenaVec::new_in(bump),
            entry_points: Vec::new(),
            modes: ArenaVec::new_in(bump),
            buffer_blocks: ArenaVec::new_in(bump),
            blocks: ArenaVec::new_in(bump),
            workgroup_size: None,
            is_convergent: false,
        };
        let mut constants = with_rows(bump, "constants", 0);
        stopping::watch(&mut constants, &key.limits);
        let usage = UsageScan::new_in(bump, words.bound);
        let mut scan = Scan { bump, key, module, b: Builder::start(&mut constants), open: None, usage };
        for inst in words.instructions() {
            let inst = inst?;
            scan.b.f.watch.visit(1);
            scan.instruction(&inst).map_err(|error| inst.locate(error))?;
        }
        if scan.open.is_some() {
            return Err(ModuleError::OpenFunction.into());
        }
        let usage = scan.usage.finish(&scan.module);
        Ok((scan.module, usage))
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
    usage: UsageScan<'a>,
}

impl<'a> Scan<'_, 'a> {
    #[inline]
    fn instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match inst.op {
            _ if self.open.is_some() => self.body(inst),
            // Most instructions before the functions.
            Op::Name | Op::MemberName => Ok(()),
            _ => self.declaration(inst),
        }
    }

    /// An instruction outside of functions.
    fn declaration(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
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
            Op::MemoryModel => {
                self.module.types.is_kernel = super::capability::is_of_kernels(inst.word(0)?)?;
                Ok(())
            }
            op if op.is_type() => self.type_declaration(inst),
            op if op.is_constant() || op == Op::Undef => self.constant(inst),
            // Debug information, extensions (capabilities cover their use), and so on.
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
            Some(_) if id != 0 => Err(TypeError::DefinedTwice { id }.into()),
            _ => Err(TypeError::OutOfBound { id, bound }.into()),
        }
    }

    fn ty(&self, id: u32) -> Result<Ty, CompileError> {
        match self.module.defs.get(id as usize) {
            Some(Def::Type(ty)) => Ok(*ty),
            _ => Err(TypeError::NotAType { id }.into()),
        }
    }

    fn import(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (name, _) = inst.string(1)?;
        let def = match name.as_str() {
            "GLSL.std.450" => Def::GlslSet,
            "OpenCL.std" => Def::OpenClSet,
            name if super::debug::is_debug_set(name) => Def::DebugSet,
            name if name.starts_with("NonSemantic.") => Def::NonSemanticSet,
            name => return Err(ModuleError::ExtendedSet { name: name.to_owned() }.into()),
        };
        self.define(inst.word(0)?, def)
    }

    /// Records the file name of a `DebugSource`.
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
        self.module.decorations.sort(self.module.words.bound);
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
            Op::TypeFloat => float_kind(inst)?,
            Op::TypeVector => {
                let elem = self.ty(inst.word(1)?)?;
                let elem_kind = self.module.types.kind(elem);
                if !matches!(elem_kind, Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::Bfloat16) {
                    return Err(TypeError::VectorComponent { id: inst.word(1)? }.into());
                }
                Kind::Vector { elem, count: small_count(inst, 2, 16)? }
            }
            Op::TypeMatrix => {
                let column = self.ty(inst.word(1)?)?;
                if !matches!(self.module.types.kind(column), Kind::Vector { .. }) {
                    return Err(TypeError::MatrixColumn { id: inst.word(1)? }.into());
                }
                Kind::Matrix { column, count: small_count(inst, 2, 4)? }
            }
            Op::TypeCooperativeMatrixKHR => self.cooperative_matrix(inst)?,
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
            Op::TypeAccelerationStructureKHR => Kind::AccelerationStructure,
            Op::TypeRayQueryKHR => ray_query::kind(&mut self.module.types, self.bump)?,
            Op::TypeEvent if self.module.types.is_kernel => Kind::Int { bits: 32 },
            Op::TypeSampledImage => Kind::SampledImage { image: self.ty(inst.word(1)?)? },
            op => Kind::Opaque(op),
        })
    }

    fn cooperative_matrix(&mut self, inst: &Inst<'a>) -> Result<Kind<'a>, CompileError> {
        let elem = self.ty(inst.word(1)?)?;
        if !matches!(self.module.types.kind(elem), Kind::Int { .. } | Kind::Float { .. } | Kind::Bfloat16) {
            return Err(TypeError::VectorComponent { id: inst.word(1)? }.into());
        }
        let [scope, rows, columns] = [2, 3, 4].map(|index| self.length(inst.word(index)?));
        let pair = self.module.types.add(Kind::Vector { elem, count: 2 })?;
        cooperative::kind(elem, pair, scope?, [rows?, columns?])
    }

    fn image_type(&self, inst: &Inst<'a>) -> Result<ImageType, CompileError> {
        let dim = inst.word(2)?;
        Ok(ImageType {
            texel: self.ty(inst.word(1)?)?,
            dim: Dim::from_u32(dim).ok_or(TypeError::UnknownDim { number: dim })?,
            arrayed: inst.word(4)? != 0,
            multisampled: inst.word(5)? != 0,
            storage: match self.module.types.is_kernel {
                true => inst.rest(8).first().is_some_and(|access| *access != 0),
                false => inst.word(6)? == 2,
            },
            components: ImageFormat::from_u32(inst.word(7)?).map_or(4, format_components),
        })
    }

    fn length(&self, id: u32) -> Result<u32, CompileError> {
        let length = match self.module.defs.get(id as usize) {
            Some(Def::Value(_, [leaf])) => leaf.as_imm(),
            _ => None,
        };
        match length.map(u32::try_from) {
            Some(Ok(0)) | None => Err(TypeError::ArrayLength { id }.into()),
            Some(Ok(length)) => Ok(length),
            Some(Err(_)) => Err(TypeError::ArrayTooLong { id }.into()),
        }
    }

    fn members(&self, id: u32, types: &[u32]) -> Result<&'a [Member], CompileError> {
        let decorations = &self.module.decorations;
        let mut members = ArenaVec::with_capacity_in(types.len(), self.bump);
        let packed = self.module.types.is_kernel && decorations.has(id, Decoration::CPacked);
        let mut leaf = 0u32;
        for (index, ty) in types.iter().enumerate() {
            let (index, ty) = (index as u32, self.ty(*ty)?);
            let part = decorations.member(id, index);
            let of = |decoration| part.of(decoration);
            let natural_offset = self.module.types.natural_offset_after(members.last(), ty, packed);
            members.push(Member {
                ty,
                leaf,
                offset: of(Decoration::Offset).unwrap_or(0),
                natural_offset: natural_offset.ok_or(TypeError::TooLarge)?,
                packed,
                matrix: MatrixLayout {
                    stride: of(Decoration::MatrixStride).unwrap_or(0),
                    row_major: of(Decoration::RowMajor).is_some(),
                },
                readonly: of(Decoration::NonWritable).is_some(),
                volatile: of(Decoration::Volatile).is_some() || of(Decoration::Coherent).is_some(),
                decorated: Decorated::read(part),
            });
            let count = self.module.types.get(ty).leaves.map_or(0, |leaves| leaves.len() as u32);
            leaf = leaf.saturating_add(count);
        }
        Ok(members.into_bump_slice())
    }

    fn constant(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.module.decorations.sort(self.module.words.bound);
        let (ty, id) = (self.ty(inst.word(0)?)?, inst.word(1)?);
        if inst.op == Op::Undef && !self.module.types.has_values(ty) {
            return Ok(());
        }
        if inst.op == Op::ConstantSampler && self.module.types.is_kernel {
            return Ok(());
        }
        if self.module.types.is_kernel && inst.op == Op::SpecConstantOp && self.is_of_pointers(inst)? {
            // Defined at the start of the kernel.
            return Ok(());
        }
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

    /// Whether an operation on constants computes with addresses, which are known when the program is built.
    fn is_of_pointers(&self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        let is_pointer =
            |id: &u32| matches!(self.module.defs.get(*id as usize), Some(Def::Global(_) | Def::None));
        let ty = self.ty(inst.word(0)?)?;
        Ok(matches!(self.module.types.kind(ty), Kind::Pointer { .. })
            || inst.rest(3).first().is_some_and(is_pointer))
    }

    fn variable(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (pointer, id) = (self.ty(inst.word(0)?)?, inst.word(1)?);
        let Kind::Pointer { class, pointee: Some(ty), .. } = self.module.types.kind(pointer) else {
            return Err(TypeError::VariableType { id: inst.word(0)? }.into());
        };
        let init = match inst.rest(3) {
            [init, ..] => match self.module.defs.get(*init as usize) {
                Some(Def::Value(_, leaves)) => Some(Init::Constant(leaves)),
                Some(Def::Global(_)) if class == StorageClass::Private => Some(Init::Variable(*init)),
                _ => return Err(TypeError::Initializer { id: *init }.into()),
            },
            [] => None,
        };
        let index = self.module.globals.len() as u32;
        let global = Global { id, ty, pointer, class, init };
        self.usage.global(&global);
        self.module.globals.push(global);
        self.define(id, Def::Global(index))
    }

    fn function(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.module.decorations.sort(self.module.words.bound);
        let (result, id) = (self.ty(inst.word(0)?)?, inst.word(1)?);
        let index = self.module.functions.len() as u32;
        self.module.functions.push(FunctionBody {
            id,
            result,
            start: inst.offset,
            params: ArenaVec::new_in(self.bump),
            blocks: ArenaVec::new_in(self.bump),
        });
        self.open = Some(false);
        self.usage.instruction(&self.module, inst);
        self.define(id, Def::Function(index))
    }

    /// An instruction between OpFunction and OpFunctionEnd.
    fn body(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let in_block = self.open == Some(true);
        self.usage.instruction(&self.module, inst);
        let function = self.module.functions.last_mut().expect("invariant: a function is open");
        match inst.op {
            Op::FunctionEnd if in_block => Err(FlowError::OpenBlock.into()),
            Op::FunctionEnd => {
                self.open = None;
                Ok(())
            }
            Op::FunctionParameter => {
                function.params.push(inst.word(1)?);
                Ok(())
            }
            Op::Label if in_block => Err(FlowError::NoTerminator.into()),
            Op::Label => {
                let label = inst.word(0)?;
                let start = inst.offset.saturating_add(2);
                let index = function.blocks.len() as u32;
                function.blocks.push(BlockBody {
                    label,
                    start,
                    end: start,
                    merge: 0,
                    continue_target: 0,
                    unroll_hint: None,
                    is_convergent: false,
                    has_calls: false,
                });
                self.open = Some(true);
                self.define(label, Def::Label(index))
            }
            op if is_terminator(op) => {
                let block = function.blocks.last_mut().filter(|_| in_block);
                block.ok_or(FlowError::OutsideBlock { op })?.end = inst.offset;
                self.open = Some(false);
                Ok(())
            }
            Op::Line | Op::NoLine | Op::Nop => Ok(()),
            Op::ExtInst if !in_block => Ok(()),
            op if in_block => {
                let block = function.blocks.last_mut().expect("invariant: a block is open");
                match op {
                    Op::LoopMerge => {
                        (block.merge, block.continue_target) = (inst.word(0)?, inst.word(1)?);
                        block.unroll_hint = unroll_hint(inst.word(2)?);
                    }
                    Op::SelectionMerge => block.merge = inst.word(0)?,
                    Op::FunctionCall => block.has_calls = true,
                    op if is_convergent(op) => {
                        block.is_convergent = true;
                        self.module.is_convergent = true;
                    }
                    _ => {}
                }
                Ok(())
            }
            op => Err(FlowError::OutsideBlock { op }.into()),
        }
    }
}

/// What the control mask of a loop says about unrolling it.
fn unroll_hint(mask: u32) -> Option<UnrollHint> {
    let control = LoopControl::from_bits_truncate(mask);
    match control & (LoopControl::UNROLL | LoopControl::DONT_UNROLL) {
        LoopControl::UNROLL => Some(UnrollHint::Unroll),
        LoopControl::DONT_UNROLL => Some(UnrollHint::Keep),
        _ => None,
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
            | Op::EmitMeshTasksEXT
    )
}

fn scalar_bits(inst: &Inst<'_>, allowed: &[u8]) -> Result<u8, CompileError> {
    let bits = inst.word(1)?;
    let known = allowed.iter().copied().find(|known| u32::from(*known) == bits);
    known.ok_or_else(|| CompileError::from(TypeError::Width { bits }))
}

/// A float type: the encoding after the width is IEEE's unless it is given.
fn float_kind<'a>(inst: &Inst<'_>) -> Result<Kind<'a>, CompileError> {
    let bits = scalar_bits(inst, &[16, 32, 64])?;
    match (inst.rest(2).first().copied(), bits) {
        (None, _) => Ok(Kind::Float { bits }),
        (Some(number), 16) if number == FPEncoding::BFloat16KHR as u32 => Ok(Kind::Bfloat16),
        (Some(number), _) => Err(TypeError::Encoding { number, bits }.into()),
    }
}

fn small_count(inst: &Inst<'_>, index: usize, most: u32) -> Result<u32, CompileError> {
    match inst.word(index)? {
        count @ 2.. if count <= most => Ok(count),
        count => Err(TypeError::Count { count, most }.into()),
    }
}

fn storage_class(number: u32) -> Result<StorageClass, CompileError> {
    StorageClass::from_u32(number)
        .ok_or_else(|| CompileError::from(TypeError::UnknownStorageClass { number }))
}

/// Whether the result depends on which invocations of the subgroup are active.
fn is_convergent(op: Op) -> bool {
    // Group operations of the core, and of the extensions for ballots, votes, rotations, quad votes and
    // partitions.
    let number = op as u32;
    // Most instructions have smaller numbers.
    number >= 259 && matches!(number, 259..=271 | 333..=366 | 4421..=4432 | 5110 | 5111 | 5296)
}
