# Generated from _async by scripts/unasync.py. DO NOT EDIT.
"""The registry through the official registry's API."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from .._paging import ENTRIES
from .._request import Request, segment
from ..types import (
    ManagedSettings,
    RegistryAppVersion,
    RegistryHealth,
    RegistryPing,
    ServerEntry,
    ServerEntryList,
    ServerJSON,
    ValidationResult,
    Views,
)
from ._pager import Page, pager
from ._raw import raw
from ._transport import Transport


class Entries:
    """Records of all servers, or of a view."""

    def __init__(self, transport: Transport, path: str) -> None:
        self._transport = transport
        self._path = path

    def list(
        self,
        *,
        search: str | None = None,
        version: str | None = None,
        updated_since: dt.datetime | str | None = None,
        include_deleted: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[ServerEntry, ServerEntryList]:
        """List records by name, or by relevance with ``search``: ``GET /v0.1/servers``.

        Args:
            search: Full-text search over names, titles, descriptions, tags and tools.
            version: ``latest``, or an exact version.
            updated_since: Only records that changed at or after this time, with deleted ones.
            include_deleted: Include servers that were removed in the last 90 days.
            limit: Page size, 1 to 100. Default: 30.
            cursor: Continues after the page with this ``next_cursor``.
        """
        request = Request(
            "GET",
            f"{self._path}/v0.1/servers",
            {
                "search": search,
                "version": version,
                "updated_since": updated_since,
                "include_deleted": include_deleted,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return pager(
            lambda: self._transport.page(request, ServerEntryList, "servers", cursor, ENTRIES)
        )

    def versions(self, name: str, *, include_deleted: bool | None = None) -> ServerEntryList:
        """Return the versions of a server, latest first.

        The request is ``GET /v0.1/servers/{name}/versions``.

        Args:
            name: Name of the server, such as ``io.github.owner/repository``.
            include_deleted: Also find servers that were removed in the last 90 days.
        """
        path = f"{self._path}/v0.1/servers/{segment('name', name)}/versions"
        request = Request("GET", path, {"include_deleted": include_deleted})
        return self._transport.get(request, ServerEntryList)

    def retrieve(
        self, name: str, *, version: str = "latest", include_deleted: bool | None = None
    ) -> ServerEntry:
        """Return a record: ``GET /v0.1/servers/{name}/versions/{version}``.

        The ``NotFoundError`` of an unknown name has similar names; ``list`` with ``search``
        finds others.

        Args:
            name: Name of the server, such as ``io.github.owner/repository``.
            version: ``latest``, or an exact version.
            include_deleted: Also find servers that were removed in the last 90 days.
        """
        path = f"{segment('name', name)}/versions/{segment('version', version)}"
        query = {"include_deleted": include_deleted}
        request = Request("GET", f"{self._path}/v0.1/servers/{path}", query)
        return self._transport.get(request, ServerEntry)


class Registry(Entries):
    """The registry through the official registry's API. No key required."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport, "")

    @property
    def with_raw_response(self) -> RegistryWithRawResponse:
        """The same methods, returning the raw response."""
        return RegistryWithRawResponse(self)

    def view(self, name: str) -> RegistryView:
        """Return a view. It sends no request.

        Args:
            name: A built-in view, such as healthy, or the token of a custom endpoint.
        """
        return RegistryView(self._transport, f"/r/{segment('name', name)}")

    def views(self) -> Views:
        """Return the built-in views: ``GET /r``."""
        return self._transport.get(Request("GET", "/r"), Views)

    def validate(self, document: Mapping[str, Any]) -> ValidationResult:
        """Check a server.json: ``POST /v0.1/validate``.

        A document with errors is a result, not an error.

        Args:
            document: The document, with names as in JSON.
        """
        request = Request("POST", "/v0.1/validate", body=document, nulls=True)
        return self._transport.get(request, ValidationResult)

    def ping(self) -> RegistryPing:
        """Return whether the API responds: ``GET /v0.1/ping``."""
        return self._transport.get(Request("GET", "/v0.1/ping"), RegistryPing)

    def health(self) -> RegistryHealth:
        """Return the state of the API: ``GET /v0.1/health``."""
        return self._transport.get(Request("GET", "/v0.1/health"), RegistryHealth)

    def version(self) -> RegistryAppVersion:
        """Return the version of the registry: ``GET /v0.1/version``."""
        return self._transport.get(Request("GET", "/v0.1/version"), RegistryAppVersion)


class RegistryWithRawResponse:
    """The methods of the registry, returning the raw response."""

    def __init__(self, registry: Registry) -> None:
        self.list = raw(registry.list)
        self.versions = raw(registry.versions)
        self.retrieve = raw(registry.retrieve)
        self.views = raw(registry.views)
        self.validate = raw(registry.validate)
        self.ping = raw(registry.ping)
        self.health = raw(registry.health)
        self.version = raw(registry.version)


class RegistryView(Entries):
    """The servers of a view: the best results of a stored query."""

    @property
    def with_raw_response(self) -> RegistryViewWithRawResponse:
        """The same methods, returning the raw response."""
        return RegistryViewWithRawResponse(self)

    def documents(self) -> list[ServerJSON]:
        """Return the server.json of all servers of the view: ``GET /r/{view}/servers.json``."""
        return self._transport.array(Request("GET", f"{self._path}/servers.json"), ServerJSON)

    def managed_settings(self) -> ManagedSettings:
        """Return managed settings for clients that allow the servers of the view.

        The request is ``GET /r/{view}/managed-settings.json``.
        """
        request = Request("GET", f"{self._path}/managed-settings.json")
        return self._transport.get(request, ManagedSettings)


class RegistryViewWithRawResponse:
    """The methods of a view, returning the raw response."""

    def __init__(self, view: RegistryView) -> None:
        self.list = raw(view.list)
        self.versions = raw(view.versions)
        self.retrieve = raw(view.retrieve)
        self.documents = raw(view.documents)
        self.managed_settings = raw(view.managed_settings)
