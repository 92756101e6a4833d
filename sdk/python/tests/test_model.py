from __future__ import annotations

import copy
import datetime as dt
import pickle
from typing import Any, ClassVar

import pytest

from mcp_census import types
from mcp_census._model import Model, camel, encode

UTC = dt.timezone.utc
MODELS = [
    m
    for name in types.__all__
    if isinstance(m := getattr(types, name), type) and issubclass(m, Model)
]
ODD: list[Any] = [None, True, -1, 1.5, "", "x", [], [None], [[]], ["x"], {}, {"x": None}, {"a": []}]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_decoding_never_fails(model: type[Model]) -> None:
    empty = model.from_dict({})
    assert empty.to_dict() == {}
    assert repr(empty) == f"{model.__name__}()"
    names = [f.name for f in vars(model)["__dataclass_fields__"].values()]
    for odd in ODD:
        raw = {camel(n): odd for n in names}
        got = model.from_dict(raw)
        assert got.to_dict() == raw
        assert repr(got).startswith(model.__name__)
        assert got == model.from_dict(copy.deepcopy(raw))
        assert all(hasattr(got, n) for n in names)


class TestServer:
    raw: ClassVar[dict[str, Any]] = {
        "id": "a",
        "stars": 5,
        "category": "gardening",
        "transports": ["stdio", "carrier-pigeon"],
        "updatedAt": "2026-11-20T12:00:00Z",
        "repository": {"owner": "o", "stars": 1},
        "new": {"x": [1]},
    }

    def test_members(self) -> None:
        s = types.Server.from_dict(self.raw)
        assert (s.id, s.stars, s.popularity) == ("a", 5, None)
        assert s.category == "gardening"
        assert s.transports == ["stdio", "carrier-pigeon"]
        assert s.updated_at == dt.datetime(2026, 11, 20, 12, tzinfo=UTC)
        assert s.repository.owner == "o"
        assert s.repository.model_extra == {"stars": 1}
        assert s.model_extra == {"new": {"x": [1]}}

    def test_to_dict_is_a_copy(self) -> None:
        s = types.Server.from_dict(self.raw)
        assert s.to_dict() == self.raw
        s.to_dict()["repository"]["owner"] = "p"
        s.transports.append("x")
        s.model_extra["new"]["x"] = 0
        assert s.to_dict() == self.raw

    def test_frozen(self) -> None:
        s = types.Server.from_dict(self.raw)
        with pytest.raises(AttributeError):
            s.id = "b"  # type: ignore[misc]

    def test_pickle_and_copy(self) -> None:
        s = types.Server.from_dict(self.raw)
        for other in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s)):
            assert other == s
            assert other.to_dict() == self.raw

    def test_repr(self) -> None:
        s = types.Server.from_dict({**self.raw, "description": "d" * 200})
        assert repr(s).startswith("Server(id='a', description='ddd")
        assert "ddd…, category='gardening', transports=<2>, " not in repr(s)
        assert "category='gardening'" in repr(s)
        assert "transports=<2>" in repr(s)
        assert len(repr(s)) < 500


def test_constructed_model() -> None:
    links = types.Links(self="/a", html="/b", health="/c", badge="/d")
    assert links.to_dict() == {"self": "/a", "html": "/b", "health": "/c", "badge": "/d"}
    assert links.model_extra == {}
    source = types.Source(
        name="github",
        first_seen_at=dt.datetime(2026, 1, 2, tzinfo=UTC),
        last_seen_at=None,
    )
    assert source.to_dict() == {"name": "github", "firstSeenAt": "2026-01-02T00:00:00Z"}


def test_names_on_the_wire() -> None:
    raw = {"quality_score": 7, "_meta": {"org.x/server": {"id": "a", "transports": []}}}
    entry = types.ToolEntry.from_dict(raw)
    assert entry.quality_score == 7
    assert entry.meta["org.x/server"].id == "a"
    period = types.UsagePeriod.from_dict({"from": "2026-01-02", "to": "2026-02-30"})
    assert period.from_ == dt.date(2026, 1, 2)
    assert period.to == "2026-02-30"  # not a date


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("2026-11-20T12:00:00Z", dt.datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("2026-11-20t12:00:00.5z", dt.datetime(2026, 11, 20, 12, 0, 0, 500000, UTC)),
        ("2026-11-20T12:00:00.123456789Z", dt.datetime(2026, 11, 20, 12, 0, 0, 123456, UTC)),
        ("2026-11-20T12:00:00+00:00", dt.datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("2026-11-20T12:00:00-01:30", dt.datetime(2026, 11, 20, 13, 30, tzinfo=UTC)),
        ("2026-11-20T12:00:60Z", "2026-11-20T12:00:60Z"),
        ("2026-13-20T12:00:00Z", "2026-13-20T12:00:00Z"),
        ("0001-01-01T00:00:00Z", dt.datetime(1, 1, 1, tzinfo=UTC)),
        ("2026-11-20T12:00:00+99:00", "2026-11-20T12:00:00+99:00"),
        ("2026-11-20", "2026-11-20"),
        ("٢٠٢٦-11-20T12:00:00Z", "٢٠٢٦-11-20T12:00:00Z"),
        (1795179600, 1795179600),
    ],
)
def test_times(text: Any, want: Any) -> None:
    assert types.Source.from_dict({"firstSeenAt": text}).first_seen_at == want


def test_encode() -> None:
    zone = dt.timezone(dt.timedelta(hours=2))
    assert encode(
        {
            "a": (1, {2}),
            "t": dt.datetime(2026, 1, 2, 3, tzinfo=zone),
            "d": dt.date(2026, 1, 2),
            "m": types.FieldError("f", "m"),
        }
    ) == {
        "a": [1, [2]],
        "t": "2026-01-02T01:00:00Z",
        "d": "2026-01-02",
        "m": {"field": "f", "message": "m"},
    }
    with pytest.raises(ValueError, match="must have a time zone"):
        encode(dt.datetime(2026, 1, 2))
