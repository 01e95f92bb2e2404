//! Native computer actions (C-3).

use std::borrow::Cow;

use crate::json::{Json, Text};

/// What a driver can be asked to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ActionKind {
    Click,
    DoubleClick,
    Drag,
    Keypress,
    Move,
    Scroll,
    Type,
    Wait,
    Screenshot,
}

/// What the rules know of one kind of action.
#[derive(Debug)]
pub struct ActionSpec {
    pub kind: ActionKind,
    /// The `type` of the action and the name of the driver's method.
    pub name: &'static str,
    fields: &'static [(&'static str, ActionField)],
}

#[derive(Clone, Copy, Debug)]
enum ActionField {
    Int,
    Button,
    /// A list of texts.
    Keys,
    Text,
    Path,
}

const POINT: [(&str, ActionField); 2] = [("x", ActionField::Int), ("y", ActionField::Int)];
const BUTTONS: &[&str] = &["left", "right", "wheel", "back", "forward"];
/// The largest magnitude up to which a host's float can be told to be an integer.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// All kinds; the driver has a method of each name.
pub static ACTIONS: [ActionSpec; 9] = [
    ActionSpec {
        kind: ActionKind::Click,
        name: "click",
        fields: &[POINT[0], POINT[1], ("button", ActionField::Button)],
    },
    ActionSpec { kind: ActionKind::DoubleClick, name: "double_click", fields: &POINT },
    ActionSpec { kind: ActionKind::Drag, name: "drag", fields: &[("path", ActionField::Path)] },
    ActionSpec {
        kind: ActionKind::Keypress,
        name: "keypress",
        fields: &[("keys", ActionField::Keys)],
    },
    ActionSpec { kind: ActionKind::Move, name: "move", fields: &POINT },
    ActionSpec {
        kind: ActionKind::Scroll,
        name: "scroll",
        fields: &[
            POINT[0],
            POINT[1],
            ("scroll_x", ActionField::Int),
            ("scroll_y", ActionField::Int),
        ],
    },
    ActionSpec { kind: ActionKind::Type, name: "type", fields: &[("text", ActionField::Text)] },
    ActionSpec { kind: ActionKind::Wait, name: "wait", fields: &[] },
    ActionSpec { kind: ActionKind::Screenshot, name: "screenshot", fields: &[] },
];

impl ActionKind {
    pub fn spec(self) -> &'static ActionSpec {
        &ACTIONS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.spec().name
    }
}

/// A checked action.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputerAction {
    pub kind: ActionKind,
    /// The fields that rules read, integers normalised. Further fields of the wire stay with the
    /// host's copy, over which these are laid; over each point of a path too.
    pub fields: Vec<(&'static str, Json<'static>)>,
}

impl ComputerAction {
    pub(crate) fn read(action: &Json<'_>) -> Option<Self> {
        let name = action.field("type")?.as_str()?;
        let spec = ACTIONS.iter().find(|spec| spec.name == name)?;
        let mut fields = vec![("type", Json::Text(Text::from(spec.name)))];
        for (name, kind) in spec.fields {
            fields.push((name, read_field(action.field(name)?, *kind)?));
        }
        // Keys that are held during the action; any action may carry them.
        if spec.kind != ActionKind::Keypress {
            match action.field("keys") {
                None => {}
                Some(Json::Null) => fields.push(("keys", Json::Null)),
                Some(keys) => fields.push(("keys", read_field(keys, ActionField::Keys)?)),
            }
        }
        Some(Self { kind: spec.kind, fields })
    }
}

fn read_field(value: &Json<'_>, kind: ActionField) -> Option<Json<'static>> {
    match kind {
        ActionField::Int => integer(value).map(Json::Int),
        ActionField::Button => {
            let given = value.as_str()?;
            BUTTONS
                .iter()
                .find(|button| **button == given)
                .map(|known| Json::Text(Text::from(*known)))
        }
        ActionField::Text => valid_text(value),
        ActionField::Keys => {
            value.as_list()?.iter().map(valid_text).collect::<Option<_>>().map(Json::List)
        }
        ActionField::Path => {
            value.as_list()?.iter().map(point).collect::<Option<_>>().map(Json::List)
        }
    }
}

fn valid_text(value: &Json<'_>) -> Option<Json<'static>> {
    value.as_str().map(|text| Json::Text(Text::from(text.to_owned())))
}

fn point(value: &Json<'_>) -> Option<Json<'static>> {
    let axis =
        |name: &'static str| Some((Cow::Borrowed(name), Json::Int(integer(value.field(name)?)?)));
    Some(Json::Object(vec![axis("x")?, axis("y")?]))
}

/// An integer, or a float that is one: the wire has only numbers.
fn integer(value: &Json<'_>) -> Option<i64> {
    match value {
        Json::Int(int) => Some(*int),
        #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53")]
        Json::Float(float) if float.fract() == 0.0 && float.abs() <= MAX_EXACT => {
            Some(*float as i64)
        }
        _ => None,
    }
}
