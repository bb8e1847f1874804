import { afterEach, expect, test } from "vitest";
import { expectSound, launchedBy, newest, settled, spoken, wordsOf } from "../../evidence.ts";
import { asked, impatient, keepOne } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { answerTo, dialogOf, openly } from "../../reading.ts";
import { confirmRemoval, expectGone, withSeedNodes } from "../../removal.ts";
import { shows } from "../../slack-users.ts";

let here: Journey;
afterEach(() => here.close());

/** A journey in which a failed machine was kept. @returns the instance's id */
async function kept(): Promise<string> {
  here = await startJourney({ configuration: impatient });
  return keepOne(here);
}

const look = (command: string): Promise<string> => answerTo(here, command);

const stateOf = (id: string) => here.simulator.ec2.describe().find(({ InstanceId }) => InstanceId === id)?.State?.Name;

test("a kept machine is listed, found by the doctor, and removed by its instance id, after a question", async () => {
  const id = await kept();
  const { operation } = await newest(here);
  expect(await look("/win nodes")).toContain(`\`${id}\` (web): kept, failed at first boot`);
  await here.pass(15);
  expect(await look("/win doctor")).toContain(`/win remove ${id}`);

  await here.type("operator", `/win remove ${id}`);
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 6, "the dialog");
  expect(dialogOf(here, "operator")).toContain("nothing to drain");
  await here.submit("operator");
  await settled(here);
  expect(stateOf(id)).toBe("terminated");
  expect(openly(here).find((message) => message.includes(operation.id))).toContain("*web*: 0 → 1 (max 8)");
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", summary: `${id} was terminated.` });
  expect(launchedBy(here, operation.id)).toHaveLength(1);
  const first = openly(here).find((message) => message.includes(operation.id)) ?? "";
  expect(first).toContain("Terminated by <@U0OPERATOR>");
  expect(first).not.toContain("[Terminate now]");
  expect(await look("/win nodes")).not.toContain(id);
});

test("a kept machine is described by its instance id, or its beginning, with the command that removes it", async () => {
  const id = await kept();
  for (const typed of [id, id.slice(0, 12)]) {
    const said = await look(`/win node ${typed}`);
    expect(said).toContain(`\`${id}\` (web) is not a node of the cluster: kept, failed at first boot`);
    expect(said).toContain(`/win remove ${id}`);
  }
  expect(await look("/win node i-0123456789abcdef0")).toContain("not found");
});

test("a kept machine takes a place of its pool, and is counted apart from the nodes", async () => {
  await kept();
  expect(await look("/win add web 2 --dry-run")).toContain("*web*: 0 → 2 (max 8, 1 place taken by 1 kept machine)");
  await here.type("operator", "/win add web 8");
  await settled(here, 5);
  expect(openly(here).at(-1)).toContain("web has 1 of at most 8 nodes (1 kept machine included)");
});

test("an add that found no capacity anywhere offers Try again, since EC2 may have some later", async () => {
  here = await startJourney();
  injectFault(here, "no-capacity");
  await here.type("operator", "/win add web");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("failed");
  const failed = spoken(here).channel.at(-1);
  expect(failed && wordsOf(failed)).toContain("has no capacity");
  expect(failed && shows(failed, "try-again")).toBe(true);
});

test("a removal that failed is tried again by its own dialog", async () => {
  here = await withSeedNodes({ configuration: { deadlines: { remove: { evict: 3 } } } });
  const fault = injectFault(here, "kubernetes-5xx", { resource: "pods/eviction" });
  await confirmRemoval(here, web.name);
  await settled(here);
  const failed = (await newest(here)).operation;
  expect(failed).toMatchObject({ status: "failed", request: { command: "remove" } });
  endFault(here, fault);
  await here.press("visitor", "try-again");
  expect(await here.operations()).toHaveLength(1);
  await here.press("operator", "try-again");
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 6, "the dialog");
  await here.submit("operator");
  await expectGone(here, web);
  expect((await newest(here)).operation.id).not.toBe(failed.id);
});

test("a kept machine's button asks for its removal, of those who may remove", async () => {
  const id = await kept();
  expect(openly(here).at(-1)).toContain("[Terminate now]");
  await here.press("visitor", "terminate-instance");
  expect(await here.operations()).toHaveLength(1);
  await here.press("operator", "terminate-instance");
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 6, "the dialog");
  await here.submit("operator");
  await settled(here);
  expect(stateOf(id)).toBe("terminated");
  expect(openly(here).join("\n")).not.toContain("[Terminate now]");
  await expectSound(here);
});

test("a failed add is tried again once, by the first of those who may, however often the button is pressed", async () => {
  here = await startJourney({ configuration: { ...impatient, runbook: "https://example.com/runbook.md" } });
  injectFault(here, "agent-never-online", {}, 1);
  await here.type("operator", "/win add web");
  await asked(here);
  const failed = spoken(here).channel.at(-1);
  expect(failed && wordsOf(failed)).toContain("https://example.com/runbook.md#stage-first-boot");
  expect(failed && shows(failed, "try-again")).toBe(false);
  await here.press("operator", "terminate-instance");
  await settled(here);
  await here.press("visitor", "try-again");
  expect(await here.operations()).toHaveLength(1);
  await here.press("operator", "try-again");
  await here.press("operator", "try-again");
  expect(await here.operations()).toHaveLength(2);
  await settled(here);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", request: { command: "add", count: 1 } });
  expect(openly(here).at(-2)).toMatch(/<@U0OPERATOR> started <https:[^|]*\|add-/);
  expect(openly(here).at(-2)).not.toContain("[Try again]");
  expect(await here.operations()).toHaveLength(2);
});
