import { afterEach, expect, test } from "vitest";
import { hostOf } from "../../../../lambdas/commands/node-matches.ts";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { cordonByHand, otherWeb, podOn, podsOn, running, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { answerTo, inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootOf = (name: string): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const nodes = [otherWeb.name, web.name] as const;

/** Every node of the pool has something to lose: `reports` keeps a scratch volume, and nothing recreates the others. */
async function begin(configuration: object = {}): Promise<void> {
  here = await withSeedNodes({ configuration });
  for (const [at, node] of [web, otherWeb].entries()) here.simulator.kubernetes.create(podOn(node, `by-hand-${at}`));
  await here.pass(1);
}

async function approved(command: string): Promise<string> {
  await here.type("operator", command);
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  const card = openly(here).join("\n");
  await here.press("approver", APPROVE_OPERATION);
  return card;
}

test("A rollout with --force shows every loss by workload on one card, and reboots the pool", async () => {
  await begin();
  const before = nodes.map(bootOf);
  const card = await approved("/win reboot web --force web");
  expect(card).toContain("*Lost:* unmanaged pod, emptyDir.");
  expect(card).toMatch(/`default\/ReplicaSet reports-\w+` loses emptyDir scratch \(1 pod on `ip-10-0-3-7/);
  expect(card).toMatch(/`default\/by-hand-1` is not recreated \(1 pod on `ip-10-0-0-31/);
  expect(card).toContain("one with a loss that this plan does not list is left out");
  await settled(here, 300);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
  expect(nodes.map((name, at) => bootOf(name) === before[at])).toEqual([false, false]);
  expect([running(here, "by-hand-0"), await heldBack(here)]).toEqual([0, []]);
  await expectSound(here);
});

const isProven = async (): Promise<boolean> => (await newest(here)).nodes[0]?.status === "succeeded";

const runner = { apiVersion: "ci.example.com/v1", kind: "Runner", name: "build-7", uid: "build-7", controller: true };

test.each([
  ["of a new kind", { metadata: { ownerReferences: [runner] }, spec: { restartPolicy: "Never" } }],
  ["of a listed kind", {}],
] as const)(
  "A node with another workload's loss %s is left out when its turn comes, with the command for it",
  async (_kind, pod) => {
    await begin({ approvals: { reboot: { needs: 0 } } });
    const before = nodes.map(bootOf);
    await here.type("operator", "/win reboot web --force web");
    const stage = async () => (await newest(here)).nodes[0]?.stage;
    await here.until(async () => (await stage()) === "reboot", 60, "the first reboot");
    const [first = "", second = ""] = (await newest(here)).nodes.map(({ nodeName }) => nodeName ?? "");
    const rest = [web, otherWeb].find(({ name }) => name === second) ?? web;
    here.simulator.kubernetes.create(podOn(rest, "build-7", pod));
    await settled(here, 300);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "failed", rollout: { paused: null } });
    expect(operation.summary).toBe(
      `1 of 2 nodes is rebooted and proven. Left out, because pods or data would be lost: ${second}.`,
    );
    expect(inThreads(here).join("\n")).toContain("loses what the plan of the rollout does not list: default/");
    expect(inThreads(here).join("\n")).toContain(`\`/win reboot ${hostOf(second)} --force ${hostOf(second)}\``);
    expect(nodes.filter((name, at) => bootOf(name) !== before[at])).toEqual([first]);
    expect([running(here, "build-7"), await heldBack(here)]).toEqual([1, []]);
  },
);

test("A node that gets such a workload while it waits for its slot is left out too", async () => {
  await begin({ approvals: { reboot: { needs: 0 } } });
  await here.type("operator", "/win reboot web --force web");
  // Otherwise the second node may have its slot in the instant in which the first one is proven.
  injectFault(here, "lambda-slow-start", { function: "casement-prod-west-reboot-node" });
  const [first, second] = (await here.until(isProven, 90, "the first node").then(() => newest(here))).nodes;
  const [done, rest] = [first, second].map((one) => [web, otherWeb].find(({ name }) => name === one?.nodeName) ?? web);
  if (!done || !rest) throw new Error("the rollout has no two nodes");
  await cordonByHand(here, done);
  await here.until(async () => (await newest(here)).nodes[1]?.stage === "slot", 20, "the second node");
  here.simulator.kubernetes.create(podOn(rest, "build-7"));
  await cordonByHand(here, done, false);
  await settled(here, 300);
  expect((await newest(here)).operation.summary).toContain(
    `Left out, because pods or data would be lost: ${rest.name}.`,
  );
  expect(podsOn(here, rest)).toContain("build-7");
  expect(await heldBack(here)).toEqual([]);
});

test("A pool whose every node would lose something is refused with the pods counted by workload", async () => {
  await begin();
  await here.type("operator", "/win reboot web");
  await settled(here, 10);
  const said = openly(here).join("\n");
  expect(said).toContain("no node can be rebooted: pods or data would be lost: ");
  expect(said).toContain("`default/by-hand-1` is not recreated (1 pod on `ip-10-0-0-31");
  expect(said).toContain("Next: `/win reboot web --force web`");
  expect(said.match(/would be lost/g)).toHaveLength(1);
});

test("The name behind --force must be the pool's", async () => {
  await begin();
  await here.type("operator", "/win reboot web --force batch");
  await settled(here, 5);
  expect(privately(here, "operator").join("\n")).toContain("requires the name of their pool: `web`, not `batch`");
});

test("A dry run ends with a command that is not refused", async () => {
  await begin();
  const alone = await answerTo(here, `/win drain ${web.name} --dry-run`);
  expect(alone).toContain(`To apply: \`/win drain ip-10-0-3-7 --force ip-10-0-3-7\``);
  const pool = await answerTo(here, "/win reboot web --force web --dry-run");
  expect(pool).toContain("To apply: `/win reboot web --force web`");
});
