//! Which fields of a host's object any rule reads.

/// Host values have no depth worth reading beyond this: the deepest rule reads an option of an
/// element of a report.
pub const HOST_DEPTH: usize = 8;

/// The most values that one host value may unfold to. It bounds the work for a value that refers to
/// the same parts many times over; real reports are far smaller.
pub const HOST_VALUES: usize = 4_000_000;

/// How much of a text that stays with the host its [`Held`](super::Held) shows, in characters.
pub const HELD_HEAD: usize = 256;

/// In ASCII order, for the search.
const READ_FIELDS: &[&str] = &[
    "acknowledged_safety_checks",
    "action",
    "actions",
    "active",
    "allowed_callers",
    "allowed_tools",
    "always",
    "annotations",
    "approval_request_id",
    "approve",
    "arguments",
    "async",
    "attributes",
    "background",
    "button",
    "call_id",
    "caller",
    "caller_id",
    "changes",
    "checked",
    "cleanup",
    "code",
    "compact",
    "container",
    "container_id",
    "content",
    "context_management",
    "conversation",
    "description",
    "detail",
    "drop_call_ids",
    "dropped_changes",
    "effect",
    "elements",
    "encrypted_content",
    "end_index",
    "error",
    "extra_body",
    "file_data",
    "file_id",
    "file_url",
    "filename",
    "id",
    "image_url",
    "include",
    "index",
    "input",
    "input_schema",
    "input_tokens",
    "keep_recent_screenshots",
    "keys",
    "kind",
    "label",
    "logs",
    "max_input_bytes",
    "max_input_images",
    "message",
    "mode",
    "name",
    "namespace",
    "never",
    "observation",
    "omitted",
    "options",
    "output",
    "output_format",
    "output_tokens",
    "outputs",
    "path",
    "pattern",
    "pending_safety_checks",
    "phase",
    "previous_response_id",
    "prompt_cache_breakpoint",
    "quality",
    "queries",
    "query",
    "read_only",
    "reason",
    "ref",
    "refusal",
    "require_approval",
    "result",
    "results",
    "revised_prompt",
    "role",
    "scopes",
    "score",
    "scroll_x",
    "scroll_y",
    "selected",
    "sequence",
    "server_label",
    "size",
    "sources",
    "start_index",
    "status",
    "store",
    "stream",
    "summary",
    "tab_id",
    "tabs",
    "text",
    "title",
    "title_truncated",
    "tool_choice",
    "tool_names",
    "tools",
    "total_tokens",
    "truncation",
    "ttl",
    "type",
    "url",
    "usage",
    "value",
    "version",
    "x",
    "y",
];

/// Whether any rule reads a field of this name. A binding gives every other field as
/// [`Json::Foreign`](super::Json::Foreign) without looking at its value: rules that allow no further
/// fields still see its name, and a host value that nobody reads is never touched.
pub fn is_read_field(name: &str) -> bool {
    read_field(name).is_some()
}

/// The name as the rules spell it, if any rule reads a field of this name. Bindings that keep it
/// need not keep the host's.
pub fn read_field(name: &str) -> Option<&'static str> {
    READ_FIELDS.binary_search(&name).ok().map(|index| READ_FIELDS[index])
}

/// All such names, for bindings that carry the list to the other side.
pub fn read_fields() -> &'static [&'static str] {
    READ_FIELDS
}

#[cfg(test)]
mod tests {
    use super::READ_FIELDS;

    #[test]
    fn the_list_is_sorted_for_the_search() {
        assert!(READ_FIELDS.is_sorted());
    }
}
