//! The history of a pixel as text: every fragment of every draw that touched it.

use agx_emulator::{SampleOutcome, SampleState, Touch};

/// How samples are printed.
#[derive(Clone, Copy)]
pub struct Form {
    /// Word before the bytes of a sample.
    pub label: &'static str,
    /// Number of bytes.
    pub bytes: usize,
    /// Whether fragments are of primitives.
    pub has_primitives: bool,
}

/// Samples of a scene's target.
pub const SCENE: Form = Form { label: "rgba", bytes: 4, has_primitives: true };

/// Samples of a tile whose contents are not known, written by draws.
pub const TILE: Form = Form { label: "bytes", bytes: 16, has_primitives: true };

/// The same, written by the background program of the tile.
pub const BACKGROUND: Form = Form { has_primitives: false, ..TILE };

/// The lines of the draw called `title`, of which these fragments touched the pixel.
pub fn text(title: &str, touches: &[Touch], form: Form) -> String {
    touches.iter().map(|touch| one(title, touch, form)).collect()
}

/// The samples of a pixel as text.
pub fn state_text(samples: &[SampleState]) -> String {
    let one = |state: &SampleState| {
        format!("rgba {}, depth {}, stencil {}", colour(state, SCENE), state.depth, state.stencil)
    };
    // All samples are cleared alike.
    samples.first().map_or_else(String::new, one)
}

fn one(title: &str, touch: &Touch, form: Form) -> String {
    let instance = match touch.instance {
        0 => String::new(),
        instance => format!(" of instance {instance}"),
    };
    let face = if touch.back { ", back face" } else { "" };
    let mut text = match form.has_primitives {
        true => format!("{title}, primitive {}{instance}{face}", touch.primitive),
        false => title.to_owned(),
    };
    let samples = touch.outcomes.iter().zip(&touch.depths).zip(touch.before.iter().zip(&touch.after));
    let is_one = touch.outcomes.len() == 1;
    for (sample, ((outcome, depth), (before, after))) in samples.enumerate() {
        if is_one {
            text.push_str(": ");
        } else {
            text.push_str(&format!("\n    sample {sample}: "));
        }
        text.push_str(&reason(*outcome, *depth, before));
        text.push_str(&change(before, after, form));
    }
    text.push('\n');
    text
}

/// What became of a sample, and why.
fn reason(outcome: SampleOutcome, depth: Option<f32>, before: &SampleState) -> String {
    let depth = depth.unwrap_or(0.0);
    match outcome {
        SampleOutcome::Uncovered => "not covered".to_owned(),
        SampleOutcome::Untested => "drawn without a test".to_owned(),
        SampleOutcome::Passed => format!("passed with depth {depth}"),
        SampleOutcome::DepthFailed => format!("the depth test failed: {depth} against {}", before.depth),
        SampleOutcome::StencilFailed => format!("the stencil test failed: {} was stored", before.stencil),
        SampleOutcome::Killed => "discarded by the shader, or masked off".to_owned(),
    }
}

/// What of a sample changed.
fn change(before: &SampleState, after: &SampleState, form: Form) -> String {
    let mut text = String::new();
    let (old, new) = (colour(before, form), colour(after, form));
    if old != new {
        text.push_str(&format!("; {} {old} to {new}", form.label));
    }
    if before.depth != after.depth {
        text.push_str(&format!("; depth {} to {}", before.depth, after.depth));
    }
    if before.stencil != after.stencil {
        text.push_str(&format!("; stencil {} to {}", before.stencil, after.stencil));
    }
    text
}

/// The bytes of the colour, as they are stored.
fn colour(state: &SampleState, form: Form) -> String {
    let bytes: Vec<String> = state.colour.iter().take(form.bytes).map(u8::to_string).collect();
    bytes.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_lines_of_their_own() {
        let state = |red: u8, depth: f32| SampleState { colour: vec![red, 2, 3, 255, 0], depth, stencil: 1 };
        let touch = Touch {
            primitive: 4,
            instance: 2,
            back: true,
            outcomes: vec![SampleOutcome::Passed, SampleOutcome::DepthFailed],
            depths: vec![Some(0.25), Some(0.75)],
            before: vec![state(1, 1.0), state(1, 0.5)],
            after: vec![state(9, 0.25), state(1, 0.5)],
        };
        let expected = "draw 3, primitive 4 of instance 2, back face\n    sample 0: passed with depth 0.25; rgba 1,2,3,255 to \
                        9,2,3,255; depth 1 to 0.25\n    sample 1: the depth test failed: 0.75 against 0.5\n";
        assert_eq!(text("draw 3", &[touch], SCENE), expected);
    }
}
