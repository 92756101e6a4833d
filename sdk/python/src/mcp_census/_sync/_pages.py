# Generated from _async by scripts/unasync.py. DO NOT EDIT.
"""Pages of lists."""

from __future__ import annotations

from collections.abc import Iterator, Callable
from typing import Generic, TypeVar

from .._response import Response
from ..errors import invalid
from ..types import PageNumbers, Pagination

Item = TypeVar("Item")
Body = TypeVar("Body")


class Page(Generic[Item, Body]):
    """A page of a list. Iterating over it continues with the following pages.

    The next page is requested by cursor when the items of a page have been consumed:
    items are neither skipped nor repeated while the data changes.
    """

    def __init__(
        self,
        response: Response[Body],
        items: list[Item],
        pagination: Pagination | PageNumbers,
        request: Callable[[str], Page[Item, Body]],
        cursor: str | None = None,
    ) -> None:
        self.response = response
        """The response with its headers."""
        self.items = items
        """The items of this page."""
        self._pagination = pagination
        self._request = request
        self._cursor = cursor

    @property
    def body(self) -> Body:
        """The whole response, with what the list has beside its items."""
        return self.response.data

    @property
    def total(self) -> int:
        """The number of items on all pages."""
        return self._pagination.total

    @property
    def next_cursor(self) -> str | None:
        """Where the next page begins; None on the last page."""
        return self._pagination.next_cursor or None

    def has_next_page(self) -> bool:
        """Report whether there is a next page."""
        return self.next_cursor is not None

    def get_next_page(self) -> Page[Item, Body] | None:
        """Request the next page; None after the last one."""
        cursor = self.next_cursor
        if cursor is None:
            return None
        if cursor == self._cursor:
            raise invalid(self.response.raw, "the cursor of the next page is that of this page")
        return self._request(cursor)

    def iter_pages(self) -> Iterator[Page[Item, Body]]:
        """Iterate over this page and the following ones."""
        page: Page[Item, Body] | None = self
        while page is not None:
            yield page
            page = page.get_next_page()

    def __iter__(self) -> Iterator[Item]:
        for page in self.iter_pages():
            for item in page.items:
                yield item

    def __repr__(self) -> str:
        return f"Page(items=<{len(self.items)}>, total={self.total})"
