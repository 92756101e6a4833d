"""Fixtures of all tests."""

from __future__ import annotations

import os

import pytest
from drivers import Driver, drivers

_DRIVERS = dict(drivers())


@pytest.fixture(params=list(_DRIVERS))
def driver(request: pytest.FixtureRequest) -> Driver:
    """Each client in turn."""
    return _DRIVERS[str(request.param)]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the variables of the environment that clients read."""
    for name in list(os.environ):
        if name in ("CENSUS_API_KEY", "CENSUS_URL") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
