from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import pytest

from mcp_census import AsyncCensus, Census, WebhookVerificationError, webhooks
from mcp_census.types import (
    WebhookAdvisoryData,
    WebhookScoreData,
    WebhookStatusData,
    WebhookTestData,
    WebhookToolsData,
    WebhookVersionData,
)

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"another secret of 24 b..").decode()
NOW = 1614265330
BODY = '{"test": 2432232314}'
HEADERS = {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": str(NOW),
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: float(NOW))


def signed(body: str, *, secret: str = SECRET, id: str = "m", at: Any = NOW) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{id}.{at}.{body}".encode(), hashlib.sha256).digest()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(at),
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
    }


def test_data_of_each_type() -> None:
    path = Path(__file__).parents[2] / "fixtures/webhook_events.json"
    got: list[Any] = []
    for sent in json.loads(path.read_text()):
        body = json.dumps(sent)
        event = webhooks.unwrap(body, signed(body), SECRET)
        assert event.to_dict() == {**sent, "id": "m"}
        data = event.data
        assert not isinstance(data, dict), event.type
        assert data.model_extra == {}
        if isinstance(data, WebhookVersionData):
            got.append((event.type, data.server.version, data.before, data.after))
        elif isinstance(data, WebhookScoreData):
            got.append((event.type, data.before.score, data.after.grade))
        elif isinstance(data, WebhookStatusData) and data.message:
            got.append((event.type, data.message, data.successor_url))
        elif isinstance(data, WebhookAdvisoryData):
            got.append((event.type, data.advisories[0].severity, data.count))
        elif isinstance(data, WebhookToolsData):
            got.append((event.type, data.added, data.without_new_version))
        elif isinstance(data, WebhookTestData):
            got.append((event.type, data.message))
    assert got == [
        ("server.version", "1.1.0", "1.0.0", "1.1.0"),
        ("server.score_changed", 70, "A"),
        ("server.advisory", "high", 1),
        ("server.tools_changed", ["c"], False),
        ("server.deprecated", "Use the other one.", "https://github.com/octo/other-mcp"),
        ("webhook.test", "This is a test."),
    ]


def test_example_of_the_specification() -> None:
    for body in (BODY, BODY.encode(), bytearray(BODY.encode())):
        event = webhooks.unwrap(body, HEADERS, SECRET)
        assert event.id == "msg_p5jXN8AQM9LWM0D4loKWxJek"
        assert event.model_extra == {"test": 2432232314}


def test_event() -> None:
    body = json.dumps(
        {"type": "server.later", "timestamp": "2021-02-25T15:00:00Z", "data": {"id": "ü"}}
    )
    for unwrap in (webhooks.unwrap, Census.webhooks.unwrap, AsyncCensus.webhooks.unwrap):
        event = unwrap(body, signed(body), SECRET)
        assert (event.id, event.type, event.data) == ("m", "server.later", {"id": "ü"})
        assert event.timestamp == dt.datetime(2021, 2, 25, 15, tzinfo=dt.timezone.utc)

    event = webhooks.unwrap('{"id": "x"}', signed('{"id": "x"}'), SECRET)
    assert event.id == "m"
    assert event.timestamp == dt.datetime.fromtimestamp(NOW, dt.timezone.utc)


def test_rotation() -> None:
    headers = signed(BODY)
    webhooks.unwrap(BODY, headers, [OTHER, SECRET])
    webhooks.unwrap(BODY, headers, SECRET.removeprefix("whsec_"))
    both = signed(BODY, secret=OTHER)["webhook-signature"] + " " + headers["webhook-signature"]
    webhooks.unwrap(BODY, {**headers, "webhook-signature": both}, SECRET)
    webhooks.unwrap(BODY, {**headers, "webhook-signature": "v1a,xx v1,!! v1 " + both}, SECRET)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"webhook-id": ""}, "headers are missing: webhook-id"),
        ({"webhook-signature": ""}, "headers are missing: webhook-signature"),
        ({"webhook-id": "n"}, "no signature matches"),
        ({"webhook-timestamp": str(NOW + 1)}, "no signature matches"),
        ({"webhook-signature": "v1,"}, "no signature matches"),
        ({"webhook-signature": "v1,ü"}, "no signature matches"),
        ({"webhook-signature": "v1," + "A" * 43 + "="}, "no signature matches"),
        ({"webhook-signature": "v1,x " * 200}, "no signature matches"),
    ],
)
def test_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(WebhookVerificationError, match=message):
        webhooks.unwrap(BODY, {**signed(BODY), **changes}, SECRET)


def test_changed_body() -> None:
    with pytest.raises(WebhookVerificationError, match="no signature matches"):
        webhooks.unwrap(BODY + " ", signed(BODY), SECRET)
    with pytest.raises(WebhookVerificationError, match="no signature matches"):
        webhooks.unwrap(BODY, signed(BODY), OTHER)
    v2 = signed(BODY)["webhook-signature"].replace("v1,", "v1a,")
    with pytest.raises(WebhookVerificationError, match="no signature matches"):
        webhooks.unwrap(BODY, {**signed(BODY), "webhook-signature": v2}, SECRET)


@pytest.mark.parametrize("at", ["x", "-5", "1e9", "٣", "9" * 30, " 1"])
def test_odd_timestamps(at: str) -> None:
    with pytest.raises(WebhookVerificationError, match="not a number"):
        webhooks.unwrap(BODY, signed(BODY, at=at), SECRET)


def test_tolerance() -> None:
    for age in (300, -300):
        webhooks.unwrap(BODY, signed(BODY, at=NOW - age), SECRET)
    for age, text in ((301, "301 s ago"), (-301, "in 301 s")):
        with pytest.raises(WebhookVerificationError, match=f"sent {text}; accepted are 300 s"):
            webhooks.unwrap(BODY, signed(BODY, at=NOW - age), SECRET)
    webhooks.unwrap(BODY, signed(BODY, at=NOW - 400), SECRET, tolerance=500)


@pytest.mark.parametrize("body", ["", "[]", "{", "\ud7ff", "null"])
def test_odd_bodies(body: str) -> None:
    with pytest.raises(WebhookVerificationError, match="not a JSON object"):
        webhooks.unwrap(body, signed(body), SECRET)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!", [], ["ü"], "whsec_YQ"])
def test_odd_secrets(secret: Any) -> None:
    with pytest.raises(ValueError, match="secret must"):
        webhooks.unwrap(BODY, signed(BODY), secret)
