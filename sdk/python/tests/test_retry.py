from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest
from drivers import Driver, Stub, answer, problem

from mcp_census import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AsyncCensus,
    InternalServerError,
    RateLimitError,
)
from mcp_census._retry import backoff, retry_after, should_retry

DATE = "Fri, 20 Nov 2026 12:00:00 GMT"
CATEGORIES = {"categories": [], "total": 43}


@pytest.mark.parametrize(
    ("headers", "want"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "9", "retry-after-ms": "x"}, 9),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:07 GMT", "date": DATE}, 7),
        ({"retry-after": "Fri, 20 Nov 2026 11:00:00 GMT", "date": DATE}, 0),
        ({"retry-after": "Fri, 20 Nov 1970 11:00:00 GMT"}, 0),
        ({"retry-after": "Fri, 99 Nov 2026 11:00:00 GMT", "date": DATE}, None),
    ],
)
def test_retry_after(headers: dict[str, str], want: float | None) -> None:
    assert retry_after(headers) == want


def test_backoff() -> None:
    assert [backoff(n, 0) for n in range(7)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert backoff(5000, 0.999) == pytest.approx(6.002)


def test_should_retry() -> None:
    retried = [s for s in range(300, 600) if should_retry(s, {})]
    assert retried == [408, 409, 429, *range(500, 600)]
    assert not should_retry(503, {"x-should-retry": "false"})
    assert not should_retry(400, {"x-should-retry": "true"})


class TestRetries:
    @pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
    def test_statuses(self, driver: Driver, status: int) -> None:
        stub = Stub(answer(status, problem(status)), answer(200, CATEGORIES))
        got = driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert got.total == 43
        assert stub.sleeps == [0.5]

    @pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 405, 410, 413, 415, 422, 431])
    def test_final_statuses(self, driver: Driver, status: int) -> None:
        stub = Stub(answer(status, problem(status)))
        with pytest.raises(APIError):
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert (len(stub.requests), stub.sleeps) == (1, [])

    def test_exhausted(self, driver: Driver) -> None:
        stub = Stub(answer(500, problem(500)))
        with pytest.raises(InternalServerError):
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert (len(stub.requests), stub.sleeps) == (3, [0.5, 1])

    @pytest.mark.parametrize("retries", [0, 1, 5])
    def test_max_retries(self, driver: Driver, retries: int) -> None:
        stub = Stub(answer(500, problem(500)))
        client = driver.client(stub, max_retries=retries)
        with pytest.raises(InternalServerError):
            driver.run(client, lambda c: c.directory.categories())
        assert len(stub.requests) == retries + 1

    def test_retry_after(self, driver: Driver) -> None:
        stub = Stub(
            answer(503, problem(503), retry_after="7"),
            answer(429, problem(429), retry_after="60"),
            answer(200, CATEGORIES),
        )
        driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert stub.sleeps == [7, 60]

    @pytest.mark.parametrize("status", [429, 503])
    def test_long_wait_is_raised(self, driver: Driver, status: int) -> None:
        stub = Stub(answer(status, problem(status), retry_after="61"))
        with pytest.raises(APIError):
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert (len(stub.requests), stub.sleeps) == (1, [])

    def test_rate_limit(self, driver: Driver) -> None:
        stub = Stub(
            answer(
                429,
                problem(429, "rate_limit_exceeded"),
                retry_after="72000",
                x_ratelimit_limit="100",
                x_ratelimit_remaining="0",
                x_ratelimit_reset="1795179600",
            )
        )
        with pytest.raises(RateLimitError) as caught:
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        e = caught.value
        assert (e.limit, e.remaining, e.retry_after) == (100, 0, 72000)
        assert str(e.reset_at) == "2026-11-20 13:00:00+00:00"
        assert "Retry after 72000 s." in str(e)

    @pytest.mark.parametrize(
        ("error", "want"),
        [
            (httpx.ConnectError("refused"), APIConnectionError),
            (httpx.ReadError("reset"), APIConnectionError),
            (httpx.RemoteProtocolError("peer closed connection"), APIConnectionError),
            (httpx.DecodingError("gzip"), APIConnectionError),
            (httpx.ConnectTimeout("t"), APITimeoutError),
            (httpx.ReadTimeout("t"), APITimeoutError),
            (httpx.PoolTimeout("t"), APITimeoutError),
        ],
    )
    def test_connection_errors(
        self, driver: Driver, error: Exception, want: type[Exception]
    ) -> None:
        stub = Stub(error)
        with pytest.raises(want) as caught:
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert type(caught.value) is want
        assert caught.value.__cause__ is error
        assert len(stub.requests) == 3

        stub = Stub(error, error, answer(200, CATEGORIES))
        driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert stub.sleeps == [0.5, 1]

    def test_bodies_are_sent_again(self, driver: Driver) -> None:
        stub = Stub(answer(500, problem(500)), answer(200, {"servers": [], "count": 0}))
        driver.run(driver.client(stub), lambda c: c.servers.bulk(ids=["ü"]))
        assert [r.content for r in stub.requests] == ['{"ids": ["ü"]}'.encode()] * 2

    def test_retries_are_counted(self, driver: Driver) -> None:
        stub = Stub(answer(500, problem(500)), answer(200, CATEGORIES))
        got = driver.run(driver.client(stub), lambda c: c.directory.with_raw_response.categories())
        assert got.retries == 1


class TestRedirects:
    def test_same_origin(self, driver: Driver) -> None:
        stub = Stub(answer(308, location="/api/categories?x=1"), answer(200, CATEGORIES))
        driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert str(stub.last.url) == "http://127.0.0.1:8080/api/categories?x=1"

    @pytest.mark.parametrize(
        "to", ["http://127.0.0.1:8081/", "https://127.0.0.1:8080/", "//evil.example/", "http://["]
    )
    def test_other_origin(self, driver: Driver, to: str) -> None:
        stub = Stub(answer(301, location=to))
        with pytest.raises(APIError, match=r"redirected to .*: set the base URL"):
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert len(stub.requests) == 1

    def test_loop(self, driver: Driver) -> None:
        stub = Stub(answer(302, location="/api/categories"))
        with pytest.raises(APIError):
            driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert len(stub.requests) == 6

    def test_post(self, driver: Driver) -> None:
        stub = Stub(answer(302, location="/v1/x"))
        with pytest.raises(APIError):
            driver.run(driver.client(stub), lambda c: c.search(q="x"))
        assert len(stub.requests) == 1


def test_cancellation() -> None:
    async def main() -> None:
        async def never(request: httpx.Request) -> Any:
            await anyio.sleep_forever()

        http = httpx.AsyncClient(transport=httpx.MockTransport(never))
        with anyio.move_on_after(0.05) as scope:
            await AsyncCensus(http_client=http).directory.categories()
        assert scope.cancelled_caught

    anyio.run(main)
