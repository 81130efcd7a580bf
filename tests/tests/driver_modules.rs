//! The modules of the driver's own programs are what glslang makes of their texts.

use std::path::Path;
use std::process::Command;

/// Bits of the second word of a module's generator that are glslang's version.
const VERSION: u32 = 0xffff;

/// The generator of a module.
fn generator(module: &[u8]) -> Option<u32> {
    let word = module.get(8..12)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

/// Compares every module with its text, if glslang is installed in the version that made it: others number values otherwise.
/// `BLESS=1` writes the modules anew.
#[test]
#[expect(clippy::print_stderr, reason = "a test says what it skips")]
fn modules_are_made_of_their_texts() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../driver/src/kernels");
    let made_at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("module.spv");
    let mut count = 0;
    let folders = ["acceleration", "sequences"].map(|name| kernels.join(name));
    for entry in
        folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the folder of the programs"))
    {
        let text = entry.expect("an entry").path();
        if text.extension().is_none_or(|extension| extension != "comp") {
            continue;
        }
        let kept_at = text.with_extension("spv");
        let command = Command::new("glslangValidator")
            .args(["--target-env", "vulkan1.3", "-V", "-g0", "-o"])
            .arg(&made_at)
            .arg(&text)
            .output();
        let Ok(output) = command else {
            eprintln!("glslangValidator is not installed; the modules are not checked");
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let made = std::fs::read(&made_at).expect("the module");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&kept_at, &made).expect("the folder is writable");
        }
        let kept = std::fs::read(&kept_at).expect("a module beside its text");
        if generator(&made).map(|word| word & VERSION) == generator(&kept).map(|word| word & VERSION) {
            assert!(
                made == kept,
                "{} does not belong to its text; BLESS=1 writes it anew",
                kept_at.display()
            );
        }
        count += 1;
    }
    assert!(count > 0, "there are programs");
}
