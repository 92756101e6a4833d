"""Pagination of lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .types import EntryMetadata, PageNumbers, Pagination


@dataclass(frozen=True)
class Paging:
    """A kind of list. The functions accept the decoded body of a page."""

    parameter: str
    """Parameter for the cursor."""
    is_page: Callable[[Any], bool]
    """Reports whether a body is a page."""
    next: Callable[[Any], Any]
    """Cursor of the next page; None on the last page."""
    total: Callable[[Any], int | None] = lambda body: None


COUNTED = Paging(
    "cursor",
    lambda body: isinstance(getattr(body, "pagination", None), (Pagination, PageNumbers)),
    lambda body: body.pagination.next_cursor or None,
    lambda body: body.pagination.total,
)
"""Lists with a total."""

ENTRIES = Paging(
    "cursor",
    lambda body: isinstance(body.metadata, EntryMetadata),
    lambda body: body.metadata.next_cursor or None,
)
"""Lists in the format of the official registry."""

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
