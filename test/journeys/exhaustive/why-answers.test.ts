import { afterEach, expect, test } from "vitest";
import { expectSound, settled } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { web } from "../others.ts";
import { openly, privately } from "../reading.ts";
import { withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a healthy node passes every check, by the word of EC2, SSM, Kubernetes and the machine, in private", async () => {
  here = await withSeedNodes();
  await here.type("operator", "/win why ip-10-0-3-7");
  await settled(here, 3);
  const said = privately(here, "operator").at(-1) ?? "";
  expect(said).toContain(`✅ \`${web.name}\`: all checks passed.`);
  expect(openly(here)).toEqual([]);
  await expectSound(here);
});
