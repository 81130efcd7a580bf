//! The parameter buffer: draws whose vertex stage has run, until the tiles are rendered.

use std::sync::Arc;

use agx_emulator::{
    Bias, Binding, Cull, DepthLimits, Draw, Geometry, More, Options, Tests, Topology, Viewport,
};

use super::render::{Loaded, Viewports};
use super::state::Raster;
use crate::record::cull;

/// Subdivisions of a pixel to which positions are rounded, as Vulkan drivers report for this hardware (8 bits).
const SUBPIXELS: u32 = 256;
/// Bytes of the parameter buffer for the state of a draw. The hardware's form is not known.
const STATE_BYTES: u64 = 256;

/// An occlusion counter in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub(super) address: u64,
    /// It has the number of samples, and not only whether there are any.
    pub(super) counts: bool,
}

/// What rasterises the primitives of a draw.
pub(super) struct Rasterised {
    pub(super) culled: Cull,
    /// At least one.
    pub(super) viewports: Viewports,
    pub(super) bias: Option<Bias>,
}

/// The state of a draw.
pub(super) struct DrawState {
    pub(super) raster: Arc<Raster>,
    pub(super) topology: Topology,
    pub(super) bindings: Vec<Binding>,
    pub(super) vertex: Loaded,
    /// `None` if the draw only tests.
    pub(super) fragment: Option<Loaded>,
    /// `None` if nothing is drawn, but vertex programs may store to memory.
    pub(super) rasterised: Option<Rasterised>,
    pub(super) heap: Option<(u64, u32)>,
    /// Number of the draw in the command.
    pub(super) launch: Option<u32>,
    pub(super) counter: Option<Counter>,
}

impl DrawState {
    /// The program whose findings in the fragment stage are reported.
    pub(super) fn program(&self) -> u64 {
        self.fragment.as_ref().unwrap_or(&self.vertex).words.code
    }

    /// The draw, without vertices.
    pub(super) fn draw(&self, options: Options) -> Draw<'_> {
        let raster = &*self.raster;
        let slots = raster.slots();
        let found = self.rasterised.as_ref().and_then(|rasterised| {
            let (first, others) = rasterised.viewports.split_first()?;
            Some((rasterised, *first, others))
        });
        let (culled, bias, (viewport, scissor, range), viewports) = match found {
            Some((rasterised, first, others)) => (rasterised.culled, rasterised.bias, first, others),
            None => (Cull::None, None, (NO_VIEWPORT, [0; 4], [0.0, 1.0]), &[][..]),
        };
        Draw {
            vertex: self.vertex.stage(self.heap),
            fragment: self.fragment.as_ref().unwrap_or(&self.vertex).stage(self.heap),
            topology: self.topology,
            vertices: &[],
            instances: 1,
            position_slot: 0,
            point_size_slot: slots.point_size,
            coefficients: &self.bindings,
            viewport,
            scissor: Some(scissor),
            line_width: raster.line_width(),
            front_counter_clockwise: cull::FRONT_CCW.is_set(&raster.cull),
            cull: culled,
            provoking_last: false,
            tests: if found.is_some() { raster.tests() } else { Tests::default() },
            late_tests: raster.late_tests(),
            more: More {
                layer_slot: slots.layer,
                viewports,
                clip_slots: (slots.clip, slots.clip_count as usize),
                volume: raster.volume(),
                depth_limits: DepthLimits { range, written: cull::DEPTH_CLAMP.is_set(&raster.cull) },
                bias,
                fill: raster.fill(),
                first_primitive: 0,
                first_instance: 0,
                shading: raster.shading(),
                points_run_up: false,
                steps: Some(SUBPIXELS),
            },
            options,
        }
    }
}

const NO_VIEWPORT: Viewport =
    Viewport { x: 0.0, y: 0.0, width: 1.0, height: 1.0, min_depth: 0.0, max_depth: 1.0 };

/// The draws in the parameter buffer, with their primitives.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) draws: Vec<(DrawState, Geometry)>,
    /// Bytes of the draws before the latest.
    earlier: u64,
    /// Whether the latest draw has more vertices.
    is_open: bool,
    /// Visits to the tiles since the pass began.
    pub(super) visits: u32,
}

impl Parameters {
    /// Adds a draw without primitives.
    pub(super) fn begin(&mut self, state: DrawState) {
        self.earlier = self.bytes();
        self.draws.push((state, Geometry::default()));
        self.is_open = true;
    }

    /// Ends the latest draw.
    pub(super) fn end(&mut self) {
        self.is_open = false;
    }

    /// The latest draw.
    pub(super) fn latest(&mut self) -> Option<(&DrawState, &mut Geometry)> {
        self.draws.last_mut().map(|(state, primitives)| (&*state, primitives))
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        let latest =
            self.draws.last().map_or(0, |(_, primitives)| primitives.bytes().saturating_add(STATE_BYTES));
        self.earlier.saturating_add(latest)
    }

    /// Empties the buffer, except for the state of a draw that has not ended.
    pub(super) fn visited(&mut self) {
        let latest = self.draws.pop().filter(|_| self.is_open);
        let latest = latest.map(|(state, _)| (state, Geometry::default()));
        self.draws.clear();
        self.draws.extend(latest);
        self.earlier = 0;
        self.visits = self.visits.saturating_add(1);
    }
}
