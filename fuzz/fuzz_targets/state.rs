#![no_main]

libfuzzer_sys::fuzz_target!(|input: swingbridge_fuzz::text::StateText<'_>| input.check());
