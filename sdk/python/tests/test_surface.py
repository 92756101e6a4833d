"""The methods and their types."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any

import pytest
import recorded
from test_fixtures import _snake

from mcp_census import AsyncCensus, AsyncPage, AsyncPager, Census, Page, Response
from mcp_census.types import (
    CustomPage,
    Health,
    PartialServer,
    Pending,
    SearchPage,
    Server,
    ServerDetail,
    ServerPage,
    ToolEntry,
    ToolPage,
)

if TYPE_CHECKING:
    from typing_extensions import assert_type

    def types_of_results(c: Census) -> None:
        assert_type(c.discover(), Page[Server, ServerPage])
        assert_type(c.discover_tools(), Page[ToolEntry, ToolPage])
        assert_type(c.search(), Page[Server, SearchPage])
        assert_type(c.custom.run("a"), Page[PartialServer, CustomPage])
        assert_type(list(c.discover()), list[Server])
        assert_type(list(c.discover().iter_pages()), list[Page[Server, ServerPage]])
        assert_type(c.discover().body, ServerPage)
        assert_type(c.health(server="a"), Health)
        assert_type(c.health(server="a", wait_until_done=False), Health | Pending)
        assert_type(c.servers.retrieve("a"), ServerDetail)
        assert_type(c.servers.with_raw_response.retrieve("a"), Response[ServerDetail])
        assert_type(c.directory.with_raw_response.list(limit=1), Response[Page[Server, ServerPage]])
        assert_type(c.with_options(timeout=1), Census)
        with c as entered:
            assert_type(entered, Census)

    async def types_of_awaited_results(c: AsyncCensus) -> None:
        assert_type(c.discover(), AsyncPager[Server, ServerPage])
        assert_type(await c.discover(), AsyncPage[Server, ServerPage])
        assert_type([s async for s in c.discover()], list[Server])
        assert_type([s async for s in await c.discover()], list[Server])
        assert_type(await c.health(server="a"), Health)
        assert_type(await c.health(wait_until_done=False), Health | Pending)
        assert_type(await c.servers.retrieve("a"), ServerDetail)
        assert_type(await c.servers.with_raw_response.retrieve("a"), Response[ServerDetail])
        assert_type(
            await c.directory.with_raw_response.list(), Response[AsyncPage[Server, ServerPage]]
        )
        async with c as entered:
            assert_type(entered, AsyncCensus)


def methods(client: Any) -> dict[str, inspect.Signature]:
    """Return the methods that send requests."""
    found = {}
    groups = ("directory", "servers", "account", "custom", "registry", "webhooks")
    owners = {"": client, **{group: getattr(client, group) for group in groups}}
    owners["registry.view"] = client.registry.view("x")
    for group, owner in owners.items():
        for name in vars(owner.with_raw_response):
            path = f"{group}.{name}".lstrip(".")
            found[path] = inspect.signature(getattr(owner, name))
    return found


def test_both_clients_are_alike() -> None:
    sync, tasks = methods(Census()), methods(AsyncCensus())
    assert {n: s.parameters for n, s in sync.items()} == {n: s.parameters for n, s in tasks.items()}


@pytest.mark.skipif(not recorded.FIXTURES.exists(), reason="../fixtures is not in this copy")
def test_methods_are_those_of_the_recorded_calls() -> None:
    calls = json.loads((recorded.FIXTURES / "calls.json").read_text("utf-8"))["calls"]
    given: dict[str, set[str]] = {}
    for call in calls:
        args = given.setdefault(_snake(call["call"]), set())
        args.update(_snake(a) for a in call["args"] if a != "view")
    own = {name: set(s.parameters) for name, s in methods(Census()).items()}
    assert given.keys() == own.keys()
    for name, parameters in own.items():
        assert given[name] <= parameters, name
