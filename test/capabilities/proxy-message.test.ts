import { expect, test } from "vitest";
import { proxyMessage, type ShownProxy } from "../../lambdas/capabilities/proxy/proxy-message.ts";
import { readBlocks } from "../journeys/reading.ts";

const variables = {
  HTTP_PROXY: "http://proxy.example.com:3128",
  HTTPS_PROXY: "http://proxy.example.com:3129",
  NO_PROXY: ".cluster.local,mirror.example.com",
};
const LAST = "`{win} reboot --due` brings it in force · `{win} reconcile` writes it now";

test("A cluster without a proxy is called so, and a node that still has one is named", () => {
  const nodes: ShownProxy["nodes"] = [{ name: "web-1", state: "in-force" }];
  const { text, blocks } = proxyMessage({ variables: {}, nodes, registries: ["quay.io"] });
  expect(text).toBe("Proxy: the cluster has none: Windows nodes reach every registry directly.");
  expect(readBlocks(blocks)).toBe("*Proxy*: the cluster has none: Windows nodes reach every registry directly.");
  const still = proxyMessage({ variables: {}, nodes: [{ name: "web-2", state: "pending" }], registries: [] });
  expect(readBlocks(still.blocks).split("\n").at(-1)).toBe("`{win} reboot --due` brings it in force");
});

test("A proxy is shown with its exemptions, its state on nodes, and the registries behind it", () => {
  const nodes: ShownProxy["nodes"] = [
    { name: "web-1", state: "in-force" },
    { name: "web-2", state: "pending" },
    { name: "web-3", state: "missing" },
    { name: "web-4", state: "unchecked" },
    { name: "web-5", state: "in-force" },
  ];
  const { text, blocks } = proxyMessage({ variables, nodes, registries: ["quay.io:443", "mirror.example.com:443"] });
  expect(text).toBe("Proxy: http by `http://proxy.example.com:3128`, https by `http://proxy.example.com:3129`");
  expect(readBlocks(blocks).split("\n")).toEqual([
    "*Proxy*: http by `http://proxy.example.com:3128`, https by `http://proxy.example.com:3129`",
    "Exempt:",
    "```",
    ".cluster.local mirror.example.com",
    "```",
    "✅ in force on 2 nodes: `web-1`, `web-5`",
    "⏳ written and not in force, because containerd or the kubelet has run since before, on 1 node: `web-2`",
    "❌ not written on 1 node: `web-3`",
    "⏳ written, check pending on 1 node: `web-4`",
    "Through the proxy: `quay.io:443`.",
    "Directly: `mirror.example.com:443`.",
    "A network in NO_PROXY exempts addresses, never names that resolve to them.",
    LAST,
  ]);
});

test("A proxy for https alone is shown so, and a line without a registry is left out", () => {
  const { HTTPS_PROXY } = variables;
  const { text, blocks } = proxyMessage({ variables: { HTTPS_PROXY, NO_PROXY: "" }, nodes: [], registries: [] });
  expect(text).toBe("Proxy: https by `http://proxy.example.com:3129`");
  expect(readBlocks(blocks)).not.toMatch(/Through|Directly/);
});
