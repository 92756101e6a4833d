"""The calls that all SDKs have in common, with recorded responses."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from drivers import Driver, Stub, answer

from mcp_census import APIError, AsyncPage, Page
from mcp_census._model import Model, _members
from mcp_census.errors import _BY_STATUS
from mcp_census.types import AnalyticsTotalsDownloads, ServerJSON

FOLDER = Path(__file__).parents[2] / "fixtures"


def _calls() -> list[Any]:
    file = FOLDER / "calls.json"
    if not file.exists():
        return []
    return [pytest.param(c, id=c["name"]) for c in json.loads(file.read_text("utf-8"))["calls"]]


def _snake(name: str) -> str:
    text = re.sub(r"([A-Z])", lambda m: "_" + m.group(1).lower(), name)
    return text + "_" if text in ("from",) else text


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_nulls(v) for v in value]
    return value


def _models(value: Any) -> Iterator[Model]:
    if isinstance(value, Model):
        yield value
        for f in dataclasses.fields(value):  # type: ignore[arg-type]
            yield from _models(getattr(value, f.name))
    elif isinstance(value, (list, dict)):
        for v in value.values() if isinstance(value, dict) else value:
            yield from _models(v)


def _fits(value: Any, hint: Any) -> bool:
    """Report whether a value has the type of an annotation."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin is typing.Union:
        return any(_fits(value, a) for a in args)
    if origin is typing.Literal:
        return value in args
    if origin is list:
        return isinstance(value, list) and all(_fits(v, args[0]) for v in value)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(v, args[1]) for v in value.values())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint in (int, dt.date):
        return type(value) is hint
    return isinstance(value, hint)


def _rebuilt(model: Model) -> dict[str, Any]:
    """Return the object that the decoded members of a model stand for."""
    values = {
        f.name: _copied(getattr(model, f.name))
        for f in dataclasses.fields(model)  # type: ignore[arg-type]
    }
    return {**type(model)(**values).to_dict(), **model.model_extra}


def _copied(value: Any) -> Any:
    if isinstance(value, Model):
        return _rebuilt(value)
    if isinstance(value, list):
        return [_copied(v) for v in value]
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    return value


@pytest.mark.skipif(not FOLDER.exists(), reason="../fixtures is not in this copy")
@pytest.mark.parametrize("call", _calls())
def test_fixture(driver: Driver, call: dict[str, Any]) -> None:
    recorded = json.loads((FOLDER / f"{call['name']}.json").read_text("utf-8"))
    headers = {k.lower(): v for k, v in recorded["headers"].items()}
    stub = Stub(answer(recorded["status"], recorded.get("body"), **headers))
    client = driver.client(stub)

    def use(client: Any) -> Any:
        args = {_snake(k): v for k, v in call["args"].items()}
        method = client
        for name in call["call"].split("."):
            method = getattr(method, _snake(name))
            if name == "view" and "view" in args:
                method = method(args.pop("view"))
        return method(**args)

    if recorded["status"] < 300:
        result = driver.run(client, use)
        _check_result(result, recorded.get("body"))
    else:
        with pytest.raises(APIError) as caught:
            driver.run(client, use)
        _check_error(caught.value, recorded)

    request, want = stub.last, call["request"]
    assert {
        "method": request.method,
        "path": request.url.raw_path.decode().partition("?")[0],
        "query": dict(parse_qsl(request.url.query.decode(), keep_blank_values=True)),
        "body": json.loads(request.content) if request.content else None,
    } == {
        "method": want["method"],
        "path": want["path"],
        "query": want.get("query", {}),
        "body": want.get("body"),
    }
    if call["keyed"]:
        assert request.headers["authorization"].startswith("Bearer ")


def _check_result(result: Any, body: Any) -> None:
    if body is None:
        assert result is None
        return
    if isinstance(result, (Page, AsyncPage)):
        pagination = body.get("pagination", {})
        assert result.total == pagination.get("total")
        following = pagination or body.get("metadata", {})
        more = following.get("nextCursor") or body.get("hasMore") or body.get("before")
        assert result.has_next_page() == bool(more)
        result = result.body
    if isinstance(result, list):
        for item, raw in zip(result, body, strict=True):
            _check_result(item, raw)
        return
    assert result.to_dict() == body
    assert _without_nulls(_rebuilt(result)) == _without_nulls(body)
    for model in _models(result):
        if not isinstance(model, (AnalyticsTotalsDownloads, ServerJSON)):  # have other members
            assert model.model_extra == {}, f"{type(model).__name__} lacks members"
        hints = typing.get_type_hints(type(model))
        raw = model.to_dict()
        wrong = {
            name: value
            for name, wire, _ in _members(type(model))
            if wire in raw and not _fits(value := getattr(model, name), hints[name])
        }
        assert wrong == {}, type(model).__name__


def _check_error(error: APIError, recorded: dict[str, Any]) -> None:
    body = recorded["body"]
    assert type(error) is _BY_STATUS.get(recorded["status"], APIError)
    assert {
        "status": error.status,
        "code": error.code,
        "title": error.title,
        "detail": error.detail,
        "errors": [(e.field, e.message) for e in error.errors],
        "request_id": error.request_id,
        "body": error.body,
    } == {
        "status": recorded["status"],
        "code": body["code"],
        "title": body["title"],
        "detail": body["detail"],
        "errors": [(e["field"], e["message"]) for e in body.get("errors", [])],
        "request_id": body["requestId"],
        "body": body,
    }
