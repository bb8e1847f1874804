import { afterEach, expect, test } from "vitest";
import { denied, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

async function report(): Promise<string> {
  await here.type("operator", "/win doctor");
  await settled(here, 5);
  return privately(here, "operator").at(-1) ?? "";
}

test("a private API server takes nothing from what the doctor may see, though the functions' role may not change the network", async () => {
  here = await startJourney({ seedNodes: true, functionsInVpc: true });
  expect(await report()).toMatch(/prod-west: all \d\d checks passed$/m);
  expect(denied(here).filter(({ service }) => service === "ec2")).toEqual([]);
});
