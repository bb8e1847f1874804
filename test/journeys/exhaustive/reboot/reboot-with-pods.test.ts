import { afterEach, describe, expect, test } from "vitest";
import { CANCEL_OPERATION, REBOOT_WITH_PODS } from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { podOn, podsOn, running, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const asks = (): boolean => openly(here).at(-1)?.includes("is not drained yet") ?? false;

/** A node with a pod whose containers do not end, whose reboot has passed the deadline of its drain. */
async function stuckReboot({ beside }: { readonly beside?: ReturnType<typeof podOn> } = {}): Promise<void> {
  here = await unasked("reboot", { reboot: { evict: 4, continue: 10 } });
  if (beside) here.simulator.kubernetes.create(beside);
  here.simulator.kubernetes.create(podOn(web, "stuck"));
  await here.until(() => running(here, "stuck") === 1, 2, "the pod");
  injectFault(here, "containers-hang", { node: web.name, pod: "stuck" });
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(asks, 20, "the question");
}

describe("A reboot of a node with a pod whose containers do not end", () => {
  test("names the pod, and reboots with it once a person has decided so", async () => {
    await stuckReboot();
    expect(openly(here).at(-1)).toContain("1 pod stuck terminating (default/stuck)");
    expect(openly(here).at(-1)).not.toContain("--disable-eviction");
    await here.press("operator", REBOOT_WITH_PODS);
    await settled(here, 60);
    const { operation, nodes } = await newest(here);
    expect([operation.status, nodes[0]?.status]).toEqual(["succeeded", "succeeded"]);
    expect(inThreads(here).join("\n")).toContain("The reboot ends 1 pod whose containers did not end");
    expect(podsOn(here, web)).not.toContain("stuck");
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
  });

  test("waits for a pod that nobody was shown, and asks again", async () => {
    await stuckReboot();
    here.simulator.kubernetes.create(podOn(web, "later"));
    await here.until(() => running(here, "later") === 1, 2, "the other pod");
    injectFault(here, "containers-hang", { node: web.name, pod: "later" });
    await here.press("operator", REBOOT_WITH_PODS);
    await here.until(() => !asks(), 5, "the drain to go on");
    await here.until(asks, 20, "the next question");
    expect(openly(here).at(-1)).toContain("1 pod stuck terminating (default/later)");
    await here.press("operator", REBOOT_WITH_PODS);
    await settled(here, 60);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(inThreads(here).join("\n")).toContain("did not end within their grace: default/later");
  });

  test("offers it beside a pod that holds the drain up otherwise, and keeps the node cordoned", async () => {
    const metadata = { annotations: { "casement.dev/do-not-disrupt": "true" } };
    await stuckReboot({ beside: podOn(web, "nightly", { metadata }) });
    expect(openly(here).at(-1)).toContain("1 pod stuck terminating (default/stuck)");
    expect(openly(here).at(-1)).toContain("default/nightly must not be interrupted");
    await here.press("operator", REBOOT_WITH_PODS);
    await here.until(() => !asks(), 5, "the drain to go on");
    await here.until(asks, 20, "the next question");
    expect(openly(here).at(-1)).not.toContain("stuck terminating");
    expect(openly(here).at(-1)).toContain("Without a decision it stays cordoned");
    await settled(here, 20);
    const { operation, nodes } = await newest(here);
    expect(nodes[0]?.failure).toMatchObject({ stage: "evict", code: "pod-must-not-be-interrupted" });
    expect(operation.summary).toContain("the node stays cordoned, because pods on it do not end");
    expect(isCordoned(here)).toBe(true);
  });

  test("gives the node back when a person says so", async () => {
    await stuckReboot();
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 10);
    expect((await newest(here)).operation.status).toBe("cancelled");
    expect(isCordoned(here)).toBe(false);
  });
});

test("A drain leaves a finished pod that only a finalizer keeps, and names it", async () => {
  here = await unasked("drain");
  here.simulator.kubernetes.create(podOn(web, "billed", { metadata: { finalizers: ["example.com/billing"] } }));
  await here.until(() => running(here, "billed") === 1, 2, "the pod");
  await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
  await settled(here, 10);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(inThreads(here).join("\n")).toContain("only a finalizer keeps it: default/billed (example.com/billing)");
});
