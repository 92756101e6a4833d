"""The base class of the generated types: decoding of JSON objects."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

Self = TypeVar("Self", bound="Model")
Decoder = Callable[[Any], Any]


class Model:
    """An object of a response.

    Decoding never fails. Absent members are ``None``, and values of unexpected types are unchanged.
    Unknown members are in ``model_extra``.
    """

    _cases: ClassVar[Mapping[str, type[Model]]] = {}
    """Types of the member ``data`` by the value of ``type``."""

    @classmethod
    def from_dict(cls: type[Self], raw: Mapping[str, Any]) -> Self:
        """Decode a JSON object, with names as in the API."""
        model = object.__new__(cls)
        values = model.__dict__
        for name, wire, decode in _members(cls):
            value = raw.get(wire)
            values[name] = value if value is None or decode is None else decode(value)
        if cls._cases and isinstance(kind := raw.get("type"), str) and kind in cls._cases:
            values["data"] = _object(cls._cases[kind], raw.get("data"))
        values["_raw"] = raw
        return model

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object, with names as in the API.

        For a decoded object this is a copy of what was received, including unknown
        members. For others, members that are ``None`` are left out.
        """
        raw = self.__dict__.get("_raw")
        if raw is not None:
            return copy.deepcopy(dict(raw))
        return {
            wire: encode(value)
            for name, wire, _ in _members(type(self))
            if (value := getattr(self, name)) is not None
        }

    @property
    def model_extra(self) -> dict[str, Any]:
        """Members that are unknown to this version of the package."""
        known = {wire for _, wire, _ in _members(type(self))}
        raw = self.__dict__.get("_raw", {})
        return {k: copy.deepcopy(v) for k, v in raw.items() if k not in known}

    def __repr__(self) -> str:
        shown = []
        for name, _, _ in _members(type(self)):
            value = getattr(self, name)
            if isinstance(value, (list, dict)) and value:
                shown.append(f"{name}=<{len(value)}>")
            elif value is not None:
                text = repr(value)
                shown.append(f"{name}={text if len(text) <= 80 else text[:79] + '…'}")
        return f"{type(self).__name__}({', '.join(shown)})"


def encode(value: Any) -> Any:
    """Return a value of a model or request in JSON types.

    It raises ValueError for a time without a time zone.
    """
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            raise ValueError(f"the time {value} must have a time zone, such as timezone.utc")
        return value.astimezone(dt.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {k: encode(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(v) for v in value]
    return value


def camel(name: str) -> str:
    """Return the API name of a member."""
    head, *rest = name.rstrip("_").split("_")
    return head + "".join(w[:1].upper() + w[1:] for w in rest)


_cache: dict[type[Model], tuple[tuple[str, str, Decoder | None], ...]] = {}


def _members(cls: type[Model]) -> tuple[tuple[str, str, Decoder | None], ...]:
    """Return the name, API name and decoder of each member of a model."""
    members = _cache.get(cls)
    if members is None:
        hints = get_type_hints(cls)
        members = _cache[cls] = tuple(
            (f.name, f.metadata.get("wire") or camel(f.name), _decoder(hints[f.name]))
            for f in dataclasses.fields(cls)  # type: ignore[arg-type]
        )
    return members


def _decoder(hint: Any) -> Decoder | None:
    """Return the decoder for values of a type; None if they are unchanged."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Union:
        rest = [a for a in args if a is not type(None)]
        return _decoder(rest[0]) if len(rest) == 1 else None
    if origin is list:
        return functools.partial(_list, _decoder(args[0]))
    if origin is dict:
        return functools.partial(_dict, _decoder(args[1]))
    if isinstance(hint, type) and issubclass(hint, Model):
        return functools.partial(_object, hint)
    return {dt.datetime: _datetime, dt.date: _date}.get(hint)


def _object(cls: type[Model], value: Any) -> Any:
    return cls.from_dict(value) if isinstance(value, dict) else value


def _list(item: Decoder | None, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if item is None:
        return list(value)
    return [v if v is None else item(v) for v in value]


def _dict(item: Decoder | None, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if item is None:
        return dict(value)
    return {k: v if v is None else item(v) for k, v in value.items()}


_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)


def _datetime(value: Any) -> Any:
    """Decode an RFC 3339 time, truncated to microseconds."""
    match = _RFC3339.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    fraction, sign, hours, minutes = match.group(7, 8, 9, 10)
    zone = dt.timezone.utc
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        if sign and (offset := dt.timedelta(hours=int(hours), minutes=int(minutes))):
            zone = dt.timezone(-offset if sign == "-" else offset)
        year, month, day, hour, minute, second = map(int, match.groups()[:6])
        return dt.datetime(year, month, day, hour, minute, second, micros, zone)
    except ValueError:
        return value


def _date(value: Any) -> Any:
    try:
        return dt.date.fromisoformat(value)
    except (TypeError, ValueError):
        return value
