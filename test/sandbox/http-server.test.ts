import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeServer } from "../../bin/servers.ts";
import { httpServer } from "../../lib/sandbox/http-server.ts";

let server: Server | undefined;
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  if (server) await closeServer(server);
  server = undefined;
});

async function opened(answer: Parameters<typeof httpServer>[0]): Promise<number> {
  const made = httpServer(answer);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return (made.address() as AddressInfo).port;
}

const ok = async () => ({ status: 200, headers: {}, body: "fine" });

test("a client that hangs up in the middle of its request is no failure of the sandbox", async () => {
  const port = await opened(ok);
  for (let at = 0; at < 5; at += 1)
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf", () => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
  expect(await (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) })).text()).toBe("fine");
  expect(console.error).not.toHaveBeenCalled();
});

test("a service that breaks is told on the terminal, and the client gets 500", async () => {
  const port = await opened(() => Promise.reject(new Error("broken")));
  expect((await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5_000) })).status).toBe(500);
  expect(console.error).toHaveBeenCalledOnce();
});
