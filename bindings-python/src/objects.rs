//! What the core gives, as Python objects. Each is made anew, so that editing it changes nothing.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use swingbridge_core::browser::{ActionContext, Arguments, BrowserOutput, InputImage};
use swingbridge_core::diagnostic::{Diagnostic, Usage};
use swingbridge_core::json::{Json, Text};

/// Texts that stayed here, by handle.
pub(crate) type HeldTexts = [Py<PyString>];

pub(crate) fn json<'py>(
    py: Python<'py>,
    value: &Json<'_>,
    held: &HeldTexts,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Json::Null | Json::Foreign => py.None().into_bound(py),
        Json::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Json::Int(number) => number.into_pyobject(py)?.into_any(),
        Json::Float(number) => PyFloat::new(py, *number).into_any(),
        Json::Text(value) => text(py, value)?.into_any(),
        Json::Held(value) => match held.get(value.handle as usize) {
            Some(kept) => kept.bind(py).clone().into_any(),
            None => PyString::new(py, &value.head).into_any(),
        },
        Json::List(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(json(py, item, held)?)?;
            }
            list.into_any()
        }
        Json::Object(fields) => {
            let object = PyDict::new(py);
            for (name, value) in fields {
                object.set_item(PyString::new(py, name), json(py, value, held)?)?;
            }
            object.into_any()
        }
    })
}

pub(crate) fn text<'py>(py: Python<'py>, text: &Text<'_>) -> PyResult<Bound<'py, PyString>> {
    match text {
        Text::Valid(text) => Ok(PyString::new(py, text)),
        Text::Unpaired(bytes) => {
            let bytes = pyo3::types::PyBytes::new(py, bytes);
            PyString::from_encoded_object(&bytes, Some(c"utf-8"), Some(c"surrogatepass"))
        }
    }
}

pub(crate) fn arguments<'py>(
    py: Python<'py>,
    arguments: &Arguments,
) -> PyResult<Bound<'py, PyDict>> {
    fields(py, arguments.fields(), &[])
}

/// What `confirm` and `url_policy` are given (B-20, B-22).
pub(crate) fn context<'py>(
    py: Python<'py>,
    context: &ActionContext<'_>,
) -> PyResult<Bound<'py, PyDict>> {
    let object = PyDict::new(py);
    if context.is_before_read() {
        object.set_item(intern!(py, "phase"), intern!(py, "before_read"))?;
    }
    object.set_item(intern!(py, "member"), context.member.name())?;
    object.set_item(intern!(py, "arguments"), arguments(py, context.arguments)?)?;
    let state = context
        .state
        .map_or(Ok(py.None().into_bound(py)), |state| json(py, &state.to_json(), &[]))?;
    object.set_item(intern!(py, "state"), state)?;
    object.set_item(intern!(py, "call_id"), context.call_id)?;
    Ok(object)
}

/// A `function_call_output` item (B-47).
pub(crate) fn output<'py>(
    py: Python<'py>,
    output: &BrowserOutput,
    held: &HeldTexts,
) -> PyResult<Bound<'py, PyDict>> {
    let blocks = PyList::empty(py);
    let words = PyDict::new(py);
    words.set_item(intern!(py, "type"), intern!(py, "input_text"))?;
    words.set_item(intern!(py, "text"), &output.text)?;
    blocks.append(words)?;
    if let Some(image) = &output.image {
        blocks.append(input_image(py, image, held)?)?;
    }
    function_output(py, &output.call_id, Some(blocks.into_any()))
}

pub(crate) fn function_output<'py>(
    py: Python<'py>,
    call_id: &str,
    output: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    item.set_item(intern!(py, "type"), intern!(py, "function_call_output"))?;
    item.set_item(intern!(py, "call_id"), call_id)?;
    item.set_item(intern!(py, "output"), output)?;
    Ok(item)
}

fn input_image<'py>(
    py: Python<'py>,
    image: &InputImage,
    held: &HeldTexts,
) -> PyResult<Bound<'py, PyDict>> {
    fields(py, image.fields(), held)
}

pub(crate) fn fields<'py>(
    py: Python<'py>,
    fields: &[(&'static str, Json<'static>)],
    held: &HeldTexts,
) -> PyResult<Bound<'py, PyDict>> {
    let object = PyDict::new(py);
    for (name, value) in fields {
        object.set_item(PyString::new(py, name), json(py, value, held)?)?;
    }
    Ok(object)
}

/// A record for the observer (B-52).
pub(crate) fn diagnostic<'py>(
    py: Python<'py>,
    record: &Diagnostic,
) -> PyResult<Bound<'py, PyDict>> {
    let object = PyDict::new(py);
    object.set_item(intern!(py, "api"), record.api.as_str())?;
    object.set_item(intern!(py, "stage"), record.stage.as_str())?;
    object.set_item(intern!(py, "reason"), record.reason.as_str())?;
    object.set_item(intern!(py, "call_id"), record.call_id.as_deref())?;
    object.set_item(intern!(py, "member"), record.member.as_deref())?;
    object.set_item(intern!(py, "duration_ms"), milliseconds(record.duration))?;
    let usage = record.usage.map(|counts| usage(py, counts)).transpose()?;
    object.set_item(intern!(py, "usage"), usage)?;
    Ok(object)
}

#[expect(clippy::cast_precision_loss, reason = "exact for durations below 285 years")]
fn milliseconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1_000.0
}

fn usage(py: Python<'_>, usage: Usage) -> PyResult<Bound<'_, PyDict>> {
    let object = PyDict::new(py);
    object.set_item(intern!(py, "input_tokens"), usage.input_tokens)?;
    object.set_item(intern!(py, "output_tokens"), usage.output_tokens)?;
    object.set_item(intern!(py, "total_tokens"), usage.total_tokens)?;
    Ok(object)
}
