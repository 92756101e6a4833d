from __future__ import annotations

import inspect
from typing import Any

import pytest
from drivers import Driver, Stub, answer, problem

from mcp_census import InternalServerError, InvalidResponseError
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
