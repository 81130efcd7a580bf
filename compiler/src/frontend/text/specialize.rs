//! Pointer parameters to workgroup, storage and uniform memory.
//!
//! naga's validator rejects them. Each combination of variables, and of the members in them, that calls pass gets a copy
//! of the function that names the variables. In place of such a parameter, a copy takes the indices of the elements on the
//! way to the part, if there are any.

use naga::{
    AddressSpace, Arena, Block, Expression, Function, FunctionArgument, GlobalVariable, Handle, Literal,
    Module, Range, Scalar, ScalarKind, Span, Statement, Type, TypeInner, UniqueArena,
};

use super::{blocks, operands};

/// Maximum number of versions of a function. Pairs of parameters that functions exchange could make many.
pub(super) const MAX_VERSIONS: usize = 64;

/// A step from a variable to a part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// To a member of a structure.
    Member(u32),
    /// To an element of an array, matrix or vector.
    Element,
}

/// A variable, or a part of one, of which the elements on the way are not known.
#[derive(Clone, PartialEq, Eq)]
struct Part {
    variable: Handle<GlobalVariable>,
    steps: Vec<Step>,
}

impl Part {
    /// The number of indices on the way.
    fn indices(&self) -> usize {
        self.steps.iter().filter(|step| **step == Step::Element).count()
    }
}

/// The parts that take the place of a function's parameters, by parameter.
type Parts = Vec<Option<Part>>;

/// The index of an element.
#[derive(Clone, Copy)]
enum Index {
    Constant(u32),
    Computed(Handle<Expression>),
}

/// A version of a function.
struct Version {
    parts: Parts,
    function: Function,
}

/// The versions of a function of the module.
struct Versions {
    original: Function,
    /// By parameter, whether it is a pointer to such memory.
    shared: Vec<bool>,
    special: Vec<Version>,
    /// Whether a call passes something else, or would need too many versions.
    is_kept: bool,
}

/// Replaces the functions of a module that have such parameters.
pub fn specialize(module: &mut Module) {
    let shared: Vec<Vec<bool>> =
        module.functions.iter().map(|(_, function)| shared_parameters(function, &module.types)).collect();
    if !shared.iter().flatten().any(|is_shared| *is_shared) {
        return;
    }
    let (functions, spans): (Vec<Function>, Vec<Span>) =
        module.functions.drain().map(|(_, function, span)| (function, span)).unzip();
    let versions = |(original, shared)| Versions { original, shared, special: Vec::new(), is_kept: false };
    let mut all: Vec<Versions> = functions.into_iter().zip(shared).map(versions).collect();
    request_all(module, &mut all);
    let mut handles: Vec<Vec<(Parts, Handle<Function>)>> = Vec::with_capacity(all.len());
    for (versions, span) in all.into_iter().zip(spans) {
        let count = versions.shared.len();
        let own = versions.is_kept || !versions.shared.contains(&true);
        let original = own.then_some(Version { parts: vec![None; count], function: versions.original });
        let append = |version: Version| (version.parts, module.functions.append(version.function, span));
        handles.push(versions.special.into_iter().chain(original).map(append).collect());
    }
    let Module { functions, entry_points, types, global_variables, .. } = module;
    let variables = Variables { types, arena: global_variables };
    let points = entry_points.iter_mut().map(|point| &mut point.function);
    for function in functions.iter_mut().map(|(_, function)| function).chain(points) {
        redirect(function, &variables, &handles);
    }
}

/// By parameter, whether it is a pointer to memory that naga's validator does not allow.
fn shared_parameters(function: &Function, types: &UniqueArena<Type>) -> Vec<bool> {
    let is_shared = |ty: Handle<Type>| match types.get_handle(ty).map(|ty| &ty.inner) {
        Ok(TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. }) => {
            !matches!(space, AddressSpace::Function | AddressSpace::Private)
        }
        _ => false,
    };
    function.arguments.iter().map(|argument| is_shared(argument.ty)).collect()
}

/// Makes the versions that calls need: callers come after their callees, so that the last function is first.
fn request_all(module: &mut Module, all: &mut [Versions]) {
    let number = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
    let index_type = module.types.insert(number, Span::UNDEFINED);
    let variables = &Variables { types: &module.types, arena: &module.global_variables };
    for point in &module.entry_points {
        request(&point.function, variables, index_type, all);
    }
    for index in (0..all.len()).rev() {
        let Some((versions, callees)) = all.get_mut(..=index).and_then(|all| all.split_last_mut()) else {
            continue;
        };
        if !versions.shared.contains(&true) || versions.is_kept {
            request(&versions.original, variables, index_type, callees);
        }
        for version in &versions.special {
            request(&version.function, variables, index_type, callees);
        }
    }
}

/// Makes the versions that the calls of `function` need.
fn request(function: &Function, variables: &Variables<'_>, index_type: Handle<Type>, all: &mut [Versions]) {
    for (callee, arguments) in calls(function) {
        let Some(versions) = all.get_mut(callee).filter(|versions| versions.shared.contains(&true)) else {
            continue;
        };
        let found = variables.parts(&versions.shared, arguments, &function.expressions);
        match found.map(|(parts, _)| parts) {
            Some(parts) if versions.special.iter().any(|version| version.parts == parts) => {}
            Some(parts) if versions.special.len() < MAX_VERSIONS => {
                let function = with_parts(&versions.original, &parts, index_type);
                versions.special.push(Version { parts, function });
            }
            _ => versions.is_kept = true,
        }
    }
}

/// The calls in a function: indices of the callees, and arguments.
fn calls(function: &Function) -> Vec<(usize, &[Handle<Expression>])> {
    let (mut found, mut open) = (Vec::new(), vec![&function.body]);
    while let Some(block) = open.pop() {
        for statement in block {
            if let Statement::Call { function, arguments, .. } = statement {
                found.push((function.index(), arguments.as_slice()));
            }
            open.extend(blocks::within(statement));
        }
    }
    found
}

/// The variables of a module.
struct Variables<'m> {
    types: &'m UniqueArena<Type>,
    arena: &'m Arena<GlobalVariable>,
}

impl Variables<'_> {
    /// The parts that a call passes for the shared parameters, each with the indices on the way; `None` if it passes
    /// something else.
    fn parts(
        &self,
        shared: &[bool],
        arguments: &[Handle<Expression>],
        expressions: &Arena<Expression>,
    ) -> Option<(Parts, Vec<Vec<Index>>)> {
        let part = |(is_shared, argument): (&bool, &Handle<Expression>)| match is_shared {
            true => self.part(*argument, expressions).map(|(part, indices)| (Some(part), indices)),
            false => Some((None, Vec::new())),
        };
        shared.iter().zip(arguments).map(part).collect()
    }

    /// The part that a pointer names, and the indices on the way.
    fn part(
        &self,
        pointer: Handle<Expression>,
        expressions: &Arena<Expression>,
    ) -> Option<(Part, Vec<Index>)> {
        let (mut at, mut way) = (pointer, Vec::new());
        let variable = loop {
            at = match expressions.try_get(at).ok()? {
                Expression::GlobalVariable(variable) => break *variable,
                Expression::AccessIndex { base, index } => {
                    way.push(Index::Constant(*index));
                    *base
                }
                Expression::Access { base, index } => {
                    way.push(Index::Computed(*index));
                    *base
                }
                _ => return None,
            };
        };
        let mut ty = Some(self.arena.try_get(variable).ok()?.ty);
        let (mut steps, mut indices) = (Vec::new(), Vec::new());
        for index in way.into_iter().rev() {
            let inner = ty.and_then(|ty| self.types.get_handle(ty).ok()).map(|ty| &ty.inner);
            match (inner, index) {
                (Some(TypeInner::Struct { members, .. }), Index::Constant(member)) => {
                    ty = members.get(member as usize).map(|member| member.ty);
                    steps.push(Step::Member(member));
                }
                (inner, index) => {
                    ty = match inner {
                        Some(TypeInner::Array { base, .. }) => Some(*base),
                        // A vector or a scalar, which have no members.
                        _ => None,
                    };
                    steps.push(Step::Element);
                    indices.push(index);
                }
            }
        }
        Some((Part { variable, steps }, indices))
    }
}

/// The function with parts of variables in place of parameters.
fn with_parts(function: &Function, parts: &Parts, index_type: Handle<Type>) -> Function {
    let mut special = function.clone();
    let index = FunctionArgument { name: None, ty: index_type, binding: None };
    let (mut arguments, mut first) = (Vec::with_capacity(parts.len()), Arena::new());
    let mut now = Vec::with_capacity(parts.len());
    for (argument, part) in std::mem::take(&mut special.arguments).into_iter().zip(parts) {
        let at = arguments.len() as u32;
        if let Some(part) = part {
            arguments.extend(std::iter::repeat_n(index.clone(), part.indices()));
            now.push(name(part, at, &mut first));
        } else {
            arguments.push(argument);
            now.push(first.append(Expression::FunctionArgument(at), Span::UNDEFINED));
        }
    }
    special.arguments = arguments;
    let is_computed = |expression: &Expression| {
        matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. })
    };
    let mut body = Block::new();
    for (handle, _) in first.iter().filter(|(_, expression)| is_computed(expression)) {
        body.push(Statement::Emit(Range::new_from_bounds(handle, handle)), Span::UNDEFINED);
    }
    operands::replace_arguments(&mut special, first, &now);
    body.append(&mut special.body);
    special.body = body;
    special
}

/// Adds a pointer to a part, whose indices are the arguments from `argument` on.
fn name(part: &Part, mut argument: u32, expressions: &mut Arena<Expression>) -> Handle<Expression> {
    let mut add = |expression| expressions.append(expression, Span::UNDEFINED);
    let mut base = add(Expression::GlobalVariable(part.variable));
    for step in &part.steps {
        base = match *step {
            Step::Member(index) => add(Expression::AccessIndex { base, index }),
            Step::Element => {
                let index = add(Expression::FunctionArgument(argument));
                argument = argument.saturating_add(1);
                add(Expression::Access { base, index })
            }
        };
    }
    base
}

/// Directs the calls of `function` to the versions of their callees.
fn redirect(function: &mut Function, variables: &Variables<'_>, versions: &[Vec<(Parts, Handle<Function>)>]) {
    let Function { body, expressions, .. } = function;
    let mut results = Vec::new();
    blocks::each(body, |block| {
        let mut changed = Block::with_capacity(block.len());
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            if let Statement::Call { function, arguments, result } = &mut statement {
                let versions = versions.get(function.index()).map_or(&[][..], Vec::as_slice);
                let call = versions.iter().find_map(|(parts, handle)| {
                    let shared: Vec<bool> = parts.iter().map(Option::is_some).collect();
                    let (found, indices) = variables.parts(&shared, arguments, expressions)?;
                    (found == *parts).then_some((shared, indices, *handle))
                });
                if let Some((shared, indices, handle)) = call {
                    let passed = shared.into_iter().zip(std::mem::take(arguments)).zip(indices);
                    for ((is_shared, argument), indices) in passed {
                        let numbers =
                            indices.into_iter().map(|index| number(index, span, expressions, &mut changed));
                        arguments.extend((!is_shared).then_some(argument).into_iter().chain(numbers));
                    }
                    *function = handle;
                    results.extend(result.map(|result| (result, handle)));
                }
            }
            changed.push(statement, span);
        }
        *block = changed;
    });
    for (result, handle) in results {
        *expressions.get_mut(result) = Expression::CallResult(handle);
    }
}

/// An index as a number of 32 bits, computed at the end of `block`.
fn number(
    index: Index,
    span: Span,
    expressions: &mut Arena<Expression>,
    block: &mut Block,
) -> Handle<Expression> {
    match index {
        Index::Constant(index) => expressions.append(Expression::Literal(Literal::U32(index)), span),
        Index::Computed(expr) => {
            let convert = Expression::As { expr, kind: ScalarKind::Uint, convert: Some(4) };
            let number = expressions.append(convert, span);
            block.push(Statement::Emit(Range::new_from_bounds(number, number)), span);
            number
        }
    }
}

#[cfg(all(test, feature = "wgsl"))]
mod tests {
    use crate::{CompileKey, Compiler, Input, Scratch};

    const HEAD: &str = "struct F { n: atomic<u32>, v: vec2f, w: array<array<f32, 4>, 3> }
var<workgroup> f: F;
var<workgroup> h: array<F, 5>;
@group(0) @binding(0) var<storage, read_write> d: array<f32>;
@group(0) @binding(1) var<uniform> u: array<vec4f, 8>;
";

    /// The machine code of functions and the body of an entry point with the index `i` of an invocation and the
    /// negative number `j`.
    fn code(functions: &str, body: &str) -> Vec<u8> {
        let text = format!(
            "{HEAD}{functions}@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{\n\
             let j = 1 - i32(d[31]); {body} d[i] = f.v.x + f.w[1][2] + h[i].w[i][2] + f32(atomicLoad(&h[2].n)); }}"
        );
        let shader =
            Compiler::default().compile(&mut Scratch::default(), Input::wgsl(&text), &CompileKey::default());
        let parts = shader.unwrap_or_else(|error| panic!("{error}\n{text}")).parts;
        parts.into_iter().flat_map(|part| part.code).collect()
    }

    /// A call with a pointer to a part does what its function does to the part.
    #[test]
    fn pointers_to_parts_name_the_parts() {
        let functions = "fn assign(p: ptr<workgroup, f32>, x: f32) { *p = x; }
fn bump(p: ptr<workgroup, atomic<u32>>) -> u32 { return atomicAdd(p, 3u); }
fn row(x: f32, p: ptr<workgroup, array<f32, 4>>, at: u32) { assign(&(*p)[at], x); }
fn every(p: ptr<workgroup, F>, at: i32) { row(2.0, &(*p).w[at], 1u); let q = &(*p).v; (*q).y = 5.0; }
fn put(p: ptr<storage, f32, read_write>, q: ptr<uniform, vec4f>) { *p = (*q).z; }
";
        let cases = [
            ("assign(&f.w[1][2], 4.0);", "f.w[1][2] = 4.0;"),
            ("assign(&f.w[i][j], 4.0);", "f.w[i][u32(j)] = 4.0;"),
            (
                "d[3] = f32(bump(&f.n)); d[4] = f32(bump(&h[i].n));",
                "d[3] = f32(atomicAdd(&f.n, 3u)); d[4] = f32(atomicAdd(&h[i].n, 3u));",
            ),
            ("row(7.0, &h[i].w[2], 3u);", "h[i].w[2][3] = 7.0;"),
            ("every(&h[1], 2);", "h[1].w[2][1] = 2.0; h[1].v.y = 5.0;"),
            ("let p = &h[i]; every(p, j);", "h[i].w[u32(j)][1] = 2.0; h[i].v.y = 5.0;"),
            ("put(&d[i + 1], &u[3]);", "d[i + 1] = u[3].z;"),
        ];
        for (call, written_out) in cases {
            assert_eq!(code(functions, call), code("", written_out), "{call}");
        }
    }
}
