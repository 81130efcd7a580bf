//! Tessellation shaders, and the programs that are compiled from them.

use std::sync::{Arc, Mutex};

use agx_abi::Stage;
use agx_abi::tessellation::{Domain, PatchLayout, Spacing, TessellationInfo};
use agx_compiler::{Input, Statistics};

use crate::Error;
use crate::cache::Known;
use crate::device::Device;
use crate::memory::lock;
use crate::pipeline::ShaderSource;
use crate::program::Program;
use crate::stages::{FragmentNeeds, Made, VertexStage, found, main_part};

/// A tessellation control shader: a compute shader of the hardware.
pub struct ControlStage {
    /// Its program.
    pub program: Program,
}

/// A tessellation evaluation shader: a vertex shader of the hardware, which depends on the control shader's record of a
/// patch.
pub struct EvaluationStage {
    source: ShaderSource,
    /// What the fragment shader needs, if there is only one for all draws.
    needs: Option<FragmentNeeds>,
    stages: Made<PatchLayout, VertexStage>,
}

/// How patches are subdivided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modes {
    /// Shape of the domain.
    pub domain: Domain,
    /// Division of edges.
    pub spacing: Spacing,
    /// Whether triangles are clockwise in the domain.
    pub clockwise: bool,
    /// Whether the points are drawn.
    pub points: bool,
}

impl Modes {
    /// The modes that either of two shaders declares.
    pub fn of(control: TessellationInfo, evaluation: TessellationInfo) -> Modes {
        Modes {
            domain: evaluation.domain.or(control.domain).unwrap_or(Domain::Triangles),
            spacing: evaluation.spacing.or(control.spacing).unwrap_or(Spacing::Equal),
            clockwise: evaluation.clockwise.or(control.clockwise).unwrap_or(false),
            points: evaluation.points || control.points,
        }
    }

    /// Vertices of a primitive.
    pub fn corners(self) -> u32 {
        match self.domain {
            _ if self.points => 1,
            Domain::Isolines => 2,
            Domain::Triangles | Domain::Quads => 3,
        }
    }
}

impl ControlStage {
    /// Compiles a shader.
    ///
    /// # Errors
    /// The compiler's error, or out of memory.
    pub fn new(device: &Device, source: &ShaderSource, known: Known<'_>) -> Result<ControlStage, Error> {
        let mut key = source.key(device, Stage::Compute);
        key.tessellation = Some(PatchLayout::default());
        let shader = main_part(device, Input::spirv(&source.code), &key, known)?;
        Ok(ControlStage { program: Program::new(&device.code, shader)? })
    }

    /// Its properties.
    pub fn info(&self) -> TessellationInfo {
        self.program.info.tessellation.unwrap_or_default()
    }
}

impl EvaluationStage {
    /// A shader. `needs` is what the fragment shader needs, if it is always the same.
    pub fn new(source: ShaderSource, needs: Option<FragmentNeeds>) -> EvaluationStage {
        EvaluationStage { source, needs, stages: Mutex::default() }
    }

    /// Compiles the shader without a control shader, to check it and to keep it in a cache.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn check(&self, device: &Device, known: Known<'_>) -> Result<(), Error> {
        let needs = self.needs.clone();
        VertexStage::evaluation(device, self.source.clone(), PatchLayout::default(), needs, known)?;
        Ok(())
    }

    /// The vertex shader after a control shader with this record of a patch.
    ///
    /// # Errors
    /// The compiler's error.
    pub fn stage(
        &self,
        device: &Device,
        record: PatchLayout,
        known: Known<'_>,
    ) -> Result<Arc<VertexStage>, Error> {
        found(&self.stages, record, |record| {
            VertexStage::evaluation(device, self.source.clone(), *record, self.needs.clone(), known)
        })
    }

    /// Statistics of its program.
    pub fn statistics(&self) -> Option<Statistics> {
        lock(&self.stages).values().next().and_then(|stage| stage.statistics())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_shader_may_declare_a_mode() {
        let control = TessellationInfo {
            domain: Some(Domain::Quads),
            clockwise: Some(true),
            points: true,
            ..TessellationInfo::default()
        };
        let evaluation =
            TessellationInfo { spacing: Some(Spacing::FractionalOdd), ..TessellationInfo::default() };
        let modes = Modes::of(control, evaluation);
        let wanted =
            Modes { domain: Domain::Quads, spacing: Spacing::FractionalOdd, clockwise: true, points: true };
        assert_eq!((modes, Modes::of(evaluation, control)), (wanted, wanted));
        assert_eq!([modes.corners(), Modes { points: false, ..modes }.corners()], [1, 3]);
    }
}
