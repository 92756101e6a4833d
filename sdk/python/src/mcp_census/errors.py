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
    """A webhook is not signed with the secret, or is too old."""


class APIConnectionError(CensusError):
    """The registry could not be reached, or the connection broke."""


class APITimeoutError(APIConnectionError):
    """The registry did not respond in time."""


class APIError(CensusError):
    """The registry responded with an error. Subclasses are chosen by the status."""

    def __init__(self, message: str, response: RawResponse) -> None:
        super().__init__(message)
        self.response: RawResponse = response
        self.status: int = response.status
        body = response.object() or {}
        self.problem: Problem = Problem.from_dict(body)
        """The problem document (RFC 9457); its members are None if there was none."""
        self.body: dict[str, Any] | str = body or response.body.decode("utf-8", "replace")
        """The JSON object of the response, else its text."""

    @classmethod
    def of(cls: type[E], response: RawResponse) -> E:
        """Return the error that a response describes."""
        return cls(_message(response), response)

    @property
    def code(self) -> str | None:
        """What went wrong, for programs: a code of /docs/errors."""
        return _text(self.problem.code)

    @property
    def title(self) -> str | None:
        """What went wrong, in short."""
        return _text(self.problem.title)

    @property
    def detail(self) -> str | None:
        """What went wrong and what is accepted, as a sentence."""
        return _text(self.problem.detail)

    @property
    def errors(self) -> list[FieldError]:
        """The parameters that were refused."""
        errors: Any = self.problem.errors
        if not isinstance(errors, list):
            return []
        return [e for e in errors if isinstance(e, FieldError)]

    @property
    def request_id(self) -> str | None:
        """The ID that operators find in their log."""
        return self.response.request_id or _text(self.problem.request_id)

    @property
    def retry_after(self) -> float | None:
        """Seconds after which to try again, if the response says so."""
        return retry_after(self.response.headers)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the response. Names are compared without case."""
        return self.response.headers

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.response)


class InvalidResponseError(APIError):
    """The response succeeded, but is not what a registry responds."""


class BadRequestError(APIError):
    """400: a parameter or the body was refused; ``errors`` names each parameter."""


class AuthenticationError(APIError):
    """401: the API key is missing, unknown or revoked."""


class PermissionDeniedError(APIError):
    """403: the plan of the key does not include the endpoint."""

    @property
    def required_plans(self) -> list[str]:
        """The plans that include it, the cheapest first."""
        return _texts(self.problem.required_plans)


class NotFoundError(APIError):
    """404: the server, repository, check or custom endpoint does not exist."""

    @property
    def candidates(self) -> list[str]:
        """IDs or names of servers that may have been meant, the best first."""
        return _texts(self.problem.candidates)


class GoneError(APIError):
    """410: the server was deleted upstream."""


class RateLimitError(APIError):
    """429: the hour or day has no requests left."""

    @property
    def limit(self) -> int | None:
        """Requests in the window."""
        return self._rate_limit.limit

    @property
    def remaining(self) -> int | None:
        """Requests that are left in the window."""
        return self._rate_limit.remaining

    @property
    def reset_at(self) -> dt.datetime | None:
        """The end of the window."""
        return self._rate_limit.reset_at

    @property
    def _rate_limit(self) -> RateLimit:
        return RateLimit.from_headers(self.response.headers)


class InternalServerError(APIError):
    """500 and above: the registry failed, or is unavailable."""


_BY_STATUS: dict[int, type[APIError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    410: GoneError,
    429: RateLimitError,
}


def error_of(response: RawResponse) -> APIError:
    """Return the error of a response that did not succeed."""
    if response.status >= 500:
        return InternalServerError.of(response)
    return _BY_STATUS.get(response.status, APIError).of(response)


def invalid(response: RawResponse, reason: str) -> InvalidResponseError:
    """Return the error of a response with status 200 that cannot be used."""
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
