//! The expressions that naga's expressions and statements read, and whose results statements define.

use naga::{
    Arena, AtomicFunction, CooperativeData, Expression, Function, GatherMode, Handle, ImageQuery, Range,
    RayPipelineFunction, RayQueryFunction, SampleLevel, Statement,
};

use super::blocks;

/// A reference to an expression, to be changed.
type Operand<'e> = &'e mut Handle<Expression>;

/// Puts `first` in front of the expressions of a function, and the expressions `now` in it in place of the arguments.
pub fn replace_arguments(function: &mut Function, first: Arena<Expression>, now: &[Handle<Expression>]) {
    let old = std::mem::replace(&mut function.expressions, first);
    // By the index of the old expression.
    let mut new: Vec<Handle<Expression>> = Vec::with_capacity(old.len());
    let expressions = &mut function.expressions;
    for (_, mut expression, span) in { old }.drain() {
        let replaced = match expression {
            Expression::FunctionArgument(index) => now.get(index as usize).copied(),
            _ => None,
        };
        of_expression(&mut expression).into_iter().for_each(|operand| renumber(operand, &new));
        new.push(replaced.unwrap_or_else(|| expressions.append(expression, span)));
    }
    let starts = function.local_variables.iter_mut().filter_map(|(_, variable)| variable.init.as_mut());
    starts.for_each(|start| renumber(start, &new));
    for (mut handle, name) in std::mem::take(&mut function.named_expressions) {
        renumber(&mut handle, &new);
        function.named_expressions.insert(handle, name);
    }
    blocks::each(&mut function.body, |block| {
        for statement in block.iter_mut() {
            if let Statement::Emit(range) = statement
                && let Some((mut first, mut last)) = range.first_and_last()
            {
                renumber(&mut first, &new);
                renumber(&mut last, &new);
                *range = Range::new_from_bounds(first, last);
            }
            of_statement(statement).into_iter().for_each(|operand| renumber(operand, &new));
        }
    });
}

fn renumber(operand: Operand<'_>, new: &[Handle<Expression>]) {
    if let Some(handle) = new.get(operand.index()) {
        *operand = *handle;
    }
}

/// The expressions that an expression reads.
fn of_expression(expression: &mut Expression) -> Vec<Operand<'_>> {
    use Expression as E;
    match expression {
        E::Compose { components, .. } => components.iter_mut().collect(),
        E::AccessIndex { base: one, .. }
        | E::Splat { value: one, .. }
        | E::Swizzle { vector: one, .. }
        | E::Load { pointer: one }
        | E::Unary { expr: one, .. }
        | E::Derivative { expr: one, .. }
        | E::Relational { argument: one, .. }
        | E::As { expr: one, .. }
        | E::ArrayLength(one)
        | E::RayQueryVertexPositions { query: one, .. }
        | E::RayQueryGetIntersection { query: one, .. } => vec![one],
        E::Access { base: one, index: two } | E::Binary { left: one, right: two, .. } => vec![one, two],
        E::Select { condition: one, accept: two, reject: three }
        | E::CooperativeMultiplyAdd { a: one, b: two, c: three } => vec![one, two, three],
        E::CooperativeLoad { data: CooperativeData { pointer, stride, .. }, .. } => vec![pointer, stride],
        E::Math { arg, arg1, arg2, arg3, .. } => {
            [arg].into_iter().chain([arg1, arg2, arg3].into_iter().flatten()).collect()
        }
        E::ImageQuery { image, query } => {
            let level = if let ImageQuery::Size { level } = query { level.as_mut() } else { None };
            [image].into_iter().chain(level).collect()
        }
        E::ImageLoad { image, coordinate, array_index, sample, level } => {
            let others = [array_index, sample, level].into_iter().flatten();
            [image, coordinate].into_iter().chain(others).collect()
        }
        E::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
            let others = [array_index, offset, depth_ref].into_iter().flatten();
            [image, sampler, coordinate].into_iter().chain(others).chain(of_level(level)).collect()
        }
        E::Literal(_)
        | E::Constant(_)
        | E::Override(_)
        | E::ZeroValue(_)
        | E::FunctionArgument(_)
        | E::GlobalVariable(_)
        | E::LocalVariable(_)
        | E::CallResult(_)
        | E::AtomicResult { .. }
        | E::WorkGroupUniformLoadResult { .. }
        | E::RayQueryProceedResult
        | E::SubgroupBallotResult
        | E::SubgroupOperationResult { .. } => Vec::new(),
    }
}

fn of_level(level: &mut SampleLevel) -> Vec<Operand<'_>> {
    match level {
        SampleLevel::Auto | SampleLevel::Zero => Vec::new(),
        SampleLevel::Exact(level) | SampleLevel::Bias(level) => vec![level],
        SampleLevel::Gradient { x, y } => vec![x, y],
    }
}

/// The expressions that a statement reads or whose results it defines, apart from the ranges of `Emit` and from the blocks in it.
fn of_statement(statement: &mut Statement) -> Vec<Operand<'_>> {
    use Statement as S;
    match statement {
        S::If { condition: one, .. } | S::Switch { selector: one, .. } => vec![one],
        S::Loop { break_if: value, .. } | S::Return { value } => value.iter_mut().collect(),
        S::Store { pointer: one, value: two } | S::WorkGroupUniformLoad { pointer: one, result: two } => {
            vec![one, two]
        }
        S::ImageStore { image, coordinate, array_index, value } => {
            [image, coordinate, value].into_iter().chain(array_index).collect()
        }
        S::Atomic { pointer, fun, value, result } => {
            [pointer, value].into_iter().chain(result).chain(of_atomic(fun)).collect()
        }
        S::ImageAtomic { image, coordinate, array_index, fun, value } => {
            [image, coordinate, value].into_iter().chain(array_index).chain(of_atomic(fun)).collect()
        }
        S::Call { arguments, result, .. } => arguments.iter_mut().chain(result).collect(),
        S::RayQuery { query, fun } => [query].into_iter().chain(of_query(fun)).collect(),
        S::RayPipelineFunction(RayPipelineFunction::TraceRay {
            acceleration_structure,
            descriptor,
            payload,
        }) => vec![acceleration_structure, descriptor, payload],
        S::SubgroupBallot { result, predicate } => [result].into_iter().chain(predicate).collect(),
        S::SubgroupGather { mode, argument, result } => {
            [argument, result].into_iter().chain(of_gather(mode)).collect()
        }
        S::SubgroupCollectiveOperation { argument, result, .. } => vec![argument, result],
        S::CooperativeStore { target, data: CooperativeData { pointer, stride, .. } } => {
            vec![target, pointer, stride]
        }
        S::Emit(_)
        | S::Block(_)
        | S::Break
        | S::Continue
        | S::Kill
        | S::ControlBarrier(_)
        | S::MemoryBarrier(_) => Vec::new(),
    }
}

fn of_atomic(function: &mut AtomicFunction) -> Option<Operand<'_>> {
    match function {
        AtomicFunction::Exchange { compare } => compare.as_mut(),
        _ => None,
    }
}

fn of_gather(mode: &mut GatherMode) -> Option<Operand<'_>> {
    match mode {
        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => None,
        GatherMode::Broadcast(lane)
        | GatherMode::Shuffle(lane)
        | GatherMode::ShuffleDown(lane)
        | GatherMode::ShuffleUp(lane)
        | GatherMode::ShuffleXor(lane)
        | GatherMode::QuadBroadcast(lane) => Some(lane),
    }
}

fn of_query(function: &mut RayQueryFunction) -> Vec<Operand<'_>> {
    match function {
        RayQueryFunction::Initialize { acceleration_structure, descriptor } => {
            vec![acceleration_structure, descriptor]
        }
        RayQueryFunction::Proceed { result } => vec![result],
        RayQueryFunction::GenerateIntersection { hit_t } => vec![hit_t],
        RayQueryFunction::ConfirmIntersection | RayQueryFunction::Terminate => Vec::new(),
    }
}
