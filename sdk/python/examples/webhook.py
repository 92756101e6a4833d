import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from mcp_census import Census, WebhookVerificationError
from mcp_census.types import WebhookVersionData

SECRET = os.environ.get("CENSUS_WEBHOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = Census.webhooks.unwrap(body, dict(self.headers), SECRET)
        except WebhookVerificationError as e:
            self.send_error(400, str(e))
            return
        if isinstance(event.data, WebhookVersionData):
            print(event.data.server.id, event.data.before, event.data.after)
        else:
            print(event.id, event.type, event.data)
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
