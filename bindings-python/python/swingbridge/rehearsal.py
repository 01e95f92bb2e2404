"""A rehearsal server beside the program: runs with no key and no network (D-8).

It answers at an address of 127.0.0.1 with the turns of a script, plain and as a stream, and refuses what
the real service would refuse. The format of scripts is in ``docs/rehearsal.md``. On a command line,
``swingbridge rehearse`` does the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ._core import NativeRehearsal, RehearsedRequest
from .errors import ConfigurationError, SwingbridgeError

if TYPE_CHECKING:
    from types import TracebackType

    StrPath: TypeAlias = str | os.PathLike[str]

__all__ = ["RehearsalServer", "RehearsedRequest", "ScriptError"]

_Value = TypeVar("_Value")

_MOST_PORTS = 65_535


class ScriptError(SwingbridgeError, ValueError):
    """A script or a transcript cannot be played (D-8)."""

    code = "form"
    """``syntax``, ``bounds``, ``documents``, ``missing``, ``unknown``, ``form``, ``conflict``, ``member``."""

    def __init__(
        self, message: object = "", place: str = "script", code: str | None = None
    ) -> None:
        super().__init__(message, code)
        self.place = place
        """For example ``turns[2].expect``, or a line of the text."""


class RehearsalServer:
    """Stands in for the service, from when it is made until it is stopped (D-8); a context manager.

        with RehearsalServer("turns: [{ message: Hello. }]") as server:
            with Client(base_url=server.url, api_key="any") as client:
                print(client.responses.create(model="any", input="Hi").output_text)

    It has threads of its own, so that the program and its event loops may wait for it, and any number
    of servers may listen at once. A process that is forked from this one can do nothing with it.

    Args:
        script: its text, YAML or JSON, or the mapping that such a text stands for.
        port: where it listens; 0 for any port that is free.
        api_key: the key that requests must show. If it is not given, any will do, and none.
        transcript: a file to record each request and its answer in. One that has something in it is not
            written over. It gets all that a page or a user said, but no headers and no secrets of tools.
        keep_bodies: whether ``requests`` has the bodies, which can be large.

    Raises:
        ScriptError: the script cannot be played.
        ConfigurationError: another argument cannot be used.
        OSError: the port is taken, or the file cannot be written.
    """

    __slots__ = ("__weakref__", "_native")

    _native: NativeRehearsal

    def __init__(
        self,
        script: str | Mapping[str, Any],
        *,
        port: int = 0,
        api_key: str | None = None,
        transcript: StrPath | None = None,
        keep_bodies: bool = True,
    ) -> None:
        if not isinstance(script, str):
            script = dict(_checked(script, Mapping, "script must be a text or a mapping"))
        self._start(script, False, port, api_key, transcript, keep_bodies)

    def _start(
        self,
        script: object,
        replays: bool,
        port: int,
        api_key: str | None,
        transcript: StrPath | None,
        keep_bodies: bool,
    ) -> None:
        if type(port) is not int or not 0 <= port <= _MOST_PORTS:
            words = f"port must be an integer from 0 to {_MOST_PORTS}"
            raise ConfigurationError(words, "option_invalid")
        if api_key is not None:
            _checked(api_key, str, "api_key must be a text")
        if transcript is not None:
            _checked(transcript, (str, os.PathLike), "transcript must be a path")
        _checked(keep_bodies, bool, "keep_bodies must be true or false")
        self._native = NativeRehearsal(script, replays, port, api_key, transcript, keep_bodies)

    @classmethod
    def from_file(
        cls,
        path: StrPath,
        *,
        port: int = 0,
        api_key: str | None = None,
        transcript: StrPath | None = None,
        keep_bodies: bool = True,
    ) -> RehearsalServer:
        """Play the script that a file has. See the class for the other arguments."""
        return cls(
            Path(path).read_text("utf-8"),
            port=port,
            api_key=api_key,
            transcript=transcript,
            keep_bodies=keep_bodies,
        )

    @classmethod
    def replay(
        cls,
        path: StrPath,
        *,
        port: int = 0,
        api_key: str | None = None,
        transcript: StrPath | None = None,
        keep_bodies: bool = True,
    ) -> RehearsalServer:
        """Give the answers of a transcript again, in their order, whatever is asked.

        See the class for the other arguments.
        """
        recorded = Path(path).read_text("utf-8")
        server = object.__new__(cls)
        server._start(recorded, True, port, api_key, transcript, keep_bodies)
        return server

    @property
    def url(self) -> str:
        """The ``base_url`` for clients.

        Raises:
            ClosedError: the server was stopped, or belongs to the process that this one was forked
                from; in that case ``turns_left`` and ``requests`` raise it as well.
        """
        return self._native.url()

    @property
    def turns_left(self) -> int:
        """How many turns of the script, or of its latest pass, were not taken."""
        return self._native.turns_left()

    @property
    def requests(self) -> list[RehearsedRequest]:
        """All requests so far, the refused ones included; those that came before a stop stay."""
        return self._native.requests()

    def stop(self) -> None:
        """End all connections and give the port back. The second time, nothing is done.

        Raises:
            OSError: a line of the transcript could not be written.
        """
        self._native.stop()

    def __enter__(self) -> RehearsalServer:  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        except OSError:
            # What went wrong before is what the caller has to see.
            if error is None:
                raise


def _checked(value: _Value, kinds: type | tuple[type, ...], words: str) -> _Value:
    if not isinstance(value, kinds):
        raise ConfigurationError(words, "option_invalid")
    return value
