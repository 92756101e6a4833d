"""Reads all pages of the lists by cursor with the generated client, which sends the
defaults of all parameters."""

import os
import pkgutil

from generated import models
from generated.api.discovery import discover_servers, list_directory
from generated.api.servers import list_servers, search_servers
from generated.client import AuthenticatedClient
from generated.types import UNSET

LIMIT = 3


def read_all(name, ask):
    seen, pages, cursor = [], 0, UNSET
    while True:
        page = ask(cursor)
        assert not isinstance(page, models.Problem), f"{name}: {page}"
        pages += 1
        entries = page.servers if hasattr(page, "servers") else page.tools
        seen += [e.slug if hasattr(e, "slug") else e.name for e in entries]
        cursor = page.pagination.next_cursor
        if cursor is None:
            break
    total = page.pagination.total
    print(f"{name}: {len(seen)} of {total} on {pages} pages")
    assert pages > 1 and len(seen) == len(set(seen)) == total, f"{name}: {seen}"


client = AuthenticatedClient(
    os.environ["CENSUS_SDK_TEST_URL"], os.environ["CENSUS_SDK_TEST_KEY"], raise_on_unexpected_status=True
)
keyed = {"client": client, "limit": LIMIT}
read_all("/api/servers", lambda c: list_directory.sync(cursor=c, **keyed))
read_all("/api/discover", lambda c: discover_servers.sync(cursor=c, **keyed))
read_all("/v1/servers", lambda c: list_servers.sync(cursor=c, **keyed))
read_all("/v1/search", lambda c: search_servers.sync(cursor=c, **keyed))
read_all("/v1/search, filters", lambda c: search_servers.sync(cursor=c, filters='{"stars":{"gte":0}}', **keyed))

stranger = AuthenticatedClient(os.environ["CENSUS_SDK_TEST_URL"], "mcp_wrong", raise_on_unexpected_status=True)
refused = list_servers.sync(client=stranger)
assert isinstance(refused, models.Problem) and refused.code == "invalid_api_key", refused

# A nullable enumeration has one type, wherever it is used.
modules = [m.name for m in pkgutil.iter_modules(models.__path__)]
for enum in ("grade", "sdk", "confidence", "server_liveness", "webhook_endpoint_disabled_reason"):
    same = [m for m in modules if m == enum or m.startswith(enum + "_type_")]
    assert same == [enum], f"types of {enum}: {same}"
