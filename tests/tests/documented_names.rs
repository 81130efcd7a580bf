//! The interface names in the documents for authors of drivers exist.
//!
//! A name in back quotes must be among the public items of `compiler/public-api.txt`, which another test checks, of
//! the sources of `agx-abi`, and of the header of the C interface. `Type::member` and `Type { member }` require a member of that type, a single lower-case
//! word a member of any type.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::{Fields, ImplItem, Item, Visibility};

/// The pages.
const PAGES: [&str; 2] = ["driver.md", "abi.md"];

/// The crate whose modules the pages refer to by their paths.
const CRATE: &str = "agx_abi";

/// Words that are not names of the interface: of other programs, of Vulkan and SPIR-V, of the hardware.
const FOREIGN: &[&str] = &[
    "agx_shader_info",
    "agx_linked_shader",
    "capi",
    "agx",
    "abi",
    "src",
    "record",
    "compiler",
    "examples",
    "driver",
    "rs",
    "h",
    CRATE,
    "agx_compiler",
    "link",
    "agxc",
    "AGX0500",
    "DESTDIR",
    "default",
    "agx_shader_key",
    "agx_vs_prolog_key",
    "agx_fs_prolog_key",
    "agx_fs_epilog_key",
    "agx_blend_key",
    "gl_FragColor",
    "agal",
    "stop",
    "robustUniformBufferAccessSizeAlignment",
    "robustStorageBufferAccessSizeAlignment",
];

/// Members of each public type; items without members, and functions, have none.
type Names = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_path_buf()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of the compiler's listing: `kind path::Type.member: …` or `kind path::Type::member(…) …`.
fn of_compiler(names: &mut Names) {
    for line in read(&root().join("compiler/public-api.txt")).lines() {
        let path = line.split_whitespace().nth(1).unwrap_or_default();
        let end = path.find(['(', '<']).unwrap_or(path.len());
        let parts: Vec<&str> = path[..end].split([':', '.']).filter(|part| !part.is_empty()).collect();
        note(names, &parts);
    }
}

fn note(names: &mut Names, path: &[&str]) {
    for (at, name) in path.iter().enumerate() {
        let members = names.entry((*name).to_owned()).or_default();
        members.extend(path.get(at + 1).map(|member| (*member).to_owned()));
    }
}

fn of_abi(names: &mut Names) {
    let mut folders = vec![root().join("abi/src")];
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let module = entry.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
                for item in syn::parse_file(&read(&entry)).expect("parses").items {
                    of_item(names, &module, &item);
                }
            }
        }
    }
}

fn of_item(names: &mut Names, module: &str, item: &Item) {
    let fields =
        |fields: &Fields| fields.iter().filter_map(|field| Some(field.ident.as_ref()?.to_string())).collect();
    let (name, members): (String, Vec<String>) = match item {
        Item::Struct(item) if is_public(&item.vis) => (item.ident.to_string(), fields(&item.fields)),
        Item::Enum(item) if is_public(&item.vis) => {
            let variants = item.variants.iter().flat_map(|variant| {
                let mut all: Vec<String> = fields(&variant.fields);
                all.push(variant.ident.to_string());
                all
            });
            (item.ident.to_string(), variants.collect())
        }
        Item::Impl(item) => {
            let syn::Type::Path(of) = &*item.self_ty else { return };
            let Some(last) = of.path.segments.last() else { return };
            let methods = item.items.iter().filter_map(|item| match item {
                ImplItem::Fn(method) if is_public(&method.vis) => Some(method.sig.ident.to_string()),
                ImplItem::Const(constant) if is_public(&constant.vis) => Some(constant.ident.to_string()),
                _ => None,
            });
            (last.ident.to_string(), methods.collect())
        }
        Item::Fn(item) if is_public(&item.vis) => (item.sig.ident.to_string(), Vec::new()),
        // Enums of tables are in macros, of which only the words can be read.
        Item::Macro(item) => {
            let words = item.mac.tokens.to_string();
            let words = words.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect();
            ("UniformSource".to_owned(), words)
        }
        _ => return,
    };
    let known = names.entry(name.clone()).or_default();
    known.extend(members);
    names.entry(module.to_owned()).or_default().insert(name);
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The text in back quotes on a line; for a table with a column `Mesa`, without that column.
fn quotes(line: &str, skips_first: bool) -> Vec<&str> {
    let line = if skips_first { line.splitn(3, '|').nth(2).unwrap_or_default() } else { line };
    line.split('`').skip(1).step_by(2).collect()
}

/// The functions of the C interface, from its header.
fn of_c(names: &mut Names) {
    let header = read(&root().join("capi/include/agx.h"));
    let words = header.split(|c: char| !c.is_alphanumeric() && c != '_');
    for word in words.filter(|word| word.starts_with("agx_")) {
        names.entry(word.to_owned()).or_default();
    }
}

/// Names of a quote that do not exist.
fn unknown(names: &Names, quote: &str) -> Vec<String> {
    let mut last: Option<&str> = None;
    let mut missing = Vec::new();
    for path in quote.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':') {
        let mut at: Option<&str> = None;
        for name in path.split("::").filter(|name| !name.is_empty()) {
            let is_name = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
            let is_member = |of: &str| names.get(of).is_some_and(|members| members.contains(name));
            let found = match at.or(last.filter(|_| name.starts_with(char::is_lowercase))) {
                Some(of) => is_member(of) || (at.is_none() && names.values().any(|all| all.contains(name))),
                None => names.contains_key(name) || names.values().any(|members| members.contains(name)),
            };
            if is_name && !found && !FOREIGN.contains(&name) {
                missing.push(name.to_owned());
            }
            at = Some(name).filter(|name| *name != CRATE);
        }
        last = at.filter(|name| name.starts_with(char::is_uppercase)).or(last);
    }
    missing
}

#[test]
fn names_that_pages_quote_exist() {
    let mut names = Names::new();
    of_compiler(&mut names);
    of_abi(&mut names);
    of_c(&mut names);
    let mut complaints = Vec::new();
    let mut checked = 0;
    for page in PAGES {
        let text = read(&root().join("docs").join(page));
        let mut is_mesa = false;
        for (number, line) in (1..).zip(text.lines()) {
            is_mesa = line.starts_with("| Mesa |") || (is_mesa && line.starts_with('|'));
            for quote in quotes(line, is_mesa).into_iter().filter(|quote| is_of_interface(quote)) {
                checked += 1;
                let missing = unknown(&names, quote);
                complaints.extend(missing.iter().map(|name| format!("{page}:{number}: {name} in `{quote}`")));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(checked > 80, "{checked}");
}

/// Whether a quote is neither a command nor a path nor a register.
fn is_of_interface(quote: &str) -> bool {
    !quote.contains('/') && !quote.contains('.') && !quote.contains('=') && !quote.contains(' ')
        || quote.contains("::")
        || quote.contains('(')
}

#[test]
fn names_that_do_not_exist_are_found() {
    let mut names = Names::new();
    of_compiler(&mut names);
    of_abi(&mut names);
    assert_eq!(unknown(&names, "CompileKey::layout"), [""; 0]);
    assert_eq!(unknown(&names, "CompileKey::layouts"), ["layouts"]);
    assert_eq!(unknown(&names, "FragmentInfo::depth_layout"), [""; 0]);
    assert_eq!(unknown(&names, "OutputLayout::groups, no_such_word"), ["no_such_word"]);
    assert_eq!(unknown(&names, "fragment_epilogue"), ["fragment_epilogue"]);
}
