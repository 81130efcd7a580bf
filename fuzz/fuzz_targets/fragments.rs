//! libFuzzer's entry to [`agx_fuzz::fragments`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agx_fuzz::fragments(data));
