import { afterEach, expect, test } from "vitest";
import { type World, world } from "./world.ts";

let here: World;
afterEach(() => here.close());

test("two nodes are added and become Ready", { timeout: 60_000 }, async () => {
  here = await world();
  const shown = await here.type("operator", "/win add web 2");
  console.log(JSON.stringify(shown).slice(0, 600));
  try {
    await here.until(async () => (await here.operations())[0]?.endedAt != null, 90);
  } finally {
    console.log(JSON.stringify(await here.operations(), null, 1));
    console.log(JSON.stringify(await here.nodes((await here.operations())[0]?.id ?? ""), null, 1));
    console.log(here.ground.lambda.executions().map((e) => JSON.stringify(e).slice(0, 700)).join("\n"));
    const calls = here.ground.foundation.calls.after(0);
    console.log(calls.length, calls.filter((c) => c.error).slice(0, 20));
  }
  expect((await here.operations())[0]?.status).toBe("succeeded");
});
