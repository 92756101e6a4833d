"""Lists are requested at once; _async has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ._pages import Page

__all__ = ["Page", "pager"]

Item = TypeVar("Item")
Body = TypeVar("Body")


def pager(first: Callable[[], Page[Item, Body]]) -> Page[Item, Body]:
    """Return the first page of a list."""
    return first()
