//! The history of a pixel, compared with pictures of the scene without some of its draws.

use std::fs::File;
use std::io::BufReader;

use serde_json::Value;

use crate::harness::{Folder, out};

const SIZE: [usize; 2] = [80, 60];

/// The scenes, each with a pixel that several fragments touch.
const SCENES: [(&str, &str); 5] =
    [("mirror", "32,37"), ("glass", "32,32"), ("spheres", "25,31"), ("floor", "40,50"), ("plasma", "3,4")];

/// Red, green, blue, alpha.
type Colour = [f64; 4];

/// What a line of a history says about a draw, or about an instance of the only draw.
struct Fragment {
    part: usize,
    /// `None` for all samples.
    sample: Option<usize>,
    is_passed: bool,
    after: Option<Colour>,
}

/// The history of a pixel.
struct History {
    cleared: Colour,
    fragments: Vec<Fragment>,
}

fn colour(text: &str) -> Colour {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len());
    let numbers: Vec<f64> =
        text[..end].trim_end_matches(',').split(',').map(|part| part.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

/// The number after a word of a text.
fn number(text: &str, word: &str) -> Option<usize> {
    let rest = text.split_once(word)?.1;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

impl History {
    /// Reads what `--pixel` prints; the parts are instances if `by_instance`.
    fn new(text: &str, by_instance: bool) -> History {
        let (head, rest) = text.split_once('\n').unwrap();
        let mut fragments = Vec::new();
        let mut part = 0;
        for line in rest.lines() {
            if line.starts_with("draw ") {
                let word = if by_instance { "of instance " } else { "draw " };
                part = number(line, word).unwrap_or(0);
            }
            let after =
                line.split_once("rgba ").map(|(_, change)| colour(change.split_once(" to ").unwrap().1));
            let sample = number(line, "sample ");
            fragments.push(Fragment { part, sample, is_passed: line.contains("passed"), after });
        }
        History { cleared: colour(head.split_once("rgba ").unwrap().1), fragments }
    }

    /// The colour after the first `parts`: the mean of four samples.
    fn after(&self, parts: usize) -> Colour {
        let mut samples = [self.cleared; 4];
        for fragment in self.fragments.iter().filter(|fragment| fragment.part < parts) {
            let Some(after) = fragment.after else { continue };
            match fragment.sample {
                Some(sample) => samples[sample] = after,
                None => samples = [after; 4],
            }
        }
        std::array::from_fn(|channel| samples.iter().map(|sample| sample[channel]).sum::<f64>() / 4.0)
    }

    fn has_passed(&self, part: usize) -> bool {
        self.fragments.iter().any(|fragment| fragment.part == part && fragment.is_passed)
    }
}

/// A scene with other draws, and its picture.
struct Variant {
    file: String,
    rgba: Vec<u8>,
}

impl Variant {
    fn new(folder: &Folder, name: &str, scene: &Value) -> Variant {
        let file = folder.file(&format!("{name}.json"), scene.to_string().as_bytes());
        let picture = folder.path(&format!("{name}.png"));
        out(&["render", &file, "--size", &format!("{}x{}", SIZE[0], SIZE[1]), "-o", &picture]);
        let mut reader = png::Decoder::new(BufReader::new(File::open(picture).unwrap())).read_info().unwrap();
        let mut rgba = vec![0; SIZE[0] * SIZE[1] * 4];
        reader.next_frame(&mut rgba).unwrap();
        Variant { file, rgba }
    }

    fn history(&self, [x, y]: [usize; 2], by_instance: bool) -> History {
        let (size, pixel) = (format!("{}x{}", SIZE[0], SIZE[1]), format!("{x},{y}"));
        History::new(&out(&["render", &self.file, "--size", &size, "--pixel", &pixel]), by_instance)
    }

    /// Checks a pixel; a mean of samples is rounded.
    fn check(&self, [x, y]: [usize; 2], expected: Colour, what: &str) {
        let at = (y * SIZE[0] + x) * 4;
        let found = &self.rgba[at..at + 4];
        let is_near =
            found.iter().zip(expected).all(|(found, expected)| (f64::from(*found) - expected).abs() <= 0.5);
        assert!(is_near, "{} at {x},{y}, {what}: {found:?} for {expected:?}", self.file);
    }
}

/// A scene, that with the first parts for each number of them, and those with one draw removed.
struct Variants {
    by_instance: bool,
    prefixes: Vec<Variant>,
    without: Vec<Variant>,
}

impl Variants {
    fn new(folder: &Folder, name: &str) -> Variants {
        let scenes = format!("{}/scenes", env!("CARGO_MANIFEST_DIR"));
        let scene: Value =
            serde_json::from_slice(&std::fs::read(format!("{scenes}/{name}.json")).unwrap()).unwrap();
        let draws = scene["draws"].as_array().unwrap().clone();
        for draw in &draws {
            for stage in ["vertex", "fragment"] {
                let file = draw[stage]["file"].as_str().unwrap();
                std::fs::copy(format!("{scenes}/{file}"), folder.path(file)).unwrap();
            }
        }
        let with = |kept: Vec<Value>| {
            let mut scene = scene.clone();
            scene["draws"] = kept.into();
            scene
        };
        let instances = draws[0]["instances"].as_u64().filter(|_| draws.len() == 1);
        let prefix = |count: usize| match instances {
            Some(_) if count > 0 => {
                let mut draw = draws[0].clone();
                draw["instances"] = count.into();
                with(vec![draw])
            }
            _ => with(draws[..count.min(draws.len())].to_vec()),
        };
        let parts = instances.map_or(draws.len(), |count| count as usize);
        let prefixes =
            (0..=parts).map(|count| Variant::new(folder, &format!("{name}-{count}"), &prefix(count)));
        let removed = (0..draws.len()).map(|at| {
            let mut kept = draws.clone();
            kept.remove(at);
            Variant::new(folder, &format!("{name}-without-{at}"), &with(kept))
        });
        Variants {
            by_instance: instances.is_some(),
            prefixes: prefixes.collect(),
            without: removed.collect(),
        }
    }

    /// Compares the history of a pixel with all pictures; the number of its fragments.
    fn check(&self, pixel: [usize; 2]) -> usize {
        let whole = self.prefixes.last().unwrap();
        let history = whole.history(pixel, self.by_instance);
        for (count, prefix) in self.prefixes.iter().enumerate() {
            prefix.check(pixel, history.after(count), "after the first draws");
        }
        for (at, reduced) in self.without.iter().enumerate().filter(|_| !self.by_instance) {
            let other = reduced.history(pixel, false);
            reduced.check(pixel, other.after(usize::MAX), "its own history");
            if !history.has_passed(at) {
                reduced.check(pixel, history.after(usize::MAX), "without a draw that changed nothing");
            }
        }
        history.fragments.len()
    }
}

#[test]
fn histories_agree_with_pictures_of_fewer_draws() {
    let folder = Folder::new("histories");
    for (name, pixel) in SCENES {
        let variants = Variants::new(&folder, name);
        let (x, y) = pixel.split_once(',').unwrap();
        assert!(variants.check([x.parse().unwrap(), y.parse().unwrap()]) > 0, "{name}");
        let pixels = (2..SIZE[1]).step_by(11).flat_map(|y| (3..SIZE[0]).step_by(15).map(move |x| [x, y]));
        let touched = pixels.filter(|pixel| variants.check(*pixel) > 0).count();
        assert!(touched >= 5, "{name}: {touched} pixels");
    }
}
