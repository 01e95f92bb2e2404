//! A JSON schema as the service's strict mode takes it: each object says all of its fields,
//! requires them and allows no others. What strict mode has no words for and the library that wrote
//! the schema checks anyway is left out; what would change the meaning is refused.
//!
//! References are not followed but at the root, so one that leads back to itself costs nothing. What
//! no rule reads stays as it was written: a bound that is no number of 64 bits keeps its digits.

use std::collections::BTreeSet;

use super::schema::{Place, Schema, Step};
use super::{SchemaFault, ToolFault};
use crate::json::{MAX_DEPTH, RawJson, Writer};

/// What it says of a field that it is not required.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Defaults {
    /// A field with a default says so. One without is really missing when it is left out, and only
    /// null can say that in its place.
    Written,
    /// Each such field has a default, written or not: pydantic has no words for what a factory
    /// makes, and its schema of such a field is the same as that of one that is merely missing.
    Implied,
}

/// The strict form of a schema of arguments, both JSON text.
pub fn strict_schema(schema: &str, defaults: Defaults) -> Result<String, ToolFault> {
    let arguments = Place::ARGUMENTS;
    let root = RawJson::parse(schema).map_err(|_| arguments.refused(SchemaFault::Malformed))?;
    let root = Schema::root(root, &arguments)?;
    let is_only_an_object = root.field("type").is_some_and(|kind| kind.as_list().is_none());
    if !is_only_an_object || !root.may_be("object", &arguments)? {
        return Err(arguments.refused(SchemaFault::NoObject));
    }
    Strict(defaults).schema(&root, &arguments)
}

/// By each of these another schema has to fit besides.
const BESIDE: &[&str] = &["$ref", "anyOf", "oneOf", "allOf"];

/// What a closed object says anew, or need not say.
const OF_OBJECTS: &[&str] = &["required", "additionalProperties", "propertyNames"];

/// A keyword and its JSON text.
type Field<'a> = (&'a str, String);

#[derive(Clone, Copy)]
struct Strict(Defaults);

impl Strict {
    fn value(self, value: RawJson<'_>, place: &Place<'_>) -> Result<String, ToolFault> {
        // True and false are schemas as well.
        if value.as_bool().is_some() {
            return Ok(value.text().to_owned());
        }
        self.schema(&Schema::read(value, place)?, place)
    }

    fn schema(self, schema: &Schema<'_>, place: &Place<'_>) -> Result<String, ToolFault> {
        if place.depth > MAX_DEPTH {
            return Err(place.refused(SchemaFault::TooDeep));
        }
        let is_object = schema.may_be("object", place)?;
        let beside = BESIDE.iter().filter(|name| schema.field(name).is_some()).count();
        if beside + usize::from(is_object) > 1 {
            // Closed objects forbid each other's fields, and strict mode has one anyOf for all four.
            return Err(place.refused(SchemaFault::Combined));
        }
        let mut fields = Vec::new();
        for (name, value) in schema.fields() {
            if !(is_object && OF_OBJECTS.contains(&name)) {
                fields.extend(self.keyword(schema, name, value, place)?);
            }
        }
        if is_object {
            self.close(schema, &mut fields, place)?;
        }
        Ok(object(&fields))
    }

    /// What stands for a keyword in the strict form.
    fn keyword<'a>(
        self,
        schema: &Schema<'_>,
        name: &'a str,
        value: RawJson<'_>,
        place: &Place<'_>,
    ) -> Result<Option<Field<'a>>, ToolFault> {
        Ok(Some(match name {
            // A default says nothing where every field is required, and strict mode knows none.
            "default" => return Ok(None),
            "discriminator" if schema.field("oneOf").is_some() => return Ok(None),
            // A reference has to stand alone; a copy of what it refers to might refer to itself.
            "$ref" if schema.fields().any(|(other, _)| !matches!(other, "$ref" | "default")) => {
                ("anyOf", format!("[{}]", object(&[(name, value.text().to_owned())])))
            }
            // That exactly one branch fits is left to the library; a single schema that has to fit
            // is any of one. Strict mode has no words for more.
            "anyOf" | "oneOf" => ("anyOf", self.list(name, value, place)?),
            "allOf" if value.as_list().is_none_or(|parts| parts.len() <= 1) => {
                ("anyOf", self.list(name, value, place)?)
            }
            "allOf" => return Err(place.refused(SchemaFault::Combined)),
            "prefixItems" => return Err(place.refused(SchemaFault::Tuple)),
            "items" if value.as_list().is_some() => return Err(place.refused(SchemaFault::Tuple)),
            "items" => (name, self.value(value, &place.inside(Step::Name(name)))?),
            "properties" | "$defs" | "definitions" => (name, self.named(value, place)?),
            _ => (name, value.text().to_owned()),
        }))
    }

    fn list(self, name: &str, value: RawJson<'_>, place: &Place<'_>) -> Result<String, ToolFault> {
        let place = place.inside(Step::Name(name));
        let parts = value.as_list().filter(|parts| !parts.is_empty());
        let parts = parts.ok_or_else(|| place.refused(SchemaFault::Malformed))?;
        let parts = parts.into_iter().enumerate();
        let parts: Result<Vec<String>, _> =
            parts.map(|(at, part)| self.value(part, &place.inside(Step::At(at)))).collect();
        Ok(format!("[{}]", parts?.join(",")))
    }

    fn named(self, value: RawJson<'_>, place: &Place<'_>) -> Result<String, ToolFault> {
        let parts = Schema::read(value, place)?;
        let parts = parts.fields().map(|(name, part)| {
            self.value(part, &place.inside(Step::Name(name))).map(|part| (name, part))
        });
        Ok(object(&parts.collect::<Result<Vec<_>, _>>()?))
    }

    fn close(
        self,
        schema: &Schema<'_>,
        fields: &mut Vec<Field<'_>>,
        place: &Place<'_>,
    ) -> Result<(), ToolFault> {
        let further = schema.field("additionalProperties");
        let is_open = further.is_some_and(|further| further.as_bool() != Some(false));
        if is_open || schema.field("patternProperties").is_some() {
            return Err(place.refused(SchemaFault::Open));
        }
        let mut required: BTreeSet<String> = schema.required(place)?.into_iter().collect();
        let mut names = Vec::new();
        if let Some(properties) = schema.field("properties") {
            for (name, property) in Schema::read(properties, place)?.fields() {
                let was_required = required.remove(name);
                if !was_required && self.0 == Defaults::Written && !may_be_left_out(property) {
                    return Err(place.inside(Step::Name(name)).refused(SchemaFault::Optional));
                }
                names.push(name.to_owned());
            }
        } else {
            fields.push(("properties", "{}".to_owned()));
        }
        if let Some(name) = required.first() {
            return Err(place.inside(Step::Name(name)).refused(SchemaFault::Undescribed));
        }
        fields.push(("required", list_of(&names)));
        fields.push(("additionalProperties", "false".to_owned()));
        Ok(())
    }
}

/// Whether there is a way to say that a field is not there, or what it is then.
fn may_be_left_out(property: RawJson<'_>) -> bool {
    let has_default = |schema: Schema<'_>| schema.fields().any(|(name, _)| name == "default");
    Schema::read(property, &Place::ARGUMENTS).is_ok_and(has_default) || may_be_null(property)
}

/// Its strict form was made before, so the branches are no deeper than that may be.
fn may_be_null(schema: RawJson<'_>) -> bool {
    let place = Place::ARGUMENTS;
    // What is no object is true here, and takes anything, or false.
    let Ok(schema) = Schema::read(schema, &place) else { return schema.as_bool() == Some(true) };
    let branches = ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| schema.field(name));
    schema.may_be("null", &place).unwrap_or_default()
        || branches.filter_map(RawJson::as_list).flatten().any(may_be_null)
}

fn object(fields: &[Field<'_>]) -> String {
    let mut out = Writer::default();
    out.object(|object| {
        for (name, value) in fields {
            object.field(name, |out| out.raw(value));
        }
    });
    out.finish()
}

fn list_of(texts: &[String]) -> String {
    let mut out = Writer::default();
    out.list(|list| texts.iter().for_each(|text| list.item(|out| out.str(text))));
    out.finish()
}
