//! Text forms of a compilation, which drivers show to applications' tools
//! (VK_KHR_pipeline_executable_properties).

use agx_abi::PartRole;
use agx_isa::disasm;

use crate::error::CompileError;
use crate::link::LinkedProgram;
use crate::pipeline::{self, Options, Phase, Stop};
use crate::{CompileKey, CompiledShader, Compiler, Input, Scratch, ShaderPart, frontend, options};

/// The last phase before instruction selection: its result is the optimised IR.
const OPTIMISED: Phase = Phase::Uniform;

/// The intermediate forms of a compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Texts {
    /// The IR as the front end produces it.
    pub source: String,
    /// The optimised IR, before instruction selection.
    pub optimised: String,
    /// The assembly of each part, main part first.
    pub assembly: Vec<(PartRole, String)>,
}

impl ShaderPart {
    /// Its assembly, as text.
    pub fn assembly(&self) -> String {
        disasm::listing(&self.code, false)
    }
}

impl CompiledShader {
    /// Assembly of the part with `role`, if there is one.
    pub fn assembly(&self, role: PartRole) -> Option<String> {
        self.parts.iter().find(|part| part.role == role).map(ShaderPart::assembly)
    }
}

impl LinkedProgram {
    /// Its assembly, as text, including the traps after its end.
    pub fn assembly(&self) -> String {
        disasm::listing(&self.code, false)
    }
}

impl Compiler {
    /// Compiles `input` like [`Compiler::compile`], and also returns the intermediate texts.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`].
    pub fn compile_with_texts(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<(CompiledShader, Texts), CompileError> {
        scratch.bump.reset();
        let (mut f, info) = frontend::read(&scratch.bump, input, key)?;
        let source = f.to_string();
        let mut context = self.main_facts(info, key).into();
        let first = Options { stop: Stop::AfterPhase(OPTIMISED), ..options(key) };
        pipeline::run(&mut f, &mut context, first).map_err(|error| frontend::located(input, error))?;
        let optimised = f.to_string();
        let shader = self.finish(f, context, input, OPTIMISED.next())?;
        let assembly = shader.parts.iter().map(|part| (part.role, part.assembly())).collect();
        Ok((shader, Texts { source, optimised, assembly }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IrPoint;

    #[test]
    fn texts_are_those_of_the_shader() {
        let text = "kernel @twice(%0:32) stage source {\nb0:\n    %1:32 = iadd %0, #1\n    %2:32 = iadd %1, #2\n    keep %2\n}\n";
        let (compiler, key) = (Compiler::default(), CompileKey::default());
        let mut scratch = Scratch::default();
        let plain = compiler.compile(&mut scratch, Input::ir(text), &key).expect("compiles");
        let (shader, texts) =
            compiler.compile_with_texts(&mut scratch, Input::ir(text), &key).expect("compiles");
        assert_eq!(shader, plain);
        assert_eq!(
            Ok(texts.source),
            compiler.compile_to_ir(&mut scratch, Input::ir(text), &key, IrPoint::Start)
        );
        // The two sums have been merged.
        assert!(texts.optimised.contains("#3"), "{}", texts.optimised);
        let [(PartRole::Main, assembly)] = &texts.assembly[..] else { panic!("{:?}", texts.assembly) };
        assert_eq!(agx_isa::asm::assemble(assembly).as_ref(), Ok(&shader.parts[0].code));
    }
}
