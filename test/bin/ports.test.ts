import { createServer } from "node:http";
import { expect, test } from "vitest";
import { bindPorts, handOver } from "../../bin/ports.ts";
import { closeServer } from "../../bin/servers.ts";

test("closes early connections and accepts those that come once the server listens", async () => {
  const ports = await bindPorts(0);
  const address = `http://127.0.0.1:${ports.ui.port}`;
  await expect(fetch(address, { signal: AbortSignal.timeout(5_000) })).rejects.toThrow("fetch failed");
  const server = createServer((_, answer) => answer.end("open"));
  await handOver(server, ports.ui);
  expect(await (await fetch(address)).text()).toBe("open");
  for (const { server } of Object.values(ports)) server.close();
  await closeServer(server);
});
