"""Broken and slow connections, with real sockets."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anyio
import pytest
from drivers import KEY, Driver, Tasks

from mcp_census import (
    APIConnectionError,
    APITimeoutError,
    AsyncCensus,
    Census,
    InvalidResponseError,
)
from mcp_census._options import Clock

BODY = b'{"categories": [], "total": 43}'

# httpx leaves its generators to the garbage collector after errors; trio warns of that.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*async_generator:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning"),
]

Script = bytes | Callable[[socket.socket], None]


def head(*headers: str) -> bytes:
    return ("\r\n".join(("HTTP/1.1 200 OK", *headers)) + "\r\n\r\n").encode()


GOOD = head(f"Content-Length: {len(BODY)}", "Connection: close") + BODY


def reset(connection: socket.socket) -> None:
    """Close a connection with RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset_in_body(connection: socket.socket) -> None:
    connection.sendall(head("Content-Length: 100") + BODY)
    time.sleep(0.05)
    reset(connection)


def silence(connection: socket.socket) -> None:
    time.sleep(1)


def drip(connection: socket.socket) -> None:
    """Send a byte of the body at a time, each before a read times out."""
    try:
        connection.sendall(head("Content-Length: 1000"))
        for _ in range(40):
            connection.sendall(b" ")
            time.sleep(0.05)
    except OSError:
        pass


@contextmanager
def server(*scripts: Script) -> Iterator[str]:
    """Serve one script for each connection, then the last; yield the base URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads = []

    def serve(connection: socket.socket, script: Script) -> None:
        with connection:
            try:
                request = b""
                while b"\r\n\r\n" not in request:
                    received = connection.recv(65536)
                    if not received:
                        return
                    request += received
                if isinstance(script, bytes):
                    connection.sendall(script)
                else:
                    script(connection)
            except OSError:
                pass

    def accept() -> None:
        n = 0
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            script = scripts[min(n, len(scripts) - 1)]
            n += 1
            thread = threading.Thread(target=serve, args=(connection, script))
            thread.start()
            threads.append(thread)

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for t in threads:
            t.join()


def call(driver: Driver, base: str, **options: Any) -> Any:
    """Request the categories."""
    options = {"base_url": base, "_clock": Clock(sleep=lambda s: None), **options}
    if not isinstance(driver, Tasks):
        with Census(**options) as census:
            return census.directory.with_raw_response.categories()

    async def main() -> Any:
        async with AsyncCensus(**options) as census:
            return await census.directory.with_raw_response.categories()

    return anyio.run(main, backend=driver.backend)


BROKEN: dict[str, Script] = {
    "reset": reset,
    "reset in the body": reset_in_body,
    "closed": b"",
    "closed in the header": b"HTTP/1.1 200 OK\r\nContent-Le",
    "not HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
    "short body": head("Content-Length: 100") + BODY,
    "cut chunk": head("Transfer-Encoding: chunked") + b"40\r\n" + BODY,
    "cut after a chunk": head("Transfer-Encoding: chunked") + b"1f\r\n" + BODY + b"\r\n",
    "bad chunk": head("Transfer-Encoding: chunked") + b"zz\r\n" + BODY,
    "bad length": head("Content-Length: many") + BODY,
    "two lengths": head("Content-Length: 5", "Content-Length: 9") + BODY,
    "not gzip": head("Content-Encoding: gzip", f"Content-Length: {len(BODY)}") + BODY,
    "huge header": head("X: " + "x" * 200_000, "Content-Length: 0"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken(driver: Driver, name: str) -> None:
    with server(BROKEN[name]) as base:
        with pytest.raises(APIConnectionError) as caught:
            call(driver, base, max_retries=0)
    assert type(caught.value) is APIConnectionError
    assert base in str(caught.value)
    with server(BROKEN[name], BROKEN[name], GOOD) as base:
        got = call(driver, base)
    assert (got.data.total, got.retries) == (43, 2)


@pytest.mark.parametrize("script", [silence, drip], ids=["silence", "drip"])
def test_slow(driver: Driver, script: Script) -> None:
    with server(script) as base:
        began = time.monotonic()
        with pytest.raises(APITimeoutError, match=r"no response from .* within 0.2 s"):
            call(driver, base, timeout=0.2, max_retries=0)
        assert time.monotonic() - began < 0.9
    with server(script, GOOD) as base:
        assert call(driver, base, timeout=0.2).retries == 1


def test_short_length(driver: Driver) -> None:
    with server(head("Content-Length: 10") + BODY) as base:
        with pytest.raises(InvalidResponseError, match="not a JSON object"):
            call(driver, base, max_retries=0)


def test_gzip(driver: Driver) -> None:
    body = gzip.compress(BODY)
    reply = head("Content-Encoding: gzip", f"Content-Length: {len(body)}") + body
    with server(reply) as base:
        assert call(driver, base).data.total == 43
    with server(head("Content-Encoding: gzip", "Content-Length: 9") + body[:9]) as base:
        with pytest.raises((APIConnectionError, InvalidResponseError)):
            call(driver, base, max_retries=0)


def test_odd_header(driver: Driver) -> None:
    with server(GOOD) as base:
        with pytest.raises(APIConnectionError, match=r"the connection to .* failed"):
            call(driver, base, api_key=KEY, default_headers={"X-A": "a\r\nX-B: b"})


def test_not_listening(driver: Driver) -> None:
    with server(GOOD) as base:
        pass
    with pytest.raises(APIConnectionError, match=r"cannot connect to .*Set CENSUS_URL"):
        call(driver, base)


def test_unknown_host(driver: Driver) -> None:
    with pytest.raises(APIConnectionError, match="cannot connect to"):
        call(driver, "http://census.invalid", max_retries=0)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for each response
    connections: set[Any]

    def do_GET(self) -> None:
        self.connections.add(self.client_address)
        body = json.dumps({"id": self.path.rpartition("/")[2]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Request-Id", self.path.rpartition("/")[2])
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def registry() -> Iterator[tuple[str, set[Any]]]:
    """Serve records; yield the base URL and the connections that were used."""
    connections: set[Any] = set()
    handler = type("Counting", (Handler,), {"connections": connections})

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    with Server(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{httpd.server_address[1]}", connections
        finally:
            httpd.shutdown()
            thread.join()


def open_sockets(port: int) -> int:
    """Return the number of established connections of this machine to a port."""
    with open("/proc/net/tcp") as f:
        lines = f.read().splitlines()[1:]
    fields = [line.split() for line in lines]
    return sum(f[2].endswith(f":{port:04X}") and f[3] == "01" for f in fields)


class TestConcurrency:
    """50 tasks with 20 requests each, with one client."""

    def test_threads(self) -> None:
        with registry() as (base, connections):
            with Census(base_url=base, api_key=KEY) as census, ThreadPoolExecutor(50) as pool:

                def task(n: int) -> list[bool]:
                    got = []
                    for i in range(20):
                        r = census.servers.with_raw_response.retrieve(f"{n}-{i}")
                        got.append(r.data.id == r.request_id == f"{n}-{i}")
                    return got

                assert [all(r) for r in pool.map(task, range(50))] == [True] * 50
            assert len(connections) <= 20
            assert open_sockets(int(base.rpartition(":")[2])) == 0

    @pytest.mark.parametrize("backend", ["asyncio", "trio"])
    def test_tasks(self, backend: str) -> None:
        right = []

        async def main(base: str) -> None:
            async with AsyncCensus(base_url=base, api_key=KEY) as census:

                async def task(n: int) -> None:
                    for i in range(20):
                        r = await census.servers.with_raw_response.retrieve(f"{n}-{i}")
                        right.append(r.data.id == r.request_id == f"{n}-{i}")

                async with anyio.create_task_group() as group:
                    for n in range(50):
                        group.start_soon(task, n)

        with registry() as (base, connections):
            anyio.run(main, base, backend=backend)
            assert right == [True] * 1000
            assert len(connections) <= 20
            assert open_sockets(int(base.rpartition(":")[2])) == 0
