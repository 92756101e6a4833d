from __future__ import annotations

import unasync


def test_sync_is_generated() -> None:
    stale = [
        path.name
        for path, text in unasync.generate().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    assert stale == [], "run python scripts/unasync.py"


def test_own_files() -> None:
    for name in unasync.OWN:
        assert (unasync.PACKAGE / "_sync" / name).exists()
        assert (unasync.PACKAGE / "_async" / name).exists()
    generated = {p.name for p in unasync.generate()}
    assert {p.name for p in (unasync.PACKAGE / "_sync").glob("*.py")} == generated | unasync.OWN
