"""Sleeping. Not used by _sync."""

from __future__ import annotations

import anyio

from .._options import Clock


async def sleep(clock: Clock, seconds: float) -> None:
    """Wait a number of seconds."""
    if clock.sleep is not None:
        clock.sleep(seconds)
        seconds = 0
    await anyio.sleep(seconds)
