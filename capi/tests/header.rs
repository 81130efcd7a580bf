//! Compares the committed header with cbindgen's output for the sources.

#![forbid(unsafe_code)]

use std::path::Path;

use cbindgen::{Builder, Config, EnumConfig, ExportConfig, Language, RenameRule, Style};

/// The start of the header.
const HEADER: &str = "\
/* The C interface of the AGX compiler. Written from the sources of agx-capi by its test: do not edit.
 *
 * Objects are opaque and belong to the caller, who frees each with its own function; freeing a null pointer does nothing.
 * Texts and bytes that come in are copied, and their lengths are explicit. Those that come out belong to the object they
 * were asked of and live as long as it does.
 * A function that can fail gives a status and, where `error` is not null, an error with code, text and location, or null.
 * What it was to make is null after a failure.
 * Structures that describe a state have functions that make the default, `agx_..._default`. A state of zeros is another:
 * its sample mask keeps no sample, and its targets are not written.
 * A compiler is used by one thread at a time; shaders, programs and errors may be read by several.
 */";

/// Enumerations whose values are arguments and fields.
const NUMBERED: [&str; 12] = [
    "AgxAccess",
    "AgxBackgroundKind",
    "AgxBounds",
    "AgxDomain",
    "AgxOrder",
    "AgxPart",
    "AgxPrimitives",
    "AgxProvoking",
    "AgxResolve",
    "AgxSpacing",
    "AgxStage",
    "AgxWords",
];

fn config() -> Config {
    Config {
        language: Language::C,
        style: Style::Type,
        header: Some(HEADER.to_owned()),
        include_guard: Some("AGX_H".to_owned()),
        cpp_compat: true,
        usize_is_size_t: true,
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        no_includes: true,
        export: ExportConfig { include: NUMBERED.map(str::to_owned).to_vec(), ..ExportConfig::default() },
        enumeration: EnumConfig {
            prefix_with_name: true,
            rename_variants: RenameRule::ScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    }
}

#[test]
fn the_header_is_that_of_the_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The files of `entry` are read with it.
    let sources = [
        "version",
        "bytes",
        "error",
        "key",
        "shader",
        "interface",
        "kernel",
        "program",
        "stages",
        "tile",
        "words",
        "entry/mod",
    ];
    let builder = sources.iter().fold(Builder::new().with_config(config()), |builder, name| {
        builder.with_src(folder.join(format!("src/{name}.rs")))
    });
    let mut made = Vec::new();
    builder.generate().expect("a header").write(&mut made);
    let made = String::from_utf8(made).expect("UTF-8");
    let path = folder.join("include/agx.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &made).expect("a writable header");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "include/agx.h is not of these sources: BLESS=1 cargo test -p agx-capi --test header"
    );
}
