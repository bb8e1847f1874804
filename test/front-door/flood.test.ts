import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { receiver } from "../../lambdas/front-door/receive.ts";
import { fakeFrontDoor, NOW } from "./fake-front-door.ts";

const logged: string[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, "warn").mockImplementation((line: string) => void logged.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("a flood of unsigned requests is refused one by one, and logged in samples", async () => {
  let now = NOW;
  const door = receiver(fakeFrontDoor(() => now).door);
  const send = async () => (await door({ headers: {}, body: "command=/win" }, {})).statusCode;
  for (let request = 0; request < 250; request += 1) expect(await send()).toBe(401);
  expect(logged).toEqual(Array(10).fill("refused with 401: no timestamp"));
  now += 60_000;
  expect(await send()).toBe(401);
  expect(logged.slice(10)).toEqual(["refused 240 more requests in that minute", "refused with 401: no timestamp"]);
});
