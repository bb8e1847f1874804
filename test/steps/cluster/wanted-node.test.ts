import type { V1Node } from "@kubernetes/client-node";
import { expect, it } from "vitest";
import { missingOn } from "../../../lambdas/steps/cluster/wanted-node.ts";

const labels = { "casement.dev/pool": "web", "node.kubernetes.io/windows-build": "10.0.20348" };
const taint = { key: "os", value: "Windows", effect: "NoSchedule" };
const wanted = { labels, taint, instanceId: "i-0ab12cd34ef567890" };

/** A Node that is as wanted, but for what a test changes. */
const node = (spec: V1Node["spec"] = {}, changed: Record<string, string> = {}): V1Node => ({
  metadata: { name: "ip-10-0-0-20", labels: { "kubernetes.io/os": "windows", ...labels, ...changed } },
  spec: { providerID: "aws:///us-west-2a/i-0ab12cd34ef567890", taints: [taint], ...spec },
});

it("finds nothing missing on a Node that is as wanted, whatever else it carries", () => {
  const starting = { key: "casement.dev/starting", value: "true", effect: "NoSchedule" };
  expect(missingOn(node({ taints: [starting, taint] }), wanted)).toEqual([]);
});

it.each([
  ["a label is another one", node({}, { "casement.dev/pool": "batch" }), ["the label casement.dev/pool=web"]],
  ["the taint is not there", node({ taints: [] }), ["the taint os=Windows:NoSchedule"]],
  [
    "the taint has another spelling",
    node({ taints: [{ ...taint, value: "windows" }] }),
    ["the taint os=Windows:NoSchedule"],
  ],
  [
    "the taint has another effect",
    node({ taints: [{ ...taint, effect: "PreferNoSchedule" }] }),
    ["the taint os=Windows:NoSchedule"],
  ],
  [
    "the Node is another instance's",
    node({ providerID: "aws:///us-west-2a/i-0ffffffffffffffff" }),
    ["the provider id of i-0ab12cd34ef567890 (it is aws:///us-west-2a/i-0ffffffffffffffff)"],
  ],
  [
    "the cloud provider has not seen it",
    node({ taints: [taint, { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" }] }),
    ["the cloud provider to initialise it"],
  ],
])("names what is missing when %s", (_, seen, missing) => {
  expect(missingOn(seen, wanted).map(({ why }) => why)).toEqual(missing);
});

it("names all that is missing on a bare Node", () => {
  expect(missingOn({}, wanted)).toEqual([
    { why: "the label casement.dev/pool=web" },
    { why: "the label node.kubernetes.io/windows-build=10.0.20348", code: "windows-build" },
    { why: "the taint os=Windows:NoSchedule" },
    { why: "the provider id of i-0ab12cd34ef567890 (it is empty)", code: "provider-id-missing" },
  ]);
});
