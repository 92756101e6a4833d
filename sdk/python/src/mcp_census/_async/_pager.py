"""Lists that are requested when awaited or iterated. Not used by _sync."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

from ._pages import AsyncItems, AsyncPage, AsyncPages

__all__ = ["AsyncPager", "pager"]

Item = TypeVar("Item")
Body = TypeVar("Body")


class AsyncPager(Generic[Item, Body]):
    """A list: ``await`` returns its first page, ``async for`` iterates over all items."""

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[Item, Body]]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, None, AsyncPage[Item, Body]]:
        return self._first().__await__()

    def __aiter__(self) -> AsyncItems[Item]:
        return AsyncItems(self.iter_pages())

    def iter_pages(self) -> AsyncPages[Item, Body]:
        """Iterate over the pages."""
        return AsyncPages(self._first)


def pager(first: Callable[[], Awaitable[AsyncPage[Item, Body]]]) -> AsyncPager[Item, Body]:
    """Return a list. The function requests its first page."""
    return AsyncPager(first)
