import { expect, test } from "vitest";
import {
  machineEventsEndMessage,
  machineEventsMessage,
  machineStoppedMessage,
  scheduledEventLine,
} from "../../../lambdas/messages/health/scheduled-events.ts";
import { section } from "../../../lambdas/messages/slack/blocks.ts";

const notBefore = "2026-11-21T16:00:00.000Z";
const TIME = "<!date^1795276800^{date_short_pretty} at {time}|2026-11-21 16:00 UTC>";
const DRAIN =
  " EC2 does not move the pods first. Next: `{win} drain win-1` before it, or another time in EC2's console (*Events*).";
const OWNERS = " A reboot does not prevent it. Next: have its owner replace the machine.";
const MOVE = " EC2 does not move the pods first. Next: another time in EC2's console (*Events*).";
const ENDS = " A reboot does not prevent it. Next: `{win} add web`, then `{win} remove win-1`.";

test.each([
  ["instance-retirement", "web", notBefore, ` for ${TIME}.${ENDS}`],
  ["instance-stop", "web", notBefore, ` for ${TIME}.${ENDS}`],
  ["instance-stop", "web", null, `.${ENDS}`],
  ["instance-stop", null, null, `.${OWNERS}`],
  ["system-reboot", "web", notBefore, ` for ${TIME}.${DRAIN}`],
  ["instance-reboot", null, null, `.${MOVE}`],
  ["system-maintenance", "web", null, `.${DRAIN}`],
])("the event %s of a machine of pool %s, from %s, is one line", (event, pool, from, rest) => {
  expect(scheduledEventLine({ node: "win-1", pool }, { code: event, notBefore: from })).toBe(
    `⚠️ EC2 has scheduled \`${event}\` of the machine${rest}`,
  );
});

const event = { instanceId: "i-1", node: "win-1", pool: "web", code: "instance-retirement", notBefore };

test("a look's message names the machine, the time, what it means and what to do", () => {
  expect(machineEventsMessage([event])).toEqual({
    text: `⚠️ EC2 has scheduled \`instance-retirement\` of \`win-1\` for ${TIME}.`,
    blocks: [
      section(`⚠️ EC2 has scheduled \`instance-retirement\` of \`win-1\` for ${TIME}.${ENDS}`),
      expect.objectContaining({ elements: [expect.objectContaining({ value: "why win-1" })] }),
    ],
  });
});

test("events of several machines are one message, with the first of them as the next step", () => {
  const later = { ...event, instanceId: "i-2", node: null, notBefore: "2026-11-22T16:00:00.000Z" };
  const { text, blocks } = machineEventsMessage([later, event]);
  expect(text).toBe(
    `⚠️ EC2 has scheduled \`instance-retirement\` of 2 machines (\`i-2\`, \`win-1\`), the first for ${TIME}.`,
  );
  expect(JSON.stringify(blocks)).toContain("`{win} remove win-1`");
  expect(machineEventsEndMessage([later, event]).text).toBe(
    "✅ EC2 no longer lists `instance-retirement` of 2 machines (`i-2`, `win-1`) as scheduled.",
  );
});

test("a machine that does not run when its event is over is told as stopped, with two ways on", () => {
  const { text } = machineStoppedMessage(event, "stopped");
  expect(text).toBe(
    "❌ `win-1` is stopped: `instance-retirement`, which EC2 had scheduled, is over. Next: start it in EC2's console, which moves it to another host, or `{win} add web`, then `{win} remove win-1`.",
  );
  expect(machineStoppedMessage({ ...event, pool: null }, "stopped").text).toContain(
    "or have its owner replace the machine.",
  );
});
