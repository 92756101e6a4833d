"""Pages of lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, TypeVar

from .._paging import Paging
from .._response import Response
from ..errors import invalid

Item = TypeVar("Item")
Body = TypeVar("Body")


class AsyncPages(Generic[Item, Body]):
    """Iterates over the pages of a list. After an error, it continues with the same page."""

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[Item, Body] | None]]) -> None:
        self._next = first

    def __aiter__(self) -> AsyncIterator[AsyncPage[Item, Body]]:
        return self

    async def __anext__(self) -> AsyncPage[Item, Body]:
        page = await self._next()
        if page is None:
            raise StopAsyncIteration
        self._next = page.get_next_page
        return page


class AsyncItems(Generic[Item]):
    """Iterates over the items of all pages. After an error, it continues with the same page."""

    def __init__(self, pages: AsyncPages[Item, Any]) -> None:
        self._pages = pages
        self._items: Iterator[Item] = iter(())

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        while True:
            for item in self._items:
                return item
            page = await anext(self._pages)
            self._items = iter(page.items)


class AsyncPage(Generic[Item, Body]):
    """A page of a list. Iterating over it continues with the following pages.

    The next page is requested by cursor when the items of a page have been consumed:
    items are neither skipped nor repeated while data changes.
    """

    def __init__(
        self,
        response: Response[Body],
        items: list[Item],
        paging: Paging,
        request: Callable[[Any], Awaitable[AsyncPage[Item, Body]]],
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

    async def get_next_page(self) -> AsyncPage[Item, Body] | None:
        """Request the next page; None after the last one."""
        cursor = self._paging.next(self.body)
        if cursor is None:
            return None
        if cursor == self._cursor:
            raise invalid(self.response.raw, "the cursor of the next page equals that of this page")
        return await self._request(cursor)

    def iter_pages(self) -> AsyncPages[Item, Body]:
        """Iterate over this page and the following ones."""
        return AsyncPages(self._itself)

    def __aiter__(self) -> AsyncItems[Item]:
        return AsyncItems(self.iter_pages())

    async def _itself(self) -> AsyncPage[Item, Body]:
        return self

    def __repr__(self) -> str:
        return f"AsyncPage(items=<{len(self.items)}>, total={self.total})"
