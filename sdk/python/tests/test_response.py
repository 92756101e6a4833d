from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from drivers import KEY, Driver, Stub, answer, problem

from mcp_census import APIError, NotFoundError, Page, RateLimit
from mcp_census._etag import ETagCache
from mcp_census._response import RawResponse, Response
from mcp_census.types import Categories

CATEGORIES = {"categories": [], "total": 43}


def test_raw(driver: Driver) -> None:
    stub = Stub(
        answer(
            200,
            CATEGORIES,
            etag='W/"2x"',
            x_request_id="R1",
            x_ratelimit_limit="100",
            x_ratelimit_remaining="91",
            x_ratelimit_reset="1795179600",
            x_ratelimit_plan="basic",
        )
    )
    client = driver.client(stub)
    got = driver.run(client, lambda c: c.directory.with_raw_response.categories())
    assert isinstance(got, Response)
    assert isinstance(got.data, Categories)
    assert {
        "status": got.status,
        "etag": got.etag,
        "request_id": got.request_id,
        "retries": got.retries,
        "from_cache": got.from_cache,
        "header": got.headers["ETAG"],
        "body": got.body,
        "rate_limit": got.rate_limit,
    } == {
        "status": 200,
        "etag": 'W/"2x"',
        "request_id": "R1",
        "retries": 0,
        "from_cache": False,
        "header": 'W/"2x"',
        "body": b'{"categories": [], "total": 43}',
        "rate_limit": RateLimit(
            100, 91, dt.datetime(2026, 11, 20, 13, tzinfo=dt.timezone.utc), "basic"
        ),
    }
    assert repr(got) == "Response(status=200, data=Categories(categories=[], total=43))"


def test_raw_of_every_method(driver: Driver) -> None:
    client = driver.client(Stub())
    for group in (client, client.directory, client.servers, client.account, client.custom):
        own = {n for n in dir(type(group)) if not n.startswith("_")}
        own -= {"with_raw_response", "with_options", "close", "base_url", "webhooks"}
        assert set(vars(group.with_raw_response)) == own


def test_raw_list(driver: Driver) -> None:
    body = {"servers": [{"id": "a"}], "pagination": {"total": 1, "nextCursor": None}}
    stub = Stub(answer(200, body, x_request_id="R1"))
    client = driver.client(stub)
    got = driver.run(client, lambda c: c.servers.with_raw_response.list(limit=1))
    assert [i.id for i in got.data.items] == ["a"]
    assert got.request_id == got.data.response.request_id == "R1"


def test_raw_without_body(driver: Driver) -> None:
    stub = Stub(answer(204, x_request_id="R1"))
    got = driver.run(driver.client(stub), lambda c: c.custom.with_raw_response.delete("a"))
    assert (got.data, got.status, got.request_id) == (None, 204, "R1")


def test_raw_health(driver: Driver) -> None:
    pending = {"status": "pending", "githubUrl": "x", "statusUrl": "/api/checks/1"}
    stub = Stub(answer(202, pending), answer(200, {"score": 1}, x_request_id="R2"))
    got = driver.run(driver.client(stub), lambda c: c.with_raw_response.health(server="a"))
    assert (got.data.score, got.status, got.request_id) == (1, 200, "R2")


def test_raw_error(driver: Driver) -> None:
    stub = Stub(answer(404, problem(404)))
    with pytest.raises(NotFoundError):
        driver.run(driver.client(stub), lambda c: c.servers.with_raw_response.retrieve("a"))


@pytest.mark.parametrize("odd", ["", "x", "-1", "1.5", "٣", "9" * 40, "9" * 18])
def test_odd_rate_limits(odd: str) -> None:
    got = RateLimit.from_headers({"x-ratelimit-reset": odd, "x-ratelimit-remaining": odd})
    assert got.reset_at is None
    assert got.remaining is None or got.remaining == int(odd)


class TestETagCache:
    def test_revalidates(self, driver: Driver) -> None:
        stub = Stub(
            answer(200, CATEGORIES, etag='W/"1"', x_ratelimit_remaining="9"),
            answer(304, etag='W/"1"', x_ratelimit_remaining="8"),
            answer(200, {"categories": [], "total": 44}, etag='W/"2"'),
            answer(304),
        )
        client = driver.client(stub, etag_cache=True)
        got = [
            driver.run(client, lambda c: c.directory.with_raw_response.categories())
            for _ in range(4)
        ]
        assert [(r.data.total, r.status, r.from_cache) for r in got] == [
            (43, 200, False),
            (43, 200, True),
            (44, 200, False),
            (44, 200, True),
        ]
        assert got[1].rate_limit.remaining == 8
        sent = [r.headers.get("if-none-match") for r in stub.requests]
        assert sent == [None, 'W/"1"', 'W/"1"', 'W/"2"']

    def test_by_url(self, driver: Driver) -> None:
        stub = Stub(answer(200, {"id": "a"}, etag='"1"'))
        client = driver.client(stub, etag_cache=True)
        for id in ("a", "b"):
            driver.run(client, lambda c: c.servers.retrieve(id))
        assert "if-none-match" not in stub.last.headers

    def test_shared_by_copies(self, driver: Driver) -> None:
        stub = Stub(answer(200, CATEGORIES, etag='"1"'), answer(304))
        client = driver.client(stub, etag_cache=True)
        driver.run(client, lambda c: c.directory.categories())
        copied = client.with_options(timeout=1)
        assert driver.run(copied, lambda c: c.directory.categories()).total == 43

    def test_only_get_and_200(self, driver: Driver) -> None:
        body = {"servers": [], "pagination": {"total": 0}}
        stub = Stub(answer(200, body, etag='"1"'))
        client = driver.client(stub, etag_cache=True)
        for _ in range(2):
            driver.run(client, lambda c: c.search(q="x"))
        assert "if-none-match" not in stub.last.headers

        stub = Stub(answer(404, problem(404), etag='"1"'))
        client = driver.client(stub, etag_cache=True)
        for _ in range(2):
            with pytest.raises(NotFoundError):
                driver.run(client, lambda c: c.servers.retrieve("a"))
        assert "if-none-match" not in stub.last.headers

    def test_off(self, driver: Driver) -> None:
        stub = Stub(answer(200, CATEGORIES, etag='"1"'))
        client = driver.client(stub)
        for _ in range(2):
            driver.run(client, lambda c: c.directory.categories())
        assert "if-none-match" not in stub.last.headers

    def test_unexpected_304(self, driver: Driver) -> None:
        client = driver.client(Stub(answer(304)), etag_cache=True)
        with pytest.raises(APIError, match="304: Not Modified"):
            driver.run(client, lambda c: c.directory.categories())

    def test_size(self) -> None:
        def stored(n: int) -> RawResponse:
            reply = answer(200, b"x" * n, etag='"1"')
            return RawResponse(200, reply.headers, reply.content, "u")

        cache = ETagCache(entries=3, size=100)
        cache.put("big", stored(26))
        assert cache.get("big") is None
        for n in range(5):
            cache.put(str(n), stored(10))
        assert [n for n in range(5) if cache.get(str(n))] == [2, 3, 4]
        cache.get("2")
        cache.put("5", stored(25))
        assert [n for n in range(6) if cache.get(str(n))] == [2, 4, 5]
        cache = ETagCache(size=100)
        for n in range(5):
            cache.put(str(n), stored(25))
            cache.put(str(n), stored(25))
        assert [n for n in range(5) if cache.get(str(n))] == [1, 2, 3, 4]
        assert repr(cache) == "ETagCache(4 responses)"


def test_recordings_are_separate(driver: Driver) -> None:
    def reply(request: Any) -> Any:
        return answer(200, {"id": request.url.path[-1]}, x_request_id=request.url.path[-1])

    client = driver.client(Stub(reply))
    got = driver.run(client, lambda c: c.servers.with_raw_response.retrieve("a"))
    other = driver.run(client, lambda c: c.servers.with_raw_response.retrieve("b"))
    assert (got.request_id, other.request_id) == ("a", "b")
    assert KEY not in repr(got) + repr(other)
    assert isinstance(Page, type)
