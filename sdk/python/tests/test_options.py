from __future__ import annotations

import copy
import logging
import pickle
import traceback
from typing import Any

import httpx
import pytest
from drivers import BASE, KEY, MASKED, Driver, Stub, Threads, answer, problem

import mcp_census
from mcp_census import AsyncCensus, Census, CensusError
from mcp_census._options import APIKey

CATEGORIES = {"categories": [], "total": 43}


class TestBaseURL:
    def test_default(self) -> None:
        assert Census().base_url == "http://127.0.0.1:8080"

    def test_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CENSUS_URL", " https://census.example/ ")
        assert Census().base_url == "https://census.example"
        assert AsyncCensus(base_url="https://b.example").base_url == "https://b.example"
        monkeypatch.setenv("CENSUS_URL", "")
        assert Census().base_url == BASE

    @pytest.mark.parametrize(
        ("url", "message"),
        [
            ("census.example", "must be an http or https URL"),
            ("ftp://census.example", "must be an http or https URL"),
            ("https://", "must be an http or https URL"),
            ("https://a:b@census.example", "must not have a user name"),
            ("https://census.example?x=1", "must not have a user name, a query string"),
            ("https://census.example#x", "must not have a user name"),
            ("https://census.example:99999", "is not a URL"),
            ("http://[::1", "is not a URL"),
            ("https://census.example/\x00", "is not a URL"),
        ],
    )
    def test_refused(self, url: str, message: str) -> None:
        for new in (Census, AsyncCensus):
            with pytest.raises(CensusError, match=message):
                new(base_url=url)

    def test_path(self, driver: Driver) -> None:
        stub = Stub(answer(200, {"id": "a"}))
        client = driver.client(stub, base_url="https://example.com/census/")
        driver.run(client, lambda c: c.servers.retrieve("io.github.o/r"))
        assert stub.last.url.raw_path == b"/census/v1/servers/io.github.o%2Fr"


class TestKey:
    def test_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CENSUS_API_KEY", KEY + "\n")
        for new in (Census, AsyncCensus):
            assert repr(new()) == f"{new.__name__}(base_url='{BASE}', api_key='{MASKED}')"
            assert repr(new(api_key="")) == f"{new.__name__}(base_url='{BASE}')"

    def test_header(self, driver: Driver) -> None:
        stub = Stub(answer(200, CATEGORIES))
        driver.run(driver.client(stub), lambda c: c.directory.categories())
        assert stub.last.headers["authorization"] == "Bearer " + KEY
        driver.run(driver.client(stub, api_key=""), lambda c: c.directory.categories())
        assert "authorization" not in stub.last.headers

    @pytest.mark.parametrize(
        "url",
        [
            "http://census.example",
            "http://10.0.0.1",
            "http://localhost.example",
            "http://[fe80::1]",
        ],
    )
    def test_refused_over_http(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        for new in (Census, AsyncCensus):
            with pytest.raises(CensusError, match=r"not sent to .* over http"):
                new(base_url=url, api_key=KEY)
            assert new(base_url=url).base_url == url
            assert new(base_url=url.replace("http:", "https:"), api_key=KEY)
        monkeypatch.setenv("CENSUS_API_KEY", KEY)
        with pytest.raises(CensusError):
            Census(base_url=url)

    @pytest.mark.parametrize(
        "url", ["http://localhost:1", "http://a.localhost", "http://127.9.9.9", "http://[::1]:80"]
    )
    def test_loopback(self, url: str) -> None:
        assert Census(base_url=url, api_key=KEY).base_url == url

    @pytest.mark.parametrize("key", ["a b", "a\nb", "schlüssel", "a\x00"])
    def test_odd(self, key: str) -> None:
        with pytest.raises(CensusError) as caught:
            Census(api_key=key)
        assert key not in str(caught.value)

    @pytest.mark.parametrize(
        ("key", "shown"),
        [(KEY, MASKED), ("mcp_short", "…"), ("x" * 23, "…"), ("x" * 24, "x" * 8 + "…")],
    )
    def test_masked(self, key: str, shown: str) -> None:
        assert str(APIKey(key)) == repr(APIKey(key)) == f"{APIKey(key)}" == shown

    def test_not_pickled(self) -> None:
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(APIKey(KEY))


@pytest.mark.parametrize(
    "options",
    [
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"connect_timeout": 0},
        {"max_retries": -1},
    ],
)
def test_refused_numbers(options: dict[str, Any]) -> None:
    with pytest.raises(CensusError):
        Census(**options)
    with pytest.raises(CensusError):
        Census().with_options(**options)


def test_headers(driver: Driver) -> None:
    stub = Stub(answer(200, CATEGORIES))
    client = driver.client(stub, default_headers={"X-A": "1", "X-B": "2"})
    driver.run(client, lambda c: c.directory.categories())
    got = stub.last.headers
    assert (got["x-a"], got["x-b"], got["accept"]) == ("1", "2", "application/json")
    assert got["user-agent"].startswith(f"census-python/{mcp_census.__version__} (")
    assert "content-type" not in got

    changed = client.with_options(default_headers={"X-B": "3"})
    driver.run(changed, lambda c: c.directory.categories())
    assert (stub.last.headers["x-a"], stub.last.headers["x-b"]) == ("1", "3")
    assert stub.last.headers["authorization"] == "Bearer " + KEY

    stub = Stub(answer(200, {"servers": [], "count": 0}))
    driver.run(driver.client(stub), lambda c: c.servers.bulk(ids=["a"]))
    assert stub.last.headers["content-type"] == "application/json"


def test_with_options(driver: Driver) -> None:
    stub = Stub(answer(500, problem(500)))
    client = driver.client(stub)
    other = client.with_options(max_retries=0, timeout=5, connect_timeout=1)
    with pytest.raises(mcp_census.InternalServerError):
        driver.run(other, lambda c: c.directory.categories())
    assert len(stub.requests) == 1
    assert stub.last.extensions["timeout"] == {"connect": 1, "read": 5, "write": 5, "pool": None}
    with pytest.raises(mcp_census.InternalServerError):
        driver.run(client, lambda c: c.directory.categories())
    assert len(stub.requests) == 4
    assert stub.last.extensions["timeout"] == {"connect": 10, "read": 60, "write": 60, "pool": None}


def test_given_http_client_stays_open() -> None:
    http = httpx.Client()
    with Census(http_client=http):
        pass
    assert not http.is_closed
    http.close()

    own = Census()
    own.with_options(timeout=1).close()
    assert own._transport.http.is_closed


def test_proxies_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")

    def proxied(base: str) -> bool:
        with Census(base_url=base, api_key="") as census:
            http = census._transport.http
            chosen = http._transport_for_url(httpx.URL(base + "/api"))
            return chosen is not http._transport

    assert proxied("http://census.example")
    assert proxied("https://census.example")
    for base in (BASE, "http://localhost:8080", "http://[::1]:8080", "https://127.0.0.2"):
        assert not proxied(base), base


def test_parameters(driver: Driver) -> None:
    stub = Stub(answer(200, {"servers": [], "pagination": {"total": 0}}))
    client = driver.client(stub)

    def query(**args: Any) -> str:
        driver.run(client, lambda c: c.discover(**args))
        return stub.last.url.query.decode()

    assert query() == ""
    assert query(official=True) == "official=true"
    assert query(min_score=80) == query(min_score=80.0) == "minScore=80"
    assert query(min_score=0.1 + 0.2) == "minScore=0.3"
    assert query(min_score=1e-7) == "minScore=0"
    assert query(search="a&b=c/ü +%") == "search=a%26b%3Dc%2F%C3%BC%20%2B%25"
    assert query(search="") == "search="


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_refused_ids(driver: Driver, id: str) -> None:
    stub = Stub()
    client = driver.client(stub)
    for use in (
        lambda c: c.servers.retrieve(id),
        lambda c: c.servers.analytics(id),
        lambda c: c.servers.tool_changes(id),
        lambda c: c.directory.tool_changes(id),
        lambda c: c.custom.delete(id),
        lambda c: c.check(id),
    ):
        with pytest.raises(ValueError, match="must not be"):
            driver.run(client, use)
    assert stub.requests == []


@pytest.mark.parametrize(
    ("id", "path"),
    [
        ("io.github.o/r", b"/v1/servers/io.github.o%2Fr"),
        ("größe", b"/v1/servers/gr%C3%B6%C3%9Fe"),
        ("a b?c#d", b"/v1/servers/a%20b%3Fc%23d"),
        ("100%", b"/v1/servers/100%25"),
        ("%2F", b"/v1/servers/%252F"),
        ("a/../b", b"/v1/servers/a%2F..%2Fb"),
        ("...", b"/v1/servers/..."),
        ("日本\n", b"/v1/servers/%E6%97%A5%E6%9C%AC%0A"),
        ("@:!$&'()*+,;=", b"/v1/servers/%40%3A%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
    ],
)
def test_ids(driver: Driver, id: str, path: bytes) -> None:
    stub = Stub(answer(200, {"id": "a"}))
    driver.run(driver.client(stub), lambda c: c.servers.retrieve(id))
    assert stub.last.url.raw_path == path


def test_key_is_never_printed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.NOTSET)
    for name in ("mcp_census", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    texts = []
    stub = Stub(
        answer(500, problem(500, detail=f"key {KEY}")),
        httpx.ReadError("reset"),
        answer(404, problem(404, detail=f"key {KEY}")),
    )
    client = Threads().client(stub, etag_cache=True)
    try:
        client.servers.retrieve("a")
    except mcp_census.APIError as e:
        texts += [
            str(e),
            repr(e),
            str(e.body),
            repr(vars(e)),
            "".join(traceback.format_exception(e)),
        ]
    with pytest.raises(CensusError) as caught:
        Census(api_key=KEY, base_url="http://census.example")
    texts.append("".join(traceback.format_exception(caught.value)))
    texts += [repr(client), str(client), repr(vars(client)), repr(vars(client._transport))]
    texts += [repr(client._options), repr(client.servers), repr(copy.copy(client))]
    texts += [repr(r.headers) for r in stub.requests]
    assert len(caplog.records) > 2
    texts += [r.getMessage() + repr(r.args) for r in caplog.records]
    assert [t for t in texts if KEY in t] == []
