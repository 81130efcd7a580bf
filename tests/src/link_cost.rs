//! The cost of linking, which happens at draws: host instructions, and nanoseconds for orientation.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use agx_abi::fragment::FragmentInfo;
use agx_abi::tile::ColourFormat;
use agx_abi::{ShaderInfo, Stage};
use agx_compiler::link::{
    Blend, BlendOp, EpilogKey, Equation, Factor, FragmentPrologKey, LinkPart, LinkedProgram, Parts, Target,
    link,
};
use agx_compiler::{CompileError, CompileKey, Compiler, Scratch};

use crate::callgrind::Callgrind;
use crate::tools::Tools;

/// Sizes of the main parts in bytes: about 64, 500 and 4000 instructions.
pub const SIZES: [usize; 3] = [512, 4_000, 32_000];

/// Maximum number of host instructions of a link without copying its bytes. Unoptimised code takes more.
const OVERHEAD: u64 = if cfg!(debug_assertions) { 20_000 } else { 4_000 };

/// Maximum number of host instructions of a link with a main part of `size` bytes. Long copies count one per byte,
/// although a core copies at least sixteen bytes per cycle. If every other instruction takes one cycle, this is at most
/// 2 µs at 3 GHz for every size in [`SIZES`].
pub fn limit(size: usize) -> u64 {
    OVERHEAD + size as u64 + size as u64 / 4
}

/// The option that makes the bench a probe for callgrind.
pub const PROBE_OPTION: &str = "--probe";

/// The parts other than the main part: a prolog that kills samples, and an epilog that blends in four samples.
struct Others {
    prolog: LinkPart,
    epilog: LinkPart,
    info: ShaderInfo,
}

impl Others {
    fn new() -> Result<Others, CompileError> {
        let mut fragment = FragmentInfo { sample_shading: true, ..FragmentInfo::default() };
        fragment.components[0] = 0xf;
        let equation = Equation {
            source: Factor::SourceAlpha,
            destination: Factor::OneMinusSourceAlpha,
            op: BlendOp::Add,
        };
        let mut key = EpilogKey::new(&fragment);
        let blend = Some(Blend { colour: equation, alpha: equation }.into());
        key.targets[0] = Some(Target { blend, ..Target::new(ColourFormat::Rgba8Unorm) });
        (key.samples, key.tested) = (4, false);
        let before =
            FragmentPrologKey { sample_mask: 7, sample_shading: true, ..FragmentPrologKey::default() };
        let (compiler, mut scratch, options) =
            (Compiler::default(), Scratch::default(), CompileKey::default());
        Ok(Others {
            prolog: compiler.fragment_prolog(&mut scratch, &before, &options)?,
            epilog: compiler.fragment_epilog(&mut scratch, &key, &options)?,
            info: ShaderInfo { stage: Stage::Fragment, gpr_halves: 64, fragment, ..ShaderInfo::default() },
        })
    }

    /// Three parts in a loop over samples: the most complex link.
    fn parts<'p>(&'p self, main: &'p [u8]) -> Parts<'p> {
        Parts {
            main,
            info: &self.info,
            prolog: Some(&self.prolog),
            epilog: Some(&self.epilog),
            sample_loop: Some(4),
            outputs: None,
        }
    }
}

/// The function to count. It is not inlined, because callgrind finds it by name.
#[inline(never)]
fn link_counted(parts: &Parts<'_>) -> Option<LinkedProgram> {
    link(parts).ok()
}

/// Links a program of each size once.
///
/// # Errors
/// An error in creating the parts.
pub fn probe() -> Result<(), CompileError> {
    let others = Others::new()?;
    for size in SIZES {
        let main = vec![0x7e; size];
        black_box(link_counted(black_box(&others.parts(&main))));
    }
    Ok(())
}

/// Host instructions of a link of each size; `program` runs [`probe`] if it gets [`PROBE_OPTION`].
///
/// # Errors
/// A sentence: valgrind is not installed, or failed.
pub fn instructions(tools: &Tools, program: &Path) -> Result<Vec<u64>, String> {
    let function = "agx_tests::link_cost::link_counted";
    let counts =
        Callgrind { tools, function, program, arguments: &[PROBE_OPTION], environment: &[] }.each()?;
    match counts.len() == SIZES.len() {
        true => Ok(counts),
        false => Err(format!("{} calls were counted in place of {}", counts.len(), SIZES.len())),
    }
}

const LINKS: u32 = 1_000;
const ROUNDS: u32 = 20;

/// Nanoseconds of a link of each size, the best of many rounds.
///
/// # Errors
/// An error in creating the parts.
pub fn nanoseconds() -> Result<Vec<f64>, CompileError> {
    let others = Others::new()?;
    let best = |size| {
        let main = vec![0x7e; size];
        let round = |_| {
            let start = Instant::now();
            (0..LINKS).for_each(|_| drop(black_box(link_counted(black_box(&others.parts(&main))))));
            start.elapsed().as_nanos() as f64 / f64::from(LINKS)
        };
        (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
    };
    Ok(SIZES.into_iter().map(best).collect())
}
