//! Generates `docs/abi.md` from the layouts.

use std::fmt::Write as _;

use crate::agal;
use crate::fragment::{self, MAX_TARGETS, SampledTarget, TargetHeap};
use crate::layout::{BLOCK_GRANULE_BYTES, MOST_TEXTURE_TABLES, UniformRange, UniformSource, ZEROS_BYTES};
use crate::pass;
use crate::pipeline::DescriptorParts;
use crate::registers;
use crate::textures::{
    self, BIAS_STRIDE, BUFFER_ROW_TEXELS, BUFFER_SIZE_WORD, BUFFER_TRIPLES_WORD, DESCRIPTOR_BYTES,
    FIRST_IN_HEAP, MAX_SAMPLERS, MAX_TEXTURES, NUMBER_STRIDE,
};
use crate::tile;
use crate::vertex::{self, MAX_ATTRIBUTES, REGISTER_ATTRIBUTES, RunsAs};

/// Number of attributes in the example.
const EXAMPLE_ATTRIBUTES: u32 = 2;

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# The ABI\n\nThis page defines the interface between the parts of a program, and between a program and the driver that runs it. It is \
         generated from\n`agx-abi`; `BLESS=1 cargo test -p agx-abi --test reference` rewrites it.\n\n\
         A shader is compiled once, as a *main part*. Prologs before it and epilogs after it handle the state of a draw. A \
         *preamble* is a separate\nprogram that runs once before the main part and leaves its results in uniforms. Main parts of \
         fragment shaders and prologs end without\n`stop` and with no outstanding operations; execution continues in the next part.\n\n\
         A *whole* shader (`ShaderInfo::whole`) has its prolog and epilog in its main part. The registers between parts are then internal to \
         it;\nuniforms, descriptors, stack and varyings are as for parts.\n\n\
         ## Reserved registers\n\n| register | meaning |\n|---|---|\n",
    );
    for (half, meaning) in [
        (registers::NESTING_COUNTER, "nesting counter of the execution mask; 0 in active lanes"),
        (registers::SAFE_SHUFFLE_INDEX, "0 if shuffles may read inactive lanes"),
        (registers::LINK, "link register"),
    ] {
        let size = if half == registers::LINK { 2 } else { 1 };
        let _ = writeln!(page, "| {} | {meaning} |", names(half.into(), size, "r"));
    }
    vertex_chapter(&mut page);
    fragment_chapter(&mut page);
    pass_chapter(&mut page);
    texture_chapter(&mut page);
    pipeline_chapter(&mut page);
    acceleration_chapter(&mut page);
    agal_chapter(&mut page);
    page
}

fn acceleration_chapter(page: &mut String) {
    use crate::acceleration::*;
    let _ = write!(
        page,
        "\n## Acceleration structures\n\n\
         The hardware has no acceleration structures, so their layout is the project's own (`agx_abi::acceleration`). A structure is a\n\
         header of {HEADER_BYTES} bytes, a tree of boxes in depth-first order, and the records of its leaves. All places within it are relative.\n\n\
         | part | bytes | contents |\n|---|---|---|\n\
         | header | 0, 4, 8 | number of nodes, number of leaves, kind of leaves: 0 triangles, 1 boxes, 2 instances |\n\
         | node, {NODE_BYTES} bytes | 0–11, 16–27 | smallest and largest coordinates of the box |\n\
         | | 12–15 | number of the node that follows its subtree |\n\
         | | 28–31 | number of the leaf, or {INNER:#x}: the next node is the first child |\n\
         | triangle or box, {LEAF_BYTES} bytes | 0–11, 16–27, 32–43 | vertices of a triangle |\n\
         | | 12–15 | number of the geometry, with bit 31 if it is opaque |\n\
         | | 28–31 | number of the primitive in the geometry |\n\
         | instance, {INSTANCE_BYTES} bytes | {WORLD_TO_OBJECT}–47, {OBJECT_TO_WORLD}–95 | the rows of matrices of 3 × 4 floats: from world to object space, and back |\n\
         | | {STRUCTURE}–103 | address of the structure; 0 for none |\n\
         | | {CUSTOM}–107 | 24 bits of the application, and the visibility mask |\n\
         | | {RECORD_OFFSET}–111 | 24 bits of record offset, and the flags of the instance |\n\
         | | {INSTANCE_NUMBER}–115 | number of the instance |\n\n\
         The number that follows a subtree is larger than that of its node, so that traversals end. A binding of an acceleration structure is\n\
         a binding of a buffer, of which nothing but the address is read.\n"
    );
}

fn agal_chapter(page: &mut String) {
    let [vertex, fragment] =
        [agal::VERTEX_CONSTANTS, agal::FRAGMENT_CONSTANTS].map(|(set, binding)| format!("{set}.{binding}"));
    let _ = write!(
        page,
        "\n## AGAL shaders\n\n| register | where |\n|---|---|\n\
         | constant n of a vertex program | uniform buffer {vertex}, byte {0} · n; the block has all registers of the program's version |\n\
         | constant n of a fragment program | uniform buffer {fragment}, byte {0} · n |\n\
         | attribute n | location n, four floats; missing components are filled from (0, 0, 0, 1) |\n\
         | varying n | location n, perspective |\n\
         | colour output n | render target n |\n\
         | texture n | {1}.n |\n\
         | sampler of a token on texture n | {1}.n; the element encodes the token's filter, levels and wrapping, four bits each (`agal::SamplerState`) |\n",
        agal::REGISTER_BYTES,
        agal::TEXTURE_SET,
    );
}

fn vertex_chapter(page: &mut String) {
    page.push_str("\n## Vertex\n\nAt the start of the main part:\n\n| register | contents |\n|---|---|\n");
    for range in vertex::UNDEFINED {
        let halves = u16::from(range.end - range.start);
        let _ =
            writeln!(page, "| {} | undefined; used by the prolog |", names(range.start.into(), halves, "r"));
    }
    for (half, meaning) in vertex::KEPT.into_iter().zip(["vertex number", "instance number"]) {
        let _ = writeln!(
            page,
            "| {} | {meaning}, as a vertex and as a compute shader |",
            names(half.into(), 2, "r")
        );
    }
    for attribute in [0, 1, REGISTER_ATTRIBUTES - 1] {
        if let Some(half) = vertex::attribute_register(attribute, 0) {
            let registers = names(half.into(), vertex::ATTRIBUTE_HALVES.into(), "r");
            let _ = writeln!(
                page,
                "| {registers} | attribute {attribute} of the attributes that the shader reads, 4 × 32 bits |"
            );
        }
    }
    for attribute in REGISTER_ATTRIBUTES..MAX_ATTRIBUTES {
        if let Some(first) = vertex::attribute_stack_byte(attribute, 0) {
            let last = first + vertex::STACK_ATTRIBUTE_BYTES - 1;
            let _ = writeln!(page, "| stack bytes {first} to {last} | attribute {attribute} |");
        }
    }
    let _ = writeln!(
        page,
        "\nAttribute *i* begins at r(8 + 4 *i*). The first {REGISTER_ATTRIBUTES} are in registers, two more on the stack. If there are attributes \
         on the stack, the prolog\nopens the stack frame of the main part, with the size that `ShaderInfo` has, and the main part opens none. The \
         prolog writes only registers\nof the main part and of the attributes.\n\nThe uniforms of a shader with *n* attributes take the first \
         6 *n* + {} half-words, or 6 *n* + {} if it runs as a compute shader. With\n*n* = {EXAMPLE_ATTRIBUTES}, as a compute shader, they are:\n",
        vertex::reserved_halves(0, RunsAs::Vertex),
        vertex::reserved_halves(0, RunsAs::Compute),
    );
    uniform_table(page, &vertex::uniforms(EXAMPLE_ATTRIBUTES, RunsAs::Compute));
    page.push_str(
        "\nOutputs are words in slots, in the order of the hardware (`OutputLayout`):\n\n\
         1. position, always four words;\n\
         2. varyings: first perspective, then flat, then linear ones. Within a kind the order is: clip and cull distances in vectors of four, \
         the viewport\n   (flat), flags of cull distances (linear), locations. A vector has words up to its last written component;\n\
         3. point size;\n\
         4. layer and viewport in one word;\n\
         5. clip distances.\n\n\
         If fragment shaders read an output of the groups after the varyings, it is a varying too.\n\n\
         The main part is compiled with all locations as perspective varyings. `link` renumbers its stores for the layout that a fragment \
         shader\nneeds (`ShaderInfo::output_layout`, `Parts::outputs`). `CoefficientBindings` binds coefficient registers to slots: word 0 \
         is w, then depth if\nit is read, then the varyings. A vertex shader that runs as a compute shader stores its outputs to memory, without gaps.\n",
    );
}

fn fragment_chapter(page: &mut String) {
    page.push_str(
        "\n## Fragment\n\nWith sample shading the program runs once per sample, with this register set. Without it, all registers are undefined \
         at the start.\n\n| register | contents |\n|---|---|\n",
    );
    let sample = names(fragment::SAMPLES.into(), 1, "r");
    let _ = writeln!(
        page,
        "| {sample} | mask of the samples being shaded, at the start and at the end; r0l is 0 |"
    );
    page.push_str(
        "\nAt the end of the main part, if the shader writes them:\n\n| register | contents |\n|---|---|\n",
    );
    for (half, halves, meaning) in [
        (fragment::DEPTH, 2, "depth"),
        (fragment::STENCIL, 1, "stencil reference"),
        (fragment::SAMPLE_MASK, 1, "samples to store, after early tests"),
    ] {
        let _ = writeln!(page, "| {} | {meaning} |", names(half.into(), halves, "r"));
    }
    for target in 0..MAX_TARGETS {
        let half = fragment::colour_register(target, 0).unwrap_or_default();
        let second =
            if target == fragment::SECOND_SOURCE { ", or the second colour of target 0" } else { "" };
        let _ = writeln!(page, "| {} | colour of target {target}{second} |", names(half.into(), 8, "r"));
    }
    page.push_str(
        "\nThe main part kills samples and never tests them. The epilog runs the tests, after it has killed the samples that alpha to \
         coverage removes.\nThe registers of components that no path writes are undefined, and so is that of the alpha of target 0 if it is always 1 \
         (`opaque`).\n\n",
    );
    uniform_table(page, &fragment::UNIFORMS);
    let _ = write!(
        page,
        "\nTargets beyond {} bytes per sample, or beyond {} bytes of the smallest tile, are spilled (`TileLayout`): the epilog \
         loads and stores them\nin memory, through the texture heap. For each target the heap has a texture descriptor and an image \
         descriptor of {DESCRIPTOR_BYTES} bytes, both of a 2D\narray, indexed by the layer that is rendered to. The hardware stores to no image \
         with samples: the image descriptor of a multisampled target is a plane\nof rows of {} samples in the order of memory, and {} bytes \
         after all descriptors say where a sample is (`SampledTarget`). Loads use\nthe sampler register that the epilog's key \
         names.\n",
        tile::MAX_SAMPLE_BYTES,
        tile::MAX_TILE_BYTES - 1,
        TargetHeap::SAMPLES_PER_ROW,
        SampledTarget::BYTES,
    );
}

fn texture_chapter(page: &mut String) {
    let _ = write!(
        page,
        "\n## Textures and samplers\n\nThe first {MAX_TEXTURES} descriptors that a shader uses are in texture state registers from 0 on, in \
         the order of `ShaderInfo::textures`. Elements\nof arrays that are indexed at run time, and further descriptors, are in tables with \
         {DESCRIPTOR_BYTES} bytes per element (`TextureTable`).\n\
         Shaders with more than {MOST_TEXTURE_TABLES} tables read the lower halves of the other addresses (`TextureTableLow`) and the upper half that all have in common\n(`TableBase`).\n\nSamplers are in state registers from 0 on, in the order of \
         `ShaderInfo::samplers`, at most {MAX_SAMPLERS}; elements of an array that is indexed at\nrun time are consecutive. If the length of \
         such an array is unknown, or all registers are in use, the shader reads the sampler's number (16\nbits) from a table (`SamplerTable`) \
         with an entry every {NUMBER_STRIDE} bytes. The number is that of a free state register, or of a sampler in the heap,\nwhose numbers start \
         at {FIRST_IN_HEAP}.\n\nThe hardware's samplers have no level bias. If the key has `sampler_bias`, shaders add the bias that the driver provides\n(`SamplerBias`, \
         and for arrays that are indexed at run time `SamplerBiasTable`, with {BIAS_STRIDE} bytes per element).\n\n\
         * A storage image has two descriptors: a texture for loads and an image for stores. A cube image is \
         described\n  as a 2D array of its faces. The image descriptor of an image with samples is that of a plane of\n  all samples, and its texture descriptor says where a sample is (`SampledTarget`).\n\
         * An input attachment is a 2D array, indexed by the layer that is rendered to.\n\
         * A texel buffer is a linear 2D texture in rows of {BUFFER_ROW_TEXELS} texels, with the number of texels in word \
         {BUFFER_SIZE_WORD} of its texture descriptor.\n\
         * With `texel_triples`, texel buffers may have texels of three 32-bit components: word {BUFFER_TRIPLES_WORD} has their \
         number, and shaders load\n  them from the address of the texture. One of the two words is 0.\n\
         * Shaders compute the addresses of texels for atomics. The texture descriptor of a tiled image says where its texels \
         are\n  (`TiledTexels`); texel buffers with atomics are linear. Atomics outside are checked only with `Robustness::image`.\n\n\
         For queries of sizes, levels and samples, and for atomics, shaders read these fields of texture descriptors (`TextureWords`):\n\n\
         | bits | contents |\n|---|---|\n"
    );
    for (field, contents) in textures::FIELDS {
        let _ = match field.width {
            1 => writeln!(page, "| {} | {contents} |", field.start),
            width => writeln!(page, "| {} to {} | {contents} |", field.start, field.start + width - 1),
        };
    }
}

fn pass_chapter(page: &mut String) {
    page.push_str(
        "\n## Background and end-of-tile programs\n\nA background program runs for every pixel before the first draw and initialises the \
         targets; an end-of-tile program runs once per tile\nand stores them. Texture state register *t* has the \
         descriptor of target *t*: a texture if the target is loaded or resolved, an image if it is\nstored, and an array if the pass has \
         layers. Spilled targets are already in memory: they are neither loaded nor stored, and are cleared through the\nheap.\n\n",
    );
    uniform_table(page, &pass::background_uniforms(0b1000_0011, true));
    page.push_str("\nThe size of a tile depends on the bytes of all samples of a pixel:\n\n| bytes per pixel | tile |\n|---|---|\n");
    for (at, size) in tile::TILE_SIZES.into_iter().enumerate() {
        let most = (tile::MAX_TILE_BYTES - 1) / (size[0] * size[1]);
        let least = at.checked_sub(1).and_then(|before| tile::TILE_SIZES.get(before));
        let least = least.map_or(0, |size| (tile::MAX_TILE_BYTES - 1) / (size[0] * size[1]) + 1);
        let _ = writeln!(page, "| {least} to {most} | {} × {} |", size[0], size[1]);
    }
}

fn pipeline_chapter(page: &mut String) {
    let DescriptorParts { buffer, texture, image, sampler } = DescriptorParts::ALL;
    let _ = write!(
        page,
        "\n## Descriptors in memory\n\nA pipeline's layout (`PipelineLayout` in the key) describes where each set has the descriptors of a binding: the first byte, \
         the stride, and the\noffset of a descriptor of each type within an element. The driver provides the addresses of the sets (`SetAddress`), and the \
         program reads\ndescriptors while it runs; the preamble reads those that are the same for all invocations. Descriptors of bindings with access \
         `Constant` are\nbound as without a layout; those with `PartiallyBound` are read only where the program uses them.\n\n\
         | descriptor | bytes | contents | offset in `DescriptorParts::ALL` |\n|---|---|---|---|\n\
         | buffer | 12 | 64-bit address, 32-bit size in bytes | {buffer} |\n\
         | texture | {DESCRIPTOR_BYTES} | as the hardware reads it | {texture} |\n\
         | image | {DESCRIPTOR_BYTES} | as the hardware stores to it | {image} |\n\
         | sampler | 2 | number of a sampler state register, or in the heap of samplers | {sampler} |\n\n\
         For an inline block the set has the contents themselves. The address of a buffer with a dynamic offset is the sum of the descriptor's \
         address\nand a uniform (`DynamicOffset`).\n"
    );
    let _ = write!(
        page,
        "\n## Accesses outside buffers\n\nWith `Robustness` in the key, accesses to buffers are checked against their sizes. Loads that must return \
         zeros may read them at `Zeros`, the\naddress of {ZEROS_BYTES} bytes of zeros. The driver must ensure that:\n\n\
         * The first 16 bytes of every buffer can be read, regardless of its size. A null descriptor has the address of zeros and size 0.\n\
         * Uniform buffers begin at multiples of {BLOCK_GRANULE_BYTES} bytes. All bytes up to the next multiple after the size, at least \
         {BLOCK_GRANULE_BYTES}, can be read\n  and are treated as inside: `robustUniformBufferAccessSizeAlignment` is {BLOCK_GRANULE_BYTES}, \
         `robustStorageBufferAccessSizeAlignment` is 1.\n\
         * Sizes are at most 2^32 - 64.\n\n\
         Without `Robustness`, all of a uniform block, up to the end of its last member, must be readable: shaders read members \
         before they know\nwhether they need them. Elements of arrays of blocks, and bindings with `BindingAccess::PartiallyBound`, are \
         read only where the program does.\n"
    );
}

fn uniform_table(page: &mut String, ranges: &[UniformRange]) {
    page.push_str("| uniform | contents |\n|---|---|\n");
    for range in ranges {
        let contents = match range.source {
            UniformSource::Interface(uniform) => uniform.to_string(),
            source => format!("{source:?}"),
        };
        let _ = writeln!(page, "| {} | {contents} |", names(range.start, range.halves, "u"));
    }
}

/// Names of the registers that contain `halves` half-registers from `start` on: `r2`, `r3l`, `r8 to r11`.
fn names(start: u16, halves: u16, letter: &str) -> String {
    let end = start + halves.max(1) - 1;
    let whole = start.is_multiple_of(2) && !end.is_multiple_of(2);
    let name = |half: u16| match (whole, half.is_multiple_of(2)) {
        (true, _) => format!("{letter}{}", half / 2),
        (false, true) => format!("{letter}{}l", half / 2),
        (false, false) => format!("{letter}{}h", half / 2),
    };
    let (first, last) = (name(start), name(end));
    if first == last { first } else { format!("{first} to {last}") }
}
