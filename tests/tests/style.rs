//! The house rules that a program can check, for every source file of the workspace.

mod source;
mod types;

use std::path::{Path, PathBuf};

use agx_compiler::internal::pipeline::PASSES;
use source::{Function, Source};
use types::TypeSize;

/// Maximum number of lines of a function.
const MAX_FUNCTION_LINES: usize = 60;

/// Longer functions, with the reason: (end of path, function, reason).
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[];

/// Maximum number of fields of a type.
const MAX_FIELDS: usize = 12;

/// Maximum number of methods of a type.
const MAX_METHODS: usize = 25;

/// Larger types: end of the path, type, allowed fields and methods, reason.
#[rustfmt::skip]
const LARGE_TYPES: &[(&str, &str, usize, usize, &str)] = &[
    ("isa/src/desc.rs", "InstDesc", 26, 25, "one row of the instruction table: a field for each fact"),
    ("isa/src/operand.rs", "Form", 15, 25, "one row of the table of operand kinds"),
    ("abi/src/fragment.rs", "FragmentInfo", 16, 25, "a contract with drivers: a field for each fact"),
    ("abi/src/info.rs", "ShaderInfo", 31, 25, "a contract with drivers: a field for each fact"),
    ("compiler/src/lib.rs", "CompileKey", 30, 25, "a contract with drivers: a field for each choice"),
    ("analysis/ranges/mod.rs", "Walk", 12, 28, "one walk over the layout with a method for each kind of segment and condition"),
    ("pipeline/passes.rs", "Pass", 16, 25, "one row of the table of passes"),
    ("tgsi/program.rs", "Program", 12, 75, "handlers of the opcode classes, by subject in seven files"),
    ("ir/function.rs", "Function", 22, 35, "the function: tables, facts of the whole, access to them, and memory for passes"),
    ("link/program.rs", "LinkedProgram", 13, 25, "a contract with drivers: a field for each fact"),
    ("link/epilog.rs", "EpilogKey", 15, 25, "the state of a draw that an epilog depends on"),
    ("float64/emit.rs", "Emit", 12, 45, "one short method for each operation of two words"),
    ("regalloc/assign.rs", "Assigner", 17, 45, "the state of one allocation, in five files"),
    ("spill/memory.rs", "Memory", 13, 25, "the state of the insertion of loads and stores"),
    ("spill/mod.rs", "Spiller", 14, 25, "the state of one round of spilling"),
    ("compiler/src/stats.rs", "Statistics", 20, 25, "a field for each figure"),
    ("capi/src/program.rs", "AgxProgramInfo", 13, 25, "a contract with drivers: a field for each fact"),
    ("emulator/src/dispatch.rs", "Options", 13, 25, "a field for each option of a run"),
    ("emulator/src/draw.rs", "Draw", 18, 25, "the state of a draw"),
    ("exec/texture.rs", "Sample", 14, 25, "the operands of a texture instruction"),
    ("emulator/src/group.rs", "Group", 25, 25, "the registers and masks of a SIMD-group"),
    ("launch/draw.rs", "DrawLaunch", 20, 25, "the inputs of a draw"),
    ("emulator/src/textures.rs", "Texture", 14, 25, "the fields of a texture descriptor"),
    ("device/src/settings.rs", "Settings", 14, 25, "a field for each setting of the device"),
    ("execute/state.rs", "Raster", 15, 25, "the fields of the rasterizer's records"),
    ("driver/src/command.rs", "Recorder", 12, 75, "what encodes commands: a method for each, by subject in eleven files"),
    ("agal/src/check/mod.rs", "Checker", 12, 33, "a method for each rule of the format"),
    ("pica200/src/asm/mod.rs", "Assembler", 12, 47, "a method for each directive and statement"),
    ("interpret/mod.rs", "Machine", 12, 43, "a method for each class of opcodes, in seven files"),
    ("agxc/src/key.rs", "KeyFile", 30, 25, "the fields of a JSON file"),
    ("scene/model.rs", "Draw", 20, 25, "the fields of a JSON file"),
    ("bin/score.rs", "Arguments", 19, 25, "a field for each option of the command line"),
    ("pica/case.rs", "Case", 19, 25, "the fields of a case file"),
];

/// Folders with sources, relative to the workspace's root.
const ROOMS: &[&str] = &[
    "isa",
    "abi",
    "compiler",
    "capi",
    "emulator",
    "debug",
    "device",
    "driver",
    "formats/agal",
    "formats/pica200",
    "formats/tgsi",
    "agxc",
    "page/wasm",
    "fuzz",
    "kit",
    "tests",
];

/// Files and folders with `unsafe` code, relative to the workspace's root, with the reason.
const UNSAFE: &[(&str, &str)] = &[
    (
        "capi/src/entry/",
        "C passes pointers with lengths, symbols need exact names, and a C callback cancels compilations",
    ),
    ("driver/node/", "makes system calls, and maps buffers of the kernel"),
    (
        "driver/icd/",
        "reads the structures of Vulkan that programs pass by pointer, and hands out objects as handles",
    ),
    ("kit/src/entry.rs", "the entry points of Vulkan drivers are C functions"),
    ("device/shim/", "stands between a program and its C library"),
];

fn root() -> PathBuf {
    // Not `tests/..`, which would make every path look like that of a test.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

/// Every Rust file of the workspace.
fn sources() -> Vec<Source> {
    let mut folders: Vec<PathBuf> = ROOMS.iter().map(|room| root().join(room)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() > 50, "the workspace has sources");
    let read = |path: PathBuf| Source::new(&path, &std::fs::read_to_string(&path).expect("UTF-8"));
    files.into_iter().map(read).collect()
}

/// Fails if there are complaints.
fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn functions_fit_a_screen() {
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    for source in sources() {
        for Function { name, line, lines } in source.functions() {
            if lines <= MAX_FUNCTION_LINES {
                continue;
            }
            let exception = LONG_FUNCTIONS
                .iter()
                .position(|(path, known, _)| source.path.ends_with(path) && *known == name);
            match exception {
                Some(index) => used.push(index),
                None => complaints.push(format!("{}:{line}: {name} has {lines} lines", source.path)),
            }
        }
    }
    let unused = (0..LONG_FUNCTIONS.len()).filter(|index| !used.contains(index));
    complaints.extend(unused.map(|index| format!("{:?} is no longer an exception", LONG_FUNCTIONS[index])));
    report(complaints);
}

#[test]
fn types_have_one_job() {
    let sources = sources();
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    for room in ROOMS {
        let folder = format!("/{room}/src/");
        let inside = sources.iter().filter(|source| source.path.contains(&folder) && !source.is_test());
        for found in types::sizes(inside.map(|source| (source.path.as_str(), source.text.as_str()))) {
            let TypeSize { name, path, fields, methods } = found;
            let exception =
                LARGE_TYPES.iter().position(|(end, known, ..)| path.ends_with(end) && *known == name);
            let (most_fields, most_methods) = match exception {
                Some(index) => {
                    used.push(index);
                    let (_, _, fields, methods, _) = LARGE_TYPES[index];
                    (fields.max(MAX_FIELDS), methods.max(MAX_METHODS))
                }
                None => (MAX_FIELDS, MAX_METHODS),
            };
            if fields > most_fields || methods > most_methods {
                complaints.push(format!("{path}: {name} has {fields} fields and {methods} methods"));
            }
        }
    }
    let unused = (0..LARGE_TYPES.len()).filter(|index| !used.contains(index));
    complaints.extend(unused.map(|index| format!("{:?} is no longer an exception", LARGE_TYPES[index])));
    report(complaints);
}

/// Folders with passes, which the pipeline alone runs.
const PASS_FOLDERS: [&str; 5] = ["opt", "lower", "analysis", "regalloc", "schedule"];

#[test]
fn passes_do_not_run_passes() {
    let sources = sources();
    let mut complaints = Vec::new();
    let is_in = |source: &&Source| {
        let folders = PASS_FOLDERS.iter();
        folders.clone().any(|folder| source.path.contains(&format!("/compiler/src/{folder}/")))
            && !source.is_test()
    };
    let names = || PASSES.iter().map(|pass| pass.name);
    for source in sources.iter().filter(is_in) {
        for (line, text) in source.code_outside_tests() {
            let calls = |name: &str| {
                let call = format!("{name}(");
                let mut places = text.match_indices(&call).map(|(at, _)| &text[..at]);
                places.any(|before| {
                    !before.ends_with("fn ")
                        && !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                })
            };
            let called = names().filter(|name| calls(name) && !text.trim_start().starts_with("//"));
            complaints.extend(called.map(|name| format!("{}:{line}: {name} is called", source.path)));
        }
    }
    report(complaints);
}

#[test]
fn sources_say_what_they_are() {
    let missing = sources().into_iter().filter(|source| !source.text.starts_with("//! "));
    report(missing.map(|source| format!("{}: the first line is not `//! …`", source.path)).collect());
}

#[test]
fn a_module_with_parts_is_a_folder_with_a_mod_file() {
    let mut complaints = Vec::new();
    for source in sources() {
        let folder = Path::new(&source.path).with_extension("");
        let has_parts = std::fs::read_dir(&folder).is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        });
        if has_parts {
            complaints.push(format!("{}: belongs into its folder, as `mod.rs`", source.path));
        }
    }
    report(complaints);
}

#[test]
fn nothing_is_left_half_done() {
    // Split so that this file does not contain the words.
    let words = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X:"],
        ["todo", "!("],
        ["unimple", "mented!("],
        ["#[ign", "ore"],
    ];
    let mut complaints = Vec::new();
    for source in sources() {
        for (index, line) in source.text.lines().enumerate() {
            // Some names in applegpu contain such a word, next to a point.
            let marks = |word: &String| {
                line.match_indices(word.as_str())
                    .any(|(at, _)| !line[..at].ends_with('.') && !line[at + word.len()..].starts_with('.'))
            };
            if let Some(word) = words.iter().map(|parts| parts.concat()).find(marks) {
                complaints.push(format!("{}:{}: {word}", source.path, index + 1));
            }
        }
    }
    report(complaints);
}

#[test]
fn code_outside_tests_does_not_unwrap() {
    let mut complaints = Vec::new();
    for source in sources().into_iter().filter(|source| !source.is_test()) {
        for (line, text) in source.code_outside_tests() {
            for word in [".unwrap()", ".unwrap_err()", "unreachable!()", ".expect(\"\")"] {
                if text.contains(word) {
                    complaints.push(format!("{}:{line}: {word}", source.path));
                }
            }
        }
    }
    report(complaints);
}

/// Indices in arguments that are evaluated before their condition is known, with the reason: end of the path, argument.
#[rustfmt::skip]
const EAGER_INDICES: &[(&str, &str, &str)] = &[
    ("spirv/matrix.rs", "y[2]", "an array of three, in a test"),
    ("tgsi/memory.rs", "at[3]", "an array of four"),
    ("link/fragment_prolog.rs", "terms[0]", "three parts of a vector, of which the function takes all"),
    ("opt/fuse.rs", "[data.srcs[0], data.srcs[1]]", "the operation has a third source, which the condition reads"),
    ("regalloc/affinity.rs", "self.heir[*dst]", "a table of all values"),
    ("emulator/src/order.rs", "entry.bytes[lane]", "an array of the bytes of a word"),
];

#[test]
fn indices_are_evaluated_after_their_conditions() {
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    for source in sources().into_iter().filter(|source| !source.is_test()) {
        for (line, argument) in source.eager_indices() {
            let exception = EAGER_INDICES
                .iter()
                .position(|(path, known, _)| source.path.ends_with(path) && *known == argument);
            match exception {
                Some(index) => used.push(index),
                None => complaints.push(format!("{}:{line}: {argument} is always evaluated", source.path)),
            }
        }
    }
    let unused = (0..EAGER_INDICES.len()).filter(|index| !used.contains(index));
    complaints.extend(unused.map(|index| format!("{:?} is no longer an exception", EAGER_INDICES[index])));
    report(complaints);
}

#[test]
fn libraries_keep_no_state_and_read_no_environment() {
    let libraries = [
        "/isa/src/",
        "/abi/src/",
        "/compiler/src/",
        "/emulator/src/",
        "/formats/agal/src/",
        "/formats/tgsi/src/",
    ];
    let words = [
        "std::env",
        "std::thread",
        "thread_local!",
        "static mut",
        "OnceLock",
        "LazyLock",
        "HashMap<",
        "HashSet<",
    ];
    let allowed = ["hashbrown", "FxHash"];
    // The machine distributes large runs over threads; their number does not affect results.
    let threads = ["/emulator/src/workers.rs"];
    let mut complaints = Vec::new();
    for source in sources() {
        if source.is_test() || !libraries.iter().any(|library| source.path.contains(library)) {
            continue;
        }
        for (line, text) in source.code_outside_tests() {
            let word = words.iter().find(|word| text.contains(**word));
            let is_allowed = allowed.iter().any(|allowed| text.contains(allowed));
            // A map of hashbrown's is named by its import.
            let imports = |word: &str| word.starts_with("Hash") && source.text.contains("use hashbrown::");
            let may_thread =
                |word: &str| word == "std::thread" && threads.iter().any(|path| source.path.ends_with(path));
            if let Some(word) = word.filter(|word| !is_allowed && !imports(word) && !may_thread(word)) {
                complaints.push(format!("{}:{line}: {word}", source.path));
            }
        }
    }
    report(complaints);
}

#[test]
fn every_crate_takes_the_common_lints() {
    let mut complaints = Vec::new();
    for room in ROOMS {
        let manifest = std::fs::read_to_string(root().join(room).join("Cargo.toml")).expect("a manifest");
        let library = root().join(room).join("src/lib.rs");
        let forbids =
            std::fs::read_to_string(library).is_ok_and(|text| text.contains("#![forbid(unsafe_code)]"));
        // Only listed files may have `unsafe` code.
        let has_exceptions = UNSAFE.iter().any(|(path, _)| path.starts_with(&format!("{room}/src/")));
        if !manifest.contains("[lints]\nworkspace = true") && !forbids && !has_exceptions {
            complaints.push(format!("{room}: neither the common lints nor a ban on unsafe code"));
        }
    }
    report(complaints);
}

#[test]
fn unsafe_code_is_where_a_list_says() {
    let root = root();
    let words = ["unsafe {", "unsafe fn", "unsafe extern", "unsafe impl", "#[unsafe("];
    let mut complaints = Vec::new();
    let mut used = Vec::new();
    for source in sources().into_iter().filter(|source| !source.is_test()) {
        let Some((line, _)) = source
            .code_outside_tests()
            .into_iter()
            .find(|(_, text)| words.iter().any(|word| text.contains(word)))
        else {
            continue;
        };
        let allowed = UNSAFE
            .iter()
            .position(|(path, _)| source.path.starts_with(&root.join(path).display().to_string()));
        match allowed {
            Some(index) => used.push(index),
            None => complaints.push(format!("{}:{line}: unsafe code", source.path)),
        }
    }
    let unused = (0..UNSAFE.len()).filter(|index| !used.contains(index));
    complaints.extend(unused.map(|index| format!("{:?} is no longer an exception", UNSAFE[index])));
    report(complaints);
}
