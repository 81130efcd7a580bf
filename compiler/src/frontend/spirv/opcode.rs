//! Names of the SPIR-V opcodes, for messages.

use spirv::Op;

macro_rules! names {
    ($($op:ident)*) => {
        /// Name of an opcode as the specification writes it; `None` for vendor opcodes, which nobody hands to a GPU
        /// they were not made for.
        pub(super) fn name(op: Op) -> Option<&'static str> {
            match op {
                $(Op::$op => Some(concat!("Op", stringify!($op))),)*
                _ => None,
            }
        }
    };
}

#[rustfmt::skip]
names! {
    Nop Undef SourceContinued Source SourceExtension Name MemberName String Line Extension ExtInstImport
    ExtInst MemoryModel EntryPoint ExecutionMode Capability TypeVoid TypeBool TypeInt TypeFloat
    TypeVector TypeMatrix TypeImage TypeSampler TypeSampledImage TypeArray TypeRuntimeArray TypeStruct
    TypeOpaque TypePointer TypeFunction TypeEvent TypeDeviceEvent TypeReserveId TypeQueue TypePipe
    TypeForwardPointer ConstantTrue ConstantFalse Constant ConstantComposite ConstantSampler
    ConstantNull SpecConstantTrue SpecConstantFalse SpecConstant SpecConstantComposite SpecConstantOp
    Function FunctionParameter FunctionEnd FunctionCall Variable ImageTexelPointer Load Store CopyMemory
    CopyMemorySized AccessChain InBoundsAccessChain PtrAccessChain ArrayLength GenericPtrMemSemantics
    InBoundsPtrAccessChain Decorate MemberDecorate DecorationGroup GroupDecorate GroupMemberDecorate
    VectorExtractDynamic VectorInsertDynamic VectorShuffle CompositeConstruct CompositeExtract
    CompositeInsert CopyObject Transpose SampledImage ImageSampleImplicitLod ImageSampleExplicitLod
    ImageSampleDrefImplicitLod ImageSampleDrefExplicitLod ImageSampleProjImplicitLod
    ImageSampleProjExplicitLod ImageSampleProjDrefImplicitLod ImageSampleProjDrefExplicitLod ImageFetch
    ImageGather ImageDrefGather ImageRead ImageWrite Image ImageQueryFormat ImageQueryOrder
    ImageQuerySizeLod ImageQuerySize ImageQueryLod ImageQueryLevels ImageQuerySamples ConvertFToU
    ConvertFToS ConvertSToF ConvertUToF UConvert SConvert FConvert QuantizeToF16 ConvertPtrToU
    SatConvertSToU SatConvertUToS ConvertUToPtr PtrCastToGeneric GenericCastToPtr
    GenericCastToPtrExplicit Bitcast SNegate FNegate IAdd FAdd ISub FSub IMul FMul UDiv SDiv FDiv UMod
    SRem SMod FRem FMod VectorTimesScalar MatrixTimesScalar VectorTimesMatrix MatrixTimesVector
    MatrixTimesMatrix OuterProduct Dot IAddCarry ISubBorrow UMulExtended SMulExtended Any All IsNan
    IsInf IsFinite IsNormal SignBitSet LessOrGreater Ordered Unordered LogicalEqual LogicalNotEqual
    LogicalOr LogicalAnd LogicalNot Select IEqual INotEqual UGreaterThan SGreaterThan UGreaterThanEqual
    SGreaterThanEqual ULessThan SLessThan ULessThanEqual SLessThanEqual FOrdEqual FUnordEqual
    FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan FOrdGreaterThan FUnordGreaterThan
    FOrdLessThanEqual FUnordLessThanEqual FOrdGreaterThanEqual FUnordGreaterThanEqual ShiftRightLogical
    ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not BitFieldInsert
    BitFieldSExtract BitFieldUExtract BitReverse BitCount DPdx DPdy Fwidth DPdxFine DPdyFine FwidthFine
    DPdxCoarse DPdyCoarse FwidthCoarse EmitVertex EndPrimitive EmitStreamVertex EndStreamPrimitive
    ControlBarrier MemoryBarrier AtomicLoad AtomicStore AtomicExchange AtomicCompareExchange
    AtomicCompareExchangeWeak AtomicIIncrement AtomicIDecrement AtomicIAdd AtomicISub AtomicSMin
    AtomicUMin AtomicSMax AtomicUMax AtomicAnd AtomicOr AtomicXor Phi LoopMerge SelectionMerge Label
    Branch BranchConditional Switch Kill Return ReturnValue Unreachable LifetimeStart LifetimeStop
    GroupAsyncCopy GroupWaitEvents GroupAll GroupAny GroupBroadcast GroupIAdd GroupFAdd GroupFMin
    GroupUMin GroupSMin GroupFMax GroupUMax GroupSMax ReadPipe WritePipe ReservedReadPipe
    ReservedWritePipe ReserveReadPipePackets ReserveWritePipePackets CommitReadPipe CommitWritePipe
    IsValidReserveId GetNumPipePackets GetMaxPipePackets GroupReserveReadPipePackets
    GroupReserveWritePipePackets GroupCommitReadPipe GroupCommitWritePipe EnqueueMarker EnqueueKernel
    GetKernelNDrangeSubGroupCount GetKernelNDrangeMaxSubGroupSize GetKernelWorkGroupSize
    GetKernelPreferredWorkGroupSizeMultiple RetainEvent ReleaseEvent CreateUserEvent IsValidEvent
    SetUserEventStatus CaptureEventProfilingInfo GetDefaultQueue BuildNDRange
    ImageSparseSampleImplicitLod ImageSparseSampleExplicitLod ImageSparseSampleDrefImplicitLod
    ImageSparseSampleDrefExplicitLod ImageSparseSampleProjImplicitLod ImageSparseSampleProjExplicitLod
    ImageSparseSampleProjDrefImplicitLod ImageSparseSampleProjDrefExplicitLod ImageSparseFetch
    ImageSparseGather ImageSparseDrefGather ImageSparseTexelsResident NoLine AtomicFlagTestAndSet
    AtomicFlagClear ImageSparseRead SizeOf TypePipeStorage ConstantPipeStorage CreatePipeFromPipeStorage
    GetKernelLocalSizeForSubgroupCount GetKernelMaxNumSubgroups TypeNamedBarrier NamedBarrierInitialize
    MemoryNamedBarrier ModuleProcessed ExecutionModeId DecorateId GroupNonUniformElect
    GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual GroupNonUniformBroadcast
    GroupNonUniformBroadcastFirst GroupNonUniformBallot GroupNonUniformInverseBallot
    GroupNonUniformBallotBitExtract GroupNonUniformBallotBitCount GroupNonUniformBallotFindLSB
    GroupNonUniformBallotFindMSB GroupNonUniformShuffle GroupNonUniformShuffleXor
    GroupNonUniformShuffleUp GroupNonUniformShuffleDown GroupNonUniformIAdd GroupNonUniformFAdd
    GroupNonUniformIMul GroupNonUniformFMul GroupNonUniformSMin GroupNonUniformUMin GroupNonUniformFMin
    GroupNonUniformSMax GroupNonUniformUMax GroupNonUniformFMax GroupNonUniformBitwiseAnd
    GroupNonUniformBitwiseOr GroupNonUniformBitwiseXor GroupNonUniformLogicalAnd
    GroupNonUniformLogicalOr GroupNonUniformLogicalXor GroupNonUniformQuadBroadcast
    GroupNonUniformQuadSwap CopyLogical PtrEqual PtrNotEqual PtrDiff TerminateInvocation
    TypeUntypedPointerKHR UntypedVariableKHR UntypedAccessChainKHR UntypedInBoundsAccessChainKHR
    SubgroupBallotKHR SubgroupFirstInvocationKHR UntypedPtrAccessChainKHR
    UntypedInBoundsPtrAccessChainKHR UntypedArrayLengthKHR UntypedPrefetchKHR FmaKHR SubgroupAllKHR
    SubgroupAnyKHR SubgroupAllEqualKHR GroupNonUniformRotateKHR SubgroupReadInvocationKHR
    ExtInstWithForwardRefsKHR UntypedGroupAsyncCopyKHR TraceRayKHR ExecuteCallableKHR
    ConvertUToAccelerationStructureKHR IgnoreIntersectionKHR TerminateRayKHR SDot UDot SUDot SDotAccSat
    UDotAccSat SUDotAccSat TypeCooperativeMatrixKHR CooperativeMatrixLoadKHR CooperativeMatrixStoreKHR
    CooperativeMatrixMulAddKHR CooperativeMatrixLengthKHR ConstantCompositeReplicateEXT
    SpecConstantCompositeReplicateEXT CompositeConstructReplicateEXT TypeRayQueryKHR
    RayQueryInitializeKHR RayQueryTerminateKHR RayQueryGenerateIntersectionKHR
    RayQueryConfirmIntersectionKHR RayQueryProceedKHR RayQueryGetIntersectionTypeKHR ReadClockKHR
    GroupNonUniformQuadAllKHR GroupNonUniformQuadAnyKHR TypeBufferEXT BufferPointerEXT
    UntypedImageTexelPointerEXT MemberDecorateIdEXT ConstantSizeOfEXT TypeVectorIdEXT EmitMeshTasksEXT
    SetMeshOutputsEXT GroupNonUniformPartitionEXT HitObjectRecordFromQueryEXT HitObjectRecordMissEXT
    HitObjectRecordMissMotionEXT HitObjectGetIntersectionTriangleVertexPositionsEXT
    HitObjectGetRayFlagsEXT HitObjectSetShaderBindingTableRecordIndexEXT
    HitObjectReorderExecuteShaderEXT HitObjectTraceReorderExecuteEXT
    HitObjectTraceMotionReorderExecuteEXT TypeHitObjectEXT ReorderThreadWithHintEXT
    ReorderThreadWithHitObjectEXT HitObjectTraceRayEXT HitObjectTraceRayMotionEXT
    HitObjectRecordEmptyEXT HitObjectExecuteShaderEXT HitObjectGetCurrentTimeEXT
    HitObjectGetAttributesEXT HitObjectGetHitKindEXT HitObjectGetPrimitiveIndexEXT
    HitObjectGetGeometryIndexEXT HitObjectGetInstanceIdEXT HitObjectGetInstanceCustomIndexEXT
    HitObjectGetObjectRayOriginEXT HitObjectGetObjectRayDirectionEXT HitObjectGetWorldRayDirectionEXT
    HitObjectGetWorldRayOriginEXT HitObjectGetObjectToWorldEXT HitObjectGetWorldToObjectEXT
    HitObjectGetRayTMaxEXT ReportIntersectionKHR RayQueryGetIntersectionTriangleVertexPositionsKHR
    TypeAccelerationStructureKHR HitObjectGetRayTMinEXT HitObjectGetShaderBindingTableRecordIndexEXT
    HitObjectGetShaderRecordBufferHandleEXT HitObjectIsEmptyEXT HitObjectIsHitEXT HitObjectIsMissEXT
    BeginInvocationInterlockEXT EndInvocationInterlockEXT DemoteToHelperInvocation IsHelperInvocationEXT
    AtomicFMinEXT AtomicFMaxEXT AssumeTrueKHR ExpectKHR DecorateString MemberDecorateString
    RayQueryGetRayTMinKHR RayQueryGetRayFlagsKHR RayQueryGetIntersectionTKHR
    RayQueryGetIntersectionInstanceCustomIndexKHR RayQueryGetIntersectionInstanceIdKHR
    RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
    RayQueryGetIntersectionGeometryIndexKHR RayQueryGetIntersectionPrimitiveIndexKHR
    RayQueryGetIntersectionBarycentricsKHR RayQueryGetIntersectionFrontFaceKHR
    RayQueryGetIntersectionCandidateAABBOpaqueKHR RayQueryGetIntersectionObjectRayDirectionKHR
    RayQueryGetIntersectionObjectRayOriginKHR RayQueryGetWorldRayDirectionKHR
    RayQueryGetWorldRayOriginKHR RayQueryGetIntersectionObjectToWorldKHR
    RayQueryGetIntersectionWorldToObjectKHR AtomicFAddEXT ArithmeticFenceEXT GroupIMulKHR GroupFMulKHR
    GroupBitwiseAndKHR GroupBitwiseOrKHR GroupBitwiseXorKHR GroupLogicalAndKHR GroupLogicalOrKHR
    GroupLogicalXorKHR
}
