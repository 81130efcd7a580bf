//! Thirty ways through shaders in an editor: what is shown equals what follows from the source and its inputs, and for compute
//! shaders the registers equal those of the trace at every stop.

use serde_json::{Value, json};

use crate::debugging::{Editor, SHADER, optional_passes};
use crate::harness::{Folder, agxc, glslang_is_installed, stderr};

/// Requests that continue or step; what follows is the line, or the beginning of the description. Other steps are `break`, which
/// sets a breakpoint, commands of the console after a colon, and expressions with their values.
const MOVES: [&str; 6] = ["continue", "next", "stepIn", "stepBack", "stepOut", "reverseContinue"];

struct Scenario {
    name: &'static str,
    /// A bundled shader or scene, or `sum.wgsl`.
    program: &'static str,
    args: &'static [&'static str],
    steps: &'static [(&'static str, &'static str)],
}

const fn row(
    name: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    steps: &'static [(&'static str, &'static str)],
) -> Scenario {
    Scenario { name, program, args, steps }
}

/// The sum of a loop, for 128 invocations: 1 to 7, then zeros.
const SUM: &[&str] = &["--groups", "2", "--buffer", "0.0=file:ones"];
/// Two bodies at distance 1 with masses 1 and 2, a second, and a softening of 1.
const BODIES: &[&str] = &[
    "--buffer",
    "0.0=f32:0,0,0,1,0,0,0,0,1,0,0,2,0,0,0,0",
    "--buffer",
    "0.1=zero:64",
    "--buffer",
    "0.2=u32:2,1065353216,1065353216",
];
/// 4 × 4: counting numbers times one.
const MATRICES: &[&str] = &[
    "--buffer",
    "0.0=f32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
    "--buffer",
    "0.1=f32:1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1",
    "--buffer",
    "0.2=zero:64",
    "--buffer",
    "0.3=u32:4",
];
/// 8 × 4 pixels around zero, half a unit each, at most ten iterations.
const VIEW: &[&str] = &["--buffer", "0.0=zero:128", "--buffer", "0.1=u32:8,4,10,0,0,0,1056964608"];
/// Three cells in a row that turn upright, in a world of 32 × 3 cells.
const CELLS: &[&str] =
    &["--spec", "0=1", "--push", "u32:3", "--buffer", "0.0=u32:0,7168,0", "--buffer", "0.1=zero:12"];

static SCENARIOS: [Scenario; 30] = [
    row(
        "a line in one arm",
        "sum.wgsl",
        SUM,
        &[("break 10", ""), ("continue", "10"), ("$lane", "1"), ("sum", "0")],
    ),
    row(
        "a lane of a breakpoint",
        "sum.wgsl",
        SUM,
        &[
            ("break 8 if $lane == 4", ""),
            ("continue", "8"),
            ("$lane", "4"),
            ("i", "0"),
            ("continue", "8"),
            ("i", "1"),
            ("sum", "1"),
        ],
    ),
    row(
        "a condition on a variable",
        "sum.wgsl",
        SUM,
        &[
            ("break 10 if sum == 12", ""),
            ("continue", "10"),
            ("sum", "12"),
            ("i", "4"),
            ("id.x % 7 > 4", "true"),
        ],
    ),
    row(
        "a thread of a second workgroup",
        "sum.wgsl",
        SUM,
        &[
            ("break 13 if $global.x == 69", ""),
            ("continue", "13"),
            ("$workgroup.x", "1"),
            ("$lane", "5"),
            ("sum", "18"),
            ("i", "6"),
        ],
    ),
    row(
        "lines forward",
        "sum.wgsl",
        SUM,
        &[("break 10", ""), ("continue", "10"), ("next", "6"), ("sum@1", "3")],
    ),
    row(
        "a line back",
        "sum.wgsl",
        SUM,
        &[("break 10", ""), ("continue", "10"), ("next", "6"), ("stepBack", "10"), ("sum@1", "0")],
    ),
    row(
        "both arms of a branch",
        "sum.wgsl",
        SUM,
        &[
            ("break 8", ""),
            ("break 10", ""),
            ("continue", "8"),
            ("$exec & 1", "0x00000000"),
            ("continue", "10"),
            ("$exec & 2", "0x00000002"),
        ],
    ),
    row(
        "back to a breakpoint",
        "sum.wgsl",
        SUM,
        &[
            ("break 10", ""),
            ("continue", "10"),
            ("continue", "10"),
            ("sum@1", "3"),
            ("reverseContinue", "10"),
            ("sum@1", "0"),
        ],
    ),
    row(
        "back to the start",
        "sum.wgsl",
        SUM,
        &[("break 10", ""), ("continue", "10"), ("reverseContinue", "entry"), ("$pc", "0")],
    ),
    row(
        "out of the loop",
        "sum.wgsl",
        SUM,
        &[
            ("break 10 if $group == 0", ""),
            ("continue", "10"),
            (":delete", ""),
            ("stepOut", ""),
            ("i@6", "6"),
            ("sum@5", "15"),
            ("sum@6", "21"),
        ],
    ),
    row(
        "lanes that have left the loop",
        "sum.wgsl",
        SUM,
        &[
            ("break 10 if i == 5", ""),
            ("continue", "10"),
            ("$active@13", "true"),
            ("$active@12", "false"),
            ("sum@11", "12"),
            ("sum@13", "15"),
        ],
    ),
    row(
        "a chosen lane",
        "sum.wgsl",
        SUM,
        &[
            ("break 13", ""),
            ("continue", "13"),
            (":lane 9", "lane 9\n"),
            ("$lane", "9"),
            ("i == $global.x % 7", "true"),
            ("$thread.x % 64 - $group * 32", "9"),
        ],
    ),
    row(
        "a goal in time",
        "sum.wgsl",
        SUM,
        &[(":goto 0", ""), ("$pc", "0"), ("stepIn", ""), (":goto 40", ""), (":back 2", ""), (":backi 3", "")],
    ),
    row(
        "an acceleration is summed",
        "nbody.wgsl",
        BODIES,
        &[
            ("break 42", ""),
            ("continue", "42"),
            ("acceleration.x@0", "0.70710677"),
            ("acceleration.x@1", "-0.35355338"),
            ("acceleration.y@0", "0.0"),
        ],
    ),
    row(
        "a vector after each body",
        "nbody.wgsl",
        BODIES,
        &[
            ("break 38 if other == 1", ""),
            ("continue", "38"),
            ("acceleration.x@0", "0.0"),
            ("acceleration.x@1", "-0.35355338"),
        ],
    ),
    row(
        "bodies that move",
        "nbody.wgsl",
        BODIES,
        &[
            ("break 44", ""),
            ("continue", "44"),
            ("body.velocity.x@0", "0.70710677"),
            ("body.position.x@0", "0.70710677"),
            ("body.position.x@1", "0.6464466"),
            ("body.mass@1", "2.0"),
        ],
    ),
    row(
        "threads without a body",
        "nbody.wgsl",
        BODIES,
        &[
            ("break 42", ""),
            ("continue", "42"),
            ("$exec", "0x00000003"),
            ("$active@2", "false"),
            ("stepBack", ""),
            ("reverseContinue", "entry"),
        ],
    ),
    row(
        "a product after two steps",
        "matmul.wgsl",
        MATRICES,
        &[
            ("break 31 if k == 2", ""),
            ("continue", "31"),
            ("sum0.x", "1.0"),
            ("sum0.y", "2.0"),
            ("sum0.z", "0.0"),
            ("sum3.y", "14.0"),
        ],
    ),
    row(
        "a product as vectors",
        "matmul.wgsl",
        MATRICES,
        &[
            ("break 40", ""),
            ("continue", "40"),
            ("sum0", "{.x = 1.0, .y = 2.0, .z = 3.0, .w = 4.0}"),
            ("sum2", "{.x = 9.0, .y = 10.0, .z = 11.0, .w = 12.0}"),
            ("row", "0"),
            ("quads", "1"),
        ],
    ),
    row(
        "a product a step earlier",
        "matmul.wgsl",
        MATRICES,
        &[
            ("break 31", ""),
            ("break 40", ""),
            ("continue", "31"),
            ("continue", "31"),
            ("continue", "31"),
            ("continue", "31"),
            ("k", "3"),
            ("sum1.w", "0.0"),
            ("continue", "40"),
            ("sum1.w", "8.0"),
            ("reverseContinue", "31"),
            ("sum1.w", "0.0"),
        ],
    ),
    row(
        "points that escape",
        "mandelbrot.wgsl",
        VIEW,
        &[
            ("break 47", ""),
            ("continue", "47"),
            ("count@20", "10"),
            ("count@0", "4"),
            ("c.x@0", "-2.0"),
            ("c.y@0", "-1.0"),
            ("c@20", "{.x = 0.0, .y = 0.0}"),
        ],
    ),
    row(
        "an orbit",
        "mandelbrot.wgsl",
        VIEW,
        &[
            ("break 43 if $lane == 0 && count == 2", ""),
            ("continue", "43"),
            ("z@0", "{.x = -10.0, .y = 5.0}"),
            ("square@0", "{.x = 100.0, .y = 25.0}"),
        ],
    ),
    row(
        "lanes that go on",
        "mandelbrot.wgsl",
        VIEW,
        &[
            ("break 42 if count == 9", ""),
            ("continue", "42"),
            ("$active@20", "true"),
            ("$active@0", "false"),
            ("count@0", "4"),
        ],
    ),
    row(
        "a generation of cells",
        "life.comp",
        CELLS,
        &[
            ("break 55", ""),
            ("continue", "55"),
            ("row@2", "2"),
            ("column@2", "0"),
            ("two_or_three & 2048@0", "2048"),
            ("here.middle@1", "7168"),
        ],
    ),
    row(
        "words of a world",
        "life.comp",
        CELLS,
        &[
            ("break 48", ""),
            ("continue", "48"),
            ("above.middle@2", "7168"),
            ("here.west@1", "14336"),
            ("here.east@1", "3584"),
            ("next", ""),
        ],
    ),
    row(
        "a fragment",
        "plasma",
        &["--pixel", "40,30"],
        &[
            ("break 13", ""),
            ("continue", "13"),
            ("$pixel.x", "40"),
            ("p.x", "-3.0761719"),
            ("p.y", "-3.0703125"),
        ],
    ),
    row(
        "fragments beside each other",
        "plasma",
        &["--pixel", "40,30"],
        &[
            ("break 15 if $pixel.x == 41 && $pixel.y == 31", ""),
            ("continue", "breakpoint 1, lane 19"),
            ("$pixel.y@19", "31"),
            ("p.x@19", "-3.0410156"),
            ("stepBack", "14"),
            ("stepBack", "13"),
        ],
    ),
    row(
        "a vertex",
        "plasma",
        &["--vertex", "2"],
        &[("break 8", ""), ("continue", "8"), ("corner", "{.x = 0.0, .y = 2.0}"), ("vertex", "2")],
    ),
    row(
        "a lit fragment",
        "spheres",
        &["--pixel", "160,120"],
        &[
            ("break 42 if $pixel.x == 160 && $pixel.y == 120", ""),
            ("continue", "42"),
            ("diffuse <= 1.0", "true"),
            ("diffuse > 0.0", "true"),
            ("next", ""),
        ],
    ),
    row(
        "a corner of a mirror",
        "mirror",
        &["--vertex", "1"],
        &[("break 49", ""), ("continue", "49"), ("corner", "{.x = 1.0, .y = 0.0}"), ("vertex", "1")],
    ),
];

/// The trace of a run: where each instruction was, its mask, and the registers that it wrote in the first lane of the mask.
struct Trace(Vec<String>);

impl Trace {
    fn new(program: &str, args: &[String]) -> Trace {
        let mut words = vec!["run", program, "--trace"];
        words.extend(args.iter().map(String::as_str));
        let trace = stderr(&agxc(&words));
        Trace(
            trace
                .lines()
                .filter(|line| line.split_whitespace().nth(3).is_some())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Compares a stop with the trace; the number of registers compared.
    fn check(&self, editor: &mut Editor, name: &str) -> usize {
        let place = editor.ask("evaluate", json!({ "expression": ":where", "context": "repl" }));
        let Some((_, rest)) = place["result"].as_str().unwrap().split_once("time ") else { return 0 };
        let time: usize = rest.split(',').next().unwrap().parse().unwrap();
        let columns = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let now = columns(&self.0[time]);
        let group = [editor.value("$workgroup.x"), editor.value("$group")];
        let is_own = |line: &[String]| line[0].split(',').next().unwrap() == group[0] && line[1] == group[1];
        // The group that steps concern need not be the next one.
        if !is_own(&now) {
            return 0;
        }
        let offset = u32::from_str_radix(&now[2], 16).unwrap();
        assert_eq!(editor.value("$pc"), offset.to_string(), "{name}, time {time}");
        let lane: u32 = editor.value("$lane").parse().unwrap();
        let mut known: Vec<(String, String)> = Vec::new();
        for line in self.0[..time].iter().map(|line| columns(line)).filter(|line| is_own(line)) {
            let mask = u32::from_str_radix(&line[3], 16).unwrap();
            if line[2] == "000000" {
                known.clear();
            }
            for (register, value) in line.iter().filter_map(|word| word.split_once('=')) {
                if mask >> lane & 1 == 0 {
                    continue;
                }
                known.retain(|(other, _)| other != register);
                if mask.trailing_zeros() == lane {
                    known.push((register.to_owned(), u32::from_str_radix(value, 16).unwrap().to_string()));
                }
            }
        }
        // A part begins.
        if offset == 0 {
            return 0;
        }
        for (register, value) in &known {
            assert_eq!(
                &editor.value(&format!("${register}@{lane}")),
                value,
                "{name}, time {time}: {register}"
            );
        }
        known.len()
    }
}

impl Scenario {
    /// The program and the arguments, with files in the folder.
    fn command(&self, folder: &Folder) -> (String, Vec<String>) {
        let ones: Vec<u8> =
            (0..128u32).flat_map(|at| if at < 7 { at + 1 } else { 0 }.to_le_bytes()).collect();
        let ones = folder.file("ones", &ones);
        let program = match self.program {
            "sum.wgsl" => folder.file("sum.wgsl", SHADER),
            name if name.contains('.') => format!("{}/shaders/{name}", env!("CARGO_MANIFEST_DIR")),
            scene => scene.to_owned(),
        };
        let own = |word: &&str| word.replace("file:ones", &format!("file:{ones}"));
        let passes = optional_passes();
        let plain = passes.iter().flat_map(|pass| ["--disable-pass".to_owned(), pass.clone()]);
        (program, self.args.iter().map(own).chain(plain).collect())
    }

    /// The file that breakpoints are in.
    fn source(&self, program: &str) -> String {
        if program.contains('.') { program.to_owned() } else { format!("{}.wgsl", self.program) }
    }

    /// Follows the scenario; the number of registers compared with the trace.
    fn follow(&self, folder: &Folder) -> usize {
        let (program, args) = self.command(folder);
        let trace = program.contains('.').then(|| Trace::new(&program, &args));
        let mut editor = Editor::new();
        editor.ask("launch", json!({ "program": program, "args": args, "stopOnEntry": true }));
        editor.event("initialized");
        let breaks: Vec<Value> = self.steps.iter().filter_map(|(step, _)| breakpoint(step)).collect();
        let source = json!({ "path": self.source(&program) });
        let set = editor.ask("setBreakpoints", json!({ "source": source, "breakpoints": breaks }));
        let is_verified = |one: &Value| one["verified"] == true;
        assert!(set["breakpoints"].as_array().unwrap().iter().all(is_verified), "{}: {set}", self.name);
        editor.ask("configurationDone", json!({}));
        assert_eq!(editor.event("stopped")["reason"], "entry");
        let mut compared = 0;
        for (step, expected) in self.steps.iter().filter(|(step, _)| breakpoint(step).is_none()) {
            self.step(&mut editor, step, expected);
            if MOVES.contains(step) {
                compared += trace.as_ref().map_or(0, |trace| trace.check(&mut editor, self.name));
            }
        }
        editor.quit();
        compared
    }

    fn step(&self, editor: &mut Editor, step: &str, expected: &str) {
        let Scenario { name, .. } = self;
        if MOVES.contains(&step) {
            let stopped = editor.go(step);
            let description = stopped["description"].as_str().unwrap_or_default().to_owned();
            match expected.parse::<u64>() {
                Ok(line) => assert_eq!(editor.line(), line, "{name}: {step}, {description}"),
                Err(_) => assert!(description.starts_with(expected), "{name}: {step}, {description}"),
            }
            return;
        }
        if step.starts_with(':') {
            let reply = editor.ask("evaluate", json!({ "expression": step, "context": "repl" }));
            assert!(reply["result"].as_str().unwrap().starts_with(expected), "{name}: {step}: {reply}");
            return;
        }
        // The machine's special functions are nearly exact.
        let found = editor.value(step);
        let is_near = |(found, expected): (f64, f64)| (found - expected).abs() <= 1e-6 * expected.abs();
        let numbers = found.parse().ok().zip(expected.parse().ok());
        assert!(found == expected || numbers.is_some_and(is_near), "{name}: {step}: {found} for {expected}");
    }
}

/// The breakpoint of a step `break LINE [if CONDITION]`.
fn breakpoint(step: &str) -> Option<Value> {
    let words = step.strip_prefix("break ")?;
    let (line, condition) = words.split_once(" if ").unwrap_or((words, ""));
    Some(json!({ "line": line.parse::<u32>().unwrap(), "condition": condition }))
}

#[test]
fn editors_go_thirty_ways() {
    let mut compared = 0;
    for (number, scenario) in SCENARIOS.iter().enumerate() {
        if scenario.program == "life.comp" && !glslang_is_installed() {
            eprintln!("skipped: {}, glslangValidator is not installed", scenario.name);
            continue;
        }
        compared += scenario.follow(&Folder::new(&format!("scenario-{number}")));
    }
    assert!(compared > 600, "{compared} registers");
}

/// Compute shaders of the corpus of real modules, which buffers of zeros suffice.
const CORPUS: [&str; 6] = [
    "glsl__computecloth__cloth.comp.spv",
    "hlsl__computecloth__cloth.comp.spv",
    "glsl__computenbody__particle_calculate.comp.spv",
    "glsl__computenbody__particle_integrate.comp.spv",
    "slang__computeparticles__particle.comp.spv",
    "hlsl__computeheadless__headless.comp.spv",
];

/// Steps by an instruction; whether the run goes on.
fn instruction(editor: &mut Editor, command: &str) -> bool {
    editor.ask(command, json!({ "threadId": 0, "granularity": "instruction" }));
    !editor.event("stopped")["description"].as_str().unwrap_or_default().starts_with("the end")
}

#[test]
fn modules_of_the_corpus_step_as_in_their_trace() {
    let beside = || std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared"));
    let shared = std::env::var_os("AGX_SHARED").map_or_else(beside, Into::into);
    let folder = shared.join("corpus/spirv/saschawillems");
    if !folder.exists() {
        eprintln!("skipped: {} does not exist", folder.display());
        return;
    }
    for name in CORPUS {
        let program = folder.join(name).display().to_string();
        let buffers = (0..3).flat_map(|binding| ["--buffer".to_owned(), format!("0.{binding}=zero:65536")]);
        let args: Vec<String> = buffers.chain(["--push".to_owned(), "zero:64".to_owned()]).collect();
        let trace = Trace::new(&program, &args);
        let mut editor = Editor::new();
        editor.ask("launch", json!({ "program": program, "args": args, "stopOnEntry": true }));
        editor.event("initialized");
        editor.ask("configurationDone", json!({}));
        editor.event("stopped");
        let mut compared = 0;
        for step in 0..40 {
            if !instruction(&mut editor, "stepIn") {
                break;
            }
            // Every third step is made again.
            if step % 3 == 0 {
                instruction(&mut editor, "stepBack");
                compared += trace.check(&mut editor, name);
                instruction(&mut editor, "stepIn");
            }
            compared += trace.check(&mut editor, name);
        }
        assert!(compared > 10, "{name}: {compared} registers");
        editor.quit();
    }
}
