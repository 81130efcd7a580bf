//! The stored form of the data that a driver keeps for a shader: fields in declaration order, variants by
//! number.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use crate::feedback::{CapturedOutput, Feedback};
use crate::fragment::{CoefficientSource, Corner, DepthLayout, FragmentInfo, Interpolation};
use crate::geometry::GeometryInfo;
use crate::kernel::{Addressing, ArgumentKind, KernelArgument, KernelInfo, LiteralSampler, PrintfFormat};
use crate::layout::{InterfaceReads, InterfaceUniform, UniformRange, UniformSource};
use crate::linking::{DrawWord, KnownOutput, MovedSteps, SharedAddress, Step, VertexOutputs};
use crate::mesh::{MeshInfo, MeshKind};
use crate::pipeline::{
    BindingAccess, BindingLayout, DescriptorForm, DescriptorParts, PipelineLayout, SetLayout,
};
use crate::stored::{Reader, Stored, StoredError};
use crate::tessellation::{Domain, PatchLayout, Rows, Spacing, TessellationInfo};
use crate::textures::{DescriptorKind, SamplerBinding, TextureBinding};
use crate::tile::{ColourFormat, TilePass};
use crate::vertex::{Attribute, Output, OutputStore, RunsAs, Varying};
use crate::{PartRole, ShaderInfo, Stage, Target};
use crate::{stored_enums, stored_structs};

stored_structs! {
    ShaderInfo {
        stage target entry_point gpr_halves preamble_gpr_halves uniform_halves uniforms textures samplers layout
        workgroup_size local_bytes scratch_bytes preamble_scratch_bytes constants promoted writes_memory uses_barrier runs_as attributes
        varyings output_stores known_outputs reads feedback geometry tessellation mesh kernel whole fragment
    }
    FragmentInfo {
        coefficients moved components opaque dual_source writes_depth depth_layout writes_stencil writes_sample_mask late_tests
        early_tests needs_helpers sample_shading reads_targets stores_targets interlock
    }
    UniformRange { start halves source }
    TextureBinding { set binding element kind }
    PipelineLayout { sets }
    SetLayout { set bindings }
    BindingLayout { binding offset stride form access dynamic_offset }
    DescriptorParts { buffer texture image sampler }
    Attribute { location components }
    Varying { slot output }
    OutputStore { offset slot }
    KnownOutput { output value }
    VertexOutputs { written known }
    MovedSteps { output steps }
    InterfaceReads { base draw heap blend root }
    Feedback { strides streams outputs }
    GeometryInfo { input_vertices corners invocations max_vertices streams }
    MeshInfo { kind corners vertices primitives vertex_words primitive_words drawn_words payload_bytes }
    KernelInfo { arguments block_bytes fixed_size formats samplers }
    LiteralSampler { addressing normalized linear }
    KernelArgument { name kind index offset size align }
    PrintfFormat { text sizes }
    TessellationInfo { inputs record domain spacing clockwise points }
    PatchLayout { patch vertex vertices }
    Rows { built_ins locations }
    CapturedOutput { buffer offset bits output }
    TilePass { formats samples input_attachments }
}

stored_enums! {
    Stage { 0 Vertex; 1 Fragment; 2 Compute; }
    PartRole { 0 Main; 1 Prolog; 2 Epilog; 3 Preamble; }
    RunsAs { 0 Vertex; 1 Compute; }
    MeshKind { 0 Task; 1 Mesh; }
    Addressing { 0 None; 1 ClampToEdge; 2 Clamp; 3 Repeat; 4 RepeatMirrored; }
    ArgumentKind {
        0 Value; 1 Global; 2 Constant; 3 Local; 4 Image; 5 Sampler; 6 GlobalOffset; 7 WorkDimension; 8 GlobalSize; 9 PrintfBuffer;
    }
    Domain { 0 Triangles; 1 Quads; 2 Isolines; }
    Spacing { 0 Equal; 1 FractionalEven; 2 FractionalOdd; }
    DescriptorKind { 0 Texture; 1 Image; }
    SamplerBinding {
        0 Bound { set binding element };
        1 Loads;
        2 Paired { set binding element texture_set texture_binding texture_element };
    }
    DescriptorForm { 0 Descriptors(parts); 1 Inline; }
    BindingAccess { 0 Constant; 1 Memory; 2 PartiallyBound; }
    Corner { 0 First; 1 Second; 2 Third; }
    Interpolation { 0 Flat; 1 Linear; 2 Perspective; 3 Corner(corner); }
    DepthLayout { 0 Any; 1 Greater; 2 Less; 3 Unchanged; }
    CoefficientSource {
        0 OneOverW; 1 Depth; 2 PointX; 3 PointY; 4 Viewport; 5 PrimitiveId; 6 ClipDistance(index); 7 CullDistance(index);
        8 Culled(index); 9 User { location component interpolation }; 10 Position(component);
        11 CornerPosition { component corner };
    }
    Output {
        0 Position(component); 1 PointSize; 2 ClipDistance(index); 3 ReadClipDistance(index); 4 CullDistance(index);
        5 Culled(index); 6 LayerAndViewport; 7 Viewport; 8 User { location component };
        9 PrimitiveId; 10 Stream; 11 StreamCorner(corner); 12 ReadPosition(component); 13 CornerPosition(component);
    }
    SharedAddress {
        0 BufferAddress { set binding element }; 1 DescriptorTable { set binding }; 2 PushConstantAddress;
        3 SetAddress { set };
    }
    DrawWord { 0 Constant(bits); 1 PushConstant { offset }; 2 Memory { base pointer offset }; }
    Step { 0 Scale(factor); 1 Offset(addend); }
    InterfaceUniform {
        0 AttributeBase { attribute }; 1 AttributeClamp { attribute }; 2 BaseVertexAndInstance; 3 DrawNumber;
        4 InputAssembly; 5 TargetHeap; 6 BlendConstant; 7 RootDescriptor; 8 ClearColour { target };
    }
    UniformSource {
        0 BufferAddress { set binding element }; 1 DescriptorTable { set binding }; 2 TextureTable { set binding kind };
        3 SamplerTable { set binding }; 4 TextureWords { set binding element }; 5 ConstantAddress;
        6 BufferSize { set binding element }; 7 WorkgroupCount; 8 Interface(uniform); 9 SamplePositions; 10 VertexOutputs;
        11 VertexCount; 12 ViewIndex; 13 PushConstantAddress; 14 PushConstants { offset }; 15 Promoted { offset };
        16 KernelResults; 17 KernelArgument { index }; 18 SetAddress { set }; 19 DynamicOffset { index };
        20 Zeros; 21 SamplerBias { set binding element }; 22 SamplerBiasTable { set binding }; 23 WorkgroupBase;
        24 FeedbackBuffer { buffer }; 25 FeedbackCount; 26 GeometryVertices; 27 GeometryIndices; 28 PatchOutputs;
        29 DomainPoints; 30 PatchVertices; 31 SampleMask; 32 TableBase; 33 TextureTableLow { set binding kind };
        34 WorkgroupTable; 35 TaskRecords; 36 PrimitiveVertices;
    }
}

/// Stores a row of a list by its name, so that new rows do not change the form of existing ones.
macro_rules! stored_names {
    ($($type:ident $name:expr, $found:expr;)*) => {$(
        impl Stored for $type {
            fn write(&self, to: &mut Vec<u8>) {
                $name(self).to_owned().write(to);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, StoredError> {
                let name = String::read(from)?;
                $found(&name).ok_or(StoredError::Value { expected: stringify!($type), found: name.len() as u64 })
            }
        }
    )*};
}

stored_names! {
    ColourFormat |format: &ColourFormat| format.desc().name, ColourFormat::from_name;
    Target |target: &Target| target.name(), Target::from_name;
}
