//! Scissors: the hardware clips to scissors only, so that each is also that of its viewport.

use agx_abi::record::{Packed, region_clip, scissor};
use ash::vk;

use crate::draw_state::DrawState;

/// Pixels of a tile of region clips along both axes.
const REGION: u32 = 32;

/// The greatest integer that is not greater; conversions saturate. The standard library's functions are calls.
fn floor(value: f32) -> i64 {
    let whole = value as i64;
    whole - i64::from(whole as f32 > value)
}

/// The pixels that are drawn to: first, and after the last, along x and y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scissor([[u32; 2]; 2]);

impl Scissor {
    /// A scissor within a viewport and an area: left, top, width, height.
    fn new(area: [u32; 4], view: &vk::Viewport, scissor: &vk::Rect2D) -> Scissor {
        let axis = |first: u32, count: u32, view: [f32; 2], scissor: [i64; 2]| {
            let [low, high] = [floor(view[0].min(view[1])), -floor(-view[0].max(view[1]))];
            let [least, most] = [i64::from(first), i64::from(first) + i64::from(count)];
            [low.max(scissor[0]), high.min(scissor[1])].map(|edge| edge.clamp(least, most) as u32)
        };
        let [x, y] = [scissor.offset.x, scissor.offset.y].map(i64::from);
        let [left, top, width, height] = area;
        Scissor([
            axis(left, width, [view.x, view.x + view.width], [x, x + i64::from(scissor.extent.width)]),
            axis(top, height, [view.y, view.y + view.height], [y, y + i64::from(scissor.extent.height)]),
        ])
    }

    /// The record with a range of depths.
    fn record(&self, [low, high]: [f32; 2]) -> Packed<16> {
        use scissor::*;
        let [[left, right], [top, bottom]] = self.0;
        new()
            .set(&MIN_X, left.into())
            .set(&MAX_X, right.into())
            .set(&MIN_Y, top.into())
            .set(&MAX_Y, bottom.into())
            .float(&MIN_Z, low)
            .float(&MAX_Z, high)
    }

    /// The tiles of the scissor, at least one.
    pub(super) fn region(&self) -> Packed<8> {
        use region_clip::*;
        let [[left, right], [top, bottom]] = self.0;
        let end = |edge: u32| u64::from(edge.max(1).div_ceil(REGION));
        new()
            .set(&MIN_X, (left / REGION).into())
            .set(&MAX_X, end(right))
            .set(&MIN_Y, (top / REGION).into())
            .set(&MAX_Y, end(bottom))
            .flag(&ENABLE, true)
    }
}

/// Adds the scissors of a draw, one for each viewport, within an area to an array and to a list.
pub(super) fn scissors(area: [u32; 4], dynamic: &DrawState, array: &mut Vec<u8>, found: &mut Vec<Scissor>) {
    found.clear();
    for (at, view) in viewports(dynamic).iter().enumerate() {
        let given = dynamic.scissors.get(at).or(dynamic.scissors.last()).copied().unwrap_or_default();
        let scissor = Scissor::new(area, view, &given);
        // Depths are clamped to the scissor's range.
        let range = match dynamic.raster.clamp {
            true => [view.min_depth.min(view.max_depth), view.min_depth.max(view.max_depth)],
            false => [0.0, 1.0],
        };
        array.extend_from_slice(&scissor.record(range).bytes());
        found.push(scissor);
    }
}

/// The viewports of draws: at least one.
pub(super) fn viewports(dynamic: &DrawState) -> &[vk::Viewport] {
    const EMPTY: [vk::Viewport; 1] =
        [vk::Viewport { x: 0.0, y: 0.0, width: 0.0, height: 0.0, min_depth: 0.0, max_depth: 0.0 }];
    if dynamic.viewports.is_empty() { &EMPTY } else { &dynamic.viewports }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(view: [f32; 4], scissor: [i32; 4]) -> Scissor {
        let [x, y, width, height] = view;
        let view = vk::Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 };
        let [x, y, width, height] = scissor;
        let extent = vk::Extent2D { width: width as u32, height: height as u32 };
        Scissor::new([8, 0, 100, 60], &view, &vk::Rect2D { offset: vk::Offset2D { x, y }, extent })
    }

    #[test]
    fn scissors_are_inside_area_and_viewport() {
        let whole = [0, 0, 1000, 1000];
        assert_eq!(of([0.0, 0.0, 200.0, 200.0], whole), Scissor([[8, 108], [0, 60]]));
        // An inverted viewport of which a pixel is partly inside.
        assert_eq!(of([20.0, 40.5, 10.0, -20.0], whole), Scissor([[20, 30], [20, 41]]));
        assert_eq!(of([20.0, 0.0, 50.0, 60.0], [30, -5, 20, 25]), Scissor([[30, 50], [0, 20]]));
        assert_eq!(of([-50.0, 0.0, 20.0, 60.0], whole), Scissor([[8, 8], [0, 60]]));
    }

    #[test]
    fn regions_are_the_tiles_of_scissors() {
        let text = |scissor: Scissor| region_clip::RECORD.text(&scissor.region().bytes());
        let found = text(Scissor([[33, 64], [0, 65]]));
        assert_eq!(found, "region clip MAX_X=2 MIN_X=1 ENABLE MAX_Y=3");
        assert_eq!(text(Scissor([[0, 0], [0, 1]])), "region clip MAX_X=1 ENABLE MAX_Y=1");
    }
}
