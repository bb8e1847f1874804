import { expect, test } from "vitest";
import type { Administrator } from "../../bin/connect/administrator.ts";
import { clusterFacts } from "../../bin/discover/cluster.ts";

const unread = () => Promise.reject(new Error("it cannot be read"));

/** A cluster of which only its networks and its DNS Service can be read. */
const clusterWith = (readNamespacedService: ReturnType<typeof at>) =>
  ({
    core: { listNode: unread, readNamespacedConfigMap: unread, readNamespacedService },
    version: { getCode: unread },
    clusterObject: async ({ plural }: { plural: string }) =>
      plural === "networks" ? { spec: { serviceNetwork: ["172.30.0.0/16"], defaultNetwork: {} } } : unread(),
  }) as unknown as Administrator;

const at =
  (clusterIP: string) =>
  async ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
    `${namespace}/${name}` === "openshift-dns/dns-default" ? { spec: { clusterIP } } : unread();

test.each([
  ["another address than nodes expect", at("172.30.0.53"), { value: "172.30.0.53" }],
  ["the address that nodes expect", at("172.30.0.10"), { value: null }],
  ["no answer", unread, { missing: "Service openshift-dns/dns-default: it cannot be read" }],
])("a DNS Service with %s is told as that", async (_which, service, fact) => {
  const { dnsAddress, serviceNetwork } = await clusterFacts(clusterWith(service));
  expect(serviceNetwork).toMatchObject({ value: "172.30.0.0/16" });
  expect(dnsAddress).toMatchObject(fact);
});
