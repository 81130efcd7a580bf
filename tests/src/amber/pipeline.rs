//! Shaders and bindings of Amber pipelines.

use std::collections::BTreeMap;

use agx_abi::Stage;
use agx_compiler::{CompiledShader, Input};
use agx_emulator::launch::BufferBinding;

use super::model::{Pipeline, Test};
use crate::driver::{compile, storage_buffer};
use crate::outcome::Outcome;
use crate::suites::Context;

/// The outcome for an inconsistent test.
pub fn malformed(message: &str) -> Outcome {
    Outcome::Fail(format!("malformed test: {message}"))
}

/// Compiles the pipeline's shader of `stage`.
///
/// # Errors
/// The outcome that is not a pass.
pub fn compile_stage(
    context: &Context<'_>,
    test: &Test,
    pipeline: &Pipeline,
    stage: Stage,
) -> Result<CompiledShader, Outcome> {
    let shader = |name: &str| test.shaders.get(name);
    let of_stage = |name: &str| shader(name).is_some_and(|shader| shader.stage == stage.name());
    let mut attached = pipeline.attach.iter().filter(|attachment| of_stage(&attachment.shader));
    let (Some(attachment), None) = (attached.next(), attached.next()) else {
        return Err(malformed("a pipeline has one shader of a stage"));
    };
    let source = shader(&attachment.shader).and_then(|shader| shader.spvasm.as_deref());
    let module = context.tools.assemble_spirv(source.ok_or_else(|| malformed("a shader without source"))?)?;
    let mut key = context.key.clone();
    key.entry_point = Some(attachment.entry.clone());
    key.stage = Some(stage);
    for (id, value) in &attachment.spec {
        let id = id.parse().map_err(|_| malformed("a SpecId that is not a number"))?;
        let bits = value.bits().ok_or_else(|| malformed("a specialization constant of unknown type"))?;
        key.spec_constants.push((id, bits));
    }
    compile(Input::spirv(&module), &key)
}

/// Contents of a test's buffers by name.
pub type Buffers<'t> = BTreeMap<&'t str, Vec<u8>>;

/// The bindings of a pipeline.
pub struct Bound<'t> {
    /// Names of `buffers`.
    names: Vec<&'t str>,
    /// Storage and uniform buffers.
    pub buffers: Vec<BufferBinding>,
    /// Push constants.
    pub push_constants: Vec<u8>,
}

impl<'t> Bound<'t> {
    /// Copies of the buffers that a pipeline binds, except for colour attachments.
    ///
    /// # Errors
    /// A buffer that does not exist.
    pub fn new(pipeline: &Pipeline, buffers: &Buffers<'t>) -> Result<Bound<'t>, Outcome> {
        let mut bound = Bound { names: Vec::new(), buffers: Vec::new(), push_constants: Vec::new() };
        for binding in pipeline.bind.iter().filter(|binding| binding.role != "color") {
            let (name, bytes) = buffers
                .get_key_value(binding.buffer.as_str())
                .ok_or_else(|| Outcome::Fail(format!("unknown buffer {}", binding.buffer)))?;
            match binding.role.as_str() {
                "push_constant" => bound.push_constants.clone_from(bytes),
                role => {
                    bound.names.push(*name);
                    let writable = role == "storage";
                    bound.buffers.push(storage_buffer(binding.set, binding.binding, bytes.clone(), writable));
                }
            }
        }
        Ok(bound)
    }

    /// Copies the contents after a run back to the buffers.
    pub fn finish(self, buffers: &mut Buffers<'t>) {
        for (name, buffer) in self.names.into_iter().zip(self.buffers) {
            buffers.insert(name, buffer.bytes);
        }
    }
}
