//! Opcodes by number: a table of the frequent ones, which is faster than the library's search.

use spirv::Op;

/// The most frequent instructions of modules.
const FREQUENT: &[Op] = &[
    Op::Name,
    Op::MemberName,
    Op::Decorate,
    Op::MemberDecorate,
    Op::Line,
    Op::NoLine,
    Op::ExtInst,
    Op::TypeInt,
    Op::TypeFloat,
    Op::TypeVector,
    Op::TypeMatrix,
    Op::TypeArray,
    Op::TypeStruct,
    Op::TypePointer,
    Op::TypeFunction,
    Op::TypeImage,
    Op::TypeSampledImage,
    Op::Constant,
    Op::ConstantComposite,
    Op::Variable,
    Op::Load,
    Op::Store,
    Op::AccessChain,
    Op::SampledImage,
    Op::ImageSampleImplicitLod,
    Op::Label,
    Op::Branch,
    Op::BranchConditional,
    Op::SelectionMerge,
    Op::LoopMerge,
    Op::Phi,
    Op::FunctionCall,
    Op::CompositeConstruct,
    Op::CompositeExtract,
    Op::VectorShuffle,
    Op::Select,
    Op::Dot,
    Op::FNegate,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::IAdd,
    Op::ISub,
    Op::IMul,
    Op::VectorTimesScalar,
    Op::MatrixTimesVector,
    Op::VectorTimesMatrix,
    Op::MatrixTimesMatrix,
    Op::Source,
    Op::SourceExtension,
    Op::ExtInstImport,
    Op::MemoryModel,
    Op::EntryPoint,
    Op::ExecutionMode,
    Op::Capability,
    Op::TypeVoid,
    Op::TypeBool,
    Op::TypeRuntimeArray,
    Op::Function,
    Op::FunctionParameter,
    Op::FunctionEnd,
    Op::Return,
    Op::ReturnValue,
    Op::Bitcast,
    Op::ConvertSToF,
    Op::ConvertUToF,
    Op::ConvertFToS,
    Op::FOrdGreaterThan,
    Op::FOrdLessThan,
    Op::ULessThan,
    Op::SLessThan,
    Op::SGreaterThan,
    Op::IEqual,
    Op::InBoundsAccessChain,
    Op::Transpose,
    Op::ConstantTrue,
];

/// The frequent opcodes by number.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, which fails if the table is too short"
)]
static BY_NUMBER: [Option<Op>; 320] = {
    let mut known = [None; 320];
    let mut at = 0;
    while at < FREQUENT.len() {
        known[FREQUENT[at] as usize] = Some(FREQUENT[at]);
        at += 1;
    }
    known
};

/// The opcode with a number, if it exists. `OpExtInstWithForwardRefsKHR`, which may only name values of later instructions in
/// addition, is `OpExtInst`.
#[inline]
pub(super) fn numbered(number: u32) -> Option<Op> {
    match BY_NUMBER.get(number as usize).copied().flatten().or_else(|| Op::from_u32(number)) {
        Some(Op::ExtInstWithForwardRefsKHR) => Some(Op::ExtInst),
        op => op,
    }
}
