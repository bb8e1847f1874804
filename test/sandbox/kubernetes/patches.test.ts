import { describe, expect, test } from "vitest";
import { applied, type Ownership } from "../../../lib/sandbox/kubernetes/kubectl/apply.ts";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { mergePatch } from "../../../lib/sandbox/kubernetes/patches/merge.ts";
import { strategicMerge } from "../../../lib/sandbox/kubernetes/patches/strategic.ts";

describe("merge patch", () => {
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("of RFC 7396's appendix: %j by %j is %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe("strategic merge patch", () => {
  const node = (value: unknown, patch: unknown) => strategicMerge("Node", value, patch);

  test("merges conditions by their type and keeps the others", () => {
    const conditions = [
      { type: "Ready", status: "False" },
      { type: "DiskPressure", status: "False" },
    ];
    expect(node({ conditions }, { conditions: [{ type: "Ready", status: "True" }] })).toEqual({
      conditions: [
        { type: "Ready", status: "True" },
        { type: "DiskPressure", status: "False" },
      ],
    });
  });

  test("merges the variables of an admission policy by their names, as its API defines, and those of nothing else", () => {
    const before = {
      spec: {
        variables: [
          { name: "pools", expression: "[]" },
          { name: "user", expression: "x" },
        ],
      },
    };
    const patch = { spec: { variables: [{ name: "pools", expression: "['web']" }] } };
    expect(strategicMerge("ValidatingAdmissionPolicy", before, patch)).toEqual({
      spec: { variables: [patch.spec.variables[0], before.spec.variables[1]] },
    });
    expect(strategicMerge("Widget", before, patch)).toEqual(patch);
  });

  test("replaces taints and tolerations as a whole, as their API defines", () => {
    expect(node({ taints: [{ key: "a" }] }, { taints: [{ key: "b" }] })).toEqual({ taints: [{ key: "b" }] });
  });

  test("deletes one item, or replaces the whole list, by directive", () => {
    const addresses = [
      { type: "Hostname", address: "a" },
      { type: "InternalIP", address: "1" },
    ];
    expect(node({ addresses }, { addresses: [{ $patch: "delete", type: "Hostname" }] })).toEqual({
      addresses: [addresses[1]],
    });
    expect(node({ addresses }, { addresses: [{ type: "ExternalIP", address: "2" }, { $patch: "replace" }] })).toEqual({
      addresses: [{ type: "ExternalIP", address: "2" }],
    });
  });

  test("adds to a set, removes from it, and sorts it", () => {
    const metadata = { finalizers: ["a", "b"] };
    expect(node(metadata, { finalizers: ["c", "a"] })).toEqual({ finalizers: ["a", "b", "c"] });
    expect(node(metadata, { "$deleteFromPrimitiveList/finalizers": ["a"] })).toEqual({ finalizers: ["b"] });
    expect(node(metadata, { finalizers: ["c"], "$setElementOrder/finalizers": ["c", "b", "a"] })).toEqual({
      finalizers: ["c", "b", "a"],
    });
  });

  test("sorts merged items by the given order and keeps others beside their neighbour", () => {
    const containers = [{ name: "a" }, { name: "sidecar" }, { name: "b" }];
    const patch = {
      containers: [{ name: "b", image: "2" }],
      "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
    };
    expect(strategicMerge("Pod", { containers }, patch)).toEqual({
      containers: [{ name: "b", image: "2" }, { name: "a" }, { name: "sidecar" }],
    });
  });

  test("keeps only the retained keys of a union", () => {
    expect(
      node(
        { strategy: { type: "RollingUpdate", rollingUpdate: {} } },
        { strategy: { type: "Recreate", $retainKeys: ["type"] } },
      ),
    ).toEqual({
      strategy: { type: "Recreate" },
    });
  });

  test("refuses an item without its merge key and an unknown directive", () => {
    expect(() => node({ conditions: [] }, { conditions: [{ status: "True" }] })).toThrow(
      "does not contain declared merge key: type",
    );
    expect(() => node({}, { spec: { $patch: "explode" } })).toThrow("Unknown patch type: explode");
  });
});

describe("server-side apply", () => {
  const object = (data: Record<string, string>): KubeObject =>
    ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data }) as unknown as KubeObject;
  const one = { manager: "one", force: false };
  const two = { manager: "two", force: false };

  test("removes what its applier no longer sets, and nothing that others wrote", () => {
    const owners: Ownership = {};
    const first = applied(owners, object({ written: "by hand" }), { data: { a: "1", b: "2" } }, one);
    expect(applied(owners, first, { data: { b: "2" } }, one).data).toEqual({ written: "by hand", b: "2" });
  });

  test("shares a field on which two appliers agree", () => {
    const owners: Ownership = {};
    const first = applied(owners, object({}), { data: { a: "1" } }, one);
    applied(owners, first, { data: { a: "1" } }, two);
    expect(applied(owners, first, {}, one)).toMatchObject({ data: { a: "1" } });
  });

  test("names each field in conflict, and takes it over with force", () => {
    const owners: Ownership = {};
    const first = applied(owners, object({}), { data: { a: "1" } }, one);
    expect(() => applied(owners, first, { data: { a: "2" } }, two)).toThrow(
      'Apply failed with 1 conflict: conflict with "one": .data.a',
    );
    expect(applied(owners, first, { data: { a: "2" } }, { ...two, force: true })).toMatchObject({ data: { a: "2" } });
    expect(owners.one).toEqual([]);
  });

  test("merges lists by their keys", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "theirs" }] },
    } as unknown as KubeObject;
    const owners: Ownership = {};
    const first = applied(owners, pod, { spec: { containers: [{ name: "mine", image: "1" }] } }, one);
    expect(first.spec).toEqual({ containers: [{ name: "theirs" }, { name: "mine", image: "1" }] });
    expect(applied(owners, first, { spec: {} }, one).spec).toEqual({ containers: [{ name: "theirs" }] });
  });
});
