from __future__ import annotations

import pickle
from typing import Any

import pytest
from drivers import KEY, Driver, Stub, Threads, answer, problem

from mcp_census import errors
from mcp_census.errors import APIError, InvalidResponseError
from mcp_census.types import FieldError

CLASSES = {
    400: errors.BadRequestError,
    401: errors.AuthenticationError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    410: errors.GoneError,
    429: errors.RateLimitError,
    500: errors.InternalServerError,
    503: errors.InternalServerError,
    599: errors.InternalServerError,
}


def raised(driver: Driver, reply: Any) -> APIError:
    """Return the error that a response leads to."""
    client = driver.client(Stub(reply), max_retries=0)
    with pytest.raises(APIError) as caught:
        driver.run(client, lambda c: c.servers.retrieve("a"))
    return caught.value


@pytest.mark.parametrize("status", [*range(300, 452), *range(500, 600)])
def test_statuses(status: int) -> None:
    e = raised(Threads(), answer(status, problem(status, "x", instance="/v1")))
    assert type(e) is CLASSES.get(500 if status >= 500 else status, APIError)
    assert (e.status, e.code, e.title, e.detail, e.request_id) == (
        status,
        "x",
        "Title",
        "Detail.",
        "R1",
    )
    assert str(e) == f"{status} x: Detail."


def test_members(driver: Driver) -> None:
    e = raised(
        driver,
        answer(
            400,
            problem(400, errors=[{"field": "limit", "message": "is odd", "new": 1}]),
            x_request_id="R2",
        ),
    )
    assert [(f.field, f.message) for f in e.errors] == [("limit", "is odd")]
    assert e.request_id == "R2"
    assert str(e) == "400 c: Detail. (request R2)"
    assert e.headers["X-Request-ID"] == "R2"

    e = raised(driver, answer(403, problem(403, requiredPlans=["professional", "platinum"])))
    assert isinstance(e, errors.PermissionDeniedError)
    assert e.required_plans == ["professional", "platinum"]

    e = raised(driver, answer(404, problem(404, candidates=["b", "c"])))
    assert isinstance(e, errors.NotFoundError)
    assert e.candidates == ["b", "c"]
    assert "Did you mean b, c?" in str(e)

    e = raised(driver, answer(401, problem(401, "missing_api_key")))
    assert "CENSUS_API_KEY" in str(e)


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        (b"", "text/plain", "404: Not Found"),
        (b'{"detail": "cut', "application/problem+json", '404: Not Found: {"detail": "cut'),
        (b"<html><h1>no</h1>", "text/html; charset=utf-8", "404: Not Found"),
        (b"no such page", "text/plain", "404: Not Found: no such page"),
        (b"\xff\xfe\x00", "text/plain", "404: Not Found: \ufffd\ufffd\x00"),
        (b"[]", "application/json", "404: Not Found: []"),
        (b"null", "application/json", "404: Not Found: null"),
        (b"[" * 100000, "application/json", "404: Not Found: " + "[" * 200),
        (b'{"code": 5, "detail": [], "errors": 1, "candidates": "x"}', "application/json", "404: "),
        (b'{"errors": [null, 1, {}], "candidates": [1, "a"]}', "application/json", "404: "),
        (b"x" * 100000, "text/plain", "404: Not Found: " + "x" * 200),
    ],
)
def test_odd_documents(driver: Driver, body: bytes, kind: str, message: str) -> None:
    e = raised(driver, answer(404, body, content_type=kind))
    assert isinstance(e, errors.NotFoundError)
    assert str(e).startswith(message)
    assert (e.code, e.title, e.detail, e.request_id) == (None, None, None, None)
    assert e.candidates in ([], ["a"])
    assert all(isinstance(f, FieldError) for f in e.errors)


@pytest.mark.parametrize("body", [b"", b"ok", b"[]", b'{"id": ', b"\xff", b"<html>", b"[" * 100000])
def test_invalid_response(driver: Driver, body: bytes) -> None:
    e = raised(driver, answer(200, body, content_type="text/html"))
    assert type(e) is InvalidResponseError
    assert "the response is not a JSON object" in str(e)
    assert "Check that the base URL" in str(e)


@pytest.mark.parametrize(
    "body", [{}, {"servers": []}, {"servers": {}, "pagination": {}}, {"pagination": {}}]
)
def test_invalid_page(driver: Driver, body: Any) -> None:
    client = driver.client(Stub(answer(200, body)))
    with pytest.raises(InvalidResponseError, match="is not a list of servers"):
        driver.run(client, lambda c: c.servers.list())


def test_pickle(driver: Driver) -> None:
    for status in (404, 429):
        e = raised(driver, answer(status, problem(status), retry_after="9"))
        other = pickle.loads(pickle.dumps(e))
        assert type(other) is type(e)
        assert (str(other), other.code, other.status) == (str(e), "c", status)
        assert getattr(other, "retry_after", 9) == 9


def test_key_in_the_body_is_masked(driver: Driver) -> None:
    e = raised(driver, answer(502, f"Authorization: Bearer {KEY}".encode()))
    assert KEY not in str(e)
    assert KEY not in str(e.body)
    assert KEY not in repr(e.response)
