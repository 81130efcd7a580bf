//! Suite `scenes`: what the device reads for a frame of vkmark and glmark2, through the project's driver and through Mesa's.
//!
//! A scene runs for two durations or numbers of frames, and the difference is divided by the draws or frames: what starts a program
//! does not count. vkmark draws without a window, and glmark2, through zink, into memory.

use serde_json::json;

use super::Context;
use super::recorded::{Read, compared};
use crate::clients::screen::Screen;
use crate::clients::{CLOCK, EARLY, ZINK};
use crate::device::environment::{Door, Driver, Environment};
use crate::outcome::SuiteReport;
use crate::shared::DataError;

/// When a scene ends, first early and then late.
#[derive(Clone, Copy)]
enum Ends {
    /// After seconds: the figures are for draws.
    Seconds([u32; 2]),
    /// After frames, for which the figures are: one driver may draw what the other launches.
    Frames([u32; 2]),
}

impl Ends {
    /// The clock of the program, as variables.
    fn clock(self) -> &'static [&'static str] {
        match self {
            Ends::Seconds(_) => &[],
            Ends::Frames(_) => &STILL,
        }
    }

    /// The values, and the name of the option that takes them.
    fn option(self) -> ([u32; 2], &'static str) {
        match self {
            Ends::Seconds(ends) => (ends, "duration"),
            Ends::Frames(ends) => (ends, "nframes"),
        }
    }
}

/// A program with scenes.
struct Program {
    name: &'static str,
    /// Its first arguments.
    first: &'static [&'static str],
    ends: Ends,
    /// The scenes whose frames are alike.
    scenes: &'static [&'static str],
}

const PROGRAMS: [Program; 2] = [
    Program {
        name: "vkmark",
        first: &["--winsys", "headless"],
        ends: Ends::Seconds([1, 3]),
        scenes: &[
            "vertex",
            "texture:anisotropy=0",
            "shading:shading=gouraud",
            "shading:shading=phong",
            "shading:shading=cel",
            "cube",
            "effect2d:kernel=edge",
            "effect2d:kernel=blur",
            "desktop",
        ],
    },
    Program {
        name: "glmark2",
        first: &["--off-screen"],
        ends: Ends::Frames([5, 25]),
        scenes: &[
            "build",
            "texture",
            "shading",
            "bump",
            "effect2d",
            "pulsar",
            "desktop",
            "buffer",
            "ideas",
            "conditionals",
            "function",
            "loop",
            "shadow",
            "jellyfish",
            "refract",
        ],
    },
];

/// Has OpenGL's calls execute and submit before they return. With threads of its own, it would be chance whether zink finds a
/// buffer that the next frame maps in use, and copies it.
const IN_ORDER: [&str; 2] = ["GALLIUM_THREAD=0", "ZINK_DEBUG=flushsync"];

/// A clock that stands still, for programs that count frames: what a frame shows, and so what is drawn, depends on the time.
const STILL: [&str; 2] = [CLOCK, EARLY];

/// Seconds until a program is stopped.
const LIMIT: u32 = 120;

/// Runs the scenes whose name contains the filter.
///
/// # Errors
/// Never: without an environment with these programs, the suite is absent.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    Ok(report(context.filter.unwrap_or_default()).unwrap_or_else(SuiteReport::absent))
}

fn report(filter: &str) -> Result<SuiteReport, String> {
    let environment = Environment::find("scenes")?;
    environment.prepare_clients()?;
    let screen = Screen::start(&environment)?;
    let mut report = SuiteReport::new(Vec::new());
    for program in &PROGRAMS {
        for scene in program.scenes {
            let name = format!("{}-{scene}", program.name);
            if !name.contains(filter) {
                continue;
            }
            let of = |driver| measured(&environment, driver, &screen, program, scene);
            let (ours, mesa) = (of(Driver::Own)?, of(Driver::Device)?);
            for (case, figures) in compared(&name, [ours, mesa].map(|read| read.of_scene())) {
                report.extra.insert(case.name.clone(), figures);
                report.cases.push(case);
            }
        }
    }
    report.extra.insert("mesa".into(), json!(environment.version));
    Ok(report)
}

/// What the device reads for a thousand draws or frames of a scene.
fn measured(
    environment: &Environment,
    driver: Driver,
    screen: &Screen,
    program: &Program,
    scene: &str,
) -> Result<Read, String> {
    let (ends, option) = program.ends.option();
    let [short, long] = ends.map(|end| {
        let scene = format!("{scene}:{option}={end}");
        let command = [&[program.name, "-s", "128x96"], program.first, &["-b", scene.as_str()]].concat();
        let display = screen.display();
        let variables = [ZINK, &IN_ORDER, program.ends.clock(), &[display.as_str()]].concat();
        let output = environment.inside(&Door::plain(driver), &variables, LIMIT, &command).output();
        let output = output.map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Read::of(&environment.client_statistics()),
            false => Err(format!("{scene}: {}", output.status)),
        }
    });
    let (short, long) = (short?, long?);
    let count = match program.ends {
        Ends::Seconds(_) => long.draws.saturating_sub(short.draws),
        Ends::Frames([early, late]) => (late - early).into(),
    };
    long.after(&short, count).ok_or_else(|| format!("{scene}: no draws until {option}={}", ends[1]))
}
