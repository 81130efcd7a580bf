//! Workgroup sizes in specialization constants.

use agx_compiler::{CompileKey, ErrorKind, Input};
use agx_tests::driver::{compile, launch, storage_buffer};

/// `workgroup.comp` by `glslangValidator -V --target-env ENVIRONMENT`: `vulkan1.2` decorates a constant as `WorkgroupSize`,
/// `vulkan1.3` has the execution mode `LocalSizeId`.
const MODULES: [(&str, &[u8]); 2] = [
    ("WorkgroupSize", include_bytes!("workgroup_built_in.spv")),
    ("LocalSizeId", include_bytes!("workgroup_local_size_id.spv")),
];

/// Numbers of the constants for the width and depth of a workgroup; its height is 2.
const WIDTH: u32 = 3;
const DEPTH: u32 = 5;

fn key(constants: &[(u32, u64)]) -> CompileKey {
    let mut key = CompileKey::default();
    (key.validate, key.spec_constants) = (true, constants.to_vec());
    key
}

#[test]
fn workgroups_have_the_size_that_constants_say() {
    for (name, module) in MODULES {
        for (constants, size) in [
            (&[][..], [1, 2, 1]),
            (&[(WIDTH, 5), (DEPTH, 3)], [5, 2, 3]),
            (&[(DEPTH, 4)], [1, 2, 4]),
            (&[(WIDTH, 64), (DEPTH, 8)], [64, 2, 8]),
        ] {
            let shader =
                compile(Input::spirv(module), &key(constants)).unwrap_or_else(|error| panic!("{error:?}"));
            assert_eq!(shader.info.workgroup_size, size, "{name}, {constants:?}");
            let threads = size.iter().product::<u32>();
            let mut buffers = [storage_buffer(0, 0, vec![0xee; 4 * 3 * threads as usize], true)];
            launch(&shader, &mut buffers, &[], [3, 1, 1], 1)
                .unwrap_or_else(|error| panic!("{name}: {error:?}"));
            let expected = (0..3 * threads).map(|place| {
                let z = place % threads / (size[0] * size[1]);
                size[0] + (size[1] << 8) + (size[2] << 16) + (z << 24)
            });
            let expected: Vec<u8> = expected.flat_map(u32::to_le_bytes).collect();
            assert!(buffers[0].bytes == expected, "{name}, {constants:?}");
        }
    }
}

#[test]
fn constants_that_make_no_workgroup_are_refused() {
    for (name, module) in MODULES {
        for (width, says) in [(0, "0"), (1025, "1025")] {
            let compiler = agx_compiler::Compiler::default();
            let error = compiler
                .compile(&mut agx_compiler::Scratch::default(), Input::spirv(module), &key(&[(WIDTH, width)]))
                .expect_err("refused");
            assert_ne!(error.kind(), ErrorKind::Internal, "{name}");
            assert!(error.message().contains(says), "{name}: {}", error.message());
        }
    }
}
