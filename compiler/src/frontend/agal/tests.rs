//! Tests of the translation to IR, and of errors. The tests in `tests/` compare results with the interpreter.

use agx_abi::{SamplerBinding, UniformSource, agal};
use bumpalo::Bump;

use super::super::language::AGAL;
use super::*;
use agx_agal::{Semantics, assemble};

fn read(text: &str, key: &CompileKey) -> Result<(String, ShaderInfo), CompileError> {
    let bump = Bump::new();
    let shader = Agal.read(&bump, Input::new(&AGAL, text.as_bytes()), key);
    shader.map(|(function, info)| (function.to_string(), info))
}

fn info(text: &str) -> ShaderInfo {
    read(text, &CompileKey::default()).unwrap_or_else(|error| panic!("{text}: {error}")).1
}

fn option(name: &str, value: u64) -> CompileKey {
    CompileKey { options: vec![(name.to_owned(), value)], ..CompileKey::default() }
}

#[test]
fn every_opcode_is_translated() {
    for row in agx_agal::OPCODES {
        let operands = row.operands();
        let stage = if row.stages == agx_agal::Stages::Fragment { "fragment" } else { "vertex" };
        let (source, target, input) =
            if stage == "vertex" { ("vc1", "vt0", "va0") } else { ("fc1", "ft0", "v0") };
        let text = match row.semantics {
            Semantics::Texture => format!("{} {target}, {input}, {}s0 <2d>", row.name, &stage[..1]),
            Semantics::If(_) => format!("{} {input}.x, {source}.x\nmov vt0, vc0\neif", row.name),
            Semantics::Else | Semantics::EndIf => {
                "ife va0.x, vc0.x\nmov vt0, vc0\nels\nmov vt0, vc1\neif".to_owned()
            }
            Semantics::Kill => format!("kil {input}.x"),
            _ if operands.sources == 1 => format!("{} {target}, {input}", row.name),
            _ => format!("{} {target}, {input}, {source}", row.name),
        };
        let text = format!(".agal 4 {stage}\n{text}");
        read(&text, &CompileKey::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn constants_textures_and_samplers_are_bound_as_the_abi_says() {
    let info = info(
        "mul ft0, v0, fc3\ntex ft1, v0, fs2 <2d, repeat, linear, miplinear>\n\
                     tex ft2, v0, fs2 <2d, clamp, nearest>\nadd ft0, ft0, ft1\nadd oc, ft0, ft2",
    );
    let (set, binding) = agal::FRAGMENT_CONSTANTS;
    let constants = UniformSource::BufferAddress { set, binding, element: 0 };
    assert!(info.uniforms.iter().any(|range| range.source == constants));
    assert_eq!(info.textures.len(), 1);
    assert_eq!((info.textures[0].set, info.textures[0].binding), (agal::TEXTURE_SET, 2));
    let sampler = |element| SamplerBinding::Bound { set: agal::TEXTURE_SET, binding: 2, element };
    assert_eq!(info.samplers, [sampler(0x121), sampler(0)]);
}

#[test]
fn only_components_that_are_read_are_inputs() {
    let info = info("mov op, va3.xxyy\nmov v1, va0.w");
    let components: Vec<_> =
        info.attributes.iter().map(|attribute| (attribute.location, attribute.components)).collect();
    assert_eq!(components, [(0, 0b1000), (3, 0b0011)]);
    assert_eq!(info.varyings.len(), 8);
}

#[test]
fn a_key_changes_samplers() {
    let text = "tex oc, v0, fs1 <2d, repeat, linear, miplinear>";
    let changed = |name, value| read(text, &option(name, value)).unwrap_or_else(|error| panic!("{error}"));
    let element = |info: &ShaderInfo| match info.samplers[0] {
        SamplerBinding::Bound { element, .. } => element,
        _ => panic!("a sampler that is not the application's alone"),
    };
    assert_eq!(element(&changed("sampler_filters", 0x10).1), 0x120);
    assert_eq!(element(&changed("sampler_filters", 0x01).1), 0x121);
    assert_eq!(element(&changed("sampler_mips", 0x10).1), 0x101);
    assert_eq!(element(&changed("sampler_wraps", 0x10).1), 0x021);
    assert_ne!(changed("sampler_dimensions", 0x20).0, changed("sampler_dimensions", 0x02).0);
    assert_ne!(changed("sampler_biases", 0x0800).0, changed("sampler_biases", 0x08).0);
    let refused = read(text, &option("sampler_dimensions", 0x40)).expect_err("no such dimension");
    assert_eq!(refused.message(), "option `sampler_dimensions`, sampler 1: expected 0 to 3, found 4");
}

#[test]
fn errors_name_token_or_line() {
    let error = |text: &str, key: &CompileKey| read(text, key).expect_err(text).to_string();
    let plain = CompileKey::default();
    assert_eq!(error("mov oc v0\nmuv oc v0", &plain), "2:1: invalid: unknown opcode `muv`");
    let constant = error("mov v0, va0\nmov vc0, va0", &plain);
    assert_eq!(constant, "2:5: invalid: destination: a constant is written (register 0; Adobe error 3652)");
    let unset = error("mov oc, ft0", &option("strict", 1));
    assert_eq!(
        unset,
        "1:9: invalid: source 1: a temporary is read before it is written (register 0; Adobe error 3647)"
    );
    let unset = error("mov v0, va0", &option("strict", 1));
    assert!(unset.contains("components of its position (Adobe error 3635)"), "{unset}");
    let limit = error("// text\n  add op, va0,  va31", &plain);
    assert!(limit.starts_with("2:17: ") && limit.contains("register 31"), "{limit}");
    assert!(error("", &plain).contains("expected instructions, found none"));
    assert!(error(".agal 1 vertex", &plain).contains("the program has no tokens (Adobe error 3615)"));
    let vertex = CompileKey { stage: Some(Stage::Vertex), ..CompileKey::default() };
    assert!(error("mov oc, v0", &vertex).contains("expected a vertex program, found a fragment program"));
    let named = CompileKey { entry_point: Some("other".to_owned()), ..CompileKey::default() };
    assert!(error("mov oc, v0", &named).contains("unknown entry point `other`; expected `main`"));
}

#[test]
fn byte_code_and_text_give_the_same() {
    let text = "m44 op, va0, vc0\nmov v0, va1";
    let program = assemble(text, AssembleOptions::default()).expect("a program");
    let bump = Bump::new();
    let bytes = program.write();
    let (function, info) =
        Agal.read(&bump, Input::new(&AGAL, &bytes), &CompileKey::default()).expect("valid");
    assert_eq!(read(text, &CompileKey::default()), Ok((function.to_string(), info)));
}

#[test]
fn the_position_follows_the_convention_of_the_key() {
    let text = "mov op, va0";
    let plain = read(text, &CompileKey::default()).expect("valid").0;
    let flipped = read(text, &option("flip_y", 1)).expect("valid").0;
    let shifted = read(text, &option("depth_from_minus_w", 1)).expect("valid").0;
    assert!(plain != flipped && plain != shifted && flipped != shifted);
    assert!(shifted.contains("fmul") && !plain.contains("fmul"), "{shifted}");
}

#[test]
fn violations_in_byte_code_name_the_token() {
    let mut bytes = assemble("mov v0, va0\nmov op, va0", AssembleOptions::default()).expect("valid").write();
    // The second destination becomes a constant.
    bytes[7 + 24 + 7] = 1;
    let read = Agal.read(&Bump::new(), Input::new(&AGAL, &bytes), &CompileKey::default()).map(|_| ());
    let error = read.expect_err("a constant is written");
    assert_eq!(error.location, Location::Whole);
    assert!(error.message().starts_with("token 1, destination: a constant is written"), "{error}");
}

#[test]
fn vertex_programs_have_textures_of_their_own() {
    let info = info("tld vt0, va0.xy, vs1 <2d, linear, repeat, miplinear, 2>\nadd op, va0, vt0");
    let texture = &info.textures[0];
    assert_eq!((texture.set, texture.binding), (agal::VERTEX_TEXTURE_SET, 1));
    let bound = SamplerBinding::Bound { set: agal::VERTEX_TEXTURE_SET, binding: 1, element: 0x121 };
    assert_eq!(info.samplers, [bound]);
    let text = |bias: &str| {
        let text = format!("tld vt0, va0.xy, vs1 <2d, linear, miplinear, {bias}>\nadd op, va0, vt0");
        read(&text, &CompileKey::default()).expect("valid").0
    };
    // A level cannot be below the first.
    assert_eq!(text("-3"), text("0"));
    assert_ne!(text("3"), text("0"));
}

#[test]
fn instructions_have_source_lines() {
    let bump = Bump::new();
    let input = Input::new(&AGAL, b"// text\n mov vt0, va0\n add op, vt0, vc0\n");
    let (function, _) = Agal.read(&bump, input, &CompileKey::default()).expect("valid");
    let lines: Vec<u32> =
        (1..).map_while(|number| function.sources.get(number)).map(|position| position.line).collect();
    assert!(lines.contains(&3), "{lines:?}");
    assert_eq!(function.sources.files, ["agal"]);
}
