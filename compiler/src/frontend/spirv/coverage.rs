//! Which samples of a fragment shader's pixel are alive: discards, sample masks, and what only live lanes may do.
//!
//! As a rule the machine knows: a discard kills samples, and a special register tells whether one is left. Two kinds of
//! shaders have to keep account themselves. After early tests nothing can be killed any more, so a discard only takes
//! samples out of the mask of those that are stored; and where the program runs for each sample, the machine's register
//! speaks of the whole pixel.

use agx_abi::{Stage, fragment};
use agx_isa::table::Opcode;

use super::fragment::COVERED;
use super::translate::Translator;
use crate::error::CompileError;
use crate::frontend::ssa::Variable;
use crate::ir::build::alu::IntCond;
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Special register: whether the lane covers a live sample.
const IS_LIVE: u32 = 63;

/// All samples of a pixel.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// What a fragment shader keeps account of itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    /// Whether the lane has discarded its samples.
    demoted: Variable,
    /// Samples that are not to be stored, after early tests.
    dropped: Variable,
}

/// An if around an effect that helper lanes must not have.
#[must_use]
pub(super) struct Guard {
    is_open: bool,
}

impl Translator<'_, '_> {
    /// Begins to keep account, where the shader runs for each sample reads the mask of those being shaded.
    pub(super) fn start_coverage(&mut self) {
        if self.io.fragment.sample_shading {
            let half = u32::from(fragment::SAMPLES);
            let shaded = self.b.value(IrOp::Preload, Type::B16, &[], &[half]);
            self.io.shaded = Some(Src::value(shaded));
        }
        if self.io.fragment.sample_shading || self.io.fragment.early_tests {
            let first = self.vars.add(&[1, 16]);
            let account = Account { demoted: first, dropped: Variable(first.0 + 1) };
            self.io.account = Some(account);
        }
    }

    /// The samples that the lane shades.
    pub(super) fn shaded_samples(&self) -> Src {
        self.io.shaded.unwrap_or(ALL_SAMPLES)
    }

    /// The sample that the lane shades, in a shader that runs for each sample.
    pub(super) fn shaded_sample(&mut self) -> Option<Src> {
        let shaded = self.io.shaded?;
        Some(Src::value(self.b.value(Opcode::Ffs, Type::B16, &[shaded], &mods_with(Opcode::Ffs, &[]))))
    }

    /// The samples that the primitive covers, of those that the lane shades.
    pub(super) fn covered_samples(&mut self) -> Src {
        let covered = self.fragment_register(COVERED);
        match self.io.shaded {
            Some(shaded) => {
                let shaded = self.b.uconv(shaded, 32);
                self.b.and(covered, shaded)
            }
            None => covered,
        }
    }

    /// Whether the lane covers no live sample.
    pub(super) fn is_helper(&mut self) -> Src {
        let live = self.fragment_register(IS_LIVE);
        let mut helper = self.b.icmp(IntCond::EQ, live, Src::imm32(0));
        if self.io.shaded.is_some() {
            let covered = self.covered_samples();
            let is_beside = self.b.icmp(IntCond::EQ, covered, Src::imm32(0));
            helper = self.b.or(helper, is_beside);
        }
        if let Some(account) = self.io.account {
            let demoted = self.vars.read(&mut self.b, account.demoted);
            helper = self.b.or(helper, demoted);
        }
        helper
    }

    /// Kills the samples that the lane shades; the lane goes on without effect.
    pub(super) fn discard(&mut self) -> Result<(), CompileError> {
        if self.io.stage != Stage::Fragment {
            return Err(CompileError::unsupported("this terminator outside fragment shaders"));
        }
        if let Some(account) = self.io.account {
            self.vars.write(&self.b, account.demoted, Src::imm(1, 1));
            self.vars.write(&self.b, account.dropped, Src::imm(0xff, 16));
        }
        if !self.io.fragment.early_tests {
            self.b.effect(IrOp::Discard, &[Src::imm(1, 1)], &[]);
        }
        Ok(())
    }

    /// Opens an if around an effect that helper lanes must not have; elsewhere than in fragment shaders all lanes have it.
    pub(super) fn guard_effect(&mut self) -> Guard {
        let is_open = self.io.stage == Stage::Fragment;
        if is_open {
            let helper = self.is_helper();
            let live = self.b.not(helper);
            self.b.begin_if(live);
        }
        Guard { is_open }
    }

    /// Closes it.
    pub(super) fn end_guard(&mut self, guard: Guard) {
        if guard.is_open {
            self.b.begin_else();
            self.b.end_if();
        }
    }

    /// Closes it; the scalar `result` is 0 where the effect was not had.
    pub(super) fn end_guard_with(&mut self, guard: Guard, result: Src) -> Src {
        if !guard.is_open {
            return result;
        }
        let variable = self.vars.add(&[self.b.f.width(result)]);
        self.vars.write(&self.b, variable, result);
        self.b.begin_else();
        self.b.end_if();
        self.vars.read(&mut self.b, variable)
    }

    /// What becomes of the samples at the end: those not in `mask`, which the shader may give, are killed, or after
    /// early tests not stored.
    pub(super) fn finish_coverage(&mut self, mask: Option<Src>, exports: &mut Vec<(u8, Src)>) {
        let mask = mask.map(|mask| self.b.uconv(mask, 16));
        if !self.io.fragment.early_tests {
            if let Some(mask) = mask {
                let dead = self.b.not(mask);
                let shaded = self.shaded_samples();
                let dead = self.b.and(dead, shaded);
                self.b.effect(IrOp::KillSamples, &[dead], &[]);
            }
        } else if let Some(emitted) = self.emitted_samples(mask) {
            self.io.fragment.writes_sample_mask = true;
            exports.push((fragment::SAMPLE_MASK, emitted));
        }
        if let Some(shaded) = self.io.shaded {
            exports.push((fragment::SAMPLES, shaded));
        }
    }

    /// The samples to store after early tests; nothing when they are all.
    fn emitted_samples(&mut self, mask: Option<Src>) -> Option<Src> {
        let account = self.io.account?;
        if !self.vars.is_written(account.dropped) {
            return mask;
        }
        let dropped = self.vars.read(&mut self.b, account.dropped);
        let kept = self.b.xor(dropped, ALL_SAMPLES);
        Some(mask.map_or(kept, |mask| self.b.and(kept, mask)))
    }
}
