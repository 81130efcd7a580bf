//! libFuzzer's entry to [`agx_fuzz::pica200`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agx_fuzz::pica200(data));
