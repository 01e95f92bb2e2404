#![no_main]

libfuzzer_sys::fuzz_target!(|input: swingbridge_fuzz::run::CheckpointScript| input.check());
