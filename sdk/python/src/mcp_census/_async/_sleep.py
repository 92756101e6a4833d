"""Sleeping; _sync has its own."""

from __future__ import annotations

import anyio

from .._options import Clock


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait that many seconds."""
    if clock.sleep is not None:
        clock.sleep(seconds)
        seconds = 0
    await anyio.sleep(seconds)
