#![no_main]

libfuzzer_sys::fuzz_target!(|input: swingbridge_fuzz::sse::SseBytes<'_>| input.check());
