"""A cache of responses by URL, validated with entity tags."""

from __future__ import annotations

import threading
from collections import OrderedDict

import httpx

from ._response import RawResponse


class ETagCache:
    """The most recently used responses. It is safe for concurrent use."""

    def __init__(self, entries: int = 256, size: int = 16 << 20) -> None:
        """Create a cache with a maximum number of responses and total size in bytes."""
        self._entries, self._size = entries, size
        self._lock = threading.Lock()
        self._responses: OrderedDict[str, RawResponse] = OrderedDict()
        self._used = 0

    def get(self, url: str) -> RawResponse | None:
        """Return the cached response for a URL."""
        with self._lock:
            response = self._responses.get(url)
            if response is not None:
                self._responses.move_to_end(url)
            return response

    def put(self, url: str, response: RawResponse) -> None:
        """Store a response, unless it has no entity tag or is too large."""
        size = len(response.body)
        if "etag" not in response.headers or size > self._size // 4:
            return
        with self._lock:
            old = self._responses.pop(url, None)
            self._used += size - (len(old.body) if old else 0)
            self._responses[url] = response
            while len(self._responses) > self._entries or self._used > self._size:
                _, evicted = self._responses.popitem(last=False)
                self._used -= len(evicted.body)

    def __repr__(self) -> str:
        return f"ETagCache({len(self._responses)} responses)"


def revalidated(stored: RawResponse, answer: RawResponse) -> RawResponse:
    """Return the cached response with the headers of the 304 response."""
    headers = httpx.Headers(stored.headers)
    headers.update(answer.headers)
    return RawResponse(
        status=stored.status,
        headers=headers,
        body=stored.body,
        url=stored.url,
        retries=answer.retries,
        from_cache=True,
    )
