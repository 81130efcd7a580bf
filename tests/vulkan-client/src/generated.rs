//! Commands that the device generates (`VK_EXT_device_generated_commands`): lines `generated`, `token` and `values`.
//!
//! The crate `ash` does not have the extension, so its structures are defined here, as far as they are used.

use std::ffi::{CStr, c_void};

use ash::vk::{self, Handle as _};

use crate::Error;
use crate::device::Device;
use crate::objects;
use crate::pipeline::{Bound, Shader};
use crate::request::{Request, number};

/// The extension.
pub const NAME: &CStr = c"VK_EXT_device_generated_commands";

/// Defines structures with their types.
macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident $number:literal { $($field:ident: $kind:ty = $value:expr,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            #[repr(C)]
            pub struct $name {
                s_type: vk::StructureType,
                p_next: *const c_void,
                $($field: $kind,)*
            }

            impl Default for $name {
                fn default() -> $name {
                    let s_type = vk::StructureType::from_raw($number);
                    $name { s_type, p_next: std::ptr::null(), $($field: $value,)* }
                }
            }
        )*
    };
}

structures! {
    /// Whether commands are generated.
    Features 1_000_572_000 { generated: vk::Bool32 = vk::FALSE, layouts: vk::Bool32 = vk::FALSE, }
    /// The commands whose memory is asked for.
    Needs 1_000_572_002 { set: u64 = 0, layout: u64 = 0, most: u32 = 0, draws: u32 = 0, }
    /// A set of programs.
    CreateSet 1_000_572_003 { kind: u32 = 0, info: *const c_void = std::ptr::null(), }
    /// Commands to execute.
    Info 1_000_572_004 {
        stages: vk::ShaderStageFlags = vk::ShaderStageFlags::empty(),
        set: u64 = 0,
        layout: u64 = 0,
        values: u64 = 0,
        values_bytes: u64 = 0,
        memory: u64 = 0,
        memory_bytes: u64 = 0,
        most: u32 = 0,
        count: u64 = 0,
        draws: u32 = 0,
    }
    /// The tokens of sequences.
    CreateLayout 1_000_572_006 {
        flags: u32 = 0,
        stages: vk::ShaderStageFlags = vk::ShaderStageFlags::empty(),
        stride: u32 = 0,
        pipeline_layout: vk::PipelineLayout = vk::PipelineLayout::null(),
        count: u32 = 0,
        tokens: *const Token = std::ptr::null(),
    }
    /// A token.
    Token 1_000_572_007 { kind: u32 = 0, data: *const Data = std::ptr::null(), offset: u32 = 0, }
    /// A pipeline or a shader of a set.
    Write 1_000_572_008 { index: u32 = 0, program: u64 = 0, }
    /// A set of pipelines.
    Pipelines 1_000_572_010 { first: vk::Pipeline = vk::Pipeline::null(), most: u32 = 0, }
    /// A set of shaders.
    Shaders 1_000_572_011 {
        count: u32 = 0,
        first: *const vk::ShaderEXT = std::ptr::null(),
        layouts: *const SetLayouts = std::ptr::null(),
        most: u32 = 0,
        ranges: u32 = 0,
        push: *const vk::PushConstantRange = std::ptr::null(),
    }
    /// The descriptor sets of a shader.
    SetLayouts 1_000_572_012 { count: u32 = 0, layouts: *const vk::DescriptorSetLayout = std::ptr::null(), }
    /// The pipeline of commands without a set.
    OfPipeline 1_000_572_013 { pipeline: vk::Pipeline = vk::Pipeline::null(), }
    /// The shaders of commands without a set.
    OfShaders 1_000_572_014 { count: u32 = 0, shaders: *const vk::ShaderEXT = std::ptr::null(), }
}

/// The type of [`Write`] for shaders.
const WRITE_SHADER: i32 = 1_000_572_009;

// SAFETY: the structure begins with its type and the link of the chain.
unsafe impl vk::TaggedStructure for Features {
    const STRUCTURE_TYPE: vk::StructureType = vk::StructureType::from_raw(1_000_572_000);
}
// SAFETY: features are part of the chain that asks for them and of the chain of a device.
unsafe impl vk::ExtendsPhysicalDeviceFeatures2 for Features {}

/// The details of a token: push constants, the number of a vertex buffer or the form of an index buffer, or the kind and the stages of
/// programs.
#[derive(Clone, Copy)]
#[repr(C)]
union Data {
    push: vk::PushConstantRange,
    number: u32,
    programs: (u32, vk::ShaderStageFlags),
}

/// The flag of pipelines in sets.
const BINDABLE: vk::PipelineCreateFlags2KHR = vk::PipelineCreateFlags2KHR::from_raw(1 << 38);
/// The flag of shaders in sets.
const BINDABLE_SHADER: vk::ShaderCreateFlagsEXT = vk::ShaderCreateFlagsEXT::from_raw(1 << 7);
/// The usage of memory for generated commands.
const MEMORY_USAGE: vk::BufferUsageFlags2KHR =
    vk::BufferUsageFlags2KHR::from_raw(1 << 31 | vk::BufferUsageFlags2KHR::SHADER_DEVICE_ADDRESS.as_raw());

type CreateLayoutFn =
    unsafe extern "system" fn(vk::Device, &CreateLayout, *const c_void, &mut u64) -> vk::Result;
type CreateSetFn = unsafe extern "system" fn(vk::Device, &CreateSet, *const c_void, &mut u64) -> vk::Result;
type UpdateFn = unsafe extern "system" fn(vk::Device, u64, u32, *const Write);
type NeedsFn = unsafe extern "system" fn(vk::Device, &Needs, &mut vk::MemoryRequirements2<'_>);
type PreprocessFn = unsafe extern "system" fn(vk::CommandBuffer, &Info, vk::CommandBuffer);
type ExecuteFn = unsafe extern "system" fn(vk::CommandBuffer, vk::Bool32, &Info);
/// A function of any type.
type Function = unsafe extern "system" fn();

/// Functions of generated commands.
pub struct Functions {
    create_layout: CreateLayoutFn,
    create_set: CreateSetFn,
    update_pipelines: UpdateFn,
    update_shaders: UpdateFn,
    needs: NeedsFn,
    preprocess: PreprocessFn,
    execute: ExecuteFn,
}

impl Functions {
    /// The functions of a device; `None` if it does not have them.
    pub fn new(instance: &ash::Instance, device: &ash::Device) -> Option<Functions> {
        // SAFETY: the device is this instance's, and the functions have these types.
        unsafe {
            let find =
                |name: &CStr| (instance.fp_v1_0().get_device_proc_addr)(device.handle(), name.as_ptr());
            Some(Functions {
                create_layout: std::mem::transmute::<Function, CreateLayoutFn>(find(
                    c"vkCreateIndirectCommandsLayoutEXT",
                )?),
                create_set: std::mem::transmute::<Function, CreateSetFn>(find(
                    c"vkCreateIndirectExecutionSetEXT",
                )?),
                update_pipelines: std::mem::transmute::<Function, UpdateFn>(find(
                    c"vkUpdateIndirectExecutionSetPipelineEXT",
                )?),
                update_shaders: std::mem::transmute::<Function, UpdateFn>(find(
                    c"vkUpdateIndirectExecutionSetShaderEXT",
                )?),
                needs: std::mem::transmute::<Function, NeedsFn>(find(
                    c"vkGetGeneratedCommandsMemoryRequirementsEXT",
                )?),
                preprocess: std::mem::transmute::<Function, PreprocessFn>(find(
                    c"vkCmdPreprocessGeneratedCommandsEXT",
                )?),
                execute: std::mem::transmute::<Function, ExecuteFn>(find(
                    c"vkCmdExecuteGeneratedCommandsEXT",
                )?),
            })
        }
    }
}

/// Programs of generated commands: those that sequences choose from, or those of a draw.
pub enum Programs {
    /// Pipelines.
    Pipelines(Vec<vk::Pipeline>),
    /// Shader objects.
    Shaders(Vec<vk::ShaderEXT>),
}

impl Programs {
    /// The programs of compute shaders of a request.
    fn compute(
        device: &Device,
        request: &Request,
        bound: &Bound,
        shaders: &[Shader],
    ) -> Result<Programs, Error> {
        Ok(match request.word("way") {
            Ok(way) => Programs::Shaders(objects::create(device, way, shaders, bound, BINDABLE_SHADER)?),
            Err(_) => Programs::Pipelines(pipelines(device, bound, shaders)?),
        })
    }
}

/// Generated commands of a request.
pub struct Commands<'d> {
    device: &'d Device,
    functions: &'d Functions,
    programs: Programs,
    info: Info,
    /// The structures for the program that runs without a set: one for a pipeline, one for shader objects.
    pipeline: OfPipeline,
    shader: OfShaders,
    is_preprocessed: bool,
}

/// Tokens with their details, bytes of a sequence, and whether they choose a program.
struct Tokens {
    list: Vec<(u32, Option<Data>, u32)>,
    stride: u32,
    chooses: bool,
}

/// The tokens of a request with these stages.
fn tokens(request: &Request, stage_flags: vk::ShaderStageFlags, objects: bool) -> Result<Tokens, Error> {
    let mut tokens = Tokens { list: Vec::new(), stride: 0, chooses: false };
    for words in request.all("token") {
        let rest = words.get(1..).unwrap_or_default();
        let rest: Vec<u32> = rest.iter().map(|word| number(word)).collect::<Result<_, _>>()?;
        let push = |first: u32, count: u32| {
            Some(Data { push: vk::PushConstantRange { stage_flags, offset: 4 * first, size: 4 * count } })
        };
        let (kind, data, count) = match (words[0].as_str(), rest.as_slice()) {
            ("program", []) => {
                tokens.chooses = true;
                (0, Some(Data { programs: (objects.into(), stage_flags) }), 1)
            }
            ("push", [first, count]) => (1, push(*first, *count), *count),
            ("number", [first]) => (2, push(*first, 1), 1),
            ("indices", [mode]) => (3, Some(Data { number: *mode }), 4),
            ("vertices", [binding]) => (4, Some(Data { number: *binding }), 4),
            ("indexed", []) => (5, None, 5),
            ("draw", []) => (6, None, 4),
            ("several", []) => (7, None, 4),
            ("draws", []) => (8, None, 4),
            ("meshes", []) => (1_000_328_000, None, 3),
            ("dispatch", []) => (9, None, 3),
            (other, _) => return Err(format!("unknown token `{other}`").into()),
        };
        tokens.list.push((kind, data, tokens.stride));
        tokens.stride += 4 * count;
    }
    Ok(tokens)
}

impl<'d> Commands<'d> {
    /// The dispatches of a request, if it has any.
    ///
    /// # Errors
    /// Vulkan's error, unknown words, or a driver without generated commands.
    pub fn compute(
        device: &'d Device,
        request: &Request,
        bound: &Bound,
        shaders: &[Shader],
    ) -> Result<Option<Commands<'d>>, Error> {
        if !request.has("generated") {
            return Ok(None);
        }
        let programs = Programs::compute(device, request, bound, shaders)?;
        Commands::new(device, request, bound, (programs, vk::ShaderStageFlags::COMPUTE)).map(Some)
    }

    /// The commands of a request with these programs and stages.
    ///
    /// # Errors
    /// As [`Commands::compute`].
    pub fn new(
        device: &'d Device,
        request: &Request,
        bound: &Bound,
        (programs, stages): (Programs, vk::ShaderStageFlags),
    ) -> Result<Commands<'d>, Error> {
        let words = request.words("generated").unwrap_or_default();
        let functions = device.generated.as_ref().ok_or("the driver generates no commands")?;
        let has = |word: &str| words.iter().any(|found| found == word);
        let [most, count, ..] = words else { return Err("`generated` wants two words".into()) };
        let tokens = tokens(request, stages, matches!(programs, Programs::Shaders(_)))?;
        let mut commands = Commands {
            device,
            functions,
            programs,
            info: Info { stages, most: number(most)?, ..Info::default() },
            pipeline: OfPipeline::default(),
            shader: OfShaders::default(),
            is_preprocessed: has("preprocessed"),
        };
        let values = values(device, request)?;
        commands.info.values = addressed(device, &values)?;
        commands.info.values_bytes = 4 * values.len() as u64;
        if count != "all" {
            commands.info.count = addressed(device, &[number(count)?])?;
        }
        let flags = u32::from(commands.is_preprocessed) | u32::from(has("unordered")) << 1;
        if let Some(draws) = words.iter().find_map(|word| word.strip_prefix("draws:")) {
            commands.info.draws = number(draws)?;
        }
        commands.info.layout = commands.layout(&tokens, flags, has("described"), bound)?;
        if tokens.chooses {
            commands.info.set = commands.set(bound)?;
        }
        commands.provide()?;
        Ok(commands)
    }

    /// The layout of tokens; the pipeline layout is described or named.
    fn layout(&self, tokens: &Tokens, flags: u32, described: bool, bound: &Bound) -> Result<u64, Error> {
        let list: Vec<Token> = tokens
            .list
            .iter()
            .map(|(kind, data, offset)| Token {
                kind: *kind,
                data: data.as_ref().map_or(std::ptr::null(), |data| data),
                offset: *offset,
                ..Token::default()
            })
            .collect();
        let sets = [bound.set_layout];
        let ranges: Vec<_> = bound.push_range().into_iter().collect();
        let description =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        let mut create = CreateLayout {
            flags,
            stages: self.info.stages,
            stride: tokens.stride,
            count: list.len() as u32,
            tokens: list.as_ptr(),
            ..CreateLayout::default()
        };
        match described {
            true => create.p_next = (&raw const description).cast(),
            false => create.pipeline_layout = bound.layout,
        }
        let mut layout = 0;
        // SAFETY: structures live through the call.
        unsafe {
            let handle = self.device.functions.handle();
            (self.functions.create_layout)(handle, &create, std::ptr::null(), &mut layout).result()?;
        }
        Ok(layout)
    }

    /// A set of the programs; those after the first are put into it later.
    fn set(&self, bound: &Bound) -> Result<u64, Error> {
        let layouts = [bound.set_layout];
        let of_shader = SetLayouts { count: 1, layouts: layouts.as_ptr(), ..SetLayouts::default() };
        let ranges: Vec<_> = bound.push_range().into_iter().collect();
        let (mut of_pipelines, mut of_shaders) = (Pipelines::default(), Shaders::default());
        let mut create = CreateSet::default();
        let programs: Vec<u64> = match &self.programs {
            Programs::Pipelines(list) => {
                of_pipelines.first = list[0];
                of_pipelines.most = list.len() as u32;
                create.info = (&raw const of_pipelines).cast();
                list.iter().map(|pipeline| pipeline.as_raw()).collect()
            }
            Programs::Shaders(list) => {
                (of_shaders.count, of_shaders.first) = (1, list.as_ptr());
                (of_shaders.layouts, of_shaders.most) = (&raw const of_shader, list.len() as u32);
                (of_shaders.ranges, of_shaders.push) = (ranges.len() as u32, ranges.as_ptr());
                (create.kind, create.info) = (1, (&raw const of_shaders).cast());
                list.iter().map(|shader| shader.as_raw()).collect()
            }
        };
        let (update, s_type) = match create.kind {
            0 => (self.functions.update_pipelines, Write::default().s_type),
            _ => (self.functions.update_shaders, vk::StructureType::from_raw(WRITE_SHADER)),
        };
        let more = (1..).zip(&programs[1..]);
        let writes: Vec<Write> = more
            .map(|(index, program)| Write { s_type, index, program: *program, ..Write::default() })
            .collect();
        let mut set = 0;
        // SAFETY: structures live through the calls.
        unsafe {
            let handle = self.device.functions.handle();
            (self.functions.create_set)(handle, &create, std::ptr::null(), &mut set).result()?;
            if !writes.is_empty() {
                update(handle, set, writes.len() as u32, writes.as_ptr());
            }
        }
        Ok(set)
    }

    /// Provides the memory that the commands need.
    fn provide(&mut self) -> Result<(), Error> {
        match &self.programs {
            Programs::Pipelines(list) => self.pipeline.pipeline = list[0],
            Programs::Shaders(list) => {
                let is_compute = self.info.stages == vk::ShaderStageFlags::COMPUTE;
                self.shader.count = if is_compute { 1 } else { list.len() as u32 };
                self.shader.shaders = list.as_ptr();
            }
        }
        let Info { set, layout, most, draws, .. } = self.info;
        let needs = Needs { p_next: self.chain(), set, layout, most, draws, ..Needs::default() };
        let mut found = vk::MemoryRequirements2::default();
        // SAFETY: structures live through the call.
        unsafe { (self.functions.needs)(self.device.functions.handle(), &needs, &mut found) };
        let bytes = found.memory_requirements.size;
        if bytes > 0 {
            let mut usage = vk::BufferUsageFlags2CreateInfoKHR::default().usage(MEMORY_USAGE);
            let create = vk::BufferCreateInfo::default().size(bytes).push_next(&mut usage);
            (self.info.memory, self.info.memory_bytes) = (address(self.device, &create, &[])?, bytes);
        }
        Ok(())
    }

    /// The structure for the program that runs without a set; null with one.
    fn chain(&self) -> *const c_void {
        match (&self.programs, self.info.set) {
            (_, 1..) => std::ptr::null(),
            (Programs::Pipelines(_), 0) => (&raw const self.pipeline).cast(),
            (Programs::Shaders(_), 0) => (&raw const self.shader).cast(),
        }
    }

    /// Binds the first compute program.
    fn bind(&self, commands: vk::CommandBuffer) -> Result<(), Error> {
        match &self.programs {
            Programs::Shaders(list) => {
                objects::bind(self.device, commands, &[(list[0], vk::ShaderStageFlags::COMPUTE)])
            }
            Programs::Pipelines(list) => {
                let point = vk::PipelineBindPoint::COMPUTE;
                // SAFETY: the command buffer is being recorded.
                unsafe { self.device.functions.cmd_bind_pipeline(commands, point, list[0]) };
                Ok(())
            }
        }
    }

    /// Executes the commands. Programs of draws are bound.
    ///
    /// # Errors
    /// The driver does not have shader objects.
    pub fn execute(&self, commands: vk::CommandBuffer) -> Result<(), Error> {
        if self.info.stages == vk::ShaderStageFlags::COMPUTE {
            self.bind(commands)?;
        }
        let info = Info { p_next: self.chain(), ..self.info };
        // SAFETY: as above; structures live through the calls.
        unsafe {
            if self.is_preprocessed {
                (self.functions.preprocess)(commands, &info, commands);
                self.device.barrier(commands);
            }
            (self.functions.execute)(commands, self.is_preprocessed.into(), &info);
        }
        Ok(())
    }
}

/// The pipelines of compute shaders.
fn pipelines(device: &Device, bound: &Bound, shaders: &[Shader]) -> Result<Vec<vk::Pipeline>, Error> {
    let make = |shader: &Shader| {
        let constants = shader.specialization();
        let mut flags = vk::PipelineCreateFlags2CreateInfoKHR::default().flags(BINDABLE);
        let stage = shader.create(&constants);
        let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(bound.layout);
        let create = [create.push_next(&mut flags)];
        let cache = vk::PipelineCache::null();
        // SAFETY: handles are this device's; structures live through the call.
        let made = unsafe { device.functions.create_compute_pipelines(cache, &create, None) };
        Ok(*made.map_err(|(_, error)| error)?.first().ok_or("no pipeline")?)
    };
    shaders.iter().map(make).collect()
}

/// The values of a request: numbers, and addresses of copies of its vertex buffers (`vertex:NUMBER:BYTES`, from a byte on), of its indices
/// (`index:BYTES`) and of parameters of draws (`parameters:BYTES`).
fn values(device: &Device, request: &Request) -> Result<Vec<u32>, Error> {
    let mut values = Vec::new();
    for word in request.all("values").flatten() {
        let parts: Vec<&str> = word.split(':').collect();
        let (words, first) = match parts.as_slice() {
            ["vertex", at, first] => {
                let at = number(at)? as usize;
                let list = request.all("vertex_data").nth(at).ok_or("an unknown vertex buffer")?;
                (words(list.get(2..))?, first)
            }
            ["parameters", first] => {
                let list: Vec<String> = request.all("parameters").flatten().cloned().collect();
                (words(Some(&list))?, first)
            }
            ["index", first] => {
                let indices = words(request.words("indices").and_then(|list| list.get(1..)))?;
                (packed(&indices, request.word("indices")?), first)
            }
            _ => {
                values.push(number(word)?);
                continue;
            }
        };
        let address = addressed(device, &words)? + u64::from(number(first)?);
        values.extend([address as u32, (address >> 32) as u32]);
    }
    Ok(values)
}

fn words(list: Option<&[String]>) -> Result<Vec<u32>, Error> {
    list.unwrap_or_default().iter().map(|word| number(word)).collect()
}

/// Indices of a type as words.
fn packed(indices: &[u32], kind: &str) -> Vec<u32> {
    match kind {
        "u16" => indices.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 16).collect(),
        _ => indices.to_vec(),
    }
}

/// Address of a buffer with these words.
fn addressed(device: &Device, words: &[u32]) -> Result<u64, Error> {
    use vk::BufferUsageFlags as U;
    let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let usage = U::INDIRECT_BUFFER | U::VERTEX_BUFFER | U::INDEX_BUFFER | U::SHADER_DEVICE_ADDRESS;
    let create = vk::BufferCreateInfo::default().size(content.len().max(4) as u64).usage(usage);
    address(device, &create, &content)
}

/// Address of a buffer with these bytes.
fn address(device: &Device, create: &vk::BufferCreateInfo<'_>, content: &[u8]) -> Result<u64, Error> {
    let functions = &device.functions;
    // SAFETY: handles are this device's; the mapping has the size of the buffer.
    unsafe {
        let buffer = functions.create_buffer(create, None)?;
        let memory = device.allocate_addressed(functions.get_buffer_memory_requirements(buffer))?;
        functions.bind_buffer_memory(buffer, memory, 0)?;
        let pointer = functions.map_memory(memory, 0, create.size, vk::MemoryMapFlags::empty())?;
        std::ptr::copy_nonoverlapping(content.as_ptr(), pointer.cast(), content.len());
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        Ok(functions.get_buffer_device_address(&info))
    }
}
