//! libFuzzer's entry to [`agx_fuzz::structured`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| agx_fuzz::structured(data));
