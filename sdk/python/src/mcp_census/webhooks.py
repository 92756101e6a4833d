"""Verification and parsing of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .errors import WebhookVerificationError
from .types import WebhookData, WebhookPayload  # noqa: F401 - in inherited annotations

__all__ = ["WebhookEvent", "Webhooks", "unwrap"]

TOLERANCE: float = 300.0
"""Maximum deviation of the timestamp, in seconds."""


@dataclass(frozen=True, repr=False)
class WebhookEvent(WebhookPayload):
    """A verified webhook.

    ``type`` determines the class of ``data``, a ``dict`` for unknown types. Without a time in the
    body, ``timestamp`` is when the webhook was sent.
    """

    id: str
    """ID of the event, the same for each delivery. Use it to ignore duplicates."""


def unwrap(
    body: str | bytes | bytearray,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
) -> WebhookEvent:
    """Verify a webhook and return its event.

    Raises WebhookVerificationError if the signature is invalid, or the webhook is too old or too
    new.

    Args:
        body: The raw body of the request.
        headers: The headers of the request.
        secret: ``whsec_`` and base64. Pass both secrets during a rotation.
        tolerance: Maximum deviation of the timestamp, in seconds.
    """
    given = {k.lower(): v for k, v in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    missing = [n for n in names if not given.get(n)]
    if missing:
        raise WebhookVerificationError(f"headers are missing: {', '.join(missing)}")
    id, sent, signatures = (given[n] for n in names)
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{id}.{sent}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets:
        raise ValueError("secret must not be empty")
    expected = [_signature(s, signed) for s in secrets]
    if not _matches(signatures, expected):
        raise WebhookVerificationError("no signature matches the secret")
    return _event(id, _fresh(sent, tolerance), content)


def _signature(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if not key:
        raise ValueError("secret must be whsec_ followed by base64")
    return hmac.new(key, signed, hashlib.sha256).digest()


def _matches(signatures: str, expected: list[bytes]) -> bool:
    found = False
    for signature in signatures.split()[:100]:
        version, _, text = signature.partition(",")
        if version != "v1":
            continue
        try:
            given = base64.b64decode(text, validate=True)
        except ValueError:
            continue
        for e in expected:
            found |= hmac.compare_digest(given, e)
    return found


def _fresh(sent: str, tolerance: float) -> dt.datetime:
    """Return the time when the webhook was sent."""
    if not (sent.isascii() and sent.isdigit() and len(sent) < 12):
        raise WebhookVerificationError("webhook-timestamp is not a number of seconds")
    age = time.time() - int(sent)
    if abs(age) > tolerance:
        when = f"{age:.0f} s ago" if age > 0 else f"in {-age:.0f} s"
        raise WebhookVerificationError(
            f"the webhook was sent {when}; accepted are {tolerance:g} s. Check the clock."
        )
    return dt.datetime.fromtimestamp(int(sent), dt.timezone.utc)


def _event(id: str, sent: dt.datetime, content: bytes) -> WebhookEvent:
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError):
        raw = None
    if not isinstance(raw, dict):
        raise WebhookVerificationError("the body is not a JSON object")
    return WebhookEvent.from_dict({"timestamp": sent.isoformat(), **raw, "id": id})


class Webhooks:
    """Verifies and parses webhooks. Requires neither a key nor the registry."""

    unwrap = staticmethod(unwrap)
