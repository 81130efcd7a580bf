//! The variables and results that a module names, for debuggers: `OpName`, and `DebugDeclare` and `DebugValue` of the debug
//! information sets, with the scalars of their types.

use std::fmt::Write as _;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use spirv::{Op, StorageClass};

use super::debug::is_debug_set;
use super::words::{Inst, Words};
use crate::ir::named::{ADDED_VARIABLE, SourceClass, SourceLeaf, SourceVariable};

/// Most scalars of a variable that is followed.
const MOST_LEAVES: usize = 256;

/// Numbers of instructions in the debug information sets.
const DEBUG_LOCAL_VARIABLE: u32 = 26;
const DEBUG_DECLARE: u32 = 28;
const DEBUG_VALUE: u32 = 29;

/// How names of functions begin that naga adds.
const ADDED: &str = "naga_";

type Map<T> = HashMap<u32, T, FxBuildHasher>;

/// A type, by the ids of its parts.
#[derive(Clone)]
enum Form {
    Scalar(SourceClass, u8),
    Vector(u32, u32),
    Matrix(u32, u32),
    /// The element, and the constant that is the number of elements.
    Array(u32, u32),
    Struct(Vec<u32>),
    Pointer(u32),
}

/// What was read so far.
#[derive(Default)]
struct Names {
    names: Map<String>,
    members: HashMap<(u32, u32), String, FxBuildHasher>,
    texts: Map<String>,
    /// Names of the variables of the debug information.
    locals: Map<String>,
    debug_set: Option<u32>,
    forms: Map<Form>,
    constants: Map<u32>,
    /// Types of variables and results by id.
    types: Map<u32>,
    /// Whether a translator added the function.
    is_added: bool,
}

/// The variables and results that a valid module names, by id.
pub(super) fn labels(words: Words<'_>) -> Map<SourceVariable> {
    let mut names = Names::default();
    for inst in words.instructions().flatten() {
        // The scan of the module reports instructions without operands.
        let _ = names.read(&inst);
    }
    let label = |(id, ty): (&u32, &u32)| {
        let name = names.names.get(id).filter(|name| !name.is_empty())?;
        let added = name.strip_suffix(ADDED_VARIABLE);
        let (name, is_added) = (added.unwrap_or(name).to_owned(), added.is_some());
        Some((*id, SourceVariable { name, leaves: names.leaves(*ty)?, is_added }))
    };
    names.types.iter().filter_map(label).collect()
}

impl Names {
    fn read(&mut self, inst: &Inst<'_>) -> Result<(), crate::CompileError> {
        match inst.op {
            Op::Name => {
                self.names.insert(inst.word(0)?, inst.string(1)?.0);
            }
            Op::MemberName => {
                self.members.insert((inst.word(0)?, inst.word(1)?), inst.string(2)?.0);
            }
            Op::String => {
                self.texts.insert(inst.word(0)?, inst.string(1)?.0);
            }
            Op::ExtInstImport if is_debug_set(&inst.string(1)?.0) => self.debug_set = Some(inst.word(0)?),
            Op::ExtInst if self.debug_set == Some(inst.word(2)?) => self.debug(inst)?,
            Op::Constant => {
                self.constants.insert(inst.word(1)?, inst.word(2)?);
            }
            op if op.is_type() => {
                if let Some(form) = form(inst)? {
                    self.forms.insert(inst.word(0)?, form);
                }
            }
            Op::Function => {
                let name = self.names.get(&inst.word(1)?);
                self.is_added = name.is_some_and(|name| name.starts_with(ADDED));
            }
            Op::FunctionEnd => self.is_added = false,
            _ if self.is_added => {}
            Op::Variable => {
                let is_private = [StorageClass::Function, StorageClass::Private].map(|class| class as u32);
                if let Some(Form::Pointer(to)) = self.forms.get(&inst.word(0)?)
                    && is_private.contains(&inst.word(2)?)
                {
                    self.types.insert(inst.word(1)?, *to);
                }
            }
            _ if inst.operands.len() > 1 && self.forms.contains_key(&inst.word(0)?) => {
                self.types.insert(inst.word(1)?, inst.word(0)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn debug(&mut self, inst: &Inst<'_>) -> Result<(), crate::CompileError> {
        match inst.word(3)? {
            DEBUG_LOCAL_VARIABLE => {
                if let Some(name) = self.texts.get(&inst.word(4)?) {
                    self.locals.insert(inst.word(1)?, name.clone());
                }
            }
            DEBUG_DECLARE | DEBUG_VALUE => {
                if let Some(name) = self.locals.get(&inst.word(4)?) {
                    self.names.entry(inst.word(5)?).or_insert_with(|| name.clone());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The scalars of a type in the order of declaration; `None` if there are too many or it has none.
    fn leaves(&self, ty: u32) -> Option<Vec<SourceLeaf>> {
        let mut leaves = Vec::new();
        let mut rest = vec![(ty, String::new())];
        while let Some((ty, path)) = rest.pop() {
            if leaves.len().saturating_add(rest.len()) > MOST_LEAVES {
                return None;
            }
            match self.forms.get(&ty)? {
                Form::Scalar(class, bits) => leaves.push(SourceLeaf { path, class: *class, bits: *bits }),
                Form::Vector(element, count) if *count <= 4 => {
                    let names = ["x", "y", "z", "w"].iter().take(*count as usize).rev();
                    rest.extend(names.map(|name| (*element, format!("{path}.{name}"))));
                }
                Form::Vector(element, count) | Form::Matrix(element, count) => {
                    rest.extend(elements(*element, *count, &path)?);
                }
                Form::Array(element, count) => {
                    rest.extend(elements(*element, *self.constants.get(count)?, &path)?);
                }
                Form::Struct(members) => {
                    for (index, member) in (0u32..).zip(members).collect::<Vec<_>>().into_iter().rev() {
                        let mut path = path.clone();
                        // Writing to a String cannot fail.
                        let _ = match self.members.get(&(ty, index)).filter(|name| !name.is_empty()) {
                            Some(name) => write!(path, ".{name}"),
                            None => write!(path, ".{index}"),
                        };
                        rest.push((*member, path));
                    }
                }
                Form::Pointer(_) => return None,
            }
        }
        Some(leaves)
    }
}

/// The elements of a sequence with their paths, the last first; `None` if there are too many.
fn elements(ty: u32, count: u32, path: &str) -> Option<Vec<(u32, String)>> {
    let indices = (count as usize <= MOST_LEAVES).then_some((0..count).rev())?;
    Some(indices.map(|index| (ty, format!("{path}[{index}]"))).collect())
}

/// The type that an instruction declares, if variables of it are followed.
fn form(inst: &Inst<'_>) -> Result<Option<Form>, crate::CompileError> {
    Ok(Some(match inst.op {
        Op::TypeBool => Form::Scalar(SourceClass::Bool, 1),
        Op::TypeFloat => Form::Scalar(SourceClass::Float, inst.word(1)? as u8),
        Op::TypeInt => {
            let class = if inst.word(2)? == 0 { SourceClass::Unsigned } else { SourceClass::Signed };
            Form::Scalar(class, inst.word(1)? as u8)
        }
        Op::TypeVector => Form::Vector(inst.word(1)?, inst.word(2)?),
        Op::TypeMatrix => Form::Matrix(inst.word(1)?, inst.word(2)?),
        Op::TypeArray => Form::Array(inst.word(1)?, inst.word(2)?),
        Op::TypeStruct => Form::Struct(inst.rest(1).to_vec()),
        Op::TypePointer => Form::Pointer(inst.word(2)?),
        _ => return Ok(None),
    }))
}
