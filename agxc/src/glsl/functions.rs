//! The functions that an HLSL text defines, for a message about an entry point that does not exist.

use std::iter::Peekable;
use std::str::Chars;

/// Names of functions that `text` defines at its outermost level, in their order, each once. Macros are not expanded.
pub fn defined(text: &str) -> Vec<String> {
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    // The last word outside brackets, and whether a parameter list has followed it.
    let (mut name, mut has_parameters) = (String::new(), false);
    // A declaration without parameters has an annotation, as `cbuffer C : register(b0)`.
    let mut is_annotated = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '/' => skip_comment(&mut letters),
            '#' if depth == 0 => skip_past(&mut letters, '\n'),
            '(' | '[' | '{' => {
                let defines = letter == '{' && depth == 0 && has_parameters && !found.contains(&name);
                if defines {
                    found.push(name.clone());
                }
                let begins = letter == '(' && depth == 0 && !is_annotated;
                has_parameters = begins || has_parameters && letter != '{';
                is_annotated &= letter != '{';
                depth += 1;
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => (has_parameters, is_annotated) = (false, false),
            ':' if depth == 0 => is_annotated |= !has_parameters,
            _ if depth == 0 && is_part(letter) => {
                let word = word(letter, &mut letters);
                if !has_parameters {
                    name = word;
                }
            }
            _ => {}
        }
    }
    found
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn word(first: char, letters: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::from(first);
    while let Some(letter) = letters.next_if(|letter| is_part(*letter)) {
        word.push(letter);
    }
    word
}

/// Skips a comment whose first slash was read.
fn skip_comment(letters: &mut Peekable<Chars<'_>>) {
    if letters.next_if_eq(&'/').is_some() {
        skip_past(letters, '\n');
    } else if letters.next_if_eq(&'*').is_some() {
        loop {
            skip_past(letters, '*');
            if letters.peek().is_none_or(|letter| *letter == '/') {
                letters.next();
                return;
            }
        }
    }
}

fn skip_past(letters: &mut Peekable<Chars<'_>>, last: char) {
    for letter in letters.by_ref() {
        if letter == last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_and_nothing_else() {
        let text = "#define F(x) { x }\n// float a() {\n/* b() { **/ cbuffer C : register(b0) { float4 k; };\n\
            float4 PSMain(float4 p : SV_Position, uint n[2]) : SV_Target { if (p.x) { return g(p); } return p; }\n\
            float declared(float x);\nstruct S { float m() { return 1; } };\n[numthreads(4, 1, 1)]\n\
            void scale(uint3 id : SV_DispatchThreadID)\n{ }\nfloat over(int x) { }\nfloat over(float x) { }\n\
            static const float t[2] = { 1, 2 };";
        assert_eq!(defined(text), ["PSMain", "scale", "over"]);
        assert_eq!(defined("void f() { /*"), ["f"]);
        assert_eq!(defined("}}) { ("), Vec::<String>::new());
    }
}
