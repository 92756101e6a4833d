"""Copies the examples into README.md, where a comment names each of them.

Run it after each change of an example: ``python scripts/readme.py``. A test compares.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"(<!-- (examples/\w+\.py) -->\n```python\n).*?(```)", re.DOTALL)


def filled(readme: str) -> str:
    """Return a README with the present text of the examples."""

    def block(match: re.Match[str]) -> str:
        before, name, after = match.groups()
        return before + (ROOT / name).read_text(encoding="utf-8") + after

    return BLOCK.sub(block, readme)


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
