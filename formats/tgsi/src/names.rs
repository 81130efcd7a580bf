//! Names of register files, semantics, targets and others, each in the order of their numbers in the binary
//! form of Mesa 17 and later.

macro_rules! names {
    ($(#[$doc:meta])* $enum:ident: $($(#[$variant_doc:meta])* $variant:ident $name:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $enum {
            $($(#[$variant_doc])* #[doc = concat!("`", $name, "`.")] $variant,)*
        }

        impl $enum {
            /// All names, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in text.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Looks up a name in any case.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name().eq_ignore_ascii_case(name))
            }
        }
    };
}

names! {
    /// A kind of program.
    Processor:
    Vertex "VERT",
    Fragment "FRAG",
    Geometry "GEOM",
    TessControl "TESS_CTRL",
    TessEval "TESS_EVAL",
    Compute "COMP",
}

names! {
    /// A register file.
    File:
    Null "NULL",
    Constant "CONST",
    Input "IN",
    Output "OUT",
    Temporary "TEMP",
    Sampler "SAMP",
    Address "ADDR",
    Immediate "IMM",
    SystemValue "SV",
    Image "IMAGE",
    SamplerView "SVIEW",
    Buffer "BUFFER",
    Memory "MEMORY",
    ConstantBuffer "CONSTBUF",
    HwAtomic "HWATOMIC",
    HalfTemporary "TEMP_MEDP",
    /// In the first edition.
    Predicate "PRED",
    /// In the first edition.
    ImmediateArray "IMMX",
    /// In the first edition.
    TemporaryArray "TEMPX",
    /// The name of images before 2015.
    Resource "RES",
}

names! {
    /// The semantic of an input, output or system value.
    SemanticName:
    Position "POSITION",
    Color "COLOR",
    BackColor "BCOLOR",
    Fog "FOG",
    PointSize "PSIZE",
    Generic "GENERIC",
    Normal "NORMAL",
    Face "FACE",
    EdgeFlag "EDGEFLAG",
    PrimitiveId "PRIM_ID",
    InstanceId "INSTANCEID",
    VertexId "VERTEXID",
    Stencil "STENCIL",
    ClipDistance "CLIPDIST",
    ClipVertex "CLIPVERTEX",
    GridSize "GRID_SIZE",
    BlockId "BLOCK_ID",
    BlockSize "BLOCK_SIZE",
    ThreadId "THREAD_ID",
    TexCoord "TEXCOORD",
    PointCoord "PCOORD",
    ViewportIndex "VIEWPORT_INDEX",
    Layer "LAYER",
    SampleId "SAMPLEID",
    SamplePosition "SAMPLEPOS",
    SampleMask "SAMPLEMASK",
    InvocationId "INVOCATIONID",
    VertexIdNoBase "VERTEXID_NOBASE",
    BaseVertex "BASEVERTEX",
    Patch "PATCH",
    TessCoord "TESSCOORD",
    TessOuter "TESSOUTER",
    TessInner "TESSINNER",
    VerticesIn "VERTICESIN",
    HelperInvocation "HELPER_INVOCATION",
    BaseInstance "BASEINSTANCE",
    DrawId "DRAWID",
    WorkDim "WORK_DIM",
    SubgroupSize "SUBGROUP_SIZE",
    SubgroupInvocation "SUBGROUP_INVOCATION",
    SubgroupEqMask "SUBGROUP_EQ_MASK",
    SubgroupGeMask "SUBGROUP_GE_MASK",
    SubgroupGtMask "SUBGROUP_GT_MASK",
    SubgroupLeMask "SUBGROUP_LE_MASK",
    SubgroupLtMask "SUBGROUP_LT_MASK",
    UserDataAmd "CS_USER_DATA_AMD",
    ViewportMask "VIEWPORT_MASK",
    TessDefaultOuter "TESS_DEFAULT_OUTER_LEVEL",
    TessDefaultInner "TESS_DEFAULT_INNER_LEVEL",
}

names! {
    /// The kind of texture of an instruction or a view.
    Target:
    Buffer "BUFFER",
    One "1D",
    Two "2D",
    Three "3D",
    Cube "CUBE",
    Rect "RECT",
    Shadow1d "SHADOW1D",
    Shadow2d "SHADOW2D",
    ShadowRect "SHADOWRECT",
    OneArray "1D_ARRAY",
    TwoArray "2D_ARRAY",
    Shadow1dArray "SHADOW1D_ARRAY",
    Shadow2dArray "SHADOW2D_ARRAY",
    ShadowCube "SHADOWCUBE",
    TwoMs "2D_MSAA",
    TwoArrayMs "2D_ARRAY_MSAA",
    CubeArray "CUBEARRAY",
    ShadowCubeArray "SHADOWCUBEARRAY",
    Unknown "UNKNOWN",
}

names! {
    /// The return type of a component of a sampler view.
    ReturnType:
    Unorm "UNORM",
    Snorm "SNORM",
    Sint "SINT",
    Uint "UINT",
    Float "FLOAT",
}

names! {
    /// The interpolation of an input.
    Interpolation:
    Constant "CONSTANT",
    Linear "LINEAR",
    Perspective "PERSPECTIVE",
    Color "COLOR",
}

names! {
    /// The location in the pixel at which an input is interpolated.
    Location:
    Center "CENTER",
    Centroid "CENTROID",
    Sample "SAMPLE",
}

names! {
    /// The kind of a `MEMORY`.
    MemoryKind:
    Global "GLOBAL",
    Shared "SHARED",
    Private "PRIVATE",
    Input "INPUT",
}

names! {
    /// The type of an immediate's numbers.
    ImmediateType:
    Float32 "FLT32",
    Uint32 "UINT32",
    Int32 "INT32",
    Float64 "FLT64",
    Uint64 "UINT64",
    Int64 "INT64",
}

names! {
    /// A property of the whole program.
    PropertyName:
    GsInputPrimitive "GS_INPUT_PRIMITIVE",
    GsOutputPrimitive "GS_OUTPUT_PRIMITIVE",
    GsMaxOutputVertices "GS_MAX_OUTPUT_VERTICES",
    FsCoordOrigin "FS_COORD_ORIGIN",
    FsCoordPixelCenter "FS_COORD_PIXEL_CENTER",
    FsColor0WritesAllCbufs "FS_COLOR0_WRITES_ALL_CBUFS",
    FsDepthLayout "FS_DEPTH_LAYOUT",
    VsProhibitUcps "VS_PROHIBIT_UCPS",
    GsInvocations "GS_INVOCATIONS",
    VsWindowSpacePosition "VS_WINDOW_SPACE_POSITION",
    TcsVerticesOut "TCS_VERTICES_OUT",
    TesPrimMode "TES_PRIM_MODE",
    TesSpacing "TES_SPACING",
    TesVertexOrderCw "TES_VERTEX_ORDER_CW",
    TesPointMode "TES_POINT_MODE",
    NumClipdistEnabled "NUM_CLIPDIST_ENABLED",
    NumCulldistEnabled "NUM_CULLDIST_ENABLED",
    FsEarlyDepthStencil "FS_EARLY_DEPTH_STENCIL",
    FsPostDepthCoverage "FS_POST_DEPTH_COVERAGE",
    NextShader "NEXT_SHADER",
    CsFixedBlockWidth "CS_FIXED_BLOCK_WIDTH",
    CsFixedBlockHeight "CS_FIXED_BLOCK_HEIGHT",
    CsFixedBlockDepth "CS_FIXED_BLOCK_DEPTH",
    MulZeroWins "MUL_ZERO_WINS",
    VsBlitSgprsAmd "VS_BLIT_SGPRS_AMD",
    CsUserDataComponentsAmd "CS_USER_DATA_COMPONENTS_AMD",
    LayerViewportRelative "LAYER_VIEWPORT_RELATIVE",
    FsBlendEquationAdvanced "FS_BLEND_EQUATION_ADVANCED",
    SeparableProgram "SEPARABLE_PROGRAM",
    LegacyMathRules "LEGACY_MATH_RULES",
}

names! {
    /// A kind of primitive as the value of a property.
    Primitive:
    Points "POINTS",
    Lines "LINES",
    LineLoop "LINE_LOOP",
    LineStrip "LINE_STRIP",
    Triangles "TRIANGLES",
    TriangleStrip "TRIANGLE_STRIP",
    TriangleFan "TRIANGLE_FAN",
    Quads "QUADS",
    QuadStrip "QUAD_STRIP",
    Polygon "POLYGON",
    LinesAdjacency "LINES_ADJACENCY",
    LineStripAdjacency "LINE_STRIP_ADJACENCY",
    TrianglesAdjacency "TRIANGLES_ADJACENCY",
    TriangleStripAdjacency "TRIANGLE_STRIP_ADJACENCY",
    Patches "PATCHES",
}

names! {
    /// The origin of fragment coordinates.
    CoordOrigin:
    UpperLeft "UPPER_LEFT",
    LowerLeft "LOWER_LEFT",
}

names! {
    /// The centre of a pixel.
    PixelCenter:
    HalfInteger "HALF_INTEGER",
    Integer "INTEGER",
}

names! {
    /// A guarantee about the depths that a shader writes.
    DepthLayout:
    None "NONE",
    Any "ANY",
    Greater "GREATER",
    Less "LESS",
    Unchanged "UNCHANGED",
}

names! {
    /// A qualifier of a memory access.
    Qualifier:
    Coherent "COHERENT",
    Restrict "RESTRICT",
    Volatile "VOLATILE",
    Stream "STREAM_CACHE_POLICY",
}

impl PropertyName {
    /// The names of this property's values, if they have names.
    pub fn value_names(self) -> Option<Vec<&'static str>> {
        match self {
            PropertyName::GsInputPrimitive | PropertyName::GsOutputPrimitive | PropertyName::TesPrimMode => {
                Some(Primitive::ALL.iter().map(|one| one.name()).collect())
            }
            PropertyName::FsCoordOrigin => Some(CoordOrigin::ALL.iter().map(|one| one.name()).collect()),
            PropertyName::FsCoordPixelCenter => Some(PixelCenter::ALL.iter().map(|one| one.name()).collect()),
            PropertyName::FsDepthLayout => Some(DepthLayout::ALL.iter().map(|one| one.name()).collect()),
            PropertyName::NextShader => Some(STAGE_NUMBERS.iter().map(|one| one.name()).collect()),
            _ => None,
        }
    }

    /// Whether the values are printed as names. Names are always accepted.
    pub fn prints_names(self) -> bool {
        !matches!(self, PropertyName::FsDepthLayout | PropertyName::TesPrimMode)
    }
}

/// Processors in the order of their numbers in the binary form of Mesa 12 and later.
pub const STAGE_NUMBERS: [Processor; 6] = [
    Processor::Vertex,
    Processor::Fragment,
    Processor::Geometry,
    Processor::TessControl,
    Processor::TessEval,
    Processor::Compute,
];

impl Target {
    /// Number of coordinates of a texel, without array layer and reference value.
    pub fn dimensions(self) -> u8 {
        use Target::{Buffer, Cube, CubeArray, One, OneArray, Shadow1d, Shadow1dArray, Three};
        match self {
            Buffer | One | OneArray | Shadow1d | Shadow1dArray => 1,
            Three | Cube | CubeArray | Target::ShadowCube | Target::ShadowCubeArray => 3,
            _ => 2,
        }
    }

    /// Whether there is an array layer, which follows the other coordinates.
    pub fn is_array(self) -> bool {
        use Target::{
            CubeArray, OneArray, Shadow1dArray, Shadow2dArray, ShadowCubeArray, TwoArray, TwoArrayMs,
        };
        matches!(
            self,
            OneArray | TwoArray | Shadow1dArray | Shadow2dArray | TwoArrayMs | CubeArray | ShadowCubeArray
        )
    }

    /// Whether lookups compare with a reference value.
    pub fn is_shadow(self) -> bool {
        self.name().starts_with("SHADOW")
    }

    /// Whether this is a cube map.
    pub fn is_cube(self) -> bool {
        matches!(self, Target::Cube | Target::CubeArray | Target::ShadowCube | Target::ShadowCubeArray)
    }

    /// Whether texels have several samples.
    pub fn is_multisampled(self) -> bool {
        matches!(self, Target::TwoMs | Target::TwoArrayMs)
    }

    /// Whether coordinates are in texels.
    pub fn is_rect(self) -> bool {
        matches!(self, Target::Rect | Target::ShadowRect)
    }

    /// The component of the coordinate with the reference value; cube arrays have it in another operand.
    pub fn reference_component(self) -> Option<u8> {
        match self {
            _ if !self.is_shadow() => None,
            Target::ShadowCubeArray => None,
            Target::ShadowCube | Target::Shadow2dArray => Some(3),
            _ => Some(2),
        }
    }
}

impl SemanticName {
    /// Whether tessellation stages have one value per patch instead of one per vertex.
    pub fn is_per_patch(self) -> bool {
        matches!(
            self,
            SemanticName::Patch
                | SemanticName::TessInner
                | SemanticName::TessOuter
                | SemanticName::PrimitiveId
        )
    }
}
