//! The history of a pixel: the fragments that touched it, and what became of them.

use crate::frame::Framebuffer;

/// A sample of the pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct SampleState {
    /// Its bytes in the tile.
    pub colour: Vec<u8>,
    /// Its depth.
    pub depth: f32,
    /// Its stencil.
    pub stencil: u8,
}

/// What became of a sample of a fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleOutcome {
    /// The primitive does not cover it.
    Uncovered,
    /// It was neither tested nor killed.
    Untested,
    /// It passed the tests.
    Passed,
    /// The stencil test failed.
    StencilFailed,
    /// The depth test failed.
    DepthFailed,
    /// The fragment program killed it, by a discard or a mask.
    Killed,
}

/// A fragment that covers the pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct Touch {
    /// Number of the primitive in its instance.
    pub primitive: u32,
    /// Number of the instance.
    pub instance: u32,
    /// Whether it is a back face.
    pub back: bool,
    /// What became of each sample.
    pub outcomes: Vec<SampleOutcome>,
    /// The depth that each sample was tested with.
    pub depths: Vec<Option<f32>>,
    /// The samples before.
    pub before: Vec<SampleState>,
    /// The samples afterwards.
    pub after: Vec<SampleState>,
}

/// Watches a pixel while fragments are shaded.
#[derive(Clone, Debug)]
pub(crate) struct Watcher {
    pixel: [u32; 2],
    /// Numbers of the primitive being shaded, in its instance, and of the instance.
    pub(crate) primitive: [u32; 2],
    touches: Vec<Touch>,
    is_open: bool,
}

impl Watcher {
    pub(crate) fn new(pixel: [u32; 2]) -> Watcher {
        Watcher { pixel, primitive: [0; 2], touches: Vec::new(), is_open: false }
    }

    /// The history since the last call.
    pub(crate) fn take_touches(&mut self) -> Vec<Touch> {
        std::mem::take(&mut self.touches)
    }

    /// A fragment of a pixel begins, with these samples.
    pub(crate) fn begin(&mut self, pixel: [u32; 2], covered: u16, back: bool, buffer: &Framebuffer) {
        if pixel != self.pixel || covered == 0 {
            return;
        }
        let outcome = |sample: u32| match covered >> sample & 1 {
            0 => SampleOutcome::Uncovered,
            _ => SampleOutcome::Untested,
        };
        let [primitive, instance] = self.primitive;
        let outcomes: Vec<SampleOutcome> = (0..buffer.samples()).map(outcome).collect();
        let depths = vec![None; outcomes.len()];
        let before = buffer.samples_of(pixel);
        self.touches.push(Touch { primitive, instance, back, outcomes, depths, before, after: Vec::new() });
        self.is_open = true;
    }

    /// The fragments that began have ended.
    pub(crate) fn end(&mut self, buffer: &Framebuffer) {
        if std::mem::take(&mut self.is_open) {
            let after = buffer.samples_of(self.pixel);
            if let Some(touch) = self.touches.last_mut() {
                touch.after = after;
            }
        }
    }

    /// A sample was tested.
    pub(crate) fn tested(&mut self, [x, y, sample]: [u32; 3], depth: f32, outcome: SampleOutcome) {
        if self.is_open && [x, y] == self.pixel {
            self.set(sample, outcome);
            let depths = self.touches.last_mut().map(|touch| &mut touch.depths);
            if let Some(place) = depths.and_then(|depths| depths.get_mut(sample as usize)) {
                *place = Some(depth);
            }
        }
    }

    /// A program killed samples.
    pub(crate) fn killed(&mut self, pixel: [u32; 2], samples: u16) {
        if self.is_open && pixel == self.pixel {
            (0..16)
                .filter(|sample| samples >> sample & 1 != 0)
                .for_each(|sample| self.set(sample, SampleOutcome::Killed));
        }
    }

    fn set(&mut self, sample: u32, outcome: SampleOutcome) {
        let Some(touch) = self.touches.last_mut() else { return };
        if let Some(place) = touch.outcomes.get_mut(sample as usize) {
            *place = outcome;
        }
    }
}

impl Framebuffer {
    /// The samples of a pixel; none outside.
    pub fn samples_of(&self, [x, y]: [u32; 2]) -> Vec<SampleState> {
        let sample = |sample: u32| {
            let (depth, stencil) = self.depth_stencil(x, y, sample)?;
            Some(SampleState { colour: self.colour(x, y, sample)?.to_vec(), depth, stencil })
        };
        (0..self.samples()).filter_map(sample).collect()
    }
}
