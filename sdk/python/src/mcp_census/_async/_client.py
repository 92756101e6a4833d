"""The client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, TypeVar, overload

import httpx

from .._options import (
    DEFAULT_CONNECT_TIMEOUT,
    DEFAULT_MAX_RETRIES,
    DEFAULT_TIMEOUT,
    Clock,
    Options,
    options,
)
from .._request import Request, check_id, joined, segment
from .._response import RawResponse
from .._retry import retry_after
from ..errors import APIError, APITimeoutError, invalid
from ..filters import Filters, SearchSort
from ..types import (
    CategoryParam,
    DiscoverSort,
    Health,
    Pending,
    SearchPage,
    SearchRequestMatch,
    Server,
    ServerPage,
    ToolEntry,
    ToolPage,
)
from ..webhooks import Webhooks
from ._endpoints import AsyncWebhookService
from ._pager import AsyncPager, pager
from ._raw import raw
from ._registry import AsyncRegistry
from ._resources import AsyncAccount, AsyncCustomEndpoints, AsyncDirectory, AsyncServers
from ._sleep import sleep
from ._transport import AsyncTransport, decoded

Self = TypeVar("Self", bound="AsyncCensus")


class _WebhooksAccess:
    """Webhooks of the class (verification only) and of clients."""

    _class = Webhooks()

    @overload
    def __get__(self, client: None, owner: type[AsyncCensus]) -> Webhooks: ...

    @overload
    def __get__(self, client: AsyncCensus, owner: type[AsyncCensus]) -> AsyncWebhookService: ...

    def __get__(
        self, client: AsyncCensus | None, owner: type[AsyncCensus]
    ) -> Webhooks | AsyncWebhookService:
        return self._class if client is None else client._webhooks


class AsyncCensus:
    """Client for a registry.

    It is safe for concurrent use. Use ``async with``, or call ``close``.
    """

    webhooks = _WebhooksAccess()
    """Verification and parsing of webhooks, and the endpoints of the account."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        connect_timeout: float = DEFAULT_CONNECT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        default_headers: Mapping[str, str] | None = None,
        etag_cache: bool = False,
        http_client: httpx.AsyncClient | None = None,
        _clock: Clock | None = None,
    ) -> None:
        """Create a client.

        Args:
            api_key: API key. Default: the variable CENSUS_API_KEY. "" sends none.
            base_url: URL of the registry. Default: the variable CENSUS_URL, or
                http://127.0.0.1:8080.
            timeout: Timeout of each attempt in seconds.
            connect_timeout: Timeout for connecting in seconds.
            max_retries: Maximum number of retries after connection errors and the statuses 408,
                409, 429 and 500 and above.
            default_headers: Headers to send with each request.
            etag_cache: Whether to cache responses in memory and revalidate them by ETag. This saves
                transfer and time, but counts against the rate limit.
            http_client: Sends the requests, for example through a proxy. The caller closes it.
        """
        self._use(
            AsyncTransport(
                options(
                    api_key=api_key,
                    base_url=base_url,
                    timeout=timeout,
                    connect_timeout=connect_timeout,
                    max_retries=max_retries,
                    default_headers=default_headers,
                    etag_cache=etag_cache,
                    clock=_clock,
                ),
                http_client,
            )
        )

    def _use(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.directory: AsyncDirectory = AsyncDirectory(transport)
        """The public directory."""
        self.servers: AsyncServers = AsyncServers(transport)
        """Servers with full records; requires a key."""
        self.account: AsyncAccount = AsyncAccount(transport)
        """The account of the key."""
        self.custom: AsyncCustomEndpoints = AsyncCustomEndpoints(transport)
        """Custom endpoints; requires a key."""
        self.registry: AsyncRegistry = AsyncRegistry(transport)
        """The registry and its views, through the official registry's API."""
        self._webhooks = AsyncWebhookService(transport)

    def with_options(
        self: Self,
        *,
        timeout: float | None = None,
        connect_timeout: float | None = None,
        max_retries: int | None = None,
        default_headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Return a client with different settings that shares the connections of this one.

        Headers are added to those of this client. Closing either closes both.
        """
        changed = self._options.replaced(timeout, connect_timeout, max_retries, default_headers)
        other = object.__new__(type(self))
        other._use(self._transport.replaced(changed))
        return other

    @property
    def with_raw_response(self) -> AsyncCensusWithRawResponse:
        """The same methods, returning the raw response."""
        return AsyncCensusWithRawResponse(self)

    @property
    def base_url(self) -> str:
        """URL of the registry, without a trailing slash."""
        return self._options.base_url

    @property
    def _options(self) -> Options:
        return self._transport.options

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        key = self._options.api_key
        shown = "" if key is None else f", api_key='{key}'"
        return f"{type(self).__name__}(base_url={self.base_url!r}{shown})"

    def discover(
        self,
        *,
        category: CategoryParam | None = None,
        search: str | None = None,
        match: SearchRequestMatch | None = None,
        official: bool | None = None,
        min_score: float | None = None,
        sort: DiscoverSort | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> AsyncPager[Server, ServerPage]:
        """Find servers: ``GET /api/discover``. No key required.

        Args:
            category: Only servers in this category.
            search: Full-text search over names, descriptions and tags.
            match: Whether all words of ``search`` must match, or some are enough. Default: some.
            official: True returns only official servers, False only others.
            min_score: Minimum health score, 0 to 100. Grade A starts at 80, B at 65.
            sort: Sort order. Default: qualityScore, or relevance with ``search``.
            limit: Page size, 1 to 100. Default: 20.
            offset: Number of items to skip; not allowed with ``cursor``.
            cursor: Continues after the page with this ``next_cursor``.
        """
        request = Request(
            "GET",
            "/api/discover",
            {
                "category": category,
                "search": search,
                "match": match,
                "official": official,
                "minScore": min_score,
                "sort": sort,
                "limit": limit,
                "offset": offset,
                "cursor": cursor,
            },
        )
        return pager(lambda: self._transport.page(request, ServerPage, "servers", cursor))

    def discover_tools(
        self,
        *,
        category: CategoryParam | None = None,
        search: str | None = None,
        match: SearchRequestMatch | None = None,
        official: bool | None = None,
        min_score: float | None = None,
        sort: DiscoverSort | None = None,
        level: Literal["server", "tool"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> AsyncPager[ToolEntry, ToolPage]:
        """Find servers or their tools, in the format of MCP's tools/list.

        The request is ``GET /api/discover?format=mcp``. No key required.

        Args:
            category: Only servers in this category.
            search: Full-text search over names, descriptions and tags.
            match: Whether all words of ``search`` must match, or some are enough. Default: some.
            official: True returns only official servers, False only others.
            min_score: Minimum health score, 0 to 100.
            sort: Sort order. Default: qualityScore, or relevance with ``search``.
            level: Whether entries are servers (the default) or individual tools.
            limit: Page size, 1 to 100. Default: 20.
            offset: Number of items to skip; not allowed with ``cursor``.
            cursor: Continues after the page with this ``next_cursor``.
        """
        request = Request(
            "GET",
            "/api/discover",
            {
                "category": category,
                "search": search,
                "match": match,
                "official": official,
                "minScore": min_score,
                "sort": sort,
                "format": "mcp",
                "level": level,
                "limit": limit,
                "offset": offset,
                "cursor": cursor,
            },
        )
        return pager(lambda: self._transport.page(request, ToolPage, "tools", cursor))

    @overload
    async def health(
        self,
        *,
        github_url: str | None = None,
        server: str | None = None,
        wait_until_done: Literal[True] = True,
        max_wait: float = 300.0,
    ) -> Health: ...

    @overload
    async def health(
        self,
        *,
        github_url: str | None = None,
        server: str | None = None,
        wait_until_done: bool,
        max_wait: float = 300.0,
    ) -> Health | Pending: ...

    async def health(
        self,
        *,
        github_url: str | None = None,
        server: str | None = None,
        wait_until_done: bool = True,
        max_wait: float = 300.0,
    ) -> Health | Pending:
        """Return the health report of a server or repository: ``GET /api/health``.

        A repository that is not listed is checked first, which takes seconds; a check that fails
        is repeated once.

        Args:
            github_url: URL of a GitHub repository, with or without a folder, or owner/name.
            server: Slug, or name in the official registry; ignored with ``github_url``.
            wait_until_done: Whether to wait until a running check is finished. With False, the
                result is a Pending for ``check``.
            max_wait: Maximum wait for a check in seconds; then APITimeoutError is raised.
        """
        health = Request("GET", "/api/health", {"githubUrl": github_url, "server": server})
        response = await self._transport.send(health)
        waited, repeated = 0.0, False
        while wait_until_done and response.status == 202:
            pending = decoded(response, Pending).data
            if waited >= max_wait:
                raise APITimeoutError(
                    f"the check of {pending.github_url} is still running after {max_wait:g} s; "
                    f'call check("{check_id(str(pending.status_url))}") later'
                )
            wait = retry_after(response.headers)
            wait = min(max(1.0, 2.0 if wait is None else wait), max_wait - waited)
            await sleep(self._options.clock, wait)
            waited += wait
            try:
                request = _check(pending.status_url)
            except ValueError:
                raise invalid(response, "the response has no check ID") from None
            try:
                response = await self._transport.send(request)
            except APIError as e:
                if repeated or e.code not in ("check_failed", "check_not_found"):
                    raise
                repeated = True
                response = await self._transport.send(health)
        return _report(response)

    async def check(self, id: str) -> Health | Pending:
        """Return the report of a check, or a Pending while it is running: ``GET /api/checks/{id}``.

        Args:
            id: ID of the check, or the ``status_url`` of a Pending.
        """
        return _report(await self._transport.send(_check(id)))

    def search(
        self,
        *,
        q: str | None = None,
        match: SearchRequestMatch | None = None,
        filters: Filters | Mapping[str, Any] | None = None,
        sort: SearchSort | Sequence[SearchSort] | None = None,
        page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        facets: bool | None = None,
    ) -> AsyncPager[Server, SearchPage]:
        """Search with filters: ``POST /v1/search``. Requires a key.

        Args:
            q: Full-text search over names, descriptions, tags, tools, packages and READMEs.
            match: Whether all words of ``q`` must match, or some are enough. Default: some.
            filters: Conditions, such as ``{"category": "data", "stars": {"gte": 10}}``.
            sort: Sort order: one or more fields, each as ``field`` (default direction), ``-field``
                (descending), ``field:asc`` or ``field:desc``. Default: relevance with ``q``,
                otherwise qualityScore.
            page: Page number; not allowed with ``cursor``.
            limit: Page size, 1 to 100. Default: 20.
            cursor: Continues after the page with this ``next_cursor``.
            facets: Whether to count the values of category, sdk, license, transport, effect and
                grade over all results, in ``body.facets`` of the page. Default: True.
        """
        request = Request(
            "POST",
            "/v1/search",
            body={
                "q": q,
                "match": match,
                "filters": filters,
                "sort": joined(sort),
                "page": page,
                "limit": limit,
                "cursor": cursor,
                "facets": facets,
            },
        )
        return pager(lambda: self._transport.page(request, SearchPage, "servers", cursor))


class AsyncCensusWithRawResponse:
    """The methods of the client, returning the raw response."""

    def __init__(self, census: AsyncCensus) -> None:
        self.discover = raw(census.discover)
        self.discover_tools = raw(census.discover_tools)
        self.health = raw(census.health)
        self.check = raw(census.check)
        self.search = raw(census.search)


def _check(id: str) -> Request:
    return Request("GET", f"/api/checks/{segment('id', check_id(id))}")


def _report(response: RawResponse) -> Health | Pending:
    if response.status == 202:
        return decoded(response, Pending).data
    return decoded(response, Health).data
