//! Host values to the core, asks to the host: JSON text both ways.
//!
//! An ask is one text. Its first character is its kind, the rest depends on it:
//!
//! | | ask | the rest |
//! | --- | --- | --- |
//! | `S` | `ReadState` | the call's id in a run |
//! | `U` | `ReviewUrl` | the context |
//! | `C` | `Confirm` | the context |
//! | `A` | `Act` | the member's name, then the arguments |
//! | `P` | `ApproveSafety` | the call's id in a run |
//! | `V` | `ReviewAction` | the action's index, a space, the call's id in a run |
//! | `M` | `ActOnComputer` | as for `V` |
//! | `K` | `TakeScreenshot` | nothing |
//! | `E` | `Emit` | the record |
//! | `O`, `o` | `Output`, ok or not | the text of the output |
//! | `I` | `Output` with an image | the text of the output |
//! | `Q` | `ComputerOutput` | the acknowledged checks |
//! | `X` | `Stopped` | `{code, message, attempted, completed}` |
//!
//! What only runs ask for is in [`run_asks`](crate::run_asks).
//!
//! The actions of a computer call do not cross: the host has the call's text, and JavaScript has one
//! kind of number, so its own copy says what the core's says.
//!
//! A context or arguments that the host parses from this text are detached by construction (B-20).

use std::borrow::Cow;

use swingbridge_core::Ask;
use swingbridge_core::computer::SafetyCheck;
use swingbridge_core::diagnostic::Diagnostic;
use swingbridge_core::json::{Held, Json, Text, Writer, parse};
use swingbridge_core::runner::RunOutcome;

/// The sources of an image, whose texts stay with the host.
pub(crate) const SOURCES: [&str; SOURCES_COUNT as usize] = ["image_url", "file_id"];
const SOURCES_COUNT: u32 = 2;

/// A host value from the text of its snapshot. What has no JSON form is written there as a number
/// with a fraction, which no rule takes, so that nothing needs to be told apart here.
pub(crate) fn value(text: &str) -> Json<'_> {
    parse(text).unwrap_or(Json::Foreign)
}

/// As [`value`], for what a driver returned: the snapshot has the beginnings of an image's sources,
/// and `place` is where the host keeps the rest.
pub(crate) fn result(text: &str, place: u32) -> Json<'_> {
    let mut value = value(text);
    if let Json::Object(fields) = &mut value {
        for (name, field) in fields {
            if let Json::Text(text) = field
                && let Some(handle) = handle_of(place, name)
            {
                *field = Json::Held(Held { head: lossy(text), handle });
            }
        }
    }
    value
}

/// The handle of a source of the image that the host keeps at this place; `None` for any other field.
pub(crate) fn handle_of(place: u32, source: &str) -> Option<u32> {
    let at = SOURCES.iter().position(|name| *name == source)?;
    place.checked_mul(SOURCES_COUNT)?.checked_add(u32::try_from(at).ok()?)
}

/// Where the host keeps the image of a handle.
pub(crate) fn place_of(handle: u32) -> u32 {
    handle / SOURCES_COUNT
}

/// The heads of held texts are looked at for white space only, which no surrogate is.
fn lossy<'a>(text: &Text<'a>) -> Cow<'a, str> {
    match text {
        Text::Valid(text) => text.clone(),
        Text::Unpaired(bytes) => Cow::Owned(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// The text of an ask of a call; `None` for any other.
pub(crate) fn ask(ask: &Ask<'_>, outcome: Option<RunOutcome<'_>>) -> Option<String> {
    let mut out = Writer::with_capacity(256);
    match ask {
        Ask::ReadState => {
            out.raw("S");
            out.raw(current_call(outcome));
        }
        Ask::ReviewUrl { context, .. } => {
            out.raw("U");
            context.write(&mut out);
        }
        Ask::Confirm { context } => {
            out.raw("C");
            context.write(&mut out);
        }
        Ask::Act { member, arguments } => {
            out.raw("A");
            out.raw(member.name());
            arguments.write(&mut out);
        }
        Ask::ApproveSafety { .. } => {
            out.raw("P");
            out.raw(current_call(outcome));
        }
        Ask::ReviewAction { index, .. } => write_action(&mut out, "V", *index, outcome),
        Ask::ActOnComputer { index, .. } => write_action(&mut out, "M", *index, outcome),
        Ask::TakeScreenshot => out.raw("K"),
        Ask::Emit(record) => {
            out.raw("E");
            write_record(&mut out, record);
        }
        Ask::Output(output) => {
            out.raw(match (&output.image, output.ok) {
                (Some(_), _) => "I",
                (None, true) => "O",
                (None, false) => "o",
            });
            out.raw(&output.text);
        }
        Ask::ComputerOutput(output) => {
            out.raw("Q");
            write_checks(&mut out, &output.acknowledged);
        }
        Ask::Stopped(stop) => return Some(stopped(stop.code(), &stop.to_string(), outcome)),
        _ => return None,
    }
    Some(out.finish())
}

/// The text of an end without an output.
pub(crate) fn stopped(code: &str, message: &str, outcome: Option<RunOutcome<'_>>) -> String {
    let (attempted, completed) =
        outcome.map_or((&[][..], &[][..]), |outcome| (outcome.attempted, outcome.completed));
    let mut out = Writer::with_capacity(128);
    out.raw("X");
    out.object(|stop| {
        stop.field("code", |out| out.str(code));
        stop.field("message", |out| out.str(message));
        stop.field("attempted", |out| write_texts(out, attempted));
        stop.field("completed", |out| write_texts(out, completed));
    });
    out.finish()
}

fn write_record(out: &mut Writer, record: &Diagnostic) {
    let text = |out: &mut Writer, text: &Option<String>| match text {
        Some(text) => out.str(text),
        None => out.null(),
    };
    #[expect(clippy::cast_precision_loss, reason = "milliseconds with their microseconds")]
    let milliseconds = record.duration as f64 / 1_000.0;
    out.object(|event| {
        event.field("api", |out| out.str(record.api.as_str()));
        event.field("stage", |out| out.str(record.stage.as_str()));
        event.field("reason", |out| out.str(record.reason.as_str()));
        event.field("call_id", |out| text(out, &record.call_id));
        event.field("member", |out| text(out, &record.member));
        event.field("duration_ms", |out| out.json(&Json::Float(milliseconds)));
        event.field("usage", |out| match record.usage {
            Some(usage) => out.object(|counts| {
                counts.field("input_tokens", |out| out.raw(&usage.input_tokens.to_string()));
                counts.field("output_tokens", |out| out.raw(&usage.output_tokens.to_string()));
                counts.field("total_tokens", |out| out.raw(&usage.total_tokens.to_string()));
            }),
            None => out.null(),
        });
    });
}

/// The call that is open in a run; in a run only, because a toolset has one call at a time.
fn current_call(outcome: Option<RunOutcome<'_>>) -> &str {
    outcome.and_then(|outcome| outcome.attempted.last()).map_or("", String::as_str)
}

fn write_action(out: &mut Writer, kind: &str, index: usize, outcome: Option<RunOutcome<'_>>) {
    out.raw(kind);
    out.json(&Json::from(index));
    out.raw(" ");
    out.raw(current_call(outcome));
}

pub(crate) fn write_checks(out: &mut Writer, checks: &[SafetyCheck]) {
    out.list(|list| checks.iter().for_each(|check| list.item(|out| write_check(out, check))));
}

fn write_check(out: &mut Writer, SafetyCheck { id, code, message }: &SafetyCheck) {
    let optional = |out: &mut Writer, text: &Option<String>| match text {
        Some(text) => out.str(text),
        None => out.null(),
    };
    out.object(|check| {
        check.field("id", |out| out.str(id));
        check.field("code", |out| optional(out, code));
        check.field("message", |out| optional(out, message));
    });
}

pub(crate) fn write_texts(out: &mut Writer, texts: &[String]) {
    out.list(|list| texts.iter().for_each(|text| list.item(|out| out.str(text))));
}
