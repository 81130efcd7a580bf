//! Equal input and key give equal output: with new and with reused memory, on one thread and on several.

mod bundled;

use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use bundled::Bundled;

fn compile(scratch: &mut Scratch, input: Input<'_>) -> CompiledShader {
    Compiler::default().compile(scratch, input, &CompileKey::default()).expect("bundled shaders compile")
}

#[test]
fn used_memory_changes_nothing() {
    let mut used = Scratch::default();
    for _ in 0..2 {
        for shader in bundled::all() {
            let input = Bundled::input(&shader.name, &shader.bytes).expect("valid text");
            let fresh = compile(&mut Scratch::default(), input);
            assert_eq!(compile(&mut used, input), fresh, "{}", shader.name);
        }
    }
}

#[test]
fn texts_change_nothing() {
    let mut scratch = Scratch::default();
    for shader in bundled::all() {
        let input = Bundled::input(&shader.name, &shader.bytes).expect("valid text");
        let plain = compile(&mut scratch, input);
        let (found, texts) = Compiler::default()
            .compile_with_texts(&mut scratch, input, &CompileKey::default())
            .expect("bundled shaders compile");
        assert_eq!(found, plain, "{}", shader.name);
        assert_eq!(texts.assembly.len(), plain.parts.len(), "{}", shader.name);
    }
}

#[test]
fn threads_change_nothing() {
    for shader in bundled::all() {
        let expected = compile(
            &mut Scratch::default(),
            Bundled::input(&shader.name, &shader.bytes).expect("valid text"),
        );
        std::thread::scope(|scope| {
            let run = || {
                compile(
                    &mut Scratch::default(),
                    Bundled::input(&shader.name, &shader.bytes).expect("valid text"),
                )
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
            for thread in threads {
                assert_eq!(thread.join().expect("no panic"), expected, "{}", shader.name);
            }
        });
    }
}
