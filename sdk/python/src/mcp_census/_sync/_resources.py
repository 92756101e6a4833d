# Generated from _async by scripts/unasync.py. DO NOT EDIT.
"""The groups of endpoints."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .._paging import CHANGES
from .._request import Request, joined, segment
from ..filters import Filters, SearchSort
from ..types import (
    Analytics,
    AnalyticsPeriodInterval,
    BulkAnswer,
    Categories,
    CategoryParam,
    ChangePage,
    Custom,
    CustomPage,
    Customs,
    CustomView,
    DetailMemberParam,
    DirectorySort,
    Dumps,
    NumberedPage,
    OwnAccount,
    PartialServer,
    Plans,
    RecordChange,
    RecordChangePage,
    SdkParam,
    SearchRequestMatch,
    Server,
    ServerChange,
    ServerDetail,
    ServerPage,
    ToolChanges,
    Usage,
)
from ._pager import Page, pager
from ._raw import raw
from ._transport import Transport


class Directory:
    """The public directory, under /api. No key required."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> DirectoryWithRawResponse:
        """The same methods, returning the raw response."""
        return DirectoryWithRawResponse(self)

    def list(
        self,
        *,
        category: CategoryParam | None = None,
        search: str | None = None,
        match: SearchRequestMatch | None = None,
        official: bool | None = None,
        sort: DirectorySort | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Page[Server, ServerPage]:
        """List servers: ``GET /api/servers``.

        Args:
            category: Only servers in this category.
            search: Full-text search over names, descriptions and tags.
            match: Whether all words of ``search`` must match, or some are enough. Default: some.
            official: True returns only official servers, False only others.
            sort: Sort order. Default: qualityScore, or relevance with ``search``.
            limit: Page size, 1 to 100. Default: 20.
            offset: Number of items to skip; not allowed with ``cursor``.
            cursor: Continues after the page with this ``next_cursor``.
        """
        request = Request(
            "GET",
            "/api/servers",
            {
                "category": category,
                "search": search,
                "match": match,
                "official": official,
                "sort": sort,
                "limit": limit,
                "offset": offset,
                "cursor": cursor,
            },
        )
        return pager(lambda: self._transport.page(request, ServerPage, "servers", cursor))

    def categories(self) -> Categories:
        """Return the categories with their number of servers: ``GET /api/categories``."""
        return self._transport.get(Request("GET", "/api/categories"), Categories)

    def tool_changes(self, id: str) -> ToolChanges:
        """Return the changes to a server's tools: ``GET /api/servers/{id}/tools/changes``.

        Args:
            id: Slug, or name in the official registry.
        """
        path = f"/api/servers/{segment('id', id)}/tools/changes"
        return self._transport.get(Request("GET", path), ToolChanges)

    def changes(
        self, *, after: int | None = None, limit: int | None = None
    ) -> Page[ServerChange, ChangePage]:
        """Follow the changes to all servers, as list entries: ``GET /api/changes``.

        To continue later, iterate over the pages and store ``page.body.next``. See
        ``is_deleted``.

        Args:
            after: ``next`` of the previous page. Default: 0, from the beginning.
            limit: Page size, 1 to 50. Default: 50.
        """
        request = Request("GET", "/api/changes", {"after": after, "limit": limit})
        return pager(lambda: self._transport.page(request, ChangePage, "changes", after, CHANGES))

    def dumps(self) -> Dumps:
        """Return the daily dumps of the whole registry, newest first: ``GET /dumps``."""
        return self._transport.get(Request("GET", "/dumps"), Dumps)


class DirectoryWithRawResponse:
    """The methods of the directory, returning the raw response."""

    def __init__(self, directory: Directory) -> None:
        self.list = raw(directory.list)
        self.categories = raw(directory.categories)
        self.tool_changes = raw(directory.tool_changes)
        self.changes = raw(directory.changes)
        self.dumps = raw(directory.dumps)


class Servers:
    """Servers with full records, under /v1. Requires a key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> ServersWithRawResponse:
        """The same methods, returning the raw response."""
        return ServersWithRawResponse(self)

    def list(
        self,
        *,
        category: CategoryParam | None = None,
        sdk: SdkParam | None = None,
        search: str | None = None,
        match: SearchRequestMatch | None = None,
        official: bool | None = None,
        page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Server, NumberedPage]:
        """List servers by score, or by relevance with ``search``: ``GET /v1/servers``.

        Args:
            category: Only servers in this category.
            sdk: Only servers with this SDK, or its usual abbreviation such as py or ts.
            search: Full-text search over names, descriptions and tags.
            match: Whether all words of ``search`` must match, or some are enough. Default: some.
            official: True returns only official servers, False only others.
            page: Page number; not allowed with ``cursor``.
            limit: Page size, 1 to 100. Default: 20.
            cursor: Continues after the page with this ``next_cursor``.
        """
        request = Request(
            "GET",
            "/v1/servers",
            {
                "category": category,
                "sdk": sdk,
                "search": search,
                "match": match,
                "official": official,
                "page": page,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return pager(lambda: self._transport.page(request, NumberedPage, "servers", cursor))

    def retrieve(self, id: str) -> ServerDetail:
        """Return the record of a server: ``GET /v1/servers/{id}``.

        Args:
            id: Slug, old slug, or name in the official registry.
        """
        path = f"/v1/servers/{segment('id', id)}"
        return self._transport.get(Request("GET", path), ServerDetail)

    def bulk(
        self,
        *,
        ids: Sequence[str] | None = None,
        github_urls: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        fields: Sequence[DetailMemberParam] | None = None,
    ) -> BulkAnswer:
        """Return several records in one request: ``POST /v1/servers/bulk``.

        1 to 100 entries in total. The order is that of ``ids``, then
        ``github_urls``, then ``names``.

        Args:
            ids: Slugs.
            github_urls: URLs of repositories.
            names: Names in the official registry.
            fields: Members to return, named as in the API. Default: all.
        """
        body = {"ids": ids, "githubUrls": github_urls, "names": names, "fields": fields}
        return self._transport.get(Request("POST", "/v1/servers/bulk", body=body), BulkAnswer)

    def analytics(
        self,
        id: str,
        *,
        period: Literal["7d", "30d", "90d", "1y"] | None = None,
        interval: AnalyticsPeriodInterval | None = None,
    ) -> Analytics:
        """Return the usage and popularity of a server: ``GET /v1/servers/{id}/analytics``.

        Args:
            id: Slug, old slug, or name in the official registry.
            period: Length of the period. Default: 30d.
            interval: Interval of the series, day or week. Default: day.
        """
        path = f"/v1/servers/{segment('id', id)}/analytics"
        request = Request("GET", path, {"period": period, "interval": interval})
        return self._transport.get(request, Analytics)

    def tool_changes(self, id: str) -> ToolChanges:
        """Return the changes to a server's tools: ``GET /v1/servers/{id}/tools/changes``.

        Args:
            id: Slug, old slug, or name in the official registry.
        """
        path = f"/v1/servers/{segment('id', id)}/tools/changes"
        return self._transport.get(Request("GET", path), ToolChanges)

    def changes(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        fields: Sequence[DetailMemberParam] | None = None,
    ) -> Page[RecordChange, RecordChangePage]:
        """Follow the changes to all servers, as full records: ``GET /v1/changes``.

        To continue later, iterate over the pages and store ``page.body.next``. See
        ``is_deleted``.

        Args:
            after: ``next`` of the previous page. Default: 0, from the beginning.
            limit: Page size, 1 to 100. Default: 20.
            fields: Members to return in addition to id and status, named as in the API.
                Default: all.
        """
        query = {"after": after, "limit": limit, "fields": joined(fields)}
        request = Request("GET", "/v1/changes", query)
        return pager(
            lambda: self._transport.page(request, RecordChangePage, "changes", after, CHANGES)
        )


class ServersWithRawResponse:
    """The methods for servers, returning the raw response."""

    def __init__(self, servers: Servers) -> None:
        self.list = raw(servers.list)
        self.retrieve = raw(servers.retrieve)
        self.bulk = raw(servers.bulk)
        self.analytics = raw(servers.analytics)
        self.tool_changes = raw(servers.tool_changes)
        self.changes = raw(servers.changes)


class Account:
    """The account of the key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> AccountWithRawResponse:
        """The same methods, returning the raw response."""
        return AccountWithRawResponse(self)

    def retrieve(self) -> OwnAccount:
        """Return plan, limits and key: ``GET /v1/account``."""
        return self._transport.get(Request("GET", "/v1/account"), OwnAccount)

    def usage(
        self, *, from_: dt.date | str | None = None, to: dt.date | str | None = None
    ) -> Usage:
        """Return the calls by day, endpoint and key: ``GET /v1/usage``.

        Args:
            from_: First day, UTC. Default: 29 days before ``to``.
            to: Last day, UTC. Default: today.
        """
        request = Request("GET", "/v1/usage", {"from": from_, "to": to})
        return self._transport.get(request, Usage)

    def plans(self) -> Plans:
        """Return all plans, cheapest first: ``GET /v1/plans``."""
        return self._transport.get(Request("GET", "/v1/plans"), Plans)


class AccountWithRawResponse:
    """The methods for the account, returning the raw response."""

    def __init__(self, account: Account) -> None:
        self.retrieve = raw(account.retrieve)
        self.usage = raw(account.usage)
        self.plans = raw(account.plans)


class CustomEndpoints:
    """Custom endpoints: saved searches."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def with_raw_response(self) -> CustomEndpointsWithRawResponse:
        """The same methods, returning the raw response."""
        return CustomEndpointsWithRawResponse(self)

    def list(self) -> Customs:
        """Return all definitions, by name: ``GET /v1/custom``."""
        return self._transport.get(Request("GET", "/v1/custom"), Customs)

    def run(
        self,
        name: str,
        *,
        page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[PartialServer, CustomPage]:
        """Run a saved search: ``GET /v1/custom/{name}``.

        Args:
            name: Name of the custom endpoint.
            page: Page number; not allowed with ``cursor``.
            limit: Page size, 1 to 100. Default: the limit of the definition.
            cursor: Continues after the page with this ``next_cursor``.
        """
        path = f"/v1/custom/{segment('name', name)}"
        request = Request("GET", path, {"page": page, "limit": limit, "cursor": cursor})
        return pager(lambda: self._transport.page(request, CustomPage, "servers", cursor))

    def retrieve(self, name: str) -> Custom:
        """Return a definition: ``GET /v1/custom/{name}/definition``."""
        path = f"/v1/custom/{segment('name', name)}/definition"
        return self._transport.get(Request("GET", path), Custom)

    def put(
        self,
        name: str,
        *,
        q: str | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
        sort: SearchSort | Sequence[SearchSort] | None = None,
        fields: Sequence[DetailMemberParam] | None = None,
        limit: int | None = None,
        facets: bool | None = None,
    ) -> Custom:
        """Store a definition, replacing one of the same name.

        The request is ``PUT /v1/custom/{name}/definition``.

        Args:
            name: 1 to 60 characters of a to z, 0 to 9 and -.
            q: Full-text search.
            filters: Conditions; see ``Filters``.
            sort: Order; see ``search``.
            fields: The members of the results, named as in the API. Default: list entries.
            limit: Page size, 1 to 100. Default: 20.
            facets: Count the values over all results. Default: False.
        """
        request = Request(
            "PUT",
            f"/v1/custom/{segment('name', name)}/definition",
            body={
                "q": q,
                "filters": filters,
                "sort": joined(sort),
                "fields": fields,
                "limit": limit,
                "facets": facets,
            },
        )
        return self._transport.get(request, Custom)

    def delete(self, name: str) -> None:
        """Delete a definition: ``DELETE /v1/custom/{name}/definition``.

        If the connection fails after the deletion, the retry raises
        NotFoundError.
        """
        path = f"/v1/custom/{segment('name', name)}/definition"
        self._transport.send(Request("DELETE", path))

    def create_view(self, name: str) -> CustomView:
        """Create the URL of a custom endpoint as a view: ``POST /v1/custom/{name}/view``.

        It replaces an earlier one, and is only in this response. Reading it
        requires no key, so keep it secret.
        """
        path = f"/v1/custom/{segment('name', name)}/view"
        return self._transport.get(Request("POST", path, once=True), CustomView)


class CustomEndpointsWithRawResponse:
    """The methods for custom endpoints, returning the raw response."""

    def __init__(self, custom: CustomEndpoints) -> None:
        self.list = raw(custom.list)
        self.run = raw(custom.run)
        self.retrieve = raw(custom.retrieve)
        self.put = raw(custom.put)
        self.delete = raw(custom.delete)
        self.create_view = raw(custom.create_view)
