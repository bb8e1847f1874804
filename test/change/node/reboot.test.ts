import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardFault } from "../../../lambdas/change/node/guard.ts";
import { observe } from "../../../lambdas/change/node/observe.ts";
import { rebootThroughSsm } from "../../../lambdas/change/node/reboot.ts";
import type { Observation } from "../../../lambdas/machine/plan.ts";
import type { StageFault } from "../../../lambdas/records/failures.ts";
import { run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";
import { nodeTask } from "./a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

const guard = { present: true, sha256: null, taskEnabled: true, lastResult: 0, paths: 1, error: "" };
const healthy = { guard, metadataAnswers: true, bootId: "boot-1", hnsNetworks: ["OVNKubernetesHNSNetwork"] };
const lost = { state: "failed", why: "the agent was restarted", code: "command-failed" } as const;

/** Result of a command: what observe.ps1 sees, what reboot.ps1 says, or a command whose result was lost. */
type Result = Partial<Observation> | { readonly ok: boolean; readonly error?: string } | typeof lost;

/** A machine whose scripts end so, one after another; the last one again and again. */
function machineWith(...results: readonly Result[]) {
  const sent: string[] = [];
  const send = async (_held: object, { script }: { script: string }) => {
    sent.push(script);
    return "command-1";
  };
  const commandState = async () => {
    const result = results[Math.min(sent.length, results.length) - 1];
    return result === lost ? lost : { state: "done", result: { ok: true, ...healthy, ...result } };
  };
  return {
    sent,
    given: {
      machine: { send, sent: async () => null, commandState },
      machines: { seen: { noteOrder: async () => undefined } },
    },
  };
}

async function rebooted(faultOf: () => StageFault | null, ...results: readonly Result[]) {
  const { sent, given } = machineWith(...results);
  const wait = tenMinutes();
  const { error } = await run((ctx) => rebootThroughSsm(nodeTask(ctx, given, wait), { faultOf }));
  return { why: error.message, sent };
}

const none = () => null;

describe("A reboot", () => {
  it("is proven by another boot id", async () => {
    const { why, sent } = await rebooted(none, {}, {}, { bootId: "boot-2" });
    expect({ why, sent }).toEqual({ why: undefined, sent: ["observe", "reboot", "observe"] });
  });

  it("is not sent while the guard is not in order", async () => {
    const { why, sent } = await rebooted(none, { metadataAnswers: false });
    expect(why).toContain("not rebooted: the metadata service does not answer");
    expect(sent).toEqual(["observe"]);
  });

  it("is not sent when the workflow has a reason of its own", async () => {
    const { why, sent } = await rebooted(() => ({ code: "container-networks-exist", why: "pods run here" }), {});
    expect(why).toBe("not rebooted: pods run here");
    expect(sent).toEqual(["observe"]);
  });

  it("whose result was lost counts by its boot id alone", async () => {
    expect((await rebooted(none, {}, lost, { bootId: "boot-2" })).why).toBeUndefined();
    expect((await rebooted(none, {}, lost, {})).why).toBe("the agent was restarted");
  });

  it("fails in the script's own words", async () => {
    expect((await rebooted(none, {}, { ok: false, error: "no shutdown privilege" })).why).toBe("no shutdown privilege");
  });
});

describe("An observation", () => {
  it("whose result was lost is repeated, four times at most", async () => {
    const { sent, given } = machineWith(lost, lost, {});
    const wait = tenMinutes();
    expect((await run((ctx) => observe(nodeTask(ctx, given, wait), "look"))).status).toBe("SUCCEEDED");
    expect(sent).toHaveLength(3);
    const deaf = machineWith(lost);
    expect((await run((ctx) => observe(nodeTask(ctx, deaf.given, wait), "look"))).error.message).toBe(lost.why);
    expect(deaf.sent).toHaveLength(4);
  });
});

it.each([
  ["it is no scheduled task", { guard: { ...guard, taskEnabled: false } }, "guard-task-missing"],
  ["it failed", { guard: { ...guard, lastResult: 1, error: "no default route" } }, "guard-failed"],
  [
    "it failed, and its route is lost",
    { guard: { ...guard, lastResult: 1 }, metadataAnswers: false },
    "metadata-silent",
  ],
  ["it never ran", { guard: { ...guard, lastResult: null } }, "guard-failed"],
  ["it finds several paths", { guard: { ...guard, paths: 2 } }, "network-paths"],
  ["the metadata service is silent", { metadataAnswers: false }, "metadata-silent"],
])("a guard is judged: %s", (_, seen, code) => {
  expect(guardFault({ ...healthy, ...seen })?.code).toBe(code);
});

it("a guard that is in order has no fault, and one that failed is told with its own words", () => {
  expect(guardFault(healthy)).toBeNull();
  const failed = { ...healthy, guard: { ...guard, lastResult: 1, error: "no default route" } };
  expect(guardFault(failed)?.why).toBe("the guard of the metadata route ended with 1: no default route");
});
