//! Copies of the caller's and the client's objects.
//!
//! [`plain`] makes dicts and lists of them, as they go to the service and into a checkpoint.
//! [`detached`] keeps their kinds, for a callback that may change what it is given. Texts are shared
//! by both, so pictures are not copied.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple, PyType};
use swingbridge_core::json::MAX_DEPTH;

use crate::errors;
use crate::json_object::JsonObject;

/// A copy of `value`: dicts, lists, tuples and pydantic models become plain dicts and lists.
///
/// Of a model the fields that were set are taken, under their names on the wire, and those that its
/// class does not know; fields that only have their default value are left out. Other objects stay
/// what they are. What the value has in several places is copied once. If `exact`, subclasses of
/// `dict` and `list` stay what they are too, so that it can be seen that they are none.
///
/// Raises `NotPlainError` for a value that refers to itself, is nested too deeply or has a key that
/// is no text.
#[pyfunction]
#[pyo3(signature = (value, exact=false) -> "Any")]
pub(crate) fn plain(value: Bound<'_, PyAny>, exact: bool) -> PyResult<Bound<'_, PyAny>> {
    let kind = if exact { Kind::PlainOfExact } else { Kind::Plain };
    Copier::new(value.py(), kind).copy(value, MAX_DEPTH)
}

/// A copy of an event or the like, of the same kinds: changing it changes nothing.
///
/// Raises whatever keeps an object from being copied.
#[pyfunction]
#[pyo3(signature = (value) -> "Any")]
pub(crate) fn detached(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    Copier::new(value.py(), Kind::Same).copy(value, MAX_DEPTH)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain,
    PlainOfExact,
    Same,
}

/// Makes one copy.
struct Copier<'py> {
    py: Python<'py>,
    kind: Kind,
    /// By the address of what is copied: it and its copy, or nothing while that is under way. What
    /// is kept here stays alive, so no other object gets its address.
    copies: HashMap<usize, Copied<'py>, Addresses>,
    classes: Vec<(Bound<'py, PyType>, Aliases<'py>)>,
}

type Copied<'py> = (Bound<'py, PyAny>, Option<Bound<'py, PyAny>>);
type Addresses = BuildHasherDefault<AddressHasher>;
/// The names on the wire of those fields of a model's class that have another one.
type Aliases<'py> = Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>;
type Fields<'py> = Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

impl<'py> Copier<'py> {
    fn new(py: Python<'py>, kind: Kind) -> Self {
        Self { py, kind, copies: HashMap::default(), classes: Vec::new() }
    }

    fn copy(&mut self, value: Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        if is_leaf(&value) {
            return Ok(value);
        }
        let address = value.as_ptr() as usize;
        match self.copies.get(&address) {
            Some((_, Some(copy))) => return Ok(copy.clone()),
            Some((_, None)) => return Err(errors::not_plain("refers to itself")),
            None => {}
        }
        if let Ok(object) = value.cast::<JsonObject>() {
            return self.received(object);
        }
        let Some(parts) = self.parts(&value)? else { return self.other(value) };
        let depth = depth.checked_sub(1).ok_or_else(|| errors::not_plain("nested too deeply"))?;
        self.copies.insert(address, (value.clone(), None));
        let copy = match parts {
            Parts::Exact(object) => self.copy_exact(&object, depth)?,
            Parts::Fields(fields) => self.dict(fields, depth)?.into_any(),
            Parts::Items(items) => self.list(items, depth)?.into_any(),
            Parts::Tuple(items) => self.list(items, depth)?.to_tuple().into_any(),
            Parts::Model => self.model(&value, depth)?,
        };
        self.copies.insert(address, (value, Some(copy.clone())));
        Ok(copy)
    }

    /// What there is to copy of a value; `None` if it is no container of a known kind.
    fn parts(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Parts<'py>>> {
        if let Ok(object) = value.cast_exact::<PyDict>() {
            return Ok(Some(Parts::Exact(object.clone())));
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            return Ok(Some(Parts::Items(list.iter().collect())));
        }
        if self.kind == Kind::Same {
            return Ok(if let Ok(tuple) = value.cast_exact::<PyTuple>() {
                Some(Parts::Tuple(tuple.iter().collect()))
            } else if is_model(value)? {
                Some(Parts::Model)
            } else {
                None
            });
        }
        // Of a subclass the items as they are stored: it may have another idea of them.
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return Ok(Some(Parts::Items(tuple.iter().collect())));
        }
        let is_exact = self.kind == Kind::PlainOfExact;
        if let Ok(list) = value.cast::<PyList>() {
            return Ok((!is_exact).then(|| Parts::Items(list.iter().collect())));
        }
        if let Ok(object) = value.cast::<PyDict>() {
            return Ok((!is_exact).then(|| Parts::Fields(object.iter().collect())));
        }
        Ok(self.model_fields(value)?.map(Parts::Fields))
    }

    /// A copy of what is no container: the object itself, or one that its class makes.
    fn other(&mut self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.kind != Kind::Same {
            return Ok(value);
        }
        let copy = self.py.import(intern!(self.py, "copy"))?;
        let copy = copy.call_method1(intern!(self.py, "deepcopy"), (&value,))?;
        self.copies.insert(value.as_ptr() as usize, (value, Some(copy.clone())));
        Ok(copy)
    }

    /// A copy of what the native client gave; nothing in it can be changed, so only its kind differs.
    fn received(&mut self, object: &Bound<'py, JsonObject>) -> PyResult<Bound<'py, PyAny>> {
        if self.kind == Kind::Same {
            return object.get_type().call1((object,));
        }
        object.get().plain(self.py)
    }

    fn list(
        &mut self,
        items: Vec<Bound<'py, PyAny>>,
        depth: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut copies = Vec::with_capacity(items.len());
        for item in items {
            copies.push(self.copy(item, depth)?);
        }
        PyList::new(self.py, copies)
    }

    fn dict(&mut self, fields: Fields<'py>, depth: usize) -> PyResult<Bound<'py, PyDict>> {
        let copy = PyDict::new(self.py);
        for (name, item) in fields {
            copy.set_item(self.name(name)?, self.copy(item, depth)?)?;
        }
        Ok(copy)
    }

    /// Most fields have texts and numbers: the dict is copied as a whole, and then what is in it.
    fn copy_exact(
        &mut self,
        object: &Bound<'py, PyDict>,
        depth: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut has_odd_names = false;
        // Collected before anything is made: a finalizer could change the dict.
        let containers: Fields<'py> = object
            .iter()
            .filter(|(name, item)| {
                has_odd_names |= !name.is_exact_instance_of::<PyString>();
                !is_leaf(item)
            })
            .collect();
        if has_odd_names && self.kind != Kind::Same {
            return Ok(self.dict(object.iter().collect(), depth)?.into_any());
        }
        let copy = object.copy()?;
        for (name, item) in containers {
            copy.set_item(name, self.copy(item, depth)?)?;
        }
        Ok(copy.into_any())
    }

    fn name(&self, name: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.kind == Kind::Same || name.is_exact_instance_of::<PyString>() {
            return Ok(name);
        }
        if !name.is_instance_of::<PyString>() {
            return Err(errors::not_plain("a key is no text"));
        }
        // The text itself, whatever the subclass says that it is.
        let text = self.py.get_type::<PyString>().getattr(intern!(self.py, "__str__"))?;
        text.call1((name,))
    }

    /// A model of the same class with copies of what it holds. Its class is not asked: no validator
    /// runs, and a copy costs little more than its fields.
    fn model(&mut self, model: &Bound<'py, PyAny>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let object = py.get_type::<PyAny>();
        let copy = object.call_method1(intern!(py, "__new__"), (model.get_type(),))?;
        let set = object.getattr(intern!(py, "__setattr__"))?;
        let names = [
            intern!(py, "__dict__"),
            intern!(py, "__pydantic_fields_set__"),
            intern!(py, "__pydantic_extra__"),
            intern!(py, "__pydantic_private__"),
        ];
        for name in names {
            let Some(value) = found(model, name)? else { continue };
            let value = if let Ok(chosen) = value.cast_exact::<PySet>() {
                PySet::new(py, chosen.iter())?.into_any()
            } else if value.is_none() {
                value
            } else {
                self.copy(value, depth)?
            };
            set.call1((&copy, name, value))?;
        }
        Ok(copy)
    }

    /// The set fields of a pydantic model by their names on the wire; `None` if it is no model.
    ///
    /// Reads the model's own storage: no serializer runs or warns, and pydantic is not imported.
    fn model_fields(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Option<Fields<'py>>> {
        let py = self.py;
        // The second name is that of pydantic 1.
        let mut chosen = found(value, intern!(py, "__pydantic_fields_set__"))?;
        if chosen.is_none() {
            chosen = found(value, intern!(py, "__fields_set__"))?;
        }
        let Some(chosen) = chosen.and_then(|chosen| chosen.cast_into_exact::<PySet>().ok()) else {
            return Ok(None);
        };
        if value.is_instance_of::<PyType>() {
            return Ok(None);
        }
        let aliases = self.aliases(&value.get_type())?;
        let storage = value.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
        let stored: Fields<'py> = storage.iter().collect();
        let mut fields = Vec::with_capacity(stored.len());
        for (name, item) in stored {
            if chosen.contains(&name)? {
                let is_of =
                    |field: &Bound<'py, PyString>| field.as_any().eq(&name).unwrap_or(false);
                let alias = aliases.iter().find(|(field, _)| is_of(field));
                let alias = alias.map(|(_, alias)| alias.clone());
                fields.push((alias.unwrap_or(name), item));
            }
        }
        let extra = found(value, intern!(py, "__pydantic_extra__"))?;
        if let Some(extra) = extra.and_then(|extra| extra.cast_into::<PyDict>().ok()) {
            let further: Fields<'py> = extra.iter().collect();
            fields.extend(further);
        }
        Ok(Some(fields))
    }

    fn aliases(&mut self, class: &Bound<'py, PyType>) -> PyResult<Aliases<'py>> {
        if let Some((_, aliases)) = self.classes.iter().find(|(known, _)| known.is(class)) {
            return Ok(aliases.clone());
        }
        let py = self.py;
        let mut declared = found(class.as_any(), intern!(py, "__pydantic_fields__"))?;
        if declared.is_none() {
            declared = found(class.as_any(), intern!(py, "__fields__"))?;
        }
        let mut aliases = Vec::new();
        if let Some(declared) = declared.and_then(|declared| declared.cast_into::<PyDict>().ok()) {
            let declared: Fields<'py> = declared.iter().collect();
            for (name, field) in declared {
                let alias = found(&field, intern!(py, "alias"))?;
                let is_other = |alias: &Bound<'py, PyAny>| !alias.is_none() && !alias.is(&name);
                if let (Ok(name), Some(alias)) =
                    (name.clone().cast_into::<PyString>(), alias.filter(is_other))
                {
                    aliases.push((name, alias));
                }
            }
        }
        self.classes.push((class.clone(), aliases.clone()));
        Ok(aliases)
    }
}

enum Parts<'py> {
    /// A plain dict.
    Exact(Bound<'py, PyDict>),
    Fields(Fields<'py>),
    Items(Vec<Bound<'py, PyAny>>),
    Tuple(Vec<Bound<'py, PyAny>>),
    Model,
}

/// Values that cannot be changed.
fn is_leaf(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_none()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
}

/// Whether it is a model of pydantic 2, which keeps its fields in these four places.
fn is_model(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    if value.is_instance_of::<PyType>() {
        return Ok(false);
    }
    let chosen = found(value, intern!(py, "__pydantic_fields_set__"))?;
    Ok(chosen.is_some_and(|chosen| chosen.is_exact_instance_of::<PySet>()))
}

/// An attribute, if there is one.
pub(crate) fn found<'py>(
    value: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match value.getattr(name) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_instance_of::<PyAttributeError>(value.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Addresses differ in their middle bits.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        // Fibonacci hashing: the upper bits depend on all lower ones.
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_right(32);
    }
}
