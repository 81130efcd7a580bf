//! Graphics pipelines from libraries (`VK_EXT_graphics_pipeline_library`).
//!
//! A library stores the state of its parts, and their shaders compiled for any pipeline, of which pipelines are linked. A pipeline with the
//! flag for optimisation is compiled as if one structure had described it.

use agx_driver::Error;
use agx_driver::graphics::{GraphicsInfo, LibraryStages};
use ash::vk;
use ash::vk::GraphicsPipelineLibraryFlagsEXT as Parts;

use super::graphics::graphics_info;
use super::identifier::Modules;
use crate::generated::members;
use crate::handles::object;
use crate::objects::{Library, PipelineKind};
use crate::pointers::find;

const ALL: Parts = Parts::from_raw(
    Parts::VERTEX_INPUT_INTERFACE.as_raw()
        | Parts::PRE_RASTERIZATION_SHADERS.as_raw()
        | Parts::FRAGMENT_SHADER.as_raw()
        | Parts::FRAGMENT_OUTPUT_INTERFACE.as_raw(),
);

/// Dynamic states by part; all others belong to the rasteriser.
const DYNAMIC: &[(Parts, &[vk::DynamicState])] = {
    use vk::DynamicState as D;
    &[
        (
            Parts::VERTEX_INPUT_INTERFACE,
            &[
                D::PRIMITIVE_TOPOLOGY,
                D::PRIMITIVE_RESTART_ENABLE,
                D::VERTEX_INPUT_BINDING_STRIDE,
                D::VERTEX_INPUT_EXT,
            ],
        ),
        (
            Parts::FRAGMENT_SHADER,
            &[
                D::DEPTH_TEST_ENABLE,
                D::DEPTH_WRITE_ENABLE,
                D::DEPTH_COMPARE_OP,
                D::DEPTH_BOUNDS,
                D::DEPTH_BOUNDS_TEST_ENABLE,
                D::STENCIL_TEST_ENABLE,
                D::STENCIL_OP,
                D::STENCIL_COMPARE_MASK,
                D::STENCIL_WRITE_MASK,
                D::STENCIL_REFERENCE,
            ],
        ),
        (
            Parts::FRAGMENT_OUTPUT_INTERFACE,
            &[
                D::BLEND_CONSTANTS,
                D::COLOR_BLEND_ENABLE_EXT,
                D::COLOR_BLEND_EQUATION_EXT,
                D::COLOR_WRITE_MASK_EXT,
                D::COLOR_WRITE_ENABLE_EXT,
                D::LOGIC_OP_ENABLE_EXT,
                D::LOGIC_OP_EXT,
                D::ALPHA_TO_COVERAGE_ENABLE_EXT,
                D::ALPHA_TO_ONE_ENABLE_EXT,
                D::RASTERIZATION_SAMPLES_EXT,
                D::SAMPLE_MASK_EXT,
                D::SAMPLE_LOCATIONS_EXT,
                D::SAMPLE_LOCATIONS_ENABLE_EXT,
            ],
        ),
    ]
};

/// The part that a dynamic state belongs to.
fn part_of(state: vk::DynamicState) -> Parts {
    let known = DYNAMIC.iter().find(|(_, states)| states.contains(&state));
    known.map_or(Parts::PRE_RASTERIZATION_SHADERS, |(part, _)| *part)
}

/// The libraries of a graphics pipeline, and the parts that it describes itself.
pub(super) struct Libraries<'c> {
    list: &'c [vk::Pipeline],
    /// The parts of the structure itself.
    pub(super) own: Parts,
}

impl<'c> Libraries<'c> {
    /// Those of a structure with these flags.
    pub(super) fn of(
        create: &'c vk::GraphicsPipelineCreateInfo<'_>,
        flags: vk::PipelineCreateFlags,
    ) -> Libraries<'c> {
        let list = find::<vk::PipelineLibraryCreateInfoKHR<'_>>(create.p_next);
        let list = list.map(members::pipeline_library_create_info_khr_libraries).unwrap_or_default();
        let is_library = flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR);
        let own = match find::<vk::GraphicsPipelineLibraryCreateInfoEXT<'_>>(create.p_next) {
            Some(own) => own.flags,
            None if is_library || !list.is_empty() => Parts::empty(),
            None => ALL,
        };
        Libraries { list, own }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn iter(&self) -> impl Iterator<Item = &'c Library> {
        self.list.iter().filter_map(|library| match &object(*library)?.kind {
            PipelineKind::Library(library) => Some(&**library),
            _ => None,
        })
    }

    /// The shaders of the libraries.
    pub(super) fn stages(&self) -> LibraryStages {
        let mut stages = LibraryStages::default();
        self.iter().for_each(|library| stages.add(&library.stages));
        stages
    }

    /// The combined state of the structure and the libraries, and its parts.
    ///
    /// # Errors
    /// An unsupported stage.
    pub(super) fn whole(
        &self,
        create: &vk::GraphicsPipelineCreateInfo<'_>,
        modules: Modules<'_>,
    ) -> Result<(GraphicsInfo, Parts), Error> {
        let said = graphics_info(create, self.own, modules)?;
        if self.own == ALL {
            return Ok((said, ALL));
        }
        let (mut info, mut parts) = (GraphicsInfo::default(), self.own);
        take(&mut info, &said, self.own);
        for library in self.iter() {
            take(&mut info, &library.info, library.parts);
            parts |= library.parts;
        }
        Ok((info, parts))
    }
}

/// Copies parts.
fn take(to: &mut GraphicsInfo, from: &GraphicsInfo, parts: Parts) {
    to.dynamic.extend(from.dynamic.iter().filter(|state| parts.contains(part_of(**state))));
    if parts.contains(Parts::VERTEX_INPUT_INTERFACE) {
        to.state.input.clone_from(&from.state.input);
        (to.state.topology, to.state.restart) = (from.state.topology, from.state.restart);
    }
    if parts.contains(Parts::PRE_RASTERIZATION_SHADERS) {
        to.vertex.clone_from(&from.vertex);
        to.control.clone_from(&from.control);
        to.evaluation.clone_from(&from.evaluation);
        to.state.patch = from.state.patch;
        to.geometry.clone_from(&from.geometry);
        to.task.clone_from(&from.task);
        to.mesh.clone_from(&from.mesh);
        to.state.raster = from.state.raster;
        to.state.viewports.clone_from(&from.state.viewports);
        to.state.scissors.clone_from(&from.state.scissors);
    }
    if parts.contains(Parts::FRAGMENT_SHADER) {
        to.fragment.clone_from(&from.fragment);
        to.state.depth = from.state.depth;
        to.shading |= from.shading;
    }
    if parts.contains(Parts::FRAGMENT_OUTPUT_INTERFACE) {
        to.state.samples = from.state.samples;
        to.formats.clone_from(&from.formats);
        to.state.blending = from.state.blending;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_what_is_theirs() {
        let mut said = GraphicsInfo::default();
        said.state.topology = vk::PrimitiveTopology::TRIANGLE_FAN;
        said.state.raster.line_width = 2.0;
        said.state.patch.vertices = 3;
        said.state.depth.write = true;
        said.state.samples.mask = 5;
        said.shading = true;
        said.dynamic = vec![vk::DynamicState::VIEWPORT, vk::DynamicState::DEPTH_TEST_ENABLE];
        let mut info = GraphicsInfo::default();
        take(&mut info, &said, Parts::FRAGMENT_OUTPUT_INTERFACE);
        assert_eq!((info.state.samples.mask, info.shading, info.dynamic.len()), (5, false, 0));
        take(&mut info, &said, Parts::FRAGMENT_SHADER);
        assert!(info.shading && info.state.depth.write);
        assert_eq!(info.dynamic, [vk::DynamicState::DEPTH_TEST_ENABLE]);
        assert_eq!(info.state.topology, vk::PrimitiveTopology::default());
        take(&mut info, &said, Parts::VERTEX_INPUT_INTERFACE | Parts::PRE_RASTERIZATION_SHADERS);
        assert_eq!(info.state.topology, vk::PrimitiveTopology::TRIANGLE_FAN);
        assert_eq!((info.state.raster.line_width, info.state.patch.vertices), (2.0, 3));
        assert_eq!(info.dynamic.len(), 2);
    }
}
