"""What can be imported from the top, and at what cost (P-2, B-53)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import swingbridge

# The names of the published helpers.
PUBLISHED = [
    "BrowserToolset",
    "AsyncBrowserToolset",
    "BrowserDriver",
    "BrowserReadDriver",
    "BrowserNavigationDriver",
    "BrowserClickDriver",
    "BrowserScreenshotDriver",
    "AsyncBrowserDriver",
    "AsyncBrowserReadDriver",
    "AsyncBrowserNavigationDriver",
    "AsyncBrowserClickDriver",
    "AsyncBrowserScreenshotDriver",
    "BROWSER_MEMBERS",
    "DEFAULT_BROWSER_MEMBERS",
    "BrowserState",
    "BrowserTab",
    "BrowserObservationV1",
    "BrowserStateChange",
    "BrowserTabChange",
    "BrowserNavigationRefused",
    "BrowserDialogDismissed",
    "BrowserDownload",
    "BrowserReadV1",
    "BrowserScopedReadV1",
    "BrowserReadScope",
    "BrowserReadElement",
    "BrowserReadOption",
    "BrowserFileOutcome",
    "BrowserConfirmContext",
    "BrowserReadConfirmContext",
    "BrowserError",
    "BrowserCancelledError",
    "NavigateInput",
    "ReadPageInput",
    "TabInput",
    "ZoomInput",
    "FindInput",
    "ClickInput",
    "ClickAtInput",
    "HoverAtInput",
    "SetCheckedInput",
    "DragPathInput",
    "HoldKeysInput",
    "ReadPageScopedInput",
    "ReadDiagnosticsInput",
    "RunScriptInput",
    "BrowserFileInput",
    "BrowserPoint",
    "TypeInput",
    "KeyInput",
    "ScrollInput",
    "WaitForInput",
    "SelectOptionInput",
    "NewTabInput",
    "ComputerToolset",
    "AsyncComputerToolset",
    "ComputerDriver",
    "AsyncComputerDriver",
    "ComputerActionInput",
    "Screenshot",
    "ComputerUseError",
    "ResponsesToolRunner",
    "AsyncResponsesToolRunner",
    "RegisteredFunction",
    "AsyncRegisteredFunction",
    "ToolRunnerError",
    "ToolRunnerCancelledError",
    "EarlyExecution",
    "ContextBudget",
    "AsyncContextBudget",
    "ContextBudgetSnapshot",
    "ContextBudgetDecision",
    "ResponsesToolCheckpoint",
    "ResponsesToolLedger",
    "AsyncResponsesToolLedger",
    "ResponsesRunnerTurn",
    "ToolDiagnostic",
    "ToolDiagnosticUsage",
    "ToolDiagnosticObserver",
]


def test_the_published_names_are_all_there() -> None:
    assert set(PUBLISHED) <= set(swingbridge.__all__)


@pytest.mark.parametrize("name", swingbridge.__all__)
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(swingbridge, name) is not None
    assert name in dir(swingbridge)


def test_a_star_import_has_them_all() -> None:
    names: dict[str, object] = {}
    exec("from swingbridge import *", names)
    assert set(swingbridge.__all__) <= set(names)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = swingbridge.Nonsense  # type: ignore[attr-defined]


def test_checkers_and_the_program_see_the_same_names() -> None:
    """The imports for type checkers are those that a first use makes."""
    tree = ast.parse(Path(swingbridge.__file__).read_text("utf-8"))
    (branch,) = (node for node in tree.body if isinstance(node, ast.If))
    for_checkers = {
        (str(node.module), name.name)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert for_checkers == {
        (module, name)
        for name, module in swingbridge._MODULE_OF.items()  # type: ignore[attr-defined]
    }


def test_the_member_lists_are_tuples_of_the_table() -> None:
    assert len(swingbridge.BROWSER_MEMBERS) == 28
    assert len(swingbridge.DEFAULT_BROWSER_MEMBERS) == 18
    assert set(swingbridge.DEFAULT_BROWSER_MEMBERS) < set(swingbridge.BROWSER_MEMBERS)
    assert type(swingbridge.BROWSER_MEMBERS) is type(swingbridge.DEFAULT_BROWSER_MEMBERS) is tuple


# Not even what other modules bring in by the way: an import, and a call of the sync class.
PROGRAM = """
import sys
from swingbridge import BrowserToolset
class Driver:
    def state(self): return {"tabs": []}
    def click(self, action): return None
toolset = BrowserToolset(Driver(), members=["click"], confirm=lambda context: True)
toolset.execute({"type": "function_call", "name": "browser_click", "call_id": "c",
                 "arguments": '{"target": "t", "tab_id": null}'})
print(*sorted(sys.modules.keys() & {"asyncio", "dataclasses", "http", "inspect", "json", "openai", "pydantic",
                                    "socket", "ssl", "typing_extensions"}))
"""


def test_the_sync_class_imports_little() -> None:
    package = str(Path(swingbridge.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM],
        env={"PYTHONPATH": package},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == []
