//! Dialects of GLSL that are not Vulkan's, for messages about shaders that the translator refuses.

/// The first version of desktop GLSL that has bindings and locations for everything that Vulkan needs.
const FIRST_WITH_BINDINGS: u32 = 420;

/// What to write instead.
const VULKAN: &str = "agxc compiles GLSL for Vulkan: `#version 450`, `layout(location = N)` for inputs and outputs, \
                      `layout(set = N, binding = N)` for resources";

/// The dialect of a text, in words, if it is not that of Vulkan.
pub fn of(text: &str) -> Option<String> {
    if has_word(text, "mainImage") && !has_word(text, "main") {
        return Some("a Shadertoy shader (`mainImage` without `main`)".to_owned());
    }
    let Some(version) = text.lines().find_map(version) else {
        let is_old =
            ["varying", "attribute", "gl_FragColor", "texture2D"].iter().any(|word| has_word(text, word));
        let name =
            if is_old { "GLSL ES 1.00 (WebGL 1) or OpenGL's GLSL 1.10" } else { "GLSL ES 1.00 or 1.10" };
        return Some(format!("{name} (no `#version`)"));
    };
    match version {
        (100, _) => Some("GLSL ES 1.00 (OpenGL ES 2, WebGL 1)".to_owned()),
        (300, _) => Some("GLSL ES 3.00 (OpenGL ES 3, WebGL 2)".to_owned()),
        (number, "es") => Some(format!("GLSL ES {}", decimal(number))),
        (number, "compatibility") => {
            Some(format!("OpenGL's GLSL {} with the compatibility profile", decimal(number)))
        }
        (number, _) if number < FIRST_WITH_BINDINGS => Some(format!("OpenGL's GLSL {}", decimal(number))),
        _ => None,
    }
}

/// A message that names the dialect of `text`, if it is not that of Vulkan.
pub fn note(text: &str) -> Option<String> {
    of(text).map(|dialect| format!("the text is {dialect}; {VULKAN}"))
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
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + word.len()..));
        !before.is_some_and(|text| text.ends_with(is_part))
            && !after.is_some_and(|text| text.starts_with(is_part))
    })
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
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{text}");
        }
    }
}
