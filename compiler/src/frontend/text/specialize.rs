//! Pointer parameters to workgroup, storage and uniform memory.
//!
//! naga's validator rejects them. Where every call passes whole variables, each combination of variables gets a copy of
//! the function that names the variables, without the parameters. Calls that pass a pointer to a part are left, and the
//! validator reports them.

use naga::{
    AddressSpace, Arena, Expression, Function, GlobalVariable, Handle, Module, Span, Statement, Type,
    TypeInner, UniqueArena,
};

use super::blocks;

/// Versions of a function. Pairs of parameters that functions exchange could make many.
const MAX_VERSIONS: usize = 64;

/// The variables that take the place of a function's parameters, by parameter.
type Variables = Vec<Option<Handle<GlobalVariable>>>;

/// A version of a function.
struct Version {
    variables: Variables,
    function: Function,
}

/// The versions of a function of the module.
struct Versions {
    original: Function,
    /// By parameter, whether it is a pointer to such memory.
    shared: Vec<bool>,
    special: Vec<Version>,
    /// Whether a call passes something else than variables.
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
    let mut handles: Vec<Vec<(Variables, Handle<Function>)>> = Vec::with_capacity(all.len());
    for (versions, span) in all.into_iter().zip(spans) {
        let count = versions.shared.len();
        let own = versions.is_kept || !versions.shared.contains(&true);
        let original = own.then_some(Version { variables: vec![None; count], function: versions.original });
        let append = |version: Version| (version.variables, module.functions.append(version.function, span));
        handles.push(versions.special.into_iter().chain(original).map(append).collect());
    }
    for function in blocks::functions(module) {
        redirect(function, &handles);
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
fn request_all(module: &Module, all: &mut [Versions]) {
    for point in &module.entry_points {
        request(&point.function, all);
    }
    for index in (0..all.len()).rev() {
        let Some((versions, callees)) = all.get_mut(..=index).and_then(|all| all.split_last_mut()) else {
            continue;
        };
        if !versions.shared.contains(&true) || versions.is_kept {
            request(&versions.original, callees);
        }
        for version in &versions.special {
            request(&version.function, callees);
        }
    }
}

/// Makes the versions that the calls of `function` need.
fn request(function: &Function, all: &mut [Versions]) {
    for (callee, arguments) in calls(function) {
        let Some(versions) = all.get_mut(callee).filter(|versions| versions.shared.contains(&true)) else {
            continue;
        };
        match variables(&versions.shared, arguments, &function.expressions) {
            Some(found) if versions.special.iter().any(|version| version.variables == found) => {}
            Some(found) if versions.special.len() < MAX_VERSIONS => {
                let function = with_variables(&versions.original, &found);
                versions.special.push(Version { variables: found, function });
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

/// The variables that a call passes for the shared parameters; `None` if it passes a part of one.
fn variables(
    shared: &[bool],
    arguments: &[Handle<Expression>],
    expressions: &Arena<Expression>,
) -> Option<Variables> {
    let variable = |(is_shared, argument): (&bool, &Handle<Expression>)| {
        if !*is_shared {
            return Some(None);
        }
        match expressions.try_get(*argument) {
            Ok(Expression::GlobalVariable(variable)) => Some(Some(*variable)),
            _ => None,
        }
    };
    shared.iter().zip(arguments).map(variable).collect()
}

/// The function with variables in place of parameters.
fn with_variables(function: &Function, variables: &Variables) -> Function {
    let mut special = function.clone();
    for (_, expression) in special.expressions.iter_mut() {
        let Expression::FunctionArgument(index) = expression else { continue };
        let before = variables.get(..*index as usize).unwrap_or_default();
        *expression = match variables.get(*index as usize) {
            Some(Some(variable)) => Expression::GlobalVariable(*variable),
            _ => Expression::FunctionArgument(
                before.iter().filter(|variable| variable.is_none()).count() as u32
            ),
        };
    }
    let mut kept = variables.iter().map(Option::is_none);
    special.arguments.retain(|_| kept.next().unwrap_or(true));
    special
}

/// Directs the calls of `function` to the versions of their callees.
fn redirect(function: &mut Function, handles: &[Vec<(Variables, Handle<Function>)>]) {
    let Function { body, expressions, .. } = function;
    let mut results = Vec::new();
    blocks::each(body, |block| {
        for statement in block.iter_mut() {
            let Statement::Call { function, arguments, result } = statement else { continue };
            let Some(versions) = handles.get(function.index()) else { continue };
            let fits = |(variables, _): &&(Variables, Handle<Function>)| {
                let shared: Vec<bool> = variables.iter().map(Option::is_some).collect();
                self::variables(&shared, arguments, expressions).as_ref() == Some(variables)
            };
            let Some((variables, handle)) = versions.iter().find(fits) else { continue };
            *function = *handle;
            let mut kept = variables.iter().map(Option::is_none);
            arguments.retain(|_| kept.next().unwrap_or(true));
            results.extend(result.map(|result| (result, *handle)));
        }
    });
    for (result, handle) in results {
        *expressions.get_mut(result) = Expression::CallResult(handle);
    }
}
