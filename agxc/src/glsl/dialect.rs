//! Dialects of GLSL that are not Vulkan's: how their texts become texts for Vulkan, and messages about shaders that the
//! translator refuses.

use crate::diagnostic::Failure;

/// A dialect that texts can be translated from. The lines keep their numbers; locations and bindings that they lack are assigned
/// by the translator.
#[derive(PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Its name.
    pub name: &'static str,
    /// Whether `GL_ES` is defined.
    is_es: bool,
    /// What comes before the text, and after it.
    around: [&'static str; 2],
}

/// The name of the dialect that needs no translation.
const OWN: &str = "vulkan";

static DIALECTS: [Dialect; 4] = [
    Dialect { name: "opengl", is_es: false, around: ["", ""] },
    Dialect { name: "es", is_es: true, around: ["", ""] },
    Dialect { name: "webgl", is_es: true, around: ["", ""] },
    Dialect { name: "shadertoy", is_es: true, around: [SHADERTOY, SHADERTOY_MAIN] },
];

/// The inputs of a Shadertoy shader.
const SHADERTOY: &str = "layout(set = 0, binding = 0) uniform Shadertoy { vec3 iResolution; float iTime, iTimeDelta, iFrameRate; \
    int iFrame; float iSampleRate; vec4 iMouse, iDate; float iChannelTime[4]; vec3 iChannelResolution[4]; };\n\
    layout(set = 0, binding = 1) uniform sampler2D iChannel0;\n\
    layout(set = 0, binding = 2) uniform sampler2D iChannel1;\n\
    layout(set = 0, binding = 3) uniform sampler2D iChannel2;\n\
    layout(set = 0, binding = 4) uniform sampler2D iChannel3;\n\
    layout(location = 0) out vec4 agxFragColor;\n";

/// Shadertoy counts lines of pixels from below.
const SHADERTOY_MAIN: &str =
    "\nvoid main() { mainImage(agxFragColor, vec2(gl_FragCoord.x, iResolution.y - gl_FragCoord.y)); }\n";

/// The first versions without the words of [`OLD`]: of desktop GLSL, and of GLSL ES.
const FIRST_NEW: (u32, u32) = (130, 300);

/// Words of old versions, and what they are now.
const OLD: &str = "#define attribute in\n#define texture1D texture\n#define texture2D texture\n#define texture3D texture\n\
    #define textureCube texture\n#define texture1DProj textureProj\n#define texture2DProj textureProj\n\
    #define texture1DLod textureLod\n#define texture2DLod textureLod\n#define texture3DLod textureLod\n\
    #define textureCubeLod textureLod\n#define texture2DLodEXT textureLod\n#define textureCubeLodEXT textureLod\n\
    #define texture2DGradEXT textureGrad\n";

/// The most targets of a fragment shader.
const MOST_TARGETS: u32 = 8;

impl Dialect {
    /// The dialect called `name`; `None` is that of Vulkan.
    ///
    /// # Errors
    /// The dialect is unknown.
    pub fn find(name: &str) -> Result<Option<&'static Dialect>, Failure> {
        let found = DIALECTS.iter().find(|known| known.name == name);
        if found.is_none() && name != OWN {
            let known: Vec<&str> = DIALECTS.iter().map(|known| known.name).collect();
            let message = format!("--glsl: unknown dialect `{name}`; expected {OWN}, {}", known.join(", "));
            return Err(Failure::usage(message));
        }
        Ok(found)
    }

    /// The text for Vulkan; `stage` is glslang's name of its stage.
    pub fn for_vulkan(&self, text: &str, stage: &str) -> String {
        let (number, profile) = text.lines().find_map(version).unwrap_or((100, ""));
        let is_es = number == 100 || profile == "es";
        let is_old = number < if is_es { FIRST_NEW.1 } else { FIRST_NEW.0 };
        let [before, after] = self.around;
        let mut begin = String::from("#version 450\n");
        if self.is_es {
            begin.push_str("#define AGXES 1\n");
        }
        if is_old && before.is_empty() {
            begin.push_str(OLD);
            begin.push_str(if stage == "frag" { "#define varying in\n" } else { "#define varying out\n" });
        }
        // Names that begin with `gl_` cannot be macros. The new ones are as long, so that columns stay.
        let mut text = replaced(text, "gl_FragDepthEXT", "gl_FragDepth   ");
        if self.is_es {
            text = replaced(&text, "GL_ES", "AGXES");
        }
        for (old, new) in [("gl_FragColor", "agxFragColor"), ("gl_FragData", "agxFragData")] {
            if stage != "frag" || !has_word(&text, old) {
                continue;
            }
            let size =
                if old == "gl_FragData" { format!("[{}]", elements(&text, old)) } else { String::new() };
            begin.push_str(&format!("layout(location = 0) out vec4 {new}{size};\n"));
            text = replaced(&text, old, new);
        }
        let lines = text.split_inclusive('\n');
        let body: String = lines.map(|line| if version(line).is_some() { "\n" } else { line }).collect();
        format!("{begin}{before}#line 1\n{body}{after}")
    }
}

/// The number of elements of an array that a text names with constant indices.
fn elements(text: &str, array: &str) -> u32 {
    let index = |at: usize| {
        let rest = text.get(at + array.len()..)?.trim_start().strip_prefix('[')?.trim_start();
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
    };
    words(text, array).filter_map(index).max().map_or(1, |last| last.saturating_add(1).min(MOST_TARGETS))
}

/// The first version of desktop GLSL that has bindings and locations for everything that Vulkan needs.
const FIRST_WITH_BINDINGS: u32 = 420;

/// What to write instead.
const VULKAN: &str = "agxc compiles GLSL for Vulkan: `#version 450`, `layout(location = N)` for inputs and outputs, \
                      `layout(set = N, binding = N)` for resources";

/// The dialect of a text, in words, and the name of its [`Dialect`], if it is not that of Vulkan.
pub fn of(text: &str) -> Option<(String, &'static str)> {
    if has_word(text, "mainImage") && !has_word(text, "main") {
        return Some(("a Shadertoy shader (`mainImage` without `main`)".to_owned(), "shadertoy"));
    }
    let Some(version) = text.lines().find_map(version) else {
        let is_old =
            ["varying", "attribute", "gl_FragColor", "texture2D"].iter().any(|word| has_word(text, word));
        let name =
            if is_old { "GLSL ES 1.00 (WebGL 1) or OpenGL's GLSL 1.10" } else { "GLSL ES 1.00 or 1.10" };
        return Some((format!("{name} (no `#version`)"), "webgl"));
    };
    Some(match version {
        (100, _) => ("GLSL ES 1.00 (OpenGL ES 2, WebGL 1)".to_owned(), "webgl"),
        (300, _) => ("GLSL ES 3.00 (OpenGL ES 3, WebGL 2)".to_owned(), "webgl"),
        (number, "es") => (format!("GLSL ES {}", decimal(number)), "es"),
        (number, "compatibility") => {
            (format!("OpenGL's GLSL {} with the compatibility profile", decimal(number)), "opengl")
        }
        (number, _) if number < FIRST_WITH_BINDINGS => {
            (format!("OpenGL's GLSL {}", decimal(number)), "opengl")
        }
        _ => return None,
    })
}

/// A message that names the dialect of `text`, if it is not that of Vulkan.
pub fn note(text: &str) -> Option<String> {
    of(text).map(|(dialect, name)| match super::RUNS_PROGRAMS {
        true => format!("the text is {dialect}, which --glsl {name} translates; {VULKAN}"),
        false => format!("the text is {dialect}; {VULKAN}"),
    })
}

/// Number and profile of a line with a `#version` directive.
fn version(line: &str) -> Option<(u32, &str)> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let mut words = directive.strip_prefix("version")?.split_whitespace();
    let number = words.next()?.parse().ok()?;
    Some((number, words.next().unwrap_or("")))
}

/// `330` as `3.30`.
fn decimal(version: u32) -> String {
    format!("{}.{:02}", version / 100, version % 100)
}

/// Whether `word` is a word of `text`.
fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

/// Where `word` is a word of `text`.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let places = text.match_indices(word).map(|(at, _)| at);
    places.filter(move |at| {
        let (before, after) = (text.get(..*at), text.get(at + word.len()..));
        !before.is_some_and(|text| text.ends_with(is_part))
            && !after.is_some_and(|text| text.starts_with(is_part))
    })
}

/// `text` with `new` in place of the word `old`.
fn replaced(text: &str, old: &str, new: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut end = 0;
    for at in words(text, old) {
        made.push_str(text.get(end..at).unwrap_or_default());
        made.push_str(new);
        end = at + old.len();
    }
    made + text.get(end..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_told_apart() {
        let cases = [
            ("#version 450\nvoid main() {}", None),
            ("\n // text\n# version 460 core\nvoid main() {}", None),
            ("#version 330 core\nvoid main() {}", Some("OpenGL's GLSL 3.30")),
            ("#version 120\nvoid main() {}", Some("OpenGL's GLSL 1.20")),
            ("#version 450 compatibility\nvoid main() {}", Some("compatibility profile")),
            ("#version 100\nvoid main() {}", Some("WebGL 1")),
            ("#version 300 es\nvoid main() {}", Some("WebGL 2")),
            ("#version 310 es\nvoid main() {}", Some("GLSL ES 3.10")),
            ("varying vec2 a;\nvoid main() { gl_FragColor = vec4(a, a); }", Some("GLSL ES 1.00 (WebGL 1)")),
            ("void mainImage(out vec4 c, in vec2 p) { c = vec4(p, 0, 1); }", Some("Shadertoy")),
            ("#version 450\nvoid mainImage(out vec4 c) {}\nvoid main() {}", None),
        ];
        for (text, expected) in cases {
            let found = of(text);
            assert_eq!(found.is_some(), expected.is_some(), "{text}: {found:?}");
            let (words, name) = found.unwrap_or_default();
            assert!(words.contains(expected.unwrap_or_default()), "{text}");
            assert!(name.is_empty() || Dialect::find(name).unwrap().is_some(), "{name}");
        }
    }

    #[test]
    fn lines_and_columns_stay_where_they_are() {
        let text =
            "#version 100\nvarying vec2 a;\nvoid main() { gl_FragData[2] = gl_FragData[0] = vec4(a, a); }";
        let made = Dialect::find("webgl").unwrap().unwrap().for_vulkan(text, "frag");
        let (before, body) = made.split_once("#line 1\n").unwrap();
        assert!(before.starts_with("#version 450\n#define AGXES 1\n#define attribute in\n"), "{before}");
        let last = "#define varying in\nlayout(location = 0) out vec4 agxFragData[3];\n";
        assert!(before.ends_with(last), "{before}");
        assert_eq!(body, text.replace("#version 100", "").replace("gl_F", "agxF"));
        let made = Dialect::find("opengl").unwrap().unwrap().for_vulkan("#version 330\nin vec3 p;", "vert");
        assert_eq!(made, "#version 450\n#line 1\n\nin vec3 p;");
        assert!(Dialect::find("vulkan").unwrap().is_none());
        assert!(Dialect::find("metal").is_err());
    }
}
