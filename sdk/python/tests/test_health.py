from __future__ import annotations

from typing import Any

import pytest
from drivers import Driver, Stub, answer, problem

from mcp_census import (
    APIError,
    APITimeoutError,
    InternalServerError,
    InvalidResponseError,
    NotFoundError,
)
from mcp_census.types import Health, Pending

REPORT = {"server": None, "score": 75, "status": "scored"}


def pending(status_url: str = "http://127.0.0.1:8080/api/checks/ck_1", **headers: str) -> Any:
    body = {"status": "pending", "githubUrl": "https://github.com/o/r", "statusUrl": status_url}
    return answer(202, body, **headers)


def test_finished(driver: Driver) -> None:
    stub = Stub(answer(200, REPORT))
    got = driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert isinstance(got, Health)
    assert got.score == 75
    assert str(stub.last.url) == "http://127.0.0.1:8080/api/health?githubUrl=o%2Fr"


def test_waits(driver: Driver) -> None:
    stub = Stub(pending(retry_after="2"), pending(retry_after="5"), pending(), answer(200, REPORT))
    got = driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert isinstance(got, Health)
    assert stub.sleeps == [2, 5, 2]
    assert [r.url.path for r in stub.requests] == ["/api/health"] + ["/api/checks/ck_1"] * 3


def test_waits_at_least_a_second(driver: Driver) -> None:
    stub = Stub(pending(retry_after="0"), answer(200, REPORT))
    driver.run(driver.client(stub), lambda c: c.health(server="a"))
    assert stub.sleeps == [1]


def test_does_not_wait(driver: Driver) -> None:
    stub = Stub(pending())
    client = driver.client(stub)
    got = driver.run(client, lambda c: c.health(github_url="o/r", wait_until_done=False))
    assert isinstance(got, Pending)
    assert (len(stub.requests), stub.sleeps) == (1, [])

    stub.replies = (answer(200, REPORT),)
    for id in (got.status_url, "/api/checks/ck_1", "ck_1"):
        report = driver.run(client, lambda c: c.check(id))
        assert isinstance(report, Health)
        assert stub.last.url.path == "/api/checks/ck_1"


def test_check_is_pending(driver: Driver) -> None:
    stub = Stub(pending())
    assert isinstance(driver.run(driver.client(stub), lambda c: c.check("ck_1")), Pending)


def test_max_wait(driver: Driver) -> None:
    stub = Stub(pending(retry_after="40"))
    with pytest.raises(APITimeoutError, match=r'after 100 s; call check\("ck_1"\) later'):
        driver.run(driver.client(stub), lambda c: c.health(github_url="o/r", max_wait=100))
    assert stub.sleeps == [40, 40, 20]


def test_key_stays_with_the_registry(driver: Driver) -> None:
    stub = Stub(pending("https://evil.example/api/checks/ck_1"), answer(200, REPORT))
    driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert str(stub.last.url) == "http://127.0.0.1:8080/api/checks/ck_1"


@pytest.mark.parametrize("url", ["", "https://evil.example/", "..", None])
def test_odd_status_url(driver: Driver, url: Any) -> None:
    stub = Stub(pending(url), answer(404, problem(404, "check_not_found")))
    with pytest.raises((InvalidResponseError, NotFoundError)):
        driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert {r.url.host for r in stub.requests} == {"127.0.0.1"}


def failed(code: str) -> Any:
    status = 502 if code == "check_failed" else 404
    return answer(status, problem(status, code), x_should_retry="false")


@pytest.mark.parametrize("code", ["check_failed", "check_not_found"])
def test_repeats_a_check_without_a_result(driver: Driver, code: str) -> None:
    stub = Stub(pending(), failed(code), pending(), answer(200, REPORT))
    got = driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert isinstance(got, Health)
    assert [r.url.path for r in stub.requests] == ["/api/health", "/api/checks/ck_1"] * 2


@pytest.mark.parametrize("code", ["check_failed", "check_not_found"])
def test_repeats_a_check_once(driver: Driver, code: str) -> None:
    stub = Stub(pending(), failed(code), pending(), failed(code))
    with pytest.raises(APIError) as e:
        driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert (e.value.code, len(stub.requests)) == (code, 4)


def test_cannot_repeat_a_check(driver: Driver) -> None:
    busy = answer(503, problem(503, "unavailable"), retry_after="3600")
    stub = Stub(pending(), failed("check_failed"), busy)
    with pytest.raises(InternalServerError) as e:
        driver.run(driver.client(stub), lambda c: c.health(github_url="o/r"))
    assert (e.value.code, stub.last.url.path) == ("unavailable", "/api/health")
