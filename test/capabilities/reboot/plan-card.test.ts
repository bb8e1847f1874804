import { describe, expect, test } from "vitest";
import { checkForce, wholePlan } from "../../../lambdas/capabilities/reboot/rollout/plan.ts";
import { expectedMinutes, rolloutCard, rolloutDryRun } from "../../../lambdas/capabilities/reboot/rollout/plan-card.ts";
import { severalPools } from "../../../lambdas/capabilities/reboot/rollout/refusals.ts";
import type { PlannedNode, RolloutPlan } from "../../../lambdas/capabilities/reboot/rollout/rollout-plan.ts";
import type { RolloutRequest } from "../../../lambdas/commands/request.ts";
import { Refused, UserError } from "../../../lambdas/errors.ts";

const planned = (name: string, fields: Partial<PlannedNode> = {}): PlannedNode => ({
  ...{ name, uid: `u-${name}`, instanceId: `i-${name}`, bootId: null, pool: "web" },
  ...{ isAway: false, throughEc2: false, pods: 0, minutes: 5, losses: [], blockers: [], budgets: [] },
  ...fields,
});
const nodes = (count: number, fields: Partial<PlannedNode> = {}): PlannedNode[] =>
  Array.from({ length: count }, (_, at) => planned(`win-${at + 1}`, fields));
const web: Extract<RolloutRequest, { command: "reboot" }> = {
  ...{ command: "reboot", targets: { kind: "pool", pool: "web" } },
  ...{ dryRun: false, canary: false },
};
const plan = (fields: Partial<RolloutPlan> = {}): RolloutPlan => ({
  ...{ command: "reboot", pool: "web", nodes: nodes(3), leftOut: [], most: 2, max: null, canary: false },
  ...fields,
});
const textOf = (fields: Partial<RolloutPlan> = {}): string => JSON.stringify(rolloutCard(plan(fields)).blocks);

describe("The card of a rollout", () => {
  test.each<readonly [Partial<RolloutPlan>, string]>([
    [{ nodes: nodes(1) }, "*Plan*: 1 node of `web` is drained and rebooted."],
    [
      { nodes: nodes(2) },
      "*Plan*: 2 nodes of `web` are drained and rebooted, one first. Once the first one is proven, the other one follows.",
    ],
    [{}, "Once the first one is proven, the others follow, up to 2 at once."],
    [{ most: 1 }, "Once the first one is proven, the others follow, one after another."],
    [{ most: 1, max: 2 }, "the others follow, one after another (the pool allows no more)."],
    [{ most: 2, max: 2 }, "the others follow, up to 2 at once."],
    [
      { canary: true },
      "It asks whether to go on once the first one is proven; then the others follow, up to 2 at once.",
    ],
    [{ pool: null }, "*Plan*: 3 nodes are drained and rebooted, one first."],
    [{ pools: ["web", null, "db"] }, "*Plan*: 3 nodes of `web`, `db` are drained"],
    [{ due: true }, "*Plan*: 3 nodes of `web` that wait for a reboot are drained"],
    [{ due: true, nodes: nodes(1) }, "*Plan*: 1 node of `web` that waits for a reboot is drained"],
  ])("says how it goes on after the first node: %#", (fields, words) => {
    expect(textOf(fields)).toContain(words);
  });
});

test("The card names nodes by their host names, and wholly where two nodes have the same", () => {
  const [first, second, other] = ["ip-10-0-3-7.eu.internal", "ip-10-0-3-8.eu.internal", "ip-10-0-3-8.us.internal"];
  const text = textOf({
    nodes: [planned(first, { away: [{ node: "ip-10-0-3-9.eu.internal", why: "cordoned" }] }), planned(second)],
    leftOut: [{ name: other, why: `\`${other}\` stays as it is: held` }],
  });
  expect(text).toContain(`In this order: \`ip-10-0-3-7\`, \`${second}\`.`);
  expect(text).toContain(`Out of service already: \`ip-10-0-3-9\` (cordoned)`);
  expect(text).toContain(`*1 node left out:* \`${other}\` (held).`);
});

describe("A node of a rollout's card", () => {
  test.each<readonly [Partial<PlannedNode>, words: string, mark: string]>([
    [{ pods: 1 }, "*1 pod will be evicted* in all.", "will be evicted"],
    [{ isAway: true }, "ℹ️ *NotReady now, and first:* `win-2`. They need no slot.", "NotReady now"],
    [{ throughEc2: true }, "*Rebooted through EC2, because the SSM agent is silent:* `win-2`. EC2 asks", "through EC2"],
    [
      { throughEc2: true, lacksProfile: true },
      "⛔ The instance of `win-2` has no instance profile: after the reboot its SSM agent stays silent, and the proof cannot pass. Next: attach the pool's profile",
      "instance profile",
    ],
    [{ losses: ["emptyDir", "emptyDir"] }, "⚠️ *Lost:* emptyDir.", "*Lost:*"],
    [
      { blockers: ["disruption budget"], budgets: ["shop/cart"] },
      "⛔ Evictions are held up now on `win-2`: disruption budget, disruption budgets `shop/cart`.",
      "⛔",
    ],
    [{ blockers: ["stuck pod"] }, "⛔ Evictions are held up now on `win-2`: stuck pod. Each drain", "⛔"],
    [
      { lone: [{ owner: "shop/ReplicaSet cart", pods: 2 }] },
      "⚠️ Wholly on one node, and guarded by no disruption budget: shop/ReplicaSet cart (2 pods on `win-2`).",
      "Wholly on one node",
    ],
    [
      { forever: ["shop/cart"], blockers: ["a budget"] },
      "⛔ Never allowed on `win-2` by the disruption budgets `shop/cart`: their owners must change them",
      "Never allowed",
    ],
    [
      { away: [{ node: "win-9", why: "cordoned" }] },
      "⚠️ Out of service already: `win-9` (cordoned). They take slots of the pool.",
      "Out of service already",
    ],
    [{ due: "Windows Update" }, "ℹ️ *Windows Update* waits for a reboot on `win-2`.", "Windows Update"],
  ])("shows what is special about a node, and nothing where there is nothing: %o", (fields, words, mark) => {
    expect(textOf({ nodes: [planned("win-1"), planned("win-2", fields)] })).toContain(words);
    expect(textOf()).not.toContain(mark);
  });

  test("recommends no approval while a reboot cannot be proven for want of an instance profile", () => {
    const bare = { throughEc2: true, lacksProfile: true } as const;
    const card = rolloutCard(plan({ nodes: nodes(2, bare) }));
    expect(card.isHopeless).toBe(true);
    expect(JSON.stringify(card.blocks)).toContain(
      "The instances of `win-1`, `win-2` have no instance profile: after the reboot their SSM agents stay silent",
    );
    expect(rolloutCard(plan()).isHopeless).toBeUndefined();
  });

  test("names the order, the pods in all, and who is left out", () => {
    const text = textOf({
      nodes: nodes(3, { pods: 4 }),
      leftOut: [{ name: "win-9", why: "it is a Linux node" }],
    });
    expect(text).toContain("In this order: `win-1`, `win-2`, `win-3`.");
    expect(text).toContain("*12 pods will be evicted* in all.");
    expect(text).toContain("➖ *1 node left out:* `win-9` (it is a Linux node).");
    expect(textOf()).toContain("No pods have to move.");
    expect(textOf()).not.toContain("left out");
  });

  const scratch = { workload: "shop/ReplicaSet export-1", what: "loses emptyDir scratch" };

  test("lists every loss by workload, those of most pods first", () => {
    const text = textOf({
      isForced: true,
      nodes: [
        planned("win-1", {
          losses: ["unmanaged pod", "emptyDir"],
          lost: [
            { workload: "shop/debug", what: "is not recreated", pods: 1 },
            { ...scratch, pods: 2 },
          ],
        }),
        planned("win-2", { losses: ["emptyDir"], lost: [{ ...scratch, pods: 1 }] }),
      ],
    });
    expect(text).toContain(
      "⚠️ *Lost:* unmanaged pod, emptyDir.\\n• `shop/ReplicaSet export-1` loses emptyDir scratch (3 pods on `win-1`, `win-2`)\\n• `shop/debug` is not recreated (1 pod on `win-1`)",
    );
    expect(text).toContain("one with a loss that this plan does not list is left out");
    expect(textOf()).not.toContain("does not list");
  });

  test("groups the nodes that are left out for their losses, with the command that accepts them", () => {
    const text = textOf({
      forced: "`{win} reboot web --force web`",
      leftOut: [
        { name: "win-8", why: "losses", lost: [{ ...scratch, pods: 1 }] },
        { name: "win-9", why: "losses", lost: [{ ...scratch, pods: 1 }] },
      ],
    });
    expect(text).toContain(
      "➖ *2 nodes left out, because pods or data would be lost:*\\n• `shop/ReplicaSet export-1` loses emptyDir scratch (2 pods on `win-8`, `win-9`)\\nNext: `{win} reboot web --force web` accepts these losses.",
    );
  });

  test("has no estimate and no recommended approval while a budget or the pool's slots let it go nowhere", () => {
    const away = [{ node: "win-9", why: "NotReady" }];
    const waiting = { nodes: nodes(2, { away, waitsForSlot: true }) };
    expect(rolloutCard(plan(waiting)).isHopeless).toBe(true);
    expect(textOf(waiting)).toContain("No estimate");
    expect(textOf(waiting)).toContain("the rollout waits until one is back. Next: `{win} why win-9`.");
    expect(
      rolloutCard(plan({ nodes: [planned("win-1"), planned("win-2", { forever: ["shop/cart"] })] })),
    ).toMatchObject({
      isHopeless: true,
    });
    const recovering = [planned("win-9", { isAway: true }), ...nodes(2, { away, waitsForSlot: true })];
    expect(rolloutCard(plan({ nodes: recovering })).isHopeless).toBeUndefined();
    expect(textOf({ nodes: recovering })).not.toContain("Out of service already");
    expect(textOf()).toContain("Expected time: about");
  });

  test("expects the first node alone, and then waves of as many as may be away", () => {
    expect(expectedMinutes(plan({ nodes: nodes(1) }))).toBe(15);
    expect(expectedMinutes(plan({ nodes: nodes(3) }))).toBe(30);
    expect(expectedMinutes(plan({ nodes: nodes(4) }))).toBe(45);
    expect(expectedMinutes(plan({ nodes: [planned("a"), planned("b", { minutes: 50 })], most: 1 }))).toBe(120);
    expect(textOf()).toContain("Expected time: about 30 minutes");
    expect(textOf({ nodes: nodes(116), most: 1 })).toContain("Expected time: about 29 hours");
  });

  test("expects NotReady nodes ten at once after the first one, since they need no slot", () => {
    const away = nodes(4, { isAway: true });
    expect(expectedMinutes(plan({ nodes: away, most: 1 }))).toBe(30);
    expect(expectedMinutes(plan({ nodes: away, most: 1, max: 2 }))).toBe(45);
    expect(expectedMinutes(plan({ nodes: [planned("win-9"), ...away], most: 1 }))).toBe(30);
    expect(expectedMinutes(plan({ nodes: [...away, planned("win-9")], most: 1 }))).toBe(75);
  });

  test("as a dry run ends with the command that applies it", () => {
    const { text, blocks } = rolloutDryRun(plan(), ["web", "--max", "2"]);
    expect(text).toBe("Dry run: reboot 3 nodes");
    expect(JSON.stringify(blocks[0])).toContain("*Dry run: nothing was changed.* 3 nodes of `web` are drained");
    expect(JSON.stringify(blocks.at(-1))).toContain("To apply: `{win} reboot web --max 2`");
  });
});

describe("The plan of a whole rollout", () => {
  const leftOut = { name: "win-9", leftOut: "it is quarantined" };

  test("has the nodes that can be rebooted, and those that are left out with the reason", () => {
    expect(wholePlan([planned("win-1"), leftOut], 2, web)).toEqual({
      command: "reboot",
      pool: "web",
      nodes: [planned("win-1")],
      leftOut: [{ name: "win-9", why: "it is quarantined" }],
      most: 2,
    });
  });

  test("is of one pool, but for nodes that wait for a reboot", () => {
    const mixed = [planned("win-1"), planned("win-2", { pool: null })];
    expect(() => wholePlan(mixed, 2, web)).toThrow(new UserError(severalPools(["web", null])));
    expect(wholePlan(mixed, 2, { ...web, due: true })).toMatchObject({ pool: "web", pools: ["web", null] });
    expect(wholePlan([planned("win-1")], 2, { ...web, due: true })).not.toHaveProperty("pools");
  });

  test("accepts losses by the name of its pool alone", () => {
    expect(() => checkForce({ ...web, force: "web" }, "web")).not.toThrow();
    expect(() => checkForce(web, null)).not.toThrow();
    expect(() => checkForce({ ...web, force: "win-1" }, "web")).toThrow("the name of their pool: `web`, not `win-1`.");
    expect(() => checkForce({ ...web, force: "web" }, null)).toThrow("these nodes belong to none or to several");
  });

  test("names the command that accepts the losses, of nodes of one pool", () => {
    const losing = (name: string, pool: string) => ({ name, leftOut: "losses", lost: [], pool });
    const request = { ...web, max: 2 };
    expect(wholePlan([planned("win-1"), losing("win-8", "web")], 2, request)).toMatchObject({
      forced: "`{win} reboot web --force web --max 2`",
    });
    expect(wholePlan([planned("win-1"), losing("win-8", "web"), losing("win-9", "db")], 2, request)).not.toHaveProperty(
      "forced",
    );
  });

  test("is refused when no node is left", () => {
    expect(() => wholePlan([leftOut], 2, web)).toThrow(
      new Refused("no node can be rebooted: `win-9` (it is quarantined)"),
    );
  });
});
