//! `require_approval` and `allowed_tools` of a server.
//!
//! A form that is not known is refused. The published helpers let it through, so that a misspelt
//! rule silently asks for nothing: a deliberate difference.

use crate::json::Json;

/// Whether the service must ask before it calls a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Approval {
    Needed,
    NotNeeded,
    /// The declaration leaves it to the service, or only the service can tell.
    Either,
}

#[derive(Clone, Debug)]
pub(crate) enum ApprovalPolicy {
    Always,
    Never,
    Filters { always: Option<ToolFilter>, never: Option<ToolFilter> },
}

/// The tools of a server that may be used; all if nothing is said.
#[derive(Clone, Debug)]
pub(crate) struct AllowedTools(Option<ToolFilter>);

/// Some tools of a server. A filter that says nothing means all of them.
#[derive(Clone, Debug)]
pub(crate) struct ToolFilter {
    names: Option<Vec<String>>,
    /// The filter also looks at how the server annotates its tools, which the service decides on.
    by_annotation: bool,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Match {
    Yes,
    No,
    /// The annotation of the tool decides.
    Unknown,
}

impl ApprovalPolicy {
    /// Nothing said means always, as for the service.
    pub(crate) fn read(policy: Option<&Json<'_>>) -> Option<Self> {
        match policy {
            None | Some(Json::Null) => Some(Self::Always),
            Some(Json::Text(text)) => match text.as_str()? {
                "always" => Some(Self::Always),
                "never" => Some(Self::Never),
                _ => None,
            },
            Some(filters) => {
                has_only(filters, &["always", "never"])?;
                let filter = |name: &str| match filters.field(name) {
                    None | Some(Json::Null) => Some(None),
                    Some(filter) => ToolFilter::read(filter).map(Some),
                };
                Some(Self::Filters { always: filter("always")?, never: filter("never")? })
            }
        }
    }

    pub(crate) fn rule(&self, name: &str) -> Approval {
        let (always, never) = match self {
            Self::Always => return Approval::Needed,
            Self::Never => return Approval::NotNeeded,
            Self::Filters { always, never } => {
                (always.as_ref().map(|f| f.matches(name)), never.as_ref().map(|f| f.matches(name)))
            }
        };
        match (always, never) {
            // One filter alone also speaks for the tools that it does not match.
            (Some(Match::Yes), None | Some(Match::No)) | (None, Some(Match::No)) => {
                Approval::Needed
            }
            (Some(Match::No), None | Some(Match::Yes)) | (None, Some(Match::Yes)) => {
                Approval::NotNeeded
            }
            // Neither filter matches, both do, or an annotation decides.
            _ => Approval::Either,
        }
    }
}

impl AllowedTools {
    pub(crate) fn read(allowed: Option<&Json<'_>>) -> Option<Self> {
        match allowed {
            None | Some(Json::Null) => Some(Self(None)),
            Some(Json::List(names)) => {
                let names = Some(texts(names)?);
                Some(Self(Some(ToolFilter { names, by_annotation: false })))
            }
            Some(filter) => ToolFilter::read(filter).map(|filter| Self(Some(filter))),
        }
    }

    /// Whether the tool may be used, as far as its name tells.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|filter| filter.matches(name) != Match::No)
    }
}

impl ToolFilter {
    fn read(filter: &Json<'_>) -> Option<Self> {
        has_only(filter, &["tool_names", "read_only"])?;
        let names = match filter.field("tool_names") {
            None => None,
            Some(names) => Some(texts(names.as_list()?)?),
        };
        let by_annotation = match filter.field("read_only") {
            None => false,
            Some(flag) => flag.as_bool().map(|_| true)?,
        };
        Some(Self { names, by_annotation })
    }

    fn matches(&self, name: &str) -> Match {
        let is_named = |names: &Vec<String>| names.iter().any(|named| named == name);
        match self.names.as_ref().is_none_or(is_named) {
            false => Match::No,
            true if self.by_annotation => Match::Unknown,
            true => Match::Yes,
        }
    }
}

/// Whether `object` is an object without further fields: one that is misspelt must not widen it.
fn has_only(object: &Json<'_>, known: &[&str]) -> Option<()> {
    match object {
        Json::Object(fields) => {
            fields.iter().all(|(name, _)| known.contains(&name.as_ref())).then_some(())
        }
        _ => None,
    }
}

fn texts(items: &[Json<'_>]) -> Option<Vec<String>> {
    items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
