//! Inputs and outputs of vertex and fragment shaders: inputs become variables that are set at the start of the program,
//! outputs variables that are read at its end.

use agx_abi::Stage;
use spirv::{BuiltIn, StorageClass};

use super::interface::{Leaf, Output, Slot, leaves};
use super::module::Entry;
use super::pointer::{Pointer, Root};
use super::translate::Translator;
use crate::error::CompileError;
use crate::frontend::kit::fragment::{self, FragmentModes};
use crate::frontend::ssa::Variable;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

impl<'a> Translator<'_, 'a> {
    /// Builds what must stand at the very start of a vertex or fragment shader, and the variables of its inputs.
    pub(super) fn stage_inputs(&mut self, entry: &Entry<'a>) -> Result<(), CompileError> {
        match self.kit.stage {
            Stage::Compute => return Ok(()),
            Stage::Vertex => self.vertex_start()?,
            Stage::Fragment => {
                let modes = FragmentModes {
                    early_tests: entry.early_tests,
                    depth_layout: entry.depth_layout,
                    sample_shading: self.asks_for_samples()?,
                };
                fragment::begin(&mut self.kit, modes);
            }
        }
        for (index, global) in self.module.globals.iter().enumerate() {
            if !self.io.interface.contains(&global.id) {
                continue;
            }
            self.memory.globals[index] = match global.class {
                StorageClass::Input => {
                    let leaves = leaves(self.module, global)?;
                    let values = match self.kit.stage {
                        Stage::Vertex => self.vertex_inputs(&leaves)?,
                        _ => self.fragment_inputs(&leaves)?,
                    };
                    let pointer = self.input_variable(global.id, global.ty, values)?;
                    if let Some(Root::Variables(first)) = pointer.map(|pointer| pointer.root) {
                        self.io.inputs.push((first, leaves));
                    }
                    pointer
                }
                StorageClass::Output => {
                    let pointer = self.allocate(global.id, global.ty)?;
                    match global.init {
                        Some(init) => self.store(pointer, init, Access::empty())?,
                        None => self.mark_unwritten(pointer, global.ty)?,
                    }
                    Some(pointer)
                }
                _ => None,
            };
        }
        Ok(())
    }

    /// Whether an input of a fragment shader makes it run for each sample.
    fn asks_for_samples(&self) -> Result<bool, CompileError> {
        for global in self.module.globals.iter().filter(|global| global.class == StorageClass::Input) {
            let of_sample = |leaf: &Leaf| match leaf.slot {
                Slot::BuiltIn { built_in: BuiltIn::SampleId | BuiltIn::SamplePosition, .. } => true,
                _ => leaf.style.sample,
            };
            if self.io.interface.contains(&global.id) && leaves(self.module, global)?.iter().any(of_sample) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The variable of an input with its values; nothing when one of them is not supported, which is an error only
    /// where the input is used.
    fn input_variable(
        &mut self,
        id: u32,
        ty: super::types::Ty,
        values: Option<Vec<Src>>,
    ) -> Result<Option<Pointer<'a>>, CompileError> {
        let Some(values) = values else { return Ok(None) };
        let widths = self.values.types.leaves(ty)?;
        let values: Vec<Src> = values
            .into_iter()
            .zip(widths)
            .map(
                |(value, bits)| {
                    if self.kit.b.f.width(value) == *bits { value } else { self.kit.b.uconv(value, *bits) }
                },
            )
            .collect();
        let pointer = self.allocate(id, ty)?;
        self.store(pointer, &values, Access::empty())?;
        Ok(Some(pointer))
    }

    /// Gives the scalars of a fragment shader's output a value by which [`read_output`](Self::read_output) knows those
    /// that nothing is written to.
    fn mark_unwritten(&mut self, pointer: Pointer<'a>, ty: super::types::Ty) -> Result<(), CompileError> {
        let Root::Variables(first) = pointer.root else { return Ok(()) };
        if self.kit.stage != Stage::Fragment {
            return Ok(());
        }
        for (at, bits) in (0..).zip(self.values.types.leaves(ty)?) {
            let known = self.io.unwritten.iter().find(|(width, _)| width == bits).map(|(_, src)| *src);
            let src = known.unwrap_or_else(|| {
                let zero = Src::imm(0, *bits);
                let value = Src::value(self.kit.b.value(IrOp::Mov, Type::scalar(*bits), &[zero], &[]));
                self.io.unwritten.push((*bits, value));
                value
            });
            self.kit.vars.write(&self.kit.b, Variable(first.0 + at), src);
        }
        Ok(())
    }

    /// Builds what must stand at the end of a vertex or fragment shader.
    pub(super) fn stage_outputs(&mut self) -> Result<(), CompileError> {
        if self.kit.stage == Stage::Compute {
            return Ok(());
        }
        let mut outputs = Vec::new();
        for (index, global) in self.module.globals.iter().enumerate() {
            if global.class == StorageClass::Output
                && let Some(pointer) = self.memory.globals[index]
            {
                let leaves = leaves(self.module, global)?;
                self.read_output(pointer, &leaves, &mut outputs)?;
            }
        }
        match self.kit.stage {
            Stage::Vertex => self.vertex_outputs(&outputs),
            _ => self.fragment_outputs(&outputs),
        }
    }

    /// Reads what was written of an output. A scalar that is left unwritten on every path is not among it.
    fn read_output(
        &mut self,
        pointer: Pointer<'a>,
        leaves: &[Leaf],
        outputs: &mut Vec<Output>,
    ) -> Result<(), CompileError> {
        if let Root::Variables(first) = pointer.root {
            for (at, leaf) in (0..).zip(leaves) {
                let variable = Variable(first.0 + at);
                if !self.kit.vars.is_written(variable) {
                    continue;
                }
                let value = self.kit.vars.read(&mut self.kit.b, variable);
                if !self.io.unwritten.iter().any(|(_, unwritten)| *unwritten == value) {
                    outputs.push((*leaf, value));
                }
            }
            return Ok(());
        }
        let values = self.load(pointer, Access::empty())?;
        outputs.extend(leaves.iter().copied().zip(values.iter().copied()));
        Ok(())
    }

    /// An output as a 32-bit word: shorter floats become longer, shorter integers are filled with zeros.
    pub(super) fn output_word(&mut self, leaf: &Leaf, value: Src) -> Src {
        if leaf.is_float { self.kit.b.fconv(value, 32) } else { self.kit.b.uconv(value, 32) }
    }
}
