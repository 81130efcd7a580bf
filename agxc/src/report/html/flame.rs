//! Flame graphs of what was executed, as SVG: program, source line, instruction from top to bottom, as wide as their cycles.

use std::fmt::Write as _;

use agx_debug::Symbols;
use agx_emulator::Profile;

use super::super::executed::{Stack, name, stacks};
use super::{STYLE, escaped, link};

const WIDTH: f64 = 960.0;
const HEIGHT: usize = 20;
/// Width of a letter of the font, with some room.
const LETTER: f64 = 6.8;
/// Frames that are narrower are left out.
const LEAST: f64 = 0.2;

/// A frame, with the frames below it.
struct Frame {
    name: String,
    /// The common name of the rows of its line.
    link: Option<String>,
    cycles: u64,
    below: Vec<Frame>,
}

impl Frame {
    fn new(name: String, link: Option<String>, cycles: u64) -> Frame {
        Frame { name, link, cycles, below: Vec::new() }
    }

    fn above(name: String, below: Vec<Frame>) -> Frame {
        Frame { name, link: None, cycles: below.iter().map(|frame| frame.cycles).sum(), below }
    }

    /// The frames of a program.
    fn of_program(title: &str, profile: &Profile, symbols: &Symbols) -> Frame {
        let mut lines: Vec<(Option<(u32, u32)>, Frame)> = Vec::new();
        for Stack { place, text, cycles } in stacks(profile, symbols) {
            let link = place.map(|(file, line)| link(file, line));
            if lines.last().is_none_or(|(known, _)| *known != place) {
                lines.push((place, Frame::new(name(place, symbols), link.clone(), 0)));
            }
            let Some((_, line)) = lines.last_mut() else { continue };
            line.cycles += cycles;
            line.below.push(Frame::new(text, link, cycles));
        }
        Frame::above(title.to_owned(), lines.into_iter().map(|(_, frame)| frame).collect())
    }

    fn depth(&self) -> usize {
        1 + self.below.iter().map(Frame::depth).max().unwrap_or(0)
    }

    fn draw(&self, svg: &mut String, x: f64, level: usize, whole: u64) {
        let width = WIDTH * self.cycles as f64 / whole as f64;
        if width < LEAST {
            return;
        }
        let share = 100.0 * self.cycles as f64 / whole as f64;
        let linked = self.link.as_ref().map_or_else(String::new, |link| format!(" data-l=\"{link}\""));
        let (text, y) = (escaped(&self.name), level * HEIGHT);
        let _ = write!(
            svg,
            "<g{linked}><title>{text}: {} cycles, {share:.1} %</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" \
             height=\"{HEIGHT}\"/>",
            self.cycles
        );
        // Without the folders of a file.
        let label = self.name.rsplit('/').next().unwrap_or_default();
        let letters = ((width - 6.0) / LETTER).max(0.0) as usize;
        if letters >= 3 {
            let _ = write!(
                svg,
                "<text x=\"{:.2}\" y=\"{}\">{}</text>",
                x + 3.0,
                y + 14,
                shortened(label, letters)
            );
        }
        svg.push_str("</g>");
        let mut x = x;
        for frame in &self.below {
            frame.draw(svg, x, level + 1, whole);
            x += WIDTH * frame.cycles as f64 / whole as f64;
        }
    }
}

/// The beginning of a text that fits in some letters.
fn shortened(text: &str, letters: usize) -> String {
    match text.chars().count() <= letters {
        true => escaped(text),
        false => escaped(&text.chars().take(letters.saturating_sub(1)).collect::<String>()) + "…",
    }
}

fn svg(root: &Frame, style: &str) -> String {
    let height = root.depth() * HEIGHT;
    let name = escaped(&format!("flame graph of {}: {} cycles", root.name, root.cycles));
    let mut svg = format!(
        "<svg class=\"flame\" role=\"img\" aria-label=\"{name}\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" \
         height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">{style}"
    );
    root.draw(&mut svg, 0.0, 0, root.cycles.max(1));
    svg + "</svg>"
}

/// The flame graph of a program for a page with the style of reports; a click on a frame marks its line.
pub(super) fn flame(title: &str, profile: &Profile, symbols: &Symbols) -> String {
    svg(&Frame::of_program(title, profile, symbols), "")
}

/// The flame graph of some programs as a file.
pub fn flame_file<'p>(programs: impl Iterator<Item = (String, &'p Profile, &'p Symbols)>) -> String {
    let program =
        |(title, profile, symbols): (String, &Profile, &Symbols)| Frame::of_program(&title, profile, symbols);
    let mut frames: Vec<Frame> = programs.map(program).collect();
    let root = if frames.len() == 1 { frames.pop() } else { None };
    let root = root.unwrap_or_else(|| Frame::above("all".to_owned(), frames));
    svg(&root, &format!("<style>{STYLE}</style>")) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_as_wide_as_their_cycles() {
        let line = |name: &str, cycles| Frame::new(name.to_owned(), Some("0:7".to_owned()), cycles);
        let root = Frame::above("a<b".to_owned(), vec![line("first", 30), line("second, which is long", 10)]);
        let text = svg(&root, "");
        let rect = |x: &str, y: u32, width: &str| format!("x=\"{x}\" y=\"{y}\" width=\"{width}\"");
        for wanted in [
            rect("0.00", 0, "960.00"),
            rect("0.00", 20, "720.00"),
            rect("720.00", 20, "240.00"),
            "<g data-l=\"0:7\"><title>first: 30 cycles, 75.0 %</title>".to_owned(),
            "<title>a&lt;b: 40 cycles, 100.0 %</title>".to_owned(),
        ] {
            assert!(text.contains(&wanted), "{wanted}: {text}");
        }
        assert_eq!(shortened("fadd r0, r1 < r2", 6), "fadd …");
        assert_eq!(shortened("a<b", 3), "a&lt;b");
        assert_eq!(svg(&Frame::above("nothing".to_owned(), Vec::new()), "").matches("<rect").count(), 0);
    }
}
