//! YAML 1.2 to JSON values.

use saphyr::{LoadableYamlNode, Scalar, ScanError, Yaml};
use serde_json::{Map, Number, Value};

use crate::fields::{Problem, ScriptFault, fault};
use crate::yaml_bounds;

/// Reads one document. Mappings have text keys, each once; tags and special numbers are refused.
pub(crate) fn read(text: &str) -> Result<Value, ScriptFault> {
    let documents = match yaml_bounds::are_kept(text) {
        Ok(true) => Yaml::load_from_str(text),
        Ok(false) => return fault("script", Problem::Bounds),
        Err(error) => Err(error),
    };
    let documents = match documents {
        Ok(documents) => documents,
        // JSON is YAML but for characters beyond 16 bits that are escaped as a pair.
        Err(error) => return serde_json::from_str(text).map_err(|_| syntax(&error)),
    };
    match <[Yaml<'_>; 1]>::try_from(documents) {
        Ok([document]) => convert(document, ""),
        Err(_) => fault("script", Problem::Documents),
    }
}

fn syntax(error: &ScanError) -> ScriptFault {
    ScriptFault { place: format!("line {}", error.marker().line()), problem: Problem::Syntax }
}

fn convert(node: Yaml<'_>, place: &str) -> Result<Value, ScriptFault> {
    match node {
        Yaml::Value(scalar) => match scalar {
            Scalar::Null => Ok(Value::Null),
            Scalar::Boolean(value) => Ok(Value::Bool(value)),
            Scalar::Integer(value) => Ok(Value::Number(value.into())),
            Scalar::FloatingPoint(value) => match Number::from_f64(value.into_inner()) {
                Some(number) => Ok(Value::Number(number)),
                None => fault(place, Problem::Form),
            },
            Scalar::String(text) => Ok(Value::String(text.into_owned())),
        },
        Yaml::Sequence(items) => {
            let items = items.into_iter().enumerate();
            items.map(|(index, item)| convert(item, &format!("{place}[{index}]"))).collect()
        }
        Yaml::Mapping(fields) => {
            let mut object = Map::new();
            for (key, value) in fields {
                let Yaml::Value(Scalar::String(key)) = key else {
                    return fault(place, Problem::Form);
                };
                let below =
                    if place.is_empty() { key.to_string() } else { format!("{place}.{key}") };
                object.insert(key.into_owned(), convert(value, &below)?);
            }
            Ok(Value::Object(object))
        }
        Yaml::Representation(..) | Yaml::Tagged(..) | Yaml::Alias(_) | Yaml::BadValue => {
            fault(place, Problem::Form)
        }
    }
}
