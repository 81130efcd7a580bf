//! Declarations of modules: entry points, and names and types of specialization constants.

use agx_abi::Stage;
use agx_compiler::CompileKey;
#[cfg(feature = "wgsl")]
use agx_compiler::internal::frontend::language::WGSL;
use agx_compiler::internal::frontend::language::{GLSL, SPIRV};

use crate::diagnostic::Failure;
use crate::input::{File, Kind};

/// An entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// Its stage; `None` if this compiler does not support it.
    pub stage: Option<Stage>,
}

/// The type of a constant, with its width in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `true` or `false`.
    Bool,
    /// An integer of either sign.
    Int(u32),
    /// A float.
    Float(u32),
}

/// A specialization constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecConstant {
    /// Its number in keys.
    pub id: u32,
    /// Its name in debug information; empty if it has none.
    pub name: String,
    /// Its type.
    pub scalar: Scalar,
}

/// The declarations of a SPIR-V module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Declarations {
    /// In the order of the module.
    pub entry_points: Vec<EntryPoint>,
    /// In the order of the module.
    pub spec_constants: Vec<SpecConstant>,
    /// The lists lack nothing: they are those of a valid module, or the language has no such declarations.
    pub is_complete: bool,
}

/// Declarations of `file`; empty for languages with one entry point per file. Errors in the module are ignored here,
/// because the compiler reports them.
pub fn declarations(file: &File, key: &CompileKey) -> Result<Declarations, Failure> {
    #[cfg(feature = "wgsl")]
    if file.kind.is(&WGSL) {
        return of_wgsl(file.text()?, key);
    }
    if file.kind.is(&SPIRV) || file.kind.is(&GLSL) || file.kind == Kind::Hlsl {
        let shader = file.shader(key)?;
        return Ok(match *shader.language == SPIRV {
            true => scan(&words(shader.bytes)),
            // The built-in reader of GLSL.
            false => Declarations::default(),
        });
    }
    Ok(Declarations { is_complete: true, ..Declarations::default() })
}

/// Declarations of a WGSL module: overrides by their numbers in keys.
#[cfg(feature = "wgsl")]
fn of_wgsl(text: &str, key: &CompileKey) -> Result<Declarations, Failure> {
    use agx_compiler::internal::frontend::wgsl;

    let entry_points = scan(&wgsl::to_spirv(text, key).unwrap_or_default()).entry_points;
    let constant = |found: agx_compiler::internal::frontend::text::OverrideName| SpecConstant {
        id: found.id,
        name: found.name,
        // Integers and booleans.
        scalar: found.float_bits.map_or(Scalar::Int(32), Scalar::Float),
    };
    let overrides = wgsl::overrides(text);
    let is_complete = overrides.is_ok();
    let spec_constants = overrides.unwrap_or_default().into_iter().map(constant).collect();
    Ok(Declarations { entry_points, spec_constants, is_complete })
}

/// The words of a module in either byte order.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    match words.first() {
        Some(&MAGIC_SWAPPED) => words.into_iter().map(u32::swap_bytes).collect(),
        _ => words,
    }
}

const MAGIC_SWAPPED: u32 = 0x0302_2307;
/// Words before the first instruction.
pub const HEADER_WORDS: usize = 5;
const OP_NAME: u32 = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_TYPE_INT: u32 = 21;
const OP_TYPE_FLOAT: u32 = 22;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT: u32 = 50;
/// Begins a function.
pub const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
const OP_DECORATE: u32 = 71;
const DECORATION_SPEC_ID: u32 = 1;

/// Whether the instructions of a module end with a function, where the module ends: not so if its last part is missing.
pub fn is_complete(words: &[u32]) -> bool {
    let mut length = HEADER_WORDS;
    let mut last = 0;
    for Instruction { op, operands } in instructions(words) {
        length += 1 + operands.len();
        last = op;
    }
    length == words.len() && last == OP_FUNCTION_END
}

/// The declarations of a module up to its first function.
fn scan(words: &[u32]) -> Declarations {
    let mut scan = Scan::default();
    for Instruction { op, operands } in instructions(words).take_while(|inst| inst.op != OP_FUNCTION) {
        scan.instruction(op, operands);
    }
    scan.found.is_complete = !scan.found.entry_points.is_empty();
    scan.found
}

/// An instruction of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction<'w> {
    /// Opcode.
    pub op: u32,
    /// Everything after the first word.
    pub operands: &'w [u32],
}

/// The instructions of a module, up to its end or to an instruction that exceeds it.
pub fn instructions(words: &[u32]) -> impl Iterator<Item = Instruction<'_>> {
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let length = ((first >> 16) as usize).max(1);
        let operands = rest.get(1..length)?;
        rest = rest.get(length..).unwrap_or_default();
        Some(Instruction { op: first & 0xffff, operands })
    })
}

/// Facts about a module so far, by result id.
#[derive(Default)]
struct Scan {
    names: Vec<(u32, String)>,
    scalars: Vec<(u32, Scalar)>,
    spec_ids: Vec<(u32, u32)>,
    found: Declarations,
}

impl Scan {
    fn instruction(&mut self, op: u32, operands: &[u32]) {
        match (op, operands) {
            (OP_NAME, [target, name @ ..]) => self.names.push((*target, string(name))),
            (OP_ENTRY_POINT, [model, _, name @ ..]) => {
                self.found.entry_points.push(EntryPoint { name: string(name), stage: stage(*model) });
            }
            (OP_TYPE_INT, [id, bits, ..]) => self.scalars.push((*id, Scalar::Int(*bits))),
            (OP_TYPE_FLOAT, [id, bits, ..]) => self.scalars.push((*id, Scalar::Float(*bits))),
            (OP_DECORATE, [target, DECORATION_SPEC_ID, id]) => self.spec_ids.push((*target, *id)),
            (OP_SPEC_CONSTANT_TRUE..=OP_SPEC_CONSTANT, [ty, result, ..]) => self.constant(*ty, *result),
            _ => {}
        }
    }

    fn constant(&mut self, ty: u32, result: u32) {
        let Some((_, id)) = self.spec_ids.iter().find(|(target, _)| *target == result) else { return };
        let name = self.names.iter().find(|(target, _)| *target == result);
        self.found.spec_constants.push(SpecConstant {
            id: *id,
            name: name.map_or_else(String::new, |(_, name)| name.clone()),
            scalar: self.scalars.iter().find(|(known, _)| *known == ty).map_or(Scalar::Bool, |found| found.1),
        });
    }
}

/// A string literal up to its zero byte.
pub fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The stage of an execution model.
fn stage(model: u32) -> Option<Stage> {
    match model {
        0 => Some(Stage::Vertex),
        4 => Some(Stage::Fragment),
        5 => Some(Stage::Compute),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instruction as words.
    fn inst(op: u32, operands: &[u32]) -> Vec<u32> {
        [&[(operands.len() as u32 + 1) << 16 | op], operands].concat()
    }

    #[test]
    fn entry_points_and_constants_are_found() {
        let word = u32::from_le_bytes;
        let parts = [
            vec![0x0723_0203, 0x1_0000, 0, 9, 0],
            inst(OP_ENTRY_POINT, &[5, 1, word(*b"main"), 0]),
            inst(OP_ENTRY_POINT, &[0, 1, word(*b"vs\0\0")]),
            inst(OP_NAME, &[7, word(*b"gain"), 0]),
            inst(OP_DECORATE, &[7, DECORATION_SPEC_ID, 3]),
            inst(OP_TYPE_FLOAT, &[6, 32]),
            inst(OP_SPEC_CONSTANT, &[6, 7, 0]),
            inst(OP_FUNCTION, &[]),
            inst(OP_ENTRY_POINT, &[5, 1, word(*b"late"), 0]),
        ];
        let words: Vec<u32> = parts.concat();
        let found = scan(&words);
        let names: Vec<_> =
            found.entry_points.iter().map(|point| (point.name.as_str(), point.stage)).collect();
        assert_eq!(names, [("main", Some(Stage::Compute)), ("vs", Some(Stage::Vertex))]);
        let constant = SpecConstant { id: 3, name: "gain".into(), scalar: Scalar::Float(32) };
        assert_eq!(found.spec_constants, [constant]);
        let swapped: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(scan(&super::words(&swapped)), found);
        assert_eq!(scan(&words[..7]), Declarations::default(), "a truncated instruction");
    }

    #[test]
    fn a_module_without_its_end_is_incomplete() {
        let header = vec![0x0723_0203, 0x1_0000, 0, 9, 0];
        let words = [header, inst(OP_FUNCTION, &[1, 2, 0, 3]), inst(OP_FUNCTION_END, &[])].concat();
        assert!(is_complete(&words));
        for length in 0..words.len() {
            assert!(!is_complete(&words[..length]), "{length} words");
        }
        assert!(!is_complete(&[&words[..], &[0x0002_0000]].concat()), "a truncated instruction");
    }
}
