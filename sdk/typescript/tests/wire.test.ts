// Against HTTP servers on this machine.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTCPServer } from "node:net";
import { suite, test, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";

import { APIConnectionError, Census, InvalidResponseError } from "@mcp-census/sdk";

import { CATEGORIES } from "./stub.js";

const BODY = JSON.stringify(CATEGORIES);

/** Serves until the test ends; returns a client of it. */
async function serve(
  t: TestContext,
  handler: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Census> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new Census({ baseURL: `http://127.0.0.1:${port}`, apiKey: "", maxRetries: 0 });
}

test("gzip", async (t) => {
  const census = await serve(t, (req, res) => {
    assert.match(req.headers["accept-encoding"]!, /gzip/);
    res.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(BODY));
  });
  assert.deepEqual(await census.directory.categories(), CATEGORIES);
});

test("characters across packets", async (t) => {
  const body = Buffer.from(JSON.stringify({ categories: [], total: 1, name: "größe 🙂" }));
  const census = await serve(t, (_, res) => {
    let at = 0;
    const next = () => (at < body.length ? res.write(body.subarray(at, ++at), next) : res.end());
    next();
  });
  const { name } = (await census.directory.categories()) as unknown as { name: string };
  assert.equal(name, "größe 🙂");
});

suite("broken responses", () => {
  const replies: [
    string,
    (res: ServerResponse) => void,
    typeof APIConnectionError | typeof InvalidResponseError,
  ][] = [
    ["reset", (res) => res.destroy(), APIConnectionError],
    [
      "fewer bytes than Content-Length",
      (res) => res.writeHead(200, { "Content-Length": "1000" }).write(BODY, () => res.destroy()),
      APIConnectionError,
    ],
    [
      "more bytes than Content-Length",
      (res) => {
        const head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n";
        res.socket!.end(head + BODY);
      },
      InvalidResponseError,
    ],
    [
      "no last chunk",
      (res) => res.writeHead(200).write(BODY, () => res.destroy()),
      APIConnectionError,
    ],
    [
      "gzip that is not",
      (res) => res.writeHead(200, { "Content-Encoding": "gzip" }).end(BODY),
      APIConnectionError,
    ],
    ["not HTTP", (res) => res.socket!.end("SSH-2.0-x\r\n"), APIConnectionError],
  ];
  for (const [name, reply, want] of replies) {
    test(name, async (t) => {
      const census = await serve(t, (_, res) => reply(res));
      await assert.rejects(census.directory.categories(), (e) => {
        assert(e instanceof Error);
        assert.equal(e.constructor, want, e.message);
        return true;
      });
    });
  }

  test("nothing listens", async () => {
    const server = createTCPServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const census = new Census({ baseURL: `http://127.0.0.1:${port}`, maxRetries: 0 });
    await assert.rejects(census.directory.categories(), {
      message: /^cannot connect to .*ECONNREF/,
    });
  });
});

suite("slow responses", () => {
  const slow: [string, (res: ServerResponse) => void][] = [
    ["head", () => undefined],
    ["body", (res) => res.writeHead(200).write("{")],
    [
      "body of many packets",
      (res) => {
        const timer = setInterval(() => res.write(" "), 10);
        res.on("close", () => clearInterval(timer));
      },
    ],
  ];
  for (const [name, reply] of slow) {
    test(name, async (t) => {
      const census = await serve(t, (_, res) => reply(res));
      const error = { name: "APITimeoutError", message: /^no response from .* within 100 ms$/ };
      await assert.rejects(census.directory.categories({ timeout: 100 }), error);
    });
  }

  test("the next attempt succeeds", async (t) => {
    let requests = 0;
    const census = await serve(t, (_, res) => {
      if (++requests > 1) res.end(BODY);
    });
    const options = { timeout: 200, maxRetries: 1 };
    const { retries } = await census.directory.categories(options).withResponse();
    assert.equal(retries, 1);
  });
});

suite("abort", () => {
  const reason = new Error("enough");

  test("before", async (t) => {
    let requests = 0;
    const census = await serve(t, () => requests++);
    const signal = AbortSignal.abort(reason);
    await assert.rejects(census.directory.categories({ signal }), reason);
    assert.equal(requests, 0);
  });

  for (const [name, reply] of [
    ["while waiting for the head", () => undefined],
    ["while reading", (res: ServerResponse) => res.writeHead(200).write("{")],
  ] as const) {
    test(name, async (t) => {
      const controller = new AbortController();
      const census = await serve(t, (_, res) => {
        reply(res);
        setTimeout(() => controller.abort(reason), 20);
      });
      const { signal } = controller;
      await assert.rejects(census.directory.categories({ signal, maxRetries: 2 }), reason);
    });
  }

  test("between attempts", async (t) => {
    const controller = new AbortController();
    let requests = 0;
    const census = await serve(t, (_, res) => {
      requests++;
      res.writeHead(503, { "Retry-After": "60" }).end();
      setTimeout(() => controller.abort(), 50);
    });
    const options = { signal: controller.signal, maxRetries: 2 };
    await assert.rejects(census.directory.categories(options), { name: "AbortError" });
    assert.equal(requests, 1);
  });

  test("leaves no listeners", async (t) => {
    const census = await serve(t, (_, res) => res.end(BODY));
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (
      listeners--,
      remove(...args)
    );
    for (let i = 0; i < 20; i++) await census.directory.categories({ signal });
    assert.equal(listeners, 0);
  });
});

test("50 tasks of 20 requests", async (t) => {
  const sockets = new Set<unknown>();
  const census = await serve(t, (req, res) => {
    sockets.add(req.socket);
    res.writeHead(200, { "X-Request-Id": req.url! }).end(JSON.stringify({ server: req.url }));
  });
  await Promise.all(
    Array.from({ length: 50 }, async (_, task) => {
      for (let i = 0; i < 20; i++) {
        const { data, requestId } = await census.servers.toolChanges(`${task}-${i}`).withResponse();
        assert.equal(data.server, `/v1/servers/${task}-${i}/tools/changes`);
        assert.equal(requestId, data.server);
      }
    }),
  );
  assert(sockets.size <= 150, `${sockets.size} connections`);
});
