import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION, KEEP_CORDONED, PROVE_AGAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const reminders = (): string[] => inThreads(here).filter((text) => text.includes("⏰"));

const list = async (): Promise<string> => {
  const before = privately(here, "operator").length;
  await here.type("operator", "/win nodes");
  await here.until(() => privately(here, "operator").length > before, 5, "the list");
  await here.pass(1);
  return privately(here, "operator").at(-1) ?? "";
};

/** A reboot whose kubelet does not start; the fault's id. */
async function unproven(): Promise<string> {
  here = await unasked("reboot", { reboot: { reboot: 20, prove: 12 }, proving: { prove: 12 } });
  const fault = injectFault(here, "service-exits", { instanceId: web.instanceId, service: "kubelet" });
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await settled(here, 240);
  expect(isCordoned(here)).toBe(true);
  return fault;
}

/** Messages that still offer to keep the node cordoned, to prove it, or to try again. */
const offers = (): string[] =>
  [...openly(here), ...inThreads(here)].filter((text) => /\[(Keep cordoned|Check again|Try again)\]/.test(text));

test("A node that is not proven stands first in the list, is reminded of after a quarter of an hour, and each day", async () => {
  await unproven();
  expect(await list()).toMatch(
    /^❓ \*Waiting for a person\*\n• `ip-10-0-3-7\S+` stays cordoned, because its reboot was not proven/,
  );
  await here.pass(12);
  expect(reminders()).toEqual([]);
  await here.pass(9);
  expect(reminders()).toEqual([
    expect.stringMatching(
      /^<!subteam\^S0OPERATORS>.* stays cordoned, because its reboot was not proven, for \d+m.*`\/win prove /,
    ),
  ]);
  await here.pass(60);
  expect(reminders()).toHaveLength(1);
});

test("Nothing stale stands beside Keep cordoned: the message and its thread say what was decided, and offer nothing else", async () => {
  await unproven();
  expect(offers()).toHaveLength(1);
  await here.press("operator", KEEP_CORDONED);
  await settled(here, 30);
  expect(offers()).toEqual([]);
  const said = openly(here).filter((text) => text.includes("Kept cordoned by <@U0OPERATOR>"));
  expect(said).toHaveLength(1);
  expect(await list()).not.toContain("Waiting for a person");
  await here.pass(32);
  expect(reminders()).toEqual([]);
  await expectSound(here);
});

test("Nothing stale stands beside a proof that gave the node back", async () => {
  const fault = await unproven();
  endFault(here, fault);
  here.simulator.simulation.bus.announce({ kind: "instance-reboot", instanceId: web.instanceId });
  await here.pass(15);
  await here.press("operator", PROVE_AGAIN);
  await settled(here, 60);
  expect(isCordoned(here)).toBe(false);
  expect(offers()).toEqual([]);
  expect(openly(here).join("\n")).toMatch(/Proven since by prove-\w+, which gave the node back/);
});

test("An approval that waits is reminded of once, by the people who may give it, and stands first in the list", async () => {
  here = await withSeedNodes();
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  const { id } = (await newest(here)).operation;
  expect(await list()).toMatch(new RegExp(`^❓ \\*Waiting for a person\\*\\n• \`${id}\` needs an approval`));
  await here.pass(29);
  expect(reminders()).toEqual([expect.stringMatching(/^<.*U0APPROVER.*needs an approval, for \d+m/)]);
  await here.press("approver", APPROVE_OPERATION);
  await settled(here, 240);
  expect(reminders()).toHaveLength(1);
});
