"""A registry that replies with the recorded responses of ../fixtures."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "fixtures"

ROUTES = {
    r"GET /api/discover\?(?=.*format=mcp)(?=.*level=tool)": "discover_tools_level",
    r"GET /api/discover": "discover",
    r"GET /api/servers/[^/?]+/tools/changes": "directory_tool_changes",
    r"GET /api/servers": "directory_list",
    r"GET /api/categories": "directory_categories",
    r"GET /api/health": "health_server",
    r"GET /v1/servers/octo-labs-weather-mcp/analytics": "servers_analytics",
    r"GET /v1/servers/octo-labs-weather-mcp$": "servers_retrieve",
    r"GET /v1/servers/octo-labs-wether-mcp$": "servers_retrieve_not_found",
    r"POST /v1/servers/bulk": "servers_bulk",
    r"POST /v1/search": "search",
    r"GET /v1/account": "account_retrieve",
    r"GET /v1/usage\?from=2026-10-01&to=2026-10-31": "account_usage",
    r"GET /v1/plans": "account_plans",
    r"PUT /v1/custom/good-databases/definition": "custom_put",
    r"DELETE /v1/custom/good-databases/definition": "custom_delete",
    r"POST /v1/custom/good-databases/view": "custom_view",
    r"GET /v1/custom/good-databases": "custom_run",
    r"GET /v1/custom$": "custom_list",
    r"GET /api/changes": "directory_changes",
    r"GET /v0.1/servers/io.github.octo-labs%2Fweather-mcp/versions/latest": "registry_retrieve",
    r"GET /r/healthy/v0.1/servers\?": "registry_view_list",
    r"POST /v0.1/validate": "registry_validate",
    r"POST /v1/webhooks$": "webhooks_create",
    r"POST /v1/webhooks/1/test$": "webhooks_test",
    r"GET /v1/webhooks/1/deliveries": "webhooks_deliveries",
    r"DELETE /v1/webhooks/1$": "webhooks_delete",
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for each response
    unknown: list[str]

    def handle_one(self) -> None:
        request = f"{self.command} {self.path}"
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        name = next((n for route, n in ROUTES.items() if re.match(route, request)), None)
        if name is None or ("/v1/" in request and "Authorization" not in self.headers):
            self.unknown.append(request)
            self.send_error(404)
            return
        recorded = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
        answer: dict[str, Any] | None = recorded.get("body")
        if answer and "cursor" in {**body, **({"cursor": 1} if "cursor=" in request else {})}:
            answer["pagination"].update(nextCursor=None)  # the second page is the last
        content = b"" if answer is None else json.dumps(answer).encode()
        etag = f'"{len(content)}"'
        known = self.headers.get("If-None-Match") == etag
        self.send_response(304 if known else recorded["status"])
        for k, v in recorded["headers"].items():
            self.send_header(k, v)
        self.send_header("ETag", etag)
        if not known and answer is not None:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not known:
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = handle_one

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def registry() -> Iterator[tuple[str, list[str]]]:
    """Serve; yield the URL, and the requests that were not known."""
    unknown: list[str] = []
    handler = type("Recorded", (Handler,), {"unknown": unknown})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{httpd.server_address[1]}", unknown
        finally:
            httpd.shutdown()
            thread.join()
