# Generated from _async by scripts/unasync.py. DO NOT EDIT.
"""Pages of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from .._paging import Paging
from .._response import Response
from ..errors import invalid

Item = TypeVar("Item")
Body = TypeVar("Body")


class Pages(Generic[Item, Body]):
    """Iterates over the pages of a list. After an error, it continues with the same page."""

    def __init__(self, first: Callable[[], Page[Item, Body] | None]) -> None:
        self._next = first

    def __iter__(self) -> Iterator[Page[Item, Body]]:
        return self

    def __next__(self) -> Page[Item, Body]:
        page = self._next()
        if page is None:
            raise StopIteration
        self._next = page.get_next_page
        return page


class Items(Generic[Item]):
    """Iterates over the items of all pages. After an error, it continues with the same page."""

    def __init__(self, pages: Pages[Item, Any]) -> None:
        self._pages = pages
        self._items: Iterator[Item] = iter(())

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        while True:
            for item in self._items:
                return item
            page = next(self._pages)
            self._items = iter(page.items)


class Page(Generic[Item, Body]):
    """A page of a list. Iterating over it continues with the following pages.

    The next page is requested by cursor when the items of a page have been consumed:
    items are neither skipped nor repeated while data changes.
    """

    def __init__(
        self,
        response: Response[Body],
        items: list[Item],
        paging: Paging,
        request: Callable[[Any], Page[Item, Body]],
        cursor: Any = None,
    ) -> None:
        self.response: Response[Body] = response
        """The response with its headers."""
        self.items: list[Item] = items
        """The items of this page."""
        self._paging = paging
        self._request = request
        self._cursor = cursor

    @property
    def body(self) -> Body:
        """The whole response body."""
        return self.response.data

    @property
    def total(self) -> int | None:
        """Number of items on all pages; None if the list does not report it."""
        return self._paging.total(self.body)

    @property
    def next_cursor(self) -> str | None:
        """Cursor of the next page; None on the last page."""
        cursor = self._paging.next(self.body)
        return None if cursor is None else str(cursor)

    def has_next_page(self) -> bool:
        """Report whether there is a next page."""
        return self.next_cursor is not None

    def get_next_page(self) -> Page[Item, Body] | None:
        """Request the next page; None after the last one."""
        cursor = self._paging.next(self.body)
        if cursor is None:
            return None
        if cursor == self._cursor:
            raise invalid(self.response.raw, "the cursor of the next page equals that of this page")
        return self._request(cursor)

    def iter_pages(self) -> Pages[Item, Body]:
        """Iterate over this page and the following ones."""
        return Pages(self._itself)

    def __iter__(self) -> Items[Item]:
        return Items(self.iter_pages())

    def _itself(self) -> Page[Item, Body]:
        return self

    def __repr__(self) -> str:
        return f"Page(items=<{len(self.items)}>, total={self.total})"
