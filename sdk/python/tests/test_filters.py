from __future__ import annotations

import re
import typing
from pathlib import Path

import pytest
from drivers import Driver, Stub, answer

from mcp_census import filters
from mcp_census.filters import Filters

DOCUMENT = Path(__file__).parents[3] / "api" / "openapi.yaml"


@pytest.mark.skipif(not DOCUMENT.exists(), reason="api/openapi.yaml is not in this copy")
def test_filters_are_those_of_the_api() -> None:
    schema = DOCUMENT.read_text("utf-8").partition("\n    Filters:\n")[2][:2000]
    keys = re.search(r"Fields: (.*?)\. At most", schema, re.DOTALL)
    assert keys is not None
    names = re.sub(r"\([^)]*\)", "", keys.group(1)).replace("\n", " ").split(",")
    assert {n.strip() for n in names} == set(Filters.__annotations__)


@pytest.mark.skipif(not DOCUMENT.exists(), reason="api/openapi.yaml is not in this copy")
def test_sorts_are_those_of_the_api() -> None:
    document = DOCUMENT.read_text("utf-8")

    pattern = re.search(r"\^ \*\(-\?\(([\w|]+)\)", document)
    assert pattern is not None
    assert set(typing.get_args(filters.SearchSort)) == {
        form.format(field)
        for field in pattern.group(1).split("|")
        for form in ("{}", "-{}", "{}:asc", "{}:desc")
    }


def test_filters_are_sent_as_given(driver: Driver) -> None:
    stub = Stub(answer(200, {"servers": [], "pagination": {"total": 0}}))
    conditions: Filters = {
        "category": ["data", "api"],
        "sdk": {"ne": "go"},
        "license": {"in": ["MIT"]},
        "official": True,
        "stars": {"gte": 10, "lt": 20.5},
        "copy": {"exists": False},
        "type": "remote",
    }
    driver.run(driver.client(stub), lambda c: c.search(filters=conditions))
    assert stub.body() == {"filters": conditions}
