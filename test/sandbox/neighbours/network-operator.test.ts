import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { at, type KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { networkOperator } from "../../../lib/sandbox/neighbours/network-operator.ts";
import { type StillCluster, stillCluster } from "../kubernetes/cluster.ts";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
  networkOperator.start({ kubernetes: cluster.api, ec2: undefined as never, scaling: undefined as never });
});
afterEach(() => cluster.stop());

const system = `${rootCertificates.join("\n")}\n`;
const [first = "", second = ""] = rootCertificates.map((pem) => `${pem}\n`);
const KEY = "ca-bundle.crt";

const configMap = (namespace: string, name: string, data: object, label?: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace,
      name,
      ...(label ? { labels: { "config.openshift.io/inject-trusted-cabundle": label } } : {}),
    },
    data,
  }) as unknown as KubeObject;

const dataOf = (namespace: string, name: string): unknown => {
  const all = cluster.api.objects("configmaps");
  return at(all.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name) ?? {}, "data");
};
const merged = () => dataOf("openshift-config-managed", "trusted-ca-bundle");
const edit = (namespace: string, name: string, data: object) =>
  cluster.admin(
    `PATCH /api/v1/namespaces/${namespace}/configmaps/${name}`,
    { data },
    {
      "content-type": "application/merge-patch+json",
    },
  );

/** Has the cluster's Proxy name a bundle. */
async function trust(text: string): Promise<void> {
  cluster.api.create(configMap("openshift-config", "user-ca-bundle", { [KEY]: text }));
  await cluster.admin(
    "PATCH /apis/config.openshift.io/v1/proxies/cluster",
    { spec: { trustedCA: { name: "user-ca-bundle" } } },
    { "content-type": "application/merge-patch+json" },
  );
  await cluster.pass(1);
}

test("a cluster without a bundle of its own has the system's roots", async () => {
  await cluster.pass(1);
  expect(merged()).toEqual({ [KEY]: system });
});

test("the bundle that the Proxy names stands before the system's roots, and its edits are followed", async () => {
  await trust(first);
  expect(merged()).toEqual({ [KEY]: first + system });
  await edit("openshift-config", "user-ca-bundle", { [KEY]: second });
  await cluster.pass(1);
  expect(merged()).toEqual({ [KEY]: second + system });
});

test.for([
  ["is cut", () => edit("openshift-config", "user-ca-bundle", { [KEY]: first.slice(0, 200) })],
  [
    "has another kind of block",
    () => edit("openshift-config", "user-ca-bundle", { [KEY]: `${first}-----BEGIN KEY-----\n` }),
  ],
  ["has no key of that name any more", () => edit("openshift-config", "user-ca-bundle", { [KEY]: null })],
  ["is gone", () => cluster.admin("DELETE /api/v1/namespaces/openshift-config/configmaps/user-ca-bundle")],
] as const)("a bundle that %s leaves the merged one as it was", async ([, damage]) => {
  await trust(first);
  await damage();
  await cluster.pass(1);
  expect(merged()).toEqual({ [KEY]: first + system });
});

test("a ConfigMap that asks for it gets the merged bundle beside its other keys, also after an edit by hand", async () => {
  cluster.api.create(configMap("default", "asks", { other: "kept" }, "true"));
  cluster.api.create(configMap("default", "declines", { [KEY]: "own" }, "false"));
  await trust(first);
  expect(dataOf("default", "asks")).toEqual({ other: "kept", [KEY]: first + system });
  await edit("default", "asks", { [KEY]: "by hand" });
  await cluster.pass(1);
  expect(dataOf("default", "asks")).toEqual({ other: "kept", [KEY]: first + system });
  expect(dataOf("default", "declines")).toEqual({ [KEY]: "own" });
});
