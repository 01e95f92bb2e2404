#![no_main]

libfuzzer_sys::fuzz_target!(|input: swingbridge_fuzz::call::CallScript| input.check());
