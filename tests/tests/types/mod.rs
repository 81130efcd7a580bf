//! The types of the workspace's crates with their fields and methods, read with `syn`.

use std::collections::BTreeMap;

use syn::{Fields, ImplItem, Item, Meta, Type};

/// A structure or enumeration of a crate.
#[derive(Debug)]
pub struct TypeSize {
    /// Its name.
    pub name: String,
    /// The file that defines it.
    pub path: String,
    /// Its named fields.
    pub fields: usize,
    /// Functions of its inherent implementations, in all files.
    pub methods: usize,
}

/// Inherent functions by file and type.
type Methods = BTreeMap<(String, String), usize>;

/// The types of a crate's sources, given as path and text, without test modules.
pub fn sizes<'s>(sources: impl Iterator<Item = (&'s str, &'s str)>) -> Vec<TypeSize> {
    let (mut types, mut methods) = (Vec::new(), Methods::new());
    for (path, text) in sources {
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        add(&mut types, &mut methods, path, &file.items);
    }
    for ((path, name), count) in methods {
        // If several types have the same name, the one defined nearest.
        let shared = |other: &str| other.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        let named = types.iter_mut().filter(|known| known.name == name);
        if let Some(known) = named.max_by_key(|known| shared(&known.path)) {
            known.methods += count;
        }
    }
    types
}

fn add(types: &mut Vec<TypeSize>, methods: &mut Methods, path: &str, items: &[Item]) {
    let mut define = |name: &syn::Ident, fields| {
        types.push(TypeSize { name: name.to_string(), path: path.to_owned(), fields, methods: 0 });
    };
    for item in items {
        match item {
            Item::Struct(item) => match &item.fields {
                Fields::Named(fields) => define(&item.ident, fields.named.len()),
                Fields::Unnamed(_) | Fields::Unit => define(&item.ident, 0),
            },
            Item::Enum(item) => define(&item.ident, 0),
            Item::Impl(item) if item.trait_.is_none() => {
                let Type::Path(name) = &*item.self_ty else { continue };
                let Some(name) = name.path.segments.last() else { continue };
                let functions = item.items.iter().filter(|item| matches!(item, ImplItem::Fn(_))).count();
                *methods.entry((path.to_owned(), name.ident.to_string())).or_default() += functions;
            }
            _ => {}
        }
    }
    for item in items {
        if let Item::Mod(item) = item
            && !item.attrs.iter().any(is_test)
            && let Some((_, items)) = &item.content
        {
            add(types, methods, path, items);
        }
    }
}

/// Whether an attribute is `#[cfg(test)]`.
fn is_test(attribute: &syn::Attribute) -> bool {
    match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    }
}
