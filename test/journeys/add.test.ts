import { afterEach, expect, test } from "vitest";
import { type World, world } from "./world.ts";

let here: World;
afterEach(() => here.close());

test("two nodes are added and become Ready", { timeout: 60_000 }, async () => {
  here = await world();
  await here.type("operator", "/win add web 2");
  try {
    await here.until(
      async () =>
        (await here.operations())[0]?.status !== "running" && (await here.operations())[0]?.status !== "requested",
      60,
    );
  } finally {
    const nodes = await here.nodes((await here.operations())[0]?.id ?? "");
    console.log(JSON.stringify(nodes, null, 1));
    for (const node of nodes) console.log(here.ground.machines.logOf(node.instanceId ?? "").join("\n"));
  }
  expect((await here.operations())[0]?.status).toBe("succeeded");
});
