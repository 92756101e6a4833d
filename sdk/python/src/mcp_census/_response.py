"""Responses: body and headers."""

from __future__ import annotations

import contextlib
import contextvars
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx

from ._model import Model

T = TypeVar("T")
M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class RateLimit:
    """Rate limit of the client or the account, from the response headers."""

    limit: int | None
    """Requests in the window; None if there is no limit."""
    remaining: int | None
    reset_at: dt.datetime | None
    """The end of the window."""
    plan: str | None
    """The plan of the key."""

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> RateLimit:
        """Read the headers X-RateLimit-*; malformed headers count as absent."""
        reset = _integer(headers.get("x-ratelimit-reset"))
        try:
            at = None if reset is None else dt.datetime.fromtimestamp(reset, dt.timezone.utc)
        except (ValueError, OverflowError, OSError):
            at = None
        return cls(
            limit=_integer(headers.get("x-ratelimit-limit")),
            remaining=_integer(headers.get("x-ratelimit-remaining")),
            reset_at=at,
            plan=headers.get("x-ratelimit-plan"),
        )


def _integer(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


@dataclass(frozen=True)
class RawResponse:
    """A response before it is decoded."""

    status: int
    headers: httpx.Headers
    body: bytes = field(repr=False)
    url: str
    retries: int = 0
    from_cache: bool = False

    @property
    def request_id(self) -> str | None:
        return self.header("x-request-id")

    def header(self, name: str) -> str | None:
        """Return a header, or None. Names are case-insensitive."""
        value = self.headers.get(name)
        return value if isinstance(value, str) and value else None

    def object(self) -> dict[str, Any] | None:
        """Return the body if it is a JSON object."""
        value = self._parsed()
        return value if isinstance(value, dict) else None

    def objects(self) -> list[dict[str, Any]] | None:
        """Return the body if it is an array of JSON objects."""
        value = self._parsed()
        if isinstance(value, list) and all(isinstance(v, dict) for v in value):
            return value
        return None

    def _parsed(self) -> Any:
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


@dataclass(frozen=True)
class Response(Generic[T]):
    """A decoded response with its status and headers."""

    data: T
    raw: RawResponse

    @property
    def status(self) -> int:
        """The HTTP status; 200 if the response is from the cache."""
        return self.raw.status

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers. Names are case-insensitive."""
        return self.raw.headers

    @property
    def body(self) -> bytes:
        """The decompressed body."""
        return self.raw.body

    @property
    def request_id(self) -> str | None:
        """ID of the request in the registry's log."""
        return self.raw.request_id

    @property
    def rate_limit(self) -> RateLimit:
        """Remaining requests."""
        return RateLimit.from_headers(self.raw.headers)

    @property
    def etag(self) -> str | None:
        """The entity tag of the body."""
        return self.raw.header("etag")

    @property
    def retries(self) -> int:
        """Number of retries."""
        return self.raw.retries

    @property
    def from_cache(self) -> bool:
        """Whether the registry responded 304 and the body is from the ETag cache."""
        return self.raw.from_cache

    def __repr__(self) -> str:
        return f"Response(status={self.status}, data={self.data!r})"


_last: contextvars.ContextVar[list[RawResponse] | None] = contextvars.ContextVar(
    "mcp_census_last_response", default=None
)


@contextlib.contextmanager
def recording() -> Iterator[list[RawResponse]]:
    """Collect the responses of the current task or thread."""
    seen: list[RawResponse] = []
    token = _last.set(seen)
    try:
        yield seen
    finally:
        _last.reset(token)


def record(response: RawResponse) -> None:
    """Add a response to the ones collected by ``recording``."""
    seen = _last.get()
    if seen is not None:
        seen.append(response)
