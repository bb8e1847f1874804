import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { CORDONED_BY } from "../../../lambdas/cluster/node-keys.ts";
import {
  type CordonRecord,
  isCordonedByOthers,
  judgeGiveBack,
  uncordonPatch,
} from "../../../lambdas/steps/cluster/cordon-rules.ts";
import { windowsNode } from "./cluster-objects.ts";

const OWNED = { [CORDONED_BY]: "remove-1" };
const uid = "uid-of-win-1";

const record = (changes: Partial<CordonRecord> = {}): CordonRecord => ({
  node: "win-1",
  uid,
  instanceId: "i-0aaa",
  operation: "remove-1",
  index: 0,
  wasUnschedulable: false,
  adds: { taints: [], annotations: OWNED, labels: {} },
  at: "2026-11-21T08:00:00.000Z",
  ...changes,
});

/** The Node with these annotations and this spec. */
const node = (annotations: Record<string, string>, spec: V1Node["spec"], id = uid): V1Node =>
  windowsNode("win-1", { metadata: { name: "win-1", uid: id, annotations }, spec: spec ?? {} });

const cordonedAt = (timeAdded: string): V1Node["spec"] => ({
  unschedulable: true,
  taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule", timeAdded: new Date(timeAdded) }],
});

const cordoned = cordonedAt("2026-11-21T08:00:01Z");
const outcomeOf = (seen: V1Node | undefined, changes: Partial<CordonRecord> = {}) =>
  judgeGiveBack(record(changes), seen, undefined).outcome;

describe("A node that an operation cordoned", () => {
  it("is uncordoned, and its annotation goes in the same patch", () => {
    expect(judgeGiveBack(record(), node(OWNED, cordoned), undefined)).toEqual({
      outcome: "uncordoned",
      patch: { metadata: { annotations: { [CORDONED_BY]: null }, labels: {} }, spec: { unschedulable: null } },
    });
  });

  it("is uncordoned by the operation that its cordon has passed to", () => {
    expect(outcomeOf(node(OWNED, cordoned), { operation: "restart-1" })).toBe("uncordoned");
  });

  it("loses the labels of every cordon on it when a person uncordons it", () => {
    const labelled = (key: string) => ({ taints: [], annotations: {}, labels: { [key]: "true" } });
    const seen = node(OWNED, cordoned);
    seen.metadata = { ...seen.metadata, labels: { a: "true", b: "true", c: "true" } };
    const laid = { ...record({ adds: labelled("a") }), kept: record({ adds: labelled("b") }) };
    expect(uncordonPatch(seen, laid).metadata).toMatchObject({ labels: { a: null, b: null } });
    expect(uncordonPatch(seen, laid).metadata).not.toHaveProperty("labels.c");
  });

  it.each([
    ["is deleted", undefined, "deleted"],
    ["is another one of the same name", node(OWNED, cordoned, "uid-2"), "replaced"],
    ["never took the cordon", node({}, {}), "never-cordoned"],
    ["was uncordoned by others", node(OWNED, {}), "schedulable"],
    ["has lost its annotation", node({}, cordoned), "cordoned-since"],
    ["names another owner", node({ [CORDONED_BY]: "remove-2" }, cordoned), "another-owner"],
    ["was uncordoned and cordoned again", node(OWNED, cordonedAt("2026-11-21T08:05:00Z")), "cordoned-since"],
  ] as const)("that %s is left as it is", (_, seen, outcome) => {
    const { patch } = judgeGiveBack(record(), seen, undefined);
    expect(outcomeOf(seen)).toBe(outcome);
    expect(patch?.spec ?? {}).toEqual({});
  });

  it("keeps another owner's annotation, and loses its own wherever it still is", () => {
    expect(judgeGiveBack(record(), node({ [CORDONED_BY]: "remove-2" }, cordoned), undefined).patch).toBeNull();
    const gone = { annotations: { [CORDONED_BY]: null }, labels: {} };
    expect(judgeGiveBack(record(), node(OWNED, {}), undefined).patch?.metadata).toEqual(gone);
  });

  it("is still its own cordon when the controller was slow to notice it", () => {
    expect(outcomeOf(node(OWNED, cordonedAt("2026-11-21T08:01:30Z")))).toBe("uncordoned");
    expect(outcomeOf(node(OWNED, { unschedulable: true }))).toBe("uncordoned");
  });

  it("stays cordoned if it was so before", () => {
    const before = record({ wasUnschedulable: true, adds: { taints: [], annotations: {}, labels: {} } });
    expect(judgeGiveBack(before, node({}, cordoned), undefined)).toEqual({ outcome: "as-before", patch: null });
    expect(judgeGiveBack(before, node({}, {}), undefined)).toEqual({ outcome: "schedulable", patch: null });
  });

  it("was given back by an earlier try that had planned it, unless others have cordoned it since", () => {
    expect(judgeGiveBack(record(), node({}, {}), "uncordoned")).toEqual({ outcome: "uncordoned", patch: null });
    expect(judgeGiveBack(record(), node({}, cordoned), "uncordoned").outcome).toBe("cordoned-since");
  });
});

describe("A node with its start-up taint", () => {
  const starting = { key: "casement.dev/starting", value: "true", effect: "NoSchedule" };
  const os = { key: "os", value: "Windows", effect: "NoSchedule" };
  const lost = {
    key: "node.kubernetes.io/unreachable",
    effect: "NoExecute",
    timeAdded: new Date("2026-11-21T08:00:00Z"),
  };
  const adds = { taints: [starting], annotations: {}, labels: {} };

  it("is cordoned instead, and others' taints stay as the API server writes them", () => {
    expect(judgeGiveBack(record({ adds }), node({}, { taints: [os, starting, lost] }), undefined)).toEqual({
      outcome: "cordoned-instead",
      patch: {
        metadata: { annotations: {}, labels: {} },
        spec: { unschedulable: true, taints: [os, { ...lost, timeAdded: "2026-11-21T08:00:00Z" }] },
      },
    });
  });

  it("is known as cordoned instead when the step is repeated", () => {
    const { outcome } = judgeGiveBack(record({ adds }), node({}, { ...cordoned }), "cordoned-instead");
    expect(outcome).toBe("cordoned-instead");
  });

  it("is not known as cordoned instead once others have uncordoned it, nor as uncordoned while it is cordoned", () => {
    const bare = record({ adds: { taints: [], annotations: {}, labels: {} } });
    expect(judgeGiveBack(bare, node({}, {}), "cordoned-instead").outcome).toBe("schedulable");
    expect(judgeGiveBack(bare, node({}, {}), "as-before").outcome).toBe("schedulable");
    expect(judgeGiveBack(bare, node({}, cordoned), "as-before").outcome).toBe("cordoned-since");
  });
});

describe("A node that is to be cordoned", () => {
  it("is cordoned by others unless an open record owns the cordon", () => {
    expect(isCordonedByOthers(node({}, {}), undefined)).toBe(false);
    expect(isCordonedByOthers(node({}, cordoned), undefined)).toBe(true);
    expect(isCordonedByOthers(node(OWNED, cordoned), undefined)).toBe(true);
    expect(isCordonedByOthers(node(OWNED, cordoned), record())).toBe(false);
    expect(isCordonedByOthers(node(OWNED, cordonedAt("2026-11-21T09:00:00Z")), record())).toBe(true);
  });
});
