//! Fragment shaders that read render targets: as input attachments that are in the tile according to the key, and as
//! tile images (SPV_EXT_shader_tile_image), to which the same modules are converted here.

use agx_abi::tile::{ColourFormat, TilePass};
use agx_abi::{SamplerBinding, ShaderInfo, Stage};
use agx_compiler::link::{FragmentState, Target as RenderTarget};
use agx_compiler::{CompileKey, Input};
use agx_emulator::Framebuffer;
use agx_emulator::launch::textures::{Dimension, Format, Shape, TextureResource};
use agx_emulator::launch::{BufferBinding, DrawLaunch, SpilledTarget};
use agx_tests::driver::{compile, stage};

use super::{Linked, SIDE, fragment_programs, spirv, vertex_programs};

/// The target that the shaders read and write.
const TARGET: u32 = 1;

/// The index of the input attachment.
const ATTACHMENT: u32 = 3;

const TRIANGLES: u32 = 3;

/// The object through which a module reads the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Attachment,
    TileImage,
}

const NAMED: [Named; 2] = [Named::Attachment, Named::TileImage];

/// Converts a module's input attachment to the tile image of the target: reads keep their sample and lose their
/// coordinate.
fn as_tile_image(bytes: &[u8]) -> Vec<u8> {
    let words: Vec<u32> =
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
    let mut out = words[..5].to_vec();
    let mut at = 5;
    while at < words.len() {
        let inst = &words[at..at + (words[at] >> 16) as usize];
        at += inst.len();
        let mut new = inst.to_vec();
        match (inst[0] & 0xffff, inst) {
            // OpTypeImage of subpass data.
            (25, [_, _, _, 6, ..]) => new[3] = 4173,
            // OpTypePointer and OpVariable of uniform constants.
            (32, [_, _, 0, ..]) => new[2] = 4172,
            (59, [_, _, _, 0, ..]) => new[3] = 4172,
            // OpImageRead, with image operand Sample.
            (98, [_, ty, result, image, _, rest @ ..]) => {
                new = vec![4160, *ty, *result, *image];
                new.extend(rest.get(1));
            }
            // OpDecorate: InputAttachmentIndex becomes Location; sets and bindings do not exist for tile images.
            (71, [_, id, 43, _]) => new = vec![71, *id, 30, TARGET],
            (71, [_, _, 33 | 34, _]) => continue,
            // OpCapability InputAttachment becomes TileImageColorReadAccessEXT.
            (17, [_, 40]) => new[1] = 4166,
            _ => {}
        }
        new[0] = new[0] & 0xffff | (new.len() as u32) << 16;
        out.extend(new);
    }
    out.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A draw of three triangles over the screen.
struct Fetch {
    shader: &'static str,
    named: Named,
    pass: TilePass,
}

impl Fetch {
    /// The target has `format`; `others` are also in the tile.
    fn new(shader: &'static str, named: Named, format: ColourFormat, samples: u8) -> Fetch {
        let mut formats = [None; 8];
        formats[0] = Some(ColourFormat::R8Unorm);
        formats[TARGET as usize] = Some(format);
        let pass = TilePass { formats, samples, input_attachments: vec![(ATTACHMENT, TARGET)] };
        Fetch { shader, named, pass }
    }

    /// The shader's programs: linked from parts, and as a whole.
    fn programs(&self) -> [Linked; 2] {
        let mut key = CompileKey::default();
        (key.validate, key.stage, key.tile) = (true, Some(Stage::Fragment), Some(self.pass.clone()));
        let mut bytes = spirv(&format!("{}.frag", self.shader));
        if self.named == Named::TileImage {
            bytes = as_tile_image(&bytes);
        }
        let targets = self.pass.formats.map(|format| format.map(RenderTarget::new));
        let state = FragmentState::new(targets, self.pass.samples);
        fragment_programs(Input::spirv(&bytes), &key, &state)
    }

    /// The samples after the draw, with initial contents `before`: pixel by pixel, the samples of each together.
    fn draw(&self, before: &[u8]) -> Vec<Vec<u8>> {
        let (vertices, fragments) = (vertex_programs("screen", |_| None), self.programs());
        let found = self.draw_programs(&vertices[0], &fragments[0], before);
        assert_eq!(
            self.draw_programs(&vertices[1], &fragments[1], before),
            found,
            "{} as a whole",
            self.shader
        );
        found
    }

    fn draw_programs(&self, vertex: &Linked, fragment: &Linked, before: &[u8]) -> Vec<Vec<u8>> {
        // The shaders read one target and leave target 0 as it is.
        assert_eq!(fragment.0.info.fragment.reads_targets, 1 << TARGET | 1);
        let samples = u32::from(self.pass.samples);
        let layout = self.pass.layout();
        let mut framebuffer = Framebuffer::new(SIDE, SIDE, samples, layout.sample_bytes.into());
        let offset = layout.offsets[TARGET as usize].map(usize::from);
        let cleared: Vec<u8> = [vec![0; offset.unwrap_or(0)], before.to_vec()].concat();
        framebuffer.clear(&cleared, 1.0, 0);
        let spilled = offset.is_none().then(|| spilled(before, samples));
        let mut targets: Vec<SpilledTarget> = spilled.into_iter().collect();
        let stages = [vertex, fragment].map(|(shader, program)| stage(shader, program, &[]));
        let launch = DrawLaunch {
            targets: &mut targets,
            vertices: &(0..3 * TRIANGLES).collect::<Vec<_>>(),
            late_tests: fragment.1.late_tests,
            ..DrawLaunch::new(stages[0], stages[1], [SIDE; 2])
        };
        assert_eq!(
            launch.run(&mut framebuffer).expect("runs").findings,
            [],
            "{} {:?}",
            self.shader,
            self.named
        );
        let all = (0..SIDE * SIDE).flat_map(|at| (0..samples).map(move |sample| (at, sample)));
        let memory = |at: u32, sample: u32| {
            let start = before.len() * (at * samples + sample) as usize;
            targets[0].resource.buffer.bytes[start..start + before.len()].to_vec()
        };
        all.map(|(at, sample)| match offset {
            None => memory(at, sample),
            Some(offset) => {
                let bytes = framebuffer.colour(at % SIDE, at / SIDE, sample).expect("inside");
                bytes[offset..offset + before.len()].to_vec()
            }
        })
        .collect()
    }
}

fn spilled(before: &[u8], samples: u32) -> SpilledTarget {
    let dimension = if samples == 1 { Dimension::PlaneArray } else { Dimension::PlaneSamplesArray };
    let shape = Shape { samples, ..Shape::new(dimension, Format::RGBA32F, [SIDE, SIDE, 1]) };
    let bytes = before.repeat((SIDE * SIDE * samples) as usize);
    let buffer = BufferBinding { set: 0, binding: 0, element: 0, bytes, writable: true };
    SpilledTarget { target: TARGET, resource: TextureResource { buffer, shape, storage: true } }
}

fn bytes(colour: [f32; 4]) -> Vec<u8> {
    colour.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|word| f32::from_le_bytes(word.try_into().expect("four"))).collect()
}

/// The result of `fetch` for a colour at x, three times.
fn fetched(mut colour: [f32; 4], x: u32) -> [f32; 4] {
    for _ in 0..TRIANGLES {
        let add = [0.25, 0.5, (x as f32 + 0.5) / 32.0, 0.125];
        colour = std::array::from_fn(|at| colour[at] * 0.5 + add[at]);
    }
    colour
}

#[test]
fn each_fragment_reads_what_those_before_it_at_the_pixel_left() {
    let before = [0.5, 0.0, 1.0, 0.25];
    for named in NAMED {
        let found = Fetch::new("fetch", named, ColourFormat::Rgba32Sfloat, 1).draw(&bytes(before));
        for (at, found) in (0..).zip(found) {
            assert_eq!(floats(&found), fetched(before, at % SIDE), "{named:?}, pixel {at}");
        }
        let found = Fetch::new("fetch", named, ColourFormat::Rgba8Unorm, 1).draw(&[128, 0, 255, 64]);
        for (at, found) in (0..).zip(found) {
            let wanted = fetched([128.0 / 255.0, 0.0, 1.0, 64.0 / 255.0], at % SIDE).map(|x| x * 255.0);
            let near = found.iter().zip(wanted).all(|(x, wanted)| (f32::from(*x) - wanted).abs() <= 1.0);
            assert!(near, "{named:?}, pixel {at}: {found:?}, not {wanted:?}");
        }
    }
}

#[test]
fn integers_are_read_with_their_sign_and_missing_components_as_0_and_1() {
    for named in NAMED {
        let found = Fetch::new("fetch_signed", named, ColourFormat::Rg8Sint, 1).draw(&[0xfb, 7]);
        for found in found {
            let wanted = [-5, 7].map(|x: i32| (0..TRIANGLES).fold(x, |x, _| x * 2));
            assert_eq!(found, [(wanted[0] - 7) as u8, (wanted[1] - 14) as u8]);
        }
    }
}

#[test]
fn samples_are_read_for_themselves() {
    for named in NAMED {
        let found = Fetch::new("fetch_samples", named, ColourFormat::Rgba32Sfloat, 4).draw(&bytes([1.0; 4]));
        for (at, found) in (0..).zip(found) {
            let sample = (at % 4) as f32;
            let wanted = [8.0 + 7.0 * (sample + 1.0), 8.0, 15.0, 15.0];
            assert_eq!(floats(&found), wanted, "{named:?}, sample {at}");
        }
        let found = Fetch::new("fetch_mean", named, ColourFormat::Rgba32Sfloat, 4).draw(&bytes([0.5; 4]));
        for (at, found) in (0..).zip(found) {
            let odd = at / 4 % SIDE % 2 == 1;
            let wanted = (0..TRIANGLES).fold(0.5, |x, _| if odd { 1.0 + 4.0 * x } else { 1.0 });
            assert_eq!(floats(&found), [wanted; 4], "{named:?}, sample {at}");
        }
    }
}

#[test]
fn a_spilled_target_is_read_in_memory() {
    let before = [0.5, 0.0, 1.0, 0.25];
    for (shader, samples) in [("fetch", 1), ("fetch_samples", 4)] {
        let in_tile =
            Fetch::new(shader, Named::TileImage, ColourFormat::Rgba32Sfloat, samples).draw(&bytes(before));
        for named in NAMED {
            let mut fetch = Fetch::new(shader, named, ColourFormat::Rgba32Sfloat, samples);
            // The last of five, or of two, does not fit; so move the one that is read to the end.
            let wide = Some(ColourFormat::Rgba32Sfloat);
            fetch.pass.formats = [None; 8];
            fetch.pass.formats[0] = wide;
            fetch.pass.formats[1] = wide;
            assert_eq!(fetch.pass.layout().spilled != 0, samples == 4);
            let found = fetch.draw(&bytes(before));
            assert_eq!(found, in_tile, "{shader} {named:?}");
        }
    }
}

#[test]
fn what_the_key_does_not_say_is_refused_or_read_in_memory() {
    let mut key = CompileKey::default();
    key.stage = Some(Stage::Fragment);
    let module = spirv("fetch.frag");
    let info: ShaderInfo = compile(Input::spirv(&module), &key).expect("compiles").info;
    assert_eq!((info.fragment.reads_targets, info.textures.len()), (0, 1));
    assert!(info.samplers.contains(&SamplerBinding::Loads));
    let error = compile(Input::spirv(&as_tile_image(&module)), &key).expect_err("no format");
    assert!(format!("{error:?}").contains("whose format is not specified in the key"), "{error:?}");
}
