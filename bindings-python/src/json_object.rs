//! Objects of a service's JSON text, with their fields as attributes.
//!
//! An object is a part of the text that came and is read one level at a time, when somebody looks: a
//! response that nobody looks at costs no Python object but its own.

use std::ops::Range;

use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyListMethods, PyString, PyType};
use swingbridge_core::json::{MAX_DEPTH, RawJson, parse};
use swingbridge_core::wire::Fragment;

use crate::text_conversation::find;
use crate::{errors, objects};

const UNREADABLE: &str = "nested too deeply, or with a name that is no text";

/// Fields that a response has by its published type; a service of another maker may leave them out.
const RESPONSE_FIELDS: &[&str] = &[
    "background",
    "conversation",
    "error",
    "incomplete_details",
    "instructions",
    "max_output_tokens",
    "metadata",
    "model",
    "output",
    "previous_response_id",
    "prompt",
    "reasoning",
    "status",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_p",
    "truncation",
    "usage",
    "user",
];
/// Fields that a short description may show: they are the service's own words, not the model's.
const SHOWN_FIELDS: &[&str] = &["id", "type", "object", "status"];

/// Fields whose objects have names of the caller's own: a dict, as by their published type.
const DICT_FIELDS: &[&str] =
    &["attributes", "headers", "input_schema", "metadata", "parameters", "schema", "variables"];

/// A part of a JSON text, itself one JSON value.
#[derive(Clone)]
pub(crate) struct JsonText {
    whole: Fragment,
    range: Range<usize>,
}

impl JsonText {
    /// `text` is one JSON object; an error if it is not.
    pub(crate) fn object(text: Fragment) -> Option<Self> {
        let raw = RawJson::parse(&text).ok()?;
        raw.text().starts_with('{').then_some(())?;
        let text = Self { range: 0..text.len(), whole: text };
        Some(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }

    pub(crate) fn raw(&self) -> Option<RawJson<'_>> {
        RawJson::parse(self.as_str()).ok()
    }

    /// The part that `raw`, which was read from this text, is.
    fn part(&self, raw: RawJson<'_>) -> Self {
        let start = raw.text().as_ptr() as usize - self.whole.as_ptr() as usize;
        Self { whole: self.whole.clone(), range: start..start + raw.text().len() }
    }
}

/// An object of the service: a response, an event of a stream, or a part of one.
///
/// Its fields are attributes, at every depth, and are read when they are looked at first; those with names
/// of the caller's own, such as `metadata`, are dicts. What is in it cannot be changed; `to_dict` makes a
/// copy that can.
#[pyclass(frozen, subclass, module = "swingbridge._core")]
pub(crate) struct JsonObject {
    text: JsonText,
    request_id: Option<String>,
    fields: PyOnceLock<Py<PyDict>>,
}

impl JsonObject {
    pub(crate) fn new(text: JsonText, request_id: Option<String>) -> Self {
        Self { text, request_id, fields: PyOnceLock::new() }
    }

    /// An object of the class `kind`, a subclass.
    pub(crate) fn of_kind<'py>(
        kind: &Bound<'py, PyType>,
        text: JsonText,
        request_id: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        kind.call1((Bound::new(kind.py(), Self::new(text, request_id))?,))
    }

    pub(crate) fn text(&self) -> &JsonText {
        &self.text
    }

    /// All of it as plain objects, made anew.
    pub(crate) fn plain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let plain = self.text.raw().map(|raw| plain(py, raw)).transpose()?.flatten();
        plain.ok_or_else(|| errors::not_plain(UNREADABLE))
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyDict>> {
        let fields = self.fields.get_or_try_init(py, || {
            let fields = PyDict::new(py);
            let read = self.text.raw().and_then(RawJson::as_object);
            for (name, raw) in read.unwrap_or_default() {
                let is_object = raw.text().starts_with('{');
                let value = if is_object && DICT_FIELDS.contains(&name.as_ref()) {
                    plain(py, raw)?
                } else if is_object && name == "response" {
                    let kind = py.import("swingbridge.responses")?.getattr("Response")?;
                    let request_id = self.request_id.clone();
                    let kind = kind.cast::<PyType>()?;
                    Some(Self::of_kind(kind, self.text.part(raw), request_id)?)
                } else {
                    value(py, &self.text, raw, MAX_DEPTH)?
                };
                // What cannot be read leaves the others, of which the description is, readable.
                if let Some(value) = value {
                    fields.set_item(PyString::new(py, &name), value)?;
                }
            }
            PyResult::Ok(fields.unbind())
        })?;
        Ok(fields.bind(py))
    }

    fn has_text(&self, py: Python<'_>, name: &str, wanted: &str) -> PyResult<bool> {
        let value = self.fields(py)?.get_item(name)?;
        let value = value.and_then(|value| value.cast_into::<PyString>().ok());
        Ok(value.is_some_and(|value| value.to_str().is_ok_and(|value| value == wanted)))
    }

    /// Services of other makers may leave `object` out.
    fn is_response(&self, py: Python<'_>) -> PyResult<bool> {
        let fields = self.fields(py)?;
        let output = fields.get_item(intern!(py, "output"))?;
        let is_bare = output.is_some_and(|output| output.is_instance_of::<PyList>())
            && !fields.contains(intern!(py, "type"))?;
        Ok(is_bare || self.has_text(py, "object", "response")?)
    }

    /// The texts of all messages, one after the other.
    fn output_text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let empty = PyString::new(py, "");
        let texts = PyList::empty(py);
        for item in parts(py, self, "output")? {
            if item.get().has_text(py, "type", "message")? {
                for part in parts(py, item.get(), "content")? {
                    if part.get().has_text(py, "type", "output_text")? {
                        let text = part.get().fields(py)?.get_item(intern!(py, "text"))?;
                        texts.append(text.unwrap_or_else(|| empty.clone().into_any()))?;
                    }
                }
            }
        }
        Ok(empty.call_method1(intern!(py, "join"), (texts,))?.cast_into()?)
    }
}

#[pymethods]
impl JsonObject {
    /// `source` is another such object, whose text is shared, or JSON text of an object.
    #[new]
    #[pyo3(signature = (source: "object", request_id=None))]
    fn create(source: Bound<'_, PyAny>, request_id: Option<String>) -> PyResult<Self> {
        if let Ok(other) = source.cast::<Self>() {
            let other = other.get();
            return Ok(Self::new(
                other.text.clone(),
                request_id.or_else(|| other.request_id.clone()),
            ));
        }
        let text = source.extract::<String>()?;
        let text = JsonText::object(text.into());
        let text = text.ok_or_else(|| PyValueError::new_err("the text is no JSON object"))?;
        Ok(Self::new(text, request_id))
    }

    /// A copy as plain dicts and lists.
    #[pyo3(signature = () -> "dict[str, Any]")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.plain(py)
    }

    /// The JSON text as it came.
    fn to_json(&self) -> &str {
        self.text.as_str()
    }

    /// What the service called the request, if this is a whole response or an event of its stream.
    #[getter]
    fn _request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    fn __getattr__<'py>(
        slf: PyRef<'py, Self>,
        name: Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let text = name.to_str().unwrap_or_default();
        if !text.starts_with("__") {
            if let Some(value) = slf.fields(py)?.get_item(&name)? {
                return Ok(value);
            }
            if slf.text.raw().and_then(|raw| find(raw, text)).is_some() {
                return Err(errors::not_plain(UNREADABLE));
            }
            if slf.is_response(py)? {
                if text == "output_text" {
                    return Ok(slf.output_text(py)?.into_any());
                }
                if RESPONSE_FIELDS.contains(&text) {
                    return Ok(py.None().into_bound(py));
                }
            }
        }
        let kind = slf.into_pyobject(py)?.get_type();
        let kind = kind.name()?;
        Err(PyAttributeError::new_err(format!("{kind} has no field '{text}'")))
    }

    #[pyo3(signature = () -> "list[str]")]
    fn __dir__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyList>> {
        let py = slf.py();
        let names = slf.fields(py)?.keys();
        let kind = slf.into_pyobject(py)?.get_type();
        for name in kind.dir()? {
            names.append(name)?;
        }
        Ok(names)
    }

    fn __eq__(&self, py: Python<'_>, other: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let is_same = self.text.as_str() == other.get().text.as_str()
            || self.plain(py)?.eq(other.get().plain(py)?)?;
        Ok(is_same.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    /// What it is, without what a model wrote.
    fn __repr__(slf: PyRef<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        let mut shown = Vec::new();
        for name in SHOWN_FIELDS {
            if let Some(value) = slf.fields(py)?.get_item(*name)?
                && let Ok(value) = value.cast::<PyString>()
            {
                shown.push(format!("{name}={}", value.repr()?));
            }
        }
        let kind = slf.into_pyobject(py)?.get_type();
        Ok(format!("{}({})", kind.name()?, shown.join(", ")))
    }

    #[pyo3(signature = () -> "object")]
    fn __copy__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let py = slf.py();
        let this = slf.into_pyobject(py)?;
        this.get_type().call1((&this,))
    }

    #[pyo3(signature = (_memo: "object") -> "object")]
    fn __deepcopy__<'py>(
        slf: PyRef<'py, Self>,
        _memo: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::__copy__(slf)
    }

    #[pyo3(signature = () -> "tuple[Any, ...]")]
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let py = slf.py();
        let source = (slf.text.as_str().to_owned(), slf.request_id.clone());
        let kind = slf.into_pyobject(py)?.get_type();
        Ok((kind, source).into_pyobject(py)?.into_any())
    }
}

/// A value of the text; objects in it stay text. `None` if it cannot be read.
fn value<'py>(
    py: Python<'py>,
    source: &JsonText,
    raw: RawJson<'_>,
    depth: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if raw.text().starts_with('{') {
        let object = JsonObject::new(source.part(raw), None);
        return Ok(Some(Bound::new(py, object)?.into_any()));
    }
    if let Some(items) = raw.as_list() {
        let Some(depth) = depth.checked_sub(1) else { return Ok(None) };
        let list = PyList::empty(py);
        for item in items {
            let Some(item) = value(py, source, item, depth)? else { return Ok(None) };
            list.append(item)?;
        }
        return Ok(Some(list.into_any()));
    }
    plain(py, raw)
}

fn plain<'py>(py: Python<'py>, raw: RawJson<'_>) -> PyResult<Option<Bound<'py, PyAny>>> {
    parse(raw.text()).ok().map(|parsed| objects::json(py, &parsed, &[])).transpose()
}

/// The objects in a list.
fn parts<'py>(
    py: Python<'py>,
    object: &JsonObject,
    name: &str,
) -> PyResult<Vec<Bound<'py, JsonObject>>> {
    let list = object.fields(py)?.get_item(name)?;
    let list = list.and_then(|list| list.cast_into::<PyList>().ok());
    let items = list.iter().flat_map(PyListMethods::iter);
    Ok(items.filter_map(|item| item.cast_into::<JsonObject>().ok()).collect())
}
