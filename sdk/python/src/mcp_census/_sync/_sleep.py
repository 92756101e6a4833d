"""Sleeping; _async has its own."""

from __future__ import annotations

import time

from .._options import Clock


def sleep(clock: Clock, seconds: float) -> None:
    """Wait that many seconds."""
    if clock.sleep is not None:
        clock.sleep(seconds)
        return
    time.sleep(seconds)
