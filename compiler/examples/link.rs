//! What linking costs: nanoseconds for a program of three parts, the best of many rounds.
//!
//! A link happens at the time of a draw and may take 2 µs.

use std::hint::black_box;
use std::time::Instant;

use agx_abi::{PartRole, ShaderInfo, Stage};
use agx_compiler::link::{LinkPart, Parts, link};

/// Bytes of main parts: 64, 500 and 4000 instructions of 8 bytes.
const SIZES: [usize; 3] = [512, 4_000, 32_000];

const LINKS: u32 = 10_000;
const ROUNDS: u32 = 20;

fn main() {
    let part = |role| LinkPart { role, code: vec![0x7e; 256], gpr_halves: 16, ..LinkPart::default() };
    let (prolog, epilog) = (part(PartRole::Prolog), part(PartRole::Epilog));
    let info = ShaderInfo { stage: Stage::Fragment, gpr_halves: 64, ..ShaderInfo::default() };
    for size in SIZES {
        let main = vec![0x7e; size];
        let mut best = f64::INFINITY;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..LINKS {
                let parts = Parts {
                    main: black_box(&main),
                    info: &info,
                    prolog: Some(&prolog),
                    epilog: Some(&epilog),
                    sample_loop: Some(4),
                };
                black_box(link(&parts).expect("the parts fit"));
            }
            best = best.min(start.elapsed().as_nanos() as f64 / f64::from(LINKS));
        }
        #[expect(clippy::print_stdout, reason = "this is what the program is for")]
        {
            println!("link of a main part of {size:5} bytes: {best:6.0} ns");
        }
    }
}
