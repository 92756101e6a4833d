"""Client for Census, a registry of MCP servers with health scores.

    from mcp_census import Census

    with Census() as census:
        for server in census.discover(search="postgres", min_score=80):
            print(server.id, server.quality_score)

`Census` is the client, and `AsyncCensus` the same for asyncio and trio. `mcp_census.types` has the
types of responses, `mcp_census.entries` functions for registry records, `mcp_census.filters` search
filters, `mcp_census.errors` errors, and `mcp_census.webhooks` webhooks.
"""

from __future__ import annotations

from . import entries, errors, filters, types, webhooks
from ._async._client import AsyncCensus
from ._async._pager import AsyncPager
from ._async._pages import AsyncPage
from ._response import RateLimit, Response
from ._sync._client import Census
from ._sync._pages import Page
from ._version import __version__
from .entries import is_deleted, official_meta, registry_meta
from .errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    CensusError,
    GoneError,
    InternalServerError,
    InvalidResponseError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    WebhookVerificationError,
)

__all__ = [
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AsyncCensus",
    "AsyncPage",
    "AsyncPager",
    "AuthenticationError",
    "BadRequestError",
    "Census",
    "CensusError",
    "GoneError",
    "InternalServerError",
    "InvalidResponseError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RateLimit",
    "RateLimitError",
    "Response",
    "WebhookVerificationError",
    "__version__",
    "entries",
    "errors",
    "filters",
    "is_deleted",
    "official_meta",
    "registry_meta",
    "types",
    "webhooks",
]
