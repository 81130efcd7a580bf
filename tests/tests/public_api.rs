//! The public interface of `agx-compiler` is listed in `compiler/public-api.txt`.
//!
//! The listing is generated from the sources with `syn`, because rustdoc's JSON needs a nightly toolchain. It follows
//! the public items and re-exports of the crate's root, omits `#[doc(hidden)]` items, and prints types with their
//! public fields, variants and methods. `BLESS=1` rewrites it; read the difference before you commit it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Brace;
use syn::{
    Attribute, Expr, Fields, Generics, Ident, ImplItem, Item, ItemEnum, LitInt, LitStr, Token, TraitItem,
    Type, UseTree, Variant, Visibility, braced,
};

/// Maximum number of items, not counting methods and fields.
const MAX_ITEMS: usize = 80;

/// A module's items by its path from the crate's root.
type Modules = BTreeMap<Vec<String>, Vec<Item>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").join("compiler")
}

/// Reads the module `path` in `file`, and its submodules.
fn read(modules: &mut Modules, path: Vec<String>, file: &Path) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut items =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display())).items;
    let declared = items.iter().filter_map(declared_errors).collect::<Vec<_>>();
    items.extend(declared);
    let below = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "mod") | None => file.with_file_name(""),
        Some(stem) => file.with_file_name(stem),
    };
    for item in &items {
        if let Item::Mod(module) = item
            && module.content.is_none()
        {
            let name = module.ident.to_string();
            let files = [below.join(format!("{name}.rs")), below.join(&name).join("mod.rs")];
            let file = files.iter().find(|file| file.exists()).expect("a module has a file");
            read(modules, [path.clone(), vec![name]].concat(), file);
        }
    }
    modules.insert(path, items);
}

/// An enum that the macro `errors!` declares, if it is public.
fn declared_errors(item: &Item) -> Option<Item> {
    let Item::Macro(item) = item else { return None };
    let is_errors = item.mac.path.is_ident("errors") && item.ident.is_none();
    let Errors(errors) = is_errors.then(|| item.mac.parse_body().expect("rows of errors"))?;
    is_public(&errors.vis).then_some(Item::Enum(errors))
}

/// The body of `errors!`: a row has its documentation, a code, a kind, a variant, a message and an example.
struct Errors(ItemEnum);

impl Parse for Errors {
    fn parse(input: ParseStream<'_>) -> syn::Result<Errors> {
        let (attrs, vis) = (input.call(Attribute::parse_outer)?, input.parse()?);
        let (enum_token, ident) = (input.parse()?, input.parse()?);
        let rows;
        let brace_token = braced!(rows in input);
        let mut variants = Punctuated::new();
        while !rows.is_empty() {
            let attrs = rows.call(Attribute::parse_outer)?;
            let (_code, _kind): (LitInt, Ident) = (rows.parse()?, rows.parse()?);
            let ident = rows.parse()?;
            let fields = if rows.peek(Brace) { Fields::Named(rows.parse()?) } else { Fields::Unit };
            rows.parse::<Token![=]>()?;
            rows.parse::<LitStr>()?;
            rows.parse::<Token![,]>()?;
            rows.parse::<Expr>()?;
            rows.parse::<Token![;]>()?;
            variants.push(Variant { attrs, ident, fields, discriminant: None });
        }
        let generics = Generics::default();
        Ok(Errors(ItemEnum { attrs, vis, enum_token, ident, generics, brace_token, variants }))
    }
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let tokens = attribute.meta.to_token_stream().to_string();
        tokens == "doc (hidden)" || tokens == "cfg (test)"
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Tokens as text with the usual spacing.
fn text(tokens: impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
    ]
    .iter()
    .fold(text, |text, (from, to)| text.replace(from, to))
    .replace(" : ", ": ")
    .replace("' ", "'")
    .replace("[ ", "[")
    .replace(" ]", "]")
    .replace(" ;", ";")
}

/// The listing under construction.
struct Listing<'m> {
    modules: &'m Modules,
    lines: BTreeSet<String>,
    items: BTreeSet<String>,
}

impl Listing<'_> {
    /// The public items of the module `path`, under the public name `shown`.
    fn module(&mut self, path: &[String], shown: &str) {
        let modules = self.modules;
        for item in &modules[path] {
            match item {
                Item::Mod(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    let name = item.ident.to_string();
                    self.module(&[path, std::slice::from_ref(&name)].concat(), &format!("{shown}{name}::"));
                }
                Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                    self.import(path, Vec::new(), &item.tree, shown);
                }
                item => self.item(path, item, shown),
            }
        }
    }

    /// The item of a `pub use` in the module `at`.
    fn import(&mut self, at: &[String], mut prefix: Vec<String>, tree: &UseTree, shown: &str) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.import(at, prefix, &path.tree, shown);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(at, prefix.clone(), tree, shown));
            }
            UseTree::Name(name) => {
                let path = match prefix.first().map(String::as_str) {
                    Some("crate") => prefix[1..].to_vec(),
                    Some("super") => [&at[..at.len() - 1], &prefix[1..]].concat(),
                    Some("self") => [at, &prefix[1..]].concat(),
                    _ => [at, prefix.as_slice()].concat(),
                };
                self.named(&path, &name.ident.to_string(), shown);
            }
            UseTree::Rename(_) | UseTree::Glob(_) => panic!("the interface names each item: {shown}"),
        }
    }

    /// The item `name` of the module `path`, which may re-export it.
    fn named(&mut self, path: &[String], name: &str, shown: &str) {
        let modules = self.modules;
        let items = modules.get(path).unwrap_or_else(|| panic!("no module {path:?}"));
        for item in items {
            match item {
                Item::Use(item) => {
                    for (prefix, tree) in names(&item.tree, name) {
                        self.import(path, prefix, tree, shown);
                    }
                }
                item if ident(item).is_some_and(|known| known == name) => self.item(path, item, shown),
                _ => {}
            }
        }
    }

    /// An item that is not a module or import.
    fn item(&mut self, path: &[String], item: &Item, shown: &str) {
        let Some(name) = ident(item).filter(|_| !is_hidden(attributes(item))) else { return };
        let full = format!("{shown}{name}");
        match item {
            Item::Struct(item) if is_public(&item.vis) => {
                self.add("struct", &full);
                self.fields(&item.fields, &full, false);
                self.methods(path, &name, &full);
            }
            Item::Enum(item) if is_public(&item.vis) => {
                self.add("enum", &full);
                for variant in &item.variants {
                    let variant_name = format!("{full}::{}", variant.ident);
                    self.lines.insert(format!("variant {variant_name}"));
                    self.fields(&variant.fields, &variant_name, true);
                }
                self.methods(path, &name, &full);
            }
            Item::Trait(item) if is_public(&item.vis) => {
                self.add("trait", &full);
                for item in &item.items {
                    if let TraitItem::Fn(item) = item {
                        self.lines.insert(format!("fn {full}::{}", signature(&item.sig)));
                    }
                }
            }
            Item::Fn(item) if is_public(&item.vis) => {
                self.add("fn", &format!("{shown}{}", signature(&item.sig)))
            }
            Item::Const(item) if is_public(&item.vis) => {
                self.add("const", &format!("{full}: {}", text(&item.ty)));
            }
            Item::Static(item) if is_public(&item.vis) => {
                self.add("static", &format!("{full}: {}", text(&item.ty)));
            }
            Item::Type(item) if is_public(&item.vis) => {
                self.add("type", &format!("{full} = {}", text(&item.ty)))
            }
            _ => {}
        }
    }

    fn add(&mut self, kind: &str, line: &str) {
        self.items.insert(line.to_owned());
        self.lines.insert(format!("{kind} {line}"));
    }

    fn fields(&mut self, fields: &Fields, owner: &str, all: bool) {
        for (index, field) in fields.iter().enumerate() {
            if all || is_public(&field.vis) {
                let name = field.ident.as_ref().map_or(index.to_string(), ToString::to_string);
                self.lines.insert(format!("field {owner}.{name}: {}", text(&field.ty)));
            }
        }
    }

    /// Public inherent functions of the type `name`, which the module `path` defines. Other modules may have more of
    /// them if no other type has the same name.
    fn methods(&mut self, path: &[String], name: &str, shown: &str) {
        let modules = self.modules;
        let defines = |items: &[Item]| {
            let is_type = |item: &Item| matches!(item, Item::Struct(_) | Item::Enum(_));
            items.iter().any(|item| is_type(item) && ident(item).is_some_and(|known| known == name))
        };
        let is_unique = modules.values().filter(|items| defines(items)).count() == 1;
        for (module, items) in modules {
            for item in items {
                let Item::Impl(item) = item else { continue };
                let Type::Path(target) = &*item.self_ty else { continue };
                let is_it = target.path.segments.last().is_some_and(|last| last.ident == name);
                if item.trait_.is_some() || !is_it || !(is_unique || module == path) || is_hidden(&item.attrs)
                {
                    continue;
                }
                for item in &item.items {
                    match item {
                        ImplItem::Fn(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                            self.lines.insert(format!("fn {shown}::{}", signature(&item.sig)));
                        }
                        ImplItem::Const(item) if is_public(&item.vis) => {
                            self.lines.insert(format!("const {shown}::{}: {}", item.ident, text(&item.ty)));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// The import of `name`, with the path before it.
fn names<'t>(tree: &'t UseTree, name: &str) -> Vec<(Vec<String>, &'t UseTree)> {
    match tree {
        UseTree::Path(path) => {
            let mut found = names(&path.tree, name);
            found.iter_mut().for_each(|(prefix, _)| prefix.insert(0, path.ident.to_string()));
            found
        }
        UseTree::Group(group) => group.items.iter().flat_map(|tree| names(tree, name)).collect(),
        UseTree::Name(found) if found.ident == name => vec![(Vec::new(), tree)],
        _ => Vec::new(),
    }
}

fn signature(signature: &syn::Signature) -> String {
    text(signature).trim_start_matches("const ").trim_start_matches("fn ").to_owned()
}

fn ident(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Const(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}

#[test]
fn the_compilers_interface_is_the_committed_one() {
    let mut modules = Modules::new();
    read(&mut modules, Vec::new(), &folder().join("src/lib.rs"));
    let mut listing = Listing { modules: &modules, lines: BTreeSet::new(), items: BTreeSet::new() };
    listing.module(&[], "");
    let found: String = listing.lines.iter().map(|line| format!("{line}\n")).collect();
    let file = folder().join("public-api.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &found).expect("a writable file");
    }
    let expected = std::fs::read_to_string(&file).expect("the committed listing");
    let added = found.lines().filter(|line| !expected.lines().any(|known| known == *line));
    let removed = expected.lines().filter(|line| !listing.lines.contains(*line));
    let difference: Vec<String> =
        added.map(|line| format!("+{line}")).chain(removed.map(|line| format!("-{line}"))).collect();
    assert!(difference.is_empty(), "{}\nBLESS=1 rewrites compiler/public-api.txt", difference.join("\n"));
    let count = listing.items.len();
    assert!(count <= MAX_ITEMS, "{count} items, expected at most {MAX_ITEMS}");
}
