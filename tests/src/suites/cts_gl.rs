//! Suite `cts-gl`: Khronos' OpenGL and OpenGL ES conformance suites through zink on the project's driver.
//!
//! `AGX_CTS_GL` names a program that its user built: `deqp-gles2`, `deqp-gles3`, `deqp-gles31` or `glcts`, for EGL without a window.
//! Cases are chosen as in the suite `cts`. A case that fails runs again on lavapipe, through the same zink; if it fails there too, it
//! says nothing of the driver and does not count.

use std::collections::BTreeMap;
use std::process::Command;

use super::Context;
use super::cts::report;
use crate::clients::ZINK;
use crate::cts::open;
use crate::cts::process::Ran;
use crate::cts::program::Program;
use crate::device::environment::{Door, Driver, Environment, LIBRARIES};
use crate::outcome::{Outcome, SuiteReport};
use crate::shared::DataError;

/// Without a filter, one in this number of cases runs.
const ONE_IN: u64 = 100;

/// Mesa's EGL in the tree.
const VENDOR: &str = "usr/share/glvnd/egl_vendor.d/50_mesa.json";

/// A surface that every case accepts.
const SURFACE: [&str; 4] = [
    "--deqp-surface-type=pbuffer",
    "--deqp-gl-config-name=rgba8888d24s8ms0",
    "--deqp-surface-width=256",
    "--deqp-surface-height=256",
];

/// Runs the sample.
///
/// # Errors
/// Never: a missing program or environment skips the suite.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    match results(context) {
        Ok(ran) => Ok(report(&open::rows("gl"), &ran)),
        Err(reason) => Ok(SuiteReport::absent(reason)),
    }
}

/// The results of all cases of the sample.
fn results(context: &Context<'_>) -> Result<Vec<Ran>, String> {
    let what = "program of Khronos' OpenGL or OpenGL ES conformance suites";
    let program = Program::find("AGX_CTS_GL", what, "cts-gl", prepare)?;
    // The programs load EGL by the name of development packages. The link may exist.
    let link = program.environment.root().join(LIBRARIES).join("libEGL.so");
    let _ = std::os::unix::fs::symlink("libEGL.so.1", link);
    let mut ran = program.run(&context.own(), &program.cases(context, ONE_IN)?)?;
    let failed = ran.iter().filter(|ran| matches!(ran.outcome, Outcome::Fail(_)));
    let again: Vec<String> = failed.map(|ran| ran.name.clone()).collect();
    let again = program.run(&Door::plain(Driver::Lavapipe), &again)?;
    let elsewhere: BTreeMap<&str, &Outcome> =
        again.iter().map(|ran| (ran.name.as_str(), &ran.outcome)).collect();
    for ran in &mut ran {
        if let Some(Outcome::Fail(reason)) = elsewhere.get(ran.name.as_str()) {
            ran.outcome = Outcome::Unsupported(format!("lavapipe fails too: {reason}"));
        }
    }
    Ok(ran)
}

/// Lets EGL find Mesa's library in the tree, and zink in it.
fn prepare(command: &mut Command, driver: Driver, environment: &Environment) {
    command.env("__EGL_VENDOR_LIBRARY_FILENAMES", environment.root().join(VENDOR));
    command.env("EGL_PLATFORM", "surfaceless");
    command.envs(ZINK.iter().filter_map(|variable| variable.split_once('=')));
    if driver == Driver::Lavapipe {
        command.env("LIBGL_ALWAYS_SOFTWARE", "1");
    }
    command.args(SURFACE);
}
