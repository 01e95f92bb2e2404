"""The native client: ``Client`` and ``AsyncClient`` (N-1, N-2, N-4).

They send requests to a Responses endpoint without another package. The key stays in the native module:
no representation, error or log shows it, and a client cannot be pickled.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, TypeVar, overload

from ._core import NativeClient, NativeRequest, end_requests
from .call_terms import (
    NO_TERMS,
    CallTerms,
    Timeout,
    body_of,
    header_changes,
    is_sendable,
    pairs,
    retries_of,
    timeout_of,
)
from .errors import ConfigurationError
from .params import params_of
from .responses import (
    AsyncResponseStream,
    Response,
    ResponseStream,
    ResponseStreamEvent,
)

if TYPE_CHECKING:
    from types import TracebackType

    from .call_terms import Headers, Times

    Auth = Literal["bearer", "api-key", "none"]

_Kind = TypeVar("_Kind", bound="_Client")

_AUTHS = frozenset({"bearer", "api-key", "none"})


class Settings(NamedTuple):
    """What the native module makes a client of; it reads the attributes by these names."""

    api_key: str | None
    auth: str | None
    base_url: str | None
    organization: str | None
    project: str | None
    api_version: str | None
    times: tuple[float, float, float]
    max_retries: int
    default_headers: list[tuple[str, str | None]]
    default_query: list[tuple[str, str]]
    uses_proxies: bool


class _Client:
    """What the two clients share: how they are made, configured and closed."""

    __slots__ = ("__weakref__", "_headers", "_native", "_terms")

    _native: NativeClient
    _headers: dict[str, str]
    _terms: CallTerms
    """What every call says unless it says otherwise."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        organization: str | None = None,
        project: str | None = None,
        timeout: Times | None = None,
        max_retries: int = 2,
        default_headers: Headers | None = None,
        default_query: Mapping[str, object] | None = None,
        auth: Auth | None = None,
        api_version: str | None = None,
        trust_env: bool = True,
    ) -> None:
        if auth is not None and auth not in _AUTHS:
            words = "auth must be 'bearer', 'api-key' or 'none'"
            raise ConfigurationError(words, "option_invalid")
        headers = header_changes(default_headers, "default_headers")
        self._headers = {name: value for name, value in headers if value is not None}
        self._terms = NO_TERMS
        self._native = NativeClient(
            Settings(
                _optional_text(api_key, "api_key"),
                auth,
                _optional_text(base_url, "base_url"),
                _optional_text(organization, "organization"),
                _optional_text(project, "project"),
                _optional_text(api_version, "api_version"),
                Timeout() if timeout is None else timeout_of(timeout),
                retries_of(max_retries),
                headers,
                pairs(default_query, "default_query"),
                trust_env is True,
            ),
            Response,
            ResponseStreamEvent,
        )

    def with_options(  # noqa: PYI019 - typing.Self needs Python 3.11
        self: _Kind, *, timeout: Times | None = None, max_retries: int | None = None
    ) -> _Kind:
        """The same client, connections included, that waits and retries otherwise.

        The time to connect stays that of this client.
        """
        terms = self._terms.with_call(timeout=timeout)
        if max_retries is not None:
            terms = terms._replace(max_retries=retries_of(max_retries))
        other = object.__new__(type(self))
        other._native, other._headers, other._terms = self._native, self._headers, terms
        return other

    @property
    def default_headers(self) -> dict[str, str]:
        """A copy of the headers that were given for every request; the key is not among them."""
        return {**self._headers}

    def is_closed(self) -> bool:
        """Whether it sends nothing any more."""
        return self._native.is_closed()

    def _request(
        self,
        params: dict[str, Any],
        headers: object,
        query: object,
        timeout: Times | None,
        stream: bool,
    ) -> NativeRequest:
        body = body_of(params_of(params, exact_input=False))
        if stream:
            body["stream"] = True
        return NativeRequest(body, self._terms.with_call(headers, query, timeout), stream)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._native.origin()!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} holds connections and a key: it cannot be pickled"
        )


def _optional_text(value: object, name: str) -> str | None:
    if value is None or (isinstance(value, str) and is_sendable(value)):
        return value
    raise ConfigurationError(f"{name} must be a text", "option_invalid")


def _flag(stream: object) -> bool:
    if stream is None or isinstance(stream, bool):
        return bool(stream)
    raise ConfigurationError("stream must be true or false", "option_invalid")


class Client(_Client):
    """Sends requests to a Responses endpoint; a context manager.

        with Client() as client:
            print(client.responses.create(model="...", input="...").output_text)

    Many threads may use one client. A forked process gets connections of its own; a stream stays
    with the process that began it. Ctrl-C ends a wait, and the socket is closed.

    Args:
        api_key: the environment's ``OPENAI_API_KEY`` if it is not given.
        base_url: the address below which ``responses`` is, ``OPENAI_BASE_URL`` or the service of
            OpenAI if it is not given. A redirect is never followed.
        organization: ``OPENAI_ORG_ID`` if it is not given.
        project: ``OPENAI_PROJECT_ID`` if it is not given.
        timeout: seconds for a request and between its bytes, or a ``Timeout``. Ten minutes if not given.
        max_retries: how often a request is sent again after a lost connection, or a status that may
            pass (408, 409, 429 and 500 up). The service's ``Retry-After`` is heeded.
        default_headers: stand on every request; those of a call win. None takes away what the client
            sends by itself.
        default_query: stands in every address; the query of a call wins.
        auth: how the key is shown: ``"bearer"``, ``"api-key"`` (a header of that name) or ``"none"``,
            which needs no key.
        api_version: for an Azure endpoint: stands in every address as ``api-version``, and the key
            goes into the header ``api-key`` unless ``auth`` says otherwise.
        trust_env: whether ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` count.

    Raises:
        ConfigurationError: no key, or a value that cannot be used.
    """

    __slots__ = ()

    @property
    def responses(self) -> Responses:
        """Has ``create``."""
        return Responses(self)

    def close(self) -> None:
        """Send nothing any more; idle connections are closed. Streams under way go on."""
        self._native.close()

    def __enter__(self) -> Client:  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self, *, request: NativeRequest) -> Any:
        answer = self._native.send(request)
        return ResponseStream(answer) if request.streams else answer


class AsyncClient(_Client):
    """``Client`` with ``await``, for asyncio; an asynchronous context manager.

    One client serves any number of event loops, one after the other or at once. Cancelling a task
    that waits closes its socket. See ``Client`` for the arguments.
    """

    __slots__ = ()

    @property
    def responses(self) -> AsyncResponses:
        """Has ``create``."""
        return AsyncResponses(self)

    async def close(self) -> None:
        """Send nothing any more; idle connections are closed. Streams under way go on."""
        self._native.close()

    async def __aenter__(self) -> AsyncClient:  # noqa: PYI034 - typing.Self needs Python 3.11
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _send(self, *, request: NativeRequest) -> Any:
        from .event_loops import outcome

        native = self._native
        answer = await outcome(lambda wake: native.start(request, wake))
        return AsyncResponseStream(answer, outcome) if request.streams else answer


class Responses:
    """The responses of a ``Client``."""

    __slots__ = ("_client",)

    def __init__(self, client: Client) -> None:
        self._client = client

    @overload
    def create(
        self,
        *,
        stream: Literal[False] | None = None,
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> Response: ...
    @overload
    def create(
        self,
        *,
        stream: Literal[True],
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> ResponseStream: ...
    @overload
    def create(
        self,
        *,
        stream: bool | None,
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> Response | ResponseStream: ...
    def create(
        self,
        *,
        stream: bool | None = None,
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> Response | ResponseStream:
        """Send one request.

        Args:
            stream: whether the response comes as a stream of events.
            extra_headers: for this request; they win over the client's, and None takes one away.
            extra_query: added to the address; it wins over the client's.
            extra_body: fields of the body; they win over ``params``.
            timeout: for this request; the time to connect stays the client's.
            params: the fields of the body. Objects of earlier responses may stand in them.

        Raises:
            APIError: by its class and ``code`` what failed; see ``swingbridge.api_errors``.
            ConfigurationError: something cannot be sent; nothing was.
            ClosedError: the client is closed.
        """
        params["extra_body"] = extra_body
        streams = _flag(stream)
        client: Any = self._client
        request = client._request(params, extra_headers, extra_query, timeout, streams)
        answer: Response | ResponseStream = client._send(request=request)
        return answer


class AsyncResponses:
    """The responses of an ``AsyncClient``."""

    __slots__ = ("_client",)

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    @overload
    async def create(
        self,
        *,
        stream: Literal[False] | None = None,
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> Response: ...
    @overload
    async def create(
        self,
        *,
        stream: Literal[True],
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> AsyncResponseStream: ...
    @overload
    async def create(
        self,
        *,
        stream: bool | None,
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> Response | AsyncResponseStream: ...
    async def create(
        self,
        *,
        stream: bool | None = None,
        extra_headers: Headers | None = None,
        extra_query: Mapping[str, object] | None = None,
        extra_body: Mapping[str, object] | None = None,
        timeout: Times | None = None,
        **params: Any,
    ) -> Response | AsyncResponseStream:
        """Send one request; see ``Responses.create``."""
        params["extra_body"] = extra_body
        streams = _flag(stream)
        client: Any = self._client
        request = client._request(params, extra_headers, extra_query, timeout, streams)
        answer: Response | AsyncResponseStream = await client._send(request=request)
        return answer


_OWN: dict[type, tuple[Any, Any, Any]] = {
    Client: (Client.responses, Responses, Responses.create),
    AsyncClient: (AsyncClient.responses, AsyncResponses, AsyncResponses.create),
}


def is_own(client: object) -> bool:
    """Whether it is exactly one of these clients, and nobody has put another method in place of theirs."""
    kind = type(client)
    if kind is not Client and kind is not AsyncClient:
        return False
    own, resource, create = _OWN[kind]
    return kind.responses is own and resource.create is create


# From then on no thread but the interpreter's own may enter it.
atexit.register(end_requests)
