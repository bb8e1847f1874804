import { afterEach, expect, test } from "vitest";
import { hostOf } from "../../../../lambdas/commands/node-matches.ts";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { otherWeb, shortName, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootOf = (name: string): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const waitsOn = (name: string, reason: string): string =>
  injectFault(here, "reboot-pending", { node: name, reason }, 1);
const LONG = { timeout: 240_000 };

test(
  "All nodes that wait for a reboot are one command and one card, and the others stay as they are",
  LONG,
  async () => {
    const four = await poolOfFour(2, { approvals: {} });
    here = four.here;
    const [first = "", second = "", third = "", last = ""] = four.names;
    waitsOn(second, "windows-update");
    waitsOn(last, "servicing");
    await here.pass(40);
    const before = four.names.map(bootOf);
    await here.type("operator", "/win reboot --due");
    await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
    const card = openly(here).at(-1) ?? "";
    expect(card).toContain("*Plan*: 2 nodes of `web` that wait for a reboot are drained and rebooted");
    expect(card).toContain(`*Windows Update* waits for a reboot on \`${hostOf(second)}\``);
    expect(card).toContain(`*a Windows feature or update* waits for a reboot on \`${hostOf(last)}\``);
    expect(card).not.toContain(`${hostOf(first)}\``);
    expect(card).not.toContain(`${hostOf(third)}\``);
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 240);
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
    expect(four.names.map((name, at) => bootOf(name) === before[at])).toEqual([true, false, true, false]);
    await here.type("operator", "/win reboot web --due");
    await settled(here, 10);
    expect(privately(here, "operator").at(-1)).toContain("No node of `web` waits for a reboot");
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);

test("A look that is old is made anew before the plan, by the one document that changes nothing", LONG, async () => {
  here = await withSeedNodes({ configuration: { approvals: { reboot: { needs: 0 } } } });
  const looks = () => calls(here, "ssm", "SendCommand").filter(({ principal }) => principal === "reboot-nodes");
  waitsOn(otherWeb.name, "file-renames");
  await here.pass(1);
  await here.type("operator", `/win reboot ${shortName(otherWeb)} --due --dry-run`);
  await settled(here, 20);
  expect(looks()).toHaveLength(1);
  expect(privately(here, "operator").at(-1)).toContain(
    "1 node of `web` that waits for a reboot is drained and rebooted",
  );
});

test("Nothing due is a kind sentence; what is not known is named and never called not due", LONG, async () => {
  here = await withSeedNodes();
  injectFault(here, "agent-silent", { instanceId: web.instanceId });
  await here.pass(35);
  await here.type("operator", "/win reboot --due");
  await settled(here, 30);
  const said = privately(here, "operator").at(-1) ?? "";
  expect(said).toContain("No Windows node is known to wait for a reboot.");
  expect(said).toContain(hostOf(web.name));
});

test("Nodes of several pools that share their rules are one card", LONG, async () => {
  here = await withSeedNodes();
  waitsOn(web.name, "windows-update");
  injectFault(here, "reboot-pending", { instanceId: "i-0c3d4e5f607182930", reason: "windows-update" }, 1);
  await here.pass(40);
  await here.type("operator", "/win reboot --due --dry-run");
  await settled(here, 30);
  expect(privately(here, "operator").at(-1)).toMatch(/nodes? of `\w+`/);
});

test("What the last reboot did not end is named, and no reboot is due for it", LONG, async () => {
  here = await withSeedNodes({ configuration: { approvals: { reboot: { needs: 0 } } } });
  injectFault(here, "reboot-pending", { node: otherWeb.name, reason: "file-renames" });
  injectFault(here, "reboot-pending", { node: web.name, reason: "leftovers" });
  await here.pass(40);
  const nodesNow = async (): Promise<string> => {
    await here.type("operator", "/win nodes");
    await settled(here, 10);
    return privately(here, "operator").at(-1) ?? "";
  };
  expect(await nodesNow()).toMatch(new RegExp(`${shortName(otherWeb)}\\s+Ready\\s+files\\s`));
  await here.type("operator", `/win reboot ${shortName(otherWeb)} --due`);
  await settled(here, 240);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
  await here.pass(40);
  const listed = await nodesNow();
  expect(listed).toMatch(new RegExp(`${shortName(otherWeb)}\\s+Ready\\s+files \\(again\\)`));
  expect(listed).not.toMatch(new RegExp(`${shortName(web)}\\s+Ready\\s+files`));
  await here.type("operator", "/win reboot --due");
  await settled(here, 30);
  expect(privately(here, "operator").at(-1)).toContain(`that would help. Left out: \`${hostOf(otherWeb.name)}\``);
  await here.type("operator", `/win why ${shortName(otherWeb)}`);
  await settled(here, 10);
  expect(privately(here, "operator").at(-1)).toContain("did not end this (files to be replaced at the next boot)");
  await here.type("operator", "/win doctor");
  await settled(here, 10);
  expect(privately(here, "operator").at(-1)).toContain(`The last reboot of \`${otherWeb.name}\` did not end`);
});
