"""Generates src/mcp_census/_sync from src/mcp_census/_async.

Run it after each change of _async: ``python scripts/unasync.py``. Files that both
packages have of their own are not generated; a test compares the others.
"""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "mcp_census"
OWN = {"__init__.py", "_pager.py", "_sleep.py"}

NAMES = {
    "AsyncPager": "Page",
    "AsyncIterator": "Iterator",
    "StopAsyncIteration": "StopIteration",
    "anext": "next",
    "__anext__": "__next__",
    "__aiter__": "__iter__",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
}
HEADER = "# Generated from _async by scripts/unasync.py. DO NOT EDIT.\n"


def sync(source: str) -> str:
    """Return the source of a module without async, await and awaitable types."""
    lines = source.splitlines(keepends=True)
    edits: list[tuple[int, int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (row, start), (_, end) = token.start, token.end
        if token.type != tokenize.NAME:
            continue
        if token.string in ("async", "await"):
            edits.append((row, start, end + 1, ""))
        elif (name := rename(token.string)) != token.string:
            edits.append((row, start, end, name))
    for row, start, end, text in reversed(edits):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + text + line[end:]
    text = "".join(lines)
    text = re.sub(r'"Async(?=\w)', '"', text)
    text = text.replace("``async with``", "``with``")
    text = re.sub(r"Awaitable\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]", r"\1", text)
    text = text.replace(
        "import Iterator, Awaitable, Callable, Iterator", "import Callable, Iterator"
    )
    return text.replace("Awaitable, ", "")


def rename(name: str) -> str:
    """Return the name of a class, function or method in _sync."""
    return NAMES.get(name) or name.removeprefix("Async")


def generate() -> dict[Path, str]:
    """Return the generated modules of _sync."""
    return {
        PACKAGE / "_sync" / file.name: HEADER + sync(file.read_text(encoding="utf-8"))
        for file in sorted((PACKAGE / "_async").glob("*.py"))
        if file.name not in OWN
    }


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text, encoding="utf-8")
