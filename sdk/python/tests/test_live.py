"""Every method against a running registry, and a proxy before it that misbehaves.

``make sdk-test`` in the root of the repository sets the variables.
"""

from __future__ import annotations

import base64
import os
import uuid
from typing import Any

import anyio
import pytest
from drivers import Driver, Tasks

from mcp_census import (
    APIConnectionError,
    APITimeoutError,
    AsyncCensus,
    AuthenticationError,
    BadRequestError,
    Census,
    InternalServerError,
    InvalidResponseError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    official_meta,
    registry_meta,
)
from mcp_census.types import Health

URL = os.environ.get("CENSUS_SDK_TEST_URL", "")
KEY = os.environ.get("CENSUS_SDK_TEST_KEY", "")
FREE_KEY = os.environ.get("CENSUS_SDK_TEST_FREE_KEY", "")
PROXY = os.environ.get("CENSUS_SDK_TEST_PROXY", "")
SLOW_URL = os.environ.get("CENSUS_SDK_TEST_SLOW_URL", "")

if not (URL and KEY):
    pytest.skip(
        "SKIPPED: CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY are not set", allow_module_level=True
    )

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*async_generator:pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning"),
]
WEATHER = "octo-labs-weather-mcp"


def call(driver: Driver, use: Any, **options: Any) -> Any:
    """Call a function with a client of the registry."""
    options = {"base_url": URL, "api_key": KEY, **options}
    if not isinstance(driver, Tasks):
        with Census(**options) as census:
            return use(census)

    async def main() -> Any:
        async with AsyncCensus(**options) as census:
            return await use(census)

    return anyio.run(main, backend=driver.backend)


def items(driver: Driver, use: Any) -> list[Any]:
    """Return the items of all pages."""
    if not isinstance(driver, Tasks):
        return call(driver, lambda c: list(use(c)))  # type: ignore[no-any-return]

    async def collected(census: AsyncCensus) -> list[Any]:
        return [item async for item in use(census)]

    return call(driver, collected)  # type: ignore[no-any-return]


def test_lists(driver: Driver) -> None:
    lists = {
        "discover": lambda c: c.discover(limit=7),
        "directory": lambda c: c.directory.list(limit=10, sort="name"),
        "servers": lambda c: c.servers.list(limit=9),
        "search": lambda c: c.search(limit=8, facets=False),
    }
    ids = {name: [s.id for s in items(driver, use)] for name, use in lists.items()}
    total = call(driver, lambda c: c.discover(limit=1)).total
    assert total > 10
    for name, got in ids.items():
        assert len(got) == len(set(got)) == total, name
        assert set(got) == set(ids["discover"]), name


def test_discover(driver: Driver) -> None:
    page = call(driver, lambda c: c.discover(search="weather", min_score=50, sort="stars", limit=3))
    assert WEATHER in [s.id for s in page.items]
    assert page.response.rate_limit.plan == "enterprise"
    tools = items(driver, lambda c: c.discover_tools(search="weather", level="tool", limit=2))
    assert f"{WEATHER}__get_forecast" in [t.name for t in tools]


def test_directory(driver: Driver) -> None:
    categories = call(driver, lambda c: c.directory.categories())
    assert sum(c.count for c in categories.categories) == categories.total
    changes = call(driver, lambda c: c.directory.tool_changes(WEATHER))
    assert changes.server == WEATHER


def test_health(driver: Driver) -> None:
    report = call(driver, lambda c: c.health(server=WEATHER))
    assert isinstance(report, Health)
    assert report.grade == "A"
    unlisted = call(
        driver, lambda c: c.health(github_url="https://github.com/quietcorner/tides-mcp")
    )
    assert unlisted.is_mcp_server
    with pytest.raises(NotFoundError) as caught:
        call(driver, lambda c: c.health(server="octo-labs-wether-mcp"))
    assert caught.value.candidates == [WEATHER]
    with pytest.raises(NotFoundError):
        call(driver, lambda c: c.check("A" * 26))


@pytest.mark.skipif(not SLOW_URL, reason="SKIPPED: CENSUS_SDK_TEST_SLOW_URL is not set")
def test_slow_code_host(driver: Driver) -> None:
    slow = {"base_url": SLOW_URL, "api_key": "", "max_retries": 0}
    assert call(driver, lambda c: c.health(github_url="sdk/slow"), **slow).is_mcp_server is False
    # Another check cannot be started within a minute after a failure.
    with pytest.raises(InternalServerError) as e:
        call(driver, lambda c: c.health(github_url="sdk/failing"), **slow)
    assert (e.value.status, e.value.code) == (503, "unavailable")
    id = base64.urlsafe_b64encode(b"github:sdk/failing").decode().rstrip("=")
    with pytest.raises(InternalServerError) as e:
        call(driver, lambda c: c.check(id), **slow)
    assert (e.value.status, e.value.code) == (502, "check_failed")


def test_servers(driver: Driver) -> None:
    server = call(driver, lambda c: c.servers.retrieve("io.github.octo-labs/weather-mcp"))
    assert server.id == WEATHER
    assert server.model_extra == {}
    bulk = call(
        driver, lambda c: c.servers.bulk(ids=[WEATHER, "größe/ü"[:5]], fields=["id", "stars"])
    )
    assert [s.to_dict().keys() for s in bulk.servers] == [{"id", "stars"}]
    assert bulk.not_found == ["größe"]
    figures = call(driver, lambda c: c.servers.analytics(WEATHER, period="7d", interval="week"))
    assert (figures.server, figures.period.interval) == (WEATHER, "week")
    assert call(driver, lambda c: c.servers.tool_changes(WEATHER)).server == WEATHER


def test_search(driver: Driver) -> None:
    page = call(
        driver,
        lambda c: c.search(
            q="weather",
            filters={"category": ["data", "tools"], "qualityScore": {"gte": 50}},
            sort=["-stars", "name"],
            limit=2,
        ),
    )
    assert (page.body.query, page.body.sort) == ("weather", "stars:desc,name:asc")
    assert page.body.facets.category
    with pytest.raises(BadRequestError) as caught:
        call(driver, lambda c: c.search(filters={"colour": "red"}, limit=500))
    assert "filters.colour" in [e.field for e in caught.value.errors]


def test_account(driver: Driver) -> None:
    account = call(driver, lambda c: c.account.retrieve())
    assert account.plan.id == "enterprise"
    assert KEY.startswith(account.key.prefix)
    usage = call(driver, lambda c: c.account.usage())
    assert (usage.period.to - usage.period.from_).days == 29
    assert len(call(driver, lambda c: c.account.plans()).plans) == 3


def test_custom(driver: Driver) -> None:
    name = "py-" + uuid.uuid4().hex[:12]
    made = call(
        driver,
        lambda c: c.custom.put(name, filters={"stars": {"gte": 1}}, fields=["id"], limit=5),
    )
    assert call(driver, lambda c: c.custom.retrieve(name)) == made
    assert name in [d.name for d in call(driver, lambda c: c.custom.list()).customs]
    got = items(driver, lambda c: c.custom.run(name))
    assert len(got) > 5
    assert call(driver, lambda c: c.custom.delete(name)) is None
    with pytest.raises(NotFoundError):
        call(driver, lambda c: c.custom.delete(name))


def test_registry(driver: Driver) -> None:
    entry = call(driver, lambda c: c.registry.retrieve("io.github.octo-labs/weather-mcp"))
    meta, official = registry_meta(entry), official_meta(entry)
    assert meta is not None
    assert meta.id == WEATHER
    assert official is not None
    assert official.status == "active"
    names = [e.server.name for e in items(driver, lambda c: c.registry.list(limit=7))]
    assert len(names) == len(set(names)) > 20
    versions = call(driver, lambda c: c.registry.view("healthy").versions(entry.server.name))
    assert versions.metadata.count == 1
    assert len(call(driver, lambda c: c.registry.view("healthy").documents())) > 5
    assert call(driver, lambda c: c.registry.view("healthy").managed_settings()).to_dict()
    assert "healthy" in [v.name for v in call(driver, lambda c: c.registry.views()).views]
    assert call(driver, lambda c: c.registry.ping()).pong
    result = call(driver, lambda c: c.registry.validate({"name": "a"}))
    assert not result.valid
    assert result.issues
    with pytest.raises(NotFoundError):
        call(driver, lambda c: c.registry.retrieve("a.b/c"))


def test_changes(driver: Driver) -> None:
    changes = items(driver, lambda c: c.servers.changes(limit=10, fields=["name"]))
    assert len({c.id for c in changes}) >= 40
    last = call(driver, lambda c: c.servers.changes(limit=100, fields=["name"]))
    rest = call(driver, lambda c: c.directory.changes(after=last.body.next))
    assert last.body.has_more or rest.items == []


def test_webhook_endpoints(driver: Driver) -> None:
    url, events = "https://hooks.example.com/py", ["server.gone"]  # the demo has none
    made = call(driver, lambda c: c.webhooks.create(url=url, events=events))
    id = made.id
    assert made.secret.startswith("whsec_")
    assert call(driver, lambda c: c.webhooks.retrieve(id)).url == made.url
    assert id in [w.id for w in call(driver, lambda c: c.webhooks.list()).webhooks]
    changed = call(driver, lambda c: c.webhooks.replace(id, url=url, events=events))
    assert changed.events == events
    assert call(driver, lambda c: c.webhooks.rotate(id)).secret != made.secret
    sent = call(driver, lambda c: c.webhooks.test(id))
    assert sent.payload.type == "webhook.test"
    assert [d.id for d in items(driver, lambda c: c.webhooks.deliveries(id))] == [sent.id]
    assert call(driver, lambda c: c.webhooks.resend(id, sent.id)).id == sent.id
    assert call(driver, lambda c: c.webhooks.delete(id)) is None
    with pytest.raises(NotFoundError):
        call(driver, lambda c: c.webhooks.retrieve(id))


def test_etag(driver: Driver) -> None:
    def twice(census: Any) -> Any:
        raw = census.servers.with_raw_response
        if isinstance(census, Census):
            return [raw.retrieve(WEATHER) for _ in range(2)]

        async def both() -> Any:
            return [await raw.retrieve(WEATHER) for _ in range(2)]

        return both()

    first, second = call(driver, twice, etag_cache=True)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert first.data == second.data
    assert first.request_id != second.request_id


def test_errors(driver: Driver) -> None:
    with pytest.raises(BadRequestError) as bad:
        call(driver, lambda c: c.discover(limit=500, category="weather"))
    assert [e.field for e in bad.value.errors] == ["category", "limit"]
    with pytest.raises(NotFoundError) as unknown:
        call(driver, lambda c: c.servers.retrieve("octo-labs/wether-mcp?x=#y"))
    assert unknown.value.code == "server_not_found"
    with pytest.raises(AuthenticationError) as without:
        call(driver, lambda c: c.servers.list(), api_key="")
    assert without.value.code == "missing_api_key"
    with pytest.raises(AuthenticationError) as wrong:
        call(driver, lambda c: c.servers.list(), api_key="mcp_" + "x" * 43)
    assert wrong.value.code == "invalid_api_key"
    for cursor in ("x", "ü&="):
        with pytest.raises(BadRequestError):
            call(driver, lambda c: c.servers.list(cursor=cursor))
    for message in (str(e.value) for e in (bad, unknown, without, wrong)):
        assert "(request " in message


@pytest.mark.skipif(not FREE_KEY, reason="SKIPPED: CENSUS_SDK_TEST_FREE_KEY is not set")
def test_plan(driver: Driver) -> None:
    with pytest.raises((PermissionDeniedError, RateLimitError)) as caught:
        call(driver, lambda c: c.servers.analytics(WEATHER), api_key=FREE_KEY)
    if isinstance(caught.value, PermissionDeniedError):  # others may use up the key meanwhile
        assert caught.value.required_plans == ["professional", "enterprise"]


@pytest.mark.skipif(not PROXY, reason="SKIPPED: CENSUS_SDK_TEST_PROXY is not set")
class TestFaults:
    """Requests through a proxy that misbehaves."""

    def call(self, driver: Driver, fault: str, times: int, **options: Any) -> Any:
        headers = {"X-Fault": fault, "X-Fault-Times": str(times), "X-Fault-Id": uuid.uuid4().hex}
        return call(
            driver,
            lambda c: c.directory.with_raw_response.categories(),
            base_url=PROXY,
            default_headers=headers,
            **options,
        )

    @pytest.mark.parametrize(
        "fault", ["500", "503", "429", "408", "reset", "short-body", "retry-after-seconds"]
    )
    def test_retried(self, driver: Driver, fault: str) -> None:
        assert self.call(driver, fault, 2).retries == 2

    @pytest.mark.parametrize(
        ("fault", "want"),
        [
            ("500", InternalServerError),
            ("retry-after-date", InternalServerError),
            ("reset", APIConnectionError),
            ("short-body", APIConnectionError),
        ],
    )
    def test_exhausted(self, driver: Driver, fault: str, want: type[Exception]) -> None:
        with pytest.raises(want):
            self.call(driver, fault, 2, max_retries=1)

    def test_slow(self, driver: Driver) -> None:
        with pytest.raises(APITimeoutError):
            self.call(driver, "slow", 1, timeout=0.5, max_retries=0)
        assert self.call(driver, "slow", 1, timeout=1).retries == 1

    def test_garbage(self, driver: Driver) -> None:
        with pytest.raises(InvalidResponseError):
            self.call(driver, "garbage", 1)

    def test_long_wait(self, driver: Driver) -> None:
        with pytest.raises(RateLimitError) as caught:
            self.call(driver, "retry-after-long", 1)
        assert caught.value.retry_after == 3600
