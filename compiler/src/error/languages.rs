//! WGSL, GLSL, AGAL, PICA200 and TGSI. Errors of external readers are passed on in their own words.

use super::row::{Example, errors};

/// Placeholders for the error types of languages that this build lacks.
#[cfg(not(all(feature = "agal", feature = "pica200", feature = "tgsi")))]
mod absent {
    /// An error that cannot occur.
    #[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
    pub(crate) enum Never {}

    pub(crate) use Never as ReadError;
    pub(crate) use Never as Violation;
    pub(crate) use Never as ContainerError;
    pub(crate) use Never as Fault;
}

#[cfg(not(feature = "agal"))]
use absent as agx_agal;
#[cfg(not(feature = "pica200"))]
use absent as agx_pica200;
#[cfg(not(feature = "tgsi"))]
use absent as agx_tgsi;

errors! {
    /// Errors in WGSL or GLSL.
    #[cfg_attr(not(all(feature = "wgsl", feature = "glsl")), allow(dead_code, reason = "languages are features"))]
    enum NagaError {
        /// The WGSL is invalid. The message is naga's and names the location; errors of common kinds have codes of their own.
        2200 Invalid Wgsl { what: String }
        = "{what}",
        Example::text("wgsl", "fn f() {}\nfn main() -> i32 { return f(); }\n");

        /// The module breaks a rule of its language. The message is that of naga's validator.
        2201 Invalid Rule { what: String }
        = "{what}",
        Example::text("wgsl", "var<workgroup> a: array<f32>;\n@compute @workgroup_size(1) fn main() { a[0] = 1.0; }\n");

        /// An override has an invalid value. Its type and use restrict it.
        2202 Invalid Override { what: String }
        = "{what}",
        Example::Words("An override of a workgroup size with the value 0.");

        /// The module cannot be expressed in SPIR-V. The message is that of naga's SPIR-V writer.
        2203 Unsupported Inexpressible { what: String }
        = "{what}",
        Example::text("wgsl", "@group(0) @binding(0) var t: texture_external;\n@fragment fn main() { _ = textureDimensions(t); }\n");

        /// The text does not parse. The message names the token and what was expected.
        2204 Invalid Syntax { expected: String, found: String }
        = "expected {expected}, found {found}",
        Example::text("wgsl", "fn main( {}\n");

        /// A name is not declared. Declare it before its use.
        2205 Invalid Undeclared { what: &'static str, name: String }
        = "{what} `{name}`",
        Example::text("wgsl", "fn main() { let x = y; }\n");

        /// A name is declared twice. Rename one of the declarations.
        2206 Invalid Redeclared { name: String }
        = "`{name}` is already declared",
        Example::text("wgsl", "const x = 1;\nconst x = 2;\n");

        /// The GLSL breaks a rule of the language. The message names the rule.
        2207 Invalid Semantics { what: String }
        = "{what}",
        Example::Words("GLSL that assigns a vec3 to an int.");

        /// The preprocessor rejects the text. The message names the directive.
        2208 Invalid Preprocessor { what: String }
        = "preprocessor: {what}",
        Example::Words("GLSL with `#if 1` and no `#endif`.");

        /// A feature of GLSL is not supported by the built-in reader. Install glslangValidator, which supports it.
        2209 Unsupported Glsl { what: String }
        = "{what} is not supported",
        Example::Words("GLSL of version 330, read without glslangValidator.");

        /// Macros expand too deeply. The limit bounds the preprocessor.
        2210 Limit Macros
        = "macros expand too deeply",
        Example::Words("GLSL with a macro that expands to itself many times.");

        /// The text nests too deeply. Operators in a chain, brackets, selectors, `else if` and statements without
        /// braces count. The limit bounds the stack of the reader; split the expression or the statement.
        2211 Limit Nesting { depth: usize, most: usize }
        = "expressions and statements nest {depth} levels deep; the limit is {most}",
        Example::Words("A sum of 100,000 terms in one expression.");

        /// The text has too many tokens or declarations. The limit bounds time and memory on hostile input.
        2212 Limit TextSize { what: &'static str, most: usize }
        = "more than {most} {what}",
        Example::Words("WGSL with a million constants, or GLSL with macros that expand to millions of tokens.");

        /// A name or a list is too long. SPIR-V, to which the text is translated, limits the length of an instruction.
        2213 Limit Long { what: &'static str, most: usize }
        = "{what}; the limit is {most}",
        Example::Words("WGSL with a name of 100,000 letters, or a constructor with 70,000 arguments.");

        /// A function with a pointer to workgroup, storage or uniform memory as parameter is called with too many different
        /// variables or members. It gets a version for each, and the limit bounds their number. Pass a pointer to an element of
        /// an array and its index, or access the variable by its name in the function.
        2214 Limit Pointers { name: String, most: usize }
        = "more than {most} different variables or members are passed for the pointer `{name}`; pass a pointer to an array's element instead",
        Example::Words("WGSL with 65 variables in workgroup memory, of which each is passed to the same function.");

        /// The reader of the language fails on the text. The message is that of the reader; the text may be valid. Write
        /// the construct in another way, or translate the text to SPIR-V with another compiler.
        2215 Unsupported Reader { what: String }
        = "the reader of this language fails: {what}",
        Example::Words("WGSL with a construct for which naga has no translation.");

        /// A word cannot be used here. The message names the rule, such as a reserved word or a misplaced `break if`.
        2218 Invalid WgslWord { what: String }
        = "{what}",
        Example::text("wgsl", "fn main() { let enum = 1; }\n");

        /// Declarations use each other in a cycle. Functions are not recursive, and a constant does not use itself.
        2219 Invalid Cycle { what: String }
        = "{what}",
        Example::text("wgsl", "fn main() { main(); }\n");

        /// A predeclared word is unknown. The message names it: an address space, an access mode, a format of textures.
        2220 Invalid UnknownWord { what: String }
        = "{what}",
        Example::text("wgsl", "var<stack> x: i32;\n");

        /// An attribute is unknown, missing, repeated or has an invalid value. The message names it.
        2221 Invalid Attribute { what: String }
        = "{what}",
        Example::text("wgsl", "@compute fn main() {}\n");

        /// The types of operands do not fit, or a type does not allow this use of a value. The message names the types or the rule.
        2222 Invalid Types { what: String }
        = "{what}",
        Example::text("wgsl", "fn main() { let x: i32 = 1.5; }\n");

        /// The arguments of a call do not fit the function. The message names the function or the number of arguments.
        2223 Invalid Arguments { what: String }
        = "{what}",
        Example::text("wgsl", "fn main() { let x = sin(1.0, 2.0); }\n");

        /// A constant expression has no valid value, or an expression should be constant. The message names the rule.
        2224 Invalid Constant { what: String }
        = "{what}",
        Example::text("wgsl", "const x = 1 / 0;\n");

        /// A built-in function is not supported in constant expressions. Use `let` in a function, or write the value.
        2225 Unsupported ConstantBuiltIn { what: String }
        = "{what} in a constant expression is not supported; use `let` in a function, or write the value",
        Example::text("wgsl", "const x = mix(1.0, 2.0, 0.5);\n");

        /// An extension of the language is unknown or not supported. The message names it.
        2226 Unsupported Extension { name: String }
        = "the extension `{name}` is not supported",
        Example::text("wgsl", "enable chromium_experimental;\n");

        /// An extension is used without a directive that enables it. Add the directive to the start of the text.
        2227 Invalid NotEnabled { name: String }
        = "the extension `{name}` is not enabled; add `enable {name};`",
        Example::text("wgsl", "const x = 1h;\n");

        /// The text exceeds a limit of the language or of its reader. The message names it.
        2228 Limit ReaderLimit { what: String }
        = "{what}",
        Example::Words("WGSL with blocks that nest 200 levels deep.");

        /// Brackets or statements nest too deeply for the reader. The message gives the place of the innermost brackets.
        2229 Limit ParserDepth
        = "brackets and statements nest too deeply; the limit of the reader is 199 levels",
        Example::Words("WGSL with an expression in 200 pairs of brackets.");
    }
}

errors! {
    /// Errors in an AGAL program.
    #[cfg_attr(not(feature = "agal"), allow(dead_code, reason = "languages are features"))]
    enum AgalError {
        /// The bytes are not an AGAL program. The message names the byte or token, and Adobe's error number.
        2300 Invalid Read { error: agx_agal::ReadError }
        = "{error}",
        Example::Words("Bytecode of AGAL whose header states version 9.");

        /// The program uses a part of AGAL that is not supported. The message names it.
        2301 Unsupported ReadUnsupported { error: agx_agal::ReadError }
        = "{error}",
        Example::Words("Bytecode with an opcode of an unpublished version.");

        /// The assembly does not parse. The message names the location.
        2302 Invalid Assembly { what: String }
        = "{what}",
        Example::text("agal", ".agal 1 vertex\nfrob op, va0\n");

        /// The program breaks a rule of AGAL. The message names the operand, and Adobe's error number. The location is the
        /// line of a text; for byte code the message names the token.
        2303 Invalid Rule { violation: agx_agal::Violation }
        = "{violation}",
        Example::text("agal", ".agal 1 vertex\nmov vc0, va0\n");

        /// The program exceeds a limit of its version of AGAL. The message names the limit, and Adobe's error number.
        2304 Limit Limit { violation: agx_agal::Violation }
        = "{violation}",
        Example::text("agal", ".agal 1 vertex\nmov op, va31\n");
    }
}

errors! {
    /// Errors in a PICA200 program.
    #[cfg_attr(not(feature = "pica200"), allow(dead_code, reason = "languages are features"))]
    enum PicaError {
        /// The bytes are not a shader binary. The message names the byte.
        2400 Invalid Container { error: agx_pica200::ContainerError }
        = "{error}",
        Example::Words("A file that begins with DVLB and ends there.");

        /// The assembly does not parse. The message names the word and what was expected.
        2401 Invalid Assembly { what: String }
        = "{what}",
        Example::text("pica200", ".proc main\nmov o0, v99\nend\n.end\n");

        /// The hardware has no fragment shaders. Fixed-function units combine its fragments.
        2402 Unsupported Fragment
        = "the PICA200 has no fragment shaders",
        Example::Words("A PICA200 binary compiled with --stage fragment.");

        /// The entry is beyond the program. Entries are word numbers.
        2403 Invalid Entry { entry: u32, words: usize }
        = "the entry is at word {entry}; the program has {words} words",
        Example::Words("A binary whose entry point is at word 4000.");

        /// A word is not an instruction. Its opcode is unknown.
        2404 Invalid Word { word: u32 }
        = "the word {word:#010x} has no known opcode",
        Example::Words("A binary with a word 0xffffffff.");
    }
}

errors! {
    /// Errors in a TGSI program.
    #[cfg_attr(not(feature = "tgsi"), allow(dead_code, reason = "languages are features"))]
    enum TgsiError {
        /// The text does not parse. The message names what was expected and found.
        2500 Invalid Syntax { expected: String, found: String }
        = "expected {expected}, found {found}",
        Example::text("tgsi", "FRAG\nFROB OUT[0], IN[0]\nEND\n");

        /// The program breaks a rule of TGSI. The message names the register or opcode.
        2501 Invalid Rule { fault: agx_tgsi::Fault }
        = "{fault}",
        Example::text("tgsi", "FRAG\nMOV OUT[0], IN[0]\nEND\n");

        /// The processor is not supported. The hardware runs geometry and tessellation as compute shaders,
        /// which this front end does not generate.
        2502 Unsupported Processor { name: &'static str }
        = "{name} programs are not supported; expected VERT, FRAG or COMP",
        Example::text("tgsi", "GEOM\nEND\n");

        /// An instruction or operand is not supported. The message names it and the reason.
        2503 Unsupported Feature { what: &'static str, why: &'static str }
        = "{what} is not supported: {why}",
        Example::text("tgsi", "VERT\nPROPERTY VS_WINDOW_SPACE_POSITION 1\nEND\n");

        /// A branch leaves its subroutine. Subroutines are inlined; a jump into another one has no return
        /// address.
        2504 Unsupported BranchOut { line: u32 }
        = "a branch out of its subroutine to line {line} is not supported",
        Example::Words("A BRA from a subroutine into the main program.");

        /// A semantic is not available in the stage. The message names both.
        2505 Unsupported Semantic { name: String, stage: String }
        = "the semantic {name} in a {stage} program is not supported",
        Example::Words("A vertex program with an input of the semantic THREAD_ID.");

        /// A framebuffer fetch names an output that is not a colour. FBFETCH reads render targets.
        2506 Invalid Fetch { output: u32 }
        = "FBFETCH of output {output}, which is not a colour",
        Example::Words("An FBFETCH of the depth output.");
    }
}
