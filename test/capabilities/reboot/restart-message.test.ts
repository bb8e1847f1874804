import { expect, test } from "vitest";
import {
  goneBeforeRestart,
  notRestartedSummary,
  notRestartedYet,
  notTried,
  ofWitness,
  restartDryRun,
  restartedSummary,
  restartPlanCard,
} from "../../../lambdas/capabilities/reboot/restart-message.ts";
import type { RestartPlan } from "../../../lambdas/messages/plan/plan.ts";
import { readBlocks } from "../../journeys/reading.ts";

test.each([
  [
    restartedSummary("web-1", "the node is schedulable"),
    "The services of web-1 were restarted and work: services, routes, container network and kubelet are checked, and its pods kept running; the node is schedulable.",
  ],
  [goneBeforeRestart("web-1"), "web-1 no longer exists: nothing was restarted."],
  [notRestartedSummary.cancelled("it is as before"), "Cancelled before the restart: it is as before."],
  [notRestartedSummary.failed("it is as before"), "No service was restarted: it is as before."],
  [notRestartedSummary.unproven("it stays cordoned"), "The restart is not proven: it stays cordoned."],
  [
    notRestartedYet("kubelet"),
    "Windows services: The Windows service 'kubelet' was not restarted; it still runs in the process from before",
  ],
  [notTried("<no image>"), "No pod from before the restart was tried after it: &lt;no image&gt;."],
  [ofWitness("DNS fails"), "DNS fails (a pod that was started before the restart)"],
])("The end of a restart is: %s", (said, words) => {
  expect(said).toBe(words);
});

const plan: RestartPlan = {
  node: "web-1",
  services: ["containerd", "kubelet"],
  pool: "web",
  away: [],
  maxUnavailable: 1,
  others: [],
  unread: [],
};

test("The plan of a restart names its services, its time, and what becomes of pods", () => {
  const { blocks, isHopeless } = restartPlanCard(plan);
  const words = readBlocks(blocks);
  expect(isHopeless).toBeUndefined();
  expect(words).toMatch(
    /^\*Plan\*: `containerd`, `kubelet` of `web-1` are restarted\. No pod is evicted; pods go on running\. The node takes new pods again when the restart is proven, unless it was cordoned before\./,
  );
  expect(words).toMatch(
    /Expected time: about 5 minutes\. Meanwhile no pod starts or stops on the node, and logs and exec of its pods fail\.$/,
  );
});

test("The plan of a restart that waits for a slot is not worth an approval", () => {
  expect(restartPlanCard({ ...plan, waitsForSlot: true }).isHopeless).toBe(true);
});

test("A dry run of a restart shows the plan and the command that applies it", () => {
  const { text, blocks } = restartDryRun(plan);
  expect(text).toBe("Dry run: restart services of web-1");
  const words = readBlocks(blocks);
  expect(words).toMatch(
    /^\*Dry run: nothing was changed\.\* Plan: `containerd`, `kubelet` of `web-1` are restarted\. No pod is evicted/,
  );
  expect(words).toMatch(/To apply: `\{win\} restart web-1`$/);
});
