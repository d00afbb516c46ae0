/**
 * Stand-in for the platform, for work on the frontend alone: `npm run build && npm run mock`, then open the
 * printed address. Serves dist/, answers the REST paths from dev/mock-data.mjs and pushes live frames. Not
 * shipped.
 */

import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { WebSocketServer } from "ws";
import { answer } from "./mock-data.mjs";
import { follow } from "./mock-live.mjs";

const port = Number(process.env.PORT ?? 8499);
const dist = process.env.DIST ?? new URL("../dist/", import.meta.url).pathname;
const TYPES = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".html": "text/html",
};

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/api/v1/")) {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const [status, value] = answer(
        request.method,
        url.pathname.slice(7),
        url.searchParams,
        body ? JSON.parse(body) : null,
      );
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(value === null ? undefined : JSON.stringify(value));
    });
    return;
  }
  const file = url.pathname.startsWith("/static/")
    ? join(dist, url.pathname.slice(8))
    : join(dist, "index.html");
  if (!existsSync(file)) {
    response.writeHead(404);
    response.end();
    return;
  }
  response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(response);
});

new WebSocketServer({ server, path: "/ws/live" }).on("connection", (socket) => {
  const running = new Map();
  socket.on("message", (text) => {
    const { op, id, channel, where } = JSON.parse(String(text));
    running.get(id)?.();
    running.delete(id);
    if (op === "subscribe")
      running.set(
        id,
        follow(channel, (frame) => socket.send(JSON.stringify({ ...frame, id })), where),
      );
  });
  socket.on("close", () => {
    for (const stop of running.values()) stop();
  });
});

server.listen(port, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${port}\n`));
