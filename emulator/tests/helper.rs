//! The scratch helper: doorbells fetch and answer requests, and blocks are mapped and unmapped.

use agx_emulator::{Access, Answer, HelperCall, Memory, Options, Program, Request, serve};
use agx_isa::asm::assemble;

/// Address in the command's argument.
const LIST: u64 = 0x10_0000;

/// Gives two blocks to the first SIMD-group, refuses the second, and records the blocks that the first returns.
const TEXT: &str = "
    mfsr r2, helper_arg_low
    mfsr r3, helper_arg_high
    load.i32.xy r4_r5, r2_r3, 0
    wait 0
    doorbell 32
    mfsr r8, helper_op
    mfsr r9, helper_arg_low
    store.i32.xy r8_r9, r2_r3, 2
    map r4, 0
    map r5, 1
    doorbell 48
    doorbell 32
    map r4, 2
    doorbell 49
    doorbell 32
    unmap r10, 0
    unmap r11, 1
    store.i32.xy r10_r11, r2_r3, 4
    doorbell 48
    doorbell 32
    mfsr r8, helper_op
    store.i32.x r8, r2_r3, 6
    stop
";

#[test]
fn requests_are_answered() {
    let program = Program::new(&assemble(TEXT).unwrap_or_else(|error| panic!("{error}")));
    let mut memory = Memory::new();
    let words: Vec<u8> = [0x1003, 0x1011, 0, 9, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes).collect();
    memory.map(LIST, words, Access::READ | Access::WRITE).expect("free");
    let requests = [Request::Allocate(5), Request::Allocate(5), Request::Free(5)];
    let call = HelperCall { program: &program, argument: LIST, requests: &requests };
    let answers = serve(&mut memory, &call, &Options::default()).unwrap_or_else(|stop| panic!("{stop}"));
    let answer = |request, accepted, blocks| Answer { request, accepted: Some(accepted), blocks };
    assert_eq!(
        answers,
        [
            answer(requests[0], true, [0x1003, 0x1011, 0, 0]),
            answer(requests[1], false, [0, 0, 0x1003, 0]),
            answer(requests[2], true, [0; 4]),
        ]
    );
    let left = memory.bytes(LIST + 8, 20).expect("mapped");
    let left: Vec<u32> =
        left.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    assert_eq!(left, [0, 5, 0x1003, 0x1011, 15]);
}
