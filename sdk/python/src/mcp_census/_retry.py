"""Retries and delays."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Mapping

MAX_WAIT = 60.0
"""Maximum wait before a retry, in seconds. Longer waits are errors."""

_RETRIED = (408, 409, 429)


def should_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Report whether another attempt may succeed."""
    if headers.get("x-should-retry", "").strip().lower() == "false":
        return False
    return status in _RETRIED or status >= 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait that a response requests, in seconds, or None.

    Dates are compared with the date of the response, not with the local clock.
    """
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return millis / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None:
        return seconds
    at = _date(text)
    if at is None:
        return None
    now = _date(headers.get("date"))
    return max(0.0, at - (time.time() if now is None else now))


def backoff(attempt: int, random: float) -> float:
    """Return the wait after an attempt (0 is the first) without Retry-After, in seconds.

    ``random`` is at least 0 and less than 1.
    """
    return min(0.5 * 2.0 ** min(attempt, 10), 8.0) * (1 - 0.25 * random)


def _number(text: str | None) -> float | None:
    try:
        n = float(text or "")
    except ValueError:
        return None
    return n if math.isfinite(n) and n >= 0 else None


def _date(text: str | None) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
