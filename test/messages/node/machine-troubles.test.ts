import { expect, test } from "vitest";
import type { MachineTrouble } from "../../../lambdas/machine/seen-troubles.ts";
import { machineTroubleMessage, troubleEndMessage } from "../../../lambdas/messages/node/machine-troubles.ts";
import { readBlocks } from "../../journeys/reading.ts";

const stopped: MachineTrouble = { kind: "service-stopped", service: "kubelet" };
const absent: MachineTrouble = { kind: "service-absent", service: "containerd" };
const exits: MachineTrouble = { kind: "service-exits", service: "kubelet", times: 5 };
const routes: MachineTrouble = { kind: "routes-lost", times: 7 };
const hns: MachineTrouble = { kind: "hns-restarted" };
const full: MachineTrouble = { kind: "disk-low" };

test.each<[MachineTrouble, string[], string]>([
  [
    stopped,
    ["web-1"],
    "⚠️ The service `kubelet` does not run on `web-1`. Next: `{win} why web-1` shows the end of its log; `{win} restart web-1` restarts the services of a node that Casement launched, without evicting pods.\n[Why]\n[Restart services…]",
  ],
  [
    stopped,
    ["web-1", "web-2"],
    "⚠️ The service `kubelet` does not run on 2 nodes: `web-1`, `web-2`. Next: `{win} why web-1` shows the end of its log; `{win} restart web-1` restarts the services of a node that Casement launched, without evicting pods.\n[Why]",
  ],
  [
    absent,
    ["web-1"],
    "⚠️ The service `containerd` does not exist on `web-1`. Next: the machine was changed outside Casement: add a node, then run `{win} remove web-1`.\n[Why]",
  ],
  [
    exits,
    ["web-1"],
    "⚠️ The service `kubelet` keeps exiting on `web-1`: 5 times within an hour. Next: `{win} why web-1` shows the end of its log; `{win} restart web-1` restarts the services of a node that Casement launched, without evicting pods.\n[Why]\n[Restart services…]",
  ],
  [
    exits,
    ["web-1", "web-2"],
    "⚠️ The service `kubelet` keeps exiting on 2 nodes: `web-1`, `web-2`. Next: `{win} why web-1` shows the end of its log; `{win} restart web-1` restarts the services of a node that Casement launched, without evicting pods.\n[Why]",
  ],
  [
    routes,
    ["web-1"],
    "⚠️ The route guard repairs its routes again and again on `web-1`: 7 times within a day. Next: find what takes the routes away there, such as a VPN client, a security agent or a script; between two runs of the guard no command reaches the machine, and `{win} why web-1` counts the repairs.\n[Why]",
  ],
  [
    hns,
    ["web-1"],
    "⚠️ The Host Networking Service (HNS) restarted under kube-proxy: Services lost their load balancers, and pods may have no network, on `web-1`. Next: `{win} why web-1` names the pods without a network; `{win} reboot web-1` evicts the pods and proves the node. Where no pod is cut off, `{win} restart web-1` is enough.\n[Why]\n[Reboot…]",
  ],
  [
    full,
    ["web-1"],
    "⚠️ The system drive has less than 10 GB free on `web-1`. Next: remove what is not needed there, or replace the node; below 10 GB images cannot be pulled, and `{win} why web-1` says how much is left.\n[Why]",
  ],
])("A trouble of machines is posted with its next step: %j on %j", (trouble, nodes, words) => {
  const { text, blocks } = machineTroubleMessage([trouble], nodes);
  expect(readBlocks(blocks)).toBe(words);
  expect(words.startsWith(text)).toBe(true);
});

test("The buttons of a trouble are for its first node, and a message names eight nodes at most", () => {
  const { blocks } = machineTroubleMessage([stopped], ["web-1"]);
  expect(JSON.stringify(blocks)).toContain('"value":"why web-1"');
  expect(JSON.stringify(blocks)).toContain('"value":"restart web-1"');
  expect(JSON.stringify(blocks)).toContain("trouble:service-stopped kubelet:web-1");
  const many = Array.from({ length: 10 }, (_, at) => `web-${at}`);
  expect(readBlocks(machineTroubleMessage([full], many).blocks)).toContain("on 10 nodes: `web-0`");
  expect(readBlocks(machineTroubleMessage([full], many).blocks)).toContain("`web-7` and 2 more");
});

test("Several troubles of the same machines are one list, with each next step once", () => {
  const overlay: MachineTrouble = { kind: "service-stopped", service: "hybrid-overlay-node" };
  expect(readBlocks(machineTroubleMessage([exits, overlay, full], ["web-1"]).blocks)).toBe(
    [
      "⚠️ *3 problems* on `web-1`:",
      "• The service `kubelet` keeps exiting: 5 times within an hour.",
      "• The service `hybrid-overlay-node` does not run.",
      "• The system drive has less than 10 GB free.",
      "Next: `{win} why web-1` shows the end of its log; `{win} restart web-1` restarts the services of a node that Casement launched, without evicting pods.",
      "Next: remove what is not needed there, or replace the node; below 10 GB images cannot be pulled, and `{win} why web-1` says how much is left.",
      "[Why]",
      "[Restart services…]",
    ].join("\n"),
  );
  expect(troubleEndMessage([stopped, full], ["web-1"]).text).toBe(
    "✅ *2 problems* solved on `web-1`:\n• The service `kubelet` runs again.\n• The system drive has more than 10 GB free again.",
  );
});

test.each<[MachineTrouble, string]>([
  [stopped, "✅ The service `kubelet` runs again on `web-1`."],
  [exits, "✅ The service `kubelet` has stopped exiting on `web-1`."],
  [routes, "✅ The route guard has not repaired its routes often for a day on `web-1`."],
  [hns, "✅ kube-proxy has started after the Host Networking Service (HNS) again on `web-1`."],
  [full, "✅ The system drive has more than 10 GB free again on `web-1`."],
])("The end of a trouble is posted: %j", (trouble, words) => {
  expect(troubleEndMessage([trouble], ["web-1"]).text).toBe(words);
});
