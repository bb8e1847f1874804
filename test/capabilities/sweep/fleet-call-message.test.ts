import { expect, it } from "vitest";
import {
  fleetRecoveredMessage,
  fleetTroubleMessage,
  fleetTroubleNotice,
} from "../../../lambdas/capabilities/sweep/fleet-call-message.ts";
import { type FleetNode, fleetTroubleOf } from "../../../lambdas/health/fleet-trouble.ts";
import { readBlocks } from "../../journeys/reading.ts";

const NOW = "2026-11-26T03:10:00.000Z";
const node = (at: number, more: Partial<FleetNode> = {}): FleetNode => ({
  ...{ node: `ip-10-0-3-${at}.us-west-2.compute.internal`, notReadySince: "2026-11-26T03:02:00.000Z" },
  ...{ agentSilentSince: null, cause: { kind: "kubelet-silent", isAgentSilent: true }, isHeld: false, isOwn: true },
  ...{
    pool: "web",
    zone: "us-west-2a",
    subnet: "subnet-1",
    image: "ami-1",
    update: "10.0.20348.4052",
    type: "m6i.xlarge",
  },
  startedAt: null,
  ...more,
});
const troubleOf = (nodes: readonly FleetNode[]) => {
  const trouble = fleetTroubleOf("not-ready", nodes, [], { most: "30%", now: Date.parse(NOW) });
  if (!trouble) throw new Error("there is no trouble");
  return trouble;
};

it("a call about every node points to a cause outside of them", () => {
  const said = readBlocks(
    fleetTroubleMessage(troubleOf([node(1), node(2)]), { called: ["S0ONCALL"], isDispensable: true }).blocks,
  );
  expect(said).toContain(
    "*2 of 2 Windows nodes are NotReady* since <!date^1795662120^{date_short_pretty} at {time}|2026-11-26 03:02 UTC> (web 2 of 2)",
  );
  expect(said).toContain("<!subteam^S0ONCALL>");
  expect(said).toContain("All of them fail, so the cause is likely outside the nodes.");
  const alone =
    'No approver awake: `{win} reboot &lt;node&gt; --break-glass "reason"` recovers the NotReady nodes of one pool';
  expect(said).toContain(alone);
  const asked = fleetTroubleMessage(troubleOf([node(1), node(2)]), { called: [], isDispensable: false });
  expect(readBlocks(asked.blocks)).not.toContain("--break-glass");
});

it("the button of a large fleet reboots as many failing nodes as it can name, and never a whole pool", () => {
  const all = Array.from({ length: 60 }, (_, at) => node(at + 1));
  const { blocks } = fleetTroubleMessage(troubleOf(all), { called: [], isDispensable: true });
  const value = /"value":"(reboot [^"]*)"/.exec(JSON.stringify(blocks))?.[1] ?? "";
  const named = value.split(" ").slice(1);
  expect(named.every((name) => /^ip-10-0-3-\d+$/.test(name))).toBe(true);
  expect(readBlocks(blocks)).toContain(`Recover ${named.length} of 60 in web…`);
  expect(readBlocks(blocks)).toContain("and 52 more");
});

it("no reboot is offered of machines that Casement does not act for, or on which an operation works", () => {
  const one = fleetTroubleMessage(troubleOf([node(1, { isOwn: false }), node(2, { isOwn: false })]), {
    called: [],
    isDispensable: true,
  });
  expect(readBlocks(one.blocks)).not.toContain("Recover");
  expect(readBlocks(one.blocks)).not.toContain("--break-glass");
});

it("a page is one line with the count, the pools, the names and the runbook", () => {
  expect(fleetTroubleNotice(troubleOf([node(1), node(2)])).message).toBe(
    "2 of 2 Windows nodes are NotReady since 2026-11-26 03:02 UTC (web 2 of 2): ip-10-0-3-1.us-west-2.compute.internal, ip-10-0-3-2.us-west-2.compute.internal. See docs/runbook.md#many-nodes-are-notready.",
  );
});

it("a page names a common start in UTC, because pagers know no time zone of the reader", () => {
  const started = { startedAt: "2026-11-26T02:10:00.000Z" };
  const well = node(3, { notReadySince: null, cause: null, startedAt: "2026-11-20T02:10:00.000Z" });
  const { message } = fleetTroubleNotice(troubleOf([node(1, started), node(2, started), well]));
  expect(message).toContain("launched or rebooted since 2026-11-26 02:10 UTC");
  expect(message).not.toContain("<!date");
});

it("the end names a node that still fails", () => {
  const call = {
    kind: "not-ready",
    since: "2026-11-26T03:02:00.000Z",
    nodes: [],
    pagedAt: null,
    ts: "1.0",
    shown: "",
  } as const;
  const well = node(2, { notReadySince: null, cause: null });
  expect(fleetRecoveredMessage(call, [node(1), well, { ...well, node: "w" }], NOW).text).toBe(
    "✅ *2 of 3 Windows nodes are Ready again* after 8m. `ip-10-0-3-1.us-west-2.compute.internal` is still NotReady.",
  );
  expect(fleetRecoveredMessage(call, [node(1), node(2)], NOW).text).toContain("⚠️ *0 of 2");
});
