//! Host values as the core's [`Json`].
//!
//! Reading has two passes. The first takes references to everything that a rule reads, in one flat
//! list, and allocates no Python object: no finalizer can run and change a container under way. The
//! second builds a [`Json`] that borrows from that list. Nothing of a host object is called: no
//! `__str__`, `__eq__`, `__hash__`, `__len__` or `__iter__`, whatever its class says.

use std::borrow::Cow;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use swingbridge_core::json::{
    HELD_HEAD, HOST_DEPTH, HOST_VALUES, Held, Json, MAX_DEPTH, Text, read_field,
};

/// How a host value is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    /// Whether subclasses of `str` and `dict` are refused.
    pub(crate) exact: bool,
    /// Whether long texts stay with the host.
    pub(crate) hold: bool,
    /// Whether every field is read, whatever its name.
    pub(crate) whole: bool,
}

impl Terms {
    /// For what the caller configures a run with, and what the service answers.
    pub(crate) const EXACT: Self = Self { exact: true, hold: false, whole: false };
    /// For what is saved or measured: all of it counts.
    pub(crate) const WHOLE: Self = Self { exact: true, hold: false, whole: true };

    fn depth(self) -> usize {
        if self.whole { MAX_DEPTH } else { HOST_DEPTH }
    }
}

/// What the first pass found, in the order of the value; the value itself comes first.
pub(crate) struct HostValue<'py> {
    nodes: Vec<Node<'py>>,
    terms: Terms,
}

enum Node<'py> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Bound<'py, PyString>),
    /// So many items follow.
    List(usize),
    /// So many fields follow, each a name and a value.
    Object(usize),
    /// The name of a field that a rule reads.
    Read(&'static str),
    /// Any other name: it counts as a further field.
    Name(Bound<'py, PyString>),
    /// A key that is no plain text.
    NoName,
    Foreign,
}

impl<'py> HostValue<'py> {
    pub(crate) fn read(value: Bound<'py, PyAny>, terms: Terms) -> Self {
        Self::read_with(value, terms, &[])
    }

    /// Reads an object; of the fields in `whole` all that is in them.
    pub(crate) fn read_with(
        value: Bound<'py, PyAny>,
        terms: Terms,
        whole: &'static [&'static str],
    ) -> Self {
        let mut reader = Reader {
            nodes: Vec::new(),
            fields: Vec::new(),
            names: Names::default(),
            terms,
            whole,
            overflow: false,
        };
        reader.value(value, 0);
        if reader.overflow {
            reader.nodes = vec![Node::Foreign];
        }
        Self { nodes: reader.nodes, terms }
    }

    /// The value for the core. Texts that stay here are added to `held`, where their handle says.
    pub(crate) fn json(&self, held: &mut Vec<Py<PyString>>) -> Json<'_> {
        Builder { nodes: self.nodes.iter(), hold: self.terms.hold, held }.value()
    }
}

struct Reader<'py> {
    nodes: Vec<Node<'py>>,
    /// The fields of the objects that are being read, the innermost last.
    fields: Vec<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    names: Names<'py>,
    terms: Terms,
    /// Fields of the outermost object.
    whole: &'static [&'static str],
    overflow: bool,
}

impl<'py> Reader<'py> {
    fn value(&mut self, value: Bound<'py, PyAny>, depth: usize) {
        if self.nodes.len() >= HOST_VALUES {
            self.overflow = true;
            return;
        }
        let value = match value.cast_into_exact::<PyString>() {
            Ok(text) => return self.nodes.push(Node::Text(text)),
            Err(other) => other.into_inner(),
        };
        let node = if value.is_none() {
            Node::Null
        } else if let Ok(flag) = value.cast_exact::<PyBool>() {
            Node::Bool(flag.is_true())
        } else if let Ok(number) = value.cast_exact::<PyInt>() {
            integer(number)
        } else if let Ok(object) = value.cast_exact::<PyDict>() {
            return self.object(object, depth);
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            return self.list(list, depth);
        } else if let Ok(number) = value.cast_exact::<PyFloat>() {
            Node::Float(number.value())
        } else if self.terms.exact {
            Node::Foreign
        } else if let Ok(text) = value.cast::<PyString>() {
            Node::Text(text.clone())
        } else if let Ok(object) = value.cast::<PyDict>() {
            return self.object(object, depth);
        } else {
            Node::Foreign
        };
        self.nodes.push(node);
    }

    fn list(&mut self, list: &Bound<'py, PyList>, depth: usize) {
        if depth >= self.terms.depth() {
            return self.nodes.push(Node::Foreign);
        }
        let at = self.nodes.len();
        self.nodes.push(Node::Foreign);
        let mut count = 0;
        for item in list.iter() {
            self.value(item, depth + 1);
            if self.overflow {
                return;
            }
            count += 1;
        }
        self.nodes[at] = Node::List(count);
    }

    fn object(&mut self, object: &Bound<'py, PyDict>, depth: usize) {
        if depth >= self.terms.depth() {
            return self.nodes.push(Node::Foreign);
        }
        let first = self.fields.len();
        self.fields.extend(object.iter().map(Some));
        self.nodes.push(Node::Object(self.fields.len() - first));
        for index in first..self.fields.len() {
            if let Some((name, value)) = self.fields[index].take() {
                self.field(name, value, depth);
            }
            if self.overflow {
                break;
            }
        }
        self.fields.truncate(first);
    }

    fn field(&mut self, name: Bound<'py, PyAny>, value: Bound<'py, PyAny>, depth: usize) {
        let Ok(name) = name.cast_into_exact::<PyString>() else {
            return self.nodes.extend([Node::NoName, Node::Foreign]);
        };
        if self.terms.whole {
            // Text that the wire cannot carry is no name; what it names is not told.
            if name.to_str().is_err() {
                return self.nodes.extend([Node::NoName, Node::Foreign]);
            }
            self.nodes.push(Node::Name(name));
            self.value(value, depth + 1);
        } else if let Some(read) = self.names.read(&name) {
            self.nodes.push(Node::Read(read));
            let outer = self.terms.whole;
            self.terms.whole = depth == 0 && self.whole.contains(&read);
            self.value(value, depth + 1);
            self.terms.whole = outer;
        } else {
            self.nodes.extend([Node::Name(name), Node::Foreign]);
        }
    }
}

/// Names seen before. The objects of a list share the objects of their names, so most names are
/// looked up once in a value.
#[derive(Default)]
struct Names<'py>([Option<(Bound<'py, PyString>, Option<&'static str>)>; 32]);

impl<'py> Names<'py> {
    fn read(&mut self, name: &Bound<'py, PyString>) -> Option<&'static str> {
        let Self(seen) = self;
        // Objects are aligned to 16 bytes. What is kept here stays alive, so an address is a name.
        let place = &mut seen[(name.as_ptr() as usize / 16) % 32];
        match place {
            Some((kept, read)) if kept.is(name) => *read,
            _ => {
                let read = name.to_str().ok().and_then(read_field);
                *place = Some((name.clone(), read));
                read
            }
        }
    }
}

fn integer<'py>(number: &Bound<'py, PyInt>) -> Node<'py> {
    match number.extract::<i64>() {
        Ok(number) => Node::Int(number),
        // Beyond 64 bits no rule accepts the number; how large it is does not matter.
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
            Node::Float(f64::INFINITY)
        }
        Err(_) => Node::Foreign,
    }
}

struct Builder<'a, 'py, 'h> {
    nodes: std::slice::Iter<'a, Node<'py>>,
    hold: bool,
    held: &'h mut Vec<Py<PyString>>,
}

impl<'a> Builder<'a, '_, '_> {
    fn value(&mut self) -> Json<'a> {
        match self.nodes.next() {
            Some(Node::Null) => Json::Null,
            Some(Node::Bool(flag)) => Json::Bool(*flag),
            Some(Node::Int(number)) => Json::Int(*number),
            Some(Node::Float(number)) => Json::Float(*number),
            Some(Node::Text(text)) => self.text(text),
            Some(Node::List(count)) => Json::List((0..*count).map(|_| self.value()).collect()),
            Some(Node::Object(count)) => Json::Object((0..*count).map(|_| self.field()).collect()),
            Some(Node::Read(_) | Node::Name(_) | Node::NoName | Node::Foreign) | None => {
                Json::Foreign
            }
        }
    }

    fn field(&mut self) -> (Cow<'a, str>, Json<'a>) {
        let name = match self.nodes.next() {
            Some(Node::Read(name)) => name,
            Some(Node::Name(name)) => name.to_str().unwrap_or_default(),
            _ => "",
        };
        (Cow::Borrowed(name), self.value())
    }

    fn text<'py>(&mut self, text: &'a Bound<'py, PyString>) -> Json<'a> {
        let Ok(valid) = text.to_str() else {
            return unpaired(text).map_or(Json::Foreign, Json::Text);
        };
        // Characters, as the host counts them; short texts are not counted at all.
        let end = if self.hold && valid.len() > HELD_HEAD {
            valid.char_indices().nth(HELD_HEAD).map(|(end, _)| end)
        } else {
            None
        };
        match end {
            Some(end) => {
                let handle = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
                self.held.push(plain_text(text, valid).unbind());
                Json::Held(Held { head: Cow::Borrowed(&valid[..end]), handle })
            }
            None => Json::Text(Text::from(valid)),
        }
    }
}

/// A text by itself.
pub(crate) fn text<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Text<'a>> {
    text.to_str().map_or_else(|_| unpaired(text), |valid| Ok(Text::from(valid)))
}

/// A text that is known to have unpaired surrogates.
fn unpaired(text: &Bound<'_, PyString>) -> PyResult<Text<'static>> {
    wtf8(text).map(Text::from_wtf8)
}

/// The same object, or a copy without its class if it is of a subclass.
fn plain_text<'py>(text: &Bound<'py, PyString>, valid: &str) -> Bound<'py, PyString> {
    if text.is_exact_instance_of::<PyString>() {
        text.clone()
    } else {
        PyString::new(text.py(), valid)
    }
}

/// The bytes of a text with unpaired surrogates. `str.encode` itself is called, not what a subclass
/// puts in its place.
pub(crate) fn wtf8(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let py = text.py();
    let encode = py.get_type::<PyString>().getattr(pyo3::intern!(py, "encode"))?;
    encode.call1((text, "utf-8", "surrogatepass"))?.extract()
}
