"""Lists that are requested when they are awaited or iterated; _sync has its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

from ._pages import AsyncPage

__all__ = ["AsyncPager", "pager"]

Item = TypeVar("Item")
Body = TypeVar("Body")


class AsyncPager(Generic[Item, Body]):
    """A list: ``await`` returns its first page, ``async for`` iterates over all items."""

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[Item, Body]]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, None, AsyncPage[Item, Body]]:
        return self._first().__await__()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for item in await self._first():
            yield item

    async def iter_pages(self) -> AsyncIterator[AsyncPage[Item, Body]]:
        """Iterate over the pages."""
        page = await self._first()
        async for p in page.iter_pages():
            yield p


def pager(first: Callable[[], Awaitable[AsyncPage[Item, Body]]]) -> AsyncPager[Item, Body]:
    """Return the list whose first page a function requests."""
    return AsyncPager(first)
