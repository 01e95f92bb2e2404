"""What the native client raises (N-2): one tree, by the kind of failure and by the status of the answer.

Their words name the failure, with what the service said of it behind, at most 2,000 bytes; a service may
quote the request there. The API key is taken out of every text.
"""

from __future__ import annotations

from .errors import ConfigurationError, SwingbridgeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class APIError(SwingbridgeError):
    """A request came to no reply that can be used, or a stream was ended with an error; the base of the
    rest.

    ``code`` is swingbridge's own name of the failure, the same in every language.
    """

    code = "reply_not_json"

    def __init__(
        self,
        message: object = "",
        code: str | None = None,
        *,
        status: int | None = None,
        request_id: str | None = None,
        service_message: str | None = None,
        service_code: str | None = None,
        service_type: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message, code)
        self.status = status
        """The status of the answer; None if there was none."""
        self.request_id = request_id
        """What the service called the request; for its support."""
        self.service_message = service_message
        """The service's own words."""
        self.service_code = service_code
        self.service_type = service_type
        self.param = param
        """The part of the request that the service complains of."""

    @property
    def status_code(self) -> int | None:
        """``status`` under the name that the ``openai`` package has for it."""
        return self.status


class APIConnectionError(APIError):
    """No whole answer came: the connection could not be made, or was lost."""

    code = "unreachable"


class APITimeoutError(APIConnectionError):
    """The connection, the answer or the next bytes of it did not come in time."""

    code = "request_timeout"


class APIStatusError(APIError):
    """The service answered with a status that is no success."""

    code = "status_unexpected"


class BadRequestError(APIStatusError):
    """Status 400: the request is malformed, or breaks a rule of the service."""

    code = "bad_request"


class AuthenticationError(APIStatusError):
    """Status 401: the service did not accept the API key."""

    code = "authentication_failed"


class PermissionDeniedError(APIStatusError):
    """Status 403."""

    code = "permission_denied"


class NotFoundError(APIStatusError):
    """Status 404: the address, the model or something that the request names is not there."""

    code = "not_found"


class ConflictError(APIStatusError):
    """Status 409."""

    code = "conflict"


class UnprocessableEntityError(APIStatusError):
    """Status 422."""

    code = "unprocessable"


class RateLimitError(APIStatusError):
    """Status 429: too many requests, or the quota is used up."""

    code = "rate_limited"


class InternalServerError(APIStatusError):
    """Status 500 and above."""

    code = "server_failed"


CLASSES: dict[str, type[APIError]] = {
    "bad_request": BadRequestError,
    "authentication_failed": AuthenticationError,
    "permission_denied": PermissionDeniedError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "unprocessable": UnprocessableEntityError,
    "rate_limited": RateLimitError,
    "server_failed": InternalServerError,
    "redirected": APIStatusError,
    "status_unexpected": APIStatusError,
    "name_not_resolved": APIConnectionError,
    "connection_refused": APIConnectionError,
    "tls_failed": APIConnectionError,
    "unreachable": APIConnectionError,
    "connection_lost_before_answer": APIConnectionError,
    "connection_lost_within_answer": APIConnectionError,
    "stream_of_other_process": APIConnectionError,
    "connect_timeout": APITimeoutError,
    "request_timeout": APITimeoutError,
    "idle_timeout": APITimeoutError,
    "reply_not_decoded": APIError,
    "reply_not_json": APIError,
    "reply_is_error": APIError,
    "reply_too_large": APIError,
    "not_a_stream": APIError,
    "event_not_json": APIError,
    "event_too_large": APIError,
    "stream_failed": APIError,
    "stream_in_use": APIError,
    "no_randomness": APIError,
}
"""Which class says what; mistakes of the caller, which nothing was sent for, are none of them."""

_MISTAKES = frozenset({"request_path_invalid", "request_header_invalid"})


def error_of(words: str, code: str, **facts: Any) -> SwingbridgeError:
    """The error for what the native module tells of a failure."""
    if code in _MISTAKES:
        return ConfigurationError(words, code)
    return CLASSES.get(code, APIError)(words, code, **facts)
