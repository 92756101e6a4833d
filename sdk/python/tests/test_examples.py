"""The examples and the README, against recorded responses."""

from __future__ import annotations

import gc
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
import readme
import recorded
from drivers import KEY

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(p.name for p in (ROOT / "examples").glob("*.py"))


@pytest.fixture(scope="module")
def registry() -> Iterator[tuple[str, list[str]]]:
    """A registry: its URL, and the requests that it did not know."""
    with recorded.registry() as r:
        yield r


@pytest.mark.skipif(not recorded.FIXTURES.exists(), reason="../fixtures is not in this copy")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the first call does not close its client
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(
    name: str,
    registry: tuple[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    base, unknown = registry
    monkeypatch.setenv("CENSUS_URL", base)
    monkeypatch.setenv("CENSUS_API_KEY", KEY)
    serving = name == "webhook.py"
    runpy.run_path(str(ROOT / "examples" / name), run_name="example" if serving else "__main__")
    gc.collect()  # unclosed clients are collected here and not in another test, where they fail it
    assert unknown == []
    out = capsys.readouterr().out
    assert serving or out.strip(), "the example prints nothing"
    assert KEY not in out


def test_readme() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert readme.filled(text) == text, "run python scripts/readme.py"
    assert {m.group(2) for m in readme.BLOCK.finditer(text)} == {f"examples/{n}" for n in EXAMPLES}
    assert text.count("```python") == len(EXAMPLES)
