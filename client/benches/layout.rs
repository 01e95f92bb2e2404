//! What it takes to lay out a request, beside a copy of the same bytes.
//!
//!     cargo bench -p swingbridge-client
//!
//! The history is 50 screenshots of 1 MB. Two requests are measured, each from the moment that its last
//! input is there until the chunk that ends its body was handed out; nothing is sent:
//!
//! - of a run: the 50th screenshot has come, as a text of the host's. It is written into its item, the
//!   item joins the history, and the request is made of all 50;
//! - the first of a run that is given the whole history: JSON text of the parameters is read, its items
//!   are taken apart, and the request is made of them.
//!
//! The copy goes into memory that was written before, so that it is as fast as a copy can be. The two
//! alternate, and the fastest of each counts. Nothing here fails: a time depends on the machine.

use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::Body;
use swingbridge_client::{Fragments, laid_out};
use swingbridge_core::computer::{ComputerOutput, Screenshot};
use swingbridge_core::json::{Held, Json, JsonFault, RawJson};
use swingbridge_core::runner::{CallOutput, HistoryUpdate, TurnRequest};
use swingbridge_core::wire::{Kept, Wire};

const PICTURES: usize = 50;
const PICTURE: usize = 1_000_000;
const ROUNDS: usize = 9;

fn main() -> Result<(), JsonFault> {
    println!("{:<50}{:>14}{:>14}{:>9}", "body layout, 50 MB", "layout", "copy", "ratio");
    let picture = Picture::new();
    row("request with a new screenshot", || {
        let mut wire = history(&picture)?;
        timed(|| {
            add(&mut wire, &picture);
            Ok(chunks(&wire))
        })
    })?;
    let params = whole_params(&picture)?;
    row("first request, from the text of its parameters", || {
        timed(|| Ok(chunks(&Wire::new(&params, Vec::new())?)))
    })
}

/// Prints the fastest layout, the fastest copy of what was laid out, and their ratio.
fn row(
    name: &str,
    make: impl Fn() -> Result<(Duration, Vec<Bytes>), JsonFault>,
) -> Result<(), JsonFault> {
    let (mut layout, mut copy) = (Duration::MAX, Duration::MAX);
    let mut room = Vec::new();
    for _ in 0..ROUNDS {
        let (time, chunks) = make()?;
        layout = layout.min(time);
        room.resize(chunks.iter().map(Bytes::len).sum(), 1);
        copy = copy.min(copied(&chunks, &mut room));
    }
    let [layout, copy] = [layout, copy].map(|time| time.as_secs_f64() * 1e3);
    println!("{name:<50}{layout:>11.2} ms{copy:>11.2} ms{:>8.2}×", layout / copy);
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> Result<T, JsonFault>) -> Result<(Duration, T), JsonFault> {
    let begun = Instant::now();
    let made = black_box(work()?);
    Ok((begun.elapsed(), made))
}

fn copied(chunks: &[Bytes], room: &mut [u8]) -> Duration {
    let begun = Instant::now();
    let mut rest = &mut *room;
    for chunk in chunks {
        let (place, behind) = rest.split_at_mut(chunk.len());
        place.copy_from_slice(chunk);
        rest = behind;
    }
    let time = begun.elapsed();
    black_box(room);
    time
}

// --- the requests --------------------------------------------------------------------------------

/// The address of a screenshot, which the host holds.
struct Picture(String);

impl Picture {
    fn new() -> Self {
        Self(format!("data:image/png;base64,{}", "A".repeat(PICTURE)))
    }
}

impl Kept for Picture {
    fn held(&self, _: u32) -> Option<&str> {
        Some(&self.0)
    }

    fn returned(&self, _: &str) -> Option<&str> {
        None
    }
}

/// A run that lacks the last screenshot, whose call is there.
fn history(picture: &Picture) -> Result<Wire, JsonFault> {
    let mut wire = Wire::new(r#"{"model":"m","input":"look"}"#, Vec::new())?;
    for _ in 1..PICTURES {
        call(&mut wire)?;
        add(&mut wire, picture);
    }
    call(&mut wire)?;
    Ok(wire)
}

fn call(wire: &mut Wire) -> Result<(), JsonFault> {
    let call = r#"{"type":"computer_call","id":"i","call_id":"c","pending_safety_checks":[],"actions":[]}"#;
    wire.take_response(RawJson::parse(&format!(r#"{{"output":[{call}]}}"#))?);
    Ok(())
}

fn add(wire: &mut Wire, picture: &Picture) {
    let image_url = Some(Json::Held(Held { head: "data:image/png".into(), handle: 0 }));
    let output = ComputerOutput {
        call_id: "c".to_owned(),
        screenshot: Screenshot { image_url, file_id: None },
        acknowledged: Vec::new(),
    };
    let outputs = [CallOutput::Computer(output)];
    wire.update(HistoryUpdate { outputs: &outputs, commits: true, texts: &[] }, picture);
}

/// Parameters whose input is the history that such a run has in the end.
fn whole_params(picture: &Picture) -> Result<String, JsonFault> {
    let mut wire = history(picture)?;
    add(&mut wire, picture);
    Ok(wire.body(&REQUEST).concat())
}

const REQUEST: TurnRequest<'_> = TurnRequest {
    step: 2,
    include: &[],
    relaxes_choice: false,
    update: HistoryUpdate { outputs: &[], commits: false, texts: &[] },
    projection: None,
    streams: false,
    retries: true,
    withholds_tools: false,
    disables_truncation: false,
};

/// Lays the request out and takes every chunk of it.
fn chunks(wire: &Wire) -> Vec<Bytes> {
    let pieces = laid_out(wire.body(&REQUEST));
    let mut body = Fragments::of(&pieces);
    let mut taken = Vec::with_capacity(pieces.len());
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) {
        taken.extend(frame.into_data());
    }
    taken
}
