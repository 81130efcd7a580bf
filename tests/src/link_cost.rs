//! What linking costs, which happens at the time of a draw: host instructions, and nanoseconds for orientation.

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

/// Bytes of the main parts: about 64, 500 and 4000 instructions.
pub const SIZES: [usize; 3] = [512, 4_000, 32_000];

/// Most host instructions of a link beside the copying of its bytes. Unoptimised code takes more.
const OVERHEAD: u64 = if cfg!(debug_assertions) { 20_000 } else { 4_000 };

/// Most host instructions of a link with a main part of `size` bytes; long copies count one for each byte, of which a
/// core moves sixteen and more in a cycle. Where every other instruction takes a cycle of its own, that is at most 2 µs
/// at 3 GHz for every size in [`SIZES`].
pub fn limit(size: usize) -> u64 {
    OVERHEAD + size as u64 + size as u64 / 4
}

/// The option that makes the bench a probe for callgrind.
pub const PROBE_OPTION: &str = "--probe";

/// The parts beside the main part: a prolog that drops samples, an epilog that blends in four samples.
struct Others {
    prolog: LinkPart,
    epilog: LinkPart,
    info: ShaderInfo,
}

impl Others {
    fn new() -> Result<Others, CompileError> {
        let mut fragment = FragmentInfo::default();
        fragment.components[0] = 0xf;
        let equation = Equation {
            source: Factor::SourceAlpha,
            destination: Factor::OneMinusSourceAlpha,
            op: BlendOp::Add,
        };
        let mut key = EpilogKey::new(&fragment);
        let blend = Some(Blend { colour: equation, alpha: equation }.into());
        key.targets[0] = Some(Target { blend, ..Target::new(ColourFormat::Rgba8Unorm) });
        key.samples = 4;
        let before = FragmentPrologKey { sample_mask: 7, ..FragmentPrologKey::default() };
        let (compiler, mut scratch, options) =
            (Compiler::default(), Scratch::default(), CompileKey::default());
        Ok(Others {
            prolog: compiler.fragment_prolog(&mut scratch, &before, &options)?,
            epilog: compiler.fragment_epilog(&mut scratch, &key, &options)?,
            info: ShaderInfo { stage: Stage::Fragment, gpr_halves: 64, fragment, ..ShaderInfo::default() },
        })
    }

    /// Three parts in a loop over samples: all that a link may have to do.
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

/// What is counted. Not inlined: callgrind finds it by its name.
#[inline(never)]
fn link_counted(parts: &Parts<'_>) -> Option<LinkedProgram> {
    link(parts).ok()
}

/// Links a program of each size once.
///
/// # Errors
/// What keeps the parts from being made.
pub fn probe() -> Result<(), CompileError> {
    let others = Others::new()?;
    for size in SIZES {
        let main = vec![0x7e; size];
        black_box(link_counted(black_box(&others.parts(&main))));
    }
    Ok(())
}

/// Host instructions of a link of each size; `program` runs [`probe`] when it gets [`PROBE_OPTION`].
///
/// # Errors
/// A sentence: valgrind is not installed, or does not count.
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
/// What keeps the parts from being made.
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
