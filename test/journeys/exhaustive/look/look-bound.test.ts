import { afterEach, expect, test } from "vitest";
import { settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { SHORT } from "../../on-web.ts";
import { privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const commandsSent = (): number =>
  here.simulator.simulation.calls.after(0).filter(({ action }) => action === "SendCommand").length;

test("Six looks of one person at once send the commands of three, and the others are told to wait", async () => {
  here = await withSeedNodes();
  const before = commandsSent();
  await Promise.all(Array.from({ length: 6 }, () => here.type("operator", `/win why ${SHORT}`)));
  await settled(here, 5);
  const answers = privately(here, "operator");
  expect(answers.filter((said) => said.includes("looks of yours still run"))).toHaveLength(3);
  expect(commandsSent() - before).toBe(3);
  await here.type("operator", `/win why ${SHORT}`);
  await settled(here, 5);
  expect(privately(here, "operator").at(-1)).not.toContain("still run");
});
