"""Methods that return the raw response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from .._response import Response
from ._transport import with_response

P = ParamSpec("P")
T = TypeVar("T")


def raw(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[Response[T]]]:
    """Return a method that returns the raw response."""

    async def call(*args: P.args, **kwargs: P.kwargs) -> Response[T]:
        return await with_response(lambda: method(*args, **kwargs))

    return call
