import { expect, test } from "vitest";
import {
  forceNeedsPool,
  leftOutWords,
  noneDue,
  noneLeft,
  poolsWithOwnRules,
  severalPools,
  tooManyInRollout,
} from "../../../lambdas/capabilities/reboot/rollout/refusals.ts";
import { poolWithoutNodes } from "../../../lambdas/messages/operation/dry-runs.ts";

const because = (name: string, why: string) => ({ name, why });

test.each([
  [poolWithoutNodes("web"), "Pool `web` has no Windows nodes. `{win} nodes` lists all nodes."],
  [tooManyInRollout(300, 200), "300 nodes are too many for one rollout: at most 200. Name some of them."],
  [
    severalPools(["web", null]),
    "The nodes belong to several pools (`web`, none). A rollout is about one pool: start one for each.",
  ],
  [
    poolsWithOwnRules("reboot", ["web", null]),
    "Nodes of several pools wait for a reboot, and these pools differ in their rules or maintenance, so each needs its own approval: `{win} reboot web --due`, nodes of no pool by their names.",
  ],
  [
    noneDue("reboot", null, { unseen: [] }),
    "No Windows node waits for a reboot: Windows has nothing pending there. Nothing was changed.",
  ],
  [tooManyInRollout(101, 100), "101 nodes are too many for one rollout: at most 100. Name some of them."],
  [
    noneDue("reboot", null, { unseen: [], chronic: ["win-1.eu.internal"] }),
    "No Windows node waits for a reboot that would help. Left out: `win-1`, where the last reboot did not end the reason; `{win} why win-1` names it. Nothing was changed.",
  ],
  [
    noneDue("reboot", "web", { unseen: ["win-1"] }),
    "No node of `web` is known to wait for a reboot. Not known of `win-1`: the machines do not answer, or an operation works on them. Nothing was changed.",
  ],
  [noneLeft("reboot", [{ name: "win-1.eu.internal", why: "busy" }], null), "no node can be rebooted: `win-1` (busy)"],
  [
    noneLeft(
      "reboot",
      ["win-1", "win-2", "win-3"].map((name) => ({
        name,
        why: name === "win-3" ? "busy" : `\`${name}\` stays as it is: pool \`web\` is frozen`,
      })),
      null,
    ),
    "no node can be rebooted: `win-1`, `win-2` (pool `web` is frozen), `win-3` (busy)",
  ],
  [
    noneLeft(
      "reboot",
      [
        { name: "win-1", why: "losses", lost: [{ workload: "shop/cart", what: "is not recreated", pods: 1 }] },
        { name: "win-2", why: "busy" },
      ],
      "`{win} reboot web --force web`",
    ),
    "no node can be rebooted: pods or data would be lost: `shop/cart` is not recreated (1 pod on `win-1`); `win-2` (busy). Next: `{win} reboot web --force web`",
  ],
  [
    noneDue("restart", "web", { unseen: ["web-1"] }),
    "No node of `web` is known to wait for a restart. Not known of `web-1`: the machines do not answer, or an operation works on them. Nothing was changed.",
  ],
  [
    noneDue("reboot", "web", { unseen: [], chronic: ["web-1", "web-2"] }),
    "No node of `web` waits for a reboot that would help. Left out: `web-1`, `web-2`, where the last reboot did not end the reason; `{win} why web-1` names it. Nothing was changed.",
  ],
  [
    noneDue("reboot", "web", { unseen: ["web-3"], chronic: ["web-1"] }),
    "No node of `web` is known to wait for a reboot. Not known of `web-3`: the machines do not answer, or an operation works on them. Left out: `web-1`, where the last reboot did not end the reason; `{win} why web-1` names it. Nothing was changed.",
  ],
  [
    forceNeedsPool(null, "web-1"),
    "--force of several nodes requires the name of their pool, and these nodes belong to none or to several. Next: one node or one pool at a time.",
  ],
  [forceNeedsPool("web", "wbe"), "--force of several nodes requires the name of their pool: `web`, not `wbe`."],
  [noneLeft("reboot", [because("web-1", "it is cordoned")], null), "no node can be rebooted: `web-1` (it is cordoned)"],
  [noneLeft("reboot", [because("web-1", "CPU < 5 %")], null), "no node can be rebooted: `web-1` (CPU < 5 %)"],
  [
    noneLeft("restart", [because("web-1", "it is cordoned")], "`{win} restart web-1`"),
    "no node can be restarted: `web-1` (it is cordoned). Next: `{win} restart web-1`",
  ],
])("A rollout is refused: %s", (said, words) => {
  expect(said).toBe(words);
});

test("Nodes that are left out for the same reason share it, and five are named", () => {
  const many = Array.from({ length: 6 }, (_, at) => because(`web-${at}`, "it is cordoned"));
  expect(leftOutWords([...many, because("web-9", "it is gone")], 5)).toBe(
    "`web-0`, `web-1`, `web-2`, `web-3`, `web-4` and 1 more (it is cordoned), `web-9` (it is gone)",
  );
  expect(leftOutWords([because("a", "one"), because("b", "two")], 1)).toBe("`a` (one) and 1 more");
  expect(leftOutWords([because("a", "CPU < 5 %")], 1)).toBe("`a` (CPU &lt; 5 %)");
});
