import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { otherWeb, shortName } from "../../others.ts";
import { openly } from "../../reading.ts";
import { ask, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const cardOf = (title: string): string => openly(here).findLast((text) => text.includes(` ${title}\n`)) ?? "";
const idOf = async (command: string): Promise<string> =>
  (await here.operations()).find(({ request }) => request.command === command)?.id ?? "";

async function asked(command: string, title: string): Promise<void> {
  await here.type("operator", `/win ${command}`);
  await here.until(() => cardOf(title).includes("[Approve]"), 10, `the card of ${command}`);
}

async function approve(command: string): Promise<void> {
  const { messageTs } = (await here.operations()).find(({ request }) => request.command === command) ?? {};
  await here.press("approver", APPROVE_OPERATION, messageTs ?? "");
}

const node = shortName(otherWeb);

test("The cards of two requests for one node name each other, and the later one says who is at work", async () => {
  here = await withSeedNodes();
  await asked(`reboot ${node}`, `Reboot ${node}`);
  expect(cardOf(`Reboot ${node}`)).not.toContain("Also requested");
  await asked(`drain ${node}`, `Drain ${node}`);
  const [reboot, drain] = [await idOf("reboot"), await idOf("drain")];
  expect(cardOf(`Drain ${node}`)).toContain(
    `⚠️ Also requested for this node: \`${reboot}\` (Reboot ${node}) by olivia, waits for an approval.`,
  );
  await here.until(() => cardOf(`Reboot ${node}`).includes(`\`${drain}\` (Drain ${node})`), 3, "the first card anew");
  await approve("drain");
  await here.until(() => nodeNamed(here, otherWeb.name)?.spec?.unschedulable === true, 5, "the drain at work");
  await approve("reboot");
  await settled(here, 60);
  expect(openly(here).join("\n")).toContain(
    `cannot be rebooted: \`${drain}\` is working on it. Next: wait for it to end`,
  );
  expect(await heldBack(here)).toEqual([]);
});

test("A card names requests that wait for their time: approved ones, and those that need no approval", async () => {
  here = await withSeedNodes({ configuration: { approvals: { restart: { needs: 0 } } } });
  await here.type("operator", `/win restart ${node} --at "Sat 04:30"`);
  await here.type("operator", `/win reboot ${node} --at "Sat 04:30"`);
  await here.until(() => cardOf(`Reboot ${node}`).includes("[Approve]"), 10, "the card of the reboot");
  await approve("reboot");
  const waiting = async () => (await here.operations()).filter(({ status }) => status === "scheduled").length;
  await here.until(async () => (await waiting()) === 2, 5, "both to wait");
  await asked(`drain ${node}`, `Drain ${node}`);
  const card = cardOf(`Drain ${node}`);
  expect(card).toContain(`\`${await idOf("reboot")}\` (Reboot ${node}) by olivia, waits for its time`);
  expect(card).toContain(`\`${await idOf("restart")}\` (Restart services of ${node}) by olivia, waits for its time`);
});

test("The card of a rollout names another request for one of its nodes, until that one has ended", async () => {
  here = await withSeedNodes();
  await asked("reboot web", "Reboot pool web");
  await here.type("operator", `/win restart ${node}`);
  await here.until(() => cardOf("Reboot pool web").includes("by olivia, waits for an approval"), 10, "the other one");
  expect(cardOf("Reboot pool web")).toContain(`Also requested for this node: \`${await idOf("restart")}\``);
  await approve("restart");
  await here.until(() => cardOf("Reboot pool web").includes("by olivia, is at work"), 10, "the restart at work");
  await here.until(() => !cardOf("Reboot pool web").includes("Also requested"), 30, "the end of the restart");
});

test("A card names the removal whose dialog is open, the dialog names the request, and who comes second is told who works", async () => {
  here = await withSeedNodes();
  await asked(`reboot ${node}`, `Reboot ${node}`);
  const reboot = await idOf("reboot");
  expect(await ask(here, node)).toContain(
    `⚠️ Also requested for this node: \`${reboot}\` (Reboot ${node}) by olivia, waits for an approval.`,
  );
  await here.until(() => cardOf(`Reboot ${node}`).includes("by olivia, waits in its dialog."), 3, "the card anew");
  await approve("reboot");
  await here.until(() => nodeNamed(here, otherWeb.name)?.spec?.unschedulable === true, 5, "the reboot at work");
  await here.submit("operator");
  await here.until(() => openly(here).join("\n").includes("cannot be removed"), 5, "the refusal");
  expect(openly(here).join("\n")).toContain(
    `cannot be removed: \`${reboot}\` is working on it. Next: wait for it to end`,
  );
});
