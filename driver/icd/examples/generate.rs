//! Generates `src/generated.rs` from `vk.xml`: entry points, the table of their names, and accessors for pointer
//! members of structures.
//!
//! ```text
//! cargo run -p agx-icd --example generate -- /usr/share/vulkan/registry/vk.xml > driver/icd/src/generated.rs
//! ```
//!
//! Debian has the registry in `libvulkan-dev`; the committed file is of Khronos' registry 1.4.359. Entry points convert handles, pointers and counts to references and
//! slices and call the function of the same name in `calls`. [`VERSIONS`] and [`EXTENSIONS`] determine the commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use roxmltree::{Document, Node};

/// Vulkan versions whose commands are generated.
const VERSIONS: [&str; 5] = ["1.0", "1.1", "1.2", "1.3", "1.4"];

/// Those of them whose types the crate `ash` has by their names: it names later types after their extensions.
const TYPED_VERSIONS: [&str; 4] = ["1.0", "1.1", "1.2", "1.3"];

/// Extensions whose commands are generated, besides those that became part of a version.
const EXTENSIONS: [&str; 51] = [
    "VK_KHR_acceleration_structure",
    "VK_KHR_deferred_host_operations",
    "VK_KHR_cooperative_matrix",
    "VK_KHR_push_descriptor",
    "VK_KHR_dynamic_rendering_local_read",
    "VK_KHR_maintenance5",
    "VK_KHR_maintenance6",
    "VK_KHR_external_fence_fd",
    "VK_KHR_external_memory_fd",
    "VK_KHR_external_semaphore_fd",
    "VK_KHR_present_id",
    "VK_KHR_present_id2",
    "VK_KHR_present_wait",
    "VK_KHR_present_wait2",
    "VK_KHR_pipeline_binary",
    "VK_KHR_pipeline_executable_properties",
    "VK_KHR_pipeline_library",
    "VK_KHR_calibrated_timestamps",
    "VK_KHR_line_rasterization",
    "VK_KHR_map_memory2",
    "VK_EXT_blend_operation_advanced",
    "VK_EXT_calibrated_timestamps",
    "VK_EXT_color_write_enable",
    "VK_EXT_conditional_rendering",
    "VK_EXT_depth_bias_control",
    "VK_EXT_depth_clip_enable",
    "VK_EXT_device_generated_commands",
    "VK_EXT_extended_dynamic_state2",
    "VK_EXT_extended_dynamic_state3",
    "VK_EXT_host_image_copy",
    "VK_EXT_image_drm_format_modifier",
    "VK_EXT_line_rasterization",
    "VK_EXT_mesh_shader",
    "VK_EXT_multi_draw",
    "VK_EXT_present_timing",
    "VK_EXT_provoking_vertex",
    "VK_EXT_sample_locations",
    "VK_EXT_shader_module_identifier",
    "VK_EXT_shader_object",
    "VK_EXT_swapchain_maintenance1",
    "VK_KHR_swapchain_maintenance1",
    "VK_EXT_tooling_info",
    "VK_EXT_transform_feedback",
    "VK_EXT_vertex_input_dynamic_state",
    "VK_KHR_surface",
    "VK_KHR_swapchain",
    "VK_KHR_get_surface_capabilities2",
    "VK_KHR_wayland_surface",
    "VK_KHR_xcb_surface",
    "VK_KHR_xlib_surface",
    "VK_EXT_headless_surface",
];

/// Dispatchable handles, whose first word the loader uses.
const DISPATCHABLE: [&str; 5] = ["VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkCommandBuffer"];

/// Types that are opaque to the driver.
const OPAQUE: [&str; 5] = ["void", "Display", "xcb_connection_t", "wl_display", "wl_surface"];

/// An extension whose types `ash` has by the names of the extension that it was before.
const RENAMED: &str = "VK_KHR_swapchain_maintenance1";

/// Types that are newer than the crate `ash`, and their names in `newer`.
const NEWER_TYPES: [[&str; 2]; 37] = [
    ["VkPipelineBinaryKHR", "PipelineBinaryHandle"],
    ["VkPipelineBinaryKeyKHR", "PipelineBinaryKey"],
    ["VkPipelineBinaryDataKHR", "PipelineBinaryData"],
    ["VkPipelineBinaryKeysAndDataKHR", "PipelineBinaryKeysAndData"],
    ["VkPipelineBinaryCreateInfoKHR", "PipelineBinaryCreateInfo"],
    ["VkPipelineBinaryInfoKHR", "PipelineBinaryInfo"],
    ["VkReleaseCapturedPipelineDataInfoKHR", "ReleaseCapturedPipelineDataInfo"],
    ["VkPipelineBinaryDataInfoKHR", "PipelineBinaryDataInfo"],
    ["VkPipelineCreateInfoKHR", "PipelineCreateInfo"],
    ["VkPipelineBinaryHandlesInfoKHR", "PipelineBinaryHandlesInfo"],
    ["VkPresentId2KHR", "PresentId2"],
    ["VkPresentWait2InfoKHR", "PresentWait2Info"],
    ["VkPresentTimingInfoEXT", "PresentTimingInfo"],
    ["VkPresentTimingsInfoEXT", "PresentTimingsInfo"],
    ["VkSwapchainTimingPropertiesEXT", "SwapchainTimingProperties"],
    ["VkSwapchainTimeDomainPropertiesEXT", "SwapchainTimeDomainProperties"],
    ["VkPastPresentationTimingInfoEXT", "PastPresentationTimingInfo"],
    ["VkPastPresentationTimingPropertiesEXT", "PastPresentationTimingProperties"],
    ["VkIndirectCommandsLayoutEXT", "IndirectCommandsLayoutHandle"],
    ["VkIndirectExecutionSetEXT", "IndirectExecutionSetHandle"],
    ["VkGeneratedCommandsMemoryRequirementsInfoEXT", "GeneratedCommandsMemoryRequirementsInfo"],
    ["VkGeneratedCommandsInfoEXT", "GeneratedCommandsInfo"],
    ["VkGeneratedCommandsShaderInfoEXT", "GeneratedCommandsShaderInfo"],
    ["VkIndirectExecutionSetCreateInfoEXT", "IndirectExecutionSetCreateInfo"],
    ["VkIndirectExecutionSetInfoEXT", "IndirectExecutionSetInfo"],
    ["VkIndirectExecutionSetPipelineInfoEXT", "IndirectExecutionSetPipelineInfo"],
    ["VkIndirectExecutionSetShaderInfoEXT", "IndirectExecutionSetShaderInfo"],
    ["VkIndirectExecutionSetShaderLayoutInfoEXT", "IndirectExecutionSetShaderLayoutInfo"],
    ["VkWriteIndirectExecutionSetPipelineEXT", "WriteIndirectExecutionSetPipeline"],
    ["VkWriteIndirectExecutionSetShaderEXT", "WriteIndirectExecutionSetShader"],
    ["VkIndirectCommandsLayoutCreateInfoEXT", "IndirectCommandsLayoutCreateInfo"],
    ["VkIndirectCommandsLayoutTokenEXT", "IndirectCommandsLayoutToken"],
    ["VkIndirectCommandsTokenDataEXT", "IndirectCommandsTokenData"],
    ["VkIndirectCommandsPushConstantTokenEXT", "IndirectCommandsPushConstantToken"],
    ["VkIndirectCommandsVertexBufferTokenEXT", "IndirectCommandsVertexBufferToken"],
    ["VkIndirectCommandsIndexBufferTokenEXT", "IndirectCommandsIndexBufferToken"],
    ["VkIndirectCommandsExecutionSetTokenEXT", "IndirectCommandsExecutionSetToken"],
];

/// A parameter of a command or a member of a structure.
struct Variable<'x> {
    name: String,
    ty: &'x str,
    constant: bool,
    pointers: usize,
    array: Option<String>,
    len: Vec<&'x str>,
    /// The parameter with the distance of elements.
    stride: Option<&'x str>,
    optional: bool,
}

impl<'x> Variable<'x> {
    fn new(node: Node<'x, 'x>) -> Variable<'x> {
        let child =
            |name: &str| node.children().find(|child| child.has_tag_name(name)).and_then(|c| c.text());
        let text: String = node.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
        let name = child("name").unwrap_or_default().to_owned();
        let array = text.split_once('[').map(|(_, rest)| rest.trim_end_matches(']').to_owned());
        Variable {
            ty: child("type").unwrap_or_default(),
            constant: text.trim_start().starts_with("const"),
            pointers: text.matches('*').count(),
            array,
            len: node.attribute("len").map(|len| len.split(',').collect()).unwrap_or_default(),
            stride: node.attribute("stride"),
            optional: node.attribute("optional").is_some_and(|o| o.split(',').next() == Some("true")),
            name,
        }
    }

    fn rust_name(&self) -> String {
        match snake(&self.name).as_str() {
            "type" => "ty".to_owned(),
            name => name.to_owned(),
        }
    }
}

/// `pCreateInfo` to `p_create_info`, `vkCmdSetEvent2` to `vk_cmd_set_event2`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let starts = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                !before.is_ascii_uppercase() || after.is_some_and(|after| after.is_ascii_lowercase())
            });
        if starts {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The types that a version or an extension requires.
fn types_of<'x>(part: Node<'x, 'x>) -> impl Iterator<Item = &'x str> {
    part.descendants().filter(|node| node.has_tag_name("type")).filter_map(|node| node.attribute("name"))
}

/// Whether the dependencies of a part are met: alternatives of versions and extensions that must all be present.
fn is_met(part: Node<'_, '_>) -> bool {
    let is_there = |name: &str| {
        let version = name.strip_prefix("VK_VERSION_").map(|version| version.replace('_', "."));
        EXTENSIONS.contains(&name) || version.is_some_and(|version| VERSIONS.contains(&version.as_str()))
    };
    let together = |names: &str| names.split('+').all(is_there);
    part.attribute("depends").is_none_or(|depends| depends.split(',').any(together))
}

/// The contents of the registry, as far as needed.
struct Registry<'x> {
    document: &'x Document<'x>,
    /// Type aliases.
    aliases: BTreeMap<&'x str, &'x str>,
    /// Extension names of types that belong to versions later than those in [`TYPED_VERSIONS`].
    former: BTreeMap<&'x str, &'x str>,
    /// Structures whose Rust type has a lifetime.
    borrowing: BTreeSet<&'x str>,
    structures: BTreeMap<&'x str, Vec<Variable<'x>>>,
}

impl<'x> Registry<'x> {
    fn new(document: &'x Document<'x>) -> Registry<'x> {
        let mut registry = Registry {
            document,
            aliases: BTreeMap::new(),
            former: BTreeMap::new(),
            borrowing: BTreeSet::new(),
            structures: BTreeMap::new(),
        };
        for node in registry.elements("type") {
            let Some(name) = node.attribute("name") else { continue };
            if let Some(alias) = node.attribute("alias") {
                registry.aliases.insert(name, alias);
            } else if matches!(node.attribute("category"), Some("struct" | "union")) {
                let members = node.children().filter(|child| child.has_tag_name("member"));
                let api = members.filter(|member| member.attribute("api") != Some("vulkansc"));
                registry.structures.insert(name, api.map(Variable::new).collect());
            }
        }
        let known: BTreeSet<&str> = registry.versions(&TYPED_VERSIONS).flat_map(types_of).collect();
        let renamed = registry.elements("extension").filter(|node| node.attribute("name") == Some(RENAMED));
        let later = registry.elements("feature").chain(renamed).flat_map(types_of);
        let later: BTreeSet<&str> = later.filter(|name| !known.contains(name)).collect();
        let aliases = registry.aliases.iter().filter(|(_, real)| later.contains(**real));
        registry.former = aliases.map(|(alias, real)| (*real, *alias)).collect();
        loop {
            let borrows = |members: &Vec<Variable<'_>>| {
                members.iter().any(|m| m.pointers > 0 || registry.borrowing.contains(registry.real(m.ty)))
            };
            let found: BTreeSet<_> =
                registry.structures.iter().filter(|(_, m)| borrows(m)).map(|(name, _)| *name).collect();
            if found.len() == registry.borrowing.len() {
                return registry;
            }
            registry.borrowing = found;
        }
    }

    fn elements(&self, tag: &'static str) -> impl Iterator<Item = Node<'x, 'x>> + use<'x> {
        self.document.descendants().filter(move |node| node.has_tag_name(tag))
    }

    fn real(&self, name: &'x str) -> &'x str {
        self.aliases.get(name).copied().unwrap_or(name)
    }

    /// The Rust type of a C type.
    fn base(&self, name: &'x str) -> String {
        let real = self.real(name);
        let plain = match real {
            "void" => "c_void",
            "char" => "c_char",
            "float" => "f32",
            "double" => "f64",
            "int32_t" | "int" => "i32",
            "uint8_t" => "u8",
            "uint16_t" => "u16",
            "uint32_t" => "u32",
            "uint64_t" => "u64",
            "int64_t" => "i64",
            "size_t" => "usize",
            _ => "",
        };
        if !plain.is_empty() {
            return plain.to_owned();
        }
        if let Some([_, newer]) = NEWER_TYPES.iter().find(|[name, _]| *name == real) {
            return format!("newer::{newer}");
        }
        let name = self.former.get(real).copied().unwrap_or(real);
        let name = name.strip_prefix("Vk").unwrap_or(name);
        let (name, tag) = ["KHR", "EXT", "NV", "AMD"]
            .iter()
            .find_map(|tag| name.strip_suffix(tag).map(|name| (name, *tag)))
            .unwrap_or((name, ""));
        let name = match name.find("FlagBits") {
            Some(at) => format!("{}Flags{}", &name[..at], &name[at + 8..]),
            None => name.to_owned(),
        };
        let lifetime = if self.borrowing.contains(real) { "<'_>" } else { "" };
        format!("vk::{name}{tag}{lifetime}")
    }

    /// The Rust type of a parameter in the C signature.
    fn raw(&self, variable: &Variable<'x>) -> String {
        let base = self.base(variable.ty);
        let pointer = if variable.constant { "*const " } else { "*mut " };
        match (&variable.array, variable.pointers) {
            (Some(len), _) => format!("*const [{base}; {len}]"),
            (None, 0) => base,
            (None, 1) => format!("{pointer}{base}"),
            (None, _) => format!("{pointer}*const {base}"),
        }
    }

    /// The parts of versions.
    fn versions(&self, numbers: &'static [&'static str]) -> impl Iterator<Item = Node<'x, 'x>> + use<'x> {
        let of_vulkan = |node: &Node<'_, '_>| {
            node.attribute("api").is_some_and(|list| list.split(',').any(|api| api == "vulkan"))
        };
        let wanted = move |node: &Node<'_, '_>| {
            node.attribute("number").is_some_and(|number| numbers.contains(&number))
        };
        self.elements("feature").filter(move |node| of_vulkan(node) && wanted(node))
    }

    /// Types of the versions and of the extensions whose commands exist.
    fn types(&self) -> BTreeSet<&'x str> {
        let named = |node: &Node<'_, '_>| EXTENSIONS.contains(&node.attribute("name").unwrap_or_default());
        let parts = self.versions(&VERSIONS).chain(self.elements("extension").filter(named));
        parts.flat_map(types_of).map(|name| self.real(name)).collect()
    }

    /// Commands by name, in order, each with whether the loader queries it with an instance or without.
    fn commands(&self) -> Vec<&'x str> {
        let mut names = Vec::new();
        let mut take = |node: Node<'x, 'x>, all: bool| {
            for command in node.descendants().filter(|node| node.has_tag_name("command")) {
                if let Some(name) = command.attribute("name")
                    && command.parent().is_none_or(is_met)
                    && (all || self.alias(name).is_some())
                    && !names.contains(&name)
                {
                    names.push(name);
                }
            }
        };
        self.versions(&VERSIONS).for_each(|feature| take(feature, true));
        for extension in self.elements("extension") {
            let name = extension.attribute("name").unwrap_or_default();
            take(extension, EXTENSIONS.contains(&name));
        }
        let core: Vec<&str> = names.clone();
        names.retain(|name| self.alias(name).is_none_or(|alias| core.contains(&alias)));
        names
    }

    /// The command of a version, or of one of the extensions, of which `name` is an alias.
    fn alias(&self, name: &str) -> Option<&'x str> {
        let is_known = |extension: &&str| EXTENSIONS.contains(extension);
        self.first_name(name)
            .filter(|first| self.is_of_version(first) || self.extensions_of(first).iter().any(is_known))
    }

    fn is_of_version(&self, name: &str) -> bool {
        self.version_of(name).is_some()
    }

    /// The minor number of the version that introduced a command.
    fn version_of(&self, name: &str) -> Option<&'x str> {
        let named = |node: Node<'_, '_>| node.has_tag_name("command") && node.attribute("name") == Some(name);
        let version = self.versions(&VERSIONS).find(|version| version.descendants().any(named))?;
        version.attribute("number")?.split_once('.').map(|(_, minor)| minor)
    }

    /// The extensions of Vulkan that have a command.
    fn extensions_of(&self, name: &str) -> Vec<&'x str> {
        let named = |node: Node<'_, '_>| node.has_tag_name("command") && node.attribute("name") == Some(name);
        let is_vulkan = |extension: &Node<'_, '_>| {
            extension.attribute("supported").is_some_and(|list| list.split(',').any(|api| api == "vulkan"))
        };
        let having = self.elements("extension").filter(is_vulkan);
        having
            .filter(|extension| extension.descendants().any(named))
            .filter_map(|e| e.attribute("name"))
            .collect()
    }

    /// The command of which `name` is an alias, in any version.
    fn first_name(&self, name: &str) -> Option<&'x str> {
        let node = self
            .elements("command")
            .find(|c| c.attribute("name") == Some(name) && c.has_attribute("alias"))?;
        let alias = node.attribute("alias")?;
        Some(self.first_name(alias).unwrap_or(alias))
    }

    fn command(&self, name: &str) -> Option<(&'x str, Vec<Variable<'x>>)> {
        let name = self.first_name(name).unwrap_or(name);
        self.elements("command").find_map(|command| {
            let proto = command.children().find(|child| child.has_tag_name("proto"))?;
            let proto = Variable::new(proto);
            let params = command.children().filter(|child| child.has_tag_name("param"));
            let params = params.filter(|param| param.attribute("api") != Some("vulkansc"));
            (proto.name == name).then(|| (proto.ty, params.map(Variable::new).collect()))
        })
    }
}

/// The arguments of a call, converted from the parameters.
fn arguments<'x>(registry: &Registry<'x>, params: &[Variable<'x>]) -> Vec<String> {
    let counts: BTreeSet<&str> = params.iter().flat_map(|param| param.len.iter().copied()).collect();
    let mut arguments = Vec::new();
    for (at, param) in params.iter().enumerate() {
        let name = param.rust_name();
        let is_count = counts.contains(param.name.as_str());
        if param.ty == "VkAllocationCallbacks"
            || (is_count && param.name != "dataSize") && param.pointers == 0
        {
            continue;
        }
        if is_count && param.pointers > 0 {
            continue;
        }
        if at == 0 && DISPATCHABLE.contains(&param.ty) {
            arguments.push(format!("dispatched({name})"));
            continue;
        }
        if param.array.is_some() {
            arguments.push(format!("*reference({name})"));
            continue;
        }
        if param.pointers == 0 {
            arguments.push(name);
            continue;
        }
        let len = param.len.first().copied().unwrap_or("");
        arguments.push(argument(registry, params, param, &name, len));
    }
    arguments
}

fn argument<'x>(
    _registry: &Registry<'x>,
    params: &[Variable<'x>],
    param: &Variable<'x>,
    name: &str,
    len: &str,
) -> String {
    let kind = |slice: &str, one: &str| (slice.to_owned(), one.to_owned());
    let (slice, one) = if param.constant { kind("slice", "reference") } else { kind("slice_mut", "out") };
    match len {
        "" if OPAQUE.contains(&param.ty) => name.to_owned(),
        "" if param.optional => format!("{name}.{}()", if param.constant { "as_ref" } else { "as_mut" }),
        "" => format!("{one}({name})"),
        "null-terminated" => format!("text({name})"),
        // The call computes a length that is a formula.
        len if len.starts_with("latexmath") => name.to_owned(),
        len => match params.iter().find(|other| other.name == len) {
            Some(count) if count.pointers > 0 => format!("Fill::new({}, {name})", count.rust_name()),
            Some(count) if param.ty == "void" => {
                format!("{slice}({name}.cast::<u8>(), {} as usize)", count.rust_name())
            }
            Some(count) => match param.stride {
                Some(stride) => {
                    format!("strided({name}, {} as usize, {} as usize)", count.rust_name(), snake(stride))
                }
                None => format!("{slice}({name}, {} as usize)", count.rust_name()),
            },
            None => {
                let (parent, member) = len.split_once("->").unwrap_or((len, len));
                format!("{slice}({name}, reference({}).{} as usize)", snake(parent), snake(member))
            }
        },
    }
}

fn entry_point<'x>(registry: &Registry<'x>, name: &'x str, text: &mut String) {
    let Some((returns, params)) = registry.command(name) else { return };
    let function = snake(name.trim_start_matches("vk"));
    let list: Vec<String> =
        params.iter().map(|param| format!("{}: {}", param.rust_name(), registry.raw(param))).collect();
    let list: Vec<String> = list.iter().map(|param| param.replace("p_allocator:", "_:")).collect();
    let arguments = arguments(registry, &params).join(", ");
    let (result, call) = match returns {
        "void" => (String::new(), format!("calls::{function}({arguments});")),
        "VkResult" => (" -> vk::Result".to_owned(), format!("outcome(calls::{function}({arguments}))")),
        other => (format!(" -> {}", registry.base(other)), format!("calls::{function}({arguments})")),
    };
    let _ = write!(
        text,
        "    pub(super) unsafe extern \"system\" fn {function}({}){result} {{\n        // SAFETY: valid usage of `{name}`.\n        unsafe {{ {call} }}\n    }}\n\n",
        list.join(", ")
    );
}

/// Structures with accessors: those of these commands, and those that may be in a chain.
fn members(registry: &Registry<'_>, text: &mut String) {
    let wanted = registry.types();
    for (name, members) in registry.structures.iter().filter(|(name, _)| wanted.contains(*name)) {
        let pointers: Vec<_> = members.iter().filter(|m| m.pointers > 0 && m.name != "pNext").collect();
        let rust = registry.base(name);
        for member in pointers {
            let field = member.rust_name();
            let plain = field.trim_start_matches("pp_").trim_start_matches("p_").to_owned();
            let base = registry.base(member.ty);
            let Some((ty, value)) = member_value(members, member, &field, &base) else { continue };
            let function = format!("{}_{plain}", snake(name.trim_start_matches("Vk")));
            let _ = write!(
                text,
                "    pub(crate) fn {function}<'s>(of: &'s {rust}) -> {ty} {{\n        // SAFETY: valid usage of `{name}`.\n        unsafe {{ {value} }}\n    }}\n\n"
            );
        }
    }
}

/// Type and value of the target of a member.
fn member_value(
    members: &[Variable<'_>],
    member: &Variable<'_>,
    field: &str,
    base: &str,
) -> Option<(String, String)> {
    let base = base.replace("<'_>", "<'s>");
    let len = member.len.first().copied().unwrap_or("");
    let counted = members.iter().find(|other| other.name == len);
    Some(match (member.ty, member.pointers, len, counted) {
        ("char", 1, _, _) => ("Option<&'s CStr>".into(), format!("text_of(of.{field})")),
        ("char", 2, _, Some(count)) => {
            ("Vec<&'s CStr>".into(), format!("texts(of.{field}, of.{} as usize)", count.rust_name()))
        }
        ("void", 1, _, Some(count)) => {
            ("&'s [u8]".into(), format!("slice(of.{field}.cast::<u8>(), of.{} as usize)", count.rust_name()))
        }
        ("void", ..) => return None,
        (_, 1, "", _) if member.constant => (format!("Option<&'s {base}>"), format!("of.{field}.as_ref()")),
        (_, 1, _, Some(count)) if member.constant => {
            (format!("&'s [{base}]"), format!("slice(of.{field}, of.{} as usize)", count.rust_name()))
        }
        _ => return None,
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("expected the path of vk.xml")?;
    let xml = std::fs::read_to_string(path)?;
    let document = Document::parse_with_options(
        &xml,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    )?;
    let registry = Registry::new(&document);
    let names = registry.commands();
    let mut text = String::from(
        "//! Written by `examples/generate.rs` from the Vulkan registry: entry points, their names, members of structures.\n\n#![allow(clippy::all, unused_qualifications, deprecated, clippy::undocumented_unsafe_blocks, reason = \"generated\")]\n\n",
    );
    text.push_str("/// A command.\n#[derive(Clone, Copy)]\npub(crate) struct Command {\n    /// Its function.\n    pub(crate) function: Function,\n    /// The type of its first parameter.\n    pub(crate) first: First,\n    /// The minor number of its version.\n    pub(crate) minor: u32,\n    /// The extensions that have it, if it is not of a version.\n    pub(crate) extensions: &'static [&'static str],\n}\n\n/// The command of a name.\npub(crate) fn find(name: &str) -> Option<Command> {\n    TABLE.iter().find(|(known, ..)| *known == name).map(|(_, function, first, minor, extensions)| Command { function: *function, first: *first, minor: *minor, extensions })\n}\n\n");
    text.push_str("/// The type of a command's first parameter.\n#[derive(Clone, Copy, PartialEq, Eq, Debug)]\npub(crate) enum First {\n    /// None: it can be called without an instance.\n    Nothing,\n    /// An instance.\n    Instance,\n    /// A physical device.\n    PhysicalDevice,\n    /// A device, a queue or a command buffer.\n    Device,\n}\n\n");
    text.push_str("/// A function of any type.\npub(crate) type Function = unsafe extern \"system\" fn();\n\n/// SAFETY of the casts: the loader calls each function with the parameters of its name.\nstatic TABLE: &[(&str, Function, First, u32, &[&str])] = &[\n");
    for name in &names {
        let target = registry.alias(name).unwrap_or(name);
        let Some((_, params)) = registry.command(target) else { continue };
        let first = match params.first().map(|param| param.ty) {
            Some("VkInstance") => "Instance",
            Some("VkPhysicalDevice") => "PhysicalDevice",
            Some(ty) if DISPATCHABLE.contains(&ty) => "Device",
            _ => "Nothing",
        };
        let version = registry.version_of(name);
        let extensions = match version {
            Some(_) => Vec::new(),
            None => registry.extensions_of(name),
        };
        let list = vec!["_"; params.len()].join(", ");
        let function = snake(target.trim_start_matches("vk"));
        let _ = writeln!(
            text,
            "    (\"{name}\", unsafe {{ std::mem::transmute::<unsafe extern \"system\" fn({list}) -> _, Function>(entry::{function}) }}, First::{first}, {}, &{extensions:?}),",
            version.unwrap_or("0")
        );
    }
    text.push_str("];\n\n/// Entry points.\nmod entry {\n    use std::ffi::{c_char, c_void};\n\n    use ash::vk;\n\n    use crate::calls;\n    use crate::newer;\n    use crate::pointers::*;\n\n");
    for name in names.iter().filter(|name| registry.alias(name).is_none()) {
        entry_point(&registry, name, &mut text);
    }
    text.push_str("}\n\n/// Accessors for pointer members of structures.\n#[allow(dead_code, reason = \"generated for all structures\")]\npub(crate) mod members {\n    use std::ffi::CStr;\n\n    use ash::vk;\n\n    use crate::newer;\n    use crate::pointers::*;\n\n");
    members(&registry, &mut text);
    text.push_str("}\n");
    use std::io::Write as _;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
