import { ApiException } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import type { Input, ObjectReference } from "../../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import { inputObjects } from "../../../lambdas/steps/cluster/input-objects.ts";
import type { StepContext } from "../../../lambdas/steps/context.ts";
import { inputFound } from "../../../lambdas/steps/input-content.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const bundle: ObjectReference = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespace: "openshift-config",
  name: "user-ca-bundle",
};
const proxy: ObjectReference = {
  group: "config.openshift.io",
  version: "v1",
  plural: "proxies",
  kind: "Proxy",
  name: "cluster",
};

/** Status of a missing object, as the API server answers (apimachinery, NewNotFound). */
const missing = (kind: string, name: string) =>
  JSON.stringify({
    kind: "Status",
    reason: "NotFound",
    message: `${kind} "${name}" not found`,
    details: { name, kind },
  });

/** Bodies by which the API server says that it has no such kind. */
const noKind = ["404 page not found\n", JSON.stringify({ kind: "Status", reason: "NotFound", details: {} })];

/** Objects of a cluster whose API server answers so. */
const cluster = (objects: Readonly<Record<string, object>>, absent = missing("configmaps", bundle.name ?? "")) => {
  const read = async ({ name }: { readonly name: string }) => {
    if (!(name in objects)) throw new ApiException(404, "not found", absent, {});
    return objects[name];
  };
  const kubernetes = { core: { readNamespacedConfigMap: read }, custom: { getClusterCustomObject: read } };
  return inputObjects({ clients: { kubernetes } } as unknown as StepContext);
};

describe("an object that may be absent", () => {
  const reference = { ...bundle, mayBeAbsent: true };

  test("is found empty where it is missing", async () => {
    expect(await cluster({}).read([reference])).toEqual([[]]);
    expect(await cluster({ "user-ca-bundle": { data: {} } }).read([reference])).toEqual([[{ data: {} }]]);
  });

  test.each(noKind)("refuses the input where its kind is missing: %s", async (body) => {
    await expect(cluster({}, body).read([reference])).rejects.toThrow(
      "the cluster has no ConfigMap openshift-config/user-ca-bundle, so no node was changed",
    );
  });
});

test("a missing object refuses the input unless it may be absent", async () => {
  await expect(cluster({}).read([bundle])).rejects.toThrow("the cluster has no ConfigMap openshift-config/user-ca");
});

describe("objects that the first ones name", () => {
  const input: Input = {
    ...mirrorsInput,
    reads: () => [proxy],
    follows: ([found = []]) =>
      (found[0] as { readonly named: readonly string[] }).named.map((name) => ({ ...bundle, name })),
  };

  test.each([
    ["are read after them", [["cluster"], ["one"], ["two"]], ["one", "two"]],
    ["are none where these name none", [["cluster"]], []],
  ])("%s", async (_, kinds, named) => {
    const objects = { cluster: { is: "cluster", named }, one: { is: "one" }, two: { is: "two" } };
    const found = await inputFound(cluster(objects), input, configurationWith());
    expect(found?.map((some) => some.map((object) => (object as { readonly is: string }).is))).toEqual(kinds);
  });

  test("are not read where the configuration does not apply the input", async () => {
    expect(await inputFound(cluster({}), { ...input, reads: () => null }, configurationWith())).toBeNull();
  });
});
