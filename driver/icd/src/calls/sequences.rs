//! Commands that the device generates (`VK_EXT_device_generated_commands`).

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::command::CommandBuffer;
use agx_driver::render::DrawKind;
use agx_driver::sequences::{Action, ProgramSet, SequenceLayout, Sequences, SetProgram, Token, execute};
use ash::vk;

use crate::generated::members;
use crate::handles::{give, object, shared, take};
use crate::newer::{
    GeneratedCommandsInfo, GeneratedCommandsMemoryRequirementsInfo, IndirectCommandsLayoutCreateInfo,
    IndirectCommandsLayoutHandle, IndirectCommandsLayoutToken, IndirectExecutionSetCreateInfo,
    IndirectExecutionSetHandle, WriteIndirectExecutionSetPipeline, WriteIndirectExecutionSetShader, token,
};
use crate::objects::{Device, PipelineKind};

/// The type of a set of pipelines (`VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT`).
const PIPELINES: u32 = 0;

/// The errors for what the properties do not offer.
const UNKNOWN: Error = Error::Unsupported { what: "a token of generated commands of this type" };
const LIBRARY: Error = Error::Invalid { what: "a set of programs with a pipeline library" };

/// A token of a layout.
fn token_of(given: &IndirectCommandsLayoutToken) -> Result<Token, Error> {
    let at = given.offset / 4;
    let range = || {
        let known = members::indirect_commands_token_data_ext_push_constant(&given.data);
        let range = known.map(|known| known.update_range).unwrap_or_default();
        (range.offset / 4, range.size / 4)
    };
    Ok(match given.kind {
        token::EXECUTION_SET => {
            let known = members::indirect_commands_token_data_ext_execution_set(&given.data);
            let stages = known.filter(|known| known.kind != PIPELINES).map(|known| known.shader_stages);
            Token::Program { at, stages: stages.unwrap_or_default() }
        }
        token::PUSH_CONSTANT => {
            let (first, count) = range();
            Token::Push { at, first, count }
        }
        token::SEQUENCE_INDEX => Token::Number { first: range().0 },
        token::INDEX_BUFFER => Token::IndexBuffer { at },
        token::VERTEX_BUFFER => {
            let known = members::indirect_commands_token_data_ext_vertex_buffer(&given.data);
            Token::VertexBuffer { at, number: known.map_or(0, |known| known.vertex_binding_unit) }
        }
        token::DRAW_INDEXED => Token::Action(Action::Draw { at, kind: DrawKind::Indices }),
        token::DRAW => Token::Action(Action::Draw { at, kind: DrawKind::Vertices }),
        token::DRAW_MESH_TASKS => Token::Action(Action::Draw { at, kind: DrawKind::Meshes }),
        token::DRAW_INDEXED_COUNT => Token::Action(Action::Draws { at, kind: DrawKind::Indices }),
        token::DRAW_COUNT => Token::Action(Action::Draws { at, kind: DrawKind::Vertices }),
        token::DRAW_MESH_TASKS_COUNT => Token::Action(Action::Draws { at, kind: DrawKind::Meshes }),
        token::DISPATCH => Token::Action(Action::Dispatch { at }),
        _ => return Err(UNKNOWN),
    })
}

pub(crate) fn create_indirect_commands_layout_ext(
    _: &Arc<Device>,
    info: &IndirectCommandsLayoutCreateInfo,
    out: &mut IndirectCommandsLayoutHandle,
) -> Result<(), Error> {
    let tokens = members::indirect_commands_layout_create_info_ext_tokens(info).iter().map(token_of);
    let layout = SequenceLayout::new(tokens.collect::<Result<_, _>>()?, info.indirect_stride)?;
    *out = give(Arc::new(layout));
    Ok(())
}

pub(crate) fn destroy_indirect_commands_layout_ext(_: &Arc<Device>, layout: IndirectCommandsLayoutHandle) {
    drop(take(layout));
}

/// The program of a pipeline.
fn of_pipeline(pipeline: vk::Pipeline) -> Result<SetProgram, Error> {
    match &shared(pipeline)?.kind {
        PipelineKind::Compute(pipeline) => Ok(SetProgram::Compute(pipeline.clone())),
        PipelineKind::Graphics(pipeline) => Ok(SetProgram::Graphics(pipeline.clone())),
        PipelineKind::Library(_) => Err(LIBRARY),
    }
}

pub(crate) fn create_indirect_execution_set_ext(
    _: &Arc<Device>,
    info: &IndirectExecutionSetCreateInfo,
    out: &mut IndirectExecutionSetHandle,
) -> Result<(), Error> {
    let nothing = Error::Invalid { what: "a set of programs without any" };
    let set = if info.kind == PIPELINES {
        let given = members::indirect_execution_set_info_ext_pipeline_info(&info.info).ok_or(nothing)?;
        ProgramSet::new([of_pipeline(given.initial_pipeline)?], given.max_pipeline_count)
    } else {
        let given = members::indirect_execution_set_info_ext_shader_info(&info.info).ok_or(nothing)?;
        let shaders = members::indirect_execution_set_shader_info_ext_initial_shaders(given).iter();
        let programs: Vec<_> =
            shaders.map(|shader| shared(*shader).map(SetProgram::Shader)).collect::<Result<_, _>>()?;
        ProgramSet::new(programs, given.max_shader_count)
    };
    *out = give(Arc::new(set));
    Ok(())
}

pub(crate) fn destroy_indirect_execution_set_ext(_: &Arc<Device>, set: IndirectExecutionSetHandle) {
    drop(take(set));
}

pub(crate) fn update_indirect_execution_set_pipeline_ext(
    _: &Arc<Device>,
    set: IndirectExecutionSetHandle,
    writes: &[WriteIndirectExecutionSetPipeline],
) {
    update(set, writes.iter().map(|write| (write.index, of_pipeline(write.pipeline))));
}

pub(crate) fn update_indirect_execution_set_shader_ext(
    _: &Arc<Device>,
    set: IndirectExecutionSetHandle,
    writes: &[WriteIndirectExecutionSetShader],
) {
    update(set, writes.iter().map(|write| (write.index, shared(write.shader).map(SetProgram::Shader))));
}

/// Puts programs into a set.
fn update(set: IndirectExecutionSetHandle, writes: impl Iterator<Item = (u32, Result<SetProgram, Error>)>) {
    let Some(set) = object(set) else { return };
    for (number, program) in writes {
        if let Ok(program) = program {
            set.set(number, program);
        }
    }
}

/// Generated commands have their memory in the command buffer.
pub(crate) fn get_generated_commands_memory_requirements_ext(
    _: &Arc<Device>,
    _: &GeneratedCommandsMemoryRequirementsInfo,
    out: &mut vk::MemoryRequirements2<'_>,
) {
    out.memory_requirements = vk::MemoryRequirements { size: 0, alignment: 4, memory_type_bits: 1 };
}

/// There is nothing to be done before the execution.
pub(crate) fn cmd_preprocess_generated_commands_ext(
    _: &mut CommandBuffer,
    _: &GeneratedCommandsInfo,
    _: vk::CommandBuffer,
) {
}

pub(crate) fn cmd_execute_generated_commands_ext(
    buffer: &mut CommandBuffer,
    _: vk::Bool32,
    info: &GeneratedCommandsInfo,
) {
    let sequences = shared(info.indirect_commands_layout).map(|layout| Sequences {
        layout,
        programs: object(info.indirect_execution_set).map(ProgramSet::programs),
        values: (info.indirect_address, info.indirect_address_size),
        most: info.max_sequence_count,
        draws: info.max_draw_count,
        count: (info.sequence_count_address != 0).then_some(info.sequence_count_address),
    });
    buffer.record(move |recorder| execute(recorder, &sequences.clone()?));
}
