"""Sends requests: retries, timeouts, errors and the ETag cache."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from .._etag import revalidated
from .._model import Model
from .._options import Options
from .._paging import COUNTED, Paging
from .._request import Request, redirected
from .._response import RawResponse, Response, record, recording
from .._retry import MAX_WAIT, backoff, retry_after, should_retry
from ..errors import (
    APIConnectionError,
    APITimeoutError,
    CensusError,
    error_of,
    invalid,
)
from ._pages import AsyncPage
from ._sleep import sleep

M = TypeVar("M", bound=Model)
Item = TypeVar("Item")

MAX_BODY = 256 << 20
"""Maximum size of a response, in bytes."""

MAX_REDIRECTS = 5

UNSENT = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
"""Errors of invalid requests, such as headers with line breaks."""

LIMITS = httpx.Limits(max_connections=16, max_keepalive_connections=16, keepalive_expiry=30)
"""Maximum number of connections. The pool's cost grows with the square of it."""

logger = logging.getLogger("mcp_census")


class AsyncTransport:
    """Sends the requests of a client. It is safe for concurrent use."""

    def __init__(self, options: Options, http: httpx.AsyncClient | None) -> None:
        self.options = options
        self.owned = http is None
        self.http = http or httpx.AsyncClient(
            verify=options.verify, mounts=options.mounts, limits=LIMITS
        )

    def replaced(self, options: Options) -> AsyncTransport:
        """Return a transport with different settings and the same connections."""
        other = AsyncTransport(options, self.http)
        other.owned = self.owned
        return other

    async def close(self) -> None:
        """Close the connections, unless the HTTP client is the user's."""
        if self.owned:
            await self.http.aclose()

    async def get(self, request: Request, model: type[M]) -> M:
        """Send a request and decode the response."""
        return decoded(await self.send(request), model).data

    async def array(self, request: Request, model: type[M]) -> list[M]:
        """Send a request and decode the response, which must be an array of objects."""
        response = await self.send(request)
        items = response.objects()
        if items is None:
            raise invalid(response, "the response is not an array of JSON objects")
        return [model.from_dict(item) for item in items]

    async def page(
        self,
        request: Request,
        model: type[M],
        member: str,
        cursor: Any = None,
        paging: Paging = COUNTED,
    ) -> AsyncPage[Any, M]:
        """Request a page whose items are in a member of the response."""
        response = decoded(await self.send(request), model)
        items = getattr(response.data, member)
        if not isinstance(items, list) or not paging.is_page(response.data):
            raise invalid(response.raw, f"the response is not a list of {member}")

        async def following(cursor: Any) -> AsyncPage[Any, M]:
            after = request.after(cursor, paging.parameter)
            return await self.page(after, model, member, cursor, paging)

        return AsyncPage(response, items, paging, following, cursor)

    async def send(self, request: Request) -> RawResponse:
        """Send a request with retries and return the successful response."""
        content = request.content()
        url = request.url(self.options.base_url)
        attempt = redirects = 0
        while True:
            try:
                response = await self._attempt(request.method, url, content, attempt)
            except (httpx.TransportError, httpx.DecodingError) as e:
                error: CensusError = self._connection_error(e)
                cause: Exception | None = e
                final = request.once or isinstance(e, UNSENT)
                wait = None if final else self._wait(attempt, None)
            else:
                if 200 <= response.status < 300:
                    record(response)
                    return response
                target = redirected(request.method, url, response)
                if target is not None and redirects < MAX_REDIRECTS:
                    url, redirects = target, redirects + 1
                    continue
                error = error_of(response)
                cause = None
                final = request.once and response.status != 429
                wait = None if final else self._wait(attempt, response)
            if wait is None:
                raise error from cause
            logger.info("%s %s: %s; retry in %.2f s", request.method, url, error, wait)
            await sleep(self.options.clock, wait)
            attempt += 1

    def _wait(self, attempt: int, response: RawResponse | None) -> float | None:
        """Return the seconds to wait before the next attempt; None for no retry."""
        if attempt >= self.options.max_retries:
            return None
        wait = None
        if response is not None:
            if not should_retry(response.status, response.headers):
                return None
            wait = retry_after(response.headers)
        if wait is None:
            return backoff(attempt, self.options.clock.random())
        return wait if wait <= MAX_WAIT else None

    def _connection_error(self, e: Exception) -> APIConnectionError:
        base, text = self.options.base_url, str(e) or type(e).__name__
        if isinstance(e, httpx.ConnectTimeout):
            return APITimeoutError(
                f"no connection to {base} within {self.options.connect_timeout:g} s"
            )
        if isinstance(e, httpx.TimeoutException):
            return APITimeoutError(f"no response from {base} within {self.options.timeout:g} s")
        if isinstance(e, httpx.ConnectError):
            return APIConnectionError(
                f"cannot connect to {base}: {text}. "
                "Is that your registry? Set CENSUS_URL, or base_url of the client."
            )
        return APIConnectionError(f"the connection to {base} failed: {text}")

    async def _attempt(
        self, method: str, url: str, content: bytes | None, attempt: int
    ) -> RawResponse:
        """Send a request once and read the whole response."""
        options = self.options
        cache = options.etag_cache if method == "GET" else None
        stored = cache.get(url) if cache else None
        headers = options.headers
        if content is not None:
            headers["Content-Type"] = "application/json"
        if stored is not None:
            headers["If-None-Match"] = stored.headers["etag"]
        began = options.clock.monotonic()
        async with self.http.stream(
            method,
            url,
            content=content,
            headers=headers,
            timeout=httpx.Timeout(options.timeout, connect=options.connect_timeout, pool=None),
            follow_redirects=False,
            auth=options.api_key or httpx.USE_CLIENT_DEFAULT,
        ) as res:
            parts, size = [], 0
            async for part in res.aiter_bytes():
                parts.append(part)
                size += len(part)
                if options.clock.monotonic() - began > options.timeout:
                    raise httpx.ReadTimeout("timeout while reading", request=res.request)
                if size > MAX_BODY:
                    raise APIConnectionError(f"the response is longer than {MAX_BODY} bytes")
            body = b"".join(parts)
        took = options.clock.monotonic() - began
        logger.debug("%s %s: %d in %.3f s", method, url, res.status_code, took)
        if res.status_code >= 300 and options.api_key is not None:
            body = options.api_key.redact(body)
        response = RawResponse(res.status_code, res.headers, body, url, attempt)
        if response.status == 304 and stored is not None:
            return revalidated(stored, response)
        if cache is not None and response.status == 200:
            cache.put(url, response)
        return response


def decoded(response: RawResponse, model: type[M]) -> Response[M]:
    """Decode a response, which must be a JSON object."""
    raw = response.object()
    if raw is None:
        raise invalid(response, "the response is not a JSON object")
    return Response(model.from_dict(raw), response)


T = TypeVar("T")


async def with_response(call: Callable[[], Awaitable[T]]) -> Response[T]:
    """Return the result of a call with its last response."""
    with recording() as seen:
        data = await call()
    return Response(data, seen[-1])
