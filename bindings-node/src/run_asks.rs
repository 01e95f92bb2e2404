//! The texts of what only a run asks for. They follow [`convert`](crate::convert)'s table:
//!
//! | | ask | the rest |
//! | --- | --- | --- |
//! | `R` | `Send` | `{step, include, update…, projection?}` and those of `relaxes_choice`, `adds_computer`, `streams`, `no_retries`, `withholds_tools` and `disables_truncation` that hold |
//! | `N` | `ReadEvent` | nothing |
//! | `L` | `DeliverEvent` | nothing |
//! | `B` | `ReviewEarly` | the call's id |
//! | `F` | `CallFunction` | `{index, call_id, arguments}`, the arguments as text |
//! | `f` | `StartFunction` | as for `F` |
//! | `W` | `AwaitFunction` | the call's id |
//! | `m` | `ApproveMcp` | `{id, request_at?, answer_at?}` |
//! | `Z` | `Measure` | `{from, update…}` |
//! | `c` | `Compact` | `{eligible_call_ids, input_bytes, input_images, projection?}` |
//! | `s` | `Save` | `{revision, phase, consumed_requests, pending?, ids…, update…}` |
//! | `T` | `Turn` | `{step, final, tools_executed, tools_withheld, ids…}` |
//! | `D` | `Finished` | nothing |
//!
//! `update…` are `outputs`, `commits` and `texts`, those that say something. `ids…` are `attempted` and
//! `completed`, each with the ids that are new since they were told last: to tell all of them each time
//! would take longer with each call. A `projection` is a list of texts and of pairs `[start, end]`.
//! `pending` is -1 for the items of the last response, else so many of the stream.

use swingbridge_core::Ask;
use swingbridge_core::computer::ComputerOutput;
use swingbridge_core::json::{Json, Writer};
use swingbridge_core::runner::{
    CallOutput, Checkpoint, CompactRequest, FunctionCall, HistoryUpdate, ImportedRequest,
    PendingItems, Projection, ProjectionPart, TurnRequest, TurnView,
};

use crate::convert::{SOURCES, place_of, write_checks, write_texts};

/// The whole text of the ask for the next event.
pub(crate) const READ_EVENT: &str = "N";

/// How many ids of calls the host knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToldIds {
    attempted: usize,
    completed: usize,
}

/// The text of an ask that only a run has; `None` for any other. `adds_computer`: whether requests have
/// to declare the computer, because the caller did not.
pub(crate) fn run_ask(ask: &Ask<'_>, adds_computer: bool, told: &mut ToldIds) -> Option<String> {
    let mut out = Writer::with_capacity(256);
    match ask {
        Ask::Send(request) => {
            out.raw("R");
            write_request(&mut out, request, adds_computer);
        }
        Ask::ReadEvent => out.raw(READ_EVENT),
        Ask::DeliverEvent => out.raw("L"),
        Ask::ReviewEarly { call_id } => {
            out.raw("B");
            out.raw(call_id);
        }
        Ask::CallFunction(call) => {
            out.raw("F");
            write_function_call(&mut out, call);
        }
        Ask::StartFunction(call) => {
            out.raw("f");
            write_function_call(&mut out, call);
        }
        Ask::AwaitFunction { call_id } => {
            out.raw("W");
            out.raw(call_id);
        }
        Ask::ApproveMcp { id, imported } => {
            out.raw("m");
            write_approval(&mut out, id, *imported);
        }
        Ask::Measure { update, from } => {
            out.raw("Z");
            out.object(|fields| {
                fields.field("from", |out| write_count(out, *from));
                write_update(fields, *update);
            });
        }
        Ask::Compact(request) => {
            out.raw("c");
            write_compact(&mut out, request);
        }
        Ask::Save(checkpoint) => {
            out.raw("s");
            write_save(&mut out, checkpoint, told);
        }
        Ask::Turn(turn) => {
            out.raw("T");
            write_turn(&mut out, turn, told);
        }
        Ask::Finished(_) => out.raw("D"),
        _ => return None,
    }
    Some(out.finish())
}

/// What every checkpoint of a run says: `{run_id, max_steps, tools, output_override_names}`.
pub(crate) fn checkpoint_frame(checkpoint: &Checkpoint<'_>) -> String {
    let mut out = Writer::with_capacity(256);
    out.object(|fields| {
        fields.field("run_id", |out| out.text(checkpoint.run_id));
        fields.field("max_steps", |out| out.raw(&checkpoint.max_steps.to_string()));
        fields.field("tools", |out| out.raw(checkpoint.tools));
        fields.field("output_override_names", |out| {
            write_texts(out, checkpoint.output_override_names);
        });
    });
    out.finish()
}

fn write_request(out: &mut Writer, request: &TurnRequest<'_>, adds_computer: bool) {
    let flags = [
        ("relaxes_choice", request.relaxes_choice),
        ("adds_computer", adds_computer),
        ("streams", request.streams),
        ("no_retries", !request.retries),
        ("withholds_tools", request.withholds_tools),
        ("disables_truncation", request.disables_truncation),
    ];
    out.object(|fields| {
        fields.field("step", |out| out.raw(&request.step.to_string()));
        fields.field("include", |out| write_texts(out, request.include));
        for (name, holds) in flags {
            if holds {
                fields.field(name, |out| out.bool(true));
            }
        }
        write_update(fields, request.update);
        write_projection(fields, request.projection);
    });
}

fn write_update(fields: &mut Writer, update: HistoryUpdate<'_>) {
    if !update.outputs.is_empty() {
        fields.field("outputs", |out| {
            out.list(|list| {
                update.outputs.iter().for_each(|output| list.item(|out| write_output(out, output)));
            });
        });
    }
    if update.commits {
        fields.field("commits", |out| out.bool(true));
    }
    if !update.texts.is_empty() {
        fields.field("texts", |out| {
            out.list(|list| update.texts.iter().for_each(|text| list.item(|out| out.text(text))));
        });
    }
}

fn write_projection(fields: &mut Writer, projection: Option<&Projection>) {
    let Some(projection) = projection else { return };
    fields.field("projection", |out| {
        out.list(|list| {
            for part in &projection.parts {
                list.item(|out| match part {
                    ProjectionPart::UserText(text) => out.str(text),
                    ProjectionPart::Items(range) => out.list(|ends| {
                        ends.item(|out| write_count(out, range.start));
                        ends.item(|out| write_count(out, range.end));
                    }),
                });
            }
        });
    });
}

fn write_function_call(out: &mut Writer, call: &FunctionCall<'_>) {
    out.object(|fields| {
        fields.field("index", |out| write_count(out, call.index));
        fields.field("call_id", |out| out.str(call.call_id));
        fields.field("arguments", |out| out.str(call.arguments));
    });
}

fn write_approval(out: &mut Writer, id: &str, imported: Option<ImportedRequest>) {
    out.object(|fields| {
        fields.field("id", |out| out.str(id));
        if let Some(imported) = imported {
            fields.field("request_at", |out| write_count(out, imported.request_at));
            fields.field("answer_at", |out| write_count(out, imported.answer_at));
        }
    });
}

fn write_compact(out: &mut Writer, request: &CompactRequest<'_>) {
    let snapshot = request.snapshot;
    out.object(|fields| {
        fields.field("eligible_call_ids", |out| write_texts(out, &snapshot.eligible_call_ids));
        fields.field("input_bytes", |out| out.raw(&snapshot.input_bytes.to_string()));
        fields.field("input_images", |out| out.raw(&snapshot.input_images.to_string()));
        write_projection(fields, request.projection);
    });
}

fn write_save(out: &mut Writer, checkpoint: &Checkpoint<'_>, told: &mut ToldIds) {
    out.object(|fields| {
        fields.field("revision", |out| out.raw(&checkpoint.revision.to_string()));
        fields.field("phase", |out| out.str(checkpoint.phase.as_str()));
        fields.field("consumed_requests", |out| {
            out.raw(&checkpoint.consumed_requests.to_string());
        });
        match checkpoint.pending {
            PendingItems::None => {}
            PendingItems::Response => fields.field("pending", |out| out.int(-1)),
            PendingItems::Streamed(count) => {
                fields.field("pending", |out| out.raw(&count.to_string()));
            }
        }
        write_ids(fields, checkpoint.attempted, checkpoint.returned, told);
        write_update(fields, checkpoint.update);
    });
}

fn write_turn(out: &mut Writer, turn: &TurnView<'_>, told: &mut ToldIds) {
    out.object(|fields| {
        fields.field("step", |out| out.raw(&turn.step.to_string()));
        fields.field("final", |out| out.bool(turn.is_final));
        fields.field("tools_executed", |out| out.bool(turn.tools_executed));
        fields.field("tools_withheld", |out| out.bool(turn.tools_withheld));
        write_ids(fields, turn.attempted, turn.completed, told);
    });
}

fn write_ids(fields: &mut Writer, attempted: &[String], completed: &[String], told: &mut ToldIds) {
    fields.field("attempted", |out| write_texts(out, &attempted[told.attempted..]));
    fields.field("completed", |out| write_texts(out, &completed[told.completed..]));
    *told = ToldIds { attempted: attempted.len(), completed: completed.len() };
}

/// `{call_id}` for what a function returned, which the host holds; `{request_id, approve}` for an
/// approval; else also `text` and, where there is an image, `image`: where the host keeps its sources.
fn write_output(out: &mut Writer, output: &CallOutput) {
    out.object(|fields| match output {
        CallOutput::Function { call_id } => fields.field("call_id", |out| out.str(call_id)),
        CallOutput::Browser(output) => {
            fields.field("call_id", |out| out.str(&output.call_id));
            fields.field("text", |out| out.str(&output.text));
            let sources =
                output.image.iter().flat_map(|image| SOURCES.map(|name| image.field(name)));
            for source in sources.flatten() {
                if let Json::Held(held) = source {
                    fields.field("image", |out| out.int(i64::from(place_of(held.handle))));
                    break;
                }
            }
        }
        CallOutput::Computer(output) => write_computer_output(fields, output),
        CallOutput::Mcp { request_id, approve } => {
            fields.field("request_id", |out| out.str(request_id));
            fields.field("approve", |out| out.bool(*approve));
        }
    });
}

/// `screenshot` is where the host keeps its sources.
fn write_computer_output(fields: &mut Writer, output: &ComputerOutput) {
    let sources = [&output.screenshot.image_url, &output.screenshot.file_id];
    fields.field("call_id", |out| out.str(&output.call_id));
    for source in sources.into_iter().flatten() {
        if let Json::Held(held) = source {
            fields.field("screenshot", |out| out.int(i64::from(place_of(held.handle))));
            break;
        }
    }
    fields.field("acknowledged", |out| write_checks(out, &output.acknowledged));
}

fn write_count(out: &mut Writer, count: usize) {
    out.raw(&count.to_string());
}
