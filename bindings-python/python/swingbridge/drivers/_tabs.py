"""The tabs of a driver: ids that are never used twice, which one is active (B-30), and what was last reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from swingbridge import BrowserError

from ._refusals import page_changed

__all__ = ["Report", "Tab", "TabTable"]

# In place of a document: whichever the tab shows.
_ANY_DOCUMENT: Final = object()


@dataclass(eq=False)
class Tab:
    """One page.

    Attributes:
        id: The id that the model sees, for example `tab-3`.
        page: The Playwright page.
        title: The title as last read, safe to report.
        title_cut: Whether `title` lost its end.
        document: Handle of an object that holds the document whose title was last read, or None if it was replaced since.
        script: Handle of the page script in the current document, once it was needed.
        generation: The number that references of that document carry.
        supported: Whether the page is at an address that this driver serves.
        crashed: Whether the page's process died.
    """

    id: str
    page: Any
    title: str = ""
    title_cut: bool = False
    document: Any = None
    script: Any = None
    generation: int = 0
    supported: bool = True
    crashed: bool = False

    def forget_title(self) -> None:
        self.title, self.title_cut = "", False


@dataclass
class TabTable:
    """Open tabs in the order in which they were opened, and the order in which they were last active."""

    tabs: list[Tab] = field(default_factory=list[Tab])
    _recent: list[Tab] = field(default_factory=list[Tab])
    _issued: int = 0

    @property
    def active(self) -> Tab | None:
        return self._recent[-1] if self._recent else None

    def add(self, page: Any) -> Tab:
        """A new tab, behind the active one."""
        self._issued += 1
        tab = Tab(f"tab-{self._issued}", page)
        self.tabs.append(tab)
        self._recent.insert(0, tab)
        return tab

    def of(self, page: Any) -> Tab | None:
        return next((tab for tab in self.tabs if tab.page == page), None)

    def activate(self, tab: Tab) -> bool:
        """Makes a tab the active one; false if it was already."""
        if self.active is tab:
            return False
        self._recent.remove(tab)
        self._recent.append(tab)
        return True

    def remove(self, tab: Tab) -> Tab | None:
        """Removes a tab; returns the tab that is active instead, if that changed."""
        was_active = self.active is tab
        self.tabs.remove(tab)
        self._recent.remove(tab)
        return self.active if was_active else None

    def named(self, tab_id: str | None) -> Tab:
        """The tab of an id, or the active one.

        Raises:
            BrowserError: No such tab, or no tab at all.
        """
        if tab_id is None:
            if self.active is None:
                raise BrowserError("No tab is open. Open one first.")
            return self.active
        for tab in self.tabs:
            if tab.id == tab_id:
                return tab
        raise BrowserError(
            "No open tab has this id. Use an id from the current state, or null for the active tab."
        )


@dataclass
class Report:
    """What was last told: consent was given for that, so later actions are held to it (B-20).

    Attributes:
        active: The tab that `tab_id` null stands for in actions.
        documents: For each tab the handle of its document, or None where that could not be read.
    """

    active: Tab | None
    documents: dict[Tab, Any]

    def document(self, tab: Tab) -> Any:
        """Handle of the document that an action must find in a tab; None if it may be any.

        Raises:
            BrowserError: It is unknown which one was there.
        """
        document = self.documents.get(tab)
        if document is None:
            raise page_changed()
        return None if document is _ANY_DOCUMENT else document

    def allow_any_document(self, tab: Tab) -> None:
        """The caller opened the tab or an address in it, and so expects another document."""
        self.documents[tab] = _ANY_DOCUMENT
