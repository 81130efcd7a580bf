//! Gives the shared library a SONAME with the version of the interface, so that the loader starts no program with a
//! library of another version. The version is that of the header, which a test compares with the sources.

use std::path::Path;

/// The line of the header before the version.
const VERSION: &str = "#define AGX_INTERFACE_VERSION ";

/// Systems whose linkers take a SONAME.
const SYSTEMS: [&str; 6] = ["linux", "android", "freebsd", "netbsd", "openbsd", "dragonfly"];

fn main() {
    println!("cargo:rerun-if-changed=include/agx.h");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if !SYSTEMS.contains(&system.as_str()) {
        return;
    }
    let header = std::fs::read_to_string(Path::new("include").join("agx.h"))
        .expect("include/agx.h is part of the package");
    let version =
        header.lines().find_map(|line| line.strip_prefix(VERSION)).expect("the header has a version");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libagx.so.{version}");
}
