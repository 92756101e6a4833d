"""Run the same test with both clients, against a stub of the registry."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import anyio
import httpx

from mcp_census import AsyncCensus, Census
from mcp_census._options import Clock

KEY = "mcp_" + "a1B2c3" * 7 + "z"
MASKED = "mcp_a1B2…"
BASE = "http://127.0.0.1:8080"

Reply = Callable[[httpx.Request], httpx.Response]


def answer(status: int = 200, body: Any = None, **headers: str) -> httpx.Response:
    """Return a response with a JSON body; _ in names of headers stands for -."""
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    if isinstance(body, bytes):
        return httpx.Response(status, content=body, headers=named)
    if body is None and status in (204, 304):
        return httpx.Response(status, headers=named)
    named.setdefault("content-type", "application/json")
    content = json.dumps({} if body is None else body).encode()
    return httpx.Response(status, content=content, headers=named)


def problem(status: int, code: str = "c", **members: Any) -> dict[str, Any]:
    """Return a problem document."""
    return {
        "type": f"{BASE}/docs/errors#{code}",
        "title": "Title",
        "status": status,
        "detail": "Detail.",
        "code": code,
        "error": "Title",
        "requestId": "R1",
        **members,
    }


class Stub:
    """Replies with each of the responses in turn, and then with the last again."""

    def __init__(self, *replies: httpx.Response | Exception | Reply) -> None:
        self.replies = replies or (answer(),)
        self.requests: list[httpx.Request] = []
        self.sleeps: list[float] = []
        self.now = 0.0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        if callable(reply):
            return reply(request)
        content = reply.content if not isinstance(reply.stream, httpx.SyncByteStream) else b""
        headers = [(k, v) for k, v in reply.headers.multi_items() if k != "transfer-encoding"]
        return httpx.Response(reply.status_code, headers=headers, content=reply.content or content)

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds

    @property
    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.now, random=lambda: 0.0, sleep=self.sleep)

    @property
    def last(self) -> httpx.Request:
        return self.requests[-1]

    def body(self) -> Any:
        return json.loads(self.last.content)


Use = Callable[[Any], Any]


class Driver(Protocol):
    """A client to run a test with."""

    def client(self, stub: Stub, **options: Any) -> Any:
        """Return a client of the stub."""

    def run(self, client: Any, use: Use) -> Any:
        """Call a function with the client and return what it returns."""

    def items(self, client: Any, use: Use) -> list[Any]:
        """Return all items of the list that a function returns."""


def _options(stub: Stub, options: dict[str, Any]) -> dict[str, Any]:
    return {"api_key": KEY, "base_url": BASE, "_clock": stub.clock, **options}


class Threads:
    """The client for threads."""

    def client(self, stub: Stub, **options: Any) -> Census:
        http = httpx.Client(transport=httpx.MockTransport(stub))
        return Census(http_client=http, **_options(stub, options))

    def run(self, client: Census, use: Use) -> Any:
        return use(client)

    def items(self, client: Census, use: Use) -> list[Any]:
        return list(use(client))


class Tasks:
    """The asynchronous client."""

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def client(self, stub: Stub, **options: Any) -> AsyncCensus:
        http = httpx.AsyncClient(transport=httpx.MockTransport(stub))
        return AsyncCensus(http_client=http, **_options(stub, options))

    def run(self, client: AsyncCensus, use: Use) -> Any:
        async def main() -> Any:
            value = use(client)
            return await value if inspect.isawaitable(value) else value

        return anyio.run(main, backend=self.backend)

    def items(self, client: AsyncCensus, use: Use) -> list[Any]:
        async def main() -> list[Any]:
            value = use(client)
            return [item async for item in value]

        return anyio.run(main, backend=self.backend)


def drivers() -> Iterable[tuple[str, Driver]]:
    """Return all drivers by name."""
    yield "threads", Threads()
    yield "asyncio", Tasks("asyncio")
    yield "trio", Tasks("trio")
