//! The cost of calls: makes calls of every kind in turn, within a function whose instructions a profiler counts.
//!
//! Each kind runs once to fill caches and pools, once with a number of calls, and once with twice as many, so that the difference
//! of the two counts is the cost of that number of calls. The names of the kinds and their numbers of calls go to standard output,
//! in the order of the counts.

mod commands;
mod draws;
mod objects;
mod scene;

use std::path::Path;

use ash::vk;

use crate::Error;
use scene::Scene;

/// Makes a call; the number counts the calls.
type InCommands = fn(&Scene, vk::CommandBuffer, u32) -> Result<(), Error>;

/// Where the calls of a kind are made.
#[derive(Clone, Copy)]
enum Place {
    /// In a render pass with everything bound.
    Pass(InCommands),
    /// In a primary command buffer with a compute pipeline bound.
    Commands(InCommands),
    /// Outside command buffers.
    Host(fn(&Scene, u32) -> Result<(), Error>),
}

/// Kinds of calls.
struct Kind {
    name: &'static str,
    calls: u32,
    place: Place,
}

const fn in_pass(name: &'static str, act: InCommands) -> Kind {
    Kind { name, calls: 400, place: Place::Pass(act) }
}

const fn in_commands(name: &'static str, act: InCommands) -> Kind {
    Kind { name, calls: 200, place: Place::Commands(act) }
}

const fn on_host(name: &'static str, calls: u32, act: fn(&Scene, u32) -> Result<(), Error>) -> Kind {
    Kind { name, calls, place: Place::Host(act) }
}

/// Every kind.
const KINDS: &[Kind] = &[
    in_pass("draw", draws::plain),
    in_pass("draw-push", draws::push),
    in_pass("draw-set", draws::set),
    in_pass("draw-dynamic-offset", draws::dynamic_offset),
    in_pass("draw-vertex-buffers", draws::vertex_buffers),
    in_pass("draw-pipeline", draws::pipeline),
    in_pass("draw-scissor", draws::scissor),
    in_pass("draw-viewport", draws::viewport),
    in_pass("draw-states", draws::states),
    in_pass("draw-same-state", draws::same_state),
    in_pass("draw-indexed", draws::indexed),
    in_pass("draw-indirect", draws::indirect),
    in_pass("draw-push-descriptors", draws::push_descriptors),
    in_pass("draw-all-changed", draws::all_changed),
    in_pass("clear-attachments", draws::clear_attachments),
    in_commands("dispatch", commands::plain),
    in_commands("dispatch-push", commands::push),
    in_commands("dispatch-set", commands::set),
    in_commands("dispatch-indirect", commands::indirect),
    in_commands("dispatch-barrier", commands::barrier),
    in_commands("pass", commands::pass),
    in_commands("secondary", commands::secondary),
    in_commands("copy-buffer", commands::copy_buffer),
    in_commands("update-buffer", commands::update_buffer),
    in_commands("fill-buffer", commands::fill_buffer),
    in_commands("copy-to-image", commands::copy_to_image),
    in_commands("clear-image", commands::clear_image),
    on_host("command-buffer", 100, objects::command_buffer),
    on_host("submit", 10, objects::submit),
    on_host("fence", 100, objects::fence),
    on_host("descriptor-update", 200, objects::descriptor_update),
    on_host("descriptor-template", 200, objects::descriptor_template),
    on_host("descriptor-sets", 100, objects::descriptor_sets),
    on_host("graphics-pipeline", 20, objects::graphics_pipeline),
    on_host("compute-pipeline", 20, objects::compute_pipeline),
    on_host("memory", 50, objects::memory),
    on_host("map", 100, objects::map),
    on_host("buffer", 100, objects::buffer),
    on_host("image-view", 100, objects::image_view),
    on_host("sampler", 100, objects::sampler),
];

impl Kind {
    fn round(&self, scene: &Scene, count: u32) -> Result<(), Error> {
        match self.place {
            Place::Pass(act) => scene.record(|commands| {
                scene.begin_pass(commands);
                scene.bind_draws(commands);
                let result = (0..count).try_for_each(|number| act(scene, commands, number));
                scene.end_pass(commands);
                result
            }),
            Place::Commands(act) => scene.record(|commands| {
                scene.bind_dispatches(commands);
                (0..count).try_for_each(|number| act(scene, commands, number))
            }),
            Place::Host(act) => (0..count).try_for_each(|number| act(scene, number)),
        }
    }
}

/// The function to count. It is not inlined, because the profiler finds it by name.
#[inline(never)]
fn counted(kind: &Kind, scene: &Scene, count: u32) -> Result<(), Error> {
    kind.round(std::hint::black_box(scene), std::hint::black_box(count))
}

/// Makes the calls of every kind whose name contains `filter`; the shaders are in a folder.
///
/// # Errors
/// Vulkan's error, or a missing file.
pub fn run(folder: &Path, filter: &str) -> Result<(), Error> {
    let scene = Scene::new(folder)?;
    for kind in KINDS.iter().filter(|kind| kind.name.contains(filter)) {
        kind.round(&scene, 2 * kind.calls)?;
        for count in [kind.calls, 2 * kind.calls] {
            counted(kind, &scene, count)?;
        }
        println!("{} {}", kind.name, kind.calls);
    }
    Ok(())
}

/// Calls of a kind in a frame.
const IN_FRAME: u32 = 8;

/// Submits calls of every kind in command buffers whose name contains `filter`: each kind of draws in a render pass of its own.
///
/// # Errors
/// As [`run`].
pub fn frame(folder: &Path, filter: &str) -> Result<(), Error> {
    let scene = Scene::new(folder)?;
    for kind in KINDS.iter().filter(|kind| kind.name.contains(filter)) {
        if !matches!(kind.place, Place::Host(_)) {
            kind.round(&scene, IN_FRAME)?;
            scene.submit()?;
        }
    }
    Ok(())
}

/// Draws of the command buffer whose memory is measured.
const MANY: u32 = 100_000;

/// Records many draws, each with push constants of its own, and writes the most kilobytes that the process had in memory to standard
/// output.
///
/// # Errors
/// As [`run`].
pub fn memory(folder: &Path) -> Result<(), Error> {
    let kind = in_pass("", draws::push);
    kind.round(&Scene::new(folder)?, MANY)?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    println!("{}", peak.trim_end_matches("kB").trim());
    Ok(())
}
