import { createServer } from "node:http";
import { expect, test } from "vitest";
import { stand, takePlaces } from "../../bin/listen.ts";
import { closed } from "../../bin/open-doors.ts";

test("turns away who comes too early, and lets in who comes once the door stands", async () => {
  const places = await takePlaces(0);
  const address = `http://127.0.0.1:${places.ui.port}`;
  await expect(fetch(address, { signal: AbortSignal.timeout(5_000) })).rejects.toThrow("fetch failed");
  const door = createServer((_, answer) => answer.end("open"));
  await stand(door, places.ui);
  expect(await (await fetch(address)).text()).toBe("open");
  for (const { server } of Object.values(places)) server.close();
  await closed(door);
});
