"""The settings of a client."""

from __future__ import annotations

import dataclasses
import ipaddress
import os
import platform
import random
import ssl
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from ._etag import ETagCache
from ._version import __version__
from .errors import CensusError

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_TIMEOUT = 60.0
DEFAULT_CONNECT_TIMEOUT = 10.0
DEFAULT_MAX_RETRIES = 2

USER_AGENT = (
    f"census-python/{__version__} "
    f"({platform.python_implementation()} {platform.python_version()}; {platform.system()})"
)


class APIKey(httpx.Auth):
    """An API key. Its text only appears in request headers."""

    __slots__ = ("__text",)

    def __init__(self, text: str) -> None:
        if not text.isascii() or not text.isprintable() or " " in text:
            raise CensusError("The API key contains invalid characters.")
        self.__text = text

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = "Bearer " + self.__text
        yield request

    def redact(self, body: bytes) -> bytes:
        """Return a body with the key masked."""
        return body.replace(self.__text.encode(), str(self).encode())

    def __str__(self) -> str:
        return (self.__text[:8] if len(self.__text) >= 24 else "") + "…"

    __repr__ = __str__

    def __reduce__(self) -> str:
        raise TypeError("API keys cannot be pickled")


@dataclass(frozen=True)
class Clock:
    """Clock and randomness, replaceable in tests."""

    monotonic: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    sleep: Callable[[float], object] | None = None
    """Called instead of sleeping, with seconds."""


@dataclass(frozen=True)
class Options:
    """Complete, valid settings of a client."""

    base_url: str
    api_key: APIKey | None
    timeout: float
    connect_timeout: float
    max_retries: int
    default_headers: Mapping[str, str] = field(repr=False)
    etag_cache: ETagCache | None
    clock: Clock = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of each request, without the key."""
        return {"Accept": "application/json", "User-Agent": USER_AGENT, **self.default_headers}

    @property
    def loopback(self) -> bool:
        """Whether the registry is on this machine."""
        return _loopback(urlsplit(self.base_url).hostname or "")

    @property
    def verify(self) -> ssl.SSLContext | bool:
        """Verification of certificates for the HTTP client.

        Loading certificates dominates the time of a first call. They are not needed over http,
        because redirects to https are not followed. An empty context trusts nothing.
        """
        if self.base_url.startswith("http:"):
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return True

    @property
    def mounts(self) -> dict[str, None]:
        """URLs that do not use the proxies of the environment.

        They are on this machine: through a proxy, the key would leave it unencrypted.
        """
        if not self.loopback:
            return {}
        host = urlsplit(self.base_url).hostname or ""
        return {f"all://[{host}]" if ":" in host else f"all://{host}": None}

    def replaced(
        self,
        timeout: float | None,
        connect_timeout: float | None,
        max_retries: int | None,
        default_headers: Mapping[str, str] | None,
    ) -> Options:
        """Return a copy with the settings that are not None."""
        given = {
            "timeout": timeout,
            "connect_timeout": connect_timeout,
            "max_retries": max_retries,
        }
        changes: dict[str, object] = {k: v for k, v in given.items() if v is not None}
        if default_headers is not None:
            changes["default_headers"] = {**self.default_headers, **default_headers}
        return checked(dataclasses.replace(self, **changes))  # type: ignore[arg-type]


def options(
    *,
    api_key: str | None,
    base_url: str | None,
    timeout: float,
    connect_timeout: float,
    max_retries: int,
    default_headers: Mapping[str, str] | None,
    etag_cache: bool,
    clock: Clock | None,
) -> Options:
    """Return the settings of a client, completed from the environment.

    Raises CensusError if they are invalid.
    """
    key = (os.environ.get("CENSUS_API_KEY", "") if api_key is None else api_key).strip()
    url = (base_url or os.environ.get("CENSUS_URL") or DEFAULT_URL).strip().rstrip("/")
    return checked(
        Options(
            base_url=url,
            api_key=APIKey(key) if key else None,
            timeout=timeout,
            connect_timeout=connect_timeout,
            max_retries=max_retries,
            default_headers=dict(default_headers or {}),
            etag_cache=ETagCache() if etag_cache else None,
            clock=clock or Clock(),
        )
    )


def checked(o: Options) -> Options:
    """Return settings, or raise CensusError if they are invalid."""
    try:
        url = urlsplit(o.base_url)
        host, _, _ = url.hostname, url.port, httpx.URL(o.base_url)
    except (ValueError, httpx.InvalidURL) as e:
        raise CensusError(f"base_url (or CENSUS_URL) is not a URL: {e}.") from None
    if url.scheme not in ("http", "https") or not host:
        raise CensusError(
            "base_url (or CENSUS_URL) must be an http or https URL such as "
            f"{DEFAULT_URL}, got {o.base_url!r}."
        )
    if url.username is not None or url.query or url.fragment:
        raise CensusError("base_url must not have a user name, a query string or a fragment.")
    if o.api_key and url.scheme == "http" and not o.loopback:
        raise CensusError(
            f"The API key is not sent to {host} over http, where others can read it. "
            'Use https, or api_key="" for requests without a key.'
        )
    if not (o.timeout > 0 and o.connect_timeout > 0):
        raise CensusError("timeout and connect_timeout must be more than 0 seconds.")
    if o.max_retries < 0:
        raise CensusError(f"max_retries must be at least 0, got {o.max_retries}.")
    return o


def _loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
