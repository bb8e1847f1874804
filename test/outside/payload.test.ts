import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listen } from "../../bin/ports.ts";
import { closeServer } from "../../bin/servers.ts";

test("npm run payload goes through the proxy that the environment names, and says what the proxy refused", async () => {
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  const cache = mkdtempSync(join(tmpdir(), "casement-payload-"));
  const address = `http://127.0.0.1:${await listen(proxy, 0)}`;
  const image = `registry.example.com/windows/operator@sha256:${"a".repeat(64)}`;
  const words = ["--use-env-proxy", "bin/payload.ts", "--image", image, "--yes", "--cache", cache];
  const configuration = "docs/configuration.example.yaml";
  const run = spawn(process.execPath, [...words, "--configuration", configuration], {
    env: { PATH: process.env.PATH, HOME: cache, HTTPS_PROXY: address },
  });
  try {
    const [said, code] = await Promise.all([text(run.stderr), new Promise((ended) => run.once("exit", ended))]);
    expect(said).toMatch(/^casement: registry\.example\.com did not answer: /);
    expect(code).toBe(2);
    expect(new Set(asked)).toEqual(new Set(["registry.example.com:443"]));
  } finally {
    await closeServer(proxy);
    rmSync(cache, { recursive: true, force: true });
  }
});
