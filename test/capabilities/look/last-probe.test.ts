import { expect, test } from "vitest";
import { lastProbe } from "../../../lambdas/capabilities/look/last-probe.ts";
import type { Node } from "../../../lambdas/steps/cluster/nodes.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const ID = "i-0aaa";
const hoursAgo = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();
const result = { state: "works", answers: [] };
const kept = { instanceId: ID, node: "win-1", uid: "uid-1", bootId: "7", result, probedAt: hoursAgo(1) };

const ready = [{ type: "Ready", status: "True" }];
const nodeOf = ({ uid = "uid-1", bootID = "7", conditions = ready, spec = {} as object } = {}): Node =>
  ({ metadata: { name: "win-1", uid }, spec, status: { nodeInfo: { bootID }, conditions } }) as unknown as Node;

const base = configurationWith();
const configuration = { ...base, probe: { ...base.probe, images: { linux: "probe:linux", "2022": "probe:2022" } } };
const machine = { instanceId: ID, tags: { "casement:pool": "web" } };

/** Reads the last probe of a node. @returns its result, or the reason why none counts */
async function last(
  subject: { node?: Node | undefined; instanceId?: string | null },
  probed: object | undefined = kept,
) {
  const of = async (instanceId: string) => (instanceId === ID ? probed : undefined);
  const one = { name: "win-1", instanceId: ID, machine, node: nodeOf(), ...subject };
  const steps = verbs({ now: () => NOW, machines: { probed: { of } } });
  const found = await lastProbe(steps, configuration, one as never, { isActedFor: true, windowsNodes: 1 });
  return found.result.state === "not-probed" ? found.result.why : found;
}

test("The newest probe of a node counts for its boot, and for a machine without a Node", async () => {
  const known = { result, at: kept.probedAt };
  expect(await last({})).toEqual(known);
  expect(await last({ node: undefined })).toEqual(known);
});

test("Without a probe of this node and this boot it is said why", async () => {
  expect(await last({ node: nodeOf({ uid: "uid-2" }) })).toBe("its turn has not come yet");
  expect(await last({ node: nodeOf({ bootID: "8" }) })).toBe("the last probe was 60m ago, before its last boot");
  expect(await last({ instanceId: null })).toBe("its turn has not come yet");
  const old = { ...kept, probedAt: hoursAgo(200) };
  expect(await last({ node: nodeOf({ spec: { unschedulable: true } }) }, old)).toMatch(
    /^it is cordoned; the last probe/,
  );
  expect(await last({ node: nodeOf({ conditions: [] }) }, old)).toMatch(/^it is not Ready; the last probe was/);
  expect(await last({ node: undefined }, old)).toMatch(/^the last probe was/);
});
