"""The errors that clients raise."""

from __future__ import annotations

import datetime as dt
import http
from collections.abc import Mapping
from typing import Any, TypeVar

from ._response import RateLimit, RawResponse
from ._retry import retry_after
from .types import FieldError, Problem

E = TypeVar("E", bound="APIError")


class CensusError(Exception):
    """Base class of all errors of this package."""


class WebhookVerificationError(CensusError):
    """A webhook is not signed with the secret or is too old."""


class APIConnectionError(CensusError):
    """The registry could not be reached, or the connection failed."""


class APITimeoutError(APIConnectionError):
    """The registry did not respond in time."""


class APIError(CensusError):
    """An error response. Each status has a subclass."""

    def __init__(self, message: str, response: RawResponse) -> None:
        super().__init__(message)
        self.response: RawResponse = response
        self.status: int = response.status
        body = response.object() or {}
        self.problem: Problem = Problem.from_dict(body)
        """The problem document (RFC 9457). Without one, its members are None."""
        self.body: dict[str, Any] | str = body or response.body.decode("utf-8", "replace")
        """The response body, as a JSON object or text."""

    @classmethod
    def of(cls: type[E], response: RawResponse) -> E:
        """Return the error for a response."""
        return cls(_message(response), response)

    @property
    def code(self) -> str | None:
        """Error code, listed at /docs/errors."""
        return _text(self.problem.code)

    @property
    def title(self) -> str | None:
        """Short description of the error."""
        return _text(self.problem.title)

    @property
    def detail(self) -> str | None:
        """Description of the error and the accepted values."""
        return _text(self.problem.detail)

    @property
    def errors(self) -> list[FieldError]:
        """Invalid parameters."""
        errors: Any = self.problem.errors
        if not isinstance(errors, list):
            return []
        return [e for e in errors if isinstance(e, FieldError)]

    @property
    def request_id(self) -> str | None:
        """ID of the request in the registry's log."""
        return self.response.request_id or _text(self.problem.request_id)

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before retrying; None if the response has none."""
        return retry_after(self.response.headers)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the response. Names are case-insensitive."""
        return self.response.headers

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.response)


class InvalidResponseError(APIError):
    """A successful response that is not from a registry."""


class BadRequestError(APIError):
    """400: a parameter or the body is invalid; ``errors`` lists each problem."""


class AuthenticationError(APIError):
    """401: the API key is missing, unknown or revoked."""


class PermissionDeniedError(APIError):
    """403: the plan of the key does not include the endpoint."""

    @property
    def required_plans(self) -> list[str]:
        """Plans that include it, cheapest first."""
        return _texts(self.problem.required_plans)


class NotFoundError(APIError):
    """404: the server, repository, check or custom endpoint does not exist."""

    @property
    def candidates(self) -> list[str]:
        """Similar IDs or names of servers, best match first."""
        return _texts(self.problem.candidates)


class GoneError(APIError):
    """410: the server was deleted upstream."""


class RateLimitError(APIError):
    """429: the hourly or daily limit is reached."""

    @property
    def limit(self) -> int | None:
        """Requests in the window."""
        return self._rate_limit.limit

    @property
    def remaining(self) -> int | None:
        """Remaining requests in the window."""
        return self._rate_limit.remaining

    @property
    def reset_at(self) -> dt.datetime | None:
        """The end of the window."""
        return self._rate_limit.reset_at

    @property
    def _rate_limit(self) -> RateLimit:
        return RateLimit.from_headers(self.response.headers)


class InternalServerError(APIError):
    """500 and above: the registry failed or is unavailable."""


_BY_STATUS: dict[int, type[APIError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    410: GoneError,
    429: RateLimitError,
}


def error_of(response: RawResponse) -> APIError:
    """Return the error for an error response."""
    if response.status >= 500:
        return InternalServerError.of(response)
    return _BY_STATUS.get(response.status, APIError).of(response)


def invalid(response: RawResponse, reason: str) -> InvalidResponseError:
    """Return the error for a successful response that is invalid."""
    kind = response.headers.get("content-type", "no content type")
    return InvalidResponseError(
        f"{reason}: {response.url} responded {response.status} with {len(response.body)} bytes "
        f"({kind}). Check that the base URL is that of a Census registry.",
        response,
    )


def _message(response: RawResponse) -> str:
    problem = Problem.from_dict(response.object() or {})
    code, detail = _text(problem.code), _text(problem.detail) or _text(problem.title)
    parts = [str(response.status)]
    if code:
        parts.append(code)
    if detail:
        text = detail
    elif 300 <= response.status < 400 and "location" in response.headers:
        text = f"redirected to {response.headers['location']}: set the base URL to that registry"
    else:
        text = _phrase(response.status)
        kind = response.headers.get("content-type", "")
        if response.body and "html" not in kind:
            text += f": {response.body[:200].decode('utf-8', 'replace')}"
    message = f"{' '.join(parts)}: {text}"
    candidates = _texts(problem.candidates)
    if candidates and candidates[0] not in text:
        message += f" Did you mean {', '.join(candidates)}?"
    if code == "missing_api_key":
        message += " Set CENSUS_API_KEY, or api_key of the client."
    if wait := retry_after(response.headers):
        message += f" Retry after {wait:.0f} s."
    if response.request_id:
        message += f" (request {response.request_id})"
    return message


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "unknown status"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []
