//! What recording draws takes.

use ash::vk;

use super::*;
use crate::cache::Known;
use crate::command::{CommandBuffer, Level};
use crate::device::Device;
use crate::memory::locked;
use crate::pipeline::{Module, ShaderSource};
use crate::queue::Submission;

/// A vertex shader whose position is the push constant.
const POSITION: &[&[u32]] = &[
    &[0x0723_0203, 0x0001_0000, 0, 19, 0],   // the header
    &[0x0002_0011, 1],                       // OpCapability Shader
    &[0x0003_000e, 0, 1],                    // OpMemoryModel Logical GLSL450
    &[0x0006_000f, 0, 4, 0x6e69_616d, 0, 5], // OpEntryPoint Vertex %4 "main" %5
    &[0x0004_0047, 5, 11, 0],                // OpDecorate %5 BuiltIn Position
    &[0x0003_0047, 11, 2],                   // OpDecorate %11 Block
    &[0x0005_0048, 11, 0, 35, 0],            // OpMemberDecorate %11 0 Offset 0
    &[0x0002_0013, 1],                       // %1 = OpTypeVoid
    &[0x0003_0021, 2, 1],                    // %2 = OpTypeFunction %1
    &[0x0003_0016, 6, 32],                   // %6 = OpTypeFloat 32
    &[0x0004_0017, 7, 6, 4],                 // %7 = OpTypeVector %6 4
    &[0x0004_0020, 8, 3, 7],                 // %8 = OpTypePointer Output %7
    &[0x0003_001e, 11, 7],                   // %11 = OpTypeStruct %7
    &[0x0004_0020, 12, 9, 11],               // %12 = OpTypePointer PushConstant %11
    &[0x0004_0015, 14, 32, 0],               // %14 = OpTypeInt 32 0
    &[0x0004_002b, 14, 15, 0],               // %15 = OpConstant %14 0
    &[0x0004_0020, 16, 9, 7],                // %16 = OpTypePointer PushConstant %7
    &[0x0004_003b, 8, 5, 3],                 // %5 = OpVariable %8 Output
    &[0x0004_003b, 12, 13, 9],               // %13 = OpVariable %12 PushConstant
    &[0x0005_0036, 1, 4, 0, 2],              // %4 = OpFunction %1 None %2
    &[0x0002_00f8, 10],                      // %10 = OpLabel
    &[0x0005_0041, 16, 17, 13, 15],          // %17 = OpAccessChain %16 %13 %15
    &[0x0004_003d, 7, 18, 17],               // %18 = OpLoad %7 %17
    &[0x0003_003e, 5, 18],                   // OpStore %5 %18
    &[0x0001_00fd],                          // OpReturn
    &[0x0001_0038],                          // OpFunctionEnd
];

/// Threads that record at once.
const THREADS: usize = 64;
/// Most locks for a chunk: the list of free ones; for a new one, those of addresses and of the kernel in process.
const OF_CHUNK: usize = 8;
/// Draws of a thread.
const DRAWS: u32 = 2000;

/// Records draws with other push constants; returns the locks that they took and the chunks that they filled.
fn record(commands: &mut CommandBuffer, vertex: &Arc<VertexStage>) -> [usize; 2] {
    let draw = |commands: &mut CommandBuffer, number: u32| {
        commands.record(move |recorder| {
            recorder.push_constants(vk::ShaderStageFlags::ALL, 0, &number.to_le_bytes());
            let numbers =
                DrawNumbers::Direct { count: 3, instances: 1, first: 0, base: 0, first_instance: 0 };
            recorder.draw(numbers, false, 0)
        });
    };
    let chunks = |commands: &mut CommandBuffer| {
        let (send, receive) = std::sync::mpsc::channel();
        commands.record(move |recorder| send.send(recorder.upload.chunks()).map_err(|_| Error::PoolMemory));
        receive.recv().expect("the command is executed at once")
    };
    commands.begin();
    let vertex = vertex.clone();
    commands.record(move |recorder| {
        recorder.begin_pass(PassInfo { area: [0, 0, 16, 16], layers: 1, ..PassInfo::default() })?;
        recorder.graphics.objects().vertex = Some(vertex.clone());
        Ok(())
    });
    // The first draw links the programs.
    draw(commands, 0);
    let before = (locked(), chunks(commands));
    (1..=DRAWS).for_each(|number| draw(commands, number));
    let filled = chunks(commands) - before.1;
    let taken = locked() - before.0;
    commands.record(Recorder::end_pass);
    commands.end().expect("records");
    [taken, filled]
}

/// The stage of [`POSITION`].
fn vertex(device: &Device) -> Arc<VertexStage> {
    let code = POSITION.iter().copied().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let source =
        ShaderSource { code: Module::new(code), entry_point: "main".into(), ..ShaderSource::default() };
    let stage = VertexStage::new(device, source, false, None, Known::default());
    Arc::new(stage.expect("compiles"))
}

/// Runs recorded commands.
pub(super) fn run(commands: &CommandBuffer) {
    let queue = &commands.device().queue;
    let submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
    queue.submit(vec![submission]).expect("submitted");
    queue.wait_idle().expect("complete");
}

/// Bytes that a draw writes to the stream of its pass.
fn drawn(recorder: &mut Recorder) -> u64 {
    let place = |recorder: &Recorder| recorder.pass.as_ref().map_or(0, |pass| pass.views[0].stream.place());
    let before = place(recorder);
    let numbers = DrawNumbers::Direct { count: 3, instances: 1, first: 0, base: 0, first_instance: 0 };
    recorder.draw(numbers, false, 0).expect("draws");
    place(recorder) - before
}

#[test]
fn draws_under_a_condition_are_as_others_and_their_state_is_written_again_after_them() {
    let device = Device::in_test();
    let stage = vertex(&device);
    let mut commands = CommandBuffer::new(device, Level::Primary);
    commands.begin();
    commands.record(move |recorder| {
        recorder.begin_pass(PassInfo { area: [0, 0, 16, 16], layers: 1, ..PassInfo::default() })?;
        recorder.graphics.objects().vertex = Some(stage.clone());
        let (whole, short) = (drawn(recorder), drawn(recorder));
        assert!(whole > short);
        let condition = recorder.device.zeros.address;
        begin_condition(recorder, condition, false)?;
        assert_eq!(drawn(recorder), short, "the state before the scope");
        // The condition continues in what an interrupted pass becomes.
        interrupt(recorder)?;
        assert_eq!([drawn(recorder), drawn(recorder)], [whole, short]);
        end_condition(recorder);
        assert_eq!([drawn(recorder), drawn(recorder)], [whole, short]);
        recorder.end_pass()
    });
    commands.end().expect("records");
}

#[test]
fn statistics_count_draws_if_their_condition_is_met() {
    let device = Device::in_test();
    let stage = vertex(&device);
    let (kind, counted) =
        (vk::QueryType::PIPELINE_STATISTICS, vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES);
    let pool = QueryPool::new(&device.space, &device.counters, kind, counted, 1).expect("memory");
    let pool = Arc::new(pool);
    for (inverted, expected) in [(false, 3), (true, 6)] {
        pool.reset(0, 1);
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        let (stage, known) = (stage.clone(), pool.clone());
        commands.record(move |recorder| {
            recorder.begin_query(&known, [0, 0], false)?;
            recorder.begin_pass(PassInfo { area: [0, 0, 16, 16], layers: 1, ..PassInfo::default() })?;
            recorder.graphics.objects().vertex = Some(stage.clone());
            let zero = recorder.device.zeros.address;
            begin_condition(recorder, zero, inverted)?;
            drawn(recorder);
            end_condition(recorder);
            drawn(recorder);
            recorder.end_pass()?;
            recorder.end_query(&known, [0, 0])
        });
        commands.end().expect("records");
        run(&commands);
        assert_eq!(pool.result(0), (vec![expected], true));
    }
}

#[test]
fn threads_that_record_draws_take_a_shared_lock_only_for_a_chunk() {
    let device = Device::in_test();
    let stage = vertex(&device);
    let threads = || {
        std::thread::scope(|scope| {
            let one = || {
                let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
                record(&mut commands, &stage)
            };
            let started: Vec<_> = (0..THREADS).map(|_| scope.spawn(one)).collect();
            started.into_iter().map(|thread| thread.join().expect("records")).collect::<Vec<_>>()
        })
    };
    for [taken, filled] in threads() {
        assert!((1..20).contains(&filled), "{filled} chunks for {DRAWS} draws");
        assert!(taken <= OF_CHUNK * filled, "{taken} locks for {DRAWS} draws in {filled} chunks");
    }
}
