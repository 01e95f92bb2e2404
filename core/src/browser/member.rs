//! The member table: each browser operation once, with all that the rules know of it (B-1, B-4).

/// One of the 28 browser operations.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Member {
    Navigate,
    ReadPage,
    GetPageText,
    Find,
    Click,
    Type,
    Key,
    Scroll,
    SelectOption,
    Hover,
    Screenshot,
    Zoom,
    NewTab,
    ListTabs,
    SwitchTab,
    CloseTab,
    ScrollTo,
    WaitFor,
    HoverAt,
    SetChecked,
    ClickAt,
    DragPath,
    HoldKeys,
    ReadPageScoped,
    ReadDiagnostics,
    RunScript,
    UploadFile,
    DownloadFile,
}

/// What the table says of one member.
#[derive(Debug)]
pub struct MemberSpec {
    pub member: Member,
    pub name: &'static str,
    /// The function tool's name, `browser_<name>`.
    pub tool: &'static str,
    /// What the model reads about the tool.
    pub description: &'static str,
    /// Exposed without being asked for, if the driver has it (B-1).
    pub default: bool,
    pub effect: Effect,
    pub result: ResultKind,
    /// In the order of the tool's schema.
    pub fields: &'static [Field],
}

/// What a member does, as far as consent goes (B-5, B-20 … B-22).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effect {
    /// Reads; consent only where `confirm_reads` names it.
    Read,
    /// Reads what is private by nature; always approved like a change, never by `confirm_reads`.
    PrivateRead,
    /// Changes something: `confirm` before each call.
    Change,
    /// A change whose URL, if it has one, is judged by `url_policy` first.
    Visit,
}

impl Effect {
    pub fn needs_confirm(self) -> bool {
        self != Self::Read
    }

    /// Whether the browser or a file may be different afterwards.
    pub fn changes(self) -> bool {
        matches!(self, Self::Change | Self::Visit)
    }
}

/// What a driver method may return (B-40 … B-45).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResultKind {
    /// Text or nothing.
    Plain,
    /// Nothing; the state is the answer and no driver method exists.
    State,
    /// Nothing, text or a structured read.
    Read,
    /// Nothing, text or a structured read without elements.
    TextRead,
    /// A structured read with scopes.
    ScopedRead,
    /// A structured read without elements, nothing else.
    DiagnosticRead,
    /// Text, possibly empty.
    Script,
    /// An input image.
    Image,
    /// A file outcome.
    File,
}

impl ResultKind {
    /// Whether only the host's own exact types are accepted. Elsewhere a subclass of a text or of an
    /// object does as well.
    pub fn takes_exact_types(self) -> bool {
        !matches!(self, Self::Plain | Self::State | Self::Image)
    }
}

/// One argument.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    /// What the model reads about the field where the name does not say it.
    pub description: Option<&'static str>,
}

/// The rule of one argument (B-11).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FieldKind {
    /// Any text.
    Text,
    /// Any text, or null.
    OptionalText,
    /// Text that is not blank after white-space normalisation, at most 256 bytes.
    VisibleText,
    /// Non-empty valid Unicode without a limit.
    Source,
    /// Non-empty valid Unicode of at most 256 bytes.
    Reference,
    /// As `Reference`, or null.
    OptionalReference,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// An integer between the two, inclusive.
    Int {
        min: i64,
        max: i64,
    },
    /// One of these integers.
    IntOneOf(&'static [i64]),
    Bool,
    /// A list of texts.
    Texts,
    /// A list of different modifier names, possibly empty.
    Modifiers,
    /// 1 to 8 different non-empty key names of at most 64 bytes.
    HeldKeys,
    /// `[left, top, right, bottom]` with positive width and height.
    Region,
    /// 2 to 100 points of exactly `{x, y}`.
    Path,
}

/// The largest integer that both hosts hold exactly.
pub const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;
pub const MODIFIERS: &[&str] = &["Control", "Alt", "Meta", "Shift"];
pub const HELD_KEYS: (usize, usize) = (1, 8);
pub const HELD_KEY_BYTES: usize = 64;
pub const PATH_POINTS: (usize, usize) = (2, 100);
pub const REFERENCE_BYTES: usize = 256;
pub const VISIBLE_TEXT_BYTES: usize = 256;

const COORDINATE: FieldKind = FieldKind::Int { min: 0, max: MAX_SAFE_INTEGER };
const FILTER: FieldKind = FieldKind::OneOf(&["all", "interactive"]);

const fn field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, description: None }
}

const fn described(name: &'static str, kind: FieldKind, description: &'static str) -> Field {
    Field { name, kind, description: Some(description) }
}

const TAB: Field = described(
    "tab_id",
    FieldKind::OptionalText,
    "A tab's id from the state; null for the active tab.",
);
const SOME_TAB: Field = described("tab_id", FieldKind::Text, "A tab's id from the state.");
const TARGET: Field =
    described("target", FieldKind::Text, "The ref of a control from the latest read.");
const FOCUSED_TARGET: Field = described(
    "target",
    FieldKind::OptionalText,
    "The ref of a control from the latest read; null for the control that has the focus.",
);
const X: Field = described("x", COORDINATE, "CSS pixels from the left edge of the whole viewport.");
const Y: Field = described("y", COORDINATE, "CSS pixels from the top edge of the whole viewport.");
const HELD_MODIFIERS: Field =
    described("keys", FieldKind::Modifiers, "Modifiers held during the action; empty for none.");
const TIMEOUT: Field = described(
    "timeout_ms",
    FieldKind::Int { min: 1, max: 30_000 },
    "How long to wait at most, in milliseconds.",
);
const GRANT: Field = described(
    "grant_id",
    FieldKind::Reference,
    "The id of a file grant that the application issued; not a path and not a URL.",
);

const fn spec(
    member: Member,
    (name, tool): (&'static str, &'static str),
    default: bool,
    effect: Effect,
    result: ResultKind,
    fields: &'static [Field],
    description: &'static str,
) -> MemberSpec {
    MemberSpec { member, name, tool, description, default, effect, result, fields }
}

macro_rules! names {
    ($name:literal) => {
        ($name, concat!("browser_", $name))
    };
}

use Effect::{Change, PrivateRead, Read, Visit};
use ResultKind::Plain;

/// All members, in the order in which tools are listed (B-2).
pub static MEMBERS: [MemberSpec; 28] = [
    spec(
        Member::Navigate,
        names!("navigate"),
        true,
        Visit,
        Plain,
        &[described("url", FieldKind::Text, "The absolute address to open."), TAB],
        "Open an address in a tab. The application may refuse addresses that the task does not need.",
    ),
    spec(
        Member::ReadPage,
        names!("read_page"),
        true,
        Read,
        ResultKind::Read,
        &[TAB, described("filter", FILTER, "all: text and controls; interactive: controls only.")],
        "Read what is visible on the page: its text and its controls, each control with a ref that \
         other tools take as target.",
    ),
    spec(
        Member::GetPageText,
        names!("get_page_text"),
        true,
        Read,
        ResultKind::TextRead,
        &[TAB],
        "Read the visible text of the page without its controls.",
    ),
    spec(
        Member::Find,
        names!("find"),
        true,
        Read,
        ResultKind::Read,
        &[described("query", FieldKind::Text, "Words that describe what to look for."), TAB],
        "Look for text or controls on the page that match a description.",
    ),
    spec(Member::Click, names!("click"), true, Change, Plain, &[TARGET, TAB], "Click a control."),
    spec(
        Member::Type,
        names!("type"),
        true,
        Change,
        Plain,
        &[described("text", FieldKind::Text, "The text to enter."), FOCUSED_TARGET, TAB],
        "Enter text into a control.",
    ),
    spec(
        Member::Key,
        names!("key"),
        true,
        Change,
        Plain,
        &[
            described(
                "keys",
                FieldKind::Texts,
                "Key names that are pressed together as one chord.",
            ),
            TAB,
        ],
        "Press a key or a chord of keys; the focused control receives it.",
    ),
    spec(
        Member::Scroll,
        names!("scroll"),
        true,
        Change,
        Plain,
        &[
            field("direction", FieldKind::OneOf(&["up", "down", "left", "right"])),
            described("amount", COORDINATE, "How far, in CSS pixels."),
            TAB,
        ],
        "Scroll the page.",
    ),
    spec(
        Member::SelectOption,
        names!("select_option"),
        true,
        Change,
        Plain,
        &[
            TARGET,
            described("values", FieldKind::Texts, "The values of the options to be selected."),
            TAB,
        ],
        "Select options of a list or a drop-down control by value.",
    ),
    spec(
        Member::Hover,
        names!("hover"),
        true,
        Change,
        Plain,
        &[TARGET, TAB],
        "Move the pointer over a control.",
    ),
    spec(
        Member::Screenshot,
        names!("screenshot"),
        true,
        Read,
        ResultKind::Image,
        &[TAB],
        "Take a picture of what the tab shows.",
    ),
    spec(
        Member::Zoom,
        names!("zoom"),
        true,
        Read,
        ResultKind::Image,
        &[
            TAB,
            described(
                "region",
                FieldKind::Region,
                "left, top, right, bottom in CSS pixels of the viewport, right of left and below top.",
            ),
        ],
        "Take a closer picture of a part of the viewport. Coordinates for other tools still count \
         from the whole viewport.",
    ),
    spec(
        Member::NewTab,
        names!("new_tab"),
        true,
        Visit,
        Plain,
        &[described(
            "url",
            FieldKind::OptionalText,
            "The absolute address to open; null for a blank tab.",
        )],
        "Open a new tab. The application may refuse addresses that the task does not need.",
    ),
    spec(
        Member::ListTabs,
        names!("list_tabs"),
        true,
        Read,
        ResultKind::State,
        &[],
        "Report the open tabs.",
    ),
    spec(
        Member::SwitchTab,
        names!("switch_tab"),
        true,
        Change,
        Plain,
        &[SOME_TAB],
        "Make a tab the active one.",
    ),
    spec(Member::CloseTab, names!("close_tab"), true, Change, Plain, &[SOME_TAB], "Close a tab."),
    spec(
        Member::ScrollTo,
        names!("scroll_to"),
        true,
        Change,
        Plain,
        &[TARGET, TAB],
        "Scroll until a control is in view. Read the page again before using its controls.",
    ),
    spec(
        Member::WaitFor,
        names!("wait_for"),
        true,
        Read,
        Plain,
        &[
            described(
                "text",
                FieldKind::VisibleText,
                "Text that should become visible; not blank.",
            ),
            TIMEOUT,
            TAB,
        ],
        "Wait until a text is visible on the page.",
    ),
    spec(
        Member::HoverAt,
        names!("hover_at"),
        false,
        Change,
        Plain,
        &[TAB, X, Y],
        "Move the pointer to a point of the viewport without pressing a button.",
    ),
    spec(
        Member::SetChecked,
        names!("set_checked"),
        false,
        Change,
        Plain,
        &[TAB, TARGET, described("checked", FieldKind::Bool, "The state it should end in.")],
        "Bring a checkbox into the given state; asking for the state it has changes nothing.",
    ),
    spec(
        Member::ClickAt,
        names!("click_at"),
        false,
        Change,
        Plain,
        &[
            TAB,
            X,
            Y,
            field("button", FieldKind::OneOf(&["left", "right", "middle"])),
            field("click_count", FieldKind::IntOneOf(&[1, 2, 3])),
            HELD_MODIFIERS,
        ],
        "Click at a point of the viewport.",
    ),
    spec(
        Member::DragPath,
        names!("drag_path"),
        false,
        Change,
        Plain,
        &[
            TAB,
            described(
                "path",
                FieldKind::Path,
                "The points to pass, in CSS pixels of the whole viewport; pressed at the first, \
                 released at the last.",
            ),
            HELD_MODIFIERS,
        ],
        "Drag with the left button along a path.",
    ),
    spec(
        Member::HoldKeys,
        names!("hold_keys"),
        false,
        Change,
        Plain,
        &[
            TAB,
            described("keys", FieldKind::HeldKeys, "Names of the keys that are held together."),
            described(
                "duration_ms",
                FieldKind::Int { min: 1, max: 3_000 },
                "How long the keys are held, in milliseconds.",
            ),
        ],
        "Hold keys down for a while, then release them.",
    ),
    spec(
        Member::ReadPageScoped,
        names!("read_page_scoped"),
        false,
        Read,
        ResultKind::ScopedRead,
        &[
            TAB,
            described(
                "root",
                FieldKind::OptionalReference,
                "The ref of a scope from the latest scoped read; null to discover the scopes.",
            ),
            described(
                "depth",
                FieldKind::Int { min: 1, max: 32 },
                "How many levels of the document below the root to read.",
            ),
            described("filter", FILTER, "all: text and controls; interactive: controls only."),
        ],
        "Read one part of the page, and the parts that can be read next.",
    ),
    spec(
        Member::ReadDiagnostics,
        names!("read_diagnostics"),
        false,
        PrivateRead,
        ResultKind::DiagnosticRead,
        &[
            TAB,
            field("source", FieldKind::OneOf(&["console", "network"])),
            described(
                "limit",
                FieldKind::Int { min: 1, max: 100 },
                "The largest number of records to report.",
            ),
        ],
        "Read recent console messages or network requests of the page, without private data.",
    ),
    spec(
        Member::RunScript,
        names!("run_script"),
        false,
        Change,
        ResultKind::Script,
        &[TAB, described("source", FieldKind::Source, "The JavaScript to run."), TIMEOUT],
        "Run JavaScript in the page and report its result as text.",
    ),
    spec(
        Member::UploadFile,
        names!("upload_file"),
        false,
        Change,
        ResultKind::File,
        &[GRANT],
        "Upload the file that a grant names.",
    ),
    spec(
        Member::DownloadFile,
        names!("download_file"),
        false,
        Change,
        ResultKind::File,
        &[GRANT],
        "Download the file that a grant names.",
    ),
];

impl Member {
    pub fn spec(self) -> &'static MemberSpec {
        &MEMBERS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The member called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        MEMBERS.iter().find(|spec| spec.name == name).map(|spec| spec.member)
    }

    /// The member whose tool is called `tool`.
    pub fn from_tool(tool: &str) -> Option<Self> {
        Self::from_name(tool.strip_prefix("browser_")?)
    }
}
