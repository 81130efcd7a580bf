//! Runs a compiled compute shader on the reference machine.

use agx_abi::PartRole;
use agx_compiler::CompiledShader;
use agx_emulator::launch::textures::{SamplerResource, TextureResource};
use agx_emulator::launch::{BufferBinding, Launch, LaunchError};
use agx_emulator::{Finding, FindingKind, Options, Report};

use crate::diagnostic::{Diagnostic, Failure};

/// Default limit of the instructions of a run: about ten seconds.
pub const BUDGET: u64 = 1 << 27;

/// Default limit of the workgroups of a run: some seconds for the shortest shaders.
pub const MOST_WORKGROUPS: u64 = 1 << 20;

/// Number of findings that are reported; further ones are counted.
const MOST_FINDINGS: usize = 10;

/// The parameters of a run, other than the shader and its buffers.
pub struct Job<'a> {
    /// Name of the shader, for diagnostics.
    pub name: &'a str,
    /// Samplers.
    pub samplers: &'a [SamplerResource],
    /// Push constants.
    pub push_constants: &'a [u8],
    /// Arguments of a test kernel.
    pub arguments: &'a [u64],
    /// Number of results of a test kernel.
    pub results: usize,
    /// Number of workgroups.
    pub workgroups: [u32; 3],
    /// Options of the machine.
    pub options: Options,
}

/// The outcome of a run. The report exists even if the machine stopped early.
pub struct Outcome {
    /// Counts, trace, findings.
    pub report: Report,
    /// Results of a test kernel.
    pub results: Vec<u64>,
    /// The failure of the run; any finding is one.
    pub failure: Option<Failure>,
}

/// Runs `shader`, which may write to buffers and images.
pub fn run(
    shader: &CompiledShader,
    buffers: &mut [BufferBinding],
    textures: &mut [TextureResource],
    job: &Job<'_>,
) -> Outcome {
    let mut results = vec![0; job.results];
    let launch = launch(shader, buffers, textures, &mut results, job);
    let result = launch.run();
    Outcome { results, ..outcome(result, job.name) }
}

/// A launch of `shader`.
pub fn launch<'l>(
    shader: &'l CompiledShader,
    buffers: &'l mut [BufferBinding],
    textures: &'l mut [TextureResource],
    results: &'l mut [u64],
    job: &Job<'l>,
) -> Launch<'l> {
    Launch {
        code: shader.part(PartRole::Main).unwrap_or_default(),
        preamble: shader.part(PartRole::Preamble),
        info: &shader.info,
        buffers,
        textures,
        samplers: job.samplers,
        push_constants: job.push_constants,
        arguments: job.arguments,
        results,
        workgroups: job.workgroups,
        options: job.options.clone(),
    }
}

/// The outcome of a run of the shader called `name`, without results.
pub fn outcome(result: Result<Report, LaunchError>, name: &str) -> Outcome {
    let (report, failure) = match result {
        Ok(report) => (report, None),
        Err(LaunchError::Stopped(stop)) => (*stop.report, None),
        Err(error) => (Report::default(), Some(Diagnostic::new(400, error.to_string()).in_file(name).into())),
    };
    let failure = failure.or_else(|| findings(&report.findings, name));
    Outcome { report, results: Vec::new(), failure }
}

/// The first findings as diagnostics. A fatal one is always included, as the last.
pub fn findings(findings: &[Finding], name: &str) -> Option<Failure> {
    let (last, rest) = findings.split_last()?;
    let shown = rest.iter().take(MOST_FINDINGS).chain([last]);
    let mut problems: Vec<Diagnostic> =
        shown.map(|finding| Diagnostic::new(code(finding), finding.to_string()).in_file(name)).collect();
    let more = rest.len().saturating_sub(MOST_FINDINGS);
    if more > 0 {
        problems.push(Diagnostic::new(401, format!("and {more} more")).in_file(name));
    }
    Some(Failure::Problems(problems))
}

/// The code of a finding. An exhausted budget does not mean that the program is wrong.
fn code(finding: &Finding) -> u16 {
    match finding.kind {
        FindingKind::BudgetSpent(_) | FindingKind::StepLimit(_) => 403,
        _ => 401,
    }
}
