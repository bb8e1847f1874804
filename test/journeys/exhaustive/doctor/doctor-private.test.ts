import { afterEach, expect, test } from "vitest";
import { denied } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { answerTo } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

test("a private API server takes nothing from what the doctor may see, though the functions' role may not change the network", async () => {
  here = await startJourney({ seedNodes: true, functionsInVpc: true });
  expect(await report()).toMatch(/prod-west: all \d\d checks passed \(1 note\)$/m);
  expect(denied(here).filter(({ service }) => service === "ec2")).toEqual([]);
});
