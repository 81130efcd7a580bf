//! libFuzzer's entry to [`agx_fuzz::ir_text`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agx_fuzz::ir_text(data));
