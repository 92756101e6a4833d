"""Filters and orders of searches. Names are those of the API."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Literal, TypedDict, Union

from .types import CategoryParam, Grade, SdkParam, Status, Transport

__all__ = [
    "Exists",
    "Filters",
    "FlagFilter",
    "NumberFilter",
    "NumberOperators",
    "SearchSort",
    "TextFilter",
    "TextOperators",
    "TimeFilter",
    "TimeOperators",
]

SearchSort = Literal[
    "relevance",
    "-relevance",
    "relevance:asc",
    "relevance:desc",
    "recommended",
    "-recommended",
    "recommended:asc",
    "recommended:desc",
    "qualityScore",
    "-qualityScore",
    "qualityScore:asc",
    "qualityScore:desc",
    "stars",
    "-stars",
    "stars:asc",
    "stars:desc",
    "downloads",
    "-downloads",
    "downloads:asc",
    "downloads:desc",
    "popularity",
    "-popularity",
    "popularity:asc",
    "popularity:desc",
    "updated",
    "-updated",
    "updated:asc",
    "updated:desc",
    "created",
    "-created",
    "created:asc",
    "created:desc",
    "toolTokens",
    "-toolTokens",
    "toolTokens:asc",
    "toolTokens:desc",
    "name",
    "-name",
    "name:asc",
    "name:desc",
]
"""Orders of ``search``: a field in its default direction, ``-field``, ``field:asc`` or
``field:desc``."""


class Exists(TypedDict):
    """Whether the value is known."""

    exists: bool


class TextOperators(TypedDict, total=False):
    """Conditions on a string; all must match."""

    eq: str
    ne: str
    exists: bool


# in is a keyword, so class syntax cannot declare it.
TextIn = TypedDict("TextIn", {"in": Sequence[str]}, total=False)
NumberIn = TypedDict("NumberIn", {"in": Sequence[float]}, total=False)


class NumberOperators(TypedDict, total=False):
    """Conditions on a number; all must match."""

    eq: float
    ne: float
    gt: float
    gte: float
    lt: float
    lte: float
    exists: bool


class TimeOperators(TypedDict, total=False):
    """Conditions on a time; all must match. Strings are RFC 3339."""

    eq: dt.datetime | str
    ne: dt.datetime | str
    gt: dt.datetime | str
    gte: dt.datetime | str
    lt: dt.datetime | str
    lte: dt.datetime | str
    exists: bool


TextFilter = Union[str, Sequence[str], TextOperators, TextIn]
NumberFilter = Union[float, Sequence[float], NumberOperators, NumberIn]
TimeFilter = Union[dt.datetime, str, TimeOperators]
FlagFilter = Union[bool, Exists]


class Filters(TypedDict, total=False):
    """Conditions on servers; all must match.

    A value must be equal, a list must contain the value, and a dict holds operators: eq, ne, gt,
    gte, lt, lte, in, exists. Unknown values only match ne and ``{"exists": False}``.
    """

    category: CategoryParam | Sequence[CategoryParam] | TextOperators | TextIn
    sdk: SdkParam | Sequence[SdkParam] | TextOperators | TextIn
    language: TextFilter
    framework: TextFilter
    tags: TextFilter
    license: TextFilter
    transport: Transport | Sequence[Transport] | TextOperators | TextIn
    type: Literal["remote", "package"] | TextFilter
    liveness: Literal["alive", "gated", "down", "unknown"] | TextFilter
    registryType: TextFilter
    owner: TextFilter
    source: TextFilter
    risks: TextFilter
    effect: TextFilter
    readOnly: FlagFilter
    secrets: FlagFilter
    status: Status | Sequence[Status] | TextOperators | TextIn
    official: FlagFilter
    verified: FlagFilter
    copy: FlagFilter
    archived: FlagFilter
    grade: Grade | Sequence[Grade] | TextOperators | TextIn
    qualityScore: NumberFilter
    minScore: float
    popularity: NumberFilter
    stars: NumberFilter
    downloads: NumberFilter
    toolCount: NumberFilter
    toolTokens: NumberFilter
    tools: TextFilter
    updatedAt: TimeFilter
    createdAt: TimeFilter
