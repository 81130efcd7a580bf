//! Computes the build identifier: a hash of everything that determines the generated code. Caches store it
//! with each entry.
//!
//! In a checkout the hash covers the sources of this crate and of the workspace crates it depends on, and the
//! lock file, which pins the versions of external front ends. In a published package it covers the package's
//! sources and version; the packages of its dependencies fix their versions.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files that determine the generated code, relative to the package folder.
const SOURCES: [&str; 7] = [
    "src",
    "../isa/src",
    "../abi/src",
    "../formats/agal/src",
    "../formats/pica200/src",
    "../formats/tgsi/src",
    "../Cargo.lock",
];

/// 128-bit FNV-1a.
struct Hash(u128);

impl Hash {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        // The length separates consecutive parts.
        self.0 = (self.0 ^ bytes.len() as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
}

/// Every file under `path`, in order; empty if `path` does not exist.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut folders = vec![path.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

fn main() {
    let mut hash = Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    hash.add(std::env::var("CARGO_PKG_VERSION").unwrap_or_default().as_bytes());
    for feature in ["CARGO_FEATURE_WGSL", "CARGO_FEATURE_GLSL"] {
        hash.add(&[u8::from(std::env::var_os(feature).is_some())]);
    }
    for source in SOURCES.map(Path::new) {
        for file in files(source) {
            hash.add(file.to_string_lossy().as_bytes());
            hash.add(&fs::read(&file).unwrap_or_default());
        }
        if source.exists() {
            println!("cargo::rerun-if-changed={}", source.display());
        }
    }
    println!("cargo::rustc-env=AGX_BUILD_ID={:032x}", hash.0);
}
