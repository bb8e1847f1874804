import { expect, test } from "vitest";
import { scheduledEventLine } from "../../../lambdas/messages/health/scheduled-events.ts";

const notBefore = "2026-11-21T16:00:00.000Z";
const TIME = "<!date^1795276800^{time}|16:00 UTC>";
const ENDS = " A reboot does not prevent it. Next: `{win} add web`, then `{win} remove win-1`.";

test.each([
  ["instance-retirement", "web", notBefore, ` for ${TIME}.${ENDS}`],
  ["instance-stop", "web", notBefore, ` for ${TIME}.${ENDS}`],
  ["instance-stop", "web", null, `.${ENDS}`],
  ["instance-stop", null, null, ". A reboot does not prevent it. Next: `{win} remove win-1`."],
  ["system-reboot", "web", notBefore, ` for ${TIME}.`],
  ["instance-reboot", null, null, "."],
  ["system-maintenance", "web", null, "."],
])("the event %s of a machine of pool %s, from %s, is one line", (event, pool, from, rest) => {
  expect(scheduledEventLine({ node: "win-1", pool }, { code: event, notBefore: from })).toBe(
    `⚠️ EC2 has scheduled \`${event}\` of the machine${rest}`,
  );
});
