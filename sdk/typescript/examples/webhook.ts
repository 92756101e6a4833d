import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

import { Census, WebhookVerificationError } from "@mcp-census/sdk";

const secret = process.env["CENSUS_WEBHOOK_SECRET"] ?? "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

export const server = createServer(async (req, res) => {
  try {
    const event = await Census.webhooks.unwrap(await buffer(req), req.headers, secret);
    if (event.type === "server.version") {
      console.log(event.data.server.id, event.data.before, event.data.after);
    } else {
      console.log(event.id, event.type, event.data);
    }
    res.writeHead(204).end();
  } catch (e) {
    if (!(e instanceof WebhookVerificationError)) throw e;
    res.writeHead(400).end(e.message);
  }
}).listen(Number(process.env["PORT"] ?? 8000));
