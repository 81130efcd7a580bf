//! Rules of the strict device: a draw and a launch as a conformant driver writes them have no findings, and each deviation
//! has its own.

use agx_abi::render::{clear_stencil, merge_factor, tile_program};
use agx_abi::tile::TileLayout;
use agx_abi::words::{LocalUse, ProgramKind, Resources, ShaderWords};
use agx_device::Settings;
use agx_device::record::*;
use agx_isa::asm::assemble;

use crate::client::{BASE, Device};

/// Bytes of the buffer.
const BYTES: u64 = 0x4000;

/// The device after a command, with this memory from [`BASE`] on.
fn run(settings: Settings, kind: u64, command: &[u8], memory: &[(u64, Vec<u8>)]) -> Device {
    let mut device = Device::with(settings);
    device.set_up();
    let window = device.kernel.window(1).expect("the buffer");
    memory.iter().for_each(|(at, bytes)| window.store(*at, bytes));
    let header = command_header::new()
        .set(&command_header::TYPE, kind)
        .set(&command_header::SIZE, command.len() as u64);
    device.submit_bytes(1, &[header.bytes().as_slice(), command].concat(), &[], [0; 2]).expect("submitted");
    device
}

/// The findings of a device.
pub fn texts(device: &Device) -> Vec<String> {
    device.kernel.findings().iter().map(|finding| finding.text.clone()).collect()
}

/// The findings for a command.
fn findings(kind: u64, command: &[u8], memory: &[(u64, Vec<u8>)]) -> Vec<String> {
    texts(&run(Settings::default(), kind, command, memory))
}

/// Offsets in the buffer.
const TILE_WORDS: u64 = 0;
const VERTEX_WORDS: u64 = 0x40;
const PROGRAM: u64 = 0x100;
const VERTEX_PROGRAM: u64 = 0x180;
const UPDATE_AT: u64 = 0x400;
const INITIAL_AT: u64 = 0x500;
const SCISSOR_AT: u64 = 0x600;
const BIAS_AT: u64 = 0x640;
/// Default offset of the stream.
const STREAM_AT: u64 = 0x800;

/// The words of a program that ends at once.
fn words(kind: ProgramKind, local: LocalUse<'_>) -> Vec<u8> {
    let mut words = ShaderWords::new();
    words.local(local).and_then(|words| words.program(kind, PROGRAM, 8, 0)).expect("fits");
    words.end(None).expect("fits")
}

/// The words of the vertex program.
fn vertex_words() -> Vec<u8> {
    let mut words = ShaderWords::new();
    words
        .local(LocalUse::Nothing)
        .and_then(|words| words.program(ProgramKind::VertexOrCompute, VERTEX_PROGRAM, 16, 0))
        .expect("fits");
    words.end(None).expect("fits")
}

/// A draw of three vertices, of which nothing is rasterised.
#[derive(Clone)]
pub struct Drawn {
    stream_at: u64,
    begins: bool,
    initial: bool,
    pub command: Packed<240>,
    pub controls: [Packed<4>; 2],
    pub face: Packed<4>,
    face_2: Packed<4>,
    scissor: Packed<16>,
    region: Packed<8>,
    pub cull: [Packed<4>; 2],
    vertex_control: Packed<4>,
    draw: Packed<4>,
    counts: [u32; 2],
    /// What the words of the programs of a tile say of it; without bytes of a sample, nothing.
    pub local: Option<TileLayout>,
    /// Vertex program.
    pub vertex: String,
    /// How often the vertices are drawn.
    pub times: usize,
}

fn tile() -> TileLayout {
    TileLayout { sample_bytes: 8, ..TileLayout::default() }
}

/// The command of a pass with 48 by 40 pixels.
fn command() -> Packed<240> {
    use render_command as c;
    let resources = Resources::default().to_word().expect("fits").into();
    let command = [
        (c::BACKGROUND, c::BACKGROUND_RESOURCES),
        (c::END_OF_TILE, c::END_OF_TILE_RESOURCES),
        (c::PARTIAL_BACKGROUND, c::PARTIAL_BACKGROUND_RESOURCES),
        (c::PARTIAL_END_OF_TILE, c::PARTIAL_END_OF_TILE_RESOURCES),
    ]
    .iter()
    .fold(c::new(), |command, (program, counts)| {
        command.set(program, tile_program(TILE_WORDS)).set(counts, resources)
    });
    let size = zls_pixels::new().set(&zls_pixels::WIDTH, 48).set(&zls_pixels::HEIGHT, 40);
    command
        .set(&c::WIDTH, 48)
        .set(&c::HEIGHT, 40)
        .set(&c::LAYERS, 1)
        .set(&c::SAMPLES, 1)
        .set(&c::SAMPLE_BYTES, 8)
        .set(&c::TILE_WIDTH, 32)
        .set(&c::TILE_HEIGHT, 32)
        .set(&c::MULTISAMPLE, 0x88)
        .set(&c::PPP_CONTROL, 0x202)
        .set(&c::ZLS_PIXELS, size.bits().into())
        .set(&c::CLEAR_STENCIL, clear_stencil(0))
        .float(&c::MERGE_X, merge_factor(48))
        .float(&c::MERGE_Y, merge_factor(40))
        .set(&c::SCISSORS, BASE + SCISSOR_AT)
        .set(&c::DEPTH_BIASES, BASE + BIAS_AT)
}

impl Default for Drawn {
    fn default() -> Drawn {
        use fragment_control as f;
        use scissor as s;
        Drawn {
            stream_at: STREAM_AT,
            begins: true,
            initial: true,
            command: command(),
            controls: [
                f::new().set(&f::BIT_9, 1).flag(&f::SCISSOR, true),
                f::new().set(&f::BIT_9, 1).flag(&f::NO_TAG_WRITE, true),
            ],
            face: fragment_face::new()
                .flag(&fragment_face::NO_DEPTH_WRITE, true)
                .set(&fragment_face::DEPTH_COMPARE, 7),
            face_2: fragment_face_2::new()
                .flag(&fragment_face_2::NO_DEPTH_WRITE, true)
                .set(&fragment_face_2::CONSERVATIVE, 3)
                .set(&fragment_face_2::DEPTH_COMPARE, 7),
            scissor: s::new().set(&s::MAX_X, 40).set(&s::MAX_Y, 40).float(&s::MAX_Z, 1.0),
            region: region_clip::new()
                .set(&region_clip::MAX_X, 2)
                .set(&region_clip::MAX_Y, 2)
                .flag(&region_clip::ENABLE, true),
            cull: [
                cull::new().set(&cull::PROVOKING, 1).flag(&cull::DEPTH_CLIP, true).flag(&cull::DISCARD, true),
                cull_2::new().flag(&cull_2::CLAMP_W, true),
            ],
            vertex_control: vertex_control::new()
                .set(&vertex_control::BIT_4, 1)
                .set(&vertex_control::BIT_5, 1),
            draw: index_list::new()
                .set(&index_list::PRIMITIVE, 6)
                .flag(&index_list::HAS_COUNT, true)
                .flag(&index_list::HAS_INSTANCES, true)
                .flag(&index_list::HAS_START, true),
            counts: [3, 1],
            local: None,
            vertex: "stop\n".into(),
            times: 1,
        }
    }
}

impl Drawn {
    fn update(&self) -> Vec<u8> {
        use ppp_header as h;
        let stencil = fragment_stencil::new().set(&fragment_stencil::COMPARE, 7);
        let view = viewport::new()
            .float(&viewport::TRANSLATE_X, 20.0)
            .float(&viewport::SCALE_X, 20.0)
            .float(&viewport::TRANSLATE_Y, 20.0)
            .float(&viewport::SCALE_Y, -20.0)
            .float(&viewport::TRANSLATE_Z, 0.25)
            .float(&viewport::SCALE_Z, 0.5);
        let mut written = Vec::new();
        let mut update = StateUpdate::new(1, &mut written);
        update
            .add(&h::CONTROL, self.controls[0])
            .add(&h::CONTROL_2, self.controls[1])
            .add(&h::FRONT_FACE, self.face)
            .add(&h::FRONT_FACE_2, self.face_2)
            .add(&h::FRONT_STENCIL, stencil)
            .add(&h::BACK_FACE, self.face)
            .add(&h::BACK_FACE_2, self.face_2)
            .add(&h::BACK_STENCIL, stencil)
            .add(&h::SCISSOR, scissor_index::new())
            .add(&h::REGION_CLIP, self.region)
            .add(&h::VIEWPORT, viewport_control::new())
            .add(&h::VIEWPORT, view)
            .add(&h::OUTPUT_SELECT, output_select::new())
            .add(&h::VARYINGS_32, varying_counts::new())
            .add(&h::VARYINGS_16, varying_counts::new())
            .add(&h::CULL, self.cull[0])
            .add(&h::CULL_2, self.cull[1])
            .add(&h::OCCLUSION, occlusion::new())
            .add(&h::OUTPUT_SIZE, output_size::new().set(&output_size::COUNT, 4));
        update.finish();
        written
    }

    /// The draw stream.
    fn stream(&self) -> Vec<u8> {
        let pointer = |at: u64, bytes: usize| {
            use ppp_state::*;
            let address = BASE + at;
            new().set(&ADDRESS_HIGH, address >> 32).set(&WORDS, bytes as u64 / 4).set(&ADDRESS_LOW, address)
        };
        let mut stream = Vec::new();
        if self.begins {
            stream.extend(draw_barrier::new().flag(&draw_barrier::INVALIDATE_SHADERS, true).bytes());
        }
        if self.initial {
            stream.extend(pointer(INITIAL_AT, initial_update().len()).bytes());
        }
        stream.extend(pointer(UPDATE_AT, self.update().len()).bytes());
        use vertex_state as v;
        let state = v::new().flag(&v::SHADER_WORD_0, true).flag(&v::SHADER_WORD_1, true);
        stream.extend(state.flag(&v::OUTPUTS, true).flag(&v::CONTROL, true).bytes());
        stream.extend(Resources::default().to_word().expect("fits").to_le_bytes());
        stream.extend(vertex_shader_1::new().set(&vertex_shader_1::PIPELINE, VERTEX_WORDS).bytes());
        let outputs = vertex_outputs::new().set(&vertex_outputs::COUNT_1, 4).set(&vertex_outputs::COUNT_2, 4);
        stream.extend(outputs.bytes());
        stream.extend(self.vertex_control.bytes());
        stream.extend([0; 4]);
        let numbers = [self.counts[0], self.counts[1], 0];
        for _ in 0..self.times {
            stream.extend(self.draw.bytes());
            stream.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        stream.extend(draw_terminate::new().bytes());
        stream
    }

    fn findings(&self) -> Vec<String> {
        texts(&self.run(Settings::default()))
    }

    /// The device after the draw.
    pub fn run(&self, settings: Settings) -> Device {
        let local = self.local.unwrap_or(tile());
        let tile = if local.sample_bytes == 0 { LocalUse::Nothing } else { LocalUse::Tile(&local, 1) };
        let memory = [
            (TILE_WORDS, words(ProgramKind::Tile, tile)),
            (VERTEX_WORDS, vertex_words()),
            (PROGRAM, assemble("stop\n").expect("valid")),
            (VERTEX_PROGRAM, assemble(&self.vertex).expect("valid")),
            (UPDATE_AT, self.update()),
            (INITIAL_AT, initial_update()),
            (SCISSOR_AT, self.scissor.bytes().to_vec()),
            (self.stream_at, self.stream()),
        ];
        let command = self.command.set(&render_command::STREAM, BASE + self.stream_at);
        run(settings, 0, &command.bytes(), &memory)
    }
}

/// A deviation, and a part of the finding for it.
type Deviation = (&'static str, fn(&mut Drawn));

#[test]
fn a_conformant_draw_has_no_findings() {
    assert_eq!(Drawn::default().findings(), [""; 0]);
}

#[test]
fn what_conformant_drivers_write_now_and_then_has_no_findings() {
    use render_command as c;
    let cases: [fn(&mut Drawn); 4] = [
        |drawn| drawn.counts = [3, 0],
        |drawn| drawn.command = drawn.command.set(&c::CLEAR_STENCIL, 0x7fff_ffff),
        |drawn| drawn.command = drawn.command.flag(&c::INTEGER_BIAS, true),
        // A pass without targets.
        |drawn| {
            drawn.command = drawn.command.set(&c::SAMPLE_BYTES, 0);
            drawn.local = Some(TileLayout::default());
        },
    ];
    for (at, change) in cases.into_iter().enumerate() {
        let mut drawn = Drawn::default();
        change(&mut drawn);
        assert_eq!(drawn.findings(), [""; 0], "case {at}");
    }
}

#[test]
fn each_deviation_of_a_render_command_is_a_finding() {
    use render_command as c;
    let set = |drawn: &mut Drawn, field: &Field, value: u64| drawn.command = drawn.command.set(field, value);
    let cases: [(&str, Field, u64); 13] = [
        ("CLEAR_STENCIL is 0x7; a conformant driver writes 0x300 | stencil", c::CLEAR_STENCIL, 7),
        ("BACKGROUND is 0x0; a conformant driver writes low bits 4", c::BACKGROUND, 0),
        ("PARTIAL_END_OF_TILE is", c::PARTIAL_END_OF_TILE, 0),
        ("rasteriser control: W_CLAMP is no; a conformant driver writes yes", c::PPP_CONTROL, 0x200),
        ("MERGE_X is 1.0; a conformant driver writes 0.0360843", c::MERGE_X, 1.0_f32.to_bits().into()),
        ("depth size: WIDTH is 1; a conformant driver writes 48", c::ZLS_PIXELS, 39 << 15),
        ("depth load and store: BIT_0 is 0x1", c::ZLS_CONTROL, 1),
        ("Z_STORE is yes; a conformant driver writes no (set with depth", c::ZLS_CONTROL, 1 << 19),
        ("Z_STORE is no; a conformant driver writes yes (set with depth", c::DEPTH_BASE, BASE),
        ("TILE_HEIGHT is 16; a conformant driver writes 32", c::TILE_HEIGHT, 16),
        ("SAMPLE_BYTES is 12", c::SAMPLE_BYTES, 12),
        ("SAMPLER_COUNT is 5", c::SAMPLER_COUNT, 5),
        ("VERTEX_SCRATCH is yes", c::VERTEX_SCRATCH, 1),
    ];
    for (expected, field, value) in cases {
        let mut drawn = Drawn::default();
        set(&mut drawn, &field, value);
        let found = drawn.findings();
        assert!(found.iter().any(|text| text.contains(expected)), "{expected}: {found:?}");
    }
}

#[test]
fn each_deviation_of_a_draw_stream_is_a_finding() {
    let cases: [Deviation; 17] = [
        ("does not begin with a barrier that invalidates shaders", |drawn| drawn.begins = false),
        ("a draw before the stream has set W_CLAMP", |drawn| drawn.initial = false),
        ("a draw before the stream has set SHADER", |drawn| {
            drawn.controls[1] = drawn.controls[1].flag(&fragment_control::NO_TAG_WRITE, false);
        }),
        ("ends less than 0x800 bytes before memory that is not mapped", |drawn| {
            drawn.stream_at = BYTES - 0x100
        }),
        ("a scissor is not inside its viewport", |drawn| {
            drawn.scissor = drawn.scissor.set(&scissor::MAX_X, 41);
        }),
        ("a region clip is not that of the tiles", |drawn| {
            drawn.region = drawn.region.set(&region_clip::MAX_X, 1);
        }),
        ("the depths of a scissor are neither", |drawn| {
            drawn.scissor = drawn.scissor.float(&scissor::MAX_Z, 0.5);
        }),
        ("MULTISAMPLED is set for other primitives than lines", |drawn| {
            drawn.cull[0] = drawn.cull[0].flag(&cull::MULTISAMPLED, true);
        }),
        ("DEPTH_CLAMP is yes; a conformant driver writes no (not DEPTH_CLIP)", |drawn| {
            drawn.cull[0] = drawn.cull[0].flag(&cull::DEPTH_CLAMP, true);
        }),
        ("cull 2: DISCARD is yes", |drawn| drawn.cull[1] = drawn.cull[1].flag(&cull_2::DISCARD, true)),
        ("numbered by vertex control or by cull 2 but not by both", |drawn| {
            drawn.cull[1] = drawn.cull[1].flag(&cull_2::PRIMITIVE_ID, true);
        }),
        ("points or lines are merged", |drawn| {
            drawn.draw = drawn.draw.set(&index_list::PRIMITIVE, 1);
            drawn.face_2 = drawn.face_2.set(&fragment_face_2::OBJECT, 1);
        }),
        ("the object of fragment face 2 is not what the draw makes", |drawn| {
            drawn.draw = drawn.draw.set(&index_list::PRIMITIVE, 0);
        }),
        ("TWO_SIDED_STENCIL is no; a conformant driver writes yes", |drawn| {
            drawn.controls[0] = drawn.controls[0].flag(&fragment_control::STENCIL, true);
        }),
        ("vertex control: BIT_5 is 0x1; a conformant driver writes 0x0 (BIT_4)", |drawn| {
            drawn.vertex_control = drawn.vertex_control.set(&vertex_control::BIT_4, 0);
        }),
        ("HAS_START is no", |drawn| drawn.draw = drawn.draw.flag(&index_list::HAS_START, false)),
        ("shared word: SAMPLE_STRIDE is 0x10; a conformant driver writes the bytes of a sample", |drawn| {
            drawn.local = Some(TileLayout { sample_bytes: 16, ..TileLayout::default() });
        }),
    ];
    for (expected, change) in cases {
        let mut drawn = Drawn::default();
        change(&mut drawn);
        let found = drawn.findings();
        assert!(found.iter().any(|text| text.contains(expected)), "{expected}: {found:?}");
    }
}

/// A launch with this barrier after it, and the distance from the start to the end of its stream.
fn launched(barrier: Option<[u8; 4]>, kind: ProgramKind, end: u64) -> Vec<String> {
    let size = sizes::new().set(&sizes::X, 32).set(&sizes::Y, 1).set(&sizes::Z, 1).bytes();
    let mut stream = launch::new().set(&launch::PIPELINE, VERTEX_WORDS).bytes().to_vec();
    stream.extend(size);
    stream.extend(size);
    stream.extend(barrier.unwrap_or_default().iter().filter(|_| barrier.is_some()));
    stream.extend(compute_terminate::new().bytes());
    let memory = [
        (VERTEX_WORDS, words(kind, LocalUse::Nothing)),
        (PROGRAM, assemble("stop\n").expect("valid")),
        (STREAM_AT, stream),
    ];
    let command = compute_command::new()
        .set(&compute_command::STREAM, BASE + STREAM_AT)
        .set(&compute_command::STREAM_END, BASE + STREAM_AT + end);
    findings(1, &command.bytes(), &memory)
}

#[test]
fn each_deviation_of_a_launch_is_a_finding() {
    const FULL: [u8; 4] = [0xff, 0xff, 0x0f, 0x60];
    let compute = ProgramKind::VertexOrCompute;
    assert_eq!(launched(Some(FULL), compute, 44), [""; 0]);
    let cases = [
        ("a launch without a barrier after it", None, compute, 40),
        ("BITS_4_20 is 0xff; a conformant driver writes 0xffff", Some([0xff, 0x0f, 0, 0x60]), compute, 44),
        ("bits 0xfffbf: on an M1 the set leaves old bytes", Some([0xbf, 0xff, 0x0f, 0x60]), compute, 44),
        ("BIT_24 is 0x1; a conformant driver writes 0x0", Some([0xff, 0xff, 0x0f, 0x61]), compute, 44),
        ("the end of the compute stream is 0x1100000810; expected 0x110000082c", Some(FULL), compute, 16),
        ("STREAM_END is 0x1100000800; a conformant driver writes after the start", Some(FULL), compute, 0),
        ("BITS_10_15 is 0x2; a conformant driver writes 0x3", Some(FULL), ProgramKind::Fragment, 44),
    ];
    for (expected, barrier, kind, end) in cases {
        let found = launched(barrier, kind, end);
        assert!(found.iter().any(|text| text.contains(expected)), "{expected}: {found:?}");
    }
}
