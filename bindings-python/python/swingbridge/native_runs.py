"""Runs over swingbridge's own client: requests and responses stay text from end to end.

Only what a callback or a driver looks at becomes an object. Other clients, and runs that save or measure
their history, go the ordinary way, with the same results.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .call_terms import body_of
from .plain import as_dict

if TYPE_CHECKING:
    from collections.abc import Callable

    from .call_terms import CallTerms


def native_of(client: object, params: object) -> tuple[Any, CallTerms] | None:
    """The body and the rest of the first request, if the client is exactly one of ours, as it was made.

    ``params`` are a copy. Raises ``ConfigurationError`` for what this client cannot send.
    """
    # Whoever has one has imported it.
    clients: Any = sys.modules.get("swingbridge.client")
    fields = as_dict(params)
    if clients is None or fields is None:
        return None
    if not clients.is_own(client):
        return None
    ours: Any = client
    beside = (fields.get(name) for name in ("extra_headers", "extra_query", "timeout"))
    terms: CallTerms = ours._terms.with_call(*beside)
    return body_of(fields), terms


def sender_of(client: object) -> Callable[..., Any]:
    """The method that sends a request which the native module has laid out."""
    ours: Any = client
    send: Callable[..., Any] = ours._send
    return send
