# Generated from _async by scripts/unasync.py. DO NOT EDIT.
"""Methods that return the raw response."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from .._response import Response
from ._transport import with_response

P = ParamSpec("P")
T = TypeVar("T")


def raw(method: Callable[P, T]) -> Callable[P, Response[T]]:
    """Return a method that returns the raw response."""

    def call(*args: P.args, **kwargs: P.kwargs) -> Response[T]:
        return with_response(lambda: method(*args, **kwargs))

    return call
