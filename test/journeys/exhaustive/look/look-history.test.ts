import { afterEach, expect, test } from "vitest";
import { settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("the list of operations still knows what was changed when many have looked since", async () => {
  here = await withSeedNodes();
  await here.type("operator", "/win add web --dry-run");
  await settled(here, 2);
  for (let look = 0; look < 62; look += 1) {
    await here.type("operator", "/win nodes");
    await here.pass(0.03);
  }
  await settled(here);
  await here.type("operator", "/win operations");
  await settled(here, 2);
  expect(privately(here, "operator").at(-1)).toContain("Dry run: add 1 node to web");
});
