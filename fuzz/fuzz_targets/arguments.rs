#![no_main]

libfuzzer_sys::fuzz_target!(|input: swingbridge_fuzz::text::ArgumentText<'_>| input.check());
