//! A JSON schema in its text, read one level at a time, and where in it a rule is.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::{SchemaFault, ToolFault};
use crate::json::{MAX_DEPTH, RawJson};

/// What holds definitions, by draft.
const DEFINITIONS: &[&str] = &["$defs", "definitions"];

/// What may stand beside a reference at the root without a say in what fits.
const WORDS: &[&str] = &["title", "description"];

/// A schema that is an object, or schemas by name: its fields in their order, each once.
pub(super) struct Schema<'a> {
    fields: Vec<(Cow<'a, str>, RawJson<'a>)>,
}

impl<'a> Schema<'a> {
    pub(super) fn read(value: RawJson<'a>, place: &Place<'_>) -> Result<Self, ToolFault> {
        let given = value.as_object().ok_or_else(|| place.refused(SchemaFault::Malformed))?;
        let mut fields: Vec<(Cow<'a, str>, RawJson<'a>)> = Vec::with_capacity(given.len());
        let mut indices = BTreeMap::new();
        for (name, value) in given {
            let index = *indices.entry(name.clone()).or_insert(fields.len());
            match fields.get_mut(index) {
                Some(field) => field.1 = value,
                None => fields.push((name, value)),
            }
        }
        Ok(Self { fields })
    }

    /// The arguments as a whole. Strict mode wants an object there, not a reference to one, which is
    /// what is written of a type that refers to itself.
    pub(super) fn root(value: RawJson<'a>, place: &Place<'_>) -> Result<Self, ToolFault> {
        let mut schema = Self::read(value, place)?;
        schema.fields.retain(|(name, _)| name != "$schema");
        for _ in 0..MAX_DEPTH {
            let Some(reference) = schema.field("$ref") else { return Ok(schema) };
            let target = schema.definition(reference, place)?;
            schema = schema.with_target(target, place)?;
        }
        // References round in circles.
        Err(place.refused(SchemaFault::Dangling))
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, RawJson<'a>)> {
        self.fields.iter().map(|(name, value)| (&**name, *value))
    }

    pub(super) fn field(&self, name: &str) -> Option<RawJson<'a>> {
        self.fields().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    /// Whether a value of this type may fit, as far as `type` says so.
    pub(super) fn may_be(&self, kind: &str, place: &Place<'_>) -> Result<bool, ToolFault> {
        let Some(given) = self.field("type") else { return Ok(false) };
        let kinds = given.as_list().unwrap_or_else(|| vec![given]);
        let kinds = texts(kinds).ok_or_else(|| place.refused(SchemaFault::Malformed))?;
        Ok(kinds.iter().any(|given| given == kind))
    }

    /// The names in `required`.
    pub(super) fn required(&self, place: &Place<'_>) -> Result<Vec<String>, ToolFault> {
        let Some(given) = self.field("required") else { return Ok(Vec::new()) };
        let names = given.as_list().and_then(texts);
        names.ok_or_else(|| place.refused(SchemaFault::Malformed))
    }

    fn definition(
        &self,
        reference: RawJson<'a>,
        place: &Place<'_>,
    ) -> Result<RawJson<'a>, ToolFault> {
        let reference = reference.as_text();
        let pointer = reference.as_ref().and_then(|text| text.as_str()?.strip_prefix("#/"));
        let found = pointer.and_then(|pointer| {
            let (keyword, name) = pointer.split_once('/')?;
            let name = name.replace("~1", "/").replace("~0", "~");
            let keyword = DEFINITIONS.iter().find(|known| **known == keyword)?;
            Self::read(self.field(keyword)?, place).ok()?.field(&name)
        });
        found.ok_or_else(|| place.refused(SchemaFault::Dangling))
    }

    /// The schema that this one refers to, with what this one says besides.
    fn with_target(self, target: RawJson<'a>, place: &Place<'_>) -> Result<Self, ToolFault> {
        let mut besides = self.fields;
        besides.retain(|(name, _)| name != "$ref" && name != "default");
        let is_kept = |name: &str| DEFINITIONS.contains(&name) || WORDS.contains(&name);
        if !besides.iter().all(|(name, _)| is_kept(name)) {
            return Err(place.refused(SchemaFault::Combined));
        }
        let mut target = Self::read(target, place)?;
        target.fields.retain(|(name, _)| besides.iter().all(|(other, _)| other != name));
        target.fields.extend(besides);
        Ok(target)
    }
}

fn texts(values: Vec<RawJson<'_>>) -> Option<Vec<String>> {
    values.into_iter().map(|value| Some(value.as_text()?.as_str()?.to_owned())).collect()
}

/// Where in a schema: the way from the arguments, in its own names.
pub(super) struct Place<'a> {
    outer: Option<&'a Place<'a>>,
    step: Step<'a>,
    /// How many steps lead here.
    pub(super) depth: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Arguments,
    Name(&'a str),
    At(usize),
}

impl<'a> Place<'a> {
    pub(super) const ARGUMENTS: Place<'static> =
        Place { outer: None, step: Step::Arguments, depth: 0 };

    pub(super) fn inside(&'a self, step: Step<'a>) -> Place<'a> {
        Place { outer: Some(self), step, depth: self.depth + 1 }
    }

    pub(super) fn refused(&self, fault: SchemaFault) -> ToolFault {
        ToolFault::Schema { place: self.to_string(), fault }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            fmt::Display::fmt(outer, f)?;
        }
        match self.step {
            Step::Arguments => f.write_str("the arguments"),
            Step::Name(name) => write!(f, ".{name}"),
            Step::At(index) => write!(f, "[{index}]"),
        }
    }
}
