//! `docs/abi.md`, made of the layouts themselves.

use std::fmt::Write as _;

use crate::agal;
use crate::fragment::{self, MAX_TARGETS};
use crate::layout::{BLOCK_GRANULE_BYTES, InterfaceUniform, UniformRange, UniformSource, ZEROS_BYTES};
use crate::pass;
use crate::pipeline::DescriptorParts;
use crate::registers;
use crate::textures::{
    self, BIAS_STRIDE, BUFFER_ROW_TEXELS, BUFFER_SIZE_WORD, DESCRIPTOR_BYTES, FIRST_IN_HEAP, MAX_SAMPLERS,
    MAX_TEXTURES, NUMBER_STRIDE,
};
use crate::tile;
use crate::vertex::{self, MAX_ATTRIBUTES, REGISTER_ATTRIBUTES, RunsAs};

/// Attributes of the example.
const EXAMPLE_ATTRIBUTES: u32 = 2;

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# The ABI\n\nWhat the parts of a program, and the driver that runs it, agree on. This page is made of `agx-abi`;\n\
         `BLESS=1 cargo test -p agx-abi --test reference` rewrites it.\n\n\
         A shader is compiled once, as a *main part*. Prologs come before it and epilogs after it; they depend on the state of \
         a draw.\nA preamble is a program of its own that runs once before and leaves results in uniforms. Main parts of \
         fragment shaders and prologs\nend without `stop`, with nothing outstanding; the part that follows goes on.\n\n\
         A *whole* shader (`ShaderInfo::whole`) has its prolog and epilog in its main part. What the parts agree on in registers is then its \
         own affair;\nuniforms, descriptors, stack and varyings are as for parts.\n\n\
         ## Registers with a meaning\n\n| register | meaning |\n|---|---|\n",
    );
    for (half, meaning) in [
        (registers::NESTING_COUNTER, "nesting counter of the execution mask; 0 in lanes that are on"),
        (registers::SAFE_SHUFFLE_INDEX, "0, where shuffles may read lanes that are off"),
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
    agal_chapter(&mut page);
    page
}

fn agal_chapter(page: &mut String) {
    let [vertex, fragment] =
        [agal::VERTEX_CONSTANTS, agal::FRAGMENT_CONSTANTS].map(|(set, binding)| format!("{set}.{binding}"));
    let _ = write!(
        page,
        "\n## Shaders made from AGAL\n\n| register | where |\n|---|---|\n\
         | constant n of a vertex program | uniform buffer {vertex}, byte {0} · n; the block has all registers of the program's version |\n\
         | constant n of a fragment program | uniform buffer {fragment}, byte {0} · n |\n\
         | attribute n | location n, four floats; what a format does not have is filled from (0, 0, 0, 1) |\n\
         | varying n | location n, linear in space |\n\
         | colour output n | render target n |\n\
         | texture n | {1}.n |\n\
         | sampler of a token on texture n | {1}.n; the element is the token's filter, levels and wrapping, four bits each (`agal::SamplerState`) |\n",
        agal::REGISTER_BYTES,
        agal::TEXTURE_SET,
    );
}

fn vertex_chapter(page: &mut String) {
    page.push_str("\n## Vertex\n\nAt the start of the main part:\n\n| register | contents |\n|---|---|\n");
    for range in vertex::UNDEFINED {
        let halves = u16::from(range.end - range.start);
        let _ = writeln!(
            page,
            "| {} | undefined: the prolog may use it |",
            names(range.start.into(), halves, "r")
        );
    }
    for (half, meaning) in vertex::KEPT.into_iter().zip(["vertex number", "instance number"]) {
        let _ = writeln!(page, "| {} | {meaning}, however the shader runs |", names(half.into(), 2, "r"));
    }
    for attribute in [0, 1, REGISTER_ATTRIBUTES - 1] {
        if let Some(half) = vertex::attribute_register(attribute, 0) {
            let registers = names(half.into(), vertex::ATTRIBUTE_HALVES.into(), "r");
            let _ = writeln!(
                page,
                "| {registers} | attribute {attribute} of those the shader reads, 4 × 32 bits |"
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
        "\nAttribute *i* begins at r(8 + 4 *i*); {REGISTER_ATTRIBUTES} fit, two more are on the stack. The prolog then opens the \
         stack frame of the\nmain part, which opens none, with the bytes that `ShaderInfo` says. The prolog writes no register past those of \
         the main part and of\nthe attributes.\n\nUniforms of a shader with *n* attributes take the first 6 *n* + {} half-words, or 6 *n* + {} where it \
         runs as a compute\nshader. With *n* = {EXAMPLE_ATTRIBUTES}, as a compute shader:\n",
        vertex::reserved_halves(0, RunsAs::Vertex),
        vertex::reserved_halves(0, RunsAs::Compute),
    );
    uniform_table(page, &vertex::uniforms(EXAMPLE_ATTRIBUTES, RunsAs::Compute));
    page.push_str(
        "\nOutputs are words in slots, in the order of the hardware (`OutputLayout`): position, always four words; varyings, those in perspective \
         first, then flat ones,\nthen those that are linear on the screen; point size; layer and viewport in one word; clip distances. Varyings are, in \
         this order within a kind: clip distances\nand cull distances, four to a vector, the viewport (flat), flags of cull distances (linear), locations. A \
         vector has words up to its last component that is\nwritten. What fragment shaders can read of the groups after the varyings is a varying too.\n\n\
         The main part is compiled with all locations in perspective. `link` renumbers its stores for the layout that a fragment \
         shader asks for\n(`ShaderInfo::output_layout`, `Parts::outputs`). Coefficient registers are bound to slots by `CoefficientBindings`: word 0 \
         is w, then depth where it is read,\nthen the varyings. In memory, as a compute shader, outputs are dense.\n",
    );
}

fn fragment_chapter(page: &mut String) {
    page.push_str(
        "\n## Fragment\n\nWith sample shading the program runs for each sample; no register holds anything at the start \
         without it.\n\n| register | contents |\n|---|---|\n",
    );
    let sample = names(fragment::SAMPLES.into(), 1, "r");
    let _ = writeln!(
        page,
        "| {sample} | mask of the samples being shaded, at the start and at the end; r0l is 0 |"
    );
    page.push_str(
        "\nAt the end of the main part, where the shader writes it:\n\n| register | contents |\n|---|---|\n",
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
        "\nThe main part kills samples and never tests them: the epilog does, after it has killed those that coverage from alpha \
         drops.\nComponents that no path writes are not in their registers, nor is an alpha of target 0 that is 1 (`opaque`).\n\n",
    );
    uniform_table(page, &fragment::UNIFORMS);
    let _ = write!(
        page,
        "\nTargets that exceed {} bytes of a sample, or {} bytes of the smallest tile, are spilled (`TileLayout`): the epilog \
         loads and stores them\nin memory, through the texture heap. It has, for each target, a texture descriptor and an image \
         descriptor of {DESCRIPTOR_BYTES} bytes, both of a 2D array.\nIts layer is the layer rendered to; where pixels have several \
         samples, each layer has one for each sample, those of the first layer first.\nLoads read through the sampler register that \
         the epilog's key names.\n",
        tile::MAX_SAMPLE_BYTES,
        tile::MAX_TILE_BYTES - 1,
    );
}

fn texture_chapter(page: &mut String) {
    let _ = write!(
        page,
        "\n## Textures and samplers\n\nThe first {MAX_TEXTURES} descriptors a shader uses are in texture state registers from 0 on, in \
         the order of `ShaderInfo::textures`. Elements of\narrays indexed at run time, and what does not fit, are in tables of \
         {DESCRIPTOR_BYTES} bytes for each element (`TextureTable`). Samplers are in state\nregisters from 0 on, in the order of \
         `ShaderInfo::samplers`, at most {MAX_SAMPLERS}; elements of an array indexed at run time lie side by side. Where\nthe length of \
         such an array is unknown, or all registers are taken, the shader reads the sampler's number, 16 bits, from a table (`SamplerTable`)\n\
         with an entry every {NUMBER_STRIDE} bytes: the number of a free state register, or that of a sampler in the heap, which starts \
         at {FIRST_IN_HEAP}.\nThe hardware's samplers have no level bias: shaders whose key \
         asks for\nit add what the driver gives (`SamplerBias`, and for arrays indexed at run time `SamplerBiasTable`, {BIAS_STRIDE} bytes \
         an element).\n\n\
         * A storage image has two descriptors: a texture that loads read, and an image that stores write. One that is a cube is \
         described\n  as a 2D array of its faces.\n\
         * An input attachment is a 2D array; the layer rendered to is read.\n\
         * A texel buffer is a linear 2D texture in rows of {BUFFER_ROW_TEXELS} texels, with the number of texels in word \
         {BUFFER_SIZE_WORD} of its texture descriptor.\n\
         * Images and texel buffers that atomics are done on are linear, because the shader computes addresses. Atomics outside of \
         them are\n  not caught.\n\n\
         What shaders read of texture descriptors, where they ask for sizes and the like (`TextureWords`):\n\n\
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
        "\n## Background and end-of-tile programs\n\nA background program runs for every pixel before the first draw and gives the \
         targets their contents; an end-of-tile program runs once for\na tile and stores them. Texture state register *t* holds the \
         descriptor of target *t*: a texture where it is loaded or resolved, an image where it is\nstored. Passes with layers have \
         arrays. Spilled targets are in memory already: they are neither loaded nor stored, and cleared through the heap.\n\n",
    );
    uniform_table(page, &pass::background_uniforms(0b1000_0011, true));
    page.push_str("\nA tile has as many pixels as its samples leave room for:\n\n| bytes of a pixel | tile |\n|---|---|\n");
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
        "\n## Descriptors in memory\n\nA pipeline's layout (`PipelineLayout` in the key) says where each set has the descriptors of a binding: first byte, \
         bytes from element to element,\nand where in an element a descriptor of each type stands. The driver gives addresses of sets (`SetAddress`, from a \
         root table or as it likes), and\nthe program reads descriptors while it runs; what is the same for all invocations is read by the preamble. \
         Bindings that are `Constant` are bound as without\na layout; those that are `PartiallyBound` are read only where the program names them.\n\n\
         | descriptor | bytes | contents | in `DescriptorParts::ALL` at |\n|---|---|---|---|\n\
         | buffer | 12 | 64-bit address, 32-bit size in bytes | {buffer} |\n\
         | texture | {DESCRIPTOR_BYTES} | as the hardware reads it | {texture} |\n\
         | image | {DESCRIPTOR_BYTES} | as the hardware stores to it | {image} |\n\
         | sampler | 2 | number of a sampler state register, or in the heap of samplers | {sampler} |\n\n\
         An inline block is the contents themselves. A buffer with a dynamic offset has the number of a uniform that is added to its address \
         (`DynamicOffset`).\n"
    );
    let _ = write!(
        page,
        "\n## Accesses outside of buffers\n\nWith `Robustness` in the key, accesses to buffers are checked against their sizes. Where loads must give \
         zeros, they may read them at `Zeros`,\nan address of {ZEROS_BYTES} bytes. What the driver sees to:\n\n\
         * The first 16 bytes of every buffer can be read, whatever its size. A null descriptor has the address of zeros and size 0.\n\
         * Uniform buffers begin at multiples of {BLOCK_GRANULE_BYTES} bytes. All bytes up to the next multiple after the size can be read, \
         {BLOCK_GRANULE_BYTES} at least,\n  and count as inside: `robustUniformBufferAccessSizeAlignment` is {BLOCK_GRANULE_BYTES}, \
         `robustStorageBufferAccessSizeAlignment` is 1.\n\
         * Sizes are at most 2^32 - 64.\n"
    );
}

fn uniform_table(page: &mut String, ranges: &[UniformRange]) {
    page.push_str("| uniform | contents |\n|---|---|\n");
    for range in ranges {
        let contents = match range.source {
            UniformSource::Interface(uniform) => describe(uniform),
            source => format!("{source:?}"),
        };
        let _ = writeln!(page, "| {} | {contents} |", names(range.start, range.halves, "u"));
    }
}

fn describe(uniform: InterfaceUniform) -> String {
    match uniform {
        InterfaceUniform::AttributeBase { attribute } | InterfaceUniform::AttributeClamp { attribute } => {
            format!("{}: number {attribute}", uniform.describe())
        }
        InterfaceUniform::ClearColour { target } => format!("clear colour of target {target}"),
        _ => uniform.describe().to_owned(),
    }
}

/// `r2`, `r3l`, `r8 to r11`: the registers of some half registers.
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
