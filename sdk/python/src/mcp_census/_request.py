"""Requests and the encoding of their parameters."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlencode, urljoin, urlsplit

from ._model import encode
from ._response import RawResponse


@dataclass(frozen=True)
class Request:
    """A request. Parameters and members of the body that are None are omitted."""

    method: str
    path: str
    """Encoded, below the base URL."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    nulls: bool = False
    """Whether members of the body that are None are sent as null."""
    once: bool = False
    """Whether it is only retried after 429, because it creates or sends something."""

    def url(self, base: str) -> str:
        """Return the URL at a registry."""
        query = {k: _parameter(v) for k, v in self.query.items() if v is not None}
        text = urlencode(query, quote_via=quote)
        return base + self.path + ("?" + text if text else "")

    def content(self) -> bytes | None:
        """Return the body as JSON."""
        if self.body is None:
            return None
        members = {k: encode(v) for k, v in self.body.items() if v is not None or self.nulls}
        return json.dumps(members, allow_nan=False, ensure_ascii=False).encode()

    def after(self, cursor: Any, parameter: str) -> Request:
        """Return the request of the page at a cursor, which is sent as a parameter.

        Cursors include the filters and sort order, so only parameters for the format of the page
        are repeated.
        """
        if parameter != "cursor":
            return Request(self.method, self.path, {**self.query, parameter: cursor})
        form = ("limit", "facets", "format")
        if self.body is not None:
            members = {k: v for k, v in self.body.items() if k in form}
            return Request(self.method, self.path, body={**members, "cursor": cursor})
        query = {k: v for k, v in self.query.items() if k in form}
        return Request(self.method, self.path, {**query, "cursor": cursor})


def segment(name: str, value: str) -> str:
    """Return a value as a path segment. ``name`` is the name of the parameter."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, got {value!r}")
    if value in ("", ".", ".."):
        raise ValueError(f"{name} must not be {repr(value) if value else 'empty'}")
    return quote(value, safe="")


def number(name: str, value: int) -> str:
    """Return a numeric ID as a path segment."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a positive integer, got {value!r}")
    return str(value)


def check_id(text: Any) -> Any:
    """Return the ID of a check from an ID or a status URL.

    Only the ID is used: the key is never sent to another host.
    """
    if not isinstance(text, str):
        return text
    _, found, tail = urlsplit(text).path.rpartition("/api/checks/")
    return unquote(tail) if found else text


def redirected(method: str, url: str, response: RawResponse) -> str | None:
    """Return the URL that a response to GET redirects to.

    None if it has another host or scheme, where the key must not be sent.
    """
    target = response.headers.get("location")
    if method != "GET" or not target or response.status not in (301, 302, 303, 307, 308):
        return None
    try:
        target = urljoin(url, target)
        return target if urlsplit(target)[:2] == urlsplit(url)[:2] else None
    except ValueError:
        return None


def joined(values: str | Sequence[str] | None) -> str | None:
    """Return a list of fields as a string."""
    return values if values is None or isinstance(values, str) else ",".join(values)


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:f}".rstrip("0").rstrip(".")
    if isinstance(value, (dt.date, dt.datetime)):
        return str(encode(value))
    return str(value)
