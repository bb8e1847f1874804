import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { allowDisruptions, guardedPod, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { answerTo, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { callsSince, expectEnd, firstWord, readAtNight } from "./night.ts";

// Nodes at three in the morning, from the channel alone: each story is read and pressed to its end.
// Half a fleet that is NotReady is in ../sweep/fleet-call.test.ts.

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const OPERATORS = "<!subteam^S0OPERATORS>";

/** Types a command on the node whose losses are accepted, and has it approved. */
async function approved(command: "drain" | "reboot"): Promise<void> {
  await here.type("operator", `/win ${command} ${SHORT} --force ${web.name}`);
  await here.until(() => /\[Approve/.test(openly(here).at(-1) ?? ""), 5, "the plan");
  readAtNight(here, /^❓/, true);
  await here.press("approver", APPROVE_OPERATION);
}

test("a machine that does not come back is shown with its screen, and its failure leads back to a node that works", async () => {
  here = await withSeedNodes({ configuration: { deadlines: { reboot: { reboot: 55 } } } });
  const hangs = injectFault(here, "boot-hangs", ofWeb);
  await approved("reboot");
  await here.until(() => openly(here)[0]?.includes("has not come back") === true, 60, "the offer");
  const since = Date.now();
  const waiting = readAtNight(here, /^⏳ Reboot/);
  expect(waiting.words).toMatch(/ip-10-0-3-7\S* has not come back from its reboot for 3\dm/);
  expect(waiting.buttons).toEqual(["Reboot through EC2…", "Screenshot", "Open in AWS"]);
  await here.until(() => callsSince(here, since).length > 0, 25, "the call");
  expect(callsSince(here, since)[0]?.words).toContain(`${OPERATORS} ⏰`);
  await settled(here, 120);
  const failed = readAtNight(here, /^❌ Reboot/);
  expect(failed.words).toMatch(
    /failed at reboot[\s\S]*the node stays cordoned[\s\S]*Likely cause: Windows still installs/,
  );
  expect(callsSince(here, since).at(-1)?.words).toContain("<@U0OPERATOR> *Reboot ip-10-0-3-7* failed");
  endFault(here, hangs);
  await failed.press("Reboot through EC2…");
  await here.until(() => /\[Approve\]/.test(openly(here).at(-1) ?? ""), 5, "the second plan");
  expect(readAtNight(here, /^❌ Reboot/).buttons).not.toContain("Reboot through EC2…");
  await here.press("approver", APPROVE_OPERATION);
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Reboot/).words).toContain("was rebooted and works");
  expect(isCordoned(here)).toBe(false);
});

test("a drain that a budget never allows recommends to give the node back, and goes on once its owner changes it", async () => {
  here = await withSeedNodes({ configuration: { deadlines: { drain: { evict: 5 } } } });
  await guardedPod(here, web);
  await approved("drain");
  await here.until(() => openly(here)[0]?.includes("is not drained yet") === true, 15, "the question");
  const asked = readAtNight(here, /^❓ Drain/);
  expect(asked.words).toContain("Likely cause: a disruption budget never allows an eviction.");
  expect(asked.words).toContain("budget default/guard needs 1 and has 1");
  expect(asked.buttons).toEqual(["Give the node back", "Check the budget again", "Open in AWS"]);
  expect(callsSince(here, Date.now() - 60_000).map(({ words }) => words)).toEqual([
    expect.stringContaining("<@U0OPERATOR>, this needs a decision."),
  ]);
  await allowDisruptions(here);
  await asked.press("Check the budget again");
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Drain/).words).toContain("is drained");
});

test("a drain that a budget never allows gives the node back by one press, and is tried again with its losses accepted", async () => {
  here = await withSeedNodes({ configuration: { deadlines: { drain: { evict: 5 } } } });
  await guardedPod(here, web);
  await approved("drain");
  await here.until(() => openly(here)[0]?.includes("is not drained yet") === true, 15, "the question");
  await here.pass(26);
  await expectEnd(here);
  const failed = readAtNight(here, /^❌ Drain/);
  expect(failed.words).toContain(`/win drain ip-10-0-3-7 --force ${web.name} tries again.`);
  expect(isCordoned(here)).toBe(false);
  await allowDisruptions(here);
  await failed.press("Try again");
  await here.until(() => /\[Approve\]/.test(openly(here).at(-1) ?? ""), 5, "the second plan");
  await here.press("approver", APPROVE_OPERATION);
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Drain/).words).toContain("is drained");
});

test("a node whose agent is silent is explained by what is known, and its button reboots it through EC2", async () => {
  here = await withSeedNodes();
  const fault = injectFault(here, "agent-silent", ofWeb);
  await here.pass(40);
  expect(await answerTo(here, "/win doctor")).toMatch(
    /The SSM agent does not report: `ip-10-0-3-7\S+` \(web, for 40m\)/,
  );
  const said = await answerTo(here, `/win why ${SHORT}`);
  expect(said).toMatch(/The SSM agent does not answer for 40m, although its kubelet reports/);
  expect(said).toMatch(/\*Next:\* Likely, in this order:/);
  expect(said).toContain("[Check again]\n[Reboot]\n[Open in AWS]");
  await approved("reboot");
  await here.until(async () => (await newest(here)).nodes[0]?.stage === "reboot", 60, "the reboot");
  endFault(here, fault);
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Reboot/).words).toContain("was rebooted and works");
});

test("while the API server is away a drain says so and is tried again by a button, and a look still shows the machines", async () => {
  here = await withSeedNodes({ configuration: { approvals: { drain: { needs: 0 } } } });
  const fault = injectFault(here, "kubernetes-5xx");
  expect(await answerTo(here, "/win nodes")).toContain("answered 503. EC2 shows these machines:");
  const seconds = await firstWord(here, () => here.type("operator", `/win drain ${SHORT} --force ${web.name}`));
  expect(privately(here, "operator").at(-1)).toContain("Checking *Drain ip-10-0-3-7*");
  expect(seconds).toBeLessThan(6 * 60);
  const failed = readAtNight(here, /^❌/);
  expect(failed.words).toContain("because a service was unavailable: the API server answered 503");
  expect(failed.buttons).toEqual(["Try again"]);
  endFault(here, fault);
  await failed.press("Try again");
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Drain/).words).toContain("is drained");
});

test("a rollout whose second node fails names its cause and what takes the slot, and goes on from the message", async () => {
  const configuration = { deadlines: { reboot: { prove: 12 }, proving: { prove: 12 } } };
  let names: readonly string[];
  ({ here, names } = await poolOfFour(1, configuration));
  const instanceId = nodeNamed(here, names[1])?.spec?.providerID?.split("/").at(-1) ?? "";
  const fault = injectFault(here, "service-exits", { instanceId, service: "kube-proxy" });
  await here.type("operator", "/win reboot web");
  const isPaused = async () => (await here.operations()).some(({ rollout }) => rollout?.paused != null);
  await here.until(isPaused, 120, "the pause");
  const paused = readAtNight(here, /^❓ Reboot pool web/, true);
  expect(paused.words).toMatch(/Paused: \S+ failed at proof\. 1 of 4 nodes is rebooted and proven\./);
  expect(paused.words).toContain("takes the only slot of pool web");
  expect(paused.words).toContain("The Windows service kube-proxy is Stopped");
  await here.until(() => callsSince(here, 0).some(({ words }) => words.includes("the rollout is paused")), 1, "a call");
  endFault(here, fault);
  await paused.press("Reboot through EC2…");
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 60, "the second reboot");
  await readAtNight(here, /^❓ Reboot pool web/, true).press("Resume");
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Reboot pool web|^❌ Reboot pool web/, true).words).toMatch(/[34] of 4 nodes/);
});
