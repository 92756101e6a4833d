"""How the pages of a list follow each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .types import EntryMetadata, PageNumbers, Pagination


@dataclass(frozen=True)
class Paging:
    """A kind of list. The functions get the decoded body of a page."""

    parameter: str
    """The parameter that continues."""
    is_page: Callable[[Any], bool]
    """Reports whether a body is that of a page."""
    next: Callable[[Any], Any]
    """Where the next page begins; None on the last page."""
    total: Callable[[Any], int | None] = lambda body: None


COUNTED = Paging(
    "cursor",
    lambda body: isinstance(getattr(body, "pagination", None), (Pagination, PageNumbers)),
    lambda body: body.pagination.next_cursor or None,
    lambda body: body.pagination.total,
)
"""Lists with the number of all items."""

ENTRIES = Paging(
    "cursor",
    lambda body: isinstance(body.metadata, EntryMetadata),
    lambda body: body.metadata.next_cursor or None,
)
"""Lists in the form of the official registry."""

CHANGES = Paging(
    "after",
    lambda body: isinstance(body.next, int),
    lambda body: body.next if body.has_more else None,
)
"""Change feeds."""

DELIVERIES = Paging(
    "before",
    lambda body: body.before is None or isinstance(body.before, int),
    lambda body: body.before,
)
"""Deliveries of webhooks."""
