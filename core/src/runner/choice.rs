//! What `tool_choice` leaves to the model.

use super::admit::ServerTool;
use crate::json::Json;

/// Which tools a response may use.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ToolChoice {
    /// Any tool.
    Any,
    /// Only these; none at all if the list is empty.
    Only(Vec<Allowed>),
    /// Any tool; one must be used in the first request, the later ones are free (C-7).
    ForcedFirst,
}

/// One tool that a choice names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Allowed {
    /// A function or a browser tool.
    Function(String),
    Server(ServerTool),
    /// A remote server, or one tool of it.
    Mcp {
        server_label: String,
        name: Option<String>,
    },
    Computer,
}

impl ToolChoice {
    /// Reads the choice of a run; `None` if it would always force a local tool, so that the run could
    /// never end. A form that is not known allows no tool.
    pub(crate) fn read(choice: Option<&Json<'_>>, has_server_tools: bool) -> Option<Self> {
        let Some(choice) = choice.filter(|choice| !choice.is_null()) else {
            return Some(Self::Any);
        };
        match choice.as_str() {
            Some("auto") => return Some(Self::Any),
            Some("required") => return has_server_tools.then_some(Self::Any),
            Some(_) => return Some(Self::Only(Vec::new())),
            None => {}
        }
        let text = |name: &str| choice.field(name).and_then(Json::as_str);
        match (text("type"), text("mode")) {
            (Some("allowed_tools"), mode) => {
                let entries = choice.field("tools").and_then(Json::as_list).unwrap_or_default();
                let allowed: Vec<Allowed> = entries.iter().filter_map(Allowed::read).collect();
                let only_local = !allowed.is_empty() && allowed.iter().all(Allowed::is_local);
                let forces_local = mode == Some("required") && only_local;
                (!forces_local).then_some(Self::Only(allowed))
            }
            _ => match Allowed::read(choice) {
                Some(tool) if tool.is_local() => None,
                Some(tool) => Some(Self::Only(vec![tool])),
                None => Some(Self::Only(Vec::new())),
            },
        }
    }

    /// The choice of the computer-only loop; `None` if it leaves nothing to do.
    pub(crate) fn read_computer_only(choice: Option<&Json<'_>>) -> Option<Self> {
        let Some(choice) = choice.filter(|choice| !choice.is_null()) else {
            return Some(Self::Any);
        };
        match (choice.as_str(), Allowed::read(choice)) {
            (Some("auto"), _) => Some(Self::Any),
            (Some("required"), _) | (None, Some(Allowed::Computer)) => Some(Self::ForcedFirst),
            _ => None,
        }
    }

    pub(crate) fn allows_function(&self, name: &str) -> bool {
        self.allows(|tool| matches!(tool, Allowed::Function(allowed) if allowed == name))
    }

    pub(crate) fn allows_server(&self, tool: ServerTool) -> bool {
        self.allows(|allowed| *allowed == Allowed::Server(tool))
    }

    pub(crate) fn allows_mcp(&self, label: &str, tool: &str) -> bool {
        self.allows(|allowed| match allowed {
            Allowed::Mcp { server_label, name } => {
                server_label == label && name.as_ref().is_none_or(|name| name == tool)
            }
            _ => false,
        })
    }

    pub(crate) fn allows_computer(&self) -> bool {
        self.allows(|allowed| *allowed == Allowed::Computer)
    }

    fn allows(&self, is_named: impl Fn(&Allowed) -> bool) -> bool {
        match self {
            Self::Any | Self::ForcedFirst => true,
            Self::Only(allowed) => allowed.iter().any(is_named),
        }
    }
}

impl Allowed {
    fn read(entry: &Json<'_>) -> Option<Self> {
        match entry.field("type")?.as_str()? {
            "function" => Some(Self::Function(entry.field("name")?.as_str()?.to_owned())),
            "mcp" => {
                let server_label = entry.field("server_label")?.as_str()?.to_owned();
                let name = match entry.field("name") {
                    None | Some(Json::Null) => None,
                    Some(name) => Some(name.as_str()?.to_owned()),
                };
                Some(Self::Mcp { server_label, name })
            }
            kind if is_computer_kind(kind) => Some(Self::Computer),
            kind => ServerTool::from_kind(kind).map(Self::Server),
        }
    }

    /// Whether this process would have to do the work.
    fn is_local(&self) -> bool {
        matches!(self, Self::Function(_) | Self::Computer)
    }
}

/// Whether a declared tool of this type is a computer, which the host has to work for.
pub fn is_computer_kind(kind: &str) -> bool {
    matches!(kind, "computer" | "computer_use" | "computer_use_preview")
}
