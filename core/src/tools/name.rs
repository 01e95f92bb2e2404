//! What a function tool may be called.

use super::ToolFault;
use crate::json::Text;

/// How long a name may be that every API and model takes.
const LONGEST: usize = 64;

/// Checks the name that a caller gives to a tool.
pub fn check_tool_name(name: &Text<'_>) -> Result<(), ToolFault> {
    let is_name = name.as_str().is_some_and(|name| is_tool_name(name, LONGEST));
    if is_name { Ok(()) } else { Err(ToolFault::Name) }
}

/// The name of a tool that is called as a class is: with one `_` for each run of what may not be in
/// names, such as the brackets of `Box[int]`, and none of them at the ends.
pub fn tool_name_of(class: &Text<'_>) -> Result<String, ToolFault> {
    let mut name = String::new();
    let mut was_other = false;
    for c in class.lossy().chars() {
        let is_other = !may_be_in_tool_names(c);
        if !is_other {
            name.push(c);
        } else if !was_other {
            name.push('_');
        }
        was_other = is_other;
    }
    let mut name = name.trim_matches('_').to_owned();
    name.truncate(LONGEST);
    if name.is_empty() { Err(ToolFault::NameOfNothing) } else { Ok(name) }
}

pub(crate) fn is_tool_name(name: &str, longest: usize) -> bool {
    (1..=longest).contains(&name.len()) && name.chars().all(may_be_in_tool_names)
}

fn may_be_in_tool_names(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
