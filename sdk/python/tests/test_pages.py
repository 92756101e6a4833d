from __future__ import annotations

import datetime as dt
import inspect
from typing import Any

import httpx
import pytest
from drivers import Driver, Stub, answer, problem

from mcp_census import (
    CensusError,
    InternalServerError,
    InvalidResponseError,
    is_deleted,
    official_meta,
    registry_meta,
)
from mcp_census.types import PartialServer, Server, ToolEntry


def page(ids: str, cursor: str | None, member: str = "servers", total: int = 5) -> Any:
    """Return the response of a page with an entry for each letter."""
    key = "name" if member == "tools" else "id"
    entries = [{key: i} for i in ids]
    return answer(200, {member: entries, "pagination": {"total": total, "nextCursor": cursor}})


def three() -> Stub:
    return Stub(page("ab", "c1"), page("cd", "c2"), page("e", None))


LISTS = {
    "discover": (
        lambda c: c.discover(search="x", min_score=5, limit=2, offset=4, sort="stars"),
        "/api/discover?search=x&minScore=5&sort=stars&limit=2&offset=4",
        "/api/discover?limit=2&cursor=c1",
    ),
    "directory": (
        lambda c: c.directory.list(category="data", official=True, sort="name", limit=2),
        "/api/servers?category=data&official=true&sort=name&limit=2",
        "/api/servers?limit=2&cursor=c1",
    ),
    "servers": (
        lambda c: c.servers.list(sdk="py", page=3),
        "/v1/servers?sdk=py&page=3",
        "/v1/servers?cursor=c1",
    ),
    "custom": (
        lambda c: c.custom.run("a-b", page=1, limit=2),
        "/v1/custom/a-b?page=1&limit=2",
        "/v1/custom/a-b?limit=2&cursor=c1",
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_iteration(driver: Driver, name: str) -> None:
    use, first, following = LISTS[name]
    stub = three()
    items = driver.items(driver.client(stub), use)
    assert [i.id for i in items] == list("abcde")
    assert type(items[0]) is (PartialServer if name == "custom" else Server)
    paths = [r.url.raw_path.decode() for r in stub.requests]
    assert paths == [first, following, following.replace("c1", "c2")]


def test_tools(driver: Driver) -> None:
    stub = Stub(page("ab", "c1", "tools"), page("c", None, "tools"))
    items = driver.items(driver.client(stub), lambda c: c.discover_tools(level="tool", limit=2))
    assert [(type(i), i.name) for i in items] == [(ToolEntry, n) for n in "abc"]
    paths = [r.url.raw_path.decode() for r in stub.requests]
    assert paths == [
        "/api/discover?format=mcp&level=tool&limit=2",
        "/api/discover?format=mcp&limit=2&cursor=c1",
    ]


def test_search(driver: Driver) -> None:
    stub = three()
    items = driver.items(
        driver.client(stub),
        lambda c: c.search(
            q="x", filters={"stars": {"gte": 5}}, sort=["-stars", "name"], limit=2, facets=False
        ),
    )
    assert [i.id for i in items] == list("abcde")
    assert [r.content.decode() for r in stub.requests] == [
        '{"q": "x", "filters": {"stars": {"gte": 5}}, "sort": "-stars,name", "limit": 2, '
        '"facets": false}',
        '{"limit": 2, "facets": false, "cursor": "c1"}',
        '{"limit": 2, "facets": false, "cursor": "c2"}',
    ]
    assert {str(r.url.path) for r in stub.requests} == {"/v1/search"}


def test_page(driver: Driver) -> None:
    stub = three()
    client = driver.client(stub)
    first = driver.run(client, lambda c: c.discover())
    assert [i.id for i in first.items] == ["a", "b"]
    assert (first.total, first.next_cursor, first.has_next_page()) == (5, "c1", True)
    assert first.body.servers == first.items
    assert first.response.status == 200
    assert "<2>), total=5" in repr(first).replace("items=<2>, ", "items=<2>), ")
    assert len(stub.requests) == 1

    second = driver.run(client, lambda c: first.get_next_page())
    third = driver.run(client, lambda c: second.get_next_page())
    assert [i.id for i in third.items] == ["e"]
    assert not third.has_next_page()
    assert driver.run(client, lambda c: third.get_next_page()) is None
    assert len(stub.requests) == 3


def test_iter_pages(driver: Driver) -> None:
    pages = driver.items(driver.client(three()), lambda c: c.discover().iter_pages())
    assert [len(p.items) for p in pages] == [2, 2, 1]


def test_iterating_twice_from_a_page(driver: Driver) -> None:
    stub = Stub(page("ab", "c1"), page("c", None), page("c", None))
    client = driver.client(stub)
    first = driver.run(client, lambda c: c.discover())
    for _ in range(2):
        assert [i.id for i in driver.items(client, lambda c: first)] == ["a", "b", "c"]


def test_stops_early(driver: Driver) -> None:
    stub = three()
    client = driver.client(stub)

    def take(client: Any) -> Any:
        items = client.discover()
        if not hasattr(items, "__aiter__"):
            return [next(iter(items)).id]

        async def one() -> list[str]:
            return [(await anext(aiter(items))).id]

        return one()

    assert driver.run(client, take) == ["a"]
    assert len(stub.requests) == 1


def test_continues_after_an_error(driver: Driver) -> None:
    stub = Stub(page("ab", "c1"), answer(500, problem(500)), page("c", None))
    client = driver.client(stub, max_retries=0)
    first = driver.run(client, lambda c: c.discover())
    items = first.__aiter__() if hasattr(first, "__aiter__") else iter(first)
    with pytest.raises(InternalServerError):
        driver.items(client, lambda c: items)
    assert [i.id for i in driver.items(client, lambda c: items)] == ["c"]


def test_empty(driver: Driver) -> None:
    assert driver.items(driver.client(Stub(page("", None))), lambda c: c.discover()) == []
    stub = Stub(page("", "c1"), page("a", None))
    assert len(driver.items(driver.client(stub), lambda c: c.discover())) == 1


def test_error_after_items(driver: Driver) -> None:
    stub = Stub(page("ab", "c1"), answer(500, problem(500)))
    client = driver.client(stub, max_retries=0)
    seen = []

    def use(client: Any) -> Any:
        items = client.discover()
        if not hasattr(items, "__aiter__"):
            for i in items:
                seen.append(i.id)
            return None

        async def all() -> None:
            async for i in items:
                seen.append(i.id)

        return all()

    with pytest.raises(InternalServerError):
        driver.run(client, use)
    assert seen == ["a", "b"]


def test_repeated_cursor(driver: Driver) -> None:
    stub = Stub(page("ab", "c1"), page("cd", "c1"))
    with pytest.raises(InvalidResponseError, match="the cursor of the next page"):
        driver.items(driver.client(stub), lambda c: c.discover())
    assert len(stub.requests) == 2

    stub = Stub(page("ab", "c1"))
    with pytest.raises(InvalidResponseError, match="the cursor of the next page"):
        driver.items(driver.client(stub), lambda c: c.discover(cursor="c1"))
    assert len(stub.requests) == 1


def test_lists_take_keywords(driver: Driver) -> None:
    client = driver.client(Stub())
    for method in (client.discover, client.search, client.servers.list, client.directory.list):
        kinds = {p.kind for p in inspect.signature(method).parameters.values()}
        assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def test_changes(driver: Driver) -> None:
    removed = {"id": "b", "status": "deleted", "changedAt": "2026-10-31T12:00:00Z"}
    stub = Stub(
        answer(200, {"changes": [{"id": "a", "status": "active"}], "next": 7, "hasMore": True}),
        answer(200, {"changes": [removed], "next": 9, "hasMore": False}),
    )
    fields = ["name", "stars"]
    got = driver.items(driver.client(stub), lambda c: c.servers.changes(limit=1, fields=fields))
    at = dt.datetime(2026, 10, 31, 12, tzinfo=dt.timezone.utc)
    assert [(c.id, is_deleted(c), c.changed_at) for c in got] == [
        ("a", False, None),
        ("b", True, at),
    ]
    assert [r.url.raw_path.decode() for r in stub.requests] == [
        "/v1/changes?limit=1&fields=name%2Cstars",
        "/v1/changes?after=7&limit=1&fields=name%2Cstars",
    ]


def test_changes_that_do_not_go_on(driver: Driver) -> None:
    stub = Stub(answer(200, {"changes": [], "next": 7, "hasMore": True}))
    with pytest.raises(InvalidResponseError):
        driver.items(driver.client(stub), lambda c: c.directory.changes(after=7))
    assert len(stub.requests) == 1


def test_deliveries(driver: Driver) -> None:
    stub = Stub(
        answer(200, {"deliveries": [{"id": 9}, {"id": 8}], "before": 8}),
        answer(200, {"deliveries": [{"id": 2}], "before": None}),
    )
    got = driver.items(driver.client(stub), lambda c: c.webhooks.deliveries(3, limit=2))
    assert [d.id for d in got] == [9, 8, 2]
    assert stub.last.url.raw_path == b"/v1/webhooks/3/deliveries?limit=2&before=8"


def test_entries_of_a_view(driver: Driver) -> None:
    official = "io.modelcontextprotocol.registry/official"
    meta = {official: {"status": "active"}, "org.example/server": {"id": "c"}}
    gone = {official: {"status": "deleted"}}
    stub = Stub(
        answer(
            200,
            {
                "servers": [{"server": {"name": "a.b/c"}, "_meta": meta}],
                "metadata": {"count": 1, "nextCursor": "n1"},
            },
        ),
        answer(
            200,
            {"servers": [{"server": {"name": "a.b/d"}, "_meta": gone}], "metadata": {"count": 1}},
        ),
    )
    since = dt.datetime(2026, 10, 31, 12, tzinfo=dt.timezone.utc)
    got = driver.items(
        driver.client(stub),
        lambda c: c.registry.view("my view").list(
            updated_since=since, include_deleted=True, limit=1
        ),
    )
    found = [(e.server.name, official_meta(e), registry_meta(e)) for e in got]
    assert [(name, o and o.status, r and r.id) for name, o, r in found] == [
        ("a.b/c", "active", "c"),
        ("a.b/d", "deleted", None),
    ]
    assert [r.url.raw_path.decode() for r in stub.requests] == [
        "/r/my%20view/v0.1/servers?updated_since=2026-10-31T12%3A00%3A00Z"
        "&include_deleted=true&limit=1",
        "/r/my%20view/v0.1/servers?limit=1&cursor=n1",
    ]


@pytest.mark.parametrize("body", [{"servers": []}, [1], "x"])
def test_documents_that_are_none(driver: Driver, body: Any) -> None:
    stub = Stub(answer(200, body))
    with pytest.raises(InvalidResponseError):
        driver.run(driver.client(stub), lambda c: c.registry.view("x").documents())


def test_documents_have_their_nulls(driver: Driver) -> None:
    stub = Stub(answer(200, {"valid": True, "issues": []}))
    driver.run(driver.client(stub), lambda c: c.registry.validate({"name": None}))
    assert stub.body() == {"name": None}


@pytest.mark.parametrize(("status", "attempts"), [(409, 1), (500, 1), (429, 3), (0, 1)])
def test_requests_that_create_something(driver: Driver, status: int, attempts: int) -> None:
    stub = Stub(answer(status, problem(status)) if status else httpx.ReadError("reset"))
    with pytest.raises(CensusError):
        driver.run(driver.client(stub), lambda c: c.webhooks.create(url="x"))
    assert len(stub.requests) == attempts


@pytest.mark.parametrize("id", [0, True, "1", 1.5])
def test_numbers(driver: Driver, id: Any) -> None:
    with pytest.raises(ValueError, match="id must be a positive integer"):
        driver.run(driver.client(Stub()), lambda c: c.webhooks.retrieve(id))
