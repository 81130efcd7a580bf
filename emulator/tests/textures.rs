//! Textures and images: descriptors, filters, levels, layers, gathers, shadow lookups, stores.

mod support;

use agx_emulator::{Access, Lines, Memory, Program, States, dispatch};
use agx_isa::inst::{Operand, Size, Tag};
use agx_isa::table::Opcode;
use support::*;

/// Address of the texture.
const TEXTURE: u64 = 0x20_0000;
const R32: u32 = 0x21;
const RGBA8: u32 = 0x28;
const UNORM: u32 = 0;
const UINT: u32 = 2;
const FLOAT: u32 = 4;
/// Rows without padding.
const PACKED: u32 = 3;

/// Fields of a descriptor: first bit, value.
fn descriptor(fields: &[(u32, u128)]) -> [u8; 24] {
    let mut bits = 0_u128;
    for (start, value) in fields {
        bits |= value << start;
    }
    let mut bytes = [0; 24];
    bytes[..16].copy_from_slice(&bits.to_le_bytes());
    bytes
}

#[derive(Clone, Copy)]
struct Shape {
    dimension: u32,
    format: (u32, u32),
    size: [u32; 3],
    levels: u32,
}

impl Shape {
    fn texture(self) -> [u8; 24] {
        let [width, height, depth] = self.size.map(|size| u128::from(size - 1));
        descriptor(&[
            (0, self.dimension.into()),
            (4, PACKED.into()),
            (6, self.format.0.into()),
            (13, self.format.1.into()),
            (16, 0),
            (19, 1),
            (22, 2),
            (25, 3),
            (28, width),
            (42, height),
            (60, u128::from(self.levels - 1)),
            (66, u128::from(TEXTURE >> 4)),
            (110, depth),
        ])
    }

    fn image(self) -> [u8; 24] {
        let [width, height, depth] = self.size.map(|size| u128::from(size - 1));
        descriptor(&[
            (0, self.dimension.into()),
            (4, PACKED.into()),
            (6, self.format.0.into()),
            (13, self.format.1.into()),
            (18, 1),
            (20, 2),
            (22, 3),
            (24, width),
            (38, height),
            (64, u128::from(TEXTURE >> 4)),
            (108, depth),
        ])
    }
}

/// A sampler: linear filters, mip filter (0 none, 1 nearest, 2 linear), wrap mode of all axes, comparison.
fn sampler(linear: bool, mip: u64, wrap: u64, compare: u64) -> [u8; 8] {
    let filter = u64::from(linear);
    let max_lod = 14 * 64;
    (max_lod << 10 | filter << 23 | filter << 25 | mip << 27 | (wrap * 0o111) << 29 | compare << 39)
        .to_le_bytes()
}

fn tagged(tag: Tag, value: u32) -> Operand {
    Operand { tag, value, ..Operand::imm(0) }
}

/// A program of one lane that writes coordinates to r8 …, runs the instruction with results in r4 to r7, and stores
/// these four.
fn program(op: Opcode, coordinates: &[u32], lod: Option<u16>, more: &[(&str, Operand)]) -> Program {
    let mut code = Code::new();
    for (at, word) in coordinates.iter().enumerate() {
        code = code.constant(8 + at as u8, *word);
    }
    code = code.constant16(40, lod.unwrap_or(0)).constant(22, 0.5_f32.to_bits()).constant16(46, 0x0f1);
    let mut operands = vec![
        ("dst", r(4)),
        ("coords", r(8)),
        ("texture", tagged(Tag::TextureState, 0)),
        ("sampler", tagged(Tag::SamplerState, 0)),
    ];
    if lod.is_some() {
        operands.extend([("lod_mode", i(6)), ("lod", h(40))]);
    }
    operands.extend_from_slice(more);
    code.op(op, &operands)
        .wait()
        .op(Opcode::Store, &[("data", r(4)), ("base", uu(0)), ("index", i(0)), ("mask", i(15))])
        .wait()
        .stop()
}

fn run(program: &Program, texture: [u8; 24], sampler: [u8; 8], data: &[u8]) -> ([u32; 4], Vec<u8>) {
    let mut memory: Memory = memory(4);
    memory.map(TEXTURE, data.to_vec(), Access::READ | Access::WRITE).expect("free");
    let uniforms = uniforms();
    let mut grid = launch(program, &uniforms, 1);
    let (textures, samplers) = ([texture], [sampler]);
    grid.states = States { textures: &textures, samplers: &samplers, ..States::default() };
    let report = dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
    assert_eq!(report.findings, []);
    let after = memory.bytes(TEXTURE, data.len()).expect("mapped").to_vec();
    (words(&memory, 4).try_into().expect("four"), after)
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn f32s(bits: [u32; 4]) -> [f32; 4] {
    bits.map(f32::from_bits)
}

/// One channel of 32-bit floats.
fn plain(dimension: u32, size: [u32; 3], levels: u32) -> Shape {
    Shape { dimension, format: (R32, FLOAT), size, levels }
}

#[test]
fn loads_and_layers() {
    let texels: Vec<f32> = (0..24).map(|at| at as f32).collect();
    let cases: [(Shape, Vec<u32>, f32); 6] = [
        (plain(0, [4, 1, 1], 1), vec![2], 2.0),
        (plain(2, [4, 2, 1], 1), vec![1, 1], 5.0),
        (plain(3, [4, 2, 3], 1), vec![1, 1, 2], 21.0),
        (plain(5, [4, 2, 3], 1), vec![1, 1, 2], 21.0),
        (plain(2, [4, 2, 1], 1), vec![4, 1], 0.0),
        (plain(5, [4, 2, 3], 1), vec![1, 1, 3], 0.0),
    ];
    for (shape, coordinates, value) in cases {
        let program = program(Opcode::Smpi, &coordinates, None, &[("dim", i(shape.dimension as i32))]);
        let (found, _) = run(&program, shape.texture(), sampler(false, 0, 0, 0), &floats(&texels));
        assert_eq!(f32s(found)[0], value, "{coordinates:?} of dimension {}", shape.dimension);
    }
}

/// Texels stay in the texture cache until they are dropped, by the caller or by a fence of a program.
#[test]
fn texels_come_from_the_texture_cache() {
    let shape = plain(0, [4, 1, 1], 1);
    let load = |fence: Option<Opcode>| {
        let code = fence.into_iter().fold(Code::new(), |code, fence| code.op(fence, &[])).constant(8, 2);
        code.op(
            Opcode::Smpi,
            &[
                ("dst", r(4)),
                ("coords", r(8)),
                ("texture", tagged(Tag::TextureState, 0)),
                ("sampler", tagged(Tag::SamplerState, 0)),
                ("dim", i(0)),
            ],
        )
        .wait()
        .store(r(4), i(0))
        .stop()
    };
    let mut memory: Memory = memory(4);
    memory.map(TEXTURE, vec![0; 128], Access::READ | Access::WRITE).expect("free");
    let uniforms = uniforms();
    let (textures, samplers) = ([shape.texture()], [sampler(false, 0, 0, 0)]);
    let read = |memory: &mut Memory, texel: u8, fence: Option<Opcode>| {
        memory.bytes_mut(TEXTURE + 8, 1).expect("mapped")[0] = texel;
        let program = load(fence);
        let mut grid = launch(&program, &uniforms, 1);
        grid.states = States { textures: &textures, samplers: &samplers, ..States::default() };
        dispatch(memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
        words(memory, 1)[0]
    };
    fn cache(memory: &mut Memory) -> &mut Lines {
        memory.texels.as_mut().expect("a cache")
    }
    memory.texels = Some(Box::new(Lines::new(0)));
    assert_eq!(read(&mut memory, 1, None), 1);
    assert_eq!(cache(&mut memory).take_stale(), None);
    assert_eq!(read(&mut memory, 2, None), 1);
    assert_eq!(read(&mut memory, 3, Some(Opcode::MemoryBarrier)), 1, "a fence of buffers");
    assert_eq!(cache(&mut memory).take_stale(), Some(TEXTURE + 8));
    assert_eq!(read(&mut memory, 4, Some(Opcode::FlushMemoryToTexture)), 4);
    assert_eq!(read(&mut memory, 5, Some(Opcode::ImageBarrier3)), 5);
    cache(&mut memory).drop_all();
    assert_eq!(read(&mut memory, 6, None), 6);
    assert_eq!(cache(&mut memory).take_stale(), None);
    memory.texels = None;
    assert_eq!(read(&mut memory, 7, None), 7);
}

#[test]
fn levels_follow_each_other() {
    // 4×2, 2×1 (8 bytes, padded to 16), 1×1.
    let texels: Vec<f32> = (0..13).map(|at| at as f32).collect();
    let shape = plain(2, [4, 2, 1], 3);
    for (level, coordinates, value) in [(0, [3, 1], 7.0), (1, [1, 0], 9.0), (2, [0, 0], 12.0)] {
        let program = program(Opcode::Smpi, &coordinates, Some(level), &[]);
        let (found, _) = run(&program, shape.texture(), sampler(false, 0, 0, 0), &floats(&texels));
        assert_eq!(f32s(found)[0], value, "level {level}");
    }
    // Half way between levels 0 (all 1) and 1 (all 3).
    let mut texels = vec![1.0; 8];
    texels.extend([3.0; 4]);
    texels.push(9.0);
    let half = 0x3800;
    let centre = [0.5_f32.to_bits(); 2];
    for (mip, value) in [(0, 1.0), (1, 3.0), (2, 2.0)] {
        let program = program(Opcode::Smpf, &centre, Some(half), &[]);
        let (found, _) = run(&program, shape.texture(), sampler(true, mip, 0, 0), &floats(&texels));
        assert_eq!(f32s(found)[0], value, "mip filter {mip}");
    }
}

#[test]
fn filters_and_wrapping() {
    let texels = floats(&[0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0]);
    let shape = plain(2, [4, 2, 1], 1);
    let at = |x: f32, y: f32| [x.to_bits(), y.to_bits()];
    // (linear, wrap, x, y, value)
    let cases = [
        (false, 0, 0.3, 0.7, 11.0),
        (true, 0, 0.25, 0.5, 5.5),
        (true, 0, 0.0, 0.0, 0.0),
        (true, 1, 0.0, 0.25, 1.5),
        (false, 1, 1.3, -0.3, 11.0),
        (false, 2, -0.1, 0.2, 0.0),
        (false, 3, -0.1, 0.2, 0.0),
        (true, 3, 0.0, 0.25, 0.0),
    ];
    for (linear, wrap, x, y, value) in cases {
        let program = program(Opcode::Smpf, &at(x, y), None, &[]);
        let (found, _) = run(&program, shape.texture(), sampler(linear, 0, wrap, 0), &texels);
        assert_eq!(f32s(found)[0], value, "{x}, {y}, linear {linear}, wrap {wrap}");
    }
    let gather = program(Opcode::Smpf, &at(0.5, 0.5), None, &[("gather", i(1))]);
    let (found, _) = run(&gather, shape.texture(), sampler(false, 0, 0, 0), &texels);
    assert_eq!(f32s(found), [11.0, 12.0, 2.0, 1.0]);
    // Offsets (1, −1) packed in nibbles.
    let moved = program(Opcode::Smpf, &at(0.3, 0.7), None, &[("offset", i(1)), ("extra", h(46))]);
    let (found, _) = run(&moved, shape.texture(), sampler(false, 0, 0, 0), &texels);
    assert_eq!(f32s(found)[0], 2.0);
}

#[test]
fn custom_borders_come_with_the_sampler() {
    let custom = (u64::from_le_bytes(sampler(false, 0, 3, 0)) | 3 << 55).to_le_bytes();
    let shape = plain(0, [2, 1, 1], 1);
    let sample = |x: f32| program(Opcode::Smpf, &[x.to_bits()], None, &[("dim", i(0))]);
    // Inside the texture the border colour has no effect.
    let (found, _) = run(&sample(0.9), shape.texture(), custom, &floats(&[1.0, 2.0]));
    assert_eq!(f32s(found)[0], 2.0);
    let mut memory: Memory = memory(4);
    memory.map(TEXTURE, floats(&[1.0, 2.0]), Access::READ).expect("free");
    let (uniforms, textures, samplers) = (uniforms(), [shape.texture()], [custom]);
    let outside = sample(1.5);
    let mut grid = launch(&outside, &uniforms, 1);
    grid.states = States { textures: &textures, samplers: &samplers, ..States::default() };
    let stop = dispatch(&mut memory, &grid).expect_err("the colour is not known");
    assert!(stop.to_string().contains("custom border colours"), "{stop}");
    let mut border = [0; 16];
    border[..4].copy_from_slice(&2.5_f32.to_le_bytes());
    let borders = [border];
    grid.states.borders = &borders;
    let report = dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
    assert_eq!(report.findings, []);
    assert_eq!(f32s(words(&memory, 4).try_into().expect("four")), [2.5, 0.0, 0.0, 1.0]);
}

/// The numbers of samplers in the heap start at 28; the border colour passes through the texture's swizzle.
#[test]
fn samplers_of_the_heap_have_numbers_from_28() {
    const HEAP: u64 = 0x7_0000;
    let white = (u64::from_le_bytes(sampler(false, 0, 3, 0)) | 2 << 55).to_le_bytes();
    let shape = plain(0, [2, 1, 1], 1);
    let mut texture = u128::from_le_bytes(shape.texture()[..16].try_into().expect("sixteen"));
    texture |= 5 << 19; // Green is 0; red, blue and alpha are unchanged.
    let texture = [&texture.to_le_bytes()[..], &shape.texture()[16..]].concat().try_into().expect("24 bytes");
    // The half register 46 is 241, set by `program`.
    let sample = program(Opcode::Smpf, &[1.5_f32.to_bits()], None, &[("dim", i(0)), ("sampler", h(46))]);
    let (uniforms, textures, samplers) = (uniforms(), [texture], [[0; 8]]);
    let found = |heap: Option<(u64, u32)>| {
        let mut memory: Memory = memory(4);
        memory.map(TEXTURE, floats(&[3.0, 2.0]), Access::READ).expect("free");
        let edge = sampler(false, 0, 0, 0);
        let samplers_in_memory: Vec<u8> = [vec![edge; 241 - 28], vec![white, edge]].concat().concat();
        memory.map(HEAP, samplers_in_memory, Access::READ).expect("free");
        let mut grid = launch(&sample, &uniforms, 1);
        grid.states =
            States { textures: &textures, samplers: &samplers, sampler_heap: heap, ..States::default() };
        dispatch(&mut memory, &grid).map(|_| f32s(words(&memory, 4).try_into().expect("four")))
    };
    assert_eq!(found(Some((HEAP, 215))).expect("there"), [1.0, 0.0, 1.0, 1.0]);
    let behind = found(Some((HEAP, 213))).expect_err("one too few");
    assert!(behind.to_string().contains("beyond the end of the heap"), "{behind}");
}

#[test]
fn shadow_lookups_filter_comparisons() {
    let texels = floats(&[0.25, 0.75]);
    let shape = plain(0, [2, 1, 1], 1);
    // The reference is 0.5; less-or-equal is true only for the second texel, which has the weight one half at the
    // middle.
    let compare = [("dim", i(0)), ("compare", i(1)), ("extra", r(22))];
    let program = program(Opcode::Smpf, &[0.5_f32.to_bits()], None, &compare);
    let (found, _) = run(&program, shape.texture(), sampler(true, 0, 0, 0), &texels);
    assert_eq!(f32s(found)[0], 0.5);
    let (found, _) = run(&program, shape.texture(), sampler(false, 0, 0, 3), &texels);
    assert_eq!(f32s(found)[0], 0.0, "0.5 is not greater than 0.75");
}

#[test]
fn cubes_have_six_faces() {
    let texels = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let shape = plain(6, [1, 1, 1], 1);
    for (direction, face) in [([0.0, -2.0, 0.5], 4.0), ([0.1, 0.0, -1.0], 6.0), ([3.0, 1.0, 1.0], 1.0)] {
        let program = program(Opcode::Smpf, &direction.map(f32::to_bits), None, &[("dim", i(6))]);
        let (found, _) = run(&program, shape.texture(), sampler(false, 0, 0, 0), &texels);
        assert_eq!(f32s(found)[0], face, "{direction:?}");
    }
}

/// Faces of one texel: linear filters reach the neighbours across edges, and ignore corners.
#[test]
fn cubes_are_filtered_across_edges() {
    let texels = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let shape = plain(6, [1, 1, 1], 1);
    // (direction, filtered, filtered with seams)
    let cases = [
        ([1.0, 0.0, 0.0], 1.0, 1.0),
        ([1.0, 0.0, -0.5], 0.75 * 1.0 + 0.25 * 6.0, 1.0),
        ([1.0, 0.5, -0.5], 0.5625 + 0.1875 * (3.0 + 6.0) + 0.0625 * (1.0 + 3.0 + 6.0) / 3.0, 1.0),
    ];
    for (direction, smooth, seamed) in cases {
        let program = program(Opcode::Smpf, &direction.map(f32::to_bits), None, &[("dim", i(6))]);
        let plain = sampler(true, 0, 0, 0);
        let seams = (u64::from_le_bytes(plain) | 1 << 57).to_le_bytes();
        for (sampler, expected) in [(plain, smooth), (seams, seamed)] {
            let (found, _) = run(&program, shape.texture(), sampler, &texels);
            assert!((f32s(found)[0] - expected).abs() < 1e-5, "{direction:?}: {found:?} {expected}");
        }
    }
}

#[test]
fn masks_pack_and_halves_narrow() {
    let shape = Shape { dimension: 2, format: (RGBA8, UNORM), size: [1, 1, 1], levels: 1 };
    let program = program(Opcode::Smpi, &[0, 0], None, &[("mask", i(0b1010))]);
    let (found, _) = run(&program, shape.texture(), sampler(false, 0, 0, 0), &[0, 51, 0, 255]);
    assert_eq!(f32s(found)[..2], [0.2, 1.0]);

    let narrow = Code::new()
        .constant(8, 0)
        .constant(9, 0)
        .op(
            Opcode::Smpi,
            &[
                ("dst", h(8)),
                ("coords", r(8)),
                ("texture", tagged(Tag::TextureState, 0)),
                ("sampler", tagged(Tag::SamplerState, 0)),
            ],
        )
        .wait()
        .op(
            Opcode::Store,
            &[("data", h(8)), ("base", uu(0)), ("index", i(0)), ("mask", i(15)), ("format", i(1))],
        )
        .wait()
        .stop();
    let (found, _) = run(&narrow, shape.texture(), sampler(false, 0, 0, 0), &[0, 255, 0, 255]);
    assert_eq!(found[..2], [0x3c00_0000, 0x3c00_0000]);
}

#[test]
fn images_are_written() {
    let shape = Shape { dimension: 2, format: (RGBA8, UINT), size: [2, 2, 1], levels: 1 };
    let write = |x: u32, y: u32| {
        Code::new()
            .constant(0, 1)
            .constant(1, 2)
            .constant(2, 300)
            .constant(3, 4)
            .constant(8, x)
            .constant(9, y)
            .op(
                Opcode::Imgw,
                &[("data", r(0)), ("coords", r(8)), ("lod", i(0)), ("texture", tagged(Tag::TextureState, 0))],
            )
            .stop()
    };
    let (_, after) = run(&write(1, 1), shape.image(), [0; 8], &[9; 16]);
    assert_eq!(after, [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 255, 4]);
    let (_, after) = run(&write(2, 0), shape.image(), [0; 8], &[9; 16]);
    assert_eq!(after, [9; 16], "outside the image");
}

/// The fields of an image's swizzle name the component that each channel of a texel holds.
#[test]
fn channels_of_an_image_name_their_components() {
    let mut image = Shape { dimension: 2, format: (RGBA8, UINT), size: [1, 1, 1], levels: 1 }.image();
    // Alpha, red, green, blue from the lowest byte on.
    image[2] = 0b10_01_00_11;
    let program = Code::new()
        .constant(0, 1)
        .constant(1, 2)
        .constant(2, 3)
        .constant(3, 4)
        .constant(8, 0)
        .constant(9, 0)
        .op(
            Opcode::Imgw,
            &[("data", r(0)), ("coords", r(8)), ("lod", i(0)), ("texture", tagged(Tag::TextureState, 0))],
        )
        .stop();
    let (_, after) = run(&program, image, [0; 8], &[9; 4]);
    assert_eq!(after, [4, 1, 2, 3]);
}

/// A sparse array of two layers of one page each. Only the second is resident, in the page after the table.
#[test]
fn sparse_textures_have_page_tables() {
    const PAGE: usize = 1 << 14;
    let fields = [(0, 3), (4, 2), (6, R32.into()), (13, FLOAT.into()), (19, 1), (22, 2), (25, 3)];
    let size = [(28, 63), (42, 63), (66, u128::from(TEXTURE >> 4)), (104, 3), (110, 1), (126, 1)];
    let texture = descriptor(&[&fields[..], &size[..]].concat());
    let mut data = vec![0; 2 * PAGE];
    // The entry of the first page of the second layer, in the second folio.
    let entry = 1 << 31 | 1 << 30 | (TEXTURE as u32 + PAGE as u32) >> 14;
    data[2048..2052].copy_from_slice(&entry.to_le_bytes());
    // The texel at (1, 1).
    data[PAGE + 12..PAGE + 16].copy_from_slice(&7.5_f32.to_le_bytes());
    for (layer, value, residency) in [(0, 0.0, 1), (1, 7.5, 0)] {
        let more = [("dim", i(3)), ("sparse", i(1)), ("dst", r(3))];
        let program = program(Opcode::Smpi, &[1, 1, layer], None, &more);
        let (found, _) = run(&program, texture, sampler(false, 0, 0, 0), &data);
        // The store writes what follows the first component, and the residency.
        assert_eq!(found[3] & 1, residency, "layer {layer}");
        let more = [("dim", i(3)), ("sparse", i(1))];
        let program = self::program(Opcode::Smpi, &[1, 1, layer], None, &more);
        let (found, _) = run(&program, texture, sampler(false, 0, 0, 0), &data);
        assert_eq!(f32::from_bits(found[0]), value, "layer {layer}");
    }
}

#[test]
fn samplers_come_from_memory_too() {
    let texels = floats(&[5.0, 6.0, 7.0, 8.0]);
    let program = Code::new()
        .constant(8, 0.5_f32.to_bits())
        .op(
            Opcode::SamplerStateStore,
            &[
                ("dst", tagged(Tag::SamplerState, 3)),
                ("base", Operand::uniform(0, Size::B64)),
                ("offset", Operand::imm(64)),
            ],
        )
        .wait()
        .op(
            Opcode::Smpf,
            &[
                ("dst", r(4)),
                ("coords", r(8)),
                ("texture", tagged(Tag::TextureState, 0)),
                ("sampler", tagged(Tag::SamplerState, 3)),
                ("dim", i(0)),
            ],
        )
        .wait()
        .store(r(4), i(0))
        .stop();
    for (linear, value) in [(false, 7.0_f32), (true, 6.5)] {
        let mut memory = memory(32);
        memory.write(BUFFER + 64, &sampler(linear, 0, 0, 0)).expect("mapped");
        memory.map(TEXTURE, texels.clone(), Access::READ).expect("free");
        let (uniforms, textures) = (uniforms(), [plain(0, [4, 1, 1], 1).texture()]);
        let mut grid = launch(&program, &uniforms, 1);
        grid.states = States { textures: &textures, samplers: &[], ..States::default() };
        let report = dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(report.findings, []);
        assert_eq!(words(&memory, 1), [value.to_bits()]);
    }
}

#[test]
fn descriptors_come_from_memory_too() {
    // A preamble-style load of texture state 5 and a bindless texture, both from the buffer after the results.
    let shape = plain(0, [4, 1, 1], 1);
    let texels = floats(&[5.0, 6.0, 7.0, 8.0]);
    let load = |texture: Operand, heap: &[(&str, Operand)]| {
        let mut operands = vec![
            ("dst", r(4)),
            ("coords", r(8)),
            ("texture", texture),
            ("sampler", tagged(Tag::SamplerState, 0)),
            ("dim", i(0)),
        ];
        operands.extend_from_slice(heap);
        Code::new()
            .constant(8, 2)
            .constant(9, 0)
            .constant(10, 64)
            .op(
                Opcode::TexStateStore,
                &[
                    ("dst", tagged(Tag::TextureState, 5)),
                    ("base", Operand::uniform(0, Size::B64)),
                    ("offset", Operand::imm(64)),
                ],
            )
            .wait()
            .op(Opcode::Smpi, &operands)
            .wait()
            .store(r(4), i(0))
            .stop()
    };
    let bound = load(tagged(Tag::TextureState, 5), &[]);
    let bindless = load(r(10), &[("heap", Operand::uniform(0, Size::B64))]);
    for program in [bound, bindless] {
        let mut memory = memory(32);
        memory.write(BUFFER + 64, &shape.texture()).expect("mapped");
        memory.map(TEXTURE, texels.clone(), Access::READ).expect("free");
        let uniforms = uniforms();
        let report =
            dispatch(&mut memory, &launch(&program, &uniforms, 1)).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(report.findings, []);
        assert_eq!(words(&memory, 1), [7.0_f32.to_bits()]);
    }
}

#[test]
fn rows_of_linear_layers_are_padded() {
    use agx_emulator::launch::textures::{Dimension, Format, Shape};
    let size = [3, 2, 2];
    let shape = Shape { linear: true, ..Shape::new(Dimension::PlaneArray, Format::RGBA8, size) };
    let texels: Vec<u8> = (0..48).collect();
    let padded = shape.padded(&texels);
    // Rows start at multiples of 16 bytes, layers at multiples of 128.
    assert_eq!(padded.len(), 128 + 16 + 12);
    assert_eq!((padded[11], padded[16], padded[128], padded[144]), (11, 12, 24, 36));
    assert_eq!(shape.packed(&padded), texels);
    let cube = Shape::new(Dimension::Cube, Format::RGBA8, [1, 1, 1]);
    assert_eq!(cube.packed(&cube.padded(&texels[..24])), texels[..24]);
}
