//! Which members a toolset exposes (B-1 … B-5, B-22).

use thiserror::Error;

use super::member::{Effect, MEMBERS, Member};
use super::schema::write_tool;
use crate::json::Writer;

/// What the caller asked for; names are as given, none is trusted.
#[derive(Debug, Default)]
pub struct SelectionOptions {
    /// Exactly these, if given.
    pub members: Option<Vec<String>>,
    /// The defaults that the driver has, and these.
    pub additional_members: Option<Vec<String>>,
    pub confirm_reads: Option<Vec<String>>,
    /// Whether the caller gave a `confirm` callback, and a `url_policy` callback.
    pub has_confirm: bool,
    pub has_url_policy: bool,
}

/// The members of one toolset, fixed at construction.
#[derive(Clone, Debug)]
pub struct Selection {
    /// In the order of the member table.
    members: Vec<Member>,
    confirm_reads: Vec<Member>,
}

/// Why a toolset cannot be made. All faults are the caller's configuration.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum SelectionError {
    #[error("give either the exact members or additional members, not both")]
    BothLists,
    #[error("there is no browser member called {0:?}")]
    UnknownMember(String),
    #[error("the browser member {0} is named twice")]
    Twice(&'static str),
    #[error("the driver has no method {0}")]
    NotImplemented(&'static str),
    #[error("{0} needs a confirm callback")]
    NoConfirm(&'static str),
    #[error("{0} needs a URL policy callback")]
    NoUrlPolicy(&'static str),
    #[error("{0} is not a read that can be confirmed before it runs")]
    NotARead(&'static str),
    #[error("{0} is to be confirmed but is not selected")]
    NotSelected(&'static str),
    #[error("confirming reads needs a confirm callback")]
    ReadsWithoutConfirm,
}

crate::error::codes! {
    SelectionError {
        Self::BothLists => "members_and_additional_members",
        Self::UnknownMember(_) => "unknown_member",
        Self::Twice(_) => "member_named_twice",
        Self::NotImplemented(_) => "member_not_implemented",
        Self::NoConfirm(_) => "confirm_required",
        Self::NoUrlPolicy(_) => "url_policy_required",
        Self::NotARead(_) => "confirm_reads_not_a_read",
        Self::NotSelected(_) => "confirm_reads_not_selected",
        Self::ReadsWithoutConfirm => "confirm_reads_without_confirm",
    }
}

impl Selection {
    /// Applies the options to a driver; `implements` says whether it has a method of that name. A
    /// driver without `state` fails at its first call, like one whose `state` fails.
    pub fn new(
        options: &SelectionOptions,
        implements: impl Fn(&str) -> bool,
    ) -> Result<Self, SelectionError> {
        let has = |member: Member| member == Member::ListTabs || implements(member.name());
        let chosen = match (&options.members, &options.additional_members) {
            (Some(_), Some(_)) => return Err(SelectionError::BothLists),
            (Some(names), None) => resolve(names)?,
            (None, additional) => {
                let mut chosen = resolve(additional.as_deref().unwrap_or_default())?;
                let defaults = MEMBERS.iter().filter(|spec| spec.default && has(spec.member));
                for spec in defaults {
                    if !chosen.contains(&spec.member) {
                        chosen.push(spec.member);
                    }
                }
                chosen
            }
        };
        if let Some(missing) = chosen.iter().find(|member| !has(**member)) {
            return Err(SelectionError::NotImplemented(missing.name()));
        }
        for member in &chosen {
            let effect = member.spec().effect;
            if effect.needs_confirm() && !options.has_confirm {
                return Err(SelectionError::NoConfirm(member.name()));
            }
            if effect == Effect::Visit && !options.has_url_policy {
                return Err(SelectionError::NoUrlPolicy(member.name()));
            }
        }
        let confirm_reads = resolve(options.confirm_reads.as_deref().unwrap_or_default())?;
        check_confirm_reads(&confirm_reads, &chosen, options.has_confirm)?;
        let members = in_table_order(&chosen);
        Ok(Self { members, confirm_reads })
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    pub fn has(&self, member: Member) -> bool {
        self.members.contains(&member)
    }

    pub fn confirms_read(&self, member: Member) -> bool {
        self.confirm_reads.contains(&member)
    }

    /// The function tools as a JSON list, in the order of the member table.
    pub fn tools_json(&self) -> String {
        let mut out = Writer::default();
        out.list(|list| {
            for member in &self.members {
                list.item(|out| write_tool(out, member.spec()));
            }
        });
        out.finish()
    }
}

fn resolve(names: &[String]) -> Result<Vec<Member>, SelectionError> {
    let mut members = Vec::with_capacity(names.len());
    for name in names {
        let member = Member::from_name(name)
            .ok_or_else(|| SelectionError::UnknownMember(name.chars().take(64).collect()))?;
        if members.contains(&member) {
            return Err(SelectionError::Twice(member.name()));
        }
        members.push(member);
    }
    Ok(members)
}

fn check_confirm_reads(
    reads: &[Member],
    chosen: &[Member],
    has_confirm: bool,
) -> Result<(), SelectionError> {
    for read in reads {
        if read.spec().effect != Effect::Read {
            return Err(SelectionError::NotARead(read.name()));
        }
        if !chosen.contains(read) {
            return Err(SelectionError::NotSelected(read.name()));
        }
    }
    if !reads.is_empty() && !has_confirm {
        return Err(SelectionError::ReadsWithoutConfirm);
    }
    Ok(())
}

fn in_table_order(chosen: &[Member]) -> Vec<Member> {
    MEMBERS.iter().map(|spec| spec.member).filter(|member| chosen.contains(member)).collect()
}
