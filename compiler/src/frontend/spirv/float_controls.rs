//! A module's requirements on float arithmetic: execution modes by width, and decorations of single
//! operations.

use spirv::{Decoration, ExecutionMode, FPFastMathMode};

use super::module::{Def, Module};
use super::types::Kind;
use super::words::Inst;
use crate::error::{CompileError, ModuleError};
use crate::ir::FloatMode;

/// How the module's operations must be rounded and fused, beyond the hardware's normal behaviour.
#[derive(Clone, Default)]
pub(super) struct FloatControls {
    /// Widths for which signed zeros, infinities and NaNs are significant.
    preserves: Vec<u32>,
    /// Fast-math flags of undecorated operations, by width of the result.
    defaults: Vec<(u8, FPFastMathMode)>,
    /// Whether an operation in the module has a relevant decoration.
    is_decorated: bool,
    /// Whether signed zeros are significant for any operation.
    pub zeros: bool,
    /// Whether infinities or NaNs are significant for any operation.
    pub special_values: bool,
}

/// Fast-math flags; the deprecated flag `Fast` implies all others.
fn fast_math(flags: u32) -> FPFastMathMode {
    let flags = FPFastMathMode::from_bits_truncate(flags);
    if flags.contains(FPFastMathMode::FAST) { FPFastMathMode::all() } else { flags }
}

/// Checks a mode against the hardware's treatment of denormals and rounding: 32-bit arithmetic flushes
/// denormals, 16- and 64-bit arithmetic preserves them; all rounds to nearest even.
fn check_mode(mode: ExecutionMode, bits: u32) -> Result<(), CompileError> {
    let supported = match mode {
        ExecutionMode::DenormPreserve => bits != 32,
        ExecutionMode::DenormFlushToZero => bits == 32,
        ExecutionMode::RoundingModeRTZ => false,
        _ => true,
    };
    match supported {
        true => Ok(()),
        false => Err(ModuleError::FloatMode { mode, bits }.into()),
    }
}

impl FloatControls {
    /// Reads the execution modes of an entry point.
    pub fn read(module: &Module<'_>, function: u32) -> Result<Self, CompileError> {
        let mut controls = FloatControls {
            is_decorated: module.decorations.anywhere(Decoration::NoContraction),
            ..FloatControls::default()
        };
        for flags in module.decorations.values(Decoration::FPFastMathMode) {
            controls.is_decorated = true;
            controls.note(fast_math(flags));
        }
        for (target, mode, operands) in module.modes() {
            let (Some(mode), Some(first)) = (ExecutionMode::from_u32(*mode), operands.first()) else {
                continue;
            };
            if *target != function {
                continue;
            }
            match mode {
                ExecutionMode::SignedZeroInfNanPreserve => {
                    controls.preserves.push(*first);
                    controls.note(FPFastMathMode::empty());
                }
                ExecutionMode::DenormPreserve
                | ExecutionMode::DenormFlushToZero
                | ExecutionMode::RoundingModeRTE
                | ExecutionMode::RoundingModeRTZ => check_mode(mode, *first)?,
                ExecutionMode::FPFastMathDefault => controls.default_of(module, operands)?,
                _ => {}
            }
        }
        Ok(controls)
    }

    fn default_of(&mut self, module: &Module<'_>, operands: &[u32]) -> Result<(), CompileError> {
        let def = |index: usize| operands.get(index).and_then(|id| module.defs.get(*id as usize));
        let (Some(Def::Type(ty)), Some(Def::Value(_, [flags]))) = (def(0), def(1)) else {
            return Err(ModuleError::FastMath.into());
        };
        let (Kind::Float { bits }, Some(flags)) = (module.types.kind(*ty), flags.as_imm()) else {
            return Err(ModuleError::FastMath.into());
        };
        let flags = fast_math(flags as u32);
        self.defaults.push((bits, flags));
        self.note(flags);
        Ok(())
    }

    /// Notes the flags of some operations: what they do not promise is significant.
    fn note(&mut self, flags: FPFastMathMode) {
        self.zeros |= !flags.contains(FPFastMathMode::NSZ);
        self.special_values |= !flags.contains(FPFastMathMode::NOT_NAN | FPFastMathMode::NOT_INF);
    }

    /// Whether every operation has the hardware's normal behaviour.
    pub fn is_plain(&self) -> bool {
        !self.is_decorated && self.preserves.is_empty() && self.defaults.is_empty()
    }

    /// The mode of an operation with result `id` and components of `bits` bits.
    pub fn mode(&self, module: &Module<'_>, inst: &Inst<'_>, bits: u8) -> FloatMode {
        let mut mode = FloatMode { separate: false, signed_zero: self.preserves.contains(&u32::from(bits)) };
        let Ok(id) = inst.word(1) else { return mode };
        let decorated =
            self.is_decorated.then(|| module.decorations.of(id, Decoration::FPFastMathMode)).flatten();
        let default = self.defaults.iter().find(|(known, _)| *known == bits).map(|(_, flags)| *flags);
        if let Some(flags) = decorated.map(fast_math).or(default) {
            // Passes that contract operations also reassociate them.
            mode.separate = !flags.contains(FPFastMathMode::ALLOW_CONTRACT | FPFastMathMode::ALLOW_REASSOC);
            mode.signed_zero |= !flags.contains(FPFastMathMode::NSZ);
        }
        mode.separate |= self.is_decorated && module.decorations.has(id, Decoration::NoContraction);
        mode
    }
}
