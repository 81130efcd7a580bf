//! The table of opcodes, used by parser, printer, validator, binary form, interpreter and compilers.
//!
//! Sources: the first edition of the TGSI document (the opcodes marked `Both` and `First`), the editions from
//! 2012 to 2024 and the tables that belong to them (`tgsi_info`, `p_shader_tokens.h` of Mesa 7.10 and of Mesa
//! 17 to 24). Where the first edition is incomplete ("TBD"), the facts come from the extensions that
//! introduced the opcodes, NV_fragment_program (PK*, UP*, RFL, X2D, STR, SFL) and NV_vertex_program2 (ARA,
//! PUSHA, POPA, BRA, CAL, RET).
//!
//! In the meanings, `d` is the destination and `a`, `b`, `c`, `e`, `f` are the sources in order; `[r at x]`
//! is the contents of the resource `r` at the address `x`.

/// The type of an operand's bits, which also decides the meaning of its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// 32-bit float.
    Float,
    /// 32-bit signed integer.
    Signed,
    /// 32-bit unsigned integer.
    Unsigned,
    /// 64-bit float in a pair of components.
    Double,
    /// 64-bit signed integer in a pair of components.
    Signed64,
    /// 64-bit unsigned integer in a pair of components.
    Unsigned64,
    /// 32 bits that are only copied; modifiers treat them as a float.
    Bits,
}

/// The relation of an instruction's result to its sources, which decides how it is translated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Each component of the result comes from the same component of the sources.
    Component,
    /// One result from the first components of the sources, written to every component.
    Scalar,
    /// A result that combines components in another way.
    Vector,
    /// Each 64-bit pair of the result comes from the same pair of the sources.
    Pair,
    /// Like `Pair`, with 32-bit counts as the second source.
    PairCount,
    /// A 32-bit truth value for each 64-bit pair: into x or y from xy, into z or w from zw.
    PairFlag,
    /// 64-bit pairs from 32-bit components: xy from x, zw from y.
    Widen,
    /// 32-bit components from 64-bit pairs: the first written component from xy, the second from zw.
    Narrow,
    /// DFRACEXP, which has two results.
    Split,
    /// Writes an address register.
    Address,
    /// A texture operation whose last operand is a sampler and that names its target.
    Texture,
    /// A texture operation on a sampler view.
    View,
    /// Reads a buffer, image or memory.
    Load,
    /// Writes a buffer, image or memory.
    Store,
    /// Reads and writes a buffer, image or memory in one step.
    Atomic,
    /// Queries the size of a buffer or image.
    Query,
    /// Returns a handle of a resource.
    Handle,
    /// A difference between the fragments of a quad.
    Derivative,
    /// An input interpolated at another place.
    Interpolate,
    /// Reads the colour of a render target.
    Framebuffer,
    /// Exchanges values between the invocations of a subgroup.
    Lanes,
    /// Discards fragments.
    Discard,
    /// Orders memory accesses or invocations.
    Barrier,
    /// Control flow.
    Flow,
    /// Emits geometry.
    Geometry,
    /// Has no effect.
    Nothing,
}

/// The editions of the document with an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Generation {
    /// The first edition and later ones.
    Both,
    /// The first edition only.
    First,
    /// Later editions only.
    Later,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The opcode.
    pub opcode: Opcode,
    /// Its name in text.
    pub name: &'static str,
    /// Number of destinations.
    pub dsts: u8,
    /// Number of sources.
    pub srcs: u8,
    /// Relation of its result to its sources.
    pub class: Class,
    /// Type of its sources.
    pub takes: Type,
    /// Type of its result.
    pub gives: Type,
    /// The editions with this opcode.
    pub generation: Generation,
    /// Its code in the binary form of Mesa 7.10, if it has one.
    pub early_code: Option<u8>,
    /// Its code in the binary form of Mesa 17 and later, if it has one.
    pub late_code: Option<u8>,
    /// Its effect.
    pub meaning: &'static str,
}

macro_rules! code {
    (_) => {
        None
    };
    ($code:literal) => {
        Some($code)
    };
}

macro_rules! opcodes {
    ($($variant:ident $name:literal $dsts:literal $srcs:literal $class:ident $takes:ident $gives:ident
        $generation:ident $early:tt $late:tt $meaning:literal;)*) => {
        /// An opcode.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`: ", $meaning)] $variant,)*
        }

        /// All opcodes, in the order of [`Opcode`].
        pub static OPCODES: &[OpcodeInfo] = &[$(OpcodeInfo {
            opcode: Opcode::$variant,
            name: $name,
            dsts: $dsts,
            srcs: $srcs,
            class: Class::$class,
            takes: Type::$takes,
            gives: Type::$gives,
            generation: Generation::$generation,
            early_code: code!($early),
            late_code: code!($late),
            meaning: $meaning,
        },)*];
    };
}

opcodes! {
    Arl "ARL" 1 1 Address Float Signed Both 0 0 "d = floor(a) as an integer";
    Mov "MOV" 1 1 Component Bits Bits Both 1 1 "d = a";
    Lit "LIT" 1 1 Vector Float Float Both 2 2 "d = (1, max(a.x, 0), a.x > 0 ? max(a.y, 0)^clamp(a.w, -128, 128) : 0, 1)";
    Rcp "RCP" 1 1 Scalar Float Float Both 3 3 "d = 1 / a.x";
    Rsq "RSQ" 1 1 Scalar Float Float Both 4 4 "d = 1 / sqrt(|a.x|)";
    Exp "EXP" 1 1 Vector Float Float Both 5 5 "d = (2^floor(a.x), a.x - floor(a.x), 2^a.x, 1)";
    Log "LOG" 1 1 Vector Float Float Both 6 6 "d = (floor(log2 |a.x|), |a.x| / 2^floor(log2 |a.x|), log2 |a.x|, 1)";
    Mul "MUL" 1 2 Component Float Float Both 7 7 "d = a × b";
    Add "ADD" 1 2 Component Float Float Both 8 8 "d = a + b";
    Dp3 "DP3" 1 2 Vector Float Float Both 9 9 "d = a.x × b.x + a.y × b.y + a.z × b.z";
    Dp4 "DP4" 1 2 Vector Float Float Both 10 10 "d = a.x × b.x + a.y × b.y + a.z × b.z + a.w × b.w";
    Dst "DST" 1 2 Vector Float Float Both 11 11 "d = (1, a.y × b.y, a.z, b.w)";
    Min "MIN" 1 2 Component Float Float Both 12 12 "d = the smaller of a and b; of a number and a NaN the number";
    Max "MAX" 1 2 Component Float Float Both 13 13 "d = the greater of a and b; of a number and a NaN the number";
    Slt "SLT" 1 2 Component Float Float Both 14 14 "d = a < b ? 1 : 0";
    Sge "SGE" 1 2 Component Float Float Both 15 15 "d = a >= b ? 1 : 0";
    Mad "MAD" 1 3 Component Float Float Both 16 16 "d = a × b + c, fused or not";
    Sub "SUB" 1 2 Component Float Float First 17 _ "d = a - b";
    TexLz "TEX_LZ" 1 2 Texture Float Float Later _ 17 "texture lookup at level of detail 0";
    Lrp "LRP" 1 3 Component Float Float Both 18 18 "d = a × b + (1 - a) × c";
    Cnd "CND" 1 3 Component Float Float First 19 _ "d = c > 0.5 ? a : b";
    Fma "FMA" 1 3 Component Float Float Later _ 19 "d = a × b + c, fused";
    Dp2a "DP2A" 1 3 Vector Float Float First 21 _ "d = a.x × b.x + a.y × b.y + c.x";
    Sqrt "SQRT" 1 1 Scalar Float Float Later _ 20 "d = sqrt(a.x)";
    Ldexp "LDEXP" 1 2 Component Float Float Later _ 21 "d = a × 2^b, b an integer";
    F2u64 "F2U64" 1 1 Widen Float Unsigned64 Later _ 22 "d = a as a 64-bit unsigned integer";
    F2i64 "F2I64" 1 1 Widen Float Signed64 Later _ 23 "d = a as a 64-bit signed integer";
    Frc "FRC" 1 1 Component Float Float Both 24 24 "d = a - floor(a)";
    Clamp "CLAMP" 1 3 Component Float Float First 25 _ "d = a < b ? b : a > c ? c : a";
    TxfLz "TXF_LZ" 1 2 Texture Signed Float Later _ 25 "one texel of level 0";
    Flr "FLR" 1 1 Component Float Float Both 26 26 "d = floor(a)";
    Round "ROUND" 1 1 Component Float Float Both 27 27 "d = a rounded to the nearest integer, halves to even";
    Ex2 "EX2" 1 1 Scalar Float Float Both 28 28 "d = 2^a.x";
    Lg2 "LG2" 1 1 Scalar Float Float Both 29 29 "d = log2 a.x";
    Pow "POW" 1 2 Scalar Float Float Both 30 30 "d = a.x^b.x";
    Xpd "XPD" 1 2 Vector Float Float First 31 _ "d = (a × b as a cross product, 1)";
    Demote "DEMOTE" 0 0 Discard Bits Bits Later _ 31 "the fragment becomes a helper";
    Abs "ABS" 1 1 Component Float Float First 33 _ "d = |a|";
    Rcc "RCC" 1 1 Scalar Float Float First 34 _ "d = 1 / a.x, its magnitude clamped to 5.42101e-20 … 1.884467e+19";
    Dph "DPH" 1 2 Vector Float Float First 35 _ "d = a.x × b.x + a.y × b.y + a.z × b.z + b.w";
    U2i64 "U2I64" 1 1 Widen Unsigned Unsigned64 Later _ 32 "d = a, extended with zeros";
    Clock "CLOCK" 1 0 Vector Bits Unsigned64 Later _ 33 "d.xy = the time as a 64-bit integer";
    I2i64 "I2I64" 1 1 Widen Signed Signed64 Later _ 34 "d = a, extended with its sign";
    ReadHelper "READ_HELPER" 1 0 Component Bits Unsigned Later _ 35 "d = is this a helper ? ~0 : 0";
    Cos "COS" 1 1 Scalar Float Float Both 36 36 "d = cos a.x";
    Ddx "DDX" 1 1 Derivative Float Float Both 37 37 "d = the change of a from one column to the next";
    Ddy "DDY" 1 1 Derivative Float Float Both 38 38 "d = the change of a from one row to the next";
    Kilp "KILP" 0 0 Discard Bits Bits First 39 _ "discard";
    Kill "KILL" 0 0 Discard Bits Bits Later _ 39 "discard";
    Pk2h "PK2H" 1 1 Scalar Float Unsigned Both 40 40 "d = half(a.x) | half(a.y) << 16";
    Pk2us "PK2US" 1 1 Scalar Float Unsigned First 41 41 "d = unorm16(a.x) | unorm16(a.y) << 16";
    Pk4b "PK4B" 1 1 Scalar Float Unsigned First 42 42 "d = bytes round(127 × clamp(a, -128/127, 127/127) + 128)";
    Pk4ub "PK4UB" 1 1 Scalar Float Unsigned First 43 43 "d = bytes unorm8(a)";
    D2u64 "D2U64" 1 1 Pair Double Unsigned64 Later _ 44 "d = a as a 64-bit unsigned integer";
    Rfl "RFL" 1 2 Vector Float Float First 44 _ "d = (2 × (a · b) / (a · a) × a - b, 1)";
    Seq "SEQ" 1 2 Component Float Float Both 45 45 "d = a == b ? 1 : 0";
    Sfl "SFL" 1 2 Component Float Float First 46 _ "d = 0";
    D2i64 "D2I64" 1 1 Pair Double Signed64 Later _ 46 "d = a as a 64-bit signed integer";
    Sgt "SGT" 1 2 Component Float Float Both 47 47 "d = a > b ? 1 : 0";
    Sin "SIN" 1 1 Scalar Float Float Both 48 48 "d = sin a.x";
    Sle "SLE" 1 2 Component Float Float Both 49 49 "d = a <= b ? 1 : 0";
    Sne "SNE" 1 2 Component Float Float Both 50 50 "d = a != b ? 1 : 0";
    Str "STR" 1 2 Component Float Float First 51 _ "d = 1";
    U642d "U642D" 1 1 Pair Unsigned64 Double Later _ 51 "d = a as a double";
    Tex "TEX" 1 2 Texture Float Float Both 52 52 "texture lookup";
    Txd "TXD" 1 4 Texture Float Float Both 53 53 "texture lookup with derivatives b and c";
    Txp "TXP" 1 2 Texture Float Float Both 54 54 "texture lookup at a.xyz / a.w";
    Up2h "UP2H" 1 1 Vector Unsigned Float Both 55 55 "d = (half(a.x & 0xffff), half(a.x >> 16)) twice";
    Up2us "UP2US" 1 1 Vector Unsigned Float Both 56 56 "d = ((a.x & 0xffff) / 65535, (a.x >> 16) / 65535) twice";
    Up4b "UP4B" 1 1 Vector Unsigned Float Both 57 57 "d = (byte of a.x - 128) / 127";
    Up4ub "UP4UB" 1 1 Vector Unsigned Float Both 58 58 "d = byte of a.x / 255";
    X2d "X2D" 1 3 Vector Float Float First 59 _ "d = (a.x + b.x × c.x + b.y × c.y, a.y + b.x × c.z + b.y × c.w) twice";
    U642f "U642F" 1 1 Narrow Unsigned64 Float Later _ 59 "d = a as a float";
    Ara "ARA" 1 1 Address Signed Signed First 60 _ "d = (a.x + a.z, a.y + a.w) twice";
    I642f "I642F" 1 1 Narrow Signed64 Float Later _ 60 "d = a as a float";
    Arr "ARR" 1 1 Address Float Signed Both 61 61 "d = a rounded to the nearest integer, as an integer";
    Bra "BRA" 0 0 Flow Bits Bits First 62 _ "control passes to the label";
    I642d "I642D" 1 1 Pair Signed64 Double Later _ 62 "d = a as a double";
    Cal "CAL" 0 0 Flow Bits Bits Both 63 63 "call of the subroutine at the label";
    Ret "RET" 0 0 Flow Bits Bits Both 64 64 "return; in the main program, its end";
    Ssg "SSG" 1 1 Component Float Float Both 65 65 "d = a > 0 ? 1 : a < 0 ? -1 : 0";
    Cmp "CMP" 1 3 Component Float Float Both 66 66 "d = a < 0 ? b : c";
    Scs "SCS" 1 1 Vector Float Float First 67 _ "d = (cos a.x, sin a.x, 0, 1)";
    Txb "TXB" 1 2 Texture Float Float Both 68 68 "texture lookup with bias a.w";
    Nrm "NRM" 1 1 Vector Float Float First 69 _ "d = (a.xyz / |a.xyz|, 1)";
    Fbfetch "FBFETCH" 1 1 Framebuffer Float Float Later _ 69 "d = the colour that the target a has";
    Div "DIV" 1 2 Component Float Float Both 70 70 "d = a / b";
    Dp2 "DP2" 1 2 Vector Float Float Both 71 71 "d = a.x × b.x + a.y × b.y";
    Txl "TXL" 1 2 Texture Float Float Both 72 72 "texture lookup at level of detail a.w";
    Brk "BRK" 0 0 Flow Bits Bits Both 73 73 "leaves the innermost loop or switch";
    If "IF" 0 1 Flow Float Bits Both 74 74 "if a.x != 0.0";
    Uif "UIF" 0 1 Flow Unsigned Bits Later _ 75 "if a.x != 0 as bits";
    ReadInvoc "READ_INVOC" 1 2 Lanes Bits Bits Later _ 76 "d = a of invocation b.x of the subgroup";
    Else "ELSE" 0 0 Flow Bits Bits Both 77 77 "otherwise";
    Endif "ENDIF" 0 0 Flow Bits Bits Both 78 78 "end of an if";
    DdxFine "DDX_FINE" 1 1 Derivative Float Float Later _ 79 "like DDX, one for each row";
    DdyFine "DDY_FINE" 1 1 Derivative Float Float Later _ 80 "like DDY, one for each column";
    Pusha "PUSHA" 0 1 Address Signed Signed First 81 81 "pushes a.x, a.y, a.z, a.w";
    Popa "POPA" 1 0 Address Signed Signed First 82 82 "pops d.w, d.z, d.y, d.x";
    Ceil "CEIL" 1 1 Component Float Float Both 83 83 "d = the least integer not below a";
    I2f "I2F" 1 1 Component Signed Float Both 84 84 "d = a as a float";
    Not "NOT" 1 1 Component Unsigned Unsigned Both 85 85 "d = ~a";
    Trunc "TRUNC" 1 1 Component Float Float Both 86 86 "d = a without its fraction";
    Shl "SHL" 1 2 Component Unsigned Unsigned Both 87 87 "d = a << (b & 31)";
    Shr "SHR" 1 2 Component Signed Signed First 88 _ "d = a >> (b & 31), with the sign";
    Ballot "BALLOT" 1 1 Lanes Unsigned Unsigned64 Later _ 88 "d.xy = the invocations where a.x is not 0";
    And "AND" 1 2 Component Unsigned Unsigned Both 89 89 "d = a & b";
    Or "OR" 1 2 Component Unsigned Unsigned Both 90 90 "d = a | b";
    Mod "MOD" 1 2 Component Signed Signed Both 91 91 "d = a mod b with the sign of a; ~0 if b is 0";
    Xor "XOR" 1 2 Component Unsigned Unsigned Both 92 92 "d = a ^ b";
    Sad "SAD" 1 3 Component Unsigned Unsigned First 93 93 "d = |a - b| + c";
    Txf "TXF" 1 2 Texture Signed Float Both 94 94 "one texel; a.w is the level or the sample";
    Txq "TXQ" 1 2 Texture Signed Signed Both 95 95 "d = size of level a.x, and the number of levels in w";
    Cont "CONT" 0 0 Flow Bits Bits Both 96 96 "the next iteration of the innermost loop";
    Emit "EMIT" 0 1 Geometry Signed Bits Both 97 97 "a vertex of the stream a.x";
    Endprim "ENDPRIM" 0 1 Geometry Signed Bits Both 98 98 "the end of a primitive of the stream a.x";
    Bgnloop "BGNLOOP" 0 0 Flow Bits Bits Both 99 99 "begin of a loop";
    Bgnsub "BGNSUB" 0 0 Flow Bits Bits Both 100 100 "begin of a subroutine";
    Endloop "ENDLOOP" 0 0 Flow Bits Bits Both 101 101 "end of a loop";
    Endsub "ENDSUB" 0 0 Flow Bits Bits Both 102 102 "end of a subroutine";
    Atomfadd "ATOMFADD" 1 3 Atomic Float Float Later _ 103 "d.x = [a at b]; [a at b] = d.x + c.x as floats";
    Txqs "TXQS" 1 1 Texture Signed Signed Later _ 104 "d.x = number of samples";
    Resq "RESQ" 1 1 Query Signed Signed Later _ 105 "d = size of the resource";
    ReadFirst "READ_FIRST" 1 1 Lanes Bits Bits Later _ 106 "d = a of the first active invocation";
    Nop "NOP" 0 0 Nothing Bits Bits Both 107 107 "nothing";
    Fseq "FSEQ" 1 2 Component Float Unsigned Later _ 108 "d = a == b ? ~0 : 0";
    Fsge "FSGE" 1 2 Component Float Unsigned Later _ 109 "d = a >= b ? ~0 : 0";
    Fslt "FSLT" 1 2 Component Float Unsigned Later _ 110 "d = a < b ? ~0 : 0";
    Fsne "FSNE" 1 2 Component Float Unsigned Later _ 111 "d = a != b ? ~0 : 0";
    Nrm4 "NRM4" 1 1 Vector Float Float First 112 _ "d = a / |a|";
    Membar "MEMBAR" 0 1 Barrier Unsigned Bits Later _ 112 "orders memory accesses: bit 0 buffers, 1 counters, 2 images, 3 shared, 4 only the workgroup";
    Callnz "CALLNZ" 0 1 Flow Float Bits First 113 113 "call of the subroutine at the label if a.x != 0.0";
    Ifc "IFC" 0 1 Flow Float Bits First 114 114 "if a.x != 0.0";
    Breakc "BREAKC" 0 1 Flow Float Bits First 115 115 "leaves the innermost loop or switch if a.x != 0.0";
    Kil "KIL" 0 1 Discard Float Bits First 116 _ "discard if a component of a is below 0";
    KillIf "KILL_IF" 0 1 Discard Float Bits Later _ 116 "discard if a component of a is below 0";
    End "END" 0 0 Flow Bits Bits Both 117 117 "end of the main program";
    Dfma "DFMA" 1 3 Pair Double Double Later _ 118 "d = a × b + c, fused";
    F2i "F2I" 1 1 Component Float Signed Later 119 119 "d = a truncated, as a signed integer";
    Idiv "IDIV" 1 2 Component Signed Signed Later 120 120 "d = a / b truncated; 0 if b is 0";
    Imax "IMAX" 1 2 Component Signed Signed Later 121 121 "d = the greater of a and b";
    Imin "IMIN" 1 2 Component Signed Signed Later 122 122 "d = the smaller of a and b";
    Ineg "INEG" 1 1 Component Signed Signed Later 123 123 "d = -a";
    Isge "ISGE" 1 2 Component Signed Unsigned Later 124 124 "d = a >= b ? ~0 : 0";
    Ishr "ISHR" 1 2 Component Signed Signed Later 125 125 "d = a >> (b & 31), with the sign";
    Islt "ISLT" 1 2 Component Signed Unsigned Later 126 126 "d = a < b ? ~0 : 0";
    F2u "F2U" 1 1 Component Float Unsigned Later 127 127 "d = a truncated, as an unsigned integer";
    U2f "U2F" 1 1 Component Unsigned Float Later 128 128 "d = a as a float";
    Uadd "UADD" 1 2 Component Unsigned Unsigned Later 129 129 "d = a + b";
    Udiv "UDIV" 1 2 Component Unsigned Unsigned Later 130 130 "d = a / b; ~0 if b is 0";
    Umad "UMAD" 1 3 Component Unsigned Unsigned Later 131 131 "d = a × b + c";
    Umax "UMAX" 1 2 Component Unsigned Unsigned Later 132 132 "d = the greater of a and b";
    Umin "UMIN" 1 2 Component Unsigned Unsigned Later 133 133 "d = the smaller of a and b";
    Umod "UMOD" 1 2 Component Unsigned Unsigned Later 134 134 "d = a mod b; ~0 if b is 0";
    Umul "UMUL" 1 2 Component Unsigned Unsigned Later 135 135 "d = a × b";
    Useq "USEQ" 1 2 Component Unsigned Unsigned Later 136 136 "d = a == b ? ~0 : 0";
    Usge "USGE" 1 2 Component Unsigned Unsigned Later 137 137 "d = a >= b ? ~0 : 0";
    Ushr "USHR" 1 2 Component Unsigned Unsigned Later 138 138 "d = a >> (b & 31), with zeros";
    Uslt "USLT" 1 2 Component Unsigned Unsigned Later 139 139 "d = a < b ? ~0 : 0";
    Usne "USNE" 1 2 Component Unsigned Unsigned Later 140 140 "d = a != b ? ~0 : 0";
    Switch "SWITCH" 0 1 Flow Unsigned Bits Later 141 141 "begin of a switch over a.x";
    Case "CASE" 0 1 Flow Unsigned Bits Later 142 142 "where a switch over a.x goes";
    Default "DEFAULT" 0 0 Flow Bits Bits Later 143 143 "where a switch goes if no case is equal";
    Endswitch "ENDSWITCH" 0 0 Flow Bits Bits Later 144 144 "end of a switch";
    Sample "SAMPLE" 1 3 View Float Float Later _ 145 "lookup at a in the view b with the sampler c";
    SampleI "SAMPLE_I" 1 2 View Signed Float Later _ 146 "one texel at a.xyz, level a.w, of the view b";
    SampleIMs "SAMPLE_I_MS" 1 3 View Signed Float Later _ 147 "one texel at a.xyz of sample c.x of the view b";
    SampleB "SAMPLE_B" 1 4 View Float Float Later _ 148 "SAMPLE with bias e.x";
    SampleC "SAMPLE_C" 1 4 View Float Float Later _ 149 "SAMPLE that compares with e.x";
    SampleCLz "SAMPLE_C_LZ" 1 4 View Float Float Later _ 150 "SAMPLE_C at level of detail 0";
    SampleD "SAMPLE_D" 1 5 View Float Float Later _ 151 "SAMPLE with derivatives e and f";
    SampleL "SAMPLE_L" 1 4 View Float Float Later _ 152 "SAMPLE at level of detail e.x";
    Gather4 "GATHER4" 1 3 View Float Float Later _ 153 "the four texels of a bilinear lookup";
    Sviewinfo "SVIEWINFO" 1 2 View Signed Signed Later _ 154 "d = size of level a.x of the view b, and the number of levels in w";
    SamplePos "SAMPLE_POS" 1 2 View Signed Float Later _ 155 "d.xy = where sample b.x is in a pixel";
    SampleInfo "SAMPLE_INFO" 1 2 View Signed Signed Later _ 156 "d = (number of samples, 0, 0, 0)";
    Uarl "UARL" 1 1 Address Unsigned Unsigned Later _ 157 "d = a";
    Ucmp "UCMP" 1 3 Component Bits Bits Later _ 158 "d = a ? b : c, a as bits";
    Iabs "IABS" 1 1 Component Signed Signed Later _ 159 "d = |a|";
    Issg "ISSG" 1 1 Component Signed Signed Later _ 160 "d = a > 0 ? 1 : a < 0 ? -1 : 0";
    Load "LOAD" 1 2 Load Unsigned Bits Later _ 161 "d = [a at b]";
    Store "STORE" 1 2 Store Unsigned Bits Later _ 162 "[d at a] = b";
    Mfence "MFENCE" 0 0 Barrier Bits Bits Later _ 163 "orders all memory accesses";
    Lfence "LFENCE" 0 0 Barrier Bits Bits Later _ 164 "orders loads";
    Sfence "SFENCE" 0 0 Barrier Bits Bits Later _ 165 "orders stores";
    Img2hnd "IMG2HND" 1 1 Handle Unsigned Unsigned64 Later _ 163 "d.xy = handle of the image a";
    Samp2hnd "SAMP2HND" 1 1 Handle Unsigned Unsigned64 Later _ 164 "d.xy = handle of the sampler a";
    Barrier "BARRIER" 0 0 Barrier Bits Bits Later _ 166 "waits for the workgroup";
    Atomuadd "ATOMUADD" 1 3 Atomic Unsigned Unsigned Later _ 167 "d.x = [a at b]; [a at b] = d.x + c.x";
    Atomxchg "ATOMXCHG" 1 3 Atomic Unsigned Unsigned Later _ 168 "d.x = [a at b]; [a at b] = c.x";
    Atomcas "ATOMCAS" 1 4 Atomic Unsigned Unsigned Later _ 169 "d.x = [a at b]; if it is c.x, [a at b] = e.x";
    Atomand "ATOMAND" 1 3 Atomic Unsigned Unsigned Later _ 170 "d.x = [a at b]; [a at b] = d.x & c.x";
    Atomor "ATOMOR" 1 3 Atomic Unsigned Unsigned Later _ 171 "d.x = [a at b]; [a at b] = d.x | c.x";
    Atomxor "ATOMXOR" 1 3 Atomic Unsigned Unsigned Later _ 172 "d.x = [a at b]; [a at b] = d.x ^ c.x";
    Atomumin "ATOMUMIN" 1 3 Atomic Unsigned Unsigned Later _ 173 "d.x = [a at b]; [a at b] = the smaller of d.x and c.x";
    Atomumax "ATOMUMAX" 1 3 Atomic Unsigned Unsigned Later _ 174 "d.x = [a at b]; [a at b] = the greater of d.x and c.x";
    Atomimin "ATOMIMIN" 1 3 Atomic Signed Signed Later _ 175 "d.x = [a at b]; [a at b] = the smaller of d.x and c.x";
    Atomimax "ATOMIMAX" 1 3 Atomic Signed Signed Later _ 176 "d.x = [a at b]; [a at b] = the greater of d.x and c.x";
    Tex2 "TEX2" 1 3 Texture Float Float Later _ 177 "TEX with the reference value b.x";
    Txb2 "TXB2" 1 3 Texture Float Float Later _ 178 "TXB with bias b.x and reference value b.y";
    Txl2 "TXL2" 1 3 Texture Float Float Later _ 179 "TXL with level of detail b.x and reference value b.y";
    ImulHi "IMUL_HI" 1 2 Component Signed Signed Later _ 180 "d = the upper half of a × b";
    UmulHi "UMUL_HI" 1 2 Component Unsigned Unsigned Later _ 181 "d = the upper half of a × b";
    Tg4 "TG4" 1 3 Texture Float Float Later _ 182 "component b.x of the four texels of a bilinear lookup";
    Lodq "LODQ" 1 2 Texture Float Float Later _ 183 "d.xy = level of detail clamped, and not clamped";
    Ibfe "IBFE" 1 3 Component Signed Signed Later _ 184 "d = bits b … b + c - 1 of a, with the sign";
    Ubfe "UBFE" 1 3 Component Unsigned Unsigned Later _ 185 "d = bits b … b + c - 1 of a";
    Bfi "BFI" 1 4 Component Unsigned Unsigned Later _ 186 "d = a with bits c … c + e - 1 from b";
    Brev "BREV" 1 1 Component Unsigned Unsigned Later _ 187 "d = a with its bits reversed";
    Popc "POPC" 1 1 Component Unsigned Unsigned Later _ 188 "d = number of set bits of a";
    Lsb "LSB" 1 1 Component Unsigned Signed Later _ 189 "d = number of the lowest set bit of a, or -1";
    Imsb "IMSB" 1 1 Component Signed Signed Later _ 190 "d = number of the highest bit of a that is not like its sign, or -1";
    Umsb "UMSB" 1 1 Component Unsigned Signed Later _ 191 "d = number of the highest set bit of a, or -1";
    InterpCentroid "INTERP_CENTROID" 1 1 Interpolate Float Float Later _ 192 "d = the input a at the centroid";
    InterpSample "INTERP_SAMPLE" 1 2 Interpolate Float Float Later _ 193 "d = the input a at sample b.x";
    InterpOffset "INTERP_OFFSET" 1 2 Interpolate Float Float Later _ 194 "d = the input a at b.xy from the centre";
    F2d "F2D" 1 1 Widen Float Double Later _ 195 "d = a as a double";
    D2f "D2F" 1 1 Narrow Double Float Later _ 196 "d = a as a float";
    Dabs "DABS" 1 1 Pair Double Double Later _ 197 "d = |a|";
    Dneg "DNEG" 1 1 Pair Double Double Later _ 198 "d = -a";
    Dadd "DADD" 1 2 Pair Double Double Both _ 199 "d = a + b";
    Dmul "DMUL" 1 2 Pair Double Double Both _ 200 "d = a × b";
    Dmax "DMAX" 1 2 Pair Double Double Both _ 201 "d = the greater of a and b; of a number and a NaN the number";
    Dmin "DMIN" 1 2 Pair Double Double Both _ 202 "d = the smaller of a and b; of a number and a NaN the number";
    Dslt "DSLT" 1 2 PairFlag Double Unsigned Both _ 203 "d = a < b ? ~0 : 0";
    Dsge "DSGE" 1 2 PairFlag Double Unsigned Later _ 204 "d = a >= b ? ~0 : 0";
    Dseq "DSEQ" 1 2 PairFlag Double Unsigned Both _ 205 "d = a == b ? ~0 : 0";
    Dsne "DSNE" 1 2 PairFlag Double Unsigned Later _ 206 "d = a != b ? ~0 : 0";
    Drcp "DRCP" 1 1 Pair Double Double Both _ 207 "d = 1 / a";
    Dsqrt "DSQRT" 1 1 Pair Double Double Both _ 208 "d = sqrt a";
    Dmad "DMAD" 1 3 Pair Double Double Both _ 209 "d = a × b + c";
    Dfrac "DFRAC" 1 1 Pair Double Double Both _ 210 "d = a - floor(a)";
    Dldexp "DLDEXP" 1 2 PairCount Double Double Both _ 211 "d = a × 2^b, b an integer: b.x for xy, b.z for zw";
    Dfracexp "DFRACEXP" 2 1 Split Double Double Both _ 212 "d = significand of a.xy in 0.5 … 1; the second destination is its exponent as an integer";
    D2i "D2I" 1 1 Narrow Double Signed Later _ 213 "d = a truncated, as a signed integer";
    I2d "I2D" 1 1 Widen Signed Double Later _ 214 "d = a as a double";
    D2u "D2U" 1 1 Narrow Double Unsigned Later _ 215 "d = a truncated, as an unsigned integer";
    U2d "U2D" 1 1 Widen Unsigned Double Later _ 216 "d = a as a double";
    Drsq "DRSQ" 1 1 Pair Double Double Later _ 217 "d = 1 / sqrt a";
    Dtrunc "DTRUNC" 1 1 Pair Double Double Later _ 218 "d = a without its fraction";
    Dceil "DCEIL" 1 1 Pair Double Double Later _ 219 "d = the least integer not below a";
    Dflr "DFLR" 1 1 Pair Double Double Later _ 220 "d = floor(a)";
    Dround "DROUND" 1 1 Pair Double Double Later _ 221 "d = a rounded to the nearest integer, halves to even";
    Dssg "DSSG" 1 1 Pair Double Double Later _ 222 "d = a > 0 ? 1 : a < 0 ? -1 : 0";
    VoteAny "VOTE_ANY" 1 1 Lanes Unsigned Unsigned Later _ 223 "d = is a.x set in an active invocation ? ~0 : 0";
    VoteAll "VOTE_ALL" 1 1 Lanes Unsigned Unsigned Later _ 224 "d = is a.x set in all active invocations ? ~0 : 0";
    VoteEq "VOTE_EQ" 1 1 Lanes Unsigned Unsigned Later _ 225 "d = is a.x the same in all active invocations ? ~0 : 0";
    U64seq "U64SEQ" 1 2 PairFlag Unsigned64 Unsigned Later _ 226 "d = a == b ? ~0 : 0";
    U64sne "U64SNE" 1 2 PairFlag Unsigned64 Unsigned Later _ 227 "d = a != b ? ~0 : 0";
    I64slt "I64SLT" 1 2 PairFlag Signed64 Unsigned Later _ 228 "d = a < b ? ~0 : 0";
    U64slt "U64SLT" 1 2 PairFlag Unsigned64 Unsigned Later _ 229 "d = a < b ? ~0 : 0";
    I64sge "I64SGE" 1 2 PairFlag Signed64 Unsigned Later _ 230 "d = a >= b ? ~0 : 0";
    U64sge "U64SGE" 1 2 PairFlag Unsigned64 Unsigned Later _ 231 "d = a >= b ? ~0 : 0";
    I64min "I64MIN" 1 2 Pair Signed64 Signed64 Later _ 232 "d = the smaller of a and b";
    U64min "U64MIN" 1 2 Pair Unsigned64 Unsigned64 Later _ 233 "d = the smaller of a and b";
    I64max "I64MAX" 1 2 Pair Signed64 Signed64 Later _ 234 "d = the greater of a and b";
    U64max "U64MAX" 1 2 Pair Unsigned64 Unsigned64 Later _ 235 "d = the greater of a and b";
    I64abs "I64ABS" 1 1 Pair Signed64 Signed64 Later _ 236 "d = |a|";
    I64ssg "I64SSG" 1 1 Pair Signed64 Signed64 Later _ 237 "d = a > 0 ? 1 : a < 0 ? -1 : 0";
    I64neg "I64NEG" 1 1 Pair Signed64 Signed64 Later _ 238 "d = -a";
    U64add "U64ADD" 1 2 Pair Unsigned64 Unsigned64 Later _ 239 "d = a + b";
    U64mul "U64MUL" 1 2 Pair Unsigned64 Unsigned64 Later _ 240 "d = a × b";
    U64shl "U64SHL" 1 2 PairCount Unsigned64 Unsigned64 Later _ 241 "d = a << (b & 63): b.x for xy, b.y for zw";
    I64shr "I64SHR" 1 2 PairCount Signed64 Signed64 Later _ 242 "d = a >> (b & 63), with the sign";
    U64shr "U64SHR" 1 2 PairCount Unsigned64 Unsigned64 Later _ 243 "d = a >> (b & 63), with zeros";
    I64div "I64DIV" 1 2 Pair Signed64 Signed64 Later _ 244 "d = a / b truncated; 0 if b is 0";
    U64div "U64DIV" 1 2 Pair Unsigned64 Unsigned64 Later _ 245 "d = a / b; ~0 if b is 0";
    I64mod "I64MOD" 1 2 Pair Signed64 Signed64 Later _ 246 "d = a mod b with the sign of a; ~0 if b is 0";
    U64mod "U64MOD" 1 2 Pair Unsigned64 Unsigned64 Later _ 247 "d = a mod b; ~0 if b is 0";
    Ddiv "DDIV" 1 2 Pair Double Double Both _ 248 "d = a / b";
    Lod "LOD" 1 3 View Float Float Later _ 249 "d = (level of detail clamped, not clamped, 0, 0)";
    AtomincWrap "ATOMINC_WRAP" 1 3 Atomic Unsigned Unsigned Later _ 250 "d.x = [a at b]; [a at b] = d.x + 1 <= c.x ? d.x + 1 : 0";
    AtomdecWrap "ATOMDEC_WRAP" 1 3 Atomic Unsigned Unsigned Later _ 251 "d.x = [a at b]; [a at b] = d.x > 0 and d.x <= c.x ? d.x - 1 : c.x";
}

impl Opcode {
    /// The opcode's row.
    pub fn info(self) -> &'static OpcodeInfo {
        &OPCODES[self as usize]
    }

    /// The opcode's name in text.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Looks up a name in any case.
    pub fn from_name(name: &str) -> Option<Opcode> {
        OPCODES.iter().find(|row| row.name.eq_ignore_ascii_case(name)).map(|row| row.opcode)
    }

    /// Whether the instruction names a texture target as its last operand.
    pub fn has_target(self) -> bool {
        self.info().class == Class::Texture || self == Opcode::Samp2hnd
    }

    /// Whether memory qualifiers, a target and a format may follow the operands.
    pub fn has_memory(self) -> bool {
        matches!(self.info().class, Class::Load | Class::Store | Class::Atomic | Class::Query | Class::Handle)
    }

    /// Whether a label may follow the operands.
    pub fn has_label(self) -> bool {
        use Opcode::{Bgnloop, Bra, Cal, Callnz, Else, Endloop, If, Ifc, Uif};
        matches!(self, If | Uif | Ifc | Else | Bgnloop | Endloop | Cal | Callnz | Bra)
    }

    /// Whether a float result may be clamped by `_SAT`.
    pub fn can_saturate(self) -> bool {
        let info = self.info();
        info.dsts > 0 && matches!(info.gives, Type::Float | Type::Bits)
    }

    /// Whether the instruction ends a block, for indentation.
    pub fn closes(self) -> bool {
        use Opcode::{Else, Endif, Endloop, Endsub, Endswitch};
        matches!(self, Else | Endif | Endloop | Endsub | Endswitch)
    }

    /// Whether the instruction begins a block, for indentation.
    pub fn opens(self) -> bool {
        use Opcode::{Bgnloop, Bgnsub, Else, If, Ifc, Switch, Uif};
        matches!(self, If | Uif | Ifc | Else | Bgnloop | Bgnsub | Switch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_names_are_unique() {
        for (index, row) in OPCODES.iter().enumerate() {
            assert_eq!(row.opcode as usize, index, "{}", row.name);
            assert_eq!(Opcode::from_name(&row.name.to_lowercase()), Some(row.opcode));
        }
    }

    #[test]
    fn codes_are_unique_in_each_edition() {
        for codes in [|row: &OpcodeInfo| row.early_code, |row: &OpcodeInfo| row.late_code] {
            let mut seen = std::collections::HashMap::new();
            for row in OPCODES.iter().filter(|row| !is_fence(row.opcode)) {
                if let Some(code) = codes(row) {
                    assert_eq!(seen.insert(code, row.name), None, "{}", row.name);
                }
            }
        }
    }

    /// Whether the opcode is a fence; the fences' codes were later given to handles.
    fn is_fence(opcode: Opcode) -> bool {
        matches!(opcode, Opcode::Mfence | Opcode::Lfence | Opcode::Sfence)
    }
}
