//! Pointers to parts of variables as arguments.
//!
//! naga's SPIR-V writer passes only pointers to whole variables. A pointer to a member or an element is replaced by a
//! pointer to a temporary variable, which is filled before the call and copied back afterwards. The result is the same,
//! because WGSL forbids that a function writes through one pointer and accesses the same variable in another way.

use naga::{
    AddressSpace, Arena, Block, Expression, Function, GlobalVariable, Handle, LocalVariable,
    MemoryDecorations, Module, Range, Span, Statement, Type, TypeInner,
};

use super::blocks;

/// A parameter that is a pointer: the type it points to, and where.
type Pointer = (Handle<Type>, AddressSpace);

/// Replaces the pointers to parts in the calls of a module.
pub fn replace_parts(module: &mut Module) {
    let parameters: Vec<Vec<Option<Pointer>>> =
        module.functions.iter().map(|(_, function)| pointers(function, module)).collect();
    let globals = &mut module.global_variables;
    let points = module.entry_points.iter_mut().map(|point| &mut point.function);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain(points) {
        let mut body = std::mem::take(&mut function.body);
        let mut caller = Caller { function, globals, parameters: &parameters };
        blocks::each(&mut body, |block| caller.block(block));
        function.body = body;
    }
}

/// The parameters of a function that are pointers.
fn pointers(function: &Function, module: &Module) -> Vec<Option<Pointer>> {
    let of = |ty: Handle<Type>| match module.types.get_handle(ty).ok()?.inner {
        TypeInner::Pointer { base, space } => Some((base, space)),
        _ => None,
    };
    function.arguments.iter().map(|argument| of(argument.ty)).collect()
}

/// A function whose calls are changed.
struct Caller<'m> {
    function: &'m mut Function,
    globals: &'m mut Arena<GlobalVariable>,
    /// Of every function of the module.
    parameters: &'m [Vec<Option<Pointer>>],
}

impl Caller<'_> {
    fn block(&mut self, block: &mut Block) {
        let is_call = |statement: &Statement| matches!(statement, Statement::Call { .. });
        if !block.iter().any(is_call) {
            return;
        }
        let mut changed = Block::with_capacity(block.len());
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            let mut after = Block::new();
            if let Statement::Call { function, arguments, .. } = &mut statement {
                let parameters = self.parameters.get(function.index()).map_or(&[][..], Vec::as_slice);
                for (argument, parameter) in arguments.iter_mut().zip(parameters) {
                    let Some(temporary) = parameter.and_then(|pointer| self.temporary(*argument, pointer))
                    else {
                        continue;
                    };
                    self.copy(*argument, temporary, span, &mut changed);
                    self.copy(temporary, *argument, span, &mut after);
                    *argument = temporary;
                }
            }
            changed.push(statement, span);
            changed.append(&mut after);
        }
        *block = changed;
    }

    /// A pointer to a new variable that can take the place of the pointer `argument`; `None` if it may stay.
    fn temporary(
        &mut self,
        argument: Handle<Expression>,
        (ty, space): Pointer,
    ) -> Option<Handle<Expression>> {
        let expression = self.function.expressions.try_get(argument).ok()?;
        if !matches!(expression, Expression::Access { .. } | Expression::AccessIndex { .. }) {
            return None;
        }
        let variable = match space {
            AddressSpace::Function => {
                let variable = LocalVariable { name: None, ty, init: None };
                Expression::LocalVariable(self.function.local_variables.append(variable, Span::UNDEFINED))
            }
            AddressSpace::Private => {
                let (name, binding, init) = (None, None, None);
                let memory_decorations = MemoryDecorations::empty();
                let variable = GlobalVariable { name, space, binding, ty, init, memory_decorations };
                Expression::GlobalVariable(self.globals.append(variable, Span::UNDEFINED))
            }
            _ => return None,
        };
        Some(self.function.expressions.append(variable, Span::UNDEFINED))
    }

    /// Copies from one pointer to another at the end of `block`.
    fn copy(&mut self, from: Handle<Expression>, to: Handle<Expression>, span: Span, block: &mut Block) {
        let value = self.function.expressions.append(Expression::Load { pointer: from }, span);
        block.push(Statement::Emit(Range::new_from_bounds(value, value)), span);
        block.push(Statement::Store { pointer: to, value }, span);
    }
}
