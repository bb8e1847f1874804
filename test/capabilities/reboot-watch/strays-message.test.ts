import { expect, test } from "vitest";
import { proxyOfferMessage } from "../../../lambdas/capabilities/reboot-watch/messages.ts";
import { strayEndMessage, strayMessage } from "../../../lambdas/capabilities/reboot-watch/strays-message.ts";
import type { Stray } from "../../../lambdas/records/stray.ts";
import { readBlocks } from "../../journeys/reading.ts";

const stray = (index: number, more: Partial<Stray> = {}): Stray => ({
  ...{ kind: "no-node", instanceId: `i-0${index}`, node: null, pool: "web" },
  ...more,
});
const starting = (index: number): Stray => stray(index, { kind: "starting", node: `win-${index}` });
const STARTING = "`casement.dev/starting`";

test("A machine without a Node is told with what ends it, and its replacement where it has a pool", () => {
  const { text, blocks } = strayMessage("no-node", [stray(1)]);
  expect(text).toBe("⚠️ `i-01` runs and is billed, and has no Node. No operation works on it.");
  expect(readBlocks(blocks)).toBe(
    `${text} Next: \`{win} remove i-01\` terminates it, and \`{win} add web\` replaces it. If it was a node, a reboot in EC2's console registers it again.`,
  );
  expect(readBlocks(strayMessage("no-node", [stray(1, { pool: null })]).blocks)).toContain(
    "Next: `{win} remove i-01` terminates it. If it was",
  );
  expect(strayMessage("no-node", [stray(1), stray(2)]).text).toBe(
    "⚠️ 2 machines (`i-01`, `i-02`) run and are billed, and have no Node. No operation works on them.",
  );
});

test("A node with the taint of its start is told with the look that says why, and a button for it", () => {
  const { text, blocks } = strayMessage("starting", [starting(1)]);
  expect(text).toBe(
    `⚠️ \`win-1\` still carries the taint ${STARTING}, and no operation works on it: no pods start there.`,
  );
  expect(readBlocks(blocks)).toBe(
    `${text} Next: \`{win} why win-1\`; if it names nothing but the taint, \`kubectl taint node win-1 casement.dev/starting-\` lets pods start.\n[Why]`,
  );
  expect(JSON.stringify(blocks)).toContain('"value":"why win-1"');
  expect(strayMessage("starting", [starting(1), starting(2)]).text).toBe(
    `⚠️ 2 nodes (\`win-1\`, \`win-2\`) still carry the taint ${STARTING}, and no operation works on them: no pods start there.`,
  );
});

test("Of many machines eight are named", () => {
  const many = Array.from({ length: 9 }, (_, index) => stray(index));
  expect(strayMessage("no-node", many).text).toContain(
    "9 machines (`i-00`, `i-01`, `i-02`, `i-03`, `i-04`, `i-05`, `i-06`, `i-07` and 1 more) run",
  );
  expect(() => strayMessage("no-node", [])).toThrow(RangeError);
});

test.for<[Stray["kind"], number, string]>([
  ["no-node", 1, "✅ `i-01` is a node again, or runs no longer."],
  ["no-node", 2, "✅ 2 machines (`i-01`, `i-02`) are a node again, or run no longer."],
  ["starting", 1, `✅ \`win-1\` no longer carries the taint ${STARTING}.`],
  ["starting", 2, `✅ 2 nodes (\`win-1\`, \`win-2\`) no longer carry the taint ${STARTING}.`],
])("The end of the trouble %s of %i is told", ([kind, count, words]) => {
  const ended = [1, 2].slice(0, count).map((index) => (kind === "starting" ? starting(index) : stray(index)));
  expect(strayEndMessage(kind, ended).text).toBe(words);
});

test("A proxy that is written and not in force is offered a restart of services or a reboot, of the nodes of one pool", () => {
  const { text, blocks } = proxyOfferMessage("web", ["win-1", "win-2"]);
  expect(text).toBe(
    "⚠️ The cluster's proxy is written on 2 nodes of pool `web` and not in force: `win-1`, `win-2`. containerd and the kubelet use it from their next start.",
  );
  expect(readBlocks(blocks)).toBe(
    `${text} Next: \`{win} restart web --due\` restarts the services of one after another, each proven, and evicts no pod; \`{win} reboot web --due\` reboots them.\n[Restart services…]\n[Reboot…]`,
  );
  const pressed = JSON.stringify(blocks);
  expect(pressed).toContain('"value":"restart web --due"');
  expect(pressed).toContain('"value":"reboot web --due"');
});
